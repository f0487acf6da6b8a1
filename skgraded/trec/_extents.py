"""Extents of lists that stand one after the other in an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.array_types import IntArray


def indptr_of(lengths: NDArray[Any]) -> IntArray:
    """Return the extents of lists of some lengths.

    Parameters
    ----------
    lengths : ndarray of shape (n_lists,), int or bool
        Length of each list.

    Returns
    -------
    ndarray of shape (n_lists + 1,), int64
        List i is ``indptr[i]:indptr[i + 1]``.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.trec._extents import indptr_of
    >>> indptr_of(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    return np.concatenate(([0], np.cumsum(lengths)))


def starts_by_row(indptr: IntArray) -> IntArray:
    """Return where the list of each row starts.

    Parameters
    ----------
    indptr : ndarray of shape (n_lists + 1,), int64
        Extents of the lists.

    Returns
    -------
    ndarray of shape (n_rows,), int64
        The starts.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.trec._extents import starts_by_row
    >>> starts_by_row(np.array([0, 2, 2, 5]))
    array([0, 0, 2, 2, 2])
    """
    return np.repeat(indptr[:-1], np.diff(indptr))
