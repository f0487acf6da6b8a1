"""Interpolated precision: the largest precision from a level of recall on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._pool_positions import largest_of, rank_of
from skgraded.rankings import Ranked, Ties

__all__ = ["IPrec", "InterpolatedAP"]

FloatArray = NDArray[np.float64]

_ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

# What is added to recall * R before its fraction is dropped.
_ADDED = {"up": 0.9, "nearest": 0.5}


class _Interpolated(_BinaryMeasure):
    """Base class of measures of interpolated precision at levels of recall."""

    rounding: Literal["up", "nearest"] = "up"
    ties: Ties = "pessimistic"

    _averages_over_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _params.choice("rounding", self.rounding, _ADDED)

    def _levels_of_recall(self) -> tuple[float, ...]:
        raise NotImplementedError

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        found = _core.cumulate(
            self._relevant(judgments).astype(np.float64)[ranked.levels], ranked.indptr
        )
        n = rank_of(ranked)
        precision = found / n
        if self.k is not None:
            precision = np.where(n <= self.k, precision, 0.0)
        recalls, total = self._levels_of_recall(), np.zeros(judgments.n_queries)
        for recall in recalls:
            wanted = np.floor(recall * self._n_relevant(judgments) + _ADDED[self.rounding])
            enough = found >= np.repeat(wanted, ranked.lengths)
            total += largest_of(np.where(enough, precision, 0.0), ranked)
        return total / len(recalls)


class IPrec(_Interpolated):
    r"""Interpolated precision at a level of recall.

    .. math::

        IPrec(x) = \max \{\frac{count(n)}{n} : count(n) \ge c(x)\}

    where count(n) is the number of documents of grade t or above at ranks 1..n, t the threshold
    ``rel``, R the number of such documents in the pool, x the level of recall, and c(x) the number
    of relevant documents that it takes, which is x R rounded to an integer. The value is 0 if fewer
    than c(x) relevant documents are in the list.

    Parameters
    ----------
    recall : float, default=0
        Level of recall x, from 0 to 1.
    rounding : {"up", "nearest"}, default="up"
        ``"up"`` rounds x R up, except that a fraction below 0.1 is dropped, as trec_eval does up
        to version 9. ``"nearest"`` rounds to the nearest integer and halves up, as version 10 does.
    rel : float, default=1
        Lowest relevant grade t.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    InterpolatedAP : Mean over several levels of recall.
    P : Precision at a rank.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.
    .. [2] trec_eval, measure ``iprec_at_recall``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import IPrec
    >>> IPrec(recall=0.5)([0, 1, 1, 0, 0], [5, 4, 3, 2, 1])  # 1/2 at rank 2, 2/3 at rank 3
    0.6666666666666666
    """

    recall: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(recall=_check_recall("recall", self.recall))

    def _levels_of_recall(self) -> tuple[float, ...]:
        return (self.recall,)


class InterpolatedAP(_Interpolated):
    r"""Interpolated average precision: the mean of interpolated precision over levels of recall.

    .. math::

        IAP = \frac{1}{L} \sum_{l=1}^{L} \max \{\frac{count(n)}{n} : count(n) \ge c(x_l)\}

    where x_1, ..., x_L are the levels of recall, count(n) is the number of documents of grade t or
    above at ranks 1..n, t the threshold ``rel``, R the number of such documents in the pool, and
    c(x) the number of relevant documents that recall x takes, which is x R rounded to an integer.
    A level that the list does not reach adds 0. The default levels 0, 0.1, ..., 1 give eleven-point
    average precision.

    Parameters
    ----------
    recalls : tuple of float, default=(0, 0.1, 0.2, ..., 1)
        Levels of recall x_l, from 0 to 1.
    rounding : {"up", "nearest"}, default="up"
        ``"up"`` rounds x R up, except that a fraction below 0.1 is dropped, as trec_eval does up
        to version 9. ``"nearest"`` rounds to the nearest integer and halves up, as version 10 does.
    rel : float, default=1
        Lowest relevant grade t.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, unjudged, normalize : optional
        See `Measure`.

    See Also
    --------
    AP : Mean over all relevant documents, without interpolation.
    IPrec : Value at one level of recall.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan, H. Schütze (2008), "Introduction to Information Retrieval",
       Section 8.4.
    .. [2] trec_eval, measure ``11pt_avg``, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from skgraded.measures import InterpolatedAP
    >>> InterpolatedAP(recalls=(0, 0.5, 1))([1, 0, 0, 1], [4, 3, 2, 1])  # (1 + 1 + 1/2) / 3
    0.8333333333333334
    """

    recalls: Sequence[float] = _ELEVEN

    def __post_init__(self) -> None:
        super().__post_init__()
        levels = np.asarray(self.recalls, dtype=object)
        if levels.ndim != 1 or not len(levels):
            raise ValueError(f"recalls must hold levels of recall, got {self.recalls!r}.")
        self._set(recalls=tuple(_check_recall("recalls", each) for each in levels))

    def _levels_of_recall(self) -> tuple[float, ...]:
        return tuple(self.recalls)


def _check_recall(name: str, value: object) -> float:
    """Return a level of recall as a float from 0 to 1."""
    if not _params.is_number(value) or not 0.0 <= float(value) <= 1.0:  # type: ignore[arg-type]
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}.")
    return float(value)  # type: ignore[arg-type]
