"""What measures compute from labels and from rankings, and keep with them for later calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from skgraded.rankings import Unjudged

if TYPE_CHECKING:
    from skgraded.measures._measure import Measure
    from skgraded.measures._positions import Positions
    from skgraded.measures._prefix import PrefixForm, PrefixMeasure
    from skgraded.measures._sums import GainSum, PairMoments

__all__ = ["LabelResults", "RankingSums"]

FloatArray = NDArray[np.float64]


class LabelResults:
    """What measures have computed from labels: ``judgments.kept(LabelResults)``.

    Attributes
    ----------
    prefix_forms : dict of PrefixMeasure to PrefixForm
        d, v, p and K of every measure.
    ideal_values : dict of Measure to ndarray of shape (n_queries,)
        Values of the ideal ranking before they are normalized.
    rank_weights : dict
        Weights d_n or p_n of the ranks, by their rule, the rule for unjudged documents and whether
        the ranks are those of the ideal ranking.
    """

    def __init__(self) -> None:
        self.prefix_forms: dict[PrefixMeasure, PrefixForm] = {}
        self.ideal_values: dict[Measure, FloatArray] = {}
        self.rank_weights: dict[tuple[Positions, Unjudged, bool], FloatArray] = {}


class RankingSums:
    """Sums over the ranks that measures share: ``rankings.kept(RankingSums)``.

    Attributes
    ----------
    gains : dict of GainSum to ndarray of shape (n_queries,)
        Discounted gains.
    moments : dict of PairMoments to ndarray of shape (n_queries, n_levels, n_levels)
        Pair moments.
    """

    def __init__(self) -> None:
        self.gains: dict[GainSum, FloatArray] = {}
        self.moments: dict[PairMoments, FloatArray] = {}
