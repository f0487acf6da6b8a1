"""Distances between scores and grades."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._gains import _ScaleMeasure
from skgraded.measures._positions import reciprocal
from skgraded.rankings import Judgments, Rankings

__all__ = ["ADM"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ADM(_ScaleMeasure):
    r"""Average distance measure: how close scores come to grades.

    .. math:: ADM = 1 - \frac{1}{N} \sum_{d=1}^{N} \left| s_d - \frac{v(r_d)}{v(H)} \right|

    where s_d is the score of document d of N, which must lie in [0, 1], r_d its grade, v the gain
    and H the top grade of the scale. It looks at the scores themselves, not at the ranking that
    they make: a monotone transformation of the scores changes it.

    Parameters
    ----------
    gain : tuple of float, {"linear", "exp2"}, default="linear"
        Gain of a grade; a tuple holds those of the grades 1..H.
    max_grade : int, optional
        The scale's top grade H, where gain is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`; ``k``, ``ties`` and ``normalize`` are refused, since there are no
        ranks. A query whose documents all gain 0 is empty.

    See Also
    --------
    GeneralizedP : Grades at the first ranks.

    References
    ----------
    .. [1] V. Della Mea, S. Mizzaro (2004), "Measuring Retrieval Effectiveness: A New Proposal and
       a First Experimental Validation", JASIST 55(6).
    .. [2] K. Kishida (2005), "Property of Average Precision and its Generalization",
       NII-2005-014E, Eq. 38.

    Examples
    --------
    >>> from skgraded import ADM
    >>> ADM(max_grade=2)([2, 1, 0], [1.0, 0.75, 0.5])  # 1 - (0 + 1/4 + 1/2) / 3
    0.75
    """

    _refuses: ClassVar[Mapping[str, str]] = {
        "k": "which compares scores, not ranks",
        "ties": "which compares scores, not ranks",
        "normalize": "whose best value is 1 already",
    }

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        if rankings.scores is None:
            raise TypeError(
                f"{self} compares scores with grades, and these rankings have no scores: call it "
                "with y_true and y_score."
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
                f"y_score must lie in [0, 1] for {self}, which compares scores with grades, got "
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
        sums = np.bincount(query, weights=distance, minlength=judgments.n_queries)
        return sums / np.maximum(judgments.list_lengths(self.unjudged), 1)
