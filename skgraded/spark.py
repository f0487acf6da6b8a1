"""Evaluation of a Spark DataFrame in Arrow batches, on the cluster."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, functions as fn
from pyspark.sql.types import ArrayType, MapType, StringType, StructType

from skgraded._engines.rows import ColumnNames, read_rows
from skgraded._engines.scan import EvaluationPlan, TopGrade, combine, whole_queries
from skgraded.measures import Measures
from skgraded.results import Means, Scores

__all__ = ["evaluate"]

# Names of the columns inside: those of users may hold dots, and one column may have two roles.
_INSIDE = ColumnNames("label", "score", "qid", "weight")
_BLOCK_ROWS = 2**19


def evaluate(
    measures: Measures,
    data: DataFrame,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
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
        The measures, perhaps with names of their own. If one takes the top of the scale from the
        data, all labels are read first.
    data : pyspark.sql.DataFrame
        The rows, with scores of any model.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    per_query : bool, default=False
        Whether to bring the values of all queries to the driver, sorted by query id: 8 bytes for
        each query and measure.
    whole_queries : bool, default=False
        Promise that no query is in two partitions, which saves the shuffle. A promise that does not
        hold is an error: all ids come to the driver to find that out.
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

    Ids of text are compared letter by letter, as in memory, whatever the collation of the column.

    Examples
    --------
    >>> from skgraded.spark import evaluate
    >>> scored = session.read.parquet("scored.parquet")  # doctest: +SKIP
    >>> evaluate(["xGAP(g=[0.1,0.9])@10", "nDCG@10"], scored)  # doctest: +SKIP
    """
    columns = ColumnNames(label, score, qid, weight)
    plan = EvaluationPlan.of(
        measures,
        columns,
        per_query=per_query,
        whole_queries=whole_queries,
        n_threads=n_threads,
    )
    _require_columns(data, columns)
    plan = plan.with_top(lambda: _highest_grade(data, label))

    rows = _rows_by_query(data, plan)
    totals = rows.mapInArrow(partial(_total, plan), "total binary").collect()
    result = combine([pickle.loads(row.total) for row in totals])
    if isinstance(result, Scores):
        ids = np.sort(result.qid, kind="stable")
        return result.select(qid=ids.tolist())
    return result


def _require_columns(data: Any, columns: ColumnNames) -> None:
    # DataFrames of Spark Connect are of another class.
    if not hasattr(data, "mapInArrow"):
        kind = type(data)
        raise TypeError(
            f"data must be a Spark DataFrame, got {kind.__name__} of "
            f"{kind.__module__.partition('.')[0]}. Pass rows in memory to skgraded.evaluate."
        )

    columns.require(data.columns, "the DataFrame")
    kind = data.schema[columns.qid].dataType
    if isinstance(kind, ArrayType | MapType | StructType):
        raise ValueError(
            "qid must name a column of single values, such as numbers or text, got "
            f"{columns.qid!r} of the type {kind.simpleString()}: make one id of each row's by "
            "pyspark.sql.functions.to_json."
        )


def _rows_by_query(data: DataFrame, plan: EvaluationPlan) -> DataFrame:
    """Bring the rows of each query together, in the order that they have."""
    # By the names inside.
    columns = {}
    for name_inside, name in zip(_INSIDE, plan.columns, strict=True):
        if name is not None:
            columns[name_inside] = _column(name)
    if isinstance(data.schema[plan.columns.qid].dataType, StringType):
        # By a collation, ids of different queries may be equal.
        columns["qid"] = columns["qid"].cast(StringType())
    columns["row"] = fn.monotonically_increasing_id()

    rows = data.select(*(column.alias(name) for name, column in columns.items()))
    if not plan.whole_queries:
        rows = rows.repartition("qid")
    return rows.sortWithinPartitions("qid", "row")


def _total(
    plan: EvaluationPlan, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Score a partition of rows that `_rows_by_query` has made."""
    columns = _INSIDE
    if plan.columns.weight is None:
        columns = _INSIDE._replace(weight=None)
    queries = whole_queries(read_rows(batches, columns), _BLOCK_ROWS)
    total = plan.total(plan.scan(queries))
    yield pa.RecordBatch.from_pydict({"total": [pickle.dumps(total)]})


def _highest_grade(data: DataFrame, label: str) -> list[TopGrade]:
    """Return the highest grade, and whether any is not a whole number; nothing without grades."""
    grades = data.select(_column(label).cast("double").alias("grade"))
    grades = grades.where("not isnan(grade) and grade < double('infinity')")
    top, is_fractional = grades.agg(
        fn.max("grade"), fn.expr("max(grade != floor(grade))")
    ).first()
    return [] if top is None else [(top, is_fractional)]


def _column(name: str) -> Any:
    """Return the column of this very name, which may hold dots."""
    return fn.col("`" + name.replace("`", "``") + "`")
