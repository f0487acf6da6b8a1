"""Chunks of rows in any form that users have them, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "Rows", "as_array", "in_rows"]


class Columns(NamedTuple):
    """Names of the columns.

    Attributes
    ----------
    label, score, qid : str
        Grades, scores and query ids.
    weight : str or None
        Weights of the rows.
    """

    label: str
    score: str
    qid: str
    weight: str | None

    @property
    def names(self) -> list[str]:
        """The columns that there are."""
        return [name for name in self if name is not None]

    def require(self, present: Iterable[str], where: str) -> None:
        """Raise where a column is missing.

        Parameters
        ----------
        present : iterable of str
            The columns that the data have.
        where : str
            What the data are.

        Raises
        ------
        ValueError
            If one that is asked for is not among them.
        """
        known = list(present)
        for argument, name in self._asdict().items():
            if name is not None and name not in known:
                raise ValueError(
                    f"{argument} must name a column of {where}, got {name!r}; there are: "
                    f"{', '.join(map(str, known))}."
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
    def of(cls, chunk: Any, columns: Columns) -> Self:
        """Read a chunk.

        Parameters
        ----------
        chunk : tuple, mapping, DataFrame, RecordBatch or Table
            Arrays (y_true, y_score, qid) or (y_true, y_score, qid, weight), or named columns.
        columns : Columns
            The names.

        Returns
        -------
        Rows
            The arrays.
        """
        if isinstance(chunk, tuple | list):
            rows = _of_arrays(chunk)
        else:
            names = _column_names(chunk)
            columns.require(names, "the chunk")
            arrays = {name: as_array(chunk[name]) for name in columns.names}
            weight = None if columns.weight is None else arrays[columns.weight]
            rows = (arrays[columns.label], arrays[columns.score], arrays[columns.qid], weight)
        return cls(*_of_one_length(rows))

    def take(self, rows: slice) -> Rows:
        """Copy some rows, so that the others can be forgotten.

        Parameters
        ----------
        rows : slice
            Which.

        Returns
        -------
        Rows
            The copy.
        """
        return Rows(*(None if each is None else each[rows].copy() for each in self))  # type: ignore[arg-type]

    @classmethod
    def concatenate(cls, parts: list[Rows]) -> Rows:
        """Put rows one below the other.

        Parameters
        ----------
        parts : list of Rows
            At least one.

        Returns
        -------
        Rows
            All rows.
        """
        if len(parts) == 1:
            return parts[0]
        kinds = {"text" if each.qid.dtype.kind in "OUST" else "number" for each in parts}
        if len(kinds) > 1:
            raise ValueError("qid must be of one type in all chunks, got numbers and text.")
        if len({each.weight is None for each in parts}) > 1:
            raise ValueError("Weights must be in all chunks or in none, got some with and without.")
        columns = zip(*parts, strict=True)
        joined = [None if each[0] is None else np.concatenate(each) for each in columns]
        return Rows(*joined)  # type: ignore[arg-type]


def _of_arrays(chunk: Any) -> tuple[Any, ...]:
    if len(chunk) not in (3, 4):
        raise ValueError(
            "A chunk must hold the arrays (y_true, y_score, qid) or (y_true, y_score, qid, "
            f"weight), or named columns, got {len(chunk)} arrays."
        )
    arrays = [None if each is None else as_array(each) for each in chunk]
    return (*arrays, None)[:4]


def _of_one_length(arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    lengths = [len(each) for each in arrays if each is not None]
    if len(set(lengths)) > 1:
        raise ValueError(
            "A chunk must have one label, score, query id and weight per row, got "
            f"{', '.join(map(str, lengths))} entries."
        )
    return arrays


def _column_names(chunk: Any) -> list[str]:
    if isinstance(chunk, Mapping):
        return list(chunk)
    if hasattr(chunk, "column_names"):
        return list(chunk.column_names)
    if hasattr(chunk, "schema") and hasattr(chunk.schema, "names"):
        return list(chunk.schema.names)
    if hasattr(chunk, "columns"):
        return list(chunk.columns)
    raise TypeError(
        "A chunk must be a tuple of arrays, a mapping, a DataFrame or an Arrow batch or table, got "
        f"{type(chunk).__name__}."
    )


def as_array(column: Any) -> NDArray[Any]:
    """Return a column of any library as an array; missing numbers become NaN."""
    if hasattr(column, "dictionary_encode"):
        return _of_arrow(column)
    if hasattr(column, "isna") and hasattr(column, "to_numpy") and column.dtype.kind in "iufb":
        # pandas.NA is no float
        missing = column.isna().any()
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan) if missing else column)
    return np.asarray(column)


def _of_arrow(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.DictionaryArray) or not pa.types.is_primitive(column.type):
        # Equal texts become one object, which is quick to compare with itself.
        encoded = column.dictionary_encode()
        texts = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
        places = encoded.indices.fill_null(len(texts) - 1)
        return np.asarray(texts[places.to_numpy(zero_copy_only=False)])
    return column.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]


def in_rows(data: Iterable[Any], columns: Columns) -> Iterator[Rows]:
    """Read chunk after chunk; empty ones are skipped."""
    for chunk in data:
        rows = Rows.of(chunk, columns)
        if rows.n_rows:
            yield rows
