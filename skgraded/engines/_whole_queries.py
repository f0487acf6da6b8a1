"""Blocks of whole queries out of a stream of chunks, and checks that no query is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal, NamedTuple, NoReturn, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import choice
from skgraded.engines._rows import Rows, join_ids
from skgraded.rankings import Judgments

Order = Literal["ascending", "grouped"]

_WAYS_OUT = (
    "Sort the data by query first; or, if the rows of each query stand together, pass "
    "order='grouped', which remembers all ids."
)


def check_order(order: object) -> Order:
    """Return an order that can be checked."""
    return cast(Order, choice("order", order, get_args(Order)))


def whole_queries(chunks: Iterator[Rows], block_rows: int) -> Iterator[Rows]:
    """Collect chunks until there are enough rows, and hold back the last query.

    Parameters
    ----------
    chunks : iterator of Rows
        The rows of a query stand together, also across the ends of chunks.
    block_rows : int
        The least number of rows of a block.

    Yields
    ------
    Rows
        Whole queries only.
    """
    held: list[Rows] = []
    n_held, wanted = 0, block_rows
    for rows in chunks:
        held.append(rows)
        n_held += rows.n_rows
        if n_held < wanted:
            continue
        joined = Rows.concatenate(held)
        end = _start_of_last_query(joined.qid)
        if end:
            yield joined.take(slice(0, end)) if end < n_held // 2 else _head(joined, end)
            joined = joined.take(slice(end, None))
        held, n_held = [joined], joined.n_rows
        # A query longer than a block is joined up again only when it has doubled.
        wanted = max(block_rows, 2 * n_held)
    if held:
        yield Rows.concatenate(held)


def _head(rows: Rows, end: int) -> Rows:
    return Rows(*(None if each is None else each[:end] for each in rows))  # type: ignore[arg-type]


def _start_of_last_query(ids: NDArray[Any]) -> int:
    others = np.flatnonzero(ids != ids[-1])
    return int(others[-1]) + 1 if len(others) else 0


class QueryOrder:
    """A check that no query comes back after another one has begun.

    Parameters
    ----------
    order : {"ascending", "grouped"} or None
        ``"ascending"``: ids ascend, which takes no memory to check. ``"grouped"``: all ids are
        remembered. None: nothing is checked across blocks, since an engine has sorted the rows,
        perhaps by another order of texts than Python's.
    """

    def __init__(self, order: Order | None) -> None:
        self.order = order
        self.n_rows = 0
        self._last: NDArray[Any] | None = None
        self._seen: set[Any] = set()

    def check(self, judgments: Judgments) -> None:
        """Check the queries of the next block.

        Parameters
        ----------
        judgments : Judgments
            Judgments of the block.

        Raises
        ------
        ValueError
            If a query is in two places, or ids do not ascend.
        """
        if judgments.row_order is not None:
            self._refuse_gap(judgments)
        ids = judgments.qid
        if self.order == "ascending":
            self._check_ascending(ids, judgments.indptr)
        elif self.order == "grouped":
            self._check_unseen(ids, judgments.indptr)
        self.n_rows += judgments.n_documents

    def _refuse_gap(self, judgments: Judgments) -> None:
        rows, query = judgments.row_order, judgments.indptr
        gaps = np.flatnonzero(np.diff(rows) != 1) + 1 if rows is not None else np.zeros(0, np.int64)
        inside = np.setdiff1d(gaps, query)
        again = int(inside[0])
        number = int(np.searchsorted(query, again, side="right")) - 1
        self._raise_back(judgments.qid[number], self.n_rows + int(rows[again]))  # type: ignore[index]

    def _check_ascending(self, ids: NDArray[Any], indptr: NDArray[np.int64]) -> None:
        before = ids[:-1] if self._last is None else join_ids([self._last, ids[:-1]])
        after = ids[len(ids) - len(before) :]
        descents = np.flatnonzero(~_ascend(before, after))
        if len(descents):
            place = int(descents[0])
            row = self.n_rows + int(indptr[len(ids) - len(before) + place])
            raise ValueError(
                f"qid must ascend from query to query, got {_shown(after[place])} after "
                f"{_shown(before[place])} in row {row}. {_WAYS_OUT}"
            )
        self._last = ids[-1:]

    def _check_unseen(self, ids: NDArray[Any], indptr: NDArray[np.int64]) -> None:
        listed = ids.tolist()
        known = self._seen.intersection(listed)
        if known:
            number = next(place for place, each in enumerate(listed) if each in known)
            self._raise_back(ids[number], self.n_rows + int(indptr[number]))
        self._seen.update(listed)

    def _raise_back(self, query: Any, row: int) -> None:
        way_out = "Sort the data by query first." if self.order == "grouped" else _WAYS_OUT
        raise ValueError(
            f"The rows of a query must stand together, but query {_shown(query)} comes back in row "
            f"{row}, after other queries. {way_out}"
        )


def _ascend(before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.bool_]:
    try:
        return np.asarray(before < after, dtype=bool)
    except TypeError as error:
        raise ValueError(
            "qid must be of one type, with an order, to ascend from query to query. Pass "
            "order='grouped' if the rows of each query stand together."
        ) from error


def _shown(query: Any) -> str:
    return repr(query.item() if hasattr(query, "item") else query)


class QueryRange(NamedTuple):
    """Smallest and largest query id of a part of the data.

    Attributes
    ----------
    smallest, largest : object
        The ids; None where the ids of the part have no order.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.engines import QueryRange
    >>> parts = [QueryRange.of(np.array(["d", "c"])), QueryRange.of(np.array(["a", "b"]))]
    >>> parts[0]
    QueryRange(smallest='c', largest='d')
    >>> QueryRange.are_apart(parts)
    True
    """

    smallest: Any
    largest: Any

    @classmethod
    def of(cls, ids: NDArray[Any]) -> Self:
        """Find the range of some ids.

        Parameters
        ----------
        ids : ndarray of shape (n_queries,)
            At least one id.

        Returns
        -------
        QueryRange
            The range.
        """
        try:
            return cls(min(ids.tolist()), max(ids.tolist()))
        except TypeError:
            return cls(None, None)

    @staticmethod
    def are_apart(ranges: Iterable[QueryRange]) -> bool:
        """Whether no two ranges meet, so that no query can be in two parts.

        Parameters
        ----------
        ranges : iterable of QueryRange
            Range of each part.

        Returns
        -------
        bool
            False also where the ids have no order.
        """
        try:
            return all(one.largest < two.smallest for one, two in pairwise(sorted(ranges)))
        except TypeError:
            return False


def refuse_cut_query(cut: str) -> NoReturn:
    """Raise the error that a query is in two partitions.

    Parameters
    ----------
    cut : str
        Which query is in which partitions.

    Raises
    ------
    ValueError
        In any case.

    Examples
    --------
    >>> from skgraded.engines import refuse_cut_query
    >>> refuse_cut_query("query 7 is in partitions 0 and 1")
    Traceback (most recent call last):
    ValueError: No query may be in two partitions, but query 7 is in partitions 0 and 1. Leave...
    """
    raise ValueError(
        f"No query may be in two partitions, but {cut}. Leave whole_queries out to have the rows "
        "of each query brought together, or write the data query by query."
    )
