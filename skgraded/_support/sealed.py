"""Arrays that nobody writes to."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def sealed(array: NDArray[T]) -> NDArray[T]:
    """Return the same array, read-only."""
    array.setflags(write=False)  # which is faster than an assignment to its flags
    return array


def all_sealed(*arrays: NDArray[Any] | None) -> list[Any]:
    """Return the same arrays, read-only; None stays None."""
    for array in arrays:
        if array is not None:
            array.setflags(write=False)
    return list(arrays)


class SealedFields:
    """Base of frozen dataclasses whose arrays nobody can write to."""

    def __post_init__(self) -> None:
        all_sealed(*(each for each in vars(self).values() if isinstance(each, np.ndarray)))
