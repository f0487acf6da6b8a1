"""Validation sets of one's own, as users of the libraries write them."""

from __future__ import annotations

from typing import Any

from skgraded.model_selection._booster import Booster, Params

_ONE_IS_WATCHED = (
    "one set is watched: put their rows together, or watch one, and take the values of the others "
    "after the fit, by score"
)


def check_evaluation_sets(
    ranker: Any, booster: Booster, matrix: Any, params: Params
) -> None:
    """Raise where validation rows come as the libraries take them, or are several sets."""
    n_sets = _number_of_sets(matrix)
    if n_sets:
        raise ValueError(f"eval_X must be one matrix, got {n_sets}: {_ONE_IS_WATCHED}.")

    sets = params.get("eval_set")
    if sets is None or matrix is not None or ranker.validation_fraction is not None:
        return
    lacks_queries = booster.needs_queries and params.get("eval_group") is None
    is_read = booster.package == "catboost" or not lacks_queries
    if is_read and ranker.early_stopping_rounds is None:
        return  # by metrics of the library's own

    advice = ""
    if (
        isinstance(sets, list | tuple)
        and len(sets) > 1
        and booster.package != "catboost"
    ):
        advice = f" Of {len(sets)}, {_ONE_IS_WATCHED}."
    raise ValueError(
        "eval_set is a parameter of the library's own fit: write eval_X=X_valid, eval_y=y_valid, "
        f"eval_qid=qid_valid in fit of QueryRanker instead.{advice}"
    )


def _number_of_sets(matrix: Any) -> int:
    """Return how many matrices a list or tuple of them holds; 0 for one matrix."""
    if not isinstance(matrix, list | tuple) or not len(matrix):
        return 0
    if len(getattr(matrix[0], "shape", ())) < 2:  # noqa: PLR2004
        return 0
    return len(matrix)
