"""What measures compute from labels, and keep with them for later calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded.rankings import Unjudged

if TYPE_CHECKING:
    from skgraded.measures._measure import Measure
    from skgraded.measures._positions import Positions
    from skgraded.measures._prefix import PrefixForm
    from skgraded.measures._thresholds import _Users

FloatArray = NDArray[np.float64]


class LabelResults:
    """What measures have computed from labels: ``judgments.kept[LabelResults]``.

    Attributes
    ----------
    prefix_forms, long_forms : dict of tuple to PrefixForm
        d, v, p and K by the identity of the measure; long ones have a K for levels of their own.
    ideal_values : dict of tuple to ndarray of shape (n_queries,)
        Values of the ideal ranking before they are normalized, by the identity of the measure.
    rank_weights, ragged_weights : dict
        Weights d_n or p_n of the ranks, or of all documents, by their rule, the rule for unjudged
        documents and the kind of the ranking, which may be the ideal one.
    users : dict of tuple to _Users
        The thresholds of users over the grades, by g and the top grade of the scale, where there
        are many grades.
    warned_of : set of Measure
        Measures that no label can reach, of which the user was warned.
    """

    def __init__(self) -> None:
        self.prefix_forms: dict[tuple[Any, ...], PrefixForm] = {}
        self.long_forms: dict[tuple[Any, ...], PrefixForm] = {}
        self.ideal_values: dict[tuple[Any, ...], FloatArray] = {}
        self.rank_weights: dict[tuple[Positions, Unjudged, type], FloatArray] = {}
        self.ragged_weights: dict[tuple[Positions, Unjudged, type], FloatArray] = {}
        self.users: dict[tuple[Any, int], _Users] = {}
        self.warned_of: set[Measure] = set()
