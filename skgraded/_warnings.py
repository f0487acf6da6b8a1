"""Warnings of skgraded, a class for each, so that one can be silenced or made an error alone."""

import warnings
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from skgraded._stack import run_in_progress, stacklevel_of_the_user

__all__ = [
    "CutQueriesWarning",
    "GroupSizesWarning",
    "InferredGradesWarning",
    "MissingQueryIdsWarning",
    "QueryLeakWarning",
    "SkgradedWarning",
    "ThinnedQueriesWarning",
    "UndefinedMeanWarning",
    "UnseenGradeWarning",
    "UnusedThresholdWarning",
    "stacklevel_of_the_user",
    "warn_if_grades_are_inferred",
    "warn_once",
]


class SkgradedWarning(UserWarning):
    """Base class of all warnings that skgraded raises."""


class InferredGradesWarning(SkgradedWarning):
    """The threshold distribution g is given by name, and the top grade is read off the data.

    Inside a scorer or an evaluation callback the top grade can differ from one data set to the
    next, and with it the measure.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """No query was left to take the mean over."""


class QueryLeakWarning(SkgradedWarning):
    """Documents of one query stand in both the training and the scored rows.

    What the model learnt about a query helps it on the rest of that query, so that the score is too
    high.
    """


class ThinnedQueriesWarning(SkgradedWarning):
    """Queries are scored on some of their documents alone.

    A short list is easier to rank than a long one, so that the score is too high, and not
    comparable with that of whole queries. Folds of rows, halving searches with
    ``resource="n_samples"`` and ``permutation_importance(max_samples=...)`` leave documents out.
    """


class CutQueriesWarning(SkgradedWarning):
    """Queries do not have the rows that they have in the data set.

    Either rows are missing where a ranker is trained or queries are split, so that it learns from
    parts of lists; or rows occur twice, as in a bootstrap sample; or the column of query ids itself
    is shuffled.
    """


class UnseenGradeWarning(SkgradedWarning):
    """The scored rows hold a higher grade than the training rows, which fixed the scale."""


class MissingQueryIdsWarning(SkgradedWarning):
    """There are no query ids where a single query is unlikely, so that all rows are one list."""


class UnusedThresholdWarning(SkgradedWarning):
    """The threshold distribution g reaches beyond the scale, or has an entry for grade 0."""


class GroupSizesWarning(SkgradedWarning):
    """Query ids look like group sizes, so that queries of one size are taken for one query."""


def warn_if_grades_are_inferred(measures: Iterable[Any], taker: str) -> None:
    """Warn if a measure that will score several data sets reads its top grade off each of them."""
    still_open = [each for each in measures if each.is_open]
    if not still_open:
        return
    names = ", ".join(str(each) for each in still_open)
    example = repr(still_open[0].resolve(4))
    warnings.warn(
        f"{taker} got {names} without max_grade: the scale's top grade is then read off each data "
        "set that is scored, and the measure changes with it, so that values may differ between "
        f"folds. Name the top grade, for example {example}, or say g or gain grade by grade.",
        InferredGradesWarning,
        stacklevel=stacklevel_of_the_user(),
    )


# Which of our warnings a run of joblib.Parallel has seen: a search warns once, not in every fold.
_said_in: WeakKeyDictionary[Any, set[type[Warning]]] = WeakKeyDictionary()
_said_in_worker: set[type[Warning]] = set()


def warn_once(message: str, category: type[SkgradedWarning]) -> None:
    """Warn at the user's line of code, and only once in a cross-validation or search.

    Python shows a warning once for each line, but scikit-learn sets the filters anew for every
    fold, which makes Python forget what it has shown. A worker process warns once in its life.

    Parameters
    ----------
    message : str
        The text.
    category : type
        Its class.
    """
    from multiprocessing import parent_process

    run = run_in_progress()
    if run is not None:
        said = _said_in.setdefault(run, set())
    else:
        said = _said_in_worker if parent_process() is not None else set()
    if category in said:
        return
    said.add(category)
    warnings.warn(message, category, stacklevel=stacklevel_of_the_user())
