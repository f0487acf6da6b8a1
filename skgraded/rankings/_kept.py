"""Results that are kept with the data that they are computed from, and a byte budget for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

__all__ = ["ByteBudget", "Kept"]

T = TypeVar("T")


class ByteBudget:
    """A byte budget for cached results: 128 MB, and 32 bytes per document of the data."""

    def __init__(self, n_documents: int) -> None:
        self._n_left = 2**27 + 32 * n_documents

    def reserve(self, *arrays: NDArray[Any] | None) -> bool:
        """Take the bytes of arrays out of the budget, or return False if too few are left."""
        n_bytes = sum([each.nbytes for each in arrays if each is not None])
        if n_bytes > self._n_left:
            return False
        self._n_left -= n_bytes
        return True


class Kept(dict[type, Any]):
    """Results that other packages compute from some data and keep with them.

    A package defines a class that holds its results as attributes. ``kept[cls]`` is the one object
    of that class, made without arguments on first use. Pickles hold no results.
    """

    if TYPE_CHECKING:

        def __getitem__(self, kind: type[T]) -> T: ...

    def __missing__(self, kind: type[T]) -> T:
        made: T = self.setdefault(kind, kind())
        return made

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        return Kept, ()
