"""Positions at which documents were shown, for LightGBM's model of the bias of positions."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import ArgumentError
from skgraded.model_selection._booster import Booster, Params, params_that_are_set

_NAMES_OF_OBJECTIVES = {"objective", "objective_type", "app", "application", "loss"}


def check_position(booster: Booster, estimator: Any, params: Params) -> None:
    """Raise where positions are given, and the estimator would not learn from them."""
    if params.get("position") is None or not booster.package:
        return
    if booster.package != "lightgbm" or not booster.needs_queries:
        raise ValueError(
            "position must be left out: LGBMRanker alone learns the bias of positions from them, "
            f"got {type(estimator).__name__}. XGBRanker(lambdarank_unbiased=True) takes the order "
            "of the rows of a query for that in which they were shown."
        )

    set_params = params_that_are_set(estimator)
    objectives = [set_params[name] for name in _NAMES_OF_OBJECTIVES & set_params.keys()]
    for objective in objectives:
        if objective != "lambdarank":
            raise ValueError(
                "position must be left out with this objective, which does not model the bias of "
                'positions, as LightGBM\'s "lambdarank" does: train with that, and stop early by '
                f"the measure; got {objective!r}."
            )


def fit_with_positions(
    estimator: Any, position: NDArray[Any], X: Any, y: Any, params: Params
) -> None:
    """Fit an LGBMRanker on a data set with positions, which its own fit does not take.

    It runs the code of ``LGBMModel.fit`` with another function in the place of ``Dataset``, in this
    call alone, so that trainings in other threads are not touched.

    Parameters
    ----------
    estimator : LGBMRanker
        The estimator.
    position : ndarray of shape (n_documents,)
        Number of the position of each row.
    X, y : array-like
        Features and grades.
    params : dict
        Parameters of ``fit``.
    """
    import lightgbm

    if "position" not in inspect.signature(lightgbm.Dataset).parameters:
        raise ValueError("position needs LightGBM >= 4.1, whose Dataset takes it.")
    is_whole = position.dtype.kind in "iu" or np.array_equal(position, position // 1)
    if not is_whole:
        raise ArgumentError("position", "must hold whole numbers, got others.")

    data_sets: list[Any] = []

    def data_set(*args: Any, **arguments: Any) -> Any:
        if not data_sets:  # the first one is to train on
            arguments["position"] = position.astype(np.int32)
        data_sets.append(lightgbm.Dataset(*args, **arguments))
        return data_sets[-1]

    fit: Any = lightgbm.LGBMModel.fit
    names = {**fit.__globals__, "Dataset": data_set}
    fit_on_positions = FunctionType(
        fit.__code__, names, fit.__name__, fit.__defaults__, fit.__closure__
    )
    fit_on_positions.__kwdefaults__ = fit.__kwdefaults__

    params = dict(params)
    estimator._eval_at = params.pop("eval_at", (1, 2, 3, 4, 5))
    fit_on_positions(estimator, X, y, **params)
    if not data_sets:
        raise RuntimeError(
            f"position did not reach the data set of LightGBM {lightgbm.__version__}."
        )
