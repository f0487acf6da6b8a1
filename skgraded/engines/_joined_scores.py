"""Values of parts of the queries put together, and put into another order."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from skgraded.engines._rows import join_ids
from skgraded.results import Scores

__all__ = ["concatenated", "reordered"]


def concatenated(parts: list[Scores]) -> Scores:
    """Put scores of different queries one below the other."""
    first = parts[0]
    weighted = first.weights is not None
    return dataclasses.replace(
        first,
        qid=join_ids([each.qid for each in parts]),
        values=np.concatenate([each.values for each in parts]),
        weights=np.concatenate([each.weights for each in parts]) if weighted else None,
        n_empty=tuple(map(sum, zip(*(each.n_empty for each in parts), strict=True))),
        ideals=(),
    )


def reordered(scores: Scores, order: NDArray[np.int64]) -> Scores:
    """Put the queries of scores into another order.

    Parameters
    ----------
    scores : Scores
        Values query by query.
    order : ndarray of shape (n_queries,)
        For each new place, the place where the query is now.

    Returns
    -------
    Scores
        The same queries.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import evaluate
    >>> from skgraded.engines import reordered
    >>> scores = evaluate(["AP"], [1, 0, 1], [1.0, 2.0, 1.0], qid=["b", "b", "a"])
    >>> reordered(scores, np.argsort(scores.qid)).values[:, 0]
    array([1. , 0.5])
    """
    return dataclasses.replace(
        scores,
        qid=scores.qid[order],
        values=scores.values[order],
        weights=None if scores.weights is None else scores.weights[order],
    )
