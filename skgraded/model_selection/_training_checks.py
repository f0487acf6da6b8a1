"""Checks of the parameters and data that `QueryRanker` is fitted with."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from skgraded._guards import fits_of_pipelines, warn_once
from skgraded._support.arguments import fraction, integer_or_none
from skgraded.exceptions import (
    CutQueriesWarning,
    IdColumnWarning,
    MissingInitialScoresWarning,
    UntransformedRowsWarning,
)
from skgraded.model_selection._estimators import STOPPING, final_step, may_stop
from skgraded.model_selection._fitting import booster_of, names_of_watched
from skgraded.model_selection._rows import entry_per_row
from skgraded.rankings import (
    QID,
    Judgments,
    grades_of_categories,
    has_id_column,
    number_rows,
    numeric,
    read_columns,
    split_target,
)

# The ranker works these out from the query ids; given beside the ids they could contradict them.
_WORKED_OUT = {"group", "group_id"}
_EVALUATION_SETS = {"eval_set", "eval_group", "eval_names", "sample_weight_eval_set"}

# scikit-learn's checks of estimators look for these words in the error.
_COMPLEX = "Complex data not supported."

# With fewer queries, a feature such as 0 and 1 may equal the ids by chance.
_FEWEST_QUERIES_WITH_IDS = 3
# By so many, nearly all features are ruled out.
_ENOUGH_QUERIES_TO_TELL = 100
_NUMBERS = "biuf"
_NO_NAMES = np.empty(0, dtype=object)


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

    @property
    def is_given(self) -> bool:
        """Whether any of the arguments is given."""
        return any(each is not None for each in self)


def check_stopping(ranker: Any, evaluation: EvaluationSet, fit_params: dict[str, Any]) -> bool:
    """Check all that concerns validation, and tell whether the training is watched.

    Parameters
    ----------
    ranker : QueryRanker
        The ranker with its parameters.
    evaluation : EvaluationSet
        The rows to watch, where they are given.
    fit_params : dict
        Other parameters of ``fit``.

    Returns
    -------
    bool
        Whether the training is watched.
    """
    is_watched = ranker.validation_fraction is not None or evaluation.is_given
    _reject(
        fit_params,
        _WORKED_OUT,
        "is worked out from the query ids",
        "Group sizes become ids by qid=np.repeat(np.arange(len(sizes)), sizes).",
    )
    _check_own_stopping(ranker.estimator, watches=is_watched)
    _check_validation(ranker.validation_fraction, ranker.early_stopping_rounds, evaluation)
    if not is_watched:
        return False
    if evaluation.is_given:
        _warn_if_transformers_are_passed_by(evaluation.X)
    taker = "validation_fraction" if ranker.validation_fraction is not None else "eval_X"
    if not booster_of(ranker.estimator).is_watched:
        raise ValueError(
            f"{taker} is supported for {names_of_watched()} so far, "
            f"got {type(final_step(ranker.estimator)).__name__}; leave it None."
        )
    _reject(fit_params, _EVALUATION_SETS, f"is taken by {taker}")
    return True


def _check_validation(given_fraction: Any, rounds: Any, evaluation: EvaluationSet) -> None:
    integer_or_none("early_stopping_rounds", rounds, 1, "no early stopping")
    if given_fraction is not None:
        fraction("validation_fraction", given_fraction)
    if evaluation.is_given:
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


def _warn_if_transformers_are_passed_by(eval_X: Any) -> None:  # noqa: N803
    """Warn where a Pipeline around the ranker has transformed X, and not the validation rows."""
    for pipeline, X in fits_of_pipelines():
        before = [step for _, step in pipeline.steps[:-1] if step not in (None, "passthrough")]
        is_raw = np.shape(X)[1:] == np.shape(eval_X)[1:]  # else it is transformed, or is refused
        if before and is_raw and "eval_X" not in (getattr(pipeline, "transform_input", None) or ()):
            warn_once(
                "eval_X goes past the transformers of the Pipeline, so that the measure watches "
                "features as they are, and the model is trained on what the transformers return. "
                'Write Pipeline(..., transform_input=["eval_X"]) (scikit-learn >= 1.6, with '
                "metadata routing on), or QueryRanker(make_pipeline(transformers, estimator), ...)."
                " If eval_X has been transformed already, silence this warning.",
                UntransformedRowsWarning,
            )


def warn_if_a_transformer_changes_the_ids(judgments: Judgments) -> None:
    """Warn where a Pipeline around the ranker has transformed the column of query ids.

    Ids in the target or in ``qid=`` are compared with the column before, and contradict it.
    """
    for pipeline, X in fits_of_pipelines():
        if not has_id_column(X) or len(X) != judgments.n_documents:
            continue
        n_queries = 1 + int(number_rows(X[QID], len(X)).max())
        if n_queries != judgments.n_queries:
            warn_once(
                f"The transformers of the {type(pipeline).__name__} change the column 'qid' of X: "
                f"it has {n_queries} queries before them, and {judgments.n_queries} after "
                "them, on which the ranker is trained. Give the ids by query_target(y, qid), which "
                "no transformer sees, and leave the column out of X.",
                CutQueriesWarning,
            )


def _reject(fit_params: dict[str, Any], names: set[str], reason: str, way_out: str = "") -> None:
    for name in sorted(names & fit_params.keys()):
        raise ValueError(f"{name} {reason}: leave it out of the fit parameters. {way_out}".rstrip())


def _check_own_stopping(estimator: Any, *, watches: bool) -> None:
    """Raise where the estimator itself would stop early, by queries that it never gets."""
    last = final_step(estimator)
    if watches or not booster_of(estimator).is_watched or not may_stop(last):
        return
    for name, rounds in last.get_params().items():
        if name in STOPPING and rounds is not None:
            raise ValueError(
                f"{name}={rounds} of {type(last).__name__} needs validation queries, and only the "
                "ranker holds some out: write QueryRanker(..., validation_fraction=0.2, "
                f"early_stopping_rounds={rounds})."
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
    if _are_known(ranker, X, rows.shape[1], reset=reset):
        return
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn < 1.6
        ranker._check_feature_names(X, reset=reset)
        ranker._check_n_features(X, reset=reset)
    else:
        validate_data(ranker, X, reset=reset, skip_check_array=True)


def _are_known(ranker: Any, X: Any, n_features: int, *, reset: bool) -> bool:
    """Store or compare names and number of features in the commonest cases.

    scikit-learn takes as long for it as a booster for a small fit. Names that are equal are as
    many. What differs, and other data than arrays and pandas with names of text, is left to it.
    """
    names = _names_of(X)
    if reset and names is not None:
        ranker.__dict__.pop("feature_names_in_", None)
        if len(names):
            ranker.feature_names_in_ = names
        ranker.n_features_in_ = n_features
    known = getattr(ranker, "feature_names_in_", _NO_NAMES)
    is_equal = names is not None and np.array_equal(names, known)
    return is_equal and bool(n_features == ranker.n_features_in_)


def _names_of(X: Any) -> NDArray[Any] | None:
    """Return the names of features, none for an array, or None where they take a closer look."""
    if isinstance(X, np.ndarray):
        return _NO_NAMES
    if hasattr(X, "iloc") and all(type(name) is str for name in X.columns):
        return np.asarray(X.columns, dtype=object)
    return None


def check_training_data(judgments: Judgments) -> None:
    """Raise where a training row is unjudged or all weights are 0."""
    n_unjudged = _n_unjudged(judgments)
    if n_unjudged:
        raise ValueError(
            f"y must be judged in every row to train on, got NaN in {n_unjudged} "
            f"of {judgments.n_documents} rows: drop these rows, or take grade 0 for them."
        )
    check_weights("sample_weight", judgments)


def check_evaluation_grades(judgments: Judgments) -> None:
    """Raise where no row is judged."""
    n_rows = judgments.n_documents
    if _n_unjudged(judgments) == n_rows:
        raise ValueError(f"eval_y must be judged in some row, got NaN in all {n_rows}.")


def _n_unjudged(judgments: Judgments) -> int:
    return int((judgments.levels >= judgments.n_levels).sum())


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


def check_weights(name: str, judgments: Judgments) -> None:
    """Raise where all weights are 0."""
    if judgments.weights is not None and not judgments.weights.any():
        raise ValueError(f"{name} must hold a positive weight, got only zeros.")


def warn_if_a_feature_holds_the_ids(X: Any, judgments: Judgments) -> None:
    """Warn where a feature equals the query ids, which say nothing about a document.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_documents, n_features)
        Features; the rows stand query by query.
    judgments : Judgments
        The rows by query.
    """
    if judgments.n_queries < _FEWEST_QUERIES_WITH_IDS:
        return
    ids = _as_numbers(judgments.qid)
    X = X if hasattr(X, "shape") else np.asarray(X)
    few = slice(_ENOUGH_QUERIES_TO_TELL)
    firsts = judgments.indptr[:-1][few]  # indexing an array itself costs less
    one_each = X[firsts] if type(X) is np.ndarray else _safe_indexing(X, firsts)
    places = _places_that_may_hold(ids[few], one_each)
    ids_of_rows = np.repeat(ids, np.diff(judgments.indptr)) if len(places) else ids
    for place in places:
        if _is_equal(_column(X, place), ids_of_rows):
            name = X.columns[place] if hasattr(X, "columns") else int(place)
            warn_once(
                f"X holds the query ids in column {name!r}, which the ranker uses as a feature. "
                "Leave the column out of X, or name it 'qid' in a DataFrame: rankers, scorers and "
                "splitters read the ids there, and do not use them as a feature.",
                IdColumnWarning,
            )
            return


def _places_that_may_hold(ids: NDArray[Any], one_each: Any) -> NDArray[np.intp]:
    """Return the columns that may hold ids, by a row of each of some queries: mostly none.

    All are read at once, because taking a column of a DataFrame costs more than comparing it.
    """
    if hasattr(one_each, "tocsc"):  # a column of ids is full, though one id may be 0
        full = np.flatnonzero(np.diff(one_each.tocsc().indptr) >= len(ids) - 1)
        return full[_places_that_may_hold(ids, one_each[:, full].toarray())]
    columns = np.asarray(one_each).T
    if columns.dtype.kind in _NUMBERS:
        return np.flatnonzero(_are_near(columns, ids))
    if ids.dtype.kind == "M":  # among columns of other types, dates are objects of several kinds
        return np.arange(len(columns))
    return np.flatnonzero([np.all(_are_near(_as_numbers(each), ids)) for each in columns])


def _are_near(columns: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.bool_] | bool:
    """Whether columns equal the ids, but for digits that a type of numbers loses."""
    if columns.dtype.kind in _NUMBERS and ids.dtype.kind in _NUMBERS:
        with np.errstate(over="ignore", invalid="ignore"):
            ids = ids.astype(columns.dtype if columns.dtype.kind == "f" else np.float64)
            is_near = np.abs(columns - ids) <= 0.01 * np.abs(ids)  # np.isclose takes longer
            near: NDArray[np.bool_] = (is_near | (columns == ids)).all(axis=-1)
        return near
    return _is_equal(columns, ids)


def _column(X: Any, place: np.int64) -> NDArray[Any]:
    column = _safe_indexing(X, int(place), axis=1)
    return _as_numbers(np.ravel(column.toarray() if hasattr(column, "toarray") else column))


def _as_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the place of their texts or of objects, where all values are numbers."""
    if values.dtype.kind in "OUS":
        with contextlib.suppress(TypeError, ValueError):
            return values.astype(np.float64)
    return values


def _is_equal(column: NDArray[Any], ids: NDArray[Any]) -> bool:
    if (column.dtype.kind in _NUMBERS) != (ids.dtype.kind in _NUMBERS):
        return False
    if column.dtype.kind == "f" and ids.dtype.kind in _NUMBERS:  # ids lose digits in float32
        with np.errstate(over="ignore"):
            ids = ids.astype(column.dtype)
    return np.array_equal(column, ids)
