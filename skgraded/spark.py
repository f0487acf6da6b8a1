"""Evaluation of a Spark DataFrame in Arrow batches, on the cluster."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import DoubleType, IntegerType, StringType, StructType

from skgraded.engines._grade_scale import check_grades
from skgraded.engines._rows import Columns
from skgraded.engines._scan import Options, scored
from skgraded.engines._totals import PartedScores, Totals, concatenate
from skgraded.measures import Measure, Scores, measures_of

__all__ = ["evaluate", "per_query"]

# Names under which Spark hands the columns on: a user's may hold dots, or be one for two columns.
_INSIDE = Columns("label", "score", "qid", "weight")
_BLOCK_ROWS = 2**19


def evaluate(
    measures: str | Measure | Sequence[str | Measure],
    data: DataFrame,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    whole_queries: bool = False,
    grades: Sequence[float] | None = None,
    n_threads: int = 1,
) -> Scores:
    """Score a Spark DataFrame.

    Rows are brought together by query, sorted within partitions, and scored in Arrow batches; only
    sums come to the driver. Means are the same to the last bit as those of `skgraded.evaluate` on
    all rows in memory, on any number of partitions and executors.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures.
    data : pyspark.sql.DataFrame
        The rows, with scores of any model.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    whole_queries : bool, default=False
        Promise that no query is in two partitions, which saves the shuffle. A promise that does not
        hold is an error.
    grades : sequence of float, optional
        The grades that may occur, such as ``range(5)``. Measures that take the top of the scale
        from the data read all labels first if they are not told.
    n_threads : int, default=1
        Threads of each task; results do not depend on it.

    Returns
    -------
    Scores
        Means, computed at once; values query by query come to the driver when they are asked for,
        sorted by query id.

    Raises
    ------
    TypeError
        If `data` is not a Spark DataFrame.
    ValueError
        If a query is in two partitions against the promise, or a column or argument is not as
        described. What is wrong with the rows is raised by Spark, with our message inside.

    See Also
    --------
    per_query : Values query by query as a Spark DataFrame, which stay on the cluster.

    Notes
    -----
    ``ties="row_order"`` takes the order of rows from ``monotonically_increasing_id``: that of the
    partitions and of the rows in each, as Spark reads them.

    The promise of `whole_queries` is checked against what was scored. If the ranges of ids of the
    partitions do not meet, that is all; otherwise `data` is computed once more to compare the ids.

    Ids of text are compared letter by letter, as in memory, whatever the collation of the column.

    Examples
    --------
    >>> from skgraded.spark import evaluate
    >>> scored = session.read.parquet("scored.parquet")  # doctest: +SKIP
    >>> evaluate(["xGAP(g=[0.1,0.9])@10", "nDCG@10"], scored)  # doctest: +SKIP
    """
    job = _Job.of(measures, data, Columns(label, score, qid, weight), grades, n_threads)
    rows = job.arrange(data, whole_queries)
    found = rows.mapInArrow(job.totals, "part binary").collect()
    if not found:
        raise ValueError("data must hold at least one row, got none.")
    parts = [pickle.loads(each.part) for each in found]
    totals = Totals.joined_all((each for each, _ in parts), len(job.measures))
    if whole_queries:
        _require_whole_queries(rows, totals.n_queries, [ids for _, ids in parts])
    return PartedScores(job.measures, totals, lambda: _collect(job, rows))


def per_query(
    measures: str | Measure | Sequence[str | Measure],
    data: DataFrame,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    whole_queries: bool = False,
    grades: Sequence[float] | None = None,
    n_threads: int = 1,
) -> DataFrame:
    """Score a Spark DataFrame query by query.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures.
    data : pyspark.sql.DataFrame
        The rows, with scores of any model.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights.
    whole_queries : bool, default=False
        Promise that no query is in two partitions; here it is not checked.
    grades : sequence of float, optional
        The grades that may occur.
    n_threads : int, default=1
        Threads of each task.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per query, not yet computed: its id, its weight if there are weights, and a column
        for each measure, named by it. Names hold dots and brackets: select them in backticks.

    Raises
    ------
    TypeError
        If `data` is not a Spark DataFrame.
    ValueError
        If a column or argument is not as described, or two columns would have one name, as those of
        a measure that is given twice.

    Examples
    --------
    >>> from skgraded.spark import per_query
    >>> values = per_query(["AP", "nDCG@10"], scored)  # doctest: +SKIP
    >>> values.orderBy("nDCG@10").show(10)  # doctest: +SKIP
    """
    job = _Job.of(measures, data, Columns(label, score, qid, weight), grades, n_threads)
    schema = StructType().add(qid, data.schema[qid].dataType)
    for name in job.numbers():
        schema = schema.add(name, DoubleType())
    return job.arrange(data, whole_queries).mapInArrow(job.values, schema)


class _Job(NamedTuple):
    """What is done on each partition; Spark sends it there."""

    measures: tuple[Measure, ...]
    columns: Columns
    grades: NDArray[np.float64] | None
    n_threads: int

    @classmethod
    def of(
        cls, measures: Any, data: DataFrame, columns: Columns, grades: Any, n_threads: int
    ) -> _Job:
        parsed = measures_of(measures)
        _require_spark(data)
        columns.require(data.columns, "the DataFrame")
        scale = check_grades(grades)
        if scale is None and any(each.is_open for each in parsed):
            scale = _grades_of(data, columns.label)
        return cls(parsed, columns, scale, n_threads)

    def arrange(self, data: DataFrame, whole_queries: bool) -> DataFrame:
        """Bring the rows of each query together, in the order that they have."""
        named = zip(_INSIDE, self.columns, strict=True)
        columns = {inside: _column(name) for inside, name in named if name is not None}
        if isinstance(data.schema[self.columns.qid].dataType, StringType):
            # A collation would sort ids as equal that are different queries.
            columns["qid"] = columns["qid"].cast(StringType())
        columns["row"] = fn.monotonically_increasing_id()
        rows = data.select(*(column.alias(name) for name, column in columns.items()))
        if not whole_queries:
            rows = rows.repartition("qid")
        return rows.sortWithinPartitions("qid", "row")

    def numbers(self) -> list[str]:
        """Columns of `values` after the query id, under names that must differ."""
        names = [*(["weight"] if self.columns.weight is not None else []), *map(str, self.measures)]
        known = {self.columns.qid}
        for name in names:
            if name in known:
                raise ValueError(
                    "per_query names its columns by qid, weight and measures, which must give "
                    f"different names, got {name!r} twice."
                )
            known.add(name)
        return names

    def totals(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One row for the partition: its sums, and its first and its last query."""
        totals, ids = Totals.nothing(len(self.measures)), list[Any]()
        for scores, n_rows in self._scored(batches):
            totals = totals.joined(Totals.of(scores, n_rows))
            ids = [*ids[:1], *scores.qid[[0, -1]].tolist()]
        if ids:
            part = pickle.dumps((totals, (ids[0], ids[-1])))
            yield pa.RecordBatch.from_pydict({"part": [part]})

    def values(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """One row for each query."""
        for scores, _ in self._scored(batches):
            columns = [scores.qid, *np.ascontiguousarray(scores.values.T)]
            if scores.weights is not None:
                columns.insert(1, scores.weights)
            names = [self.columns.qid, *self.numbers()]
            yield pa.RecordBatch.from_arrays([pa.array(each) for each in columns], names=names)

    def _scored(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Scores, int]]:
        options = Options(
            grades=self.grades, order=None, block_rows=_BLOCK_ROWS, n_threads=self.n_threads
        )
        columns = _INSIDE if self.columns.weight is not None else _INSIDE._replace(weight=None)
        return scored(self.measures, batches, columns, **options)


def _require_spark(data: Any) -> None:
    if not hasattr(data, "mapInArrow"):  # that of Spark Connect is of another class
        kind = type(data)
        raise TypeError(
            f"data must be a Spark DataFrame, got {kind.__name__} of "
            f"{kind.__module__.partition('.')[0]}; what is in memory goes to skgraded.evaluate."
        )


def _column(name: str) -> Any:
    return fn.col("`" + name.replace("`", "``") + "`")


def _grades_of(data: DataFrame, label: str) -> NDArray[np.float64]:
    found = [row[0] for row in data.select(_column(label)).distinct().collect()]
    grades = np.array([np.nan if each is None else float(each) for each in found])
    return np.union1d([0.0], grades[(grades >= 0) & np.isfinite(grades)])


def _require_whole_queries(rows: DataFrame, n_scored: int, extents: list[Any]) -> None:
    """Raise where a query is in two partitions; ids are only compared if their ranges meet."""
    if all(one[1] < two[0] for one, two in pairwise(sorted(extents))):
        return
    found = _look_for_cut(rows)
    # Spark may cut another plan elsewhere. A query that was scored twice counts twice anywhere.
    if found.n_queries < n_scored:
        cut = f"{n_scored - found.n_queries} were scored in more than one"
        if found.cut is not None:
            one, two = found.cut.parts[:2]
            cut = f"query {found.cut.qid!r} is in partitions {one} and {two}"
        raise ValueError(
            f"No query may be in two partitions, but {cut}. Leave whole_queries out to have the "
            "rows brought together by query."
        )


def _look_for_cut(rows: DataFrame) -> Any:
    """Count the queries, and find the first that is in two partitions."""
    schema = StructType().add("qid", rows.schema["qid"].dataType).add("part", IntegerType())
    # Python tells the partition: Spark's function for it would change the plan of the rows.
    parts = fn.sort_array(fn.collect_set("part")).alias("parts")
    queries = rows.mapInArrow(_ids_and_partition, schema).groupBy("qid").agg(parts)
    cut = fn.when(fn.size("parts") > 1, fn.struct("qid", "parts"))
    return queries.agg(fn.count("*").alias("n_queries"), fn.min(cut).alias("cut")).first()


def _ids_and_partition(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    part = TaskContext.get().partitionId()
    for batch in batches:
        ids = batch.column("qid").unique()
        yield pa.RecordBatch.from_pydict({"qid": ids, "part": pa.array([part] * len(ids), "int32")})


def _collect(job: _Job, rows: DataFrame) -> Scores:
    """Values of all queries, by ascending id."""
    parts = rows.mapInArrow(_pickled(job), "scores binary").collect()
    scores = concatenate([pickle.loads(row.scores) for row in parts])
    order = np.argsort(scores.qid, kind="stable")
    weights = None if scores.weights is None else scores.weights[order]
    return Scores(job.measures, scores.qid[order], scores.values[order], weights, scores.n_empty)


def _pickled(job: _Job) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def values(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for scores, _ in job._scored(batches):
            yield pa.RecordBatch.from_pydict({"scores": [pickle.dumps(scores)]})

    return values
