"""How a warning is issued: at the user's line of code, and once in a search."""

import warnings
from typing import Any
from weakref import WeakKeyDictionary

from skgraded._guards._stack import place_of_the_caller, run_in_progress, stacklevel_of_the_user
from skgraded.exceptions import SkgradedWarning

# The places in our code that have warned, by run of joblib.Parallel: a search warns once of each.
_said_in: WeakKeyDictionary[Any, set[object]] = WeakKeyDictionary()
_said_in_worker: set[object] = set()


def warn_once(message: str, category: type[SkgradedWarning]) -> None:
    """Warn at the user's line of code, and of each case only once in a cross-validation or search.

    A case is the place that warns, since its message may name numbers that differ between folds.
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
    case = place_of_the_caller()
    if case in said:
        return
    said.add(case)
    warnings.warn(message, category, stacklevel=stacklevel_of_the_user())
