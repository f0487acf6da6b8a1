"""Estimators that split their training rows inside, and so cut queries, by their parameters."""

from __future__ import annotations

from typing import Any

from skgraded._guards._stack import warn_once
from skgraded.exceptions import QueryLeakWarning

# From so many rows on, scikit-learn's early_stopping="auto" stops early.
_ROWS_OF_AUTO = 10_000


def estimators_in(estimator: Any) -> list[Any]:
    """Return an estimator and those among its parameters, however deep.

    Parameters
    ----------
    estimator : estimator
        Any estimator.

    Returns
    -------
    list of estimator
        The estimators, the outer ones first.
    """
    found = [estimator]
    if hasattr(estimator, "get_params") and not isinstance(estimator, type):
        for value in estimator.get_params(deep=True).values():
            is_estimator = hasattr(value, "get_params") and not isinstance(value, type)
            if is_estimator and hasattr(value, "fit"):
                found.append(value)
    return found


def holds_rows_out(estimator: Any, n_rows: int | None = None) -> bool:
    """Whether an estimator stops early on rows that it draws itself, of any queries.

    Parameters
    ----------
    estimator : estimator
        Any estimator.
    n_rows : int, optional
        Number of training rows, where it is known.

    Returns
    -------
    bool
        Whether it draws rows; a `QueryRanker` draws whole queries.
    """
    is_ranker = hasattr(estimator, "early_stopping_rounds") and hasattr(
        estimator, "measure"
    )
    # None takes the training rows themselves.
    if is_ranker or getattr(estimator, "validation_fraction", None) is None:
        return False

    if hasattr(estimator, "early_stopping"):
        if isinstance(estimator.early_stopping, str):
            return n_rows is not None and n_rows > _ROWS_OF_AUTO
        return bool(estimator.early_stopping)
    return getattr(estimator, "n_iter_no_change", None) is not None


def warn_if_rows_are_held_out(estimator: Any, n_rows: int | None = None) -> None:
    """Warn where an estimator, or one inside of it, draws rows to stop early on.

    Parameters
    ----------
    estimator : estimator
        Any estimator.
    n_rows : int, optional
        Number of training rows, where it is known.
    """
    for inner_estimator in estimators_in(estimator):
        if not holds_rows_out(inner_estimator, n_rows):
            continue
        name = type(inner_estimator).__name__
        switch = "n_iter_no_change=None"
        if hasattr(inner_estimator, "early_stopping"):
            switch = "early_stopping=False"
        warn_once(
            f"{name} stops early on rows that it draws by validation_fraction, "
            "so that documents of one query are both trained on and held out, and it stops too "
            f"late. Set {switch}; LGBMRegressor and XGBRegressor in a QueryRanker stop on whole "
            "queries.",
            QueryLeakWarning,
        )
        return


def warn_if_training_cuts_queries(estimator: Any) -> None:
    """Warn where a scored estimator has split its training rows, and no ranker has warned of it.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    """
    if not any(hasattr(part, "training_queries_") for part in estimators_in(estimator)):
        warn_if_rows_are_held_out(estimator)
