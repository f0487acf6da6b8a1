"""Inferred average precision, an estimate from a random sample of the pool."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded.measures._binary import _BinaryMeasure
from skgraded.measures._positions import reciprocal
from skgraded.rankings import IdealRanking, Ranked, RankedList

__all__ = ["infAP"]

FloatArray = NDArray[np.float64]


# Codes 0 and 1 mark documents outside the pool and unsampled documents; levels start at code 2.
_N_UNJUDGED = 2


class infAP(_BinaryMeasure):  # noqa: N801 - the name that its authors gave it
    r"""Inferred average precision: an estimate from a random sample of the pool.

    .. math::

        infAP = \frac{1}{R} \sum_{n} 1[r_n \ge t] \left( \frac{1}{n} + \frac{n-1}{n} \cdot
                \frac{|d|}{n-1} \cdot \frac{|rel| + \epsilon}{|rel| + |nonrel| + 2 \epsilon} \right)

    where r_n is the grade at rank n, t the threshold ``rel`` and R the number of sampled documents
    of grade t or above. Above rank n, ``|d|`` is the number of documents in the pool, and ``|rel|``
    and ``|nonrel|`` are the numbers of sampled documents that are relevant and not relevant.
    Sampled documents are judged. The measure assumes that the unsampled documents of the pool
    contain the same share of relevant documents as the sampled ones, and that documents outside the
    pool are not relevant. At rank 1 the term is 1. With complete judgments the value is that of
    `AP`, except for the effect of epsilon.

    In arrays, NaN marks a document outside the pool. In qrels, the grade -1 marks an unsampled
    document of the pool, and documents that the qrels do not list are outside the pool.

    Parameters
    ----------
    epsilon : float, default=1e-5
        Smoothing of the estimated precision, > 0.
    rel : float, default=1
        Lowest relevant grade t.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        ``"nonrelevant"`` infers as above; ``"condense"`` removes both kinds of unjudged documents
        from the list, so that nothing is inferred.
    empty : float, default=0.0
        Value of a query without a document of grade t; nan leaves it out of the mean.
    k, ties, normalize : optional
        See `Measure`.

    See Also
    --------
    AP : Average precision that treats unjudged documents as not relevant, or removes them.
    Bpref : Preference that considers only judged documents.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam (2006), "Inferred AP: Estimating Average Precision with
       Incomplete Judgments".

    Examples
    --------
    >>> from skgraded import infAP
    >>> round(infAP()([0, 1, float("nan"), 1], [4, 3, 2, 1]), 4)  # (1/2 + 1/4 + 2/4 * 1/2) / 2
    0.5
    """

    epsilon: float = 1e-5

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(epsilon=_params.number("epsilon", self.epsilon, above=0))

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments = rankings.judgments
        sums = _core.inferred_precisions(
            *self._kinds(rankings),
            np.append([False, False], self._relevant(judgments)).astype(np.uint8),
            self.epsilon,
            _core.last_rank(self.k),
            self.ties == "expected",
            rankings.n_threads,
        )
        return sums * reciprocal(self._n_relevant(judgments))

    def _kinds(self, rankings: Ranked) -> RankedList:
        """Return the documents by rank as codes: 0 outside the pool, 1 unsampled, 2 + level."""
        judgments, n_levels = rankings.judgments, rankings.judgments.n_levels
        if self.unjudged == "condense" or isinstance(rankings, IdealRanking):
            ranked = rankings.ranked(self.ties, "condense")
            return ranked._replace(levels=ranked.levels.astype(np.int32) + _N_UNJUDGED)
        levels = judgments.levels.astype(np.int32)
        kinds = np.where(levels < n_levels, levels + _N_UNJUDGED, levels - n_levels)
        by_rank = _core.gather_levels(
            kinds.astype(np.int32), rankings.order, judgments.indptr, rankings.n_threads
        )
        ranked = RankedList(by_rank, rankings.tied, judgments.indptr)
        if self.ties in ("row_order", "expected"):
            return ranked
        best_first = self.ties == "optimistic"
        in_ties = _core.sort_within_ties(*ranked, best_first, rankings.n_threads)
        return ranked._replace(levels=in_ties)
