"""The one place that reads the call stack, for five things alone.

- **Where a warning points**, and that it comes once in a search: only frames tell which line is the
  user's, and in which search a fold is fitted.
- **How an error leaves a fold**: scikit-learn turns an error in a score into nan.
- **Which booster calls**: boosters call a measure in ways of their own, and only XGBoost's running
  training knows which way its callbacks stop it.
- **What a search was given**: scikit-learn cuts fit parameters that are as long as X.
- **Whether a name is imported**: Python hides the message of a module that lacks it.

Whether data were misused is said by the data alone.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from skgraded._guards._libraries import LIBRARIES
from skgraded.exceptions import SkgradedWarning

# Packages whose frames lie between the user's line and ours.
_PACKAGES_BETWEEN = {
    "skgraded",
    "sklearn",
    "joblib",
    "multiprocessing",
    "threading",
    "contextlib",
    *LIBRARIES,
}

# What methods, searches of scikit-learn and trainings of XGBoost call the objects of `running`.
_NAMES_OF_OBJECTS = (
    "self",
    "parallel",
    "dtrain",
    "cb_container",
    "callbacks_container",
)

# The places in our code that have warned, by run of joblib.Parallel: a search warns once of each.
_cases_by_run: WeakKeyDictionary[Any, set[object]] = WeakKeyDictionary()
_cases_in_worker: set[object] = set()


def warn_once(
    message: str, category: type[SkgradedWarning], *, in_searches: bool = True
) -> None:
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
    in_searches : bool, default=True
        Whether to warn in a cross-validation or search at all.
    """
    run = outermost_run()
    is_worker = is_in_worker()
    if not in_searches and (run is not None or is_worker):
        return

    cases: set[object] = set()
    if run is not None:
        cases = _cases_by_run.setdefault(run, set())
    elif is_worker:
        cases = _cases_in_worker

    caller = sys._getframe(1)
    case = (caller.f_code, caller.f_lineno)
    if case not in cases:
        cases.add(case)
        warnings.warn(message, category, stacklevel=stacklevel_of_the_user())


def outermost_run() -> Any:
    """Return the joblib.Parallel of the cross-validation or search that is at work, or None."""
    # While another thread imports joblib, the module lacks its classes.
    parallel = getattr(sys.modules.get("joblib"), "Parallel", None)
    if parallel is None:
        return None
    runs = list(running(parallel))
    return runs[-1] if runs else None


def is_in_worker() -> bool:
    """Whether this is a process that another one has started."""
    from multiprocessing import parent_process

    return parent_process() is not None


def n_rows_given_to_search(name: str) -> int | None:
    """Return the number of rows of a fit parameter as a search of scikit-learn was given it.

    Parameters
    ----------
    name : str
        The parameter, before which the names of steps may stand.

    Returns
    -------
    int or None
        The number, or None outside of searches and in their worker processes.
    """
    for frame in _frames_above_the_caller():
        if not _module_of(frame).startswith("sklearn.model_selection."):
            continue
        params = frame.f_locals.get("params")
        if not isinstance(params, dict):
            continue
        for key, value in params.items():
            if str(key).rpartition("__")[2] == name and hasattr(value, "__len__"):
                rows: tuple[int, ...] = getattr(value, "shape", (len(value),))
                return int(rows[0])
    return None


def is_import_statement() -> bool:
    """Whether a statement ``from ... import ...`` asks the caller's caller for a name."""
    import dis

    for frame in _frames_above_the_caller():
        if _module_of(frame).startswith("skgraded"):
            continue
        instruction = frame.f_code.co_code[frame.f_lasti]
        return dis.opname[instruction] == "IMPORT_FROM"
    return False


def stacklevel_of_the_user() -> int:
    """Return the stacklevel of the first frame above the caller that is in no library, else 2."""
    for distance, frame in enumerate(_frames_above_the_caller(), start=1):
        package = _module_of(frame).partition(".")[0]
        if package not in _PACKAGES_BETWEEN:
            return distance
    return 2


def refusal_of(error: ValueError) -> Any:
    """Raise an error about the data that were to be scored, also through scikit-learn's folds.

    An error in a scorer becomes nan for every candidate of a search, which then takes the first for
    the best. Of a score that is not a number scikit-learn raises an error itself, and shows it.

    Parameters
    ----------
    error : ValueError
        The error, which is the same for all candidates.

    Returns
    -------
    ValueError
        The error, to be returned as the score where scikit-learn waits for that of a fold.

    Raises
    ------
    ValueError
        Everywhere else.
    """
    for frame in _frames_above_the_caller():
        module = _module_of(frame)
        function = frame.f_code.co_name
        if module == "sklearn.model_selection._validation" and function == "_score":
            return error
        if not module.startswith(("skgraded.", "sklearn.")):
            break
    raise error


def refuse_calls_of_boosters(measure: object, library: str | None = None) -> None:
    """Raise where the caller was called by a booster, which would not rank by queries.

    Parameters
    ----------
    measure : Measure
        What is called, for the message.
    library : str, optional
        The booster, where it is known otherwise.

    Raises
    ------
    TypeError
        If it is a booster; the message names the adapter.
    """
    caller = sys._getframe(2).f_globals.get("__name__", "")
    library = library or caller.partition(".")[0]
    if library in LIBRARIES:
        raise TypeError(
            f"A measure must be given to {library} by an adapter, got {measure} itself, which it "
            f"calls without query ids. Write {LIBRARIES[library].adapters}."
        )


def running(kind: type) -> Iterator[Any]:
    """Yield the objects of a class that are at work on the stack, the innermost first.

    Parameters
    ----------
    kind : type
        The class.

    Yields
    ------
    object
        What a method calls ``self``, what a search of scikit-learn calls ``parallel``, or what the
        training of a booster calls its data set.
    """
    for frame in _frames_above_the_caller():
        local_values = frame.f_locals  # which Python copies in every access
        for name in _NAMES_OF_OBJECTS:
            if isinstance(local_values.get(name), kind):
                yield local_values[name]


def _module_of(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name


def _frames_above_the_caller() -> Iterator[FrameType]:
    """Yield the frames above the function that asks, the nearest first."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back
