"""Training on all queries, with the number of iterations that held-out queries have found."""

from __future__ import annotations

from typing import Any

from skgraded._support.arguments import flag, number
from skgraded.model_selection._booster import Booster, Params
from skgraded.model_selection._boosters import final_step
from skgraded.model_selection._estimators import fit_estimator, train_for
from skgraded.model_selection._rows import QueryRows, Validation, Watched, best_entry


def check_stopping(ranker: Any, booster: Booster) -> None:
    """Check the options of the draw, of early stopping and of what follows it."""
    flag("shuffle", ranker.shuffle)
    _check_min_delta(ranker, booster)
    _check_refit(ranker)


def _check_min_delta(ranker: Any, booster: Booster) -> None:
    """Raise where the least improvement is no number, or nothing looks at it."""
    if number("min_delta", ranker.min_delta, at_least=0.0) == 0.0:
        return
    if ranker.early_stopping_rounds is None:
        raise ValueError(
            "min_delta needs early_stopping_rounds, which counts improvements by more than it."
        )
    if booster.package == "catboost":
        raise ValueError(
            "min_delta must be 0 for CatBoostRanker, whose early stopping counts any improvement, "
            f"got {ranker.min_delta!r}."
        )


def _check_refit(ranker: Any) -> None:
    """Raise where a ranker is to be refitted, and no number of iterations would be found."""
    if not flag("refit", ranker.refit):
        return
    if ranker.validation_fraction is None:
        raise ValueError(
            "refit needs validation_fraction: it trains on the queries that were held out, too. "
            "Put the queries of eval_X among those of X."
        )
    if ranker.early_stopping_rounds is None:
        raise ValueError(
            "refit needs early_stopping_rounds, by which the number of iterations is found."
        )


def refit_on_all(
    ranker: Any,
    booster: Booster,
    rows: QueryRows,
    record: tuple[Watched, Validation],
    params: Params,
) -> None:
    """Replace the estimator of a fitted ranker by one that is trained on all rows.

    Parameters
    ----------
    ranker : QueryRanker
        The ranker.
    booster : Booster
        How its estimator is handled.
    rows : QueryRows
        All rows.
    record : tuple of (Watched, Validation)
        What the first fit has recorded, and its validation rows.
    params : dict
        Parameters of ``fit``.
    """
    watched_estimator = final_step(ranker.estimator_)
    ranker.estimator_ = booster.clone(ranker.estimator)
    train_for(ranker.estimator_, ranker.measure_)

    last = final_step(ranker.estimator_)
    n_best = best_entry(*record) + 1
    ranker.n_iterations_ = booster.set_iterations(last, n_best, watched_estimator)
    fit_estimator(booster, ranker.estimator_, rows, None, params)
