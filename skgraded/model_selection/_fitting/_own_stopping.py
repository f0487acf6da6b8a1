"""Parameters by which a booster would stop early on its own account."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

__all__ = ["STOPPING", "given_params", "may_stop", "reject_own_stopping"]

# All of LightGBM's names; XGBoost's and CatBoost's common ones are among them.
STOPPING = {"early_stopping_round", "early_stopping_rounds", "early_stopping", "n_iter_no_change"}


def may_stop(estimator: Any) -> bool:
    """Whether an estimator may have one of these parameters, told without ``get_params``.

    The boosters keep parameters as attributes, or in dictionaries that are attributes. Their
    ``get_params`` reads the signature of the class, which takes a tenth of a millisecond.
    """
    held = vars(estimator)
    return any(
        each.get(name) is not None
        for each in (held, *held.values())
        if isinstance(each, dict)
        for name in STOPPING
    )


def given_params(ranker: Any) -> set[str]:
    """Names of the parameters that are set."""
    return {name for name, value in ranker.get_params().items() if value is not None}


def reject_own_stopping(ranker: Any, names: Collection[str] = STOPPING) -> None:
    """Raise where a parameter would stop the training on another metric."""
    for name in sorted(given_params(ranker).intersection(names)):
        raise ValueError(
            f"{name} must be left unset in the estimator, which would stop on any of its metrics: "
            f"set early_stopping_rounds of QueryRanker instead, got {ranker.get_params()[name]!r}."
        )
