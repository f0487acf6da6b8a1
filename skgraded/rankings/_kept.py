"""Results that are kept with the data that they are computed from, and a byte budget for them."""

from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["ByteBudget", "Keeper"]

T = TypeVar("T")


class ByteBudget:
    """A byte budget for cached results: 128 MB, and 32 bytes per document of the data."""

    def __init__(self, n_documents: int) -> None:
        self._n_left = 2**27 + 32 * n_documents

    def reserve(self, n_bytes: int) -> bool:
        """Take bytes out of the budget; if fewer are left, take none and return False."""
        if n_bytes > self._n_left:
            return False
        self._n_left -= n_bytes
        return True


class Keeper:
    """Base class of data with which other packages keep what they compute from the data.

    Copies by pickle keep nothing.
    """

    def __init__(self) -> None:
        self._kept: dict[type, Any] = {}

    def kept(self, kind: type[T]) -> T:
        """Return the object in which a package keeps its results; the first call makes it.

        Parameters
        ----------
        kind : type
            The class of the object, whose attributes name the results. It takes no arguments.

        Returns
        -------
        object
            The same object in every call.
        """
        found: T | None = self._kept.get(kind)
        return self._kept.setdefault(kind, kind()) if found is None else found
