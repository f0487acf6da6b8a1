"""Positions of features beside columns of query ids, which are taken out of X."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from skgraded._support.arguments import is_integer
from skgraded.rankings import id_columns

# Parameters that choose features, in any library and step. Numbers elsewhere are no positions.
_CHOOSES_FEATURES = re.compile(
    r"cat_feature|categor|text_features|embedding_features|ignored?_(column|features)"
    r"|interaction|columns?$|^features$|penalties|^cols$|^variables$"
)
# Parameters with an entry for each feature.
_BY_FEATURE = re.compile(
    r"monoton|feature_(types|weights|contri|border|name)|max_bin_by_feature|mc$"
)
_NUMBERS = re.compile(r"[\s\d,\[\]()-]+")


def refuse_positions_beside_ids(
    estimator: Any, fit_params: Mapping[str, Any], X: Any
) -> None:
    """Raise where positions of features would mean others, since X has columns of query ids.

    A position before these columns means the same with and without them.

    Parameters
    ----------
    estimator : estimator
        The estimator of the ranker.
    fit_params : mapping of str to object
        The parameters of its fit.
    X : array-like of shape (n_documents, n_features)
        Features, perhaps with columns of query ids.

    Raises
    ------
    ValueError
        If a parameter holds a position at or behind such a column.
    """
    names_of_ids = id_columns(X)
    if not names_of_ids:
        return
    names = getattr(X, "column_names", None)  # of pyarrow
    columns = list(X.columns if names is None else names)
    first_id = min(columns.index(name) for name in names_of_ids)

    params = dict(fit_params)
    if hasattr(estimator, "get_params"):
        params = {**estimator.get_params(deep=True), **params}
    for path, value in params.items():
        name = path.rpartition("__")[2]
        if value is None:
            continue
        moved = _moved_position(name, value, first_id, len(columns))
        if moved is not None:
            column = names_of_ids[0]
            raise ValueError(
                f"{path} must name features, not count them, where X has the column {column!r}, "
                f"which is taken out before the fit and moves those behind it, got {moved!r}: "
                f"write names of columns, or pass the ids as qid=X[{column!r}] and X without them."
            )


def _moved_position(name: str, value: Any, first_id: int, n_columns: int) -> int | None:
    """Return a position that would mean another column, or the length that counts the ids."""
    if name == "transformers":  # of a ColumnTransformer: names, steps and columns
        value = [entry[2] for entry in value if len(entry) == 3]  # noqa: PLR2004
    elif _BY_FEATURE.search(name):
        return _moved_entry(value, first_id, n_columns)
    elif not _CHOOSES_FEATURES.search(name):
        return None

    for position in _positions_in(value):
        if position < 0 or position >= first_id:
            return position
    return None


def _moved_entry(value: Any, first_id: int, n_columns: int) -> int | None:
    """Look at entries by feature: by position in a mapping, or one for each column of X."""
    if isinstance(value, Mapping):
        for position in _positions_in(list(value)):
            if position >= first_id:
                return position
        return None
    if isinstance(value, str):
        value = [entry for entry in value.strip("()[] ").split(",") if entry]
    # As many entries as columns count the ids as a feature.
    if isinstance(value, list | tuple | np.ndarray) and len(value) == n_columns:
        return n_columns
    return None


def _positions_in(value: Any) -> Iterator[int]:
    """Yield the integers in nested lists, arrays, slices and text of numbers."""
    if is_integer(value):
        yield int(value)
    elif isinstance(value, str):
        if _NUMBERS.fullmatch(value):
            yield from map(int, re.findall(r"-?\d+", value))
    elif isinstance(value, slice):
        for bound in (value.start, value.stop):
            if is_integer(bound):
                yield int(bound)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "iu":
            yield from value.ravel().tolist()
    elif isinstance(value, list | tuple | set | frozenset | range):
        for entry in value:
            yield from _positions_in(entry)
