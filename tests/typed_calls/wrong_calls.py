"""Calls that a type checker must refuse: mypy tells which comment is not needed."""

from skgraded import DCG, ERR, GAP, RBP, nDCG, xGAP
from skgraded.measures import NCU, AveragedNDCG, IPrec

nDCG(gain="exp")  # type: ignore[arg-type]
ERR(gain="exp")  # type: ignore[arg-type]
RBP(gain="graded")  # type: ignore[arg-type]
NCU(stop="exp")  # type: ignore[arg-type]
DCG(discount="log")  # type: ignore[arg-type]
AveragedNDCG(discount="ln")  # type: ignore[arg-type]
xGAP(g="flat")  # type: ignore[arg-type]
GAP(g="flat")  # type: ignore[arg-type]
IPrec(rounding="down")  # type: ignore[arg-type]
nDCG(ties="average")  # type: ignore[arg-type]
nDCG(unjudged="drop")  # type: ignore[arg-type]
nDCG(cutoff=10)  # type: ignore[call-arg]
nDCG(10)  # type: ignore[call-arg]
