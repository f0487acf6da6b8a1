"""What measures compute from labels and from rankings, and keep with them for later calls."""

from __future__ import annotations

from dataclasses import dataclass, field
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


@dataclass
class LabelResults:
    """What measures have computed from labels: ``judgments.kept[LabelResults]``.

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

    prefix_forms: dict[PrefixMeasure, PrefixForm] = field(default_factory=dict)
    ideal_values: dict[Measure, FloatArray] = field(default_factory=dict)
    rank_weights: dict[tuple[Positions, Unjudged, bool], FloatArray] = field(default_factory=dict)


@dataclass
class RankingSums:
    """Sums over the ranks that measures share: ``rankings.kept[RankingSums]``.

    Attributes
    ----------
    gains : dict of GainSum to ndarray of shape (n_queries,)
        Discounted gains.
    moments : dict of PairMoments to ndarray of shape (n_queries, n_levels, n_levels)
        Pair moments.
    """

    gains: dict[GainSum, FloatArray] = field(default_factory=dict)
    moments: dict[PairMoments, FloatArray] = field(default_factory=dict)
