"""The average distance measure, which compares scores with grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._gains import _ScaleMeasure
from skgraded.measures._positions import reciprocal
from skgraded.rankings import Judgments, Ranked

__all__ = ["ADM"]

FloatArray = NDArray[np.float64]


class ADM(_ScaleMeasure):
    r"""Average distance measure: agreement of scores with grades.

    .. math:: ADM = 1 - \frac{1}{N} \sum_{d=1}^{N} \left| s_d - \frac{v(r_d)}{v(H)} \right|

    where N is the number of documents, s_d the score of document d, which must lie in [0, 1], r_d
    its grade, v the gain and H the top grade of the scale. The value depends on the scores
    themselves and not on the ranking, so that a monotone transformation of the scores changes it.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of grade r: r (``"linear"``), 2^r - 1 (``"exp2"``), or a tuple of gains for 1..H.
    max_grade : int, optional
        Top grade H of the scale if gain is given by name; None takes it from the data.
    k : {None}, optional
        Any other value is an error, because scores are compared and not ranks.
    ties : {"expected"}, default="expected"
        Any other value is an error, because scores are compared and not ranks.
    empty : float, default=0.0
        Value of a query whose documents all have gain 0; nan leaves it out of the mean.
    normalize : {False}, default=False
        True is an error, because the largest value is 1 already.
    unjudged : optional
        See `Measure`.

    See Also
    --------
    GeneralizedP : Mean relative gain at the first ranks.

    References
    ----------
    .. [1] V. Della Mea, S. Mizzaro (2004), "Measuring Retrieval Effectiveness: A New Proposal and
       a First Experimental Validation", JASIST 55(6).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 38.

    Examples
    --------
    >>> from skgraded.measures import ADM
    >>> ADM(max_grade=2)([2, 1, 0], [1.0, 0.75, 0.5])  # 1 - (0 + 1/4 + 1/2) / 3
    0.75
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "k": "because it compares scores, not ranks",
        "ties": "because it compares scores, not ranks",
        "normalize": "because its largest value is 1 already",
    }

    def _raw_values(self, rankings: Ranked) -> FloatArray:
        if rankings.scores is None:
            raise TypeError(
                f"{self} compares scores with grades, but these rankings have no scores: pass "
                "y_true and y_score instead."
            )
        self._require_in_unit_interval(rankings.scores, rankings.judgments.row_order)
        return 1.0 - self._mean_distance(rankings.judgments, rankings.scores)

    def _require_in_unit_interval(
        self, scores: FloatArray, row_order: NDArray[np.int64] | None
    ) -> None:
        outside = np.flatnonzero((scores < 0) | (scores > 1))
        if len(outside):
            rows = outside if row_order is None else row_order[outside]
            first = rows.argmin()
            raise ValueError(
                f"y_score must lie in [0, 1] for {self}, which compares scores with grades; got "
                f"{scores[outside[first]]:g} in row {rows[first]}."
            )

    def _mean_distance(self, judgments: Judgments, scores: FloatArray) -> FloatArray:
        judged = judgments.levels < judgments.n_levels
        levels = np.where(judged, judgments.levels, 0)
        top = reciprocal(np.array(self._top_gain(judgments)))
        relevance = (self._gains(judgments) * top)[levels]
        distance = np.abs(scores - relevance)
        if self.unjudged == "condense":
            distance = np.where(judged, distance, 0.0)
        query = np.repeat(np.arange(judgments.n_queries), np.diff(judgments.indptr))
        distance = distance[np.lexsort((distance, query))]  # no bit depends on the order of rows
        sums = np.bincount(query, weights=distance, minlength=judgments.n_queries)
        return sums / np.maximum(judgments.list_lengths(self.unjudged), 1)
