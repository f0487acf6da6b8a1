"""Rows in the forms that users have: arrays, frames, mappings, Arrow batches and Parquet files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import is_missing
from skgraded._support.progress import ProgressBar
from skgraded.rankings import (
    CheckedColumns,
    Judgments,
    as_ids,
    grades_of_categories,
    read_columns,
    require_same_words,
    words_of_grades,
)

_BATCH_ROWS = 2**17


class ColumnNames(NamedTuple):
    """Names of the columns.

    Attributes
    ----------
    label, score, qid : str
        Columns of grades, scores and query ids.
    weight : str or None
        Column of row weights.

    Examples
    --------
    >>> from skgraded._engines.rows import ColumnNames
    >>> columns = ColumnNames("grade", "score", "query", None)
    >>> columns.distinct
    ['grade', 'score', 'query']
    >>> columns.require(["grade", "score"], "the table")
    Traceback (most recent call last):
    ValueError: qid must name a column of the table, got 'query'; there are: grade, score.
    """

    label: str
    score: str
    qid: str
    weight: str | None

    @property
    def distinct(self) -> list[str]:
        """The distinct names; one column may have two roles."""
        return list(dict.fromkeys(name for name in self if name is not None))

    def require(self, present: Iterable[str], where: str) -> None:
        """Raise if a column is missing.

        Parameters
        ----------
        present : iterable of str
            The columns of the data.
        where : str
            What the message calls the data.

        Raises
        ------
        ValueError
            If a name is not among the columns.
        """
        names = list(present)
        for argument, name in self._asdict().items():
            if name is not None and name not in names:
                raise ValueError(
                    f"{argument} must name a column of {where}, got {name!r}; there are: "
                    f"{', '.join(map(str, names)) or 'none'}."
                )


class Rows(NamedTuple):
    """Rows as arrays, in the order of the data.

    Attributes
    ----------
    y_true, y_score, qid : ndarray of shape (n_rows,)
        Labels, scores and query ids.
    weight : ndarray of shape (n_rows,) or None
        Weights.
    """

    y_true: NDArray[Any]
    y_score: NDArray[Any]
    qid: NDArray[Any]
    weight: NDArray[Any] | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.qid)

    @classmethod
    def of(cls, label: Any, score: Any, qid: Any, weight: Any) -> Self:
        """Read columns of any library, which must belong together."""
        read_columns(label, qid, y_score=score, weight=weight)

        if not isinstance(qid, list | tuple):
            qid = as_array(qid)
        rows = cls(
            qid=as_ids(qid),
            y_true=as_array(grades_of_categories(label)),
            y_score=as_array(score),
            weight=None if weight is None else as_array(weight),
        )

        lengths = [len(column) for column in rows if column is not None]
        if len(set(lengths)) > 1:
            raise ValueError(
                "A chunk must have one label, score, query id and weight for each row, got "
                f"{', '.join(map(str, lengths))} entries."
            )
        return rows

    def judgments(self) -> Judgments:
        """Lay out the labels by query."""
        columns = CheckedColumns(self.y_true, self.qid, None, {}, self.weight)
        return Judgments(columns)

    def take(self, rows: slice) -> Rows:
        """Return some rows, which share their memory with these."""
        return self._map_columns(lambda column: column[rows])

    def copied(self) -> Rows:
        """Return the same rows in memory of their own."""
        return self._map_columns(lambda column: column.copy())

    def _map_columns(self, function: Callable[..., NDArray[Any]]) -> Rows:
        return Rows(
            y_true=function(self.y_true),
            y_score=function(self.y_score),
            qid=function(self.qid),
            weight=None if self.weight is None else function(self.weight),
        )

    @classmethod
    def concatenate(cls, chunks: list[Rows]) -> Rows:
        """Put rows one below the other; there is at least one chunk."""
        if len(chunks) == 1:
            return chunks[0]
        if len({rows.weight is None for rows in chunks}) > 1:
            raise ValueError(
                "Weights must be in all chunks or in none, got some with and without."
            )

        labels, scores, ids, weights = zip(*chunks, strict=True)
        return Rows(
            y_true=np.concatenate(labels),
            y_score=np.concatenate(scores),
            qid=join_ids(list(ids)),
            weight=None if weights[0] is None else np.concatenate(weights),
        )


def read_rows(chunks: Iterable[Any], columns: ColumnNames) -> Iterator[Rows]:
    """Read one chunk after the other; those without rows are skipped.

    Parameters
    ----------
    chunks : iterable of tuple, mapping, DataFrame, RecordBatch or Table
        Arrays (y_true, y_score, qid) or (y_true, y_score, qid, weight), or named columns.
    columns : ColumnNames
        Names of the columns.

    Yields
    ------
    Rows
        The rows of a chunk.
    """
    first_number: int | None = None
    first_words: tuple[Any, ...] = ()
    for number, chunk in enumerate(chunks):
        label, score, qid, weight = _take_columns(chunk, columns)
        rows = Rows.of(label, score, qid, weight)
        if not rows.n_rows:
            continue

        words = words_of_grades(label)
        if first_number is None:
            first_number = number
            first_words = words
        require_same_words(
            first_words, f"chunk {first_number}", words, f"chunk {number}"
        )
        yield rows


def join_ids(blocks: list[NDArray[Any]]) -> NDArray[Any]:
    """Put query ids one below the other; different ids stay different.

    Parameters
    ----------
    blocks : list of ndarray
        Ids block by block.

    Returns
    -------
    ndarray
        All ids.
    """
    blocks_of_ids = [ids for ids in blocks if len(ids) and ids[0] is not None]
    if len({_is_text(ids) for ids in blocks_of_ids}) > 1:
        raise ValueError("qid must be of one type in all chunks, got numbers and text.")

    # As floats, different large ids would be equal.
    are_integers = all(ids.dtype.kind in "iu" for ids in blocks)
    if are_integers and np.result_type(*blocks).kind == "f":
        blocks = [ids.astype(object) for ids in blocks]
    return np.concatenate(blocks)


def _is_text(ids: NDArray[Any]) -> bool:
    return ids.dtype.kind in "UST" or isinstance(ids[0], str | bytes)


def _take_columns(chunk: Any, columns: ColumnNames) -> tuple[Any, ...]:
    """Return labels, scores, query ids and weights, as they stand in the chunk."""
    if isinstance(chunk, tuple | list):
        if len(chunk) not in (3, 4):
            raise ValueError(
                "A chunk must hold the arrays (y_true, y_score, qid) or (y_true, y_score, qid, "
                f"weight), or named columns, got {len(chunk)} arrays; put a single chunk into a "
                "list."
            )
        return (*chunk, None)[:4]

    columns.require(_column_names(chunk), "the chunk")
    return tuple(None if name is None else chunk[name] for name in columns)


def _column_names(chunk: Any) -> list[str]:
    if isinstance(chunk, Mapping):
        return list(chunk)
    # The first attribute is Arrow's, the second that of pandas and polars.
    for attribute in ("column_names", "columns"):
        if hasattr(type(chunk), attribute):
            return list(getattr(chunk, attribute))
    raise TypeError(
        "A chunk must be a tuple of arrays, a mapping, a DataFrame or an Arrow batch or table, got "
        f"{type(chunk).__name__}."
    )


def as_array(column: Any) -> NDArray[Any]:
    """Return a column of any library as an array.

    Parameters
    ----------
    column : array-like, Series, or pyarrow Array
        The column.

    Returns
    -------
    ndarray of shape (n_rows,)
        The values; a missing one is NaN in a column of numbers, else None.

    Examples
    --------
    >>> import pandas as pd
    >>> from skgraded._engines.rows import as_array
    >>> as_array(pd.Series([1, None], dtype="Int64"))
    array([ 1., nan])
    """
    if hasattr(column, "dictionary_encode"):
        return _array_of_arrow(column)
    if np.ma.is_masked(column):
        if column.dtype.kind in "iufb":
            return np.ma.filled(column.astype(float), np.nan)
        return np.ma.filled(column.astype(object), None)

    is_series = hasattr(column, "isna") and hasattr(column, "to_numpy")
    # pandas.NA is not a float.
    if is_series and column.dtype.kind in "iufb" and column.isna().any():
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))

    array = np.asarray(column)
    if array.dtype.kind == "O" and array.ndim == 1:
        return _with_none(array)
    return array


def _with_none(objects: NDArray[Any]) -> NDArray[Any]:
    """Replace pandas.NA and the like by None, which NumPy converts to NaN."""
    are_missing = [is_missing(value) for value in objects.tolist()]
    missing = np.array(are_missing, dtype=bool)
    if missing.any():
        objects = objects.copy()
        objects[missing] = None
    return objects


def _array_of_arrow(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ExtensionArray):
        column = column.storage

    is_dictionary = isinstance(column, pa.DictionaryArray)
    if is_dictionary or not pa.types.is_primitive(column.type):
        # Equal texts become one object, which is quick to compare with itself.
        encoded = column.dictionary_encode()
        texts = [*encoded.dictionary.to_pylist(), None]
        places = encoded.indices.fill_null(len(texts) - 1)
        text_of_place = np.array(texts, dtype=object)
        return np.asarray(text_of_place[places.to_numpy(zero_copy_only=False)])
    return column.to_numpy(zero_copy_only=False)


def open_dataset(data: Any) -> Any:
    """Return a pyarrow Dataset, or None where data are an iterable of chunks already."""
    if isinstance(data, str | os.PathLike):
        return _open_parquet(data)
    if hasattr(data, "get_fragments"):
        return data
    is_table = hasattr(data, "to_batches") and hasattr(data, "column_names")
    if is_table:
        import pyarrow.dataset as ds

        return ds.dataset(data)

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


def labels_of(dataset: Any, label: str) -> Iterator[NDArray[Any]]:
    """Read the column of labels, batch by batch."""
    for batch in _scan_batches(dataset, [label]):
        yield as_array(batch[label])


def batches_of(dataset: Any, names: list[str]) -> Iterator[Any]:
    """Read some columns, batch by batch, under a progress bar."""
    with ProgressBar(dataset.count_rows(), "evaluate") as progress:
        for batch in _scan_batches(dataset, names):
            yield batch
            progress.step(batch.num_rows)


def _scan_batches(dataset: Any, names: list[str]) -> Iterator[Any]:
    # One row group at a time: a scan of the whole data set would read ahead and fill the memory.
    for fragment in dataset.get_fragments():
        _require_stored(fragment, names)

        row_groups = [fragment]
        if hasattr(fragment, "split_by_row_group"):
            row_groups = fragment.split_by_row_group()
        for row_group in row_groups:
            yield from row_group.to_batches(
                schema=dataset.schema,
                columns=names,
                batch_size=_BATCH_ROWS,
                batch_readahead=1,
            )


def _open_parquet(path: Any) -> Any:
    """Open files with column types that hold the values of all; pyarrow takes the first file's."""
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install pyarrow.") from error

    files = ds.dataset(path, format="parquet")
    schemas = [files.schema]
    schemas.extend(file.physical_schema for file in files.get_fragments())
    schema = pa.unify_schemas(schemas, promote_options="permissive")
    return ds.dataset(path, format="parquet", schema=schema)


def _require_stored(fragment: Any, names: list[str]) -> None:
    """Raise if a file lacks a column; pyarrow would fill it with nulls."""
    import pyarrow.dataset as ds

    stored = fragment.physical_schema.names
    keys_of_folders = ds.get_partition_keys(fragment.partition_expression)
    present = [*stored, *keys_of_folders]
    missing = [name for name in names if name not in present]

    if missing:
        raise ValueError(
            f"{getattr(fragment, 'path', 'data')} must have the column {missing[0]!r}, as other "
            f"files do; there are: {', '.join(stored)}."
        )
