"""Splits that a cross-validation tests: drawn again for repeats."""

from __future__ import annotations

import copy
import numbers
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from skgraded._params import integer, is_integer
from skgraded.model_selection._splitters import QueryKFold
from skgraded.rankings import split_target

__all__ = ["repeats_of", "splits_of"]

IntArray = NDArray[np.int64]


def splits_of(
    cv: Any, n_repeats: int, X: Any, y: Any, ids: NDArray[Any]
) -> list[tuple[IntArray, IntArray]]:
    """Return training and test rows of all splits of all repeats."""
    splits = [split for each in _repeated(cv, n_repeats) for split in _splits(each, X, y, ids)]
    if not splits:
        raise ValueError(f"cv must give at least one split, got none from {cv!r}.")
    return splits


def repeats_of(tested: list[NDArray[Any]]) -> IntArray:
    """Return the number of the repeat of each split, from the queries that it tests.

    A new repeat begins where a split tests a query a second time. The folds of a cross-validation
    are one repeat. Random splits, which test some queries each, are mostly a repeat each.
    """
    repeats, seen = [0], set(tested[0].tolist())
    for queries in (set(each.tolist()) for each in tested[1:]):
        is_again = not seen.isdisjoint(queries)
        repeats.append(repeats[-1] + is_again)
        seen = queries if is_again else seen | queries
    return np.array(repeats)


def _repeated(cv: Any, n_repeats: int) -> list[Any]:
    """Return a splitter for each repeat; seeds are those after its own."""
    integer("n_repeats", n_repeats, 1)
    if n_repeats == 1:
        return [cv]
    splitter = QueryKFold(int(cv)) if is_integer(cv) else cv
    if not hasattr(splitter, "random_state") or not getattr(splitter, "shuffle", True):
        raise ValueError(
            "n_repeats > 1 needs a cv that draws its splits, such as QueryKFold(5) or 5, got "
            f"{n_repeats} and {cv!r}."
        )
    seed = splitter.random_state
    if not isinstance(seed, numbers.Integral):  # None and a RandomState draw others in every call
        return [splitter] * n_repeats
    repeats = [copy.copy(splitter) for _ in range(n_repeats)]
    for number, each in enumerate(repeats):
        each.random_state = int(seed) + number
    return repeats


def _splits(cv: Any, X: Any, y: Any, ids: NDArray[Any]) -> list[tuple[IntArray, IntArray]]:
    if is_integer(cv):
        cv = QueryKFold(int(cv))
    if not hasattr(cv, "split"):
        return _listed(cv)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        return list(cv.split(np.zeros((_num_samples(X), 1)), split_target(y)[0], ids))


def _listed(cv: Any) -> list[tuple[IntArray, IntArray]]:
    if not isinstance(cv, Iterable):
        raise ValueError(
            "cv must be a number of folds, a splitter such as QueryKFold(5), or pairs of training "
            f"and test rows, got {cv!r}."
        )
    return list(cv)
