"""The one place that reads the call stack.

No value depends on what it finds. This is all that it is read for:

- **Where and how often a warning is shown**: at the user's line, and once in a search. Only frames
  tell which line is the user's and in which search a fold is fitted.
- **Whether to warn** of what tools of scikit-learn do without a trace in the data
  (`skgraded._guards._scikit_learn`). A `query_target` tells how many rows a query has, so that most
  misuse is found by counting. Frames are read where counting cannot find it: a scorer of
  ``make_scorer`` passes no ids; ``permutation_importance`` shuffles a column of ids; RFECV judges a
  ranker by R2; a fold gets the row numbers of all rows; a cross-validation scores ids that look
  like mere numbers, or scores training rows because it was asked for training scores.
- **Whether a booster calls a measure itself**, which only its frame tells: every booster calls a
  metric with arguments of its own, and some of them then minimise it.
- **How an error reaches the user**: scikit-learn turns an error in the score of a fold into nan.
- **Which way a booster stops or is tuned**: XGBoost's callbacks and Optuna's LightGBMTuner alone
  know whether they maximise, so that a training that goes the wrong way can be refused.
- **Which model a callback watches**: XGBoost hands a callback the booster alone, so that only
  frames tell how the ranker reads features and from which scores it starts.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from types import FrameType
from typing import Any

# Packages whose frames lie between the user's line and ours.
_LIBRARIES = {
    *("skgraded", "sklearn", "joblib", "multiprocessing", "threading", "contextlib"),
    *("lightgbm", "xgboost", "catboost"),
}

# Modules of scikit-learn that fit and score parts of one data set.
_VALIDATION = "sklearn.model_selection._validation"
_ELIMINATION = "sklearn.feature_selection._rfe"
_SCORER = "sklearn.metrics._scorer"
_PIPELINES = {"sklearn.pipeline", "imblearn.pipeline"}
_PERMUTATION = "sklearn.inspection._permutation_importance"

# What to write where a booster would call a measure itself.
_ADAPTERS = {
    "xgboost": "XGBRanker(callbacks=[skgraded.xgboost.evaluation(measure, X=..., y=..., qid=...)])"
    ", or xgboost.train with custom_metric=skgraded.xgboost.eval_metric(measure) or "
    "obj=skgraded.xgboost.objective(measure)",
    "lightgbm": "feval=skgraded.lightgbm.eval_metric(measure), or as the objective "
    "skgraded.lightgbm.objective(measure)",
    "catboost": "eval_metric=skgraded.catboost.eval_metric(measure, (y, qid), ...)",
}


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


def place_of_the_caller() -> object:
    """Return what stands for the line of code that called the function that asks."""
    frame = sys._getframe(2)
    return frame.f_code, frame.f_lineno


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
    library = library or _module_of(sys._getframe(2)).partition(".")[0]
    if library in _ADAPTERS:
        raise TypeError(
            f"A measure must be given to {library} by an adapter, got {measure} itself, which it "
            f"calls without query ids. Write {_ADAPTERS[library]}."
        )


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
    within = module + "."
    frame = sys._getframe(1).f_back
    while frame is not None:  # written out, because trainings ask in every iteration
        name = _module_of(frame)
        if name == module or name.startswith(within):
            found = frame.f_locals.get("self")
            if found is not None and all(hasattr(found, each) for each in attributes):
                return found
        frame = frame.f_back
    return None


def argument_of(module: str, function: str, argument: str) -> Any:
    """Return an argument of the innermost running function of that name in a module, else None."""
    for frame in _frames_above_the_caller():
        if frame.f_code.co_name == function and _module_of(frame) == module:
            return frame.f_locals.get(argument)
    return None


def is_argument_of(functions: Collection[str], argument: str, value: object) -> bool:
    """Whether a function of such a name is running that got a mapping with a value in it."""
    return any(
        each is value
        for frame in _frames_above_the_caller()
        if frame.f_code.co_name in functions
        for each in (frame.f_locals.get(argument) or {}).values()
    )


def fits_of_pipelines() -> Iterator[tuple[Any, Any]]:
    """Yield every Pipeline that is fitting its last step, with the X that it was given itself."""
    in_transformers = []
    for frame in _frames_above_the_caller():
        if _module_of(frame) not in _PIPELINES:
            continue
        pipeline = frame.f_locals.get("self")
        if frame.f_code.co_name == "_fit":
            in_transformers.append(pipeline)
        elif frame.f_code.co_name == "fit" and pipeline not in in_transformers:
            yield pipeline, frame.f_locals.get("X")


def is_cross_validating() -> bool:
    """Whether scikit-learn trains and scores on parts of one data set, where equal ids are one."""
    return _is_at_work(_VALIDATION, _ELIMINATION)


def is_training_score_asked_for() -> bool:
    """Whether scikit-learn scores a fold with ``return_train_score=True``, or a permuted column."""
    return is_permuting_features() or any(
        frame.f_locals.get("return_train_score") is True
        for frame in _frames_above_the_caller()
        if frame.f_code.co_name == "_fit_and_score" and _module_of(frame) == _VALIDATION
    )


def is_called_by_a_scorer() -> bool:
    """Whether a scorer made by scikit-learn's ``make_scorer`` is at work."""
    return _is_at_work(_SCORER)


def is_permuting_features() -> bool:
    """Whether scikit-learn's permutation_importance is at work, which shuffles every column."""
    return _is_at_work(_PERMUTATION)


def _is_at_work(*modules: str) -> bool:
    return any(_module_of(frame) in modules for frame in _frames_above_the_caller())


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
        if frame.f_code.co_name == "_rfe_single_fit" and _module_of(frame) == _ELIMINATION:
            metric = getattr(frame.f_locals.get("scorer"), "_score_func", None)
            return getattr(metric, "__name__", None)
    return None
