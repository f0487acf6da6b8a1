"""Arrays as users pass them to metric functions, read with care for what is easily forgotten."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded._guards import is_called_by_a_scorer, warn_once
from skgraded.exceptions import GroupSizesWarning, MissingQueryIdsWarning, SwappedArgumentsWarning
from skgraded.rankings._checks import numeric
from skgraded.rankings._judgments import Judgments, Rankings
from skgraded.rankings._query_ids import QID, find_queries, split_target

__all__ = ["as_rankings", "refuse_other_order", "warn_if_ids_are_sizes", "warn_if_swapped"]

_LONG_FOR_ONE_QUERY = 1_000
_MOST_GRADES = 16  # scores of more different values are no grades
_CHANCE = 1e-6  # a warning is shown only if a chance match is less likely than this


def as_rankings(
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Rankings:
    """Rank documents given as arrays, or return a `Rankings` unchanged.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or a `Rankings`, without `y_score`, `qid`
        and `sample_weight`.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it they are read from `y_true`, where that is made by
        `query_target` or is a Series with an index level ``"qid"``; else all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    n_threads : int, optional
        Number of threads, which does not change the results. None is one thread, and -1 one per
        processor.

    Returns
    -------
    Rankings
        The ranked documents.

    Raises
    ------
    TypeError
        If `y_score` is missing, or other arguments are passed together with a `Rankings`.
    ValueError
        If two pandas objects have the same index in different orders.

    Warns
    -----
    MissingQueryIdsWarning
        If there are no query ids and more than 1,000 rows, or scikit-learn's scorer asks.
    GroupSizesWarning
        If the query ids look like group sizes.
    SwappedArgumentsWarning
        If the grades look like scores, and the scores like grades.

    Examples
    --------
    >>> from skgraded.rankings import as_rankings
    >>> as_rankings([1, 0], [0.5, 0.7])
    <Rankings of 2 documents in 1 queries>
    """
    if isinstance(y_true, Rankings):
        if any(given is not None for given in (y_score, qid, sample_weight)):
            raise TypeError("y_score, qid and sample_weight must be None with a Rankings.")
        return y_true
    if y_score is None:
        raise TypeError("y_score is missing: pass y_true and y_score, or a Rankings.")
    refuse_other_order(y_true=y_true, y_score=y_score, qid=qid, sample_weight=sample_weight)
    ids = _ids_of_target(y_true) if qid is None else _without_sizes(qid)
    grades, _ = split_target(y_true)
    rankings = Rankings.from_arrays(grades, y_score, ids, sample_weight, n_threads)
    if rankings.judgments.has_fractional_grades:
        warn_if_swapped(rankings.judgments.grades, y_score, ("y_true", "y_score"))
    if ids is None:
        _warn_if_ids_are_forgotten(rankings.judgments.n_documents)
    else:
        warn_if_ids_are_sizes(rankings.judgments)
    return rankings


def _ids_of_target(y_true: Any) -> Any:
    queries = find_queries(None, y_true)
    return None if queries is None else queries.ids


def _without_sizes(qid: Any) -> Any:
    """Return ids as they were given, or those in the array that `query_ids` makes."""
    names = getattr(getattr(qid, "dtype", None), "names", None)
    return qid[QID] if names else qid


def refuse_other_order(**arguments: Any) -> None:
    """Raise where two pandas objects hold the same rows in different orders.

    Parameters
    ----------
    **arguments : objects
        Arguments by their names; those without an index are left alone.

    Raises
    ------
    ValueError
        If two of them have equal indices but for the order.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded.rankings import refuse_other_order
    >>> refuse_other_order(y=pd.Series([1, 0], index=[5, 7]), qid=["a", "a"])
    """
    indexed = [
        (name, each.index)
        for name, each in arguments.items()
        if hasattr(each, "index") and type(each).__module__.partition(".")[0] == "pandas"
    ]
    for (first, index), (name, other) in combinations(indexed, 2):
        if _differ_only_in_order(index, other):
            raise ValueError(
                f"{name} must have its rows in the order of {first}: both have the same index, in "
                f"different orders. Bring them into one order, for example by "
                f"{name}.loc[{first}.index], or pass arrays."
            )


def _differ_only_in_order(index: Any, other: Any) -> bool:
    if len(index) != len(other) or index.nlevels != other.nlevels or index.equals(other):
        return False
    if (QID in index.names) != (QID in other.names):  # ids, and labels of rows
        return False
    counts = index.value_counts().reindex(other.unique())
    return bool(counts.equals(other.value_counts(sort=False)))


def _warn_if_ids_are_forgotten(n_rows: int) -> None:
    if n_rows <= _LONG_FOR_ONE_QUERY and not is_called_by_a_scorer():
        return
    warn_once(
        f"There are no query ids, so that all {n_rows} rows are scored as one query. Pass qid=, "
        "one id per row; in scikit-learn's tools use make_ranking_scorer, which finds the ids. If "
        "the rows are one query, say so by qid=np.zeros(len(y_true)).",
        MissingQueryIdsWarning,
    )


def warn_if_swapped(grades: ArrayLike, scores: ArrayLike, names: tuple[str, str]) -> None:
    """Warn where fractional grades and scores of few whole numbers look exchanged.

    Parameters
    ----------
    grades : array-like
        The grades, of which some are fractional.
    scores : array-like
        The scores.
    names : tuple of str
        What the user calls the two.

    Warns
    -----
    SwappedArgumentsWarning
        If the scores are whole numbers from 0 on, few different ones and fewer than the grades.
        Equal scores are those of a constant model.

    Examples
    --------
    >>> from skgraded.rankings import warn_if_swapped
    >>> warn_if_swapped([0.5, 1.0], [0.2, 0.7], ("y_true", "y_score"))
    """
    found = np.unique(numeric(names[1], scores))
    few = 1 < len(found) <= _MOST_GRADES and len(found) < len(np.unique(np.asarray(grades)))
    if not few or found[0] != 0 or (found != np.floor(found)).any():
        return
    warn_once(
        f"{names[0]} holds fractional numbers, and {names[1]} whole numbers from {found[0]:g} to "
        f"{found[-1]:g}: they look exchanged. {names[0]} comes first, and then {names[1]}.",
        SwappedArgumentsWarning,
    )


def warn_if_ids_are_sizes(judgments: Judgments, *, is_training: bool = False) -> None:
    """Warn where each id is the size of its query, as queries of one size are taken for one.

    Parameters
    ----------
    judgments : Judgments
        The labels by query.
    is_training : bool, default=False
        Whether a model is to be trained on the labels: it seldom is on a single query, so that a
        single id is taken for a size even where there are few rows.

    Warns
    -----
    GroupSizesWarning
        If the ids look like group sizes.

    Examples
    --------
    >>> from skgraded import Judgments
    >>> from skgraded.rankings import warn_if_ids_are_sizes
    >>> warn_if_ids_are_sizes(Judgments.from_arrays([1, 0], ["a", "a"]))
    """
    ids = judgments.qid
    if ids.dtype.kind not in "iu" or ids[0] < 1 or ids.min() < 1:
        return
    n_rows = np.diff(judgments.indptr)
    if len(ids) == 1:
        is_long = is_training or n_rows[0] > _LONG_FOR_ONE_QUERY
        looks_like_sizes = is_long and 1 < ids[0] < n_rows[0] and n_rows[0] % ids[0] == 0
    else:
        # An id divides a number of rows by chance once in id times.
        is_chance = np.log(ids).sum() < -np.log(_CHANCE)
        looks_like_sizes = not ((n_rows == n_rows[0]).all() or (n_rows % ids).any() or is_chance)
    if not looks_like_sizes:
        return
    warn_once(
        "qid looks like the number of rows of each query, repeated for each row: queries of the "
        "same size are taken for one. From group sizes, make ids by "
        "qid=np.repeat(np.arange(len(sizes)), sizes).",
        GroupSizesWarning,
    )
