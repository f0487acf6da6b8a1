"""Calls that a type checker must refuse, each with the words of its error in the comment."""

from skgraded import DCG, ERR, GAP, RBP, nDCG, xGAP
from skgraded.measures import NCU, AveragedNDCG, IPrec

nDCG(gain="exp")  # Literal['linear', 'exp2']
ERR(gain="exp")  # Literal['linear', 'exp2']
RBP(gain="graded")  # Literal['binary', 'linear', 'exp2']
NCU(stop="exp")  # Literal['linear', 'exp2', 'uniform']
DCG(discount="log")  # Literal['log2', 'jk']
AveragedNDCG(discount="ln")  # Literal['log2', 'jk']
xGAP(g="flat")  # Literal['uniform', 'linear']
GAP(g="flat")  # Literal['uniform', 'linear']
IPrec(rounding="down")  # Literal['up', 'nearest']
nDCG(ties="average")  # Literal['expected', 'row_order', 'pessimistic', 'optimistic']
nDCG(unjudged="drop")  # Literal['nonrelevant', 'condense']
nDCG(cutoff=10)  # Unexpected keyword argument
nDCG(10)  # Too many positional arguments
