"""Evaluation of more rows than fit into memory: a stream of chunks, or a Parquet data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from skgraded.engines._rows import Columns
from skgraded.engines._scan import Options, scored
from skgraded.engines._totals import PartedScores, Totals, concatenate
from skgraded.engines._whole_queries import Order, check_order
from skgraded.measures import Measure, Scores, measures_of

__all__ = ["evaluate", "iter_scores"]


def evaluate(
    measures: str | Measure | Sequence[str | Measure],
    data: Any,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    grades: Sequence[float] | None = None,
    order: Order = "ascending",
    per_query: bool = False,
    block_rows: int = 1_000_000,
    n_threads: int = 1,
) -> Scores:
    """Score more rows than fit into memory.

    Memory holds one block: `block_rows` rows, the largest chunk or the longest query, whichever is
    most. A query may go on over the end of a chunk. Means are the same to the last bit as those of
    `skgraded.evaluate` on all rows at once, wherever the chunks are cut.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures.
    data : path, pyarrow Dataset or Table, or iterable of chunks
        A Parquet file, a folder of them, or chunks one after the other: arrays (y_true, y_score,
        qid) or (y_true, y_score, qid, weight), or DataFrames, Arrow batches or mappings with
        the columns named below.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    grades : sequence of float, optional
        The grades that may occur, such as ``range(5)``. Measures that take the top of the scale
        from the data need it where `data` is an iterable; from Parquet it is read in a first pass
        over the labels.
    order : {"ascending", "grouped"}, default="ascending"
        Whether query ids ascend, which is checked in constant memory, or the rows of each query
        stand together but queries in any order: then all ids are remembered to check it.
    per_query : bool, default=False
        Whether to keep the values of all queries: 8 bytes for each query and measure.
    block_rows : int, default=1_000_000
        Rows that are scored together, at least. Results do not depend on it.
    n_threads : int, default=1
        Threads; results do not depend on it.

    Returns
    -------
    Scores
        Means; and with `per_query`, values query by query.

    Raises
    ------
    ValueError
        If the data are not sorted by query, or a column, grade or argument is not as described.

    See Also
    --------
    iter_scores : Values query by query, block by block, to write them elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import chunks
    >>> parts = [([2, 0], [.9, .5], [1, 1]), ([1, 0, 1], [.1, .4, .3], [1, 2, 2])]
    >>> chunks.evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], parts)
    measure                mean  over 2 queries
    eGAP(g=[0.1,0.9])    0.5167
    nDCG@2               0.6956
    """
    check_order(order)
    parsed = measures_of(measures)
    totals, kept = Totals.nothing(len(parsed)), []
    columns = Columns(label, score, qid, weight)
    options = Options(grades=grades, order=order, block_rows=block_rows, n_threads=n_threads)
    for part, n_rows in scored(parsed, data, columns, **options):
        totals = totals.joined(Totals.of(part, n_rows))
        if per_query:
            kept.append(part)
    if totals.n_queries == 0:
        raise ValueError("data must hold at least one row, got none.")
    return PartedScores(parsed, totals, _not_kept, concatenate(kept) if kept else None)


def iter_scores(
    measures: str | Measure | Sequence[str | Measure],
    data: Any,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    grades: Sequence[float] | None = None,
    order: Order = "ascending",
    block_rows: int = 1_000_000,
    n_threads: int = 1,
) -> Iterator[Scores]:
    """Score more rows than fit into memory, and hand out the values of each block.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures.
    data : path, pyarrow Dataset or Table, or iterable of chunks
        As in `evaluate`.
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str, optional
        Column of row weights.
    grades : sequence of float, optional
        The grades that may occur.
    order : {"ascending", "grouped"}, default="ascending"
        What to check of the order of the queries.
    block_rows : int, default=1_000_000
        Rows that are scored together, at least.
    n_threads : int, default=1
        Threads; results do not depend on it.

    Yields
    ------
    Scores
        Values of some whole queries, in the order of the data.

    Examples
    --------
    >>> from skgraded import chunks
    >>> parts = [([2, 0], [.9, .5], [1, 1]), ([1, 0, 1], [.1, .4, .3], [1, 2, 2])]
    >>> [part.qid.tolist() for part in chunks.iter_scores("AP", parts, block_rows=2)]
    [[1], [2]]
    """
    check_order(order)
    parsed, columns = measures_of(measures), Columns(label, score, qid, weight)
    options = Options(grades=grades, order=order, block_rows=block_rows, n_threads=n_threads)
    for part, _ in scored(parsed, data, columns, **options):
        yield part


def _not_kept() -> Scores:
    raise ValueError(
        "Values query by query were not kept: pass per_query=True to evaluate, or take them block "
        "by block from iter_scores."
    )
