"""CatBoostRanker: group ids, weights of groups, and early stopping by its evaluation metric."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.model_selection._fitting._own_stopping import STOPPING, reject_own_stopping
from skgraded.model_selection._fitting._rows import QueryRows, Validation, Watched

__all__ = ["fit", "importances"]

# Its own names, and the one metric on which it stops.
_STOPPING = STOPPING | {"od_type", "od_wait", "od_pval", "use_best_model", "eval_metric"}
_LISTS_OF_FEATURES = ("cat_features", "text_features", "embedding_features")


def fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit a CatBoostRanker."""
    # Pairwise losses, the default among them, use only the weights of groups.
    weight = rows.query_weight_of_row
    if weight is not None:
        fit_params["group_weight"] = weight
        del fit_params["sample_weight"]
    ids, params = rows.query_of_row, ranker.get_params()
    # scikit-learn can only clone tuples, and CatBoost can only train with lists.
    tuples = [name for name in _LISTS_OF_FEATURES if isinstance(params.get(name), tuple)]
    ranker.set_params(**{name: list(params[name]) for name in tuples})
    if validation is None:
        ranker.fit(rows.X, rows.y, group_id=ids, **fit_params)
        return None
    reject_own_stopping(ranker, _STOPPING)
    watching = _watching(ranker, rows, validation, fit_params)
    with warnings.catch_warnings():
        # CatBoost would compile the metric with numba; its kernels are compiled already.
        warnings.filterwarnings("ignore", "Failed to import numba", UserWarning)
        ranker.fit(rows.X, rows.y, group_id=ids, **{**fit_params, **watching})
    # CatBoost's best_iteration_ does not count the trees of init_model.
    best = None if validation.rounds is None else ranker.tree_count_
    return Watched({"valid_0": ranker.get_evals_result()["validation"]}, best)


def _watching(
    ranker: Any, rows: QueryRows, validation: Validation, fit_params: dict[str, Any]
) -> dict[str, Any]:
    """Set the metric; return fit parameters by which CatBoost evaluates the validation rows."""
    import catboost

    from skgraded.catboost import eval_metric

    held_out, params = validation.rows, ranker.get_params()
    sets = [
        (each.y, each.query_of_row, *([] if each.weight is None else [each.weight]))
        for each in (rows, held_out)
    ]
    ranker.set_params(eval_metric=eval_metric(validation.measure, *sets))
    named = {name: fit_params.get(name, params.get(name)) for name in _LISTS_OF_FEATURES}
    pool = catboost.Pool(
        held_out.X,
        held_out.labels,
        group_id=held_out.query_of_row,
        group_weight=held_out.query_weight_of_row,
        **named,
    )
    stops = validation.rounds is not None
    return {
        "eval_set": pool,
        "use_best_model": stops,
        **({"early_stopping_rounds": validation.rounds} if stops else {}),
    }


def importances(ranker: Any) -> NDArray[Any]:
    """Return the importances of the features, for a ranking loss those of another type."""
    found = np.asarray(ranker.feature_importances_)
    if found.ndim:
        return found
    # CatBoost has None: the default type would need the training rows.
    return np.asarray(ranker.get_feature_importance(type="PredictionValuesChange"))
