"""Judgments of the data sets in a training, which a library passes in every iteration."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings import Judgments


class DataSet(NamedTuple):
    """A data set as a library passes it.

    Attributes
    ----------
    labels : ndarray of shape (n_documents,)
        Grades.
    weight : ndarray of shape (n_documents,) or None
        Weight of each row.
    sizes : ndarray of shape (n_queries,)
        Number of rows of each query.
    """

    labels: NDArray[Any]
    weight: NDArray[Any] | None
    sizes: NDArray[Any]


# The kernel compares arrays of these types.
_OF_BYTES = frozenset(map(np.dtype, ["f4", "f8", "i4", "i8", "u1"]))


def are_equal(old: NDArray[Any] | None, new: NDArray[Any] | None) -> bool:
    """Whether two arrays hold the same numbers; if their types are the same, the same bytes."""
    if old is None or new is None:
        return old is new
    if old.dtype == new.dtype and new.dtype in _OF_BYTES and new.flags.c_contiguous:
        return old.shape == new.shape and _core.same_bytes(old, new)
    return np.array_equal(old, new)


class JudgedSets:
    """Judgments of the data sets in use, found by content; a copy starts without data sets.

    The arrays are compared by value, because a caller may reuse a buffer for other labels. A set is
    dropped when its labels no longer exist.
    """

    def __init__(self) -> None:
        self._sets: tuple[tuple[weakref.ref[Any], tuple[Any, ...], Judgments], ...] = ()

    def __reduce__(self) -> Any:
        # Libraries deep-copy what they call in every fit.
        return JudgedSets, ()

    def find(self, data: DataSet) -> Judgments:
        """Return the judgments of a data set, which the first call with this content makes."""
        content = data.sizes, data.labels, data.weight  # the shortest first
        for _, known, judgments in self._sets:
            if all(map(are_equal, known, content)):
                return judgments
        kept = tuple(None if each is None else each.copy() for each in content)
        judgments = Judgments.from_groups(data.labels, data.sizes, data.weight)
        alive = [(each, each[0]()) for each in self._sets]
        others = [each for each, found in alive if found is not None and found is not data.labels]
        self._sets = ((weakref.ref(data.labels), kept, judgments), *others)
        return judgments
