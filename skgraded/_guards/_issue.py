"""How a warning is issued: at the user's line of code, and once in a search."""

import warnings
from typing import Any
from weakref import WeakKeyDictionary

from skgraded._guards._stack import run_in_progress, stacklevel_of_the_user
from skgraded.exceptions import SkgradedWarning

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
