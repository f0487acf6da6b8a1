"""The gate: columns that belong together are read here, and compared with each other.

Every function that takes several columns with an entry per row (grades, scores, ids, weights,
features, initial scores) reads them by `read_columns`, which refuses what would pair wrong rows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_if_id_column_is_shuffled
from skgraded.rankings._grouping import as_ids
from skgraded.rankings._query_ids import (
    QID,
    QueryIds,
    has_id_column,
    ids_in_index,
    ids_in_keyword,
    split_target,
)

__all__ = ["Columns", "read_columns", "refuse_other_order"]

_WAYS = (
    "Query ids are missing. Give one id per row in any of these ways:\n"
    "- the keyword qid=..., inside scikit-learn's tools only where "
    "sklearn.set_config(enable_metadata_routing=True) is set;\n"
    "- y=query_target(y, qid), which every tool of scikit-learn passes on;\n"
    "- y=query_series(y, qid), for estimators that need a y of numbers;\n"
    "- a column 'qid' of X, a pandas or polars DataFrame; it is not used as a feature;\n"
    "- an index level named 'qid' of y or X, a pandas Series or DataFrame.\n"
    "scikit-learn passes groups=... to the splitter alone, and not to fit and score. xgboost.cv "
    "passes none to its folds: give the DMatrix qid=..., and the number of folds, nfold=3."
)


class Columns(NamedTuple):
    """Columns of the same rows, which the gate has let through.

    Attributes
    ----------
    labels : array-like of shape (n_documents,) or None
        Grades, without the ids that stood beside them.
    queries : QueryIds or None
        Ids and sizes, not yet checked; None where there are no ids.
    row_labels : mapping of str to Index
        Row labels of those arguments that are pandas objects.
    """

    labels: Any
    queries: QueryIds | None
    row_labels: Mapping[str, Any]

    @property
    def ids(self) -> NDArray[Any]:
        """Query id of each row, as an array."""
        return as_ids(self.require_ids().queries.ids)  # type: ignore[union-attr]

    def require_ids(self) -> Self:
        """Return the columns themselves, or raise where they hold no query ids.

        Returns
        -------
        Columns
            The same.

        Raises
        ------
        ValueError
            If there are no ids; the message names all the ways of giving them.
        """
        if self.queries is None:
            raise ValueError(_WAYS)
        return self


def read_columns(
    labels: Any, ids: Any = None, /, *, named: tuple[str, str] = ("y_true", "qid"), **others: Any
) -> Columns:
    """Read columns that belong together, and find the query of each row in them.

    The first of these that is there counts: the keyword, `query_target`, a column ``"qid"`` of a
    DataFrame, an index level ``"qid"`` of a pandas object. The keyword and the index may hold sizes
    too, as made by `query_ids` and `query_series`.

    Parameters
    ----------
    labels : array-like of shape (n_documents,) or None
        Grades, or what `query_target` or `query_series` makes of them.
    ids : array-like of shape (n_documents,), optional
        The ids themselves, or what `query_ids` makes of them.
    named : (str, str), default=("y_true", "qid")
        What the user calls these two, for messages.
    **others : array-like with n_documents rows, or any other object
        The other columns by name. What has no rows is left alone.

    Returns
    -------
    Columns
        Grades and queries.

    Raises
    ------
    ValueError
        If pandas objects hold the same row labels in different orders.

    Warns
    -----
    CutQueriesWarning
        If the ids are a column of X that permutation_importance is shuffling.

    Examples
    --------
    >>> from skgraded import query_ids
    >>> from skgraded.rankings import read_columns
    >>> columns = read_columns([1, 0, 2], query_ids(["a", "a", "b"]), y_score=[0.5, 0.2, 0.1])
    >>> columns.labels, columns.queries.sizes
    ([1, 0, 2], array([2, 2, 1]))
    """
    columns = {named[0]: labels, **others}
    if _is_plain(ids) and all(map(_is_plain, columns.values())):
        return Columns(labels, None if ids is None else QueryIds(ids, None), {})
    row_labels = _row_labels({**columns, named[1]: ids})
    refuse_other_order(row_labels)
    grades, in_target = split_target(labels)
    return Columns(grades, _queries_in(ids, in_target, columns), row_labels)


def _is_plain(column: Any) -> bool:
    """Whether a column is an array or list of values, which tells nothing of its rows."""
    kind = type(column)
    return column is None or kind is list or (kind is np.ndarray and column.dtype.names is None)


def _queries_in(ids: Any, in_target: QueryIds | None, columns: dict[str, Any]) -> QueryIds | None:
    if ids is not None:
        queries = ids_in_keyword(ids)
        # Where the target holds the same ids, it may know the sizes.
        labels = next(iter(columns.values()))
        known = ids_in_index(labels) if in_target is None else in_target
        if known is None or queries.sizes is not None:
            return queries
        is_same = np.array_equal(as_ids(known.ids), as_ids(queries.ids))
        return queries._replace(sizes=known.sizes) if is_same else queries
    if in_target is not None:
        return in_target
    for each in columns.values():
        if has_id_column(each):
            warn_if_id_column_is_shuffled()
            return QueryIds(each[QID], None)
    return next(filter(None, map(ids_in_index, columns.values())), None)


def _row_labels(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the indices of those columns that are pandas objects."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return {}
    kinds = (pandas.Series, pandas.DataFrame)
    return {name: each.index for name, each in columns.items() if isinstance(each, kinds)}


def refuse_other_order(row_labels: Mapping[str, Any]) -> None:
    """Raise where two pandas objects hold the same rows in different orders.

    Parameters
    ----------
    row_labels : mapping of str to Index
        Row labels by the name of the argument.

    Raises
    ------
    ValueError
        If two of them are equal but for the order.
    """
    for (first, index), (name, other) in combinations(row_labels.items(), 2):
        if _differ_only_in_order(index, other):
            raise ValueError(
                f"{name} must have its rows in the order of {first}: both have the same index, in "
                f"different orders. Bring them into one order, for example by "
                f"{name}.loc[{first}.index], or pass arrays."
            )


def _differ_only_in_order(index: Any, other: Any) -> bool:
    if len(index) != len(other) or index.nlevels != other.nlevels or index.equals(other):
        return False
    if (QID in index.names) != (QID in other.names):  # ids, and labels of rows
        return False
    counts, others = index.value_counts(sort=False), other.value_counts(sort=False)
    return bool(counts.equals(others.reindex(counts.index)))
