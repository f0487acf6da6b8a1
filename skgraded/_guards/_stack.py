"""The one place that reads the call stack, for three things alone.

- **Where a warning points**, and that it comes once in a search: only frames tell which line is the
  user's, and in which search a fold is fitted.
- **How an error leaves a fold**: scikit-learn turns an error in a score into nan.
- **Which booster calls**: boosters call a measure in ways of their own, and only XGBoost's running
  training knows which way its callbacks stop it.

Whether data were misused is said by the data alone.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from skgraded.exceptions import SkgradedWarning

# Packages whose frames lie between the user's line and ours.
_LIBRARIES = {
    *("skgraded", "sklearn", "joblib", "multiprocessing", "threading", "contextlib"),
    *("lightgbm", "xgboost", "catboost"),
}

# What to write where a booster would call a measure itself.
_ADAPTERS = {
    "xgboost": "XGBRanker(callbacks=[skgraded.xgboost.evaluation(measure, X=..., y=..., qid=...)])"
    ", or xgboost.train with custom_metric=skgraded.xgboost.eval_metric(measure) or "
    "obj=skgraded.xgboost.objective(measure)",
    "lightgbm": "feval=skgraded.lightgbm.eval_metric(measure), or as the objective "
    "skgraded.lightgbm.objective(measure)",
    "catboost": "eval_metric=skgraded.catboost.eval_metric(measure, (y, qid), ...)",
}

# The places in our code that have warned, by run of joblib.Parallel: a search warns once of each.
_said_in: WeakKeyDictionary[Any, set[object]] = WeakKeyDictionary()
_said_in_worker: set[object] = set()


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
    from multiprocessing import parent_process

    joblib = sys.modules.get("joblib")
    runs = list(running(joblib.Parallel)) if joblib is not None else []
    run = runs[-1] if runs else None
    is_worker = parent_process() is not None
    if run is not None:
        said = _said_in.setdefault(run, set())
    else:
        said = _said_in_worker if is_worker else set()
    caller = sys._getframe(1)
    case = caller.f_code, caller.f_lineno
    if case in said or (not in_searches and (run is not None or is_worker)):
        return
    said.add(case)
    warnings.warn(message, category, stacklevel=stacklevel_of_the_user())


def stacklevel_of_the_user() -> int:
    """Return the stacklevel of the first frame above the caller that is in no library, else 2."""
    for distance, frame in enumerate(_frames_above_the_caller(), start=1):
        if _module_of(frame).partition(".")[0] not in _LIBRARIES:
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
        if (
            module == "sklearn.model_selection._validation"
            and frame.f_code.co_name == "_score"
        ):
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
    if library in _ADAPTERS:
        raise TypeError(
            f"A measure must be given to {library} by an adapter, got {measure} itself, which it "
            f"calls without query ids. Write {_ADAPTERS[library]}."
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
        What a method calls ``self``, or what a search of scikit-learn calls ``parallel``.
    """
    for frame in _frames_above_the_caller():
        held = frame.f_locals  # which Python copies in every access
        for name in ("self", "parallel"):
            if isinstance(held.get(name), kind):
                yield held[name]


def _module_of(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name


def _frames_above_the_caller() -> Iterator[FrameType]:
    """Yield the frames above the function that asks, the nearest first."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back
