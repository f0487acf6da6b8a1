"""One scan for chunks, Dask and Spark: batches of whole queries in, exact totals out."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import reduce
from itertools import chain
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._engines.rows import ColumnNames, Rows, join_ids
from skgraded._support.arguments import first_true, flag, threads
from skgraded._support.array_types import IntArray
from skgraded.measures import Measure, Measures, evaluate, measures_by_name, resolve_all
from skgraded.rankings import Judgments
from skgraded.results import Means, Scores, joined_shares

Order = Literal["ascending", "grouped"]

# The highest of some grades, and whether any of them is not a whole number.
TopGrade = tuple[float, bool]


def version_here() -> str:
    """Return the version of the package in this process."""
    version: str = sys.modules["skgraded"].__version__
    return version


def require_version(version: str) -> None:
    """Raise if an evaluation began with another version than this process has.

    Parts that two versions scored would add up without an error, to a value that neither gives.

    Parameters
    ----------
    version : str
        The version where the evaluation began.

    Raises
    ------
    RuntimeError
        If it is not the version here.
    """
    if version != version_here():
        raise RuntimeError(
            "skgraded must have the same version on all machines: the evaluation began with "
            f"{version}, and here is {version_here()}. Install one of them everywhere."
        )


class Block(NamedTuple):
    """Values of the queries of one batch, and its number of rows."""

    scores: Scores
    n_rows: int


class Total(NamedTuple):
    """Means or values of all queries of a partition.

    Attributes
    ----------
    result : Means or Scores, or None
        The values where the plan keeps them, else their means; None where there were no rows.
    ids : list of ndarray
        Ids of the queries, where a promise that no query is in two partitions has to be checked.
    """

    result: Means | Scores | None
    ids: list[NDArray[Any]]


@dataclasses.dataclass(frozen=True, eq=False)
class EvaluationPlan:
    """What to score and how: the same for all parts of the data.

    Attributes
    ----------
    measures : dict of str to Measure
        The measures by name.
    columns : ColumnNames
        Names of the columns.
    per_query : bool
        Whether to keep the values of all queries.
    whole_queries : bool
        Whether the user promised that no query is in two partitions.
    n_threads : int or None
        Threads on the machine that scores a part: None is one, -1 all processors.
    version : str
        The version of skgraded that made the plan; a process with another one refuses to score.
    """

    measures: dict[str, Measure]
    columns: ColumnNames
    per_query: bool
    whole_queries: bool
    n_threads: int | None
    version: str = dataclasses.field(default_factory=version_here)

    @classmethod
    def of(
        cls,
        measures: Measures,
        columns: ColumnNames,
        *,
        per_query: bool = False,
        whole_queries: bool = False,
        n_threads: int | None = None,
    ) -> Self:
        """Check the arguments of an evaluation."""
        # -1 counts the processors of the machine that scores, not of this one.
        threads(n_threads)
        return cls(
            per_query=flag("per_query", per_query),
            whole_queries=flag("whole_queries", whole_queries),
            measures=measures_by_name(measures),
            columns=columns,
            n_threads=n_threads,
        )

    @property
    def open_measure(self) -> Measure | None:
        """A measure that takes the top of the scale from the data, if there is one."""
        measures = self.measures.values()
        return next((measure for measure in measures if measure.is_open), None)

    def with_top(self, read_tops: Callable[[], Iterable[TopGrade]]) -> Self:
        """Give all parts the top of the scale that the whole data have, if a measure needs it.

        Parameters
        ----------
        read_tops : callable
            Returns what `top_of` finds in each part.

        Returns
        -------
        EvaluationPlan
            This plan, or one whose measures name the top of their scale.
        """
        if self.open_measure is None:
            return self

        tops, are_fractional = zip((0.0, False), *read_tops(), strict=True)
        measures = resolve_all(
            self.measures, max(tops), are_fractional=any(are_fractional)
        )
        return dataclasses.replace(self, measures=measures)

    def scan(
        self, batches: Iterable[Rows], order: Order | None = None
    ) -> Iterator[Block]:
        """Score one batch after the other.

        Parameters
        ----------
        batches : iterable of Rows
            Batches of whole queries.
        order : {"ascending", "grouped"}, optional
            What to check of the order of the queries. By default nothing: an engine has brought
            the rows of each query together.

        Yields
        ------
        Block
            Values of the queries of a batch.

        Raises
        ------
        RuntimeError
            If the plan was made by another version of skgraded.
        ValueError
            If queries come in another order than promised.
        """
        require_version(self.version)
        first_row = 0
        query_order = _QueryOrder(order)
        for rows in batches:
            with _rows_counted_from(first_row):
                judgments = rows.judgments()

            query_order.check(rows.qid, judgments, first_row)

            with _rows_counted_from(first_row):
                scores = evaluate(
                    self.measures, judgments.rank(rows.y_score, self.n_threads)
                )
            yield Block(scores, rows.n_rows)
            first_row += rows.n_rows

    def total(self, blocks: Iterable[Block]) -> Total:
        """Keep of the blocks of a partition what this plan asks for."""
        results: list[Means | Scores] = []
        ids = []
        for scores, n_rows in blocks:
            if self.per_query:
                results.append(_without_ideals(scores))
            else:
                results.append(Means.of(scores, n_rows))
            if self.whole_queries:
                ids.append(scores.qid)
        return Total(_join_results(results) if results else None, ids)


def combine(totals: Iterable[Total]) -> Means | Scores:
    """Add up the totals of all partitions.

    Parameters
    ----------
    totals : iterable of Total
        What `EvaluationPlan.total` made of each partition.

    Returns
    -------
    Means or Scores
        Those of all queries.

    Raises
    ------
    ValueError
        If there are no rows, or a query is in two partitions although it was promised that none is.
    """
    totals = list(totals)
    _refuse_cut_queries([total.ids for total in totals])

    results = [total.result for total in totals if total.result is not None]
    if not results:
        raise ValueError("data must hold at least one row, got none.")
    return _join_results(results)


def _join_results(results: list[Any]) -> Means | Scores:
    """Join results that are all of one kind; there is at least one."""
    first = results[0]
    if isinstance(first, Means):
        return reduce(Means.joined, results)

    weights = None
    if first.weights is not None:
        weights = np.concatenate([scores.weights for scores in results])
    n_empty = zip(*(scores.n_empty for scores in results), strict=True)
    shares = [scores.judged_share for scores in results]
    shapes = [(1, scores.n_queries, len(scores)) for scores in results]
    return dataclasses.replace(
        first,
        qid=join_ids([scores.qid for scores in results]),
        values=np.concatenate([scores.values for scores in results]),
        weights=weights,
        judged=np.concatenate([scores.fingerprints for scores in results]),
        judged_share=joined_shares(shares, shapes, "query"),
        n_empty=tuple(map(sum, n_empty)),
    )


def _without_ideals(scores: Scores) -> Scores:
    # Means of the ideal ranking do not add up; without them nobody computes them to send them.
    return dataclasses.replace(scores, ideals=(), judged=scores.fingerprints)


def _refuse_cut_queries(ids: Iterable[list[NDArray[Any]]]) -> None:
    """Raise if a query is in two partitions."""
    partition_of: dict[Any, int] = {}
    for partition, blocks in enumerate(ids):
        for query in chain.from_iterable(block.tolist() for block in blocks):
            first_partition = partition_of.setdefault(query, partition)
            if first_partition != partition:
                raise ValueError(
                    f"No query may be in two partitions, but query {query!r} is in partitions "
                    f"{first_partition} and {partition}. Leave whole_queries out to have the rows "
                    "of each query brought together, or write the data query by query."
                )


def top_of(labels: NDArray[Any]) -> TopGrade:
    """Return the highest grade among labels, and whether any is not a whole number.

    Labels that are no grades are left out; scoring refuses them, and names them.
    """
    grades = labels.astype(np.float64)
    grades = grades[np.isfinite(grades)]
    are_fractional = grades != np.floor(grades)
    top = float(grades.max(initial=0.0))
    return top, bool(are_fractional.any())


def whole_queries(chunks: Iterable[Rows], block_rows: int) -> Iterator[Rows]:
    """Collect chunks until there are enough rows, and hold back the last query.

    Parameters
    ----------
    chunks : iterable of Rows
        The rows of a query stand together, also across the ends of chunks.
    block_rows : int
        The least number of rows of a batch.

    Yields
    ------
    Rows
        Whole queries only.
    """
    waiting: list[Rows] = []
    n_waiting = 0
    n_enough = block_rows
    for chunk in chunks:
        waiting.append(chunk)
        n_waiting += chunk.n_rows
        if n_waiting < n_enough:
            continue

        rows = Rows.concatenate(waiting)
        start_of_last = _start_of_last_query(rows.qid)
        if start_of_last:
            yield rows.take(slice(start_of_last))
            # A copy, so that the memory of the other rows can be freed.
            rows = rows.take(slice(start_of_last, None)).copied()

        waiting = [rows]
        n_waiting = rows.n_rows
        # A query longer than a block is joined up again only when it has doubled.
        n_enough = max(block_rows, 2 * n_waiting)

    if waiting:
        yield Rows.concatenate(waiting)


def _start_of_last_query(ids: NDArray[Any]) -> int:
    rows_of_other_queries = np.flatnonzero(ids != ids[-1])
    if not len(rows_of_other_queries):
        return 0
    return int(rows_of_other_queries[-1]) + 1


class _QueryOrder:
    """A check that no query comes back after another one has begun.

    Parameters
    ----------
    order : {"ascending", "grouped"} or None
        ``"ascending"``: ids ascend, which takes no memory to check. ``"grouped"``: all ids are
        remembered. None: nothing is checked.
    """

    def __init__(self, order: Order | None) -> None:
        self._order = order
        self._last: list[NDArray[Any]] = []
        self._seen: set[Any] = set()

    def check(self, ids: NDArray[Any], judgments: Judgments, first_row: int) -> None:
        """Check the next batch, given the ids of its rows and what was made of them."""
        if self._order is None:
            return

        queries = judgments.qid
        starts = judgments.indptr[:-1]
        if judgments.row_order is not None:
            # A query comes back, so that its rows were moved.
            is_other = ids[1:] != ids[:-1]
            starts = np.flatnonzero(np.append(True, is_other))
            queries = ids[starts]

        if self._order == "ascending":
            self._require_ascending(queries, first_row + starts)
        else:
            self._require_unseen(queries, first_row + starts)

    def _require_ascending(self, queries: NDArray[Any], rows: IntArray) -> None:
        # The last query of the batch before is the first neighbour.
        ids = join_ids([*self._last, queries])
        try:
            ascends = np.asarray(ids[:-1] < ids[1:], dtype=bool)
        except TypeError as error:
            raise ValueError(
                "qid must be of one type, with an order, to ascend from query to query. Pass "
                "order='grouped' if the rows of each query stand together."
            ) from error

        descent = first_true(~ascends)
        if descent is not None:
            before, after = ids[descent : descent + 2].tolist()
            row = rows[descent + 1 - len(self._last)]
            raise ValueError(
                f"qid must ascend from query to query, got {after!r} after {before!r} in row "
                f"{row}. Sort the data by query first; or, if the rows of each query stand "
                "together, pass order='grouped', which remembers all ids."
            )
        self._last = [queries[-1:]]

    def _require_unseen(self, queries: NDArray[Any], rows: IntArray) -> None:
        for query, row in zip(queries.tolist(), rows, strict=True):
            if query in self._seen:
                raise ValueError(
                    f"The rows of a query must stand together, but query {query!r} comes back in "
                    f"row {row}, after other queries. Sort the data by query first."
                )
            self._seen.add(query)


@contextmanager
def _rows_counted_from(first_row: int) -> Iterator[None]:
    """Add to errors, which name a row of the batch, the row at which the batch begins."""
    try:
        yield
    except ValueError as error:
        if not first_row:
            raise
        raise ValueError(
            f"{error} (Rows are counted from row {first_row} on.)"
        ) from error
