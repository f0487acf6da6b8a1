"""Share of judged documents, which tells how far incomplete judgments affect other measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.measures._measure import Measure
from skgraded.measures._positions import reciprocal
from skgraded.rankings import IdealRanking, Judgments, Ranked, RankedList

__all__ = ["Judged"]

FloatArray = NDArray[np.float64]


class Judged(Measure):
    r"""Share of judged documents among the first k.

    .. math:: Judged@k = \frac{1}{\min(k, N)} \sum_{n=1}^{k} j_n

    where N is the length of the list and j_n is 1 if the document at rank n is judged and 0
    otherwise. The grades have no influence. A document that was pooled but not sampled, which has
    grade -1 in qrels, is not judged. A small value means that measures of the same list rest on
    few judgments.

    Parameters
    ----------
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Tied documents: mean over all their orders, order of the rows, worst or best first. An
        unjudged document is worse than one of grade 0.
    unjudged : {"nonrelevant"}, default="nonrelevant"
        ``"condense"`` is an error, because it would remove the documents that are counted.
    empty : float, default=0.0
        Value of a query without a judged document; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking, which is 1.
    k : optional
        See `Measure`.

    See Also
    --------
    P : Share of relevant documents among the first k.
    infAP : Estimate of average precision from incomplete judgments.

    References
    ----------
    .. [1] S. MacAvaney, C. Macdonald, I. Ounis (2022), "Streamlining Evaluation with ir-measures",
       ECIR, measure ``Judged``.

    Examples
    --------
    >>> from skgraded.measures import Judged
    >>> Judged(k=2)([1, float("nan"), 0], [3, 2, 1])
    0.5
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "unjudged": "because it counts the documents that are not judged"
    }

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return np.ones(judgments.n_levels, dtype=bool)

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        ranked = self._marks(rankings)
        shown = ranked.lengths if self.k is None else np.minimum(ranked.lengths, self.k)
        found = _core.discounted_gain(
            *ranked,
            np.ones(ranked.longest),
            False,
            np.array([0.0, 1.0]),
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )
        return found * reciprocal(shown)

    def _marks(self, rankings: Ranked) -> RankedList:
        """Return the documents by rank: 1 if they are judged, 0 if not."""
        judgments = rankings.judgments
        if isinstance(rankings, IdealRanking):
            pool = judgments.pool
            return pool._replace(levels=np.ones(len(pool.levels), dtype=np.uint8))
        levels = _core.gather_levels(
            judgments.levels, rankings.order, judgments.indptr, rankings.n_threads
        )
        if self.ties in ("pessimistic", "optimistic"):
            # Documents that were not judged rank just below those judged not relevant.
            key = np.where(levels < judgments.n_levels, levels, -1.0)
            key = key if self.ties == "pessimistic" else -key
            levels = levels[np.lexsort((key, np.cumsum(rankings.tied == 0)))]
        judged = (levels < judgments.n_levels).astype(np.uint8)
        return RankedList(judged, rankings.tied, judgments.indptr)
