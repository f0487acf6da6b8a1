"""The one place that reads the call stack: who called, in which run, and from which line.

What it finds decides whether a warning is shown, at which line, and how an error reaches the user;
no value depends on it.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any, NamedTuple

__all__ = [
    "LearningCurve",
    "caller_is_permuting_features",
    "caller_with",
    "fraction_drawn_by",
    "frame_that_asked",
    "is_argument_of",
    "is_called_by_a_scorer",
    "is_cross_validating",
    "is_frame_of",
    "is_scored_in_a_fold",
    "learning_curve_of",
    "metric_of_recursive_elimination",
    "run_in_progress",
    "stacklevel_of_the_user",
]

# Packages whose frames lie between the user's line and ours.
_LIBRARIES = {"skgraded", "sklearn", "joblib", "multiprocessing", "threading", "contextlib"}

# Modules of scikit-learn that fit and score parts of one data set.
_VALIDATION = "sklearn.model_selection._validation"
_CROSS_VALIDATION = {_VALIDATION, "sklearn.feature_selection._rfe"}
_SCORER = "sklearn.metrics._scorer"
_PERMUTATION = "sklearn.inspection._permutation_importance"


def _module_of(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name


def _frames_above_the_caller() -> Iterator[FrameType]:
    """Yield the frames above the function that asks, the nearest first."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def stacklevel_of_the_user() -> int:
    """Return the stacklevel of the first frame above the caller that is in no library, else 2."""
    for distance, frame in enumerate(_frames_above_the_caller(), start=1):
        if _module_of(frame).partition(".")[0] not in _LIBRARIES:
            return distance
    return 2


def run_in_progress() -> Any:
    """Find the outermost joblib.Parallel on the stack, which a search makes anew for each fit."""
    joblib = sys.modules.get("joblib")
    found = None
    if joblib is not None:
        for frame in _frames_above_the_caller():
            for name in ("self", "parallel"):
                if isinstance(frame.f_locals.get(name), joblib.Parallel):
                    found = frame.f_locals[name]
    return found


def caller_with(module: str, *attributes: str) -> Any:
    """Find the innermost object on the stack whose method runs, and that has some attributes.

    Parameters
    ----------
    module : str
        The package that the method belongs to, and by which the search is limited.
    *attributes : str
        Names of attributes.

    Returns
    -------
    object or None
        The object that the method calls ``self``.
    """
    if module.partition(".")[0] not in sys.modules:
        return None
    for frame in _frames_above_the_caller():
        name = _module_of(frame)
        if name == module or name.startswith(module + "."):
            found = frame.f_locals.get("self")
            if found is not None and all(hasattr(found, each) for each in attributes):
                return found
    return None


def frame_that_asked() -> FrameType | None:
    """Return the frame that called the caller; of a generator, the one that asked for its next."""
    return sys._getframe(2)


def is_frame_of(frame: FrameType | None, module: str) -> bool:
    """Whether a frame runs code of a module."""
    return frame is not None and _module_of(frame) == module


def is_argument_of(functions: Collection[str], argument: str, value: object) -> bool:
    """Whether a function of such a name is running that got a mapping with a value in it."""
    return any(
        each is value
        for frame in _frames_above_the_caller()
        if frame.f_code.co_name in functions
        for each in (frame.f_locals.get(argument) or {}).values()
    )


def is_cross_validating() -> bool:
    """Whether scikit-learn trains and scores on parts of one data set, where equal ids are one."""
    return any(_module_of(frame) in _CROSS_VALIDATION for frame in _frames_above_the_caller())


def is_called_by_a_scorer() -> bool:
    """Whether a scorer made by scikit-learn's ``make_scorer`` is at work."""
    return any(_module_of(frame) == _SCORER for frame in _frames_above_the_caller())


def caller_is_permuting_features() -> bool:
    """Whether scikit-learn's permutation_importance is at work, which shuffles every column."""
    return any(_module_of(frame) == _PERMUTATION for frame in _frames_above_the_caller())


def _is_function_of_scikit_learn(frame: FrameType | None, name: str) -> bool:
    if frame is None or not _module_of(frame).startswith("sklearn."):
        return False
    return frame.f_code.co_qualname == name


def fraction_drawn_by(caller: FrameType | None) -> float | None:
    """Return the share of the rows that a halving search draws from every fold.

    Parameters
    ----------
    caller : frame or None
        The frame that asked a splitter for its next split.

    Returns
    -------
    float or None
        The share; None where the caller is no halving search over rows.
    """
    if not _is_function_of_scikit_learn(caller, "_SubsampleMetaSplitter.split"):
        return None
    splitter = caller.f_locals.get("self")  # type: ignore[union-attr]
    return float(getattr(splitter, "fraction", 1))


class LearningCurve(NamedTuple):
    """How scikit-learn's ``learning_curve`` was called.

    Attributes
    ----------
    train_sizes : object
        Numbers or shares of the training rows.
    shuffle : bool
        Whether the training rows are shuffled before the first ones are taken.
    """

    train_sizes: Any
    shuffle: bool


def learning_curve_of(caller: FrameType | None) -> LearningCurve | None:
    """Return the arguments of ``learning_curve``, if that is what asked for a split.

    Parameters
    ----------
    caller : frame or None
        The frame that asked a splitter for its next split.

    Returns
    -------
    LearningCurve or None
        The arguments; None where the caller is something else.
    """
    if not _is_function_of_scikit_learn(caller, "learning_curve"):
        return None
    given = caller.f_locals  # type: ignore[union-attr]
    return LearningCurve(given.get("train_sizes"), bool(given.get("shuffle")))


def is_scored_in_a_fold() -> bool:
    """Whether scikit-learn waits for the score of a fold, in which errors become nan."""
    for frame in _frames_above_the_caller():
        module = _module_of(frame)
        if module == _VALIDATION and frame.f_code.co_name == "_score":
            return True
        if not module.startswith(("skgraded.", "sklearn.")):
            return False
    return False


def metric_of_recursive_elimination() -> str | None:
    """Return the name of the metric that RFECV scores a fold by, if that is a built-in one.

    Returns
    -------
    str or None
        The name of the function, such as ``"r2_score"``; None where no RFECV is at work, or another
        scorer than one of scikit-learn's.
    """
    for frame in _frames_above_the_caller():
        if frame.f_code.co_name == "_rfe_single_fit" and _module_of(frame) in _CROSS_VALIDATION:
            metric = getattr(frame.f_locals.get("scorer"), "_score_func", None)
            return getattr(metric, "__name__", None)
    return None
