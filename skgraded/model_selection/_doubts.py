"""Warnings of training data and fitted models by which no ranking is better than another."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from skgraded._guards import n_rows_given_to_search, warn_once
from skgraded._support.array_types import BoolArray, IntArray
from skgraded.exceptions import (
    ConstantValueWarning,
    CutQueriesWarning,
    QueryIdsWarning,
    UnlikeQueriesWarning,
)
from skgraded.measures import Measure, has_one_value, tells_rankings_apart
from skgraded.model_selection._rows import QueryRows
from skgraded.rankings import Judgments, id_columns, without_query_ids

# Rows of so many queries are predicted to see whether scores differ.
_PREDICTED_QUERIES = 50
_PREDICTED_ROWS = 1_000
# Rows of eval_X and X that say how features are spread.
_FEWEST_ROWS = 20
_LOOKED_AT = 10_000
_READ_WHOLE = 200_000
# Of rows of a column, and of columns.
_MOST = 0.5
# A scaler leaves a mean of 0 and a deviation of 1 but for rounding.
_EXACT = 1e-4
_FAR = 2.0


def spread_telling_queries(
    queries: IntArray, tells: BoolArray, n_held_out: int
) -> IntArray:
    """Move queries so that those held out hold their share of those that tell rankings apart.

    Parameters
    ----------
    queries : ndarray of shape (n_queries,)
        Query numbers in random order, of which the first are to be held out.
    tells : ndarray of shape (n_queries,), bool
        Whether each query tells rankings apart.
    n_held_out : int
        How many are held out.

    Returns
    -------
    ndarray of shape (n_queries,)
        The query numbers; unchanged where all queries tell rankings apart, or none does. Two that
        do are one to hold out and one to train on.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.model_selection._doubts import spread_telling_queries
    >>> tells = np.array([True, False, False, True])
    >>> spread_telling_queries(np.array([1, 2, 0, 3]), tells, 2)
    array([0, 1, 3, 2])
    """
    does_tell = tells[queries]
    telling = queries[does_tell]
    others = queries[~does_tell]
    if not len(telling) or not len(others):
        return queries

    share = n_held_out / len(queries)
    n_telling = round(share * len(telling))
    n_telling = min(max(n_telling, 1), len(telling) - 1, n_held_out)
    # As many of the others as there are, and one at least to train on.
    n_telling = max(n_telling, n_held_out - len(others))
    n_others = n_held_out - n_telling
    held_out = [telling[:n_telling], others[:n_others]]
    to_train_on = [telling[n_telling:], others[n_others:]]
    return np.concatenate(held_out + to_train_on)


def warn_if_nothing_is_watched(
    measure: Measure,
    held_out: Judgments,
    judgments: Judgments,
    *,
    was_drawn: bool,
    stops: bool,
) -> None:
    """Warn where a measure has one value for every ranking of the validation queries.

    Parameters
    ----------
    measure : Measure
        The watched measure.
    held_out : Judgments
        The validation queries.
    judgments : Judgments
        All queries given to train on.
    was_drawn : bool
        Whether the validation queries were drawn from these.
    stops : bool
        Whether the training stops early.
    """
    if not has_one_value(measure, held_out):
        return

    if was_drawn:
        n_telling = int(tells_rankings_apart(measure, judgments).sum())
        advice = (
            f"Of all {judgments.n_queries} queries {n_telling} tell rankings apart, and 2 are "
            "needed: one to hold out, and one to train on. Take a measure, or queries, for which "
            "the order of documents matters."
        )
    else:
        advice = (
            "Of these queries 0 tell rankings apart, and 1 at least is needed: pass queries with "
            "documents that are relevant and others that are not."
        )
    what = "the training stops at once" if stops else "its record says nothing"
    warn_once(
        f"{measure} has one value for every ranking of the {held_out.n_queries} validation "
        f"queries, so that {what}. {advice}",
        ConstantValueWarning,
    )


def warn_if_ids_are_binned(X: Any) -> None:
    """Warn where a column of query ids holds the same few numbers as the features do.

    A transformer of a Pipeline around the ranker has then put the ids into bins, and many queries
    are taken for one.

    Parameters
    ----------
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with columns of query ids.
    """
    for name in id_columns(X):
        ids = np.asarray(X[name])
        if ids.dtype.kind != "f":
            continue
        bins = np.unique(ids)
        if not np.array_equal(bins, np.arange(len(bins))):
            continue
        features = _numbers_of(without_query_ids(X))
        if features is None:
            continue
        has_same_bins = [
            np.isin(column, bins).all() and column.max() == bins[-1]
            for column in features.T
        ]
        if np.mean(has_same_bins) > _MOST:
            warn_once(
                f"The column {name!r} of X holds the numbers 0 to {bins[-1]:g} as the features do, "
                f"as if a transformer had put the query ids into {len(bins)} bins: queries are "
                "taken for one. Pass y=query_target(y, qid) and leave the column out of X, or put "
                "the transformers inside, QueryRanker(make_pipeline(transformers, estimator)).",
                QueryIdsWarning,
            )


def warn_if_cut_along(held_out: Judgments) -> None:
    """Warn where a search has cut the rows to watch along with the training rows.

    scikit-learn takes the training rows of a fold out of every fit parameter with as many entries
    as X. Sizes of the queries tell, where the target or the ids hold them; without them, the search
    knows what it was given.

    Parameters
    ----------
    held_out : Judgments
        The rows to watch.
    """
    if held_out.sizes is not None:
        return
    n_given = n_rows_given_to_search("eval_X")
    if n_given is not None and n_given > held_out.n_documents:
        warn_once(
            f"eval_X was cut from {n_given} rows to {held_out.n_documents}: scikit-learn's tools "
            "take the training rows of a fold out of every fit parameter that is as long as X, so "
            "that parts of the validation queries are watched. Pass eval_X of another length than "
            "X, or set validation_fraction.",
            CutQueriesWarning,
        )


def warn_if_features_are_transformed(X: Any, eval_X: Any) -> None:  # noqa: N803
    """Warn where features of the rows to watch lie far from those of the training rows.

    A Pipeline around the ranker transforms X alone.

    Parameters
    ----------
    X, eval_X : array-like or sparse matrix of shape (n_documents, n_features)
        Features to train on, and to watch.
    """
    train = _numbers_of(X)
    watched = _numbers_of(eval_X)
    if train is None or watched is None or min(len(train), len(watched)) < _FEWEST_ROWS:
        return

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lowest = np.nanmin(train, axis=0)
        highest = np.nanmax(train, axis=0)
        mean = np.nanmean(train, axis=0)
        deviation = np.nanstd(train, axis=0)

        # Most rows of a column lie beyond the training rows.
        is_beyond = (watched < lowest) | (watched > highest)
        is_apart = is_beyond.mean(axis=0) > _MOST

        # A scaler has made the training rows, and not the others.
        is_scaled = (np.abs(mean) < _EXACT) & (np.abs(deviation - 1) < _EXACT)
        ratio = np.nanstd(watched, axis=0) / deviation
        distance = np.abs(np.nanmean(watched, axis=0) - mean)
        is_other_scale = (ratio < 1 / _FAR) | (ratio > _FAR) | (distance > _FAR)
        varies = deviation > 0

    if not varies.any():
        return
    is_unlike = is_apart | (is_scaled & is_other_scale)
    if is_unlike[varies].mean() > _MOST:
        warn_once(
            f"eval_X looks like other features than X: {is_unlike.sum()} of {len(varies)} columns "
            "lie beyond the training rows. A Pipeline around the ranker transforms X alone: name "
            'Pipeline(..., transform_input=["eval_X"]), or put the transformers inside, '
            "QueryRanker(make_pipeline(transformers, estimator)).",
            UnlikeQueriesWarning,
        )


def _numbers_of(X: Any) -> NDArray[np.float64] | None:
    """Return some rows of features as numbers, or None where they are none."""
    n_rows = _num_samples(X)
    rows = np.unique(np.linspace(0, n_rows - 1, _LOOKED_AT).astype(np.int64))
    try:
        # All rows where a scaler is to be told by its mean and its deviation.
        table = X if n_rows <= _READ_WHOLE else _safe_indexing(X, rows)
        if hasattr(table, "toarray"):
            table = table.toarray()
        numbers = np.asarray(table).astype(np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 2 else None  # noqa: PLR2004


def warn_if_scores_are_equal(
    predict: Callable[[Any], NDArray[Any]], rows: QueryRows, estimator: Any
) -> None:
    """Warn where a fitted ranker gives one score to all documents of every training query.

    Few rows mostly show that it does not. A candidate of a search may learn nothing, since others
    do; and a baseline such as DummyRegressor is meant to.

    Parameters
    ----------
    predict : callable
        Scores rows of features.
    rows : QueryRows
        The training rows.
    estimator : estimator
        The fitted estimator.
    """
    if type(estimator).__module__.startswith("sklearn.dummy"):
        return
    # One document a query has no other to be ranked with.
    if len(rows.y) < _FEWEST_ROWS or rows.sizes.max() == 1:
        return

    features = rows.X if hasattr(rows.X, "shape") else np.asarray(rows.X)
    rows = dataclasses.replace(rows, X=features)
    queries = np.linspace(0, len(rows.sizes) - 1, _PREDICTED_QUERIES)
    some_rows = rows.take(np.unique(queries.astype(np.int64)))
    if len(some_rows.y) > _PREDICTED_ROWS:
        some_rows = _first_of_each(some_rows)
    if not _are_equal(predict, some_rows) or not _are_equal(predict, rows):
        return
    warn_once(
        f"The fitted {type(estimator).__name__} gives all documents of a training query one "
        "score, so that it ranks nothing. It has learned no tree or coefficient: look at "
        "parameters that forbid it, such as min_child_samples, min_child_weight, "
        "min_sum_hessian_in_leaf or a large alpha, and at features without variation.",
        ConstantValueWarning,
        in_searches=False,
    )


def _first_of_each(rows: QueryRows) -> QueryRows:
    """Take the first rows of each query, so that there are few."""
    n_each = max(2, _PREDICTED_ROWS // len(rows.sizes))
    starts = np.cumsum(rows.sizes) - rows.sizes
    place_in_query = np.arange(len(rows.y)) - np.repeat(starts, rows.sizes)
    is_first = place_in_query < n_each
    return rows.at(np.flatnonzero(is_first), np.minimum(rows.sizes, n_each))


def _are_equal(predict: Callable[[Any], NDArray[Any]], rows: QueryRows) -> bool:
    """Whether predictions are equal within every query; libraries do not warn of the look."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = np.asarray(predict(rows.X))
    starts = np.cumsum(rows.sizes) - rows.sizes
    highest = np.maximum.reduceat(scores, starts)
    lowest = np.minimum.reduceat(scores, starts)
    return bool((highest == lowest).all())
