"""Judgments of the data sets in a training, which a library passes in every iteration."""

from __future__ import annotations

import weakref
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings import Judgments, Rankings

FloatArray = NDArray[np.float64]


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
    owner : object
        An object that lives as long as the data set is in use.
    is_sealed : bool
        Whether nobody can write to the arrays.
    """

    labels: NDArray[Any]
    weight: NDArray[Any] | None
    sizes: NDArray[Any]
    owner: Any
    is_sealed: bool = False


@dataclass(frozen=True)
class _JudgedSet:
    """Judgments of one data set, with the arrays that they were made from or copies of them."""

    owner: weakref.ref[Any]
    content: tuple[NDArray[Any] | None, ...]
    judgments: Judgments

    def is_made_from(self, content: tuple[NDArray[Any] | None, ...]) -> bool:
        for old, new in zip(self.content, content, strict=True):
            if old is new:  # None, or an array that nobody can write to
                continue
            if old is None or new is None or not are_equal(old, new):
                return False
        return True


# The kernel compares arrays of these types.
_OF_BYTES = frozenset(map(np.dtype, ["f4", "f8", "i4", "i8", "u1"]))


def are_equal(old: NDArray[Any], new: NDArray[Any]) -> bool:
    """Whether two arrays hold the same numbers; if their types are the same, the same bytes."""
    if old.dtype == new.dtype and new.dtype in _OF_BYTES and new.flags.c_contiguous:
        return old.shape == new.shape and _core.same_bytes(old, new)
    return np.array_equal(old, new)


class JudgedSets:
    """Judgments of the data sets in use, found by content.

    The arrays are compared by value, because a caller may reuse a buffer for other labels. A set is
    dropped when its owner no longer exists.
    """

    def __init__(self) -> None:
        self._sets: tuple[_JudgedSet, ...] = ()

    def __len__(self) -> int:
        return len(self._sets)

    def find(self, data: DataSet) -> Judgments:
        """Return the judgments of a data set, which the first call with this content makes."""
        content = data.sizes, data.labels, data.weight  # the shortest first
        for known in self._sets:
            if known.is_made_from(content):
                return known.judgments
        kept = content if data.is_sealed else tuple(map(copy, content))
        judgments = Judgments.from_groups(data.labels, data.sizes, data.weight)
        owned = [(each, each.owner()) for each in self._sets]
        others = [each for each, owner in owned if owner is not None and owner is not data.owner]
        self._sets = (_JudgedSet(weakref.ref(data.owner), kept, judgments), *others)
        return judgments


class IterationCounter:
    """Counts the iterations of a training: successive calls with the same data set."""

    def __init__(self) -> None:
        self._judgments: Judgments | None = None
        self._count = 0

    def next(self, judgments: Judgments) -> int:
        """Return the number of the iteration, from 1."""
        self._count = self._count + 1 if judgments is self._judgments else 1
        self._judgments = judgments
        return self._count


def rank_in_training(
    judgments: Judgments, y_score: Any, n_threads: int | None, iteration: int
) -> Rankings:
    """Rank by a model's scores; if one is not finite, the error names the iteration and a remedy.

    Without the error, NaN derivatives would silently lead to trees with a single leaf.
    """
    try:
        return judgments.rank(y_score, n_threads)
    except ValueError as error:
        _raise_if_not_finite(y_score, iteration, error)
        raise


def scores_in_training(judgments: Judgments, y_score: Any, iteration: int) -> FloatArray:
    """Return a model's scores by position; errors are those of `rank_in_training`."""
    try:
        return judgments.lay_out_scores(y_score)
    except ValueError as error:
        _raise_if_not_finite(y_score, iteration, error)
        raise


def _raise_if_not_finite(y_score: Any, iteration: int, error: ValueError) -> None:
    scores = np.asarray(y_score)
    if scores.ndim != 1 or scores.dtype.kind != "f" or np.isfinite(scores).all():
        return
    row = int(np.flatnonzero(~np.isfinite(scores))[0])
    raise ValueError(
        f"The model's scores must stay finite in training, got {scores[row]} in row {row} at "
        f"iteration {iteration}: lower the learning rate, or look for infinite features and "
        "initial scores."
    ) from error
