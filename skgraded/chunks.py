"""Evaluation of more rows than fit into memory: a stream of chunks, or a Parquet data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast, get_args

from skgraded._engines.rows import (
    ColumnNames,
    batches_of,
    labels_of,
    open_dataset,
    read_rows,
)
from skgraded._engines.scan import (
    Block,
    EvaluationPlan,
    Order,
    combine,
    top_of,
    whole_queries,
)
from skgraded._support.arguments import choice, integer
from skgraded.measures import Measures
from skgraded.results import Means, Scores

__all__ = ["evaluate", "iter_scores"]


def evaluate(
    measures: Measures,
    data: Any,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    per_query: bool = False,
    order: Order = "ascending",
    block_rows: int = 1_000_000,
    n_threads: int | None = None,
) -> Means | Scores:
    """Score more rows than fit into memory.

    Memory holds one block: `block_rows` rows, the largest chunk or the longest query, whichever is
    largest. A query may continue in the next chunk. Means are the same to the last bit as those of
    `skgraded.evaluate` on all rows at once, wherever the chunks are cut.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own. A measure that takes the top of the scale
        from the data has it read from Parquet in a first pass over the labels; where `data` is an
        iterable, the measure must name it, as in ``xGAP(max_grade=4)``.
    data : path, pyarrow Dataset or Table, or iterable of chunks
        A Parquet file, a folder of them, or chunks one after the other: arrays (y_true, y_score,
        qid) or (y_true, y_score, qid, weight), or DataFrames, Arrow batches or mappings with
        the columns named below.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    per_query : bool, default=False
        Whether to keep the values of all queries: 8 bytes for each query and measure.
    order : {"ascending", "grouped"}, default="ascending"
        ``"ascending"``: query ids ascend, which is checked in constant memory. ``"grouped"``: the
        rows of each query stand together, but queries come in any order; all ids are remembered to
        check it.
    block_rows : int, default=1_000_000
        The least number of rows that are scored together. Results do not depend on it.
    n_threads : int, optional
        Threads; results do not depend on it. None is one, -1 all processors.

    Returns
    -------
    Means or Scores
        The means; with `per_query`, a `Scores`, which also holds the value of each query.

    Raises
    ------
    ValueError
        If the data are not sorted by query, or a column, grade or argument is not as described.

    See Also
    --------
    iter_scores : Values of the queries block by block, to write them elsewhere.

    Examples
    --------
    >>> from skgraded import chunks
    >>> parts = [([2, 0], [.9, .5], [1, 1]), ([1, 0, 1], [.1, .4, .3], [1, 2, 2])]
    >>> chunks.evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], parts)
    measure              mean
    eGAP(g=[0.1,0.9])  0.5167
    nDCG@2             0.6956
    Means over 2 queries.
    >>> chunks.evaluate("nDCG@2", parts, per_query=True).values[:, 0].round(4)
    array([0.7602, 0.6309])
    """
    columns = ColumnNames(label, score, qid, weight)
    plan = EvaluationPlan.of(
        measures, columns, per_query=per_query, n_threads=n_threads
    )
    blocks = _scan(plan, data, order, block_rows)
    return combine([plan.total(blocks)])


def iter_scores(
    measures: Measures,
    data: Any,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    order: Order = "ascending",
    block_rows: int = 1_000_000,
    n_threads: int | None = None,
) -> Iterator[Scores]:
    """Score more rows than fit into memory, and hand out the values of each block.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    data : path, pyarrow Dataset or Table, or iterable of chunks
        As in `evaluate`, like all parameters below.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights.
    order : {"ascending", "grouped"}, default="ascending"
        What to check of the order of the queries.
    block_rows : int, default=1_000_000
        The least number of rows that are scored together.
    n_threads : int, optional
        Threads.

    Returns
    -------
    iterator of Scores
        Values of some whole queries, in the order of the data.

    Raises
    ------
    ValueError
        If an argument is not as described. During the iteration: if the data are not.

    Examples
    --------
    >>> from skgraded import chunks
    >>> parts = [([2, 0], [.9, .5], [1, 1]), ([1, 0, 1], [.1, .4, .3], [1, 2, 2])]
    >>> [part.qid.tolist() for part in chunks.iter_scores("AP", parts, block_rows=2)]
    [[1], [2]]
    """
    columns = ColumnNames(label, score, qid, weight)
    plan = EvaluationPlan.of(measures, columns, n_threads=n_threads)
    return (block.scores for block in _scan(plan, data, order, block_rows))


def _scan(
    plan: EvaluationPlan, data: Any, order: Order, block_rows: int
) -> Iterator[Block]:
    """Check the arguments and score the data, block by block."""
    order = cast(Order, choice("order", order, get_args(Order)))
    block_rows = integer("block_rows", block_rows, 1)

    dataset = open_dataset(data)
    if dataset is None:
        chunks = data
        _require_named_top(plan)
    else:
        plan.columns.require(dataset.schema.names, "the data set")
        plan = plan.with_top(
            lambda: map(top_of, labels_of(dataset, plan.columns.label))
        )
        chunks = batches_of(dataset, plan.columns.distinct)

    batches = whole_queries(read_rows(chunks, plan.columns), block_rows)
    return plan.scan(batches, order)


def _require_named_top(plan: EvaluationPlan) -> None:
    measure = plan.open_measure
    if measure is not None:
        raise ValueError(
            f"{measure} takes the top of the scale from the data, but the top of a stream of "
            "chunks is known only at its end. Name the top in the measure, for example "
            f"{measure.resolve(4)!r}."
        )
