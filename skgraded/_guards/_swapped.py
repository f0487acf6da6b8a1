"""Warnings where two arguments look exchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._guards._stack import warn_once
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


def _repeat(scores: NDArray[Any], indptr: NDArray[np.int64]) -> bool:
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
    if 2 * n_runs >= 1 + np.count_nonzero(
        ids[1:] != ids[:-1]
    ):  # as where they are right
        return
    known = np.unique(grades)
    of_queries = np.unique(ids)
    are_ids = n_runs == len(known) > _MOST_GRADES and (known == np.floor(known)).all()
    if are_ids and len(of_queries) <= _MOST_GRADES and of_queries[0] >= 0:
        warn_once(
            f"y holds {len(known)} numbers whose rows stand together, as those of query ids, and "
            f"qid only {len(of_queries)} numbers in mixed order: they look exchanged. The grades "
            "come first, and then the ids.",
            SwappedArgumentsWarning,
        )
