"""Arrays that nobody writes to, and checks of those that come out of a pickle."""

from __future__ import annotations

from dataclasses import fields
from pickle import UnpicklingError
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def sealed(array: NDArray[T]) -> NDArray[T]:
    """Return the same array, read-only."""
    array.flags.writeable = False
    return array


def all_sealed(*arrays: NDArray[Any] | None) -> list[Any]:
    """Return the same arrays, read-only; None stays None."""
    return [None if array is None else sealed(array) for array in arrays]


class SealedFields:
    """Base of frozen dataclasses whose arrays nobody can write to."""

    def __post_init__(self) -> None:
        arrays = {name: each for name, each in vars(self).items() if isinstance(each, np.ndarray)}
        vars(self).update(zip(arrays, all_sealed(*arrays.values()), strict=True))

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields; what is computed from them is computed again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Check fields that come out of a pickle, and take them."""
        vars(self).update(state)
        self._require_sound()
        SealedFields.__post_init__(self)

    def _require_sound(self) -> None:
        """Raise UnpicklingError unless the fields fit together."""
        raise NotImplementedError


def require(ok: object, rule: str) -> None:
    """Raise UnpicklingError unless a rule holds."""
    if not ok:
        raise UnpicklingError(f"The pickle is damaged: {rule}.")


def require_column(
    name: str, array: object, dtypes: tuple[type, ...], n: int, below: int | None = None
) -> None:
    """Raise unless it is an array of n entries of one of the types, from 0 to a bound."""
    kinds = " or ".join(each.__name__ for each in dtypes)
    require(
        type(array) is np.ndarray
        and array.shape == (n,)
        and array.dtype in dtypes
        and array.dtype.isnative
        and array.flags.c_contiguous,
        f"{name} must be an array of shape ({n},) and type {kinds}",
    )
    if below is not None and n:
        numbers = np.asarray(array)
        in_range = numbers.min() >= 0 and numbers.max() < below
        require(in_range, f"{name} must hold numbers from 0 to {below - 1}")


def require_borders(name: str, indptr: Any, n_parts: int, n: int) -> None:
    """Raise unless these are the borders of consecutive parts of n entries."""
    require_column(name, indptr, (np.int64,), n_parts + 1)
    ends = indptr[0] == 0 and indptr[-1] == n
    require(ends and (indptr[1:] >= indptr[:-1]).all(), f"{name} must rise from 0 to {n}")
