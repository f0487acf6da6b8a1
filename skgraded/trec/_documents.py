"""A column of document ids, held as one block of bytes instead of one object per document."""

from __future__ import annotations

import dataclasses
import os
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.arguments import is_missing
from skgraded._support.array_types import IntArray
from skgraded._support.sealed import SealedFields

HashKey = tuple[int, int]

_LONGEST_QUOTE = 60


def draw_key() -> HashKey:
    """Draw a key for the hash of ids, so that nobody can craft a file of ids that collide.

    Returns
    -------
    tuple of int
        Two words of 64 bits from the system's source of random numbers.
    """
    first, second = struct.unpack("=QQ", os.urandom(16))
    return first, second


def ids_as_text(
    name: str, ids: Iterable[Any], place: Callable[[int], str]
) -> list[str]:
    """Write ids of any type as text.

    Parameters
    ----------
    name : str
        What they are called in messages.
    ids : iterable of object
        The ids. A whole float is written as the integer that it was before a join or a missing
        value turned it into a float.
    place : callable
        Called with the number of an id that is refused; returns its place.

    Returns
    -------
    list of str
        The text of each id.

    Raises
    ------
    ValueError
        If an id is missing, holds a zero byte, which ends text in many programs, or cannot be
        written to a file.
    """
    texts = list(ids)
    if not set(map(type, texts)) <= {str}:
        for number, value in enumerate(texts):
            if is_missing(value):
                raise ValueError(f"{place(number)}: {name} is missing.")
        _require_distinct(name, texts, ids, place)
        texts = list(map(_as_text, texts))

    # One look at all of them, and at each of them only where something is wrong.
    if not _is_writable("".join(texts)):
        for number, text in enumerate(texts):
            if not _is_writable(text):
                raise ValueError(
                    f"{place(number)}: {name} must be text without zero bytes and lone "
                    f"surrogates, got {text[:_LONGEST_QUOTE]!r}."
                )
    return texts


def _require_distinct(
    name: str, values: list[Any], ids: Any, place: Callable[[int], str]
) -> None:
    """Raise where an id is a float so large that its type does not tell whole numbers apart."""
    dtype = getattr(ids, "dtype", None)
    is_single = str(dtype).lower() in ("float32", "float")
    n_digits = 24 if is_single else 53
    for number, value in enumerate(values):
        if isinstance(value, float) and abs(value) >= 2.0**n_digits:
            raise ValueError(
                f"{place(number)}: {name} must tell ids apart, which floats of {n_digits} binary "
                f"digits do for whole numbers below 2**{n_digits}, got {value:.17g}. Read the "
                "column as text, as in pd.read_csv(..., dtype=str)."
            )


def _is_writable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _as_text(value: object) -> str:
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(value))
    return str(value)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Documents(SealedFields):
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
    def from_ids(cls, ids: Iterable[str]) -> Documents:
        """Store ids, as `ids_as_text` returns them.

        Parameters
        ----------
        ids : iterable of str
            The ids.

        Returns
        -------
        Documents
            The column.
        """
        encoded = [text.encode("utf-8", "surrogateescape") for text in ids]
        n_ids = len(encoded)
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=n_ids)
        text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return cls(np.cumsum(lengths), text)

    @classmethod
    def concatenate(cls, columns: list[Documents]) -> Documents:
        """Put columns one below the other.

        Parameters
        ----------
        columns : list of Documents
            The columns.

        Returns
        -------
        Documents
            One column.
        """
        if len(columns) == 1:
            return columns[0]

        offset = 0
        ends = []
        for column in columns:
            ends.append(column.end + offset)
            offset += len(column.text)
        text = np.concatenate([column.text for column in columns])
        return cls(np.concatenate(ends), text)

    def take(self, rows: IntArray) -> Documents:
        """Return the ids at some rows.

        Parameters
        ----------
        rows : ndarray of shape (n_rows,), int64
            The rows.

        Returns
        -------
        Documents
            The ids at these rows, in this order.
        """
        end, text = _core.take_documents(
            document_end=self.end, document=self.text, rows=rows
        )
        return Documents(end, text)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickles hold the ids, which are stored again, and no ends that a kernel would trust.
        return Documents.from_ids, (list(self),)

    def __len__(self) -> int:
        return len(self.end)

    def __getitem__(self, row: int) -> str:
        begin = int(self.end[row - 1]) if row else 0
        end = int(self.end[row])
        return bytes(self.text[begin:end]).decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        text = self.text.tobytes()
        begin = 0
        for end in self.end.tolist():
            yield text[begin:end].decode("utf-8", "surrogateescape")
            begin = end
