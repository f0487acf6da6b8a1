"""Rank-biased overlap of a list with the ideal ranking that is most like it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded.measures._measure import Measure
from skgraded.measures._positions import reciprocal
from skgraded.rankings import Judgments, Ranked, Ties

__all__ = ["Compat"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Compat(Measure):
    r"""Compatibility: rank-biased overlap with the ideal ranking that is most like the list.

    .. math::

        Compat = \frac{\max_I RBO(L, I)}{RBO(I, I)},
        \qquad RBO(L, I) = \frac{\sum_{n=1}^{D} p^{n-1}\, |L_n \cap I_n| / n}
            {\sum_{n=1}^{D} p^{n-1}}

    where L is the list, I an ideal ranking, which holds the documents of grade 1 or above of the
    pool by falling grade, L_n and I_n are their first n documents, p is the persistence, and D the
    length of the list, or that of the ideal ranking if this is longer. The maximum is over all
    orders of documents of the same grade in the ideal ranking; it is reached where they stand in
    the order of the list. A document at rank r of the list and s of the ideal ranking counts from
    rank max(r, s) on. Only the order of the grades counts, and no gain.

    Parameters
    ----------
    p : float, default=0.95
        Persistence, strictly between 0 and 1.
    k : int, optional
        Cut-off: only the ranks n <= k count, so that D is at most k. None is the whole list.
    ties : {"row_order", "pessimistic", "optimistic"}, default="pessimistic"
        Tied documents: order of the rows, worst or best first. Their mean has no cheap formula.
    empty : float, default=0.0
        Value of a query without a document of grade 1 or above; nan leaves it out of the mean.
    normalize : bool, default=True
        Divide by RBO(I, I), as in the formula.
    unjudged : optional
        See `Measure`.

    See Also
    --------
    nDCG : Gain relative to that of the ideal ranking.
    RBP : Precision of a user with the same persistence.

    References
    ----------
    .. [1] C. L. A. Clarke, A. Vtyurina, M. D. Smucker (2021), "Assessing Top-k Preferences", ACM
       TOIS 39(3).
    .. [2] W. Webber, A. Moffat, J. Zobel (2010), "A Similarity Measure for Indefinite Ranked",
       ACM TOIS 28(4), for rank-biased overlap.

    Examples
    --------
    >>> from skgraded.measures import Compat
    >>> round(Compat(p=0.5)([1, 2], [2, 1]), 4)  # (1/2 * 2/2) / (1 * 1/1 + 1/2 * 2/2)
    0.3333
    """

    p: float = 0.95
    ties: Ties = "pessimistic"
    normalize: bool = True

    _averages_over_ties: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(p=_params.fraction("p", self.p))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return judgments.grades > 0

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        judgments, ranked = rankings.judgments, rankings.ranked(self.ties, self.unjudged)
        depth, pool = self._depths(judgments), judgments.pool
        n = np.arange(1.0, depth.max(initial=0) + 1)
        weights = np.power(self.p, n - 1.0)
        total = _core.overlaps(
            ranked.levels,
            ranked.indptr,
            pool.levels,
            pool.indptr,
            weights / n,
            depth,
            judgments.n_levels,
            rankings.n_threads,
        )
        return total * reciprocal(np.concatenate(([0.0], np.cumsum(weights)))[depth])

    def _depths(self, judgments: Judgments) -> IntArray:
        """Return D by query, which is the same for the list and for the ideal ranking."""
        n_relevant = judgments.count_pool(self._relevant(judgments))
        depth = np.maximum(judgments.list_lengths(self.unjudged), n_relevant)
        return depth if self.k is None else np.minimum(depth, self.k)
