"""Checks of the parameters and data that `QueryRanker` is fitted with."""

from __future__ import annotations

from typing import Any

from skgraded.model_selection._boosters import Booster
from skgraded.model_selection._estimators import final_step

# Initial scores of evaluation rows: names of the libraries, which take their own such rows, ours.
_STARTS_OF_LIBRARIES = {"eval_init_score", "base_margin_eval_set"}
_OTHER_STARTS = {"eval_base_margin", "eval_baseline"}


def check_estimator(estimator: Any) -> None:
    """Raise where the estimator is none, or trains on a cluster."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(
            "estimator must be a ranker, regressor, classifier or Pipeline, such as LGBMRanker(), "
            f"got {estimator!r}."
        )
    name = type(final_step(estimator)).__name__
    if name.startswith("Dask"):
        raise TypeError(
            f"estimator must train on rows in memory, got {name}: fit it on Dask collections "
            "itself, and stop early with skgraded.dask.global_evaluation."
        )


def check_fit_params(
    booster: Booster, given: dict[str, Any], *, watches: bool, is_given: bool
) -> None:
    """Raise where a fit parameter would not follow the rows, and name the way round.

    Parameters
    ----------
    booster : Booster
        How the estimator is handled.
    given : dict of str to object
        The fit parameters.
    watches : bool
        Whether the training is watched.
    is_given : bool
        Whether it is watched on given rows, ``eval_X``.
    """
    names = {name for name, value in given.items() if value is not None}
    for name in sorted(names & booster.by_number):
        raise ValueError(
            f"{name} must be left out: it holds numbers of rows, which the ranker reorders and "
            f"holds out. Fit {booster.name}'s ranker itself, with a Pool of rows that stand query "
            "by query."
        )
    refused = _OTHER_STARTS | (_STARTS_OF_LIBRARIES if watches else set())
    if is_given:
        refused.add(booster.start)
    for name in sorted(names & refused):
        raise ValueError(
            f"{name} must be left out where eval_X is watched, whose rows have no initial scores: "
            "append them to X, and hold queries out by validation_fraction, which take theirs from "
            f"{booster.start or name}; or fit the estimator itself, with the library's own "
            "evaluation sets and skgraded's early stopping."
        )
