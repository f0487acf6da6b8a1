"""Warning classes of skgraded, and functions that issue warnings at the user's line of code."""

import warnings
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from skgraded._stack import run_in_progress, stacklevel_of_the_user

__all__ = [
    "CutQueriesWarning",
    "FewFeedbackWarning",
    "GroupSizesWarning",
    "IdColumnWarning",
    "IndistinctGradesWarning",
    "InferredGradesWarning",
    "MissingQueryIdsWarning",
    "QueryLeakWarning",
    "SkgradedWarning",
    "ThinnedQueriesWarning",
    "UndefinedMeanWarning",
    "UnseenGradeWarning",
    "UnusedThresholdWarning",
    "warn_if_grades_are_inferred",
    "warn_once",
]


class SkgradedWarning(UserWarning):
    """Base class of all warnings of skgraded."""


class InferredGradesWarning(SkgradedWarning):
    """A measure in a scorer or callback takes the top grade of its scale from the data.

    The top grade can differ between the data sets that are scored, and with it the measure.
    """


class UndefinedMeanWarning(SkgradedWarning):
    """A mean is undefined, because no query has a value and a positive weight."""


class QueryLeakWarning(SkgradedWarning):
    """Documents of the same query are in both the training rows and the scored rows.

    A model that was trained on some documents of a query ranks the others better than those of a
    new query, so the score is too high.
    """


class ThinnedQueriesWarning(SkgradedWarning):
    """Queries are scored on only some of their documents.

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
    """The scored rows hold a higher grade than the training rows, which determined the scale."""


class MissingQueryIdsWarning(SkgradedWarning):
    """There are no query ids where a single query is unlikely, so that all rows are one list."""


class UnusedThresholdWarning(SkgradedWarning):
    """The threshold distribution g reaches beyond the scale, or has an entry for grade 0."""


class GroupSizesWarning(SkgradedWarning):
    """Query ids look like group sizes, which would merge all queries of the same size."""


class IdColumnWarning(SkgradedWarning):
    """A feature holds the query ids, so that the ranker learns from the numbers of queries.

    Ids of other queries say nothing about them, and trees split on them all the same.
    """


class FewFeedbackWarning(SkgradedWarning):
    """The thresholds g are estimated from too few sessions or queries."""


class IndistinctGradesWarning(SkgradedWarning):
    """Feedback or preferences do not tell some grades apart, whose thresholds share a probability.

    Either documents of a grade are never shown, or a higher grade does not satisfy more often, or
    two rankings differ in the same way at two thresholds for every query.
    """


def warn_if_grades_are_inferred(measures: Iterable[Any], taker: str) -> None:
    """Warn if a measure that will score several data sets takes its top grade from each of them."""
    still_open = [each for each in measures if each.is_open]
    if not still_open:
        return
    names = ", ".join(str(each) for each in still_open)
    example = repr(still_open[0].resolve(4))
    warn_once(
        f"{taker} got {names} without max_grade. The top grade of the scale is then taken from "
        "each data set that is scored, so that the measure may differ between folds. Set "
        f"max_grade, for example {example}, or give g or gain as one number per grade.",
        InferredGradesWarning,
    )


# Warnings already issued, by run of joblib.Parallel, so that a search warns only once.
_said_in: WeakKeyDictionary[Any, set[type[Warning]]] = WeakKeyDictionary()
_said_in_worker: set[type[Warning]] = set()


def warn_once(message: str, category: type[SkgradedWarning]) -> None:
    """Warn at the user's line of code, and only once in a cross-validation or search.

    Python shows a warning once for each line, but scikit-learn resets the filters in every
    fold, which also resets the record of shown warnings. A worker process warns only once.

    Parameters
    ----------
    message : str
        Text of the warning.
    category : type
        Class of the warning.
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
