"""Results of many parts as one: exact sums, or the values of all queries."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded.engines._rows import join_ids
from skgraded.measures import Scores
from skgraded.results import MeanSums

__all__ = ["Totals", "concatenated", "reordered"]


class Totals(NamedTuple):
    """Exact sums over some whole queries, from which their means are taken.

    Totals of parts add up to the same bits in any order.

    Attributes
    ----------
    n_queries : int
        Number of queries.
    n_documents : int
        Number of rows.
    n_empty : tuple of int
        For each measure, the number of queries with nothing relevant.
    n_left_out : tuple of int
        For each measure, the number of queries without a value.
    sums : tuple of MeanSums
        For each measure, the sums over queries.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.engines import Totals
    >>> one = evaluate(["AP"], [1, 0], [2.0, 1.0])
    >>> two = evaluate(["AP"], [0, 1], [2.0, 1.0])
    >>> totals = Totals.joined_all([Totals.of(one, 2), Totals.of(two, 2)], n_measures=1)
    >>> totals.n_documents, totals.sums[0].mean
    (4, 0.75)
    """

    n_queries: int
    n_documents: int
    n_empty: tuple[int, ...]
    n_left_out: tuple[int, ...]
    sums: tuple[MeanSums, ...]

    @classmethod
    def nothing(cls, n_measures: int) -> Totals:
        """Totals of no query.

        Parameters
        ----------
        n_measures : int
            Number of measures.

        Returns
        -------
        Totals
            All zero.
        """
        none = (0,) * n_measures
        return cls(0, 0, none, none, (MeanSums(),) * n_measures)

    @classmethod
    def of(cls, scores: Scores, n_documents: int) -> Totals:
        """Add up scores.

        Parameters
        ----------
        scores : Scores
            Values query by query.
        n_documents : int
            Number of rows of these queries.

        Returns
        -------
        Totals
            Their totals.
        """
        return cls(
            len(scores.values),
            n_documents,
            scores.n_empty,
            tuple(np.isnan(scores.values).sum(axis=0).tolist()),
            tuple(MeanSums.of(column, scores.weights) for column in scores.values.T),
        )

    def joined(self, other: Totals) -> Totals:
        """Add the totals of other queries.

        Parameters
        ----------
        other : Totals
            Totals of the same measures.

        Returns
        -------
        Totals
            The sum.
        """
        return Totals(
            self.n_queries + other.n_queries,
            self.n_documents + other.n_documents,
            _added(self.n_empty, other.n_empty),
            _added(self.n_left_out, other.n_left_out),
            tuple(one.joined(two) for one, two in zip(self.sums, other.sums, strict=True)),
        )

    @classmethod
    def joined_all(cls, parts: Iterable[Totals], n_measures: int) -> Totals:
        """Add up the totals of all parts.

        Parameters
        ----------
        parts : iterable of Totals
            The parts.
        n_measures : int
            Number of measures, for the case that there is no part.

        Returns
        -------
        Totals
            The sum.
        """
        return reduce(cls.joined, parts, cls.nothing(n_measures))


def _added(one: tuple[int, ...], two: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, two, strict=True))


def concatenated(parts: list[Scores]) -> Scores:
    """Put scores of different queries one below the other."""
    first = parts[0]
    weighted = first.weights is not None
    return Scores(
        first.measures,
        join_ids([each.qid for each in parts]),
        np.concatenate([each.values for each in parts]),
        np.concatenate([each.weights for each in parts]) if weighted else None,
        tuple(np.sum([each.n_empty for each in parts], axis=0).tolist()),
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
