"""Warnings of skgraded: one class each, so that each can be silenced or made an error alone."""

import warnings
from collections.abc import Iterable
from typing import Any

__all__ = [
    "InferredGradesWarning",
    "QueryLeakWarning",
    "SkgradedWarning",
    "UndefinedMeanWarning",
    "warn_if_grades_are_inferred",
]


class SkgradedWarning(UserWarning):
    """Base class of every warning that skgraded raises."""


class InferredGradesWarning(SkgradedWarning):
    """The threshold distribution g is named, and the scale's top grade read off the data.

    Inside a scorer or an evaluation callback the top grade can differ from one data set to the
    next, and with it the measure.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """No query was left to take the mean over."""


class QueryLeakWarning(SkgradedWarning):
    """Documents of one query stand in both the training and the scored rows."""


def warn_if_grades_are_inferred(measures: Iterable[Any], taker: str) -> None:
    """Warn once where a measure that will score several data sets reads its top grade off each."""
    still_open = [each for each in measures if each.is_open]
    if not still_open:
        return
    names = ", ".join(str(each) for each in still_open)
    example = repr(still_open[0].resolve(4))
    warnings.warn(
        f"{taker} got {names} without max_grade: the scale's top grade is then read off each data "
        "set that is scored, and g with it, so that values may differ between folds. Name the top "
        f"grade, for example {example}, or give g grade by grade.",
        InferredGradesWarning,
        stacklevel=3,
    )
