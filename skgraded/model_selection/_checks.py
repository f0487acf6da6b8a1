"""Checks of the parameters and data that `QueryRanker` is fitted with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _num_samples

from skgraded._guards import warn_once
from skgraded._support.arguments import fraction, integer_or_none
from skgraded.exceptions import MissingInitialScoresWarning
from skgraded.model_selection._boosters import Booster
from skgraded.model_selection._estimators import STOPPING, final_step
from skgraded.model_selection._fitting import booster_of, names_of_watched
from skgraded.model_selection._rows import entry_per_row
from skgraded.rankings import (
    Judgments,
    grades_of_categories,
    numeric,
    read_columns,
    split_target,
)

# The ranker works these out from the query ids; given beside the ids they could contradict them.
_WORKED_OUT = {"group", "group_id"}
_EVALUATION_SETS = {"eval_set", "eval_group", "eval_names", "sample_weight_eval_set"}
# Initial scores of evaluation rows: names of the libraries, which take their own such rows, ours.
_STARTS_OF_LIBRARIES = {"eval_init_score", "base_margin_eval_set"}
_OTHER_STARTS = {"eval_base_margin", "eval_baseline"}

# scikit-learn's checks of estimators look for these words in the error.
_COMPLEX = "Complex data not supported."


class EvaluationSet(NamedTuple):
    """Rows to watch the training on, as they are given to `QueryRanker.fit`.

    Attributes
    ----------
    X, y, qid, sample_weight : array-like or None
        The arguments ``eval_X``, ``eval_y``, ``eval_qid`` and ``eval_sample_weight``.
    """

    X: Any = None
    y: Any = None
    qid: ArrayLike | None = None
    sample_weight: ArrayLike | None = None


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


def check_parameters(
    ranker: Any, booster: Booster, evaluation: EvaluationSet | None, fit_params: dict[str, Any]
) -> bool:
    """Check all but the data; return whether the training is watched.

    Parameters
    ----------
    ranker : QueryRanker
        The ranker with its parameters.
    booster : Booster
        How its estimator is handled.
    evaluation : EvaluationSet or None
        The rows to watch, where they are given.
    fit_params : dict
        Other parameters of ``fit``.

    Returns
    -------
    bool
        Whether the training is watched.
    """
    taker = "" if evaluation is None else "eval_X"
    if ranker.validation_fraction is not None:
        taker = "validation_fraction"
    if not taker:
        _check_own_stopping(ranker.estimator, booster)
    _check_validation(ranker.validation_fraction, ranker.early_stopping_rounds, evaluation)
    if taker and not booster.is_watched:
        raise ValueError(
            f"{taker} is supported for {names_of_watched()} so far, "
            f"got {type(final_step(ranker.estimator)).__name__}; leave it None."
        )
    _check_fit_params(booster, fit_params, taker)
    return bool(taker)


def _check_validation(given_fraction: Any, rounds: Any, evaluation: EvaluationSet | None) -> None:
    integer_or_none("early_stopping_rounds", rounds, 1, "no early stopping")
    if given_fraction is not None:
        fraction("validation_fraction", given_fraction)
    if evaluation is not None:
        if given_fraction is not None:
            raise ValueError(
                "eval_X must be left out where validation_fraction holds queries out, "
                f"got validation_fraction={given_fraction!r}: set one of them."
            )
        if evaluation.X is None or evaluation.y is None:
            missing = "eval_X" if evaluation.X is None else "eval_y"
            raise ValueError(f"{missing} is missing: validation queries need eval_X and eval_y.")
    elif given_fraction is None and rounds is not None:
        raise ValueError(
            "early_stopping_rounds needs validation_fraction, the share of queries to stop "
            "on, or eval_X, such queries, "
            f"got early_stopping_rounds={rounds} and validation_fraction=None."
        )


def _check_own_stopping(estimator: Any, booster: Booster) -> None:
    """Raise where the estimator itself would stop early, by queries that it never gets."""
    last = final_step(estimator)
    # Boosters hold parameters as attributes, or in dictionaries that are. Their get_params reads
    # the signature of the class, which takes a tenth of a millisecond.
    held = [vars(last), *vars(last).values()] if booster.is_watched else []
    for params in (each for each in held if isinstance(each, dict)):
        for name in sorted(STOPPING & params.keys()):
            if params[name] is not None:
                raise ValueError(
                    f"{name}={params[name]} of {type(last).__name__} needs validation queries, and "
                    "only the ranker holds some out: write QueryRanker(..., "
                    f"validation_fraction=0.2, early_stopping_rounds={params[name]})."
                )


def _check_fit_params(booster: Booster, given: dict[str, Any], taker: str) -> None:
    """Raise where a fit parameter would not follow the rows, and name the way round."""
    names = {name for name, value in given.items() if value is not None}
    for name in sorted(names & _WORKED_OUT):
        raise ValueError(
            f"{name} is worked out from the query ids: leave it out of the fit parameters. Group "
            "sizes become ids by qid=np.repeat(np.arange(len(sizes)), sizes)."
        )
    for name in sorted(names & booster.by_number):
        raise ValueError(
            f"{name} must be left out: it holds numbers of rows, which the ranker reorders and "
            f"holds out. Fit {booster.name}'s ranker itself, with a Pool of rows that stand query "
            "by query."
        )
    for name in sorted(names & _EVALUATION_SETS if taker else ()):
        raise ValueError(f"{name} is taken by {taker}: leave it out of the fit parameters.")
    refused = _OTHER_STARTS | (_STARTS_OF_LIBRARIES if taker else set())
    if taker == "eval_X":
        refused.add(booster.start)
    for name in sorted(names & refused):
        raise ValueError(
            f"{name} must be left out where eval_X is watched, whose rows have no initial scores: "
            "append them to X, and hold queries out by validation_fraction, which take theirs from "
            f"{booster.start or name}; or fit the estimator itself, with the library's own "
            "evaluation sets and skgraded's early stopping."
        )


def grades_of(y: Any, features: Any) -> NDArray[Any]:
    """Return the grades of a target that has as many rows as the features."""
    if y is None:
        # scikit-learn's checks of estimators look for the last words.
        raise ValueError(
            "y must hold the grades of the documents, got None: "
            "QueryRanker requires y to be passed, but the target y is None."
        )
    grades = np.asarray(grades_of_categories(split_target(y)[0]))
    if np.iscomplexobj(grades):
        raise ValueError(f"y must hold real numbers, got {grades.dtype}. {_COMPLEX}")
    if _num_samples(features) != len(grades):
        raise ValueError(
            "X and y must have the same number of rows, "
            f"got {_num_samples(features)} and {len(grades)}."
        )
    numeric("y", y if grades.dtype.kind == "O" else grades)
    return grades


def check_features(ranker: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Store the number and the names of the features, or compare them with those stored."""
    if type(X).__module__.partition(".")[0] == "datasets":
        raise TypeError(
            f"X must be an array, a sparse matrix or a DataFrame, got a {type(X).__name__} of "
            "Hugging Face: pass dataset.to_pandas()."
        )
    rows = X if hasattr(X, "shape") else np.asarray(X)
    if len(rows.shape) != 2:  # noqa: PLR2004
        raise ValueError(
            f"X must be two-dimensional, one row per document, got the shape {rows.shape}. "
            "Reshape your data: X.reshape(1, -1) is a single document."
        )
    if rows.shape[1] == 0:
        raise ValueError(
            f"X must hold features, got 0 feature(s) (shape={rows.shape}) while a minimum of 1 is "
            "required."
        )
    if getattr(getattr(rows, "dtype", None), "kind", "") == "c":
        raise ValueError(f"X must hold real numbers, got {rows.dtype}. {_COMPLEX}")
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn < 1.6
        ranker._check_feature_names(X, reset=reset)
        ranker._check_n_features(X, reset=reset)
    else:
        validate_data(ranker, X, reset=reset, skip_check_array=True)


def check_training_data(judgments: Judgments) -> None:
    """Raise where a training row is unjudged or all weights are 0."""
    n_unjudged = _n_unjudged(judgments)
    if n_unjudged:
        raise ValueError(
            f"y must be judged in every row to train on, got NaN in {n_unjudged} "
            f"of {judgments.n_documents} rows: drop these rows, or take grade 0 for them."
        )
    _check_weights("sample_weight", judgments)


def check_evaluation_data(judgments: Judgments) -> None:
    """Raise where no row is judged or all weights are 0."""
    n_rows = judgments.n_documents
    if _n_unjudged(judgments) == n_rows:
        raise ValueError(f"eval_y must be judged in some row, got NaN in all {n_rows}.")
    _check_weights("eval_sample_weight", judgments)


def _n_unjudged(judgments: Judgments) -> int:
    return int((judgments.levels >= judgments.n_levels).sum())


def _check_weights(name: str, judgments: Judgments) -> None:
    if judgments.weights is not None and not judgments.weights.any():
        raise ValueError(f"{name} must hold a positive weight, got only zeros.")


def check_initial_scores(ranker: Any, X: Any, given: dict[str, Any]) -> NDArray[Any] | None:
    """Return the initial scores to predict with; warn where a model that starts from some has none.

    Parameters
    ----------
    ranker : QueryRanker
        The fitted ranker.
    X : array-like of shape (n_documents, n_features)
        The features.
    given : dict of str to array-like
        The initial scores by the library's name.
    """
    name = booster_of(ranker.estimator_).start
    for unknown in sorted(given.keys() - {name}):
        known = f"initial scores as {name}" if name else "no initial scores"
        raise TypeError(
            f"predict of {type(final_step(ranker.estimator_)).__name__} takes {known}, "
            f"got {unknown}."
        )
    if given.get(name) is not None:
        read_columns(None, X=X, **given)
        return entry_per_row(name, given[name], _num_samples(X))
    if hasattr(ranker, "starts_from_"):
        warn_once(
            f"The ranker was fitted with {name}, but predicts without it: its scores are only what "
            f"the model adds, and measures of them are wrong. Pass predict(X, {name}=...), with "
            "zeros where there are no initial scores.",
            MissingInitialScoresWarning,
        )
    return None
