"""A column of document ids: one block of bytes instead of one Python object per document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core

__all__ = ["Documents", "id_of", "is_missing"]

IntArray = NDArray[np.int64]


def id_of(each: object) -> str:
    """Text of an id; a whole float is the integer that it was before a join or a missing value."""
    if isinstance(each, float | np.floating) and each.is_integer():
        return str(int(each))
    return str(each)


def is_missing(each: Any) -> bool:
    """Whether there is None, nan, NaT or pandas.NA in an id's place."""
    try:
        return each is None or bool(each != each)  # noqa: PLR0124 - nan and NaT are not themselves
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Documents:
    """Document ids, one after the other in a block of bytes.

    Attributes
    ----------
    end : ndarray of shape (n_documents,), int64
        Where each id ends in ``text``; it begins where the one before ends.
    text : ndarray of shape (n_bytes,), uint8
        The ids.
    """

    end: IntArray
    text: NDArray[np.uint8]

    @classmethod
    def from_ids(cls, ids: Iterable[object]) -> Documents:
        """Store ids.

        Parameters
        ----------
        ids : iterable of object
            Ids; what is not a string is turned into one.

        Returns
        -------
        Documents
            The column.

        Raises
        ------
        ValueError
            If an id is missing.
        """
        given = list(ids)
        missing = next((row for row, each in enumerate(given) if is_missing(each)), None)
        if missing is not None:
            raise ValueError(f"ids must not be missing, got {given[missing]} in row {missing}.")
        encoded = [id_of(each).encode("utf-8", "surrogateescape") for each in given]
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        return cls(np.cumsum(lengths), np.frombuffer(b"".join(encoded), dtype=np.uint8))

    @classmethod
    def concatenate(cls, parts: list[Documents]) -> Documents:
        """Join columns, one below the other.

        Parameters
        ----------
        parts : list of Documents
            The columns.

        Returns
        -------
        Documents
            One column.
        """
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *(len(part.text) for part in parts[:-1])])
        ends = [part.end + offset for part, offset in zip(parts, before, strict=True)]
        return cls(np.concatenate(ends), np.concatenate([part.text for part in parts]))

    def take(self, rows: IntArray) -> Documents:
        """Ids at some rows.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,), int64
            The rows.

        Returns
        -------
        Documents
            Their ids.
        """
        return Documents(*_core.take_documents(self.end, self.text, rows))

    def __len__(self) -> int:
        return len(self.end)

    def __getitem__(self, row: int) -> str:
        begin = int(self.end[row - 1]) if row else 0
        return bytes(self.text[begin : int(self.end[row])]).decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        text, begin = self.text.tobytes(), 0
        for end in self.end.tolist():
            yield text[begin:end].decode("utf-8", "surrogateescape")
            begin = end
