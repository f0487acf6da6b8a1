"""What to score and how, and the scoring of parts: blocks of whole queries, in constant memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import flag, integer, threads
from skgraded._support.version import require_version, version_here
from skgraded.engines._grade_scale import check_grades, on_scale
from skgraded.engines._rows import Columns, Rows, in_rows, join_ids
from skgraded.engines._whole_queries import Order, QueryOrder, whole_queries
from skgraded.measures import (
    Measure,
    Measures,
    evaluate,
    measures_by_name,
    resolve_all,
    warn_of_continuous_scale,
)
from skgraded.rankings import Judgments
from skgraded.results import Means, Scores

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """What to score and how: the same for all parts of the data.

    Attributes
    ----------
    measures : dict of str to Measure
        The measures by name.
    columns : Columns
        Names of the columns.
    grades : ndarray or None
        The scale of grades of all parts, ascending from 0. None: each part has its own.
    n_threads : int or None
        Threads on the machine that scores a part: None is one, -1 all processors.
    per_query : bool
        Whether to keep the values of all queries.
    version : str
        The version of skgraded that made the plan; a process with another one refuses to score.

    Examples
    --------
    >>> from skgraded.engines import Columns, EvaluationPlan
    >>> plan = EvaluationPlan.of("AP", Columns("label", "score", "qid", None), per_query=False)
    >>> parts = [([1, 0], [2.0, 1.0], ["a", "a"]), ([0, 1], [2.0, 1.0], ["b", "b"])]
    >>> plan.combine(plan.result(plan.score(part), n_rows=2) for part in parts)
    measure    mean
    AP       0.7500
    Means over 2 queries.
    """

    measures: dict[str, Measure]
    columns: Columns
    grades: FloatArray | None
    n_threads: int | None
    per_query: bool
    version: str = dataclasses.field(default_factory=version_here)

    @classmethod
    def of(
        cls,
        measures: Measures,
        columns: Columns,
        *,
        per_query: bool,
        grades: Sequence[float] | None = None,
        n_threads: int | None = None,
    ) -> Self:
        """Check the arguments of an evaluation.

        Parameters
        ----------
        measures : str, Measure, sequence of them, or mapping of str to them
            The measures, perhaps with names of their own.
        columns : Columns
            Names of the columns.
        per_query : bool
            Whether to keep the values of all queries.
        grades : sequence of float, optional
            The grades that may occur.
        n_threads : int, optional
            Threads: None is one, -1 all processors.

        Returns
        -------
        EvaluationPlan
            The plan.

        Raises
        ------
        ValueError
            If an argument is out of its range.
        """
        named, scale = measures_by_name(measures), check_grades(grades)
        threads(n_threads)  # -1 counts the processors of the machine that scores, not of this one
        plan = cls(named, columns, None, n_threads, flag("per_query", per_query))
        if scale is None:
            return plan
        is_fractional = not float(scale[-1]).is_integer()
        warn_of_continuous_scale(named.values(), scale[-1], are_fractional=is_fractional)
        return plan._on(scale)

    def with_scale(self, read_grades: Callable[[], FloatArray]) -> Self:
        """Read the scale of grades off the data if a measure needs it and none was given.

        Parameters
        ----------
        read_grades : callable
            Returns the distinct grades of all parts.

        Returns
        -------
        EvaluationPlan
            This plan, or one with the scale.
        """
        if self.grades is not None or not any(each.is_open for each in self.measures.values()):
            return self
        grades = read_grades()
        are_fractional = bool((grades != np.floor(grades)).any())
        warn_of_continuous_scale(self.measures.values(), grades[-1], are_fractional=are_fractional)
        return self._on(grades)

    def _on(self, grades: FloatArray) -> Self:
        """Return the plan with a scale, which no measure leaves open."""
        resolved = resolve_all(self.measures, grades[-1], are_fractional=False)
        return dataclasses.replace(self, measures=resolved, grades=grades)

    def score(self, part: Any) -> Scores:
        """Score a part of whole queries, whose rows stand in any order.

        Parameters
        ----------
        part : tuple of arrays, mapping, DataFrame, RecordBatch or Table
            The rows.

        Returns
        -------
        Scores
            Values query by query.

        Raises
        ------
        RuntimeError
            If the plan was made by another version of skgraded.
        """
        rows = Rows.of(part, self.columns)
        judgments = rows.judgments()
        return self._score(on_scale(judgments, self.grades), rows.y_score)

    def scan(
        self, chunks: Iterable[Any], *, block_rows: int, order: Order | None = None
    ) -> Iterator[tuple[Scores, int]]:
        """Score a stream of chunks, which may cut queries anywhere, block by block.

        Parameters
        ----------
        chunks : iterable
            Chunks of rows, in any form that `score` takes. The rows of a query stand together.
        block_rows : int
            Rows that are scored together, at least.
        order : {"ascending", "grouped"}, optional
            What to check of the order of the queries. None trusts that no query comes back.

        Returns
        -------
        iterator of (Scores, int)
            Values of the queries of each block, and its number of rows.

        Raises
        ------
        ValueError
            If a measure takes the top of the scale from the data and no grades were given; while
            the stream is read, if queries come in another order than promised.
        """
        block_rows = integer("block_rows", block_rows, 1)
        self._require_scale()
        return self._scan(in_rows(chunks, self.columns), block_rows, QueryOrder(order))

    def result(self, scores: Scores, n_rows: int) -> Scores | Means:
        """Keep of the scores of a part what this plan asks for.

        Parameters
        ----------
        scores : Scores
            Values of whole queries.
        n_rows : int
            Number of their rows.

        Returns
        -------
        Scores or Means
            The values themselves, with `per_query`; else their means.
        """
        # Means of the ideal ranking do not add up; without them nobody computes them to send them.
        return (
            dataclasses.replace(scores, ideals=(), judged=scores.fingerprints)
            if self.per_query
            else Means.of(scores, n_rows)
        )

    def combine(self, results: Iterable[Any]) -> Scores | Means:
        """Combine the results of all parts.

        Parameters
        ----------
        results : iterable of Scores, or of Means
            What `result` made of each part.

        Returns
        -------
        Scores or Means
            The values of all queries, with `per_query`; else the means alone.

        Raises
        ------
        ValueError
            If there is no part.
        """
        stream = iter(results)
        first = next(stream, None)
        if first is None:
            raise ValueError("data must hold at least one row, got none.")
        return (
            concatenated([first, *stream])
            if self.per_query
            else reduce(Means.joined, stream, first)
        )

    def _scan(
        self, chunks: Iterator[Rows], block_rows: int, seen: QueryOrder
    ) -> Iterator[tuple[Scores, int]]:
        for rows in whole_queries(chunks, block_rows):
            first_row = seen.n_rows
            with _rows_counted_from(first_row):
                judgments = rows.judgments()
            seen.check(judgments)
            judgments = on_scale(judgments, self.grades)
            with _rows_counted_from(first_row):
                scores = self._score(judgments, rows.y_score)
            yield scores, rows.n_rows

    def _score(self, judgments: Judgments, y_score: Any) -> Scores:
        require_version(self.version)
        return evaluate(self.measures, judgments.rank(y_score, self.n_threads))

    def _require_scale(self) -> None:
        """Raise if a measure would take the top of the scale from each block."""
        still_open = [each for each in self.measures.values() if each.is_open]
        if self.grades is None and still_open:
            example = repr(still_open[0].resolve(4))
            raise ValueError(
                f"{still_open[0]} takes the top of the scale from the data, but the top of a "
                "stream of chunks is known only at its end. Pass the grades, for example "
                f"grades=range(5), or name the top in the measure, for example {example}."
            )


@contextmanager
def _rows_counted_from(first_row: int) -> Iterator[None]:
    """Add to errors, which name a row of the block, the row at which the block begins."""
    try:
        yield
    except ValueError as error:
        if not first_row:
            raise
        raise ValueError(f"{error} (Rows are counted from row {first_row} on.)") from error


def concatenated(parts: list[Scores]) -> Scores:
    """Put scores of different queries one below the other."""
    first = parts[0]
    weighted = first.weights is not None
    return dataclasses.replace(
        first,
        qid=join_ids([each.qid for each in parts]),
        values=np.concatenate([each.values for each in parts]),
        weights=np.concatenate([each.weights for each in parts]) if weighted else None,
        judged=np.concatenate([each.fingerprints for each in parts]),
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
        judged=scores.fingerprints[order],
    )
