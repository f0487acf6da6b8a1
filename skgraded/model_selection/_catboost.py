"""CatBoostRanker: group ids, weights of groups, and early stopping by its evaluation metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.boosting import refuse_taken_names
from skgraded.model_selection._estimators import STOPPING, reject_own_stopping
from skgraded.model_selection._rows import QueryRows, Validation, Watched

# Its own names, and the one metric on which it stops.
_STOPPING = STOPPING | {"od_type", "od_wait", "od_pval", "use_best_model", "eval_metric"}
_LISTS_OF_FEATURES = ("cat_features", "text_features", "embedding_features")
# What a data set has for each row beside features, labels and query ids.
_OF_ROWS = ("baseline", "subgroup_id")


def fit(
    ranker: Any, rows: QueryRows, validation: Validation | None, fit_params: dict[str, Any]
) -> Watched | None:
    """Fit a CatBoostRanker."""
    # Pairwise losses, the default among them, use only the weights of groups.
    weight = rows.query_weight_of_row
    if weight is not None:
        if fit_params.get("group_weight") is not None:
            raise ValueError(
                "group_weight must be left out where sample_weight is given, which weighs queries "
                "by the mean of their rows."
            )
        fit_params["group_weight"] = weight
        del fit_params["sample_weight"]
    ids, params = rows.query_of_row, ranker.get_params()
    # scikit-learn can only clone tuples, and CatBoost can only train with lists.
    tuples = {name: each for name, each in params.items() if isinstance(each, tuple)}
    ranker.set_params(**{name: list(each) for name, each in tuples.items()})
    if validation is None:
        ranker.fit(rows.X, rows.y, group_id=ids, **fit_params)
        return None
    reject_own_stopping(ranker, _STOPPING)
    if len(validation.named) > 1:
        raise ValueError(
            "eval_metric must name the measure of the QueryRanker alone for CatBoostRanker, which "
            f"evaluates one measure, got {', '.join(name for name, _ in validation.named)}."
        )
    refuse_taken_names(validation.named, _own_metrics(params), "CatBoost")
    watching = _watching(ranker, rows, validation, fit_params)
    ranker.fit(rows.X, rows.y, group_id=ids, **{**fit_params, **watching})
    # CatBoost's best_iteration_ does not count the trees of init_model.
    best = None if validation.rounds is None else ranker.tree_count_
    recorded = {"valid_0": ranker.get_evals_result()["validation"]}
    # best_model_min_trees may keep more iterations than the best ones.
    by_others = ranker.get_params().get("best_model_min_trees") is not None
    predicts_with = "any" if by_others and best else validation.predicts_with(best)
    return Watched(recorded, best, validation.named, predicts_with)


def _own_metrics(params: dict[str, Any]) -> list[str]:
    """Names under which CatBoost reports its metrics; others hold a colon, as ours cannot."""
    loss, others = str(params.get("loss_function")), params.get("custom_metric") or ()
    listed = [others] if isinstance(others, str) else others
    return [loss, loss.removesuffix("Pairwise"), *listed]


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
    ranker.set_params(eval_metric=eval_metric(dict(validation.named), *sets))
    named = {name: fit_params.get(name, params.get(name)) for name in _LISTS_OF_FEATURES}
    weight = held_out.query_weight_of_row
    pairs = held_out.pairs
    pool = catboost.Pool(
        held_out.X,
        held_out.labels,
        group_id=held_out.query_of_row,
        group_weight=held_out.per_row.get("group_weight") if weight is None else weight,
        **{name: held_out.per_row[name] for name in _OF_ROWS if name in held_out.per_row},
        **(pairs.as_params() if pairs is not None and len(pairs.rows) else {}),
        **named,
    )
    stops = validation.rounds is not None
    return {
        "eval_set": pool,
        "use_best_model": stops,
        **({"early_stopping_rounds": validation.rounds} if stops else {}),
    }


def predict_from(ranker: Any, X: Any, start: NDArray[Any]) -> NDArray[Any]:
    """Predict and add the initial scores, as CatBoost's training does."""
    return ranker.predict(X) + start


def importances(ranker: Any) -> NDArray[Any]:
    """Return the importances of the features, for a ranking loss those of another type."""
    found = np.asarray(ranker.feature_importances_)
    if found.ndim:
        return found
    # CatBoost has None: the default type would need the training rows.
    return np.asarray(ranker.get_feature_importance(type="PredictionValuesChange"))


def export(ranker: Any, path: str) -> None:
    """Write CatBoost's binary format, or its JSON."""
    ranker.save_model(path, format="json" if path.endswith(".json") else "cbm")
