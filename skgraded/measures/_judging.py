"""How many of the first documents are judged, scored beside other measures."""

from __future__ import annotations

from collections.abc import Iterable

from skgraded._support.array_types import BoolArray, FloatArray
from skgraded.measures._measure import Measure
from skgraded.measures.precision_recall import Judged
from skgraded.results import JudgedShare

_K = 10  # of measures of the whole list


def judging_of(measures: Iterable[Measure]) -> tuple[list[Measure], list[int]]:
    """Return measures of judging, one for each cut-off, and the place of that of each measure."""
    cutoffs = [getattr(measure, "k", None) or _K for measure in measures]
    distinct = list(dict.fromkeys(cutoffs))
    judging: list[Measure] = [Judged(k=k) for k in distinct]
    return judging, [distinct.index(k) for k in cutoffs]


def judged_share(
    values: FloatArray, is_empty: BoolArray, places: list[int]
) -> JudgedShare:
    """Return shares by measure from values by judging measure, along the last axis.

    An empty list has no document that is not judged.
    """
    shares = values[..., places]
    shares[is_empty] = 1.0
    return shares if (shares < 1.0).any() else 1.0
