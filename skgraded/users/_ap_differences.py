"""Differences of two rankings in average precision at each threshold."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._params import integer_or_none
from skgraded._text import count
from skgraded.measures import AP, RR, Measure, evaluate, nDCG
from skgraded.rankings import Rankings, as_rankings, read_columns

__all__ = ["APDifferences", "ap_differences"]

FloatArray = NDArray[np.float64]

_FEW_RANKS = 3


@dataclasses.dataclass(frozen=True, eq=False)
class APDifferences:
    """Differences of two rankings in average precision at each threshold, query by query.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids.
    values : ndarray of shape (n_queries, max_grade)
        AP of the first ranking less that of the second, with relevance from grade 1, 2, ... on.
    others : dict of str to ndarray of shape (n_queries, n_columns)
        Differences in what users may follow instead: "depth", AP at the first 3 ranks, or on whole
        lists if there is such a cut-off already; "nDCG" with gains r and 2^r - 1; "RR" at each
        threshold. `thresholds_from_preferences` tests them.
    """

    qid: NDArray[Any]
    values: FloatArray
    others: Mapping[str, FloatArray] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        n_queries, max_grade = self.values.shape
        return (
            f"<APDifferences of {count(n_queries, 'query', 'queries')}, thresholds 1..{max_grade}>"
        )


def ap_differences(
    y_true: ArrayLike | Rankings,
    score_a: ArrayLike | Rankings,
    score_b: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    max_grade: int | None = None,
    k: int | None = None,
) -> APDifferences:
    """Compare two rankings of the same queries by average precision at each threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or the first `Rankings`; the second
        stands in the place of `score_a`.
    score_a, score_b : array-like of shape (n_documents,)
        Scores of the documents in the first and in the second ranking.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows form one query.
    max_grade : int, optional
        Top grade of the scale; None takes it from the data.
    k : int, optional
        Cut-off: only the first k ranks count, those that the users saw. None is the whole list.

    Returns
    -------
    APDifferences
        The differences, first ranking less second.

    Raises
    ------
    ValueError
        If an array is invalid, two `Rankings` are of different queries, or a grade exceeds
        `max_grade`.

    See Also
    --------
    thresholds_from_preferences : Estimates g from preferences between the two rankings.

    Examples
    --------
    >>> from skgraded.users import ap_differences
    >>> y_true, qid = [2, 1, 0, 2, 1, 0], [7, 7, 7, 8, 8, 8]
    >>> found = ap_differences(y_true, [3, 2, 1, 3, 2, 1], [2, 3, 1, 1, 2, 3], qid=qid)
    >>> found.values.round(3)
    array([[0.   , 0.5  ],
           [0.417, 0.667]])
    """
    top = integer_or_none("max_grade", max_grade, 1, "the highest grade")
    first, second = _two_rankings(y_true, score_a, score_b, qid)
    for each in (first, second):
        each.judgments.require_integer_grades("ap_differences")
    highest = max(first.judgments.top_grade, second.judgments.top_grade)
    if top is not None and highest > top:
        raise ValueError(f"y_true must not exceed max_grade={top}, got grade {highest:g}.")
    top = top or max(1, int(highest))
    levels = range(1, int(highest) + 1)
    depth = None if k is not None and k <= _FEW_RANKS else _FEW_RANKS
    groups: dict[str, list[Measure]] = {
        "": [AP(rel=t, k=k) for t in levels],
        "depth": [AP(rel=t, k=depth) for t in levels],
        "nDCG": [nDCG(gain=gain, k=k) for gain in ("linear", "exp2")],
        "RR": [RR(rel=t, k=k) for t in levels],
    }
    found = _differences(groups, first, second)
    values = np.zeros((first.judgments.n_queries, top))
    values[:, : len(levels)] = found.pop("")
    return APDifferences(first.judgments.qid, values, found)


def _differences(
    groups: dict[str, list[Measure]], first: Rankings, second: Rankings
) -> dict[str, FloatArray]:
    """Return differences in groups of measures; a measure may be in several of them."""
    used = list(dict.fromkeys(each for group in groups.values() for each in group))
    values = evaluate(used, first).values - evaluate(used, second).values
    return {name: values[:, [used.index(each) for each in group]] for name, group in groups.items()}


def _two_rankings(
    y_true: Any, score_a: Any, score_b: Any, qid: ArrayLike | None
) -> tuple[Rankings, Rankings]:
    if not isinstance(y_true, Rankings):
        if score_b is None:
            raise TypeError(
                "score_b is missing: pass y_true, score_a and score_b, or two Rankings."
            )
        read_columns(y_true, qid, score_a=score_a, score_b=score_b)
        first = as_rankings(y_true, score_a, qid)
        return first, first.judgments.rank(score_b)
    if not isinstance(score_a, Rankings) or score_b is not None or qid is not None:
        raise TypeError(
            "With a Rankings as y_true, score_a must be a Rankings, and score_b and qid None."
        )
    if not np.array_equal(y_true.judgments.qid, score_a.judgments.qid):
        raise ValueError(
            "score_a must be a Rankings of the same queries in the same order as y_true, got "
            f"{score_a.judgments.n_queries} and {y_true.judgments.n_queries} queries with "
            "different ids."
        )
    return y_true, score_a
