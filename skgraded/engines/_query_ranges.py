"""The check that no query is in two partitions, by the smallest and largest id of each."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, Self

from numpy.typing import NDArray

__all__ = ["QueryRange", "refuse_cut_query"]


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
