"""Evaluation in constant memory, block by block."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from skgraded._progress import ProgressBar
from skgraded.engines._grade_scale import check_grades, distinct_grades, on_scale, require_scale
from skgraded.engines._rows import Columns, Rows, as_array, in_rows
from skgraded.engines._whole_queries import Order, QueryOrder, whole_queries
from skgraded.measures import Measure, Scores
from skgraded.measures import evaluate as evaluate_in_memory
from skgraded.rankings import Judgments

__all__ = ["Options", "score_rows", "scored"]

_ARROW_BATCH = 2**17


class Options(TypedDict):
    """How to read and score; without an order, that of the queries is trusted."""

    grades: Sequence[float] | NDArray[np.float64] | None
    order: Order | None
    block_rows: int
    n_threads: int


def scored(
    measures: tuple[Measure, ...],
    data: Any,
    columns: Columns,
    *,
    grades: Sequence[float] | NDArray[np.float64] | None,
    order: Order | None,
    block_rows: int,
    n_threads: int,
) -> Iterator[tuple[Scores, int]]:
    """Scores of each block and its number of rows."""
    if not isinstance(block_rows, Integral) or block_rows < 1:
        raise ValueError(f"block_rows must be an integer >= 1, got {block_rows!r}.")
    seen, scale = QueryOrder(order), check_grades(grades)
    dataset = _as_dataset(data)
    if dataset is not None:
        columns.require(dataset.schema.names, "the data set")
        if scale is None and any(each.is_open for each in measures):
            scale = distinct_grades(_labels(dataset, columns.label))
        data = _batches(dataset, columns.names)
    require_scale(measures, scale)
    for rows in whole_queries(in_rows(data, columns), int(block_rows)):
        first_row = seen.n_rows
        with _rows_counted_from(first_row):
            judgments = Judgments.from_arrays(rows.y_true, rows.qid, rows.weight)
        seen.check(judgments)
        on_its_scale = on_scale(judgments, scale)
        with _rows_counted_from(first_row):
            scores = _score(measures, on_its_scale, rows.y_score, n_threads)
        yield scores, rows.n_rows


def score_rows(
    measures: tuple[Measure, ...], rows: Rows, grades: Any, n_threads: int = 1
) -> Scores:
    """Score whole queries that stand in any order."""
    judgments = Judgments.from_arrays(rows.y_true, rows.qid, rows.weight)
    return _score(measures, on_scale(judgments, grades), rows.y_score, n_threads)


def _score(
    measures: tuple[Measure, ...], judgments: Judgments, y_score: Any, n_threads: int
) -> Scores:
    scores = evaluate_in_memory(measures, judgments.rank(y_score, n_threads))
    # The ideal ranking and the judgments refer to each other: blocks would pile up until the
    # garbage collector comes by.
    vars(judgments).pop("ideal", None)
    return scores


@contextmanager
def _rows_counted_from(first_row: int) -> Iterator[None]:
    """Say in errors, which name a row of the block, where the block begins."""
    try:
        yield
    except ValueError as error:
        if not first_row:
            raise
        raise ValueError(f"{error} (Rows are counted from row {first_row} on.)") from error


def _as_dataset(data: Any) -> Any:
    """Return a pyarrow Dataset, or None where data are chunks already."""
    is_path = isinstance(data, str | os.PathLike)
    if not is_path and not type(data).__module__.startswith("pyarrow"):
        if hasattr(data, "columns") or isinstance(data, Mapping):
            raise TypeError(
                f"data must be an iterable of chunks, got one {type(data).__name__}: put it into a "
                "list, or call skgraded.evaluate."
            )
        if not isinstance(data, Iterable):
            raise TypeError(
                "data must be the path of a Parquet data set, a pyarrow Dataset or Table, or an "
                f"iterable of chunks, got {type(data).__name__}."
            )
        return None
    try:
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install pyarrow.") from error
    if hasattr(data, "to_batches") and hasattr(data, "column_names"):
        return ds.dataset(data)
    if is_path:
        return _parquet(data)
    return data if isinstance(data, ds.Dataset) else None


def _scan(dataset: Any, names: list[str]) -> Iterator[Any]:
    # Row group after row group: a scan of the whole would read ahead, and fill the memory.
    for fragment in _fragments_of(dataset):
        _require_columns(fragment, names)
        pieces = [fragment]
        if hasattr(fragment, "split_by_row_group"):
            pieces = fragment.split_by_row_group()
        for piece in pieces:
            yield from piece.to_batches(
                schema=dataset.schema,
                columns=names,
                batch_size=_ARROW_BATCH,
                batch_readahead=1,
            )


def _fragments_of(dataset: Any) -> Iterator[Any]:
    try:
        return iter(list(dataset.get_fragments()))
    except ValueError as error:
        raise ValueError(
            f"data must be a Dataset as it is stored: {error} Or pass dataset.to_batches()."
        ) from error


def _parquet(path: Any) -> Any:
    """Open files by types that hold those of all; pyarrow alone would take the first file's."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    files = ds.dataset(path, format="parquet")
    of_files = [each.physical_schema for each in files.get_fragments()]
    schema = pa.unify_schemas([files.schema, *of_files], promote_options="permissive")
    return ds.dataset(path, format="parquet", schema=schema)


def _require_columns(fragment: Any, names: list[str]) -> None:
    """Raise where a file lacks a column, for which pyarrow would give nulls."""
    import pyarrow.dataset as ds

    stored = fragment.physical_schema.names
    by_folder = ds.get_partition_keys(fragment.partition_expression)
    missing = [name for name in names if name not in (*stored, *by_folder)]
    if missing:
        raise ValueError(
            f"{getattr(fragment, 'path', 'data')} must have the column {missing[0]!r}, as other "
            f"files do; there are: {', '.join(stored)}."
        )


def _labels(dataset: Any, label: str) -> Iterator[Any]:
    return (as_array(batch[label]) for batch in _scan(dataset, [label]))


def _batches(dataset: Any, names: list[str]) -> Iterator[Any]:
    with ProgressBar(dataset.count_rows(), "evaluate") as progress:
        for batch in _scan(dataset, names):
            yield batch
            progress.step(batch.num_rows)
