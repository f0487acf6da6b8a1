"""Qrels and runs that are objects of Python: mappings, tables of any library, records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from skgraded.trec._files._columns import (
    Columns,
    columns_of_rows,
    has_columns_of,
    is_table,
    records_of_columns,
)
from skgraded.trec._files._nested import only_set, records_of_topics
from skgraded.trec._files._records import Records

_MOST_QUOTED = 60


def read_object(
    source: Any,
    is_run: bool,
    labels: Sequence[str] | None = None,
    *,
    where: str = "",
    place: Callable[[int], str] | None = None,
) -> Records:
    """Read records from an object.

    Parameters
    ----------
    source : mapping, table or iterable of records
        By topic, or as columns, or record by record.
    is_run : bool
        Whether a run is read.
    labels : sequence of str, optional
        Words of the grade column, lowest first.
    where : str, default=""
        Name of the file that held the object, for messages.
    place : callable, optional
        Returns the place of a row, for messages.

    Returns
    -------
    Records
        The records.
    """
    place = place or (lambda row: f"{where}row {row}")
    source = _unwrapped(source, where)
    if isinstance(source, Mapping) and not has_columns_of(source):
        return records_of_topics(source, is_run, labels, where=where)
    columns = _columns_of_table(source, place)
    if columns is None:
        columns = columns_of_rows(_rows(source), place)
    return records_of_columns(columns, is_run, labels)


def _unwrapped(source: Any, where: str) -> Any:
    if type(source).__name__ == "LazyFrame":
        raise TypeError("A LazyFrame must be collected first: pass frame.collect().")
    if hasattr(source, "read_all"):  # a stream of Arrow batches
        source = source.read_all()
    if hasattr(source, "to_dict") and not is_table(source):  # qrels and runs of ranx
        source = source.to_dict()
    if isinstance(source, Mapping) and not is_table(source) and not has_columns_of(source):
        return only_set(source, where)
    return source


def _columns_of_table(source: Any, place: Callable[[int], str]) -> Columns | None:
    """Return the columns of a table; None where the source holds records."""
    if isinstance(source, Mapping) and not is_table(source):
        return _columns_of_mapping(source, place)
    if not is_table(source):
        return None
    kind, names = f"A {type(source).__name__}", getattr(source, "column_names", None)
    if names is None:
        return Columns(kind, list(source.columns), source.__getitem__, place)
    if hasattr(source, "column"):  # Arrow
        return Columns(kind, names, lambda name: source.column(name).to_pylist(), place)
    if hasattr(source, "__getitem__"):  # Hugging Face
        return Columns(kind, names, lambda name: list(source[name]), place)
    return None


def _columns_of_mapping(source: Mapping[Any, Any], place: Callable[[int], str]) -> Columns:
    """Return columns by name, each of which is a list or, in pandas' JSON, a dict by row."""
    if not any(map(_is_column, source.values())):
        return columns_of_rows([source], place)
    columns = {
        name: list(each.values()) if isinstance(each, Mapping) else each
        for name, each in source.items()
    }
    lengths = {name: len(each) for name, each in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"Columns must have one entry per row, got lengths {lengths}.")
    return Columns("A dict of columns", list(columns), columns.__getitem__, place)


def _is_column(each: Any) -> bool:
    return isinstance(each, Mapping | list | tuple) or getattr(each, "ndim", 0) == 1


def _rows(source: Any) -> list[Any]:
    if not isinstance(source, Iterable) or isinstance(source, str | bytes):
        raise TypeError(
            "Qrels and runs are read from a path, a file object, a dict of dicts or of lists, a "
            f"table such as a DataFrame, or an iterable of records, got {type(source).__name__}."
        )
    rows = list(source)
    if not rows:
        raise ValueError("Qrels and runs must hold at least one document, got no record.")
    if isinstance(rows[0], str):
        raise TypeError(
            "Documents must stand below their topic, got a list of ids, which starts with "
            f"{rows[0]!r}. Pass {{topic: ids}}, where the ids of a run have the best one first."
        )
    is_record = isinstance(rows[0], Mapping) or hasattr(rows[0], "query_id")
    if not is_record and not hasattr(rows[0], "qid"):
        shown = repr(rows[0])[:_MOST_QUOTED]
        raise ValueError(f"Records must have an attribute query_id or qid, got {shown}.")
    return rows
