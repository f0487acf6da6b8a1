"""Warnings where two arguments look exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._stack import warn_once
from skgraded._support.array_types import IntArray
from skgraded.exceptions import SwappedArgumentsWarning

_MOST_GRADES = 16  # scores of more different values are not grades
# So many scores tell whether there are few different ones.
_SAMPLED = 256


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
    if scores is None or _count_distinct(scores[:_SAMPLED]) > _MOST_GRADES:
        return

    distinct_scores = np.unique(scores)
    first_score = distinct_scores[0]
    are_whole = first_score == 0 and _are_whole(distinct_scores)

    # Below 0 are marks of the unjudged. Equal scores are those of a constant model, and yes and no
    # beside probabilities are as often the scores as the grades.
    n_grades = _count_distinct(np.maximum(grades, 0.0))
    fewest = 2 if grades.max() > 1 else 3
    are_few = fewest <= len(distinct_scores) <= min(n_grades - 1, _MOST_GRADES)
    if are_whole and are_few and _are_repeated(scores, lists.indptr):
        first, second = names
        warn_once(
            f"{first} holds fractional numbers, and {second} whole numbers from 0 to "
            f"{distinct_scores[-1]:g}: they look exchanged. {first} comes first, and then "
            f"{second}.",
            SwappedArgumentsWarning,
        )


def _count_distinct(numbers: NDArray[Any]) -> int:
    return len(np.unique(numbers))


def _are_whole(numbers: NDArray[Any]) -> bool:
    whole_numbers = np.floor(numbers)
    return np.array_equal(numbers, whole_numbers)


def _are_repeated(scores: NDArray[Any], indptr: IntArray) -> bool:
    """Whether scores above 0 occur twice in a query, as grades do and ranks do not."""
    queries = np.arange(len(indptr) - 1)
    query = np.repeat(queries, np.diff(indptr))

    pairs = np.stack([query, scores], axis=1)
    pairs = pairs[scores > 0]
    distinct_pairs = np.unique(pairs, axis=0)
    return len(distinct_pairs) < len(pairs)


# By chance ranks go against grades so far in one of 30,000 samples.
_DEVIATIONS = 4.0


def warn_if_scores_are_ranks(judgments: Any, lists: Any) -> None:
    """Warn where scores are ranks, of which the lowest is the best.

    Parameters
    ----------
    judgments : Judgments
        The grades by query, ``graded``, which are read for ranks alone.
    lists : Rankings
        The scores by query: those of query q are ``scores[indptr[q]:indptr[q + 1]]``.
    """
    scores = lists.scores
    indptr = lists.indptr
    # The first query mostly says that scores are no ranks.
    if scores is None or not _are_ranks(scores[: indptr[1]], indptr[:2]):
        return
    if not _are_ranks(scores, indptr):
        return

    # How the grades of a query fall with its ranks, and by how much they would by chance.
    sizes = np.diff(indptr)
    starts = indptr[:-1]
    levels = np.maximum(judgments.graded, 0.0)
    mean_grades = np.add.reduceat(levels, starts) / sizes
    mean_ranks = np.add.reduceat(scores, starts) / sizes
    of_grades = levels - np.repeat(mean_grades, sizes)
    of_ranks = scores - np.repeat(mean_ranks, sizes)
    trend = np.add.reduceat(of_grades * of_ranks, starts)
    spread = np.add.reduceat(of_grades**2, starts) * np.add.reduceat(
        of_ranks**2, starts
    )
    deviation = np.sqrt((spread / np.maximum(sizes - 1, 1)).sum())
    if trend.sum() < -_DEVIATIONS * deviation:
        warn_once(
            "y_score holds the ranks of the documents, of which the lowest have the highest "
            "grades: a higher score ranks first here. Pass -y_score.",
            SwappedArgumentsWarning,
        )


def _are_ranks(scores: NDArray[Any], indptr: NDArray[np.int64]) -> bool:
    """Whether the scores of every query are 1, 2 ... or 0, 1 ..., in some order."""
    sizes = np.diff(indptr)
    first = scores.min(initial=np.inf)
    if first not in (0, 1) or not (sizes > 1).any():
        return False
    query = np.repeat(np.arange(len(sizes)), sizes)
    place_in_query = np.arange(len(scores)) - np.repeat(indptr[:-1], sizes)
    order = np.lexsort((scores, query))
    return bool((scores[order] == place_in_query + first).all())


def warn_if_grades_are_ids(grades: NDArray[Any], ids: NDArray[Any]) -> None:
    """Warn where ids look like grades and grades like ids, whose rows stand together.

    Parameters
    ----------
    grades, ids : ndarray of shape (n_documents,)
        What was given as grades and as query ids.
    """
    if ids.dtype.kind not in "iuf" or grades.dtype.kind not in "iuf":
        return

    n_runs_of_grades = _count_runs(grades)
    if 2 * n_runs_of_grades >= _count_runs(ids):  # as where they are right
        return

    distinct_grades = np.unique(grades)
    n_grades = len(distinct_grades)
    are_many = n_runs_of_grades == n_grades > _MOST_GRADES
    are_ids = are_many and _are_whole(distinct_grades)
    distinct_ids = np.unique(ids)
    if are_ids and len(distinct_ids) <= _MOST_GRADES and distinct_ids[0] >= 0:
        warn_once(
            f"y holds {n_grades} numbers whose rows stand together, as those of query ids, and "
            f"qid only {len(distinct_ids)} numbers in mixed order: they look exchanged. The grades "
            "come first, and then the ids.",
            SwappedArgumentsWarning,
        )


def _count_runs(numbers: NDArray[Any]) -> int:
    """Count the runs of equal numbers that stand together."""
    is_change = numbers[1:] != numbers[:-1]
    n_changes = np.count_nonzero(is_change)
    return int(n_changes) + 1
