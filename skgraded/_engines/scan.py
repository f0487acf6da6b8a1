"""What to score and how, and the scoring of parts: blocks of whole queries, in constant memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from itertools import pairwise
from typing import Any, Literal, NamedTuple, NoReturn, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._engines.rows import Columns, Rows, in_rows, join_ids
from skgraded._support.arguments import choice, flag, integer, threads
from skgraded._support.version import require_version, version_here
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
Order = Literal["ascending", "grouped"]

_WAYS_OUT = (
    "Sort the data by query first; or, if the rows of each query stand together, pass "
    "order='grouped', which remembers all ids."
)


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
    >>> from skgraded._engines.rows import Columns
    >>> from skgraded._engines.scan import EvaluationPlan
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
    >>> from skgraded._engines.scan import reordered
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


def check_order(order: object) -> Order:
    """Return an order that can be checked."""
    return cast(Order, choice("order", order, get_args(Order)))


def whole_queries(chunks: Iterator[Rows], block_rows: int) -> Iterator[Rows]:
    """Collect chunks until there are enough rows, and hold back the last query.

    Parameters
    ----------
    chunks : iterator of Rows
        The rows of a query stand together, also across the ends of chunks.
    block_rows : int
        The least number of rows of a block.

    Yields
    ------
    Rows
        Whole queries only.
    """
    held: list[Rows] = []
    n_held, wanted = 0, block_rows
    for rows in chunks:
        held.append(rows)
        n_held += rows.n_rows
        if n_held < wanted:
            continue
        joined = Rows.concatenate(held)
        end = _start_of_last_query(joined.qid)
        if end:
            yield joined.take(slice(0, end)) if end < n_held // 2 else _head(joined, end)
            joined = joined.take(slice(end, None))
        held, n_held = [joined], joined.n_rows
        # A query longer than a block is joined up again only when it has doubled.
        wanted = max(block_rows, 2 * n_held)
    if held:
        yield Rows.concatenate(held)


def _head(rows: Rows, end: int) -> Rows:
    return Rows(*(None if each is None else each[:end] for each in rows))  # type: ignore[arg-type]


def _start_of_last_query(ids: NDArray[Any]) -> int:
    others = np.flatnonzero(ids != ids[-1])
    return int(others[-1]) + 1 if len(others) else 0


class QueryOrder:
    """A check that no query comes back after another one has begun.

    Parameters
    ----------
    order : {"ascending", "grouped"} or None
        ``"ascending"``: ids ascend, which takes no memory to check. ``"grouped"``: all ids are
        remembered. None: nothing is checked across blocks, since an engine has sorted the rows,
        perhaps by another order of texts than Python's.
    """

    def __init__(self, order: Order | None) -> None:
        self.order = order
        self.n_rows = 0
        self._last: NDArray[Any] | None = None
        self._seen: set[Any] = set()

    def check(self, judgments: Judgments) -> None:
        """Check the queries of the next block.

        Parameters
        ----------
        judgments : Judgments
            Judgments of the block.

        Raises
        ------
        ValueError
            If a query is in two places, or ids do not ascend.
        """
        if judgments.row_order is not None:
            self._refuse_gap(judgments)
        ids = judgments.qid
        if self.order == "ascending":
            self._check_ascending(ids, judgments.indptr)
        elif self.order == "grouped":
            self._check_unseen(ids, judgments.indptr)
        self.n_rows += judgments.n_documents

    def _refuse_gap(self, judgments: Judgments) -> None:
        rows, query = judgments.row_order, judgments.indptr
        gaps = np.flatnonzero(np.diff(rows) != 1) + 1 if rows is not None else np.zeros(0, np.int64)
        inside = np.setdiff1d(gaps, query)
        again = int(inside[0])
        number = int(np.searchsorted(query, again, side="right")) - 1
        self._raise_back(judgments.qid[number], self.n_rows + int(rows[again]))  # type: ignore[index]

    def _check_ascending(self, ids: NDArray[Any], indptr: NDArray[np.int64]) -> None:
        before = ids[:-1] if self._last is None else join_ids([self._last, ids[:-1]])
        after = ids[len(ids) - len(before) :]
        descents = np.flatnonzero(~_ascend(before, after))
        if len(descents):
            place = int(descents[0])
            row = self.n_rows + int(indptr[len(ids) - len(before) + place])
            raise ValueError(
                f"qid must ascend from query to query, got {_shown(after[place])} after "
                f"{_shown(before[place])} in row {row}. {_WAYS_OUT}"
            )
        self._last = ids[-1:]

    def _check_unseen(self, ids: NDArray[Any], indptr: NDArray[np.int64]) -> None:
        listed = ids.tolist()
        known = self._seen.intersection(listed)
        if known:
            number = next(place for place, each in enumerate(listed) if each in known)
            self._raise_back(ids[number], self.n_rows + int(indptr[number]))
        self._seen.update(listed)

    def _raise_back(self, query: Any, row: int) -> None:
        way_out = "Sort the data by query first." if self.order == "grouped" else _WAYS_OUT
        raise ValueError(
            f"The rows of a query must stand together, but query {_shown(query)} comes back in row "
            f"{row}, after other queries. {way_out}"
        )


def _ascend(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    try:
        return np.asarray(before < after, dtype=bool)
    except TypeError as error:
        raise ValueError(
            "qid must be of one type, with an order, to ascend from query to query. Pass "
            "order='grouped' if the rows of each query stand together."
        ) from error


def _shown(query: Any) -> str:
    return repr(query.item() if hasattr(query, "item") else query)


class QueryRange(NamedTuple):
    """Smallest and largest query id of a part of the data.

    Attributes
    ----------
    smallest, largest : object
        The ids; None where the ids of the part have no order.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded._engines.scan import QueryRange
    >>> parts = [QueryRange.of(np.array(["d", "c"])), QueryRange.of(np.array(["a", "b"]))]
    >>> parts[0]
    QueryRange(smallest='c', largest='d')
    >>> QueryRange.are_apart(parts)
    True
    """

    smallest: Any
    largest: Any

    @classmethod
    def of(cls, ids: NDArray[Any]) -> Self:
        """Find the range of some ids.

        Parameters
        ----------
        ids : ndarray of shape (n_queries,)
            At least one id.

        Returns
        -------
        QueryRange
            The range.
        """
        try:
            return cls(min(ids.tolist()), max(ids.tolist()))
        except TypeError:
            return cls(None, None)

    @staticmethod
    def are_apart(ranges: Iterable[QueryRange]) -> bool:
        """Whether no two ranges meet, so that no query can be in two parts.

        Parameters
        ----------
        ranges : iterable of QueryRange
            Range of each part.

        Returns
        -------
        bool
            False also where the ids have no order.
        """
        try:
            return all(one.largest < two.smallest for one, two in pairwise(sorted(ranges)))
        except TypeError:
            return False


def refuse_cut_query(cut: str) -> NoReturn:
    """Raise the error that a query is in two partitions.

    Parameters
    ----------
    cut : str
        Which query is in which partitions.

    Raises
    ------
    ValueError
        In any case.

    Examples
    --------
    >>> from skgraded._engines.scan import refuse_cut_query
    >>> refuse_cut_query("query 7 is in partitions 0 and 1")
    Traceback (most recent call last):
    ValueError: No query may be in two partitions, but query 7 is in partitions 0 and 1. Leave...
    """
    raise ValueError(
        f"No query may be in two partitions, but {cut}. Leave whole_queries out to have the rows "
        "of each query brought together, or write the data query by query."
    )


def check_grades(grades: Sequence[float] | FloatArray | None) -> FloatArray | None:
    """Return the grades of a scale, ascending from 0."""
    if grades is None:
        return None
    rule = f"grades must be a sequence of finite numbers >= 0, such as range(5), got {grades!r}."
    try:
        given = np.asarray(grades, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(rule) from error
    scale = np.union1d([0.0], given)
    if given.ndim != 1 or not np.isfinite(scale).all() or scale[0] < 0:
        raise ValueError(rule)
    return scale


def distinct_grades(labels: Iterable[NDArray[Any]]) -> FloatArray:
    """Return the grades that occur in labels; labels that are not grades are left out.

    Scoring refuses labels that are negative or infinite, and names them.

    Parameters
    ----------
    labels : iterable of ndarray
        Labels of each part; NaN = unjudged.

    Returns
    -------
    ndarray of float64
        The grades, ascending from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded._engines.scan import distinct_grades
    >>> distinct_grades([np.array([2, 0]), np.array([3.0, np.nan])])
    array([0., 2., 3.])
    """
    found = [np.unique(each[~np.isnan(each)]) for each in map(_floats, labels)]
    grades = np.unique(np.concatenate([[0.0], *found]))
    return np.asarray(grades[(grades >= 0) & np.isfinite(grades)])


def _floats(labels: NDArray[Any]) -> FloatArray:
    is_whole = labels.dtype.kind in "iub" and len(labels) > 0
    if is_whole and labels.min() >= 0 and labels.max() < 2**16:  # counting is faster than sorting
        return np.flatnonzero(np.bincount(labels)).astype(np.float64)
    return labels.astype(np.float64)


def on_scale(judgments: Judgments, grades: FloatArray | None) -> Judgments:
    """Express the judgments of a part on the scale of the whole.

    Parameters
    ----------
    judgments : Judgments
        Judgments of a part.
    grades : ndarray or None
        The grades of the whole, ascending from 0; None leaves the judgments as they are.

    Returns
    -------
    Judgments
        The same judgments, of which ``grades`` is the scale of the whole.

    Raises
    ------
    ValueError
        If the part has a grade that is not on the scale.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded._engines.scan import on_scale
    >>> from skgraded.rankings import Judgments
    >>> on_scale(Judgments([0, 3, 0]), np.arange(5.0)).grades
    array([0., 1., 2., 3., 4.])
    """
    if grades is None or np.array_equal(judgments.grades, grades):
        return judgments
    if judgments.has_fractional_grades or (grades != np.floor(grades)).any():
        grades = _up_to_top(judgments, float(grades[-1]))
    unknown = np.setdiff1d(judgments.grades, grades)
    if len(unknown):
        raise ValueError(
            f"grades must name every grade that occurs, got {unknown[0]:g} in y_true and grades "
            f"{', '.join(f'{each:g}' for each in grades)}."
        )
    n_levels = len(grades)
    level_of = np.searchsorted(grades, judgments.grades)
    level_of = np.append(level_of, [n_levels, n_levels + 1])  # the unjudged stay unjudged
    return judgments.relabel(grades, level_of)


def _up_to_top(judgments: Judgments, top: float) -> FloatArray:
    """Return the grades of a part and the top of the scale, since others are too many to list."""
    if judgments.top_grade > top:
        raise ValueError(
            f"grades must reach the highest grade that occurs, got {judgments.top_grade:g} in "
            f"y_true and a highest grade of {top:g}."
        )
    return np.union1d(judgments.grades, [top])
