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

from skgraded._guards import is_permuting_features, warn_if_id_column_is_shuffled
from skgraded.rankings._categories import grades_of_categories
from skgraded.rankings._grouping import as_ids, number_rows
from skgraded.rankings._query_ids import (
    QID,
    QueryIds,
    has_id_column,
    ids_in_index,
    ids_in_keyword,
    split_target,
)

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


class CheckedColumns(NamedTuple):
    """Columns of the same rows, which the gate has let through.

    Attributes
    ----------
    labels : array-like of shape (n_documents,) or None
        Grades, without the ids that came with them; ordered categories are turned into grades.
    ids : array-like of shape (n_documents,) or None
        Query id of each row, in the type in which they were given and not yet checked.
    sizes : ndarray of shape (n_documents,), int64, or None
        Number of rows of each row's query in the data set that the rows come from, where the target
        or the ids say so.
    row_labels : mapping of str to Index
        Row labels of those arguments that are pandas objects.
    """

    labels: Any
    ids: Any
    sizes: NDArray[np.int64] | None
    row_labels: Mapping[str, Any]

    def require_ids(self) -> Self:
        """Return the columns themselves, or raise where they hold no query ids.

        Returns
        -------
        CheckedColumns
            The same.

        Raises
        ------
        ValueError
            If there are no ids; the message names all the ways of giving them.
        """
        if self.ids is None:
            raise ValueError(_WAYS)
        return self


def read_columns(
    labels: Any, ids: Any = None, /, *, named: tuple[str, str] = ("y_true", "qid"), **others: Any
) -> CheckedColumns:
    """Read columns that belong together, and find the query of each row in them.

    Ids may stand in the keyword, in what `query_target` makes, in a column ``"qid"`` of a DataFrame
    and in an index level ``"qid"`` of a pandas object. Where they stand in several places, all must
    put the same rows into one query, and the first of these places names the queries. The keyword
    and the index may hold sizes too, as made by `query_ids` and `query_series`.

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
    CheckedColumns
        Grades and queries.

    Raises
    ------
    ValueError
        If pandas objects hold the same row labels in different orders, or ids in two places
        contradict each other.

    Warns
    -----
    CutQueriesWarning
        If the ids are a column of X that permutation_importance is shuffling.

    Examples
    --------
    >>> from skgraded import query_ids
    >>> from skgraded.rankings import read_columns
    >>> columns = read_columns([1, 0, 2], query_ids(["a", "a", "b"]), y_score=[0.5, 0.2, 0.1])
    >>> columns.labels, columns.sizes
    ([1, 0, 2], array([2, 2, 1]))
    """
    for each in (labels, ids, *others.values()):
        kind = type(each)
        # Plain lists and arrays tell nothing of their rows.
        if not (each is None or kind is list or (kind is np.ndarray and each.dtype.names is None)):
            return _read_telling_columns(labels, ids, named, others)
    return CheckedColumns(labels, ids, None, {})


def _read_telling_columns(
    labels: Any, ids: Any, named: tuple[str, str], others: Mapping[str, Any]
) -> CheckedColumns:
    """Read columns of which some may tell the labels or the queries of their rows."""
    columns = {named[0]: labels, **others}
    row_labels = _row_labels({**columns, named[1]: ids})
    _refuse_other_order(row_labels)
    grades, in_target = split_target(labels)
    sources = [] if ids is None else [_Source(named[1], ids_in_keyword(ids))]
    if in_target is not None:
        sources.append(_Source(f"the ids in {named[0]}", in_target))
    queries = _agreed_on(sources + _ids_of_frames(columns, row_labels, is_known=bool(sources)))
    return CheckedColumns(grades_of_categories(grades), *queries, row_labels)


class _Source(NamedTuple):
    """Ids that one of the arguments holds, and what to call them in messages."""

    name: str
    queries: QueryIds


def _ids_of_frames(
    columns: Mapping[str, Any], row_labels: Mapping[str, Any], *, is_known: bool
) -> list[_Source]:
    """Return the ids in columns of data frames, and then those in row labels."""
    in_index = [
        _Source(f"the index level {QID!r} of {name}", ids_in_index(index))
        for name, index in row_labels.items()
        if QID in index.names
    ]
    in_columns = [
        _Source(f"the column {QID!r} of {name}", QueryIds(each[QID], None))
        for name, each in columns.items()
        if getattr(each, "ndim", 0) != 1 and has_id_column(each)
    ]
    if in_columns and is_permuting_features():  # which shuffles the column as well
        if is_known or in_index:
            return in_index
        warn_if_id_column_is_shuffled()
    return in_columns + in_index


def _agreed_on(sources: list[_Source]) -> QueryIds:
    """Return the first ids, with the sizes that any know; raise where others contradict them."""
    if not sources:
        return QueryIds(None, None)
    first, *others = sources
    for other in others:
        _require_same_queries(first, other)
    sizes = (each.queries.sizes for each in sources if each.queries.sizes is not None)
    return QueryIds(first.queries.ids, next(sizes, None))


def _require_same_queries(one: _Source, other: _Source) -> None:
    """Raise if the two divide the rows into queries differently; the ids may differ."""
    ids, others = one.queries.ids, other.queries.ids
    if len(ids) != len(others):
        raise ValueError(
            f"{one.name} and {other.name} must have one entry per row, got {len(ids)} and "
            f"{len(others)}. Group sizes become ids by np.repeat(np.arange(len(sizes)), sizes)."
        )
    numbers, theirs = number_rows(ids, len(ids)), number_rows(others, len(others))
    differ = np.flatnonzero(numbers != theirs)
    if not len(differ):
        return
    row = int(differ[0])
    both = f"{one.name} and {other.name}"
    # In all rows before, the numbers are equal. In this row, the smaller one is that of a query
    # which has earlier rows.
    if numbers[row] > theirs[row]:
        one, other, numbers = other, one, theirs
    before = int(np.argmax(numbers == numbers[row]))
    raise ValueError(
        f"{both} contradict each other: rows {before} and {row} are of one query by {one.name} "
        f"({_said(one, row)}), and of two by {other.name} ({_said(other, before)} and "
        f"{_said(other, row)}). Bring the rows into one order, or give the ids in one place."
    )


def _said(source: _Source, row: int) -> str:
    (name,) = as_ids(source.queries.ids)[row : row + 1].tolist()
    return repr(name)


def _row_labels(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the indices of those columns that are pandas objects."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return {}
    kinds = (pandas.Series, pandas.DataFrame)
    return {name: each.index for name, each in columns.items() if isinstance(each, kinds)}


def _refuse_other_order(row_labels: Mapping[str, Any]) -> None:
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


def require_rows_of(
    judgments: str, row_labels: Mapping[str, Any], ids: NDArray[Any], scores: CheckedColumns
) -> None:
    """Raise if scores tell that their rows are not those of labels that were read before.

    Parameters
    ----------
    judgments : str
        What to call these labels in messages.
    row_labels : mapping of str to Index
        Row labels of the columns that were read with them.
    ids : ndarray of shape (n_documents,)
        Query id of each of their rows.
    scores : CheckedColumns
        Scores, read without labels.

    Raises
    ------
    ValueError
        If they hold the same row labels in another order, or ids of other queries.
    """
    _refuse_other_order({**row_labels, **scores.row_labels})
    if scores.ids is not None:
        ours = _Source(judgments, QueryIds(ids, None))
        _require_same_queries(ours, _Source("the ids in y_score", QueryIds(scores.ids, None)))


def _differ_only_in_order(index: Any, other: Any) -> bool:
    if len(index) != len(other) or index.nlevels != other.nlevels or index.equals(other):
        return False
    if (QID in index.names) != (QID in other.names):  # one has query ids, the other row labels
        return False
    counts, others = index.value_counts(sort=False), other.value_counts(sort=False)
    return bool(counts.equals(others.reindex(counts.index)))
