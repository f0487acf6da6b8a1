"""Functions that issue warnings at the user's line of code, and each of them once in a search."""

import warnings
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from skgraded._stack import run_in_progress, stacklevel_of_the_user
from skgraded.exceptions import InferredGradesWarning, SkgradedWarning

__all__ = [
    "warn_if_grades_are_inferred",
    "warn_once",
]


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
