"""Checks of the parameters and data that `QueryRanker` is fitted with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _num_samples

from skgraded._guards import warn_once
from skgraded._support.arguments import ArgumentError, fraction, integer_or_none
from skgraded.exceptions import MissingInitialScoresWarning
from skgraded.model_selection._booster import Booster
from skgraded.model_selection._boosters import BOOSTERS, booster_of, final_step
from skgraded.model_selection._rows import entry_per_row
from skgraded.rankings import Judgments, read_columns, read_grades

# Why fit parameters are refused, and the way round.
_USE_IDS = (
    "is worked out from the query ids: leave it out of the fit parameters. Group sizes become ids "
    "by qid=np.repeat(np.arange(len(sizes)), sizes)."
)
# What other tools call query ids.
_NAMES_OF_IDS = ("query_id", "query_ids", "qids", "groups", "group_ids", "query")
_BY_NUMBER = (
    "must be left out: it holds numbers of rows, which the ranker reorders and holds out. Fit the "
    "library's ranker itself, with a Pool of rows that stand query by query."
)
_NO_STARTS = (
    "must be left out where eval_X is watched, whose rows have no initial scores: append them to "
    "X, and hold queries out by validation_fraction, which take theirs from the scores of X; or "
    "fit the estimator itself, with the library's own evaluation sets and skgraded's early "
    "stopping."
)


_DIMENSIONS = 2  # of features


class RowArguments(NamedTuple):
    """Arguments of `QueryRanker.fit` with the rows to train on, or to watch the training on.

    Attributes
    ----------
    X, y, qid, sample_weight : array-like or None
        The arguments of these names, or ``eval_X``, ``eval_y`` and so on.
    """

    X: Any = None
    y: Any = None
    qid: ArrayLike | None = None
    sample_weight: ArrayLike | None = None


def check_estimator(estimator: Any) -> None:
    """Raise where the estimator is none."""
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(
            "estimator must be a ranker, regressor, classifier or Pipeline, such as LGBMRanker(), "
            f"got {estimator!r}."
        )


def check_parameters(
    ranker: Any,
    booster: Booster,
    evaluation: RowArguments | None,
    fit_params: dict[str, Any],
) -> bool:
    """Check all but the data; return whether the training is watched.

    Parameters
    ----------
    ranker : QueryRanker
        The ranker with its parameters.
    booster : Booster
        How its estimator is handled.
    evaluation : RowArguments or None
        The rows to watch, where they are given.
    fit_params : dict
        Other parameters of ``fit``.

    Returns
    -------
    bool
        Whether the training is watched.
    """
    if evaluation is not None:
        _refuse_several_sets(evaluation.X)
    share = ranker.validation_fraction
    rounds = ranker.early_stopping_rounds
    integer_or_none("early_stopping_rounds", rounds, 1, "no early stopping")

    # The argument that says which rows are watched.
    source = "" if evaluation is None else "eval_X"
    if share is not None:
        if source:
            raise ValueError(
                "eval_X must be left out where validation_fraction holds queries out, "
                f"got validation_fraction={share!r}: set one of them."
            )
        fraction("validation_fraction", share)
        source = "validation_fraction"

    if rounds is not None and not source:
        raise ValueError(
            "early_stopping_rounds needs validation_fraction, the share of queries to stop "
            "on, or eval_X, such queries, "
            f"got early_stopping_rounds={rounds} and validation_fraction=None."
        )
    if source and not booster.is_watched:
        names = ", ".join(
            name for (_, name), booster in BOOSTERS.items() if booster.is_watched
        )
        raise ValueError(
            f"{source} is supported for {names} so far, "
            f"got {type(final_step(ranker.estimator)).__name__}; leave it None."
        )

    says_queries = not booster.needs_queries or _says_queries_of_eval_set(fit_params)
    reasons = _refused_params(booster, source, says_queries=says_queries)
    for name in sorted(fit_params.keys() & reasons):
        if fit_params[name] is not None:
            raise ValueError(f"{name} {reasons[name]}")
    return bool(source)


def _refuse_several_sets(X: Any) -> None:
    """Raise where the features to watch are a list of tables, as LightGBM takes them."""
    if isinstance(X, list | tuple) and X and len(np.shape(X[0])) == _DIMENSIONS:
        raise ValueError(
            f"eval_X must hold the rows of one data set, got a {type(X).__name__} of {len(X)}: "
            "the ranker watches one. Append them, or record the others by callbacks of the "
            "library."
        )


def _says_queries_of_eval_set(fit_params: dict[str, Any]) -> bool:
    """Whether a library's own evaluation set comes with its queries."""
    eval_set = fit_params.get("eval_set")
    sets = eval_set if isinstance(eval_set, list) else [eval_set]
    are_pools = all(hasattr(data_set, "num_row") for data_set in sets)  # of CatBoost
    names = {"eval_group", "eval_qid", "eval_set_group_id"}
    return eval_set is None or are_pools or bool(names & fit_params.keys())


def _refused_params(
    booster: Booster, source: str, *, says_queries: bool
) -> dict[str, str]:
    """Return why fit parameters are refused, which would not follow the rows, by name.

    The names are those of all libraries, since users may take one for the other.
    """
    reasons = dict.fromkeys(booster.by_number, _BY_NUMBER)
    reasons["grades"] = (
        "is a parameter of the ranker itself: QueryRanker(..., grades={...})."
    )
    reasons |= dict.fromkeys(_NAMES_OF_IDS, "must be named qid: fit(X, y, qid=...).")
    if source == "eval_X":
        reasons[booster.start] = _NO_STARTS

    is_taken = (
        "is the library's name: QueryRanker.fit takes the rows to watch as eval_X=, eval_y= and "
        "eval_qid=, or holds queries out by validation_fraction."
    )
    if source:
        is_taken = f"is taken by {source}: leave it out of the fit parameters."
    for library in BOOSTERS.values():
        reasons |= dict.fromkeys(library.names_of_queries, _USE_IDS)
        if source or not says_queries:
            reasons |= dict.fromkeys(library.names_of_evaluation_sets, is_taken)
        if source:
            reasons |= dict.fromkeys(library.names_of_evaluation_starts, _NO_STARTS)
    return reasons


def grades_of(labels: Any, features: Any) -> NDArray[Any]:
    """Return grades as an array that has as many rows as the features."""
    if labels is None:
        # scikit-learn's checks of estimators look for the last words.
        raise ArgumentError(
            "y",
            "must hold the grades of the documents, got None: QueryRanker requires y to be passed, "
            "but the target y is None.",
        )

    if isinstance(labels, str):
        raise ArgumentError(
            "y",
            f"must hold the grades of the documents, got the text {labels!r}: pass the column, "
            f"such as X[{labels!r}], and leave it out of X.",
        )

    grades = np.asarray(labels)
    if np.iscomplexobj(grades):
        # scikit-learn's checks of estimators look for the last words.
        raise ArgumentError(
            "y",
            f"must hold real numbers, got {grades.dtype}. Complex data not supported",
        )
    if _num_samples(features) != len(grades):
        raise ValueError(
            "X and y must have the same number of rows, "
            f"got {_num_samples(features)} and {len(grades)}."
        )
    return read_grades("y", labels)


def check_features(ranker: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Store the number and the names of the features, or compare them with those stored."""
    shape = getattr(X, "shape", None) or np.asarray(X).shape
    if len(shape) != 2 or shape[1] == 0:  # noqa: PLR2004
        # scikit-learn's checks of estimators look for the words behind the first comma.
        raise ArgumentError(
            "X",
            f"must be two-dimensional, got 0 feature(s) (shape={shape}) while a minimum of 1 is "
            "required. Reshape your data: X.reshape(1, -1) is a single document.",
        )

    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn < 1.6
        ranker._check_feature_names(X, reset=reset)
        ranker._check_n_features(X, reset=reset)
    else:
        validate_data(ranker, X, reset=reset, skip_check_array=True)


def check_labels(judgments: Judgments, *, is_watched: bool) -> None:
    """Raise where a row to train on is unjudged, or every row to watch, or all weights are 0."""
    n_rows = judgments.n_documents
    n_unjudged = 0
    if judgments.has_unjudged:
        n_judged = int(judgments.pool.indptr[-1])
        n_unjudged = n_rows - n_judged

    if n_unjudged and not is_watched:
        raise ValueError(
            f"y must be judged in every row to train on, got NaN in {n_unjudged} of {n_rows} rows: "
            "drop these rows, or take grade 0 for them."
        )
    if n_unjudged == n_rows:
        raise ValueError(f"eval_y must be judged in some row, got NaN in all {n_rows}.")
    if judgments.weights is not None and not judgments.weights.any():
        name = "eval_sample_weight" if is_watched else "sample_weight"
        raise ValueError(f"{name} must hold a positive weight, got only zeros.")


def check_initial_scores(
    ranker: Any, X: Any, initial_scores: dict[str, Any]
) -> NDArray[Any] | None:
    """Return the initial scores to predict with; warn where a model that starts from some has none.

    Parameters
    ----------
    ranker : QueryRanker
        The fitted ranker.
    X : array-like of shape (n_documents, n_features)
        The features.
    initial_scores : dict of str to array-like
        The initial scores by the library's name.
    """
    name = booster_of(ranker.estimator_).start
    for wrong_name in sorted(initial_scores.keys() & {"qid", *_NAMES_OF_IDS}):
        raise TypeError(
            f"predict needs no query ids, since every document is scored for itself, got "
            f"{wrong_name}: leave it out."
        )
    for wrong_name in sorted(initial_scores.keys() - {name}):
        supported = f"initial scores as {name}" if name else "no initial scores"
        raise TypeError(
            f"predict of {type(final_step(ranker.estimator_)).__name__} takes {supported}, "
            f"got {wrong_name}."
        )

    start = initial_scores.get(name)
    if start is not None:
        read_columns(None, X=X, **initial_scores)
        return entry_per_row(name, start, _num_samples(X))

    if hasattr(ranker, "starts_from_"):
        warn_once(
            f"The ranker was fitted with {name}, but predicts without it: its scores are only what "
            f"the model adds, and measures of them are wrong. Pass predict(X, {name}=...), with "
            "zeros where there are no initial scores.",
            MissingInitialScoresWarning,
        )
    return None
