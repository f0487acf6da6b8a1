"""Evaluation of a Spark DataFrame in Arrow batches, on the cluster."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.types import (
    ArrayType,
    DataType,
    IntegerType,
    MapType,
    StringType,
    StructType,
)

from skgraded._engines.rows import Columns
from skgraded._engines.scan import (
    EvaluationPlan,
    QueryRange,
    distinct_grades,
    refuse_cut_query,
    reordered,
)
from skgraded._support.arguments import flag
from skgraded.measures import Measures
from skgraded.results import Means, Scores

__all__ = ["evaluate"]

# Names of the columns inside: those of users may hold dots, and one column may have two roles.
_INSIDE = Columns("label", "score", "qid", "weight")
_BLOCK_ROWS = 2**19


def evaluate(
    measures: Measures,
    data: DataFrame,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    grades: Sequence[float] | None = None,
    per_query: bool = False,
    whole_queries: bool = False,
    n_threads: int | None = None,
) -> Means | Scores:
    """Score a Spark DataFrame.

    Rows are brought together by query, sorted within partitions, and scored in Arrow batches; only
    sums come to the driver, unless `per_query` asks for the values. Means are the same to the last
    bit as those of `skgraded.evaluate` on all rows in memory, on any number of partitions and
    executors.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    data : pyspark.sql.DataFrame
        The rows, with scores of any model.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    grades : sequence of float, optional
        The grades that may occur, such as ``range(5)``. Without them, all labels are read first
        if a measure takes the top of the scale from the data.
    per_query : bool, default=False
        Whether to bring the values of all queries to the driver, sorted by query id: 8 bytes for
        each query and measure.
    whole_queries : bool, default=False
        Promise that no query is in two partitions, which saves the shuffle. A promise that does not
        hold is an error.
    n_threads : int, optional
        Threads of each task; results do not depend on it. None is one, -1 all processors.

    Returns
    -------
    Means or Scores
        The means; with `per_query`, a `Scores`, which also holds the value of each query.

    Raises
    ------
    TypeError
        If `data` is not a Spark DataFrame.
    ValueError
        If a query is in two partitions against the promise, or a column or argument is not as
        described. Spark raises an error of its own for wrong rows, with our message inside.

    Notes
    -----
    ``ties="row_order"`` takes the order of rows from ``monotonically_increasing_id``: that of the
    partitions and of the rows in each, as Spark reads them.

    The promise of `whole_queries` is checked by the ranges of ids of the partitions. Where they
    meet, `data` is computed once more to compare the ids.

    Ids of text are compared letter by letter, as in memory, whatever the collation of the column.

    Examples
    --------
    >>> from skgraded.spark import evaluate
    >>> scored = session.read.parquet("scored.parquet")  # doctest: +SKIP
    >>> evaluate(["xGAP(g=[0.1,0.9])@10", "nDCG@10"], scored)  # doctest: +SKIP
    """
    plan = EvaluationPlan.of(
        measures,
        Columns(label, score, qid, weight),
        per_query=per_query,
        grades=grades,
        n_threads=n_threads,
    )
    plan = _checked(plan, data)
    rows = _arranged(data, plan.columns, whole_queries)
    found = rows.mapInArrow(partial(_results, _inside(plan)), "result binary").collect()
    parts = [pickle.loads(each.result) for each in found]
    combined = plan.combine(result for result, _ in parts)
    if whole_queries:
        _require_whole_queries(rows, combined.n_queries, [ids for _, ids in parts])
    if isinstance(combined, Scores):
        return reordered(combined, np.argsort(combined.qid, kind="stable"))
    return combined


def _checked(plan: EvaluationPlan, data: Any) -> EvaluationPlan:
    """Check that the data have the columns of a plan, and find the scale of grades."""
    if not hasattr(data, "mapInArrow"):  # DataFrames of Spark Connect are of another class
        kind = type(data)
        raise TypeError(
            f"data must be a Spark DataFrame, got {kind.__name__} of "
            f"{kind.__module__.partition('.')[0]}. Pass rows in memory to skgraded.evaluate."
        )
    plan.columns.require(data.columns, "the DataFrame")
    _require_ids(plan.columns.qid, data.schema[plan.columns.qid].dataType)
    return plan.with_scale(lambda: _grades_of(data, plan.columns.label))


def _require_ids(name: str, kind: DataType) -> None:
    """Raise where ids are of a type that has no single value in each row."""
    if isinstance(kind, ArrayType | MapType | StructType):
        raise ValueError(
            f"qid must name a column of single values, such as numbers or text, got {name!r} of "
            f"the type {kind.simpleString()}: make one id of each row's, such as "
            f"data.withColumn({name!r}, pyspark.sql.functions.to_json({name!r}))."
        )


def _inside(plan: EvaluationPlan) -> EvaluationPlan:
    """Return the plan for rows that `_arranged` has made."""
    columns = _INSIDE if plan.columns.weight is not None else _INSIDE._replace(weight=None)
    return dataclasses.replace(plan, columns=columns)


def _arranged(data: DataFrame, columns: Columns, whole_queries: bool) -> DataFrame:
    """Bring the rows of each query together, in the order that they have."""
    named = zip(_INSIDE, columns, strict=True)
    chosen = {inside: _column(name) for inside, name in named if name is not None}
    if isinstance(data.schema[columns.qid].dataType, StringType):
        # By a collation, ids of different queries may be equal.
        chosen["qid"] = chosen["qid"].cast(StringType())
    chosen["row"] = fn.monotonically_increasing_id()
    rows = data.select(*(column.alias(name) for name, column in chosen.items()))
    if not flag("whole_queries", whole_queries):
        rows = rows.repartition("qid")
    return rows.sortWithinPartitions("qid", "row")


def _results(plan: EvaluationPlan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Make one row for each block: its result, and the range of its query ids."""
    for scores, n_rows in plan.scan(batches, block_rows=_BLOCK_ROWS):
        ids = QueryRange(*scores.qid[[0, -1]].tolist())
        result = pickle.dumps((plan.result(scores, n_rows), ids))
        yield pa.RecordBatch.from_pydict({"result": [result]})


def _column(name: str) -> Any:
    return fn.col("`" + name.replace("`", "``") + "`")


def _grades_of(data: DataFrame, label: str) -> NDArray[np.float64]:
    found = [row[0] for row in data.select(_column(label)).distinct().collect()]
    return distinct_grades([np.array([np.nan if each is None else float(each) for each in found])])


def _require_whole_queries(rows: DataFrame, n_scored: int, ranges: list[QueryRange]) -> None:
    """Raise if a query is in two partitions; ids are only compared if their ranges meet."""
    if QueryRange.are_apart(ranges):
        return
    found = _look_for_cut(rows)
    # Spark may partition the rows of this second plan differently, so that no query looks cut; but
    # a query that was scored in two partitions was counted twice.
    if found.n_queries < n_scored:
        cut = f"{n_scored - found.n_queries} were scored in more than one"
        if found.cut is not None:
            one, two = found.cut.parts[:2]
            cut = f"query {found.cut.qid!r} is in partitions {one} and {two}"
        refuse_cut_query(cut)


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
