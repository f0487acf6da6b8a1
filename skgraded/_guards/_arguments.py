"""Warnings about arguments that are easily forgotten or taken for others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._queries import IntArray, Queries, n_rows_of
from skgraded._guards._stack import warn_once
from skgraded.exceptions import QueryIdsWarning, SwappedArgumentsWarning

_LONG_FOR_ONE_QUERY = 1_000
_MANY_SINGLE_DOCUMENTS = 20
_MOST_GRADES = 16  # scores of more different values are not grades
# So many scores tell whether there are few different ones.
_SAMPLED = 256
_CHANCE = 1e-6  # a warning is shown only if a chance match is less likely than this


def warn_if_ids_are_forgotten(n_rows: int) -> None:
    """Warn where a call without ids has more rows than the list of one query."""
    if n_rows > _LONG_FOR_ONE_QUERY:
        warn_once(
            f"There are no query ids, so that all {n_rows} rows are scored as one query. Pass "
            "qid=, one id per row; in scikit-learn's tools use make_ranking_scorer, which finds "
            "the ids. If the rows are one query, say so by qid=np.zeros(len(y_true)).",
            QueryIdsWarning,
        )


def warn_if_ids_are_of_another_kind(queries: Queries) -> None:
    """Warn where ids are row numbers or scores, or each id is the size of its query.

    Parameters
    ----------
    queries : Queries
        The rows by query.
    """
    ids = queries.qid
    if queries.indptr[-1] == len(ids):  # each query has a single document
        if _name_rows(ids):
            warn_once(
                f"qid is another number in each of {len(ids)} rows, as row numbers and scores are, "
                "so that every query has a single document and any scores rank it equally. Give "
                "the rows of a query the same id.",
                QueryIdsWarning,
            )
    elif ids.dtype.kind in "iu" and ids[0] >= 1 and _are_sizes(ids, n_rows_of(queries)):
        warn_once(
            "qid looks like the number of rows of each query, repeated for each row: queries of "
            "the same size are taken for one. From group sizes, make ids by "
            "qid=np.repeat(np.arange(len(sizes)), sizes).",
            QueryIdsWarning,
        )


def _name_rows(ids: NDArray[Any]) -> bool:
    """Whether ids are 0, 1, 2 ..., 1, 2, 3 ... or fractions; others may be of single documents."""
    if len(ids) < _MANY_SINGLE_DOCUMENTS or ids.dtype.kind not in "iuf":
        return False
    return bool((ids != np.floor(ids)).any() or (ids[0] in {0, 1} and (np.diff(ids) == 1).all()))


def _are_sizes(ids: NDArray[Any], n_rows: IntArray) -> bool:
    """Whether queries of one size were taken for one, as each id divides its number of rows."""
    if len(ids) == 1:
        is_long = n_rows[0] > _LONG_FOR_ONE_QUERY
        return bool(is_long and 1 < ids[0] < n_rows[0] and n_rows[0] % ids[0] == 0)
    if ids.min() < 1 or (n_rows == n_rows[0]).all() or (n_rows % ids).any():
        return False
    # An id divides a number of rows by chance once in id times.
    return bool(np.log(ids).sum() >= -np.log(_CHANCE))


def warn_if_swapped(
    grades: NDArray[Any], lists: Any, names: tuple[str, str] = ("y_true", "y_score")
) -> None:
    """Warn where fractional grades and scores of few whole numbers look exchanged.

    Parameters
    ----------
    grades : ndarray of shape (n_judged,)
        Grades, some of which are fractional.
    lists : Rankings or Run
        The scores by query: those of query q are ``scores[indptr[q]:indptr[q + 1]]``.
    names : (str, str), default=("y_true", "y_score")
        What the user calls the two.
    """
    scores = lists.scores
    if scores is None or len(np.unique(scores[:_SAMPLED])) > _MOST_GRADES:
        return
    found = np.unique(scores)
    # Below 0 are marks of the unjudged. Equal scores are those of a constant model, and yes and no
    # beside probabilities are as often the scores as the grades.
    most = min(len(np.unique(np.maximum(grades, 0.0))) - 1, _MOST_GRADES)
    fewest = 2 if grades.max() > 1 else 3
    are_whole = found[0] == 0 and np.array_equal(found, np.floor(found))
    if are_whole and fewest <= len(found) <= most and _repeat(scores, lists.indptr):
        warn_once(
            f"{names[0]} holds fractional numbers, and {names[1]} whole numbers from 0 to "
            f"{found[-1]:g}: they look exchanged. {names[0]} comes first, and then {names[1]}.",
            SwappedArgumentsWarning,
        )


def _repeat(scores: NDArray[Any], indptr: IntArray) -> bool:
    """Whether scores above 0 occur twice in a query, as grades do and ranks do not."""
    query = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    pairs = np.stack([query, scores])[:, scores > 0]
    return len(np.unique(pairs, axis=1).T) < pairs.shape[1]


def warn_if_grades_are_ids(grades: NDArray[Any], ids: NDArray[Any]) -> None:
    """Warn where ids look like grades and grades like ids, whose rows stand together.

    Parameters
    ----------
    grades, ids : ndarray of shape (n_documents,)
        What was given as grades and as query ids.
    """
    if ids.dtype.kind not in "iuf" or grades.dtype.kind not in "iuf":
        return
    n_runs = 1 + np.count_nonzero(grades[1:] != grades[:-1])
    if 2 * n_runs >= 1 + np.count_nonzero(ids[1:] != ids[:-1]):  # as where they are right
        return
    known, of_queries = np.unique(grades), np.unique(ids)
    are_ids = n_runs == len(known) > _MOST_GRADES and (known == np.floor(known)).all()
    if are_ids and len(of_queries) <= _MOST_GRADES and of_queries[0] >= 0:
        warn_once(
            f"y holds {len(known)} numbers whose rows stand together, as those of query ids, and "
            f"qid only {len(of_queries)} numbers in mixed order: they look exchanged. The grades "
            "come first, and then the ids.",
            SwappedArgumentsWarning,
        )
