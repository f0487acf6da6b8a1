"""A model to continue training from, in any of the shapes in which users hold one."""

from __future__ import annotations

import os
from typing import Any

from sklearn.pipeline import Pipeline

# Fit parameter, and the classes whose objects the library continues from.
_KNOWN: dict[str, dict[str, tuple[str, ...]]] = {
    "lightgbm": {"init_model": ("Booster", "LGBMModel")},
    "xgboost": {"xgb_model": ("Booster", "XGBModel")},
    "catboost": {"init_model": ("CatBoost",)},
}


def unwrap_init_model(estimator: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
    """Put the booster itself where a ranker, search or Pipeline that holds it is given.

    LightGBM starts anew without a message where it does not know the type.

    Parameters
    ----------
    estimator : estimator
        The one to fit, by whose library it is known which model can be continued.
    fit_params : dict
        Fit parameters, ``init_model`` or ``xgb_model`` among them.

    Returns
    -------
    dict
        The fit parameters, with the booster.

    Raises
    ------
    TypeError
        If the library cannot continue from the model.
    ValueError
        If a ranker, search or Pipeline is given that is not fitted.
    """
    unwrapped = dict(fit_params)
    for library in _libraries_of(estimator) & _KNOWN.keys():
        for name, classes in _KNOWN[library].items():
            if unwrapped.get(name) is not None:
                unwrapped[name] = _unwrap(name, unwrapped[name], library, classes)
    return unwrapped


def _libraries_of(given: Any) -> set[str]:
    return {each.__module__.partition(".")[0] for each in type(given).__mro__}


def _unwrap(name: str, given: Any, library: str, classes: tuple[str, ...]) -> Any:
    found = given
    while not (is_known := _is_known(found, library, classes)):
        inner = _held_by(name, found)
        if inner is None:
            break
        found = inner
    if is_known:
        # LightGBM knows no other path-like object than pathlib's.
        return os.fspath(found) if isinstance(found, os.PathLike) else found
    held = "" if found is given else f" that holds {type(found).__name__}"
    raise TypeError(
        f"{name} must be a model of {library}, a file's path, or a fitted QueryRanker, search or "
        f"Pipeline that holds such a model, got {type(given).__name__}{held}."
    )


def _is_known(given: Any, library: str, classes: tuple[str, ...]) -> bool:
    if isinstance(given, str | os.PathLike) or (library == "xgboost" and type(given) is bytearray):
        return True
    ours = (each for each in type(given).__mro__ if each.__module__.partition(".")[0] == library)
    return any(each.__name__ in classes for each in ours)


def _held_by(name: str, given: Any) -> Any:
    """Return what a fitted search, a QueryRanker or a Pipeline holds; None of anything else."""
    for attribute in ("best_estimator_", "estimator_"):
        if hasattr(given, attribute):
            return getattr(given, attribute)
    if isinstance(given, Pipeline):
        return given.steps[-1][1]
    if hasattr(given, "estimator") and hasattr(given, "fit"):
        raise ValueError(
            f"{name} must be fitted, got a {type(given).__name__} that holds no fitted model."
        )
    return None
