"""The top grade of the scale: measures that leave it to the data, and warnings of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from skgraded._guards import warn_once
from skgraded.exceptions import GradeScaleWarning
from skgraded.rankings import Judgments

if TYPE_CHECKING:
    from skgraded.measures._measure import Measure


# This many queries seldom lack the top grade by chance.
_MANY_QUERIES = 100
# As many where g begins with 0, which suggests an entry for grade 0.
_SOME_QUERIES = 20


def warn_about_scales(measures: Collection[Measure], judgments: Judgments) -> None:
    """Warn where a measure reads its scale off the data, or has users of grades beyond it."""
    warn_if_grades_are_inferred(measures, "A call with arrays", judgments.top_grade)

    for measure in measures:
        g = getattr(measure, "g", None)
        if isinstance(g, tuple) and len(g) >= judgments.top_grade + 1:
            _warn_about_thresholds(
                measure, g, judgments.top_of_scale, judgments.n_queries
            )


def warn_of_continuous_scale(
    measures: Collection[Measure], top: float, *, are_fractional: bool
) -> None:
    """Warn if labels that are not whole grades say where the scale of a measure ends.

    Whatever meets measures with labels calls it, since the ceiling of the largest label seldom is
    the top that the labels were made with.

    Parameters
    ----------
    measures : collection of Measure
        The measures.
    top : float
        The largest label.
    are_fractional : bool
        Whether any label is not a whole grade; without such a label there is no warning.

    Warns
    -----
    GradeScaleWarning
        If a measure is open, and labels are fractional.

    Examples
    --------
    >>> from skgraded import xGAP
    >>> from skgraded.measures import warn_of_continuous_scale
    >>> warn_of_continuous_scale([xGAP(max_grade=4)], 2.5, are_fractional=True)
    """
    if are_fractional:
        warn_if_grades_are_inferred(measures, "A call with continuous labels", top)


def resolve_all(
    measures: Mapping[str, Measure], top: float, *, are_fractional: bool
) -> dict[str, Measure]:
    """Set the top grade of the measures that leave it open, as `warn_of_continuous_scale` says.

    Parameters
    ----------
    measures : mapping of str to Measure
        The measures by name.
    top : float
        The largest label.
    are_fractional : bool
        Whether any label is not a whole grade.

    Returns
    -------
    dict of str to Measure
        The measures under the same names.

    Examples
    --------
    >>> from skgraded import xGAP
    >>> from skgraded.measures import resolve_all
    >>> resolve_all({"users": xGAP()}, 3, are_fractional=False)
    {'users': xGAP(max_grade=3)}
    """
    warn_of_continuous_scale(measures.values(), top, are_fractional=are_fractional)

    top_grade = max(1, math.ceil(top))
    return {name: measure.resolve(top_grade) for name, measure in measures.items()}


def warn_if_grades_are_inferred(
    measures: Collection[Measure], taker: str, top: float | None = None
) -> None:
    """Warn if a measure that will score several data sets takes its top grade from each of them.

    Parameters
    ----------
    measures : collection of Measure
        The measures.
    taker : str
        The function that they were given to.
    top : float, optional
        The largest label, where the labels are known.

    Warns
    -----
    GradeScaleWarning
        If a measure is open.

    Examples
    --------
    >>> from skgraded import xGAP
    >>> from skgraded.measures import warn_if_grades_are_inferred
    >>> warn_if_grades_are_inferred([xGAP(max_grade=4)], "a scorer")
    """
    open_measures = [measure for measure in measures if measure.is_open]
    if not open_measures:
        return

    names = ", ".join(str(measure) for measure in open_measures)
    example = repr(open_measures[0].resolve(4))
    if top is None:
        rule = " It is the largest label, rounded up."
    elif top < math.ceil(top):
        rule = f" It is the largest label rounded up: {math.ceil(top)}, of {top:g}."
    else:
        rule = ""

    warn_once(
        f"{taker} got {names} without max_grade. The top grade of the scale is then taken from "
        f"each data set that is scored, so that the measure may differ between them.{rule} Set "
        f"max_grade, for example {example}, or give g or gain as one number per grade.",
        GradeScaleWarning,
    )


def _warn_about_thresholds(
    measure: Measure, g: tuple[float, ...], top: int, n_queries: int
) -> None:
    starts_with_zero = g[0] == 0
    if n_queries < (_SOME_QUERIES if starts_with_zero else _MANY_QUERIES):
        return

    if starts_with_zero:
        hint = "If its first entry, 0, is for grade 0, drop it: g begins with grade 1."
    else:
        hint = "The measure cannot reach 1 on these data, unless normalize=True."

    warn_once(
        f"g has an entry for each of the grades 1..{len(g)} in {measure}, but the highest grade of "
        f"the {n_queries} queries in y_true is {top}. {hint}",
        GradeScaleWarning,
    )
