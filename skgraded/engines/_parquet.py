"""Parquet files and other pyarrow data sets as a stream of Arrow batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from skgraded._support.progress import ProgressBar
from skgraded.engines._rows import as_array

_BATCH_ROWS = 2**17


def open_dataset(data: Any) -> Any:
    """Return a pyarrow Dataset, or None where data are an iterable of chunks already."""
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


def labels_of(dataset: Any, label: str) -> Iterator[NDArray[Any]]:
    """Read the column of labels, batch by batch."""
    return (as_array(batch[label]) for batch in _scan(dataset, [label]))


def batches_of(dataset: Any, names: list[str]) -> Iterator[Any]:
    """Read some columns, batch by batch, under a progress bar."""
    with ProgressBar(dataset.count_rows(), "evaluate") as progress:
        for batch in _scan(dataset, names):
            yield batch
            progress.step(batch.num_rows)


def _scan(dataset: Any, names: list[str]) -> Iterator[Any]:
    # One row group at a time: a scan of the whole data set would read ahead and fill the memory.
    for fragment in _fragments_of(dataset):
        _require_columns(fragment, names)
        pieces = [fragment]
        if hasattr(fragment, "split_by_row_group"):
            pieces = fragment.split_by_row_group()
        for piece in pieces:
            yield from piece.to_batches(
                schema=dataset.schema,
                columns=names,
                batch_size=_BATCH_ROWS,
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
    """Open files with column types that hold the values of all; pyarrow takes the first file's."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    files = ds.dataset(path, format="parquet")
    of_files = [each.physical_schema for each in files.get_fragments()]
    schema = pa.unify_schemas([files.schema, *of_files], promote_options="permissive")
    return ds.dataset(path, format="parquet", schema=schema)


def _require_columns(fragment: Any, names: list[str]) -> None:
    """Raise if a file lacks a column; pyarrow would fill it with nulls."""
    import pyarrow.dataset as ds

    stored = fragment.physical_schema.names
    by_folder = ds.get_partition_keys(fragment.partition_expression)
    missing = [name for name in names if name not in (*stored, *by_folder)]
    if missing:
        raise ValueError(
            f"{getattr(fragment, 'path', 'data')} must have the column {missing[0]!r}, as other "
            f"files do; there are: {', '.join(stored)}."
        )
