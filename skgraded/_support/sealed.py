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


def all_sealed(*values: Any) -> list[Any]:
    """Return the same values, and arrays among them read-only."""
    for value in values:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return list(values)


class SealedFields:
    """Base of frozen dataclasses whose arrays nobody can write to."""

    def __post_init__(self) -> None:
        all_sealed(*vars(self).values())
