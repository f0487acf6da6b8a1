"""Warnings about the scale of grades in calls with arrays, which may lack some of its grades."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skgraded._stack import stacklevel_of_the_user
from skgraded._warnings import warn_if_grades_are_inferred
from skgraded.exceptions import UnusedThresholdWarning
from skgraded.rankings import Judgments

if TYPE_CHECKING:
    from skgraded.measures._measure import Measure

__all__ = ["warn_about_scales"]

# So many queries seldom lack the top grade by chance.
_MANY_QUERIES = 100
# The same if g begins with 0, which suggests an entry for grade 0.
_SOME_QUERIES = 20


def warn_about_scales(measures: Sequence[Measure], judgments: Judgments) -> None:
    """Warn if a measure takes its scale from the data, or has users of grades beyond it."""
    warn_if_grades_are_inferred(measures, "A call with arrays")
    for each in measures:
        g = getattr(each, "g", None)
        if isinstance(g, tuple):
            _warn_about_thresholds(each, g, judgments)


def _warn_about_thresholds(measure: Measure, g: tuple[float, ...], judgments: Judgments) -> None:
    top = int(judgments.top_grade)
    enough = _MANY_QUERIES if g[0] else _SOME_QUERIES
    if len(g) <= top or judgments.n_queries < enough:
        return
    if g[0] == 0:
        hint = "If its first entry, 0, is for grade 0, drop it: g begins with grade 1."
    else:
        hint = "The measure cannot reach 1 on these data, unless normalize=True."
    warnings.warn(
        f"g has an entry for each of the grades 1..{len(g)} in {measure}, but the highest grade of "
        f"the {judgments.n_queries} queries in y_true is {top}. {hint}",
        UnusedThresholdWarning,
        stacklevel=stacklevel_of_the_user(),
    )
