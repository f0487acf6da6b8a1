"""Lines of learning-to-rank files, and what may be wrong with them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from math import isinf
from typing import IO, Any

import numpy as np

LARGEST_INDEX = np.iinfo(np.int32).max
_LONGEST_QUOTE = 40
_CHUNK = 1 << 20  # bytes of text that are looked through at a time
_LONGEST_LINE = 10_000_000  # bytes; a file without line ends would be held in memory whole
_NULL = "NULL"  # how LETOR 4.0 writes a value that is missing
_NULL_VALUE = re.compile(rb"(?<=:)NULL(?=\s|$)")
# What stands before a comment, in lines that hold anything there.
_DATA = re.compile(rb"^[^\S\n]*[^\s#][^#\n]*", re.MULTILINE)


@dataclass(frozen=True)
class Rules:
    """The caller's arguments about the files."""

    n_features: int | None
    zero_based: bool
    missing: float | None
    dtype: type[np.floating[Any]]

    @property
    def first_index(self) -> int:
        return 0 if self.zero_based else 1


class Lines:
    """The data lines of an open file, for scikit-learn's reader.

    That reader has no line numbers, and appends each query id to a NumPy array, which copies all
    earlier ids. Therefore both are recorded here while it reads. `_faults` says what is wrong with
    the last line that it was given.

    The file is read in chunks, in which lines without data are passed over at once: some hundred
    kilobytes of a compressed file may hold a billion of them, or no line end at all.
    """

    def __init__(self, file: IO[bytes], missing: float | None) -> None:
        self._file = file
        self._missing = None if missing is None else repr(missing).encode("ascii")
        # scikit-learn recognises a file by this method, but only iterates over it.
        self.read = file.read
        self.number = 0
        self.data = b""
        self.is_endless = False
        self.n_rows = 0
        self.qid = array("q")

    def __iter__(self) -> Iterator[bytes]:
        for text in self._texts():
            before, seen = self.number, 0
            if text.isspace():  # far faster than to look for data
                self.number += text.count(b"\n")
                continue
            for found in _DATA.finditer(text):
                before += text.count(b"\n", seen, found.start())
                seen = found.start()
                self.number, self.data = before + 1, found[0]
                self._check()
                yield self._with_missing_values()
            self.number = before + text.count(b"\n", seen)

    def _texts(self) -> Iterator[bytes]:
        """Yield the file's text, cut at line ends; refuse a line before it fills the memory."""
        rest: list[bytes] = []
        length = 0
        while chunk := self._file.read(_CHUNK):
            start, zero, _ = chunk.partition(b"\0")
            lines, end, tail = start.rpartition(b"\n")
            self.is_endless = length + len(start.partition(b"\n")[0]) > _LONGEST_LINE
            if end and not self.is_endless:
                yield b"".join([*rest, lines, end])
                rest, length = [], 0
            rest.append(tail)
            length += len(tail)
            if zero or self.is_endless:
                self.number += 1
                self.data = b"".join([*rest, zero])
                raise ValueError("no line of text")
        yield b"".join(rest)

    def _check(self) -> None:
        self.n_rows += 1
        self._note_query(self.data.split(None, 2))
        # Python allows underscores in numbers, the format does not.
        if b"_" in self.data:
            raise ValueError("underscore")

    def _with_missing_values(self) -> bytes:
        if self._missing is None or b"NULL" not in self.data:
            return self.data
        return _NULL_VALUE.sub(self._missing, self.data)

    def _note_query(self, start: list[bytes]) -> None:
        if len(start) > 1 and start[1].startswith(b"qid"):
            self.qid.append(int(start[1].removeprefix(b"qid:")))
        if len(self.qid) not in (0, self.n_rows):
            raise ValueError("only some lines have a query id")


def line_error(path: str, lines: Lines, rules: Rules) -> ValueError:
    fault = next(_faults(lines, rules), "the line cannot be read.")
    return ValueError(f"{path}:{lines.number}: {fault}")


def _faults(lines: Lines, rules: Rules) -> Iterator[str]:
    """Say what is wrong with the line that was read last, field by field."""
    if lines.is_endless:
        yield f"a line must have at most {_LONGEST_LINE:,} bytes, got {quoted(lines.data.strip())}."
    if not lines.data.isascii() or b"\0" in lines.data:
        yield (
            f"a line must be plain ASCII text, got {quoted(lines.data.strip())}; "
            "compressed files are recognised by the endings .gz, .bz2 and .xz."
        )
    label, *fields = (field.decode("ascii", "replace") for field in lines.data.split())
    yield from _label_faults(label)
    has_qid = bool(fields) and fields[0].startswith("qid")
    yield from _query_faults(fields[0] if has_qid else None, lines)
    previous = -1
    for field in fields[has_qid:]:
        yield from _feature_faults(field, previous, rules)
        previous = _integer(field.partition(":")[0]) or 0


def _label_faults(label: str) -> Iterator[str]:
    grade = _number(label)
    if grade is None:
        yield f"a line must start with a label, a number >= 0 or nan, got {quoted(label)}."
    elif grade < 0:
        yield (
            f"a label must be >= 0, got {quoted(label)}; write 0 for a document judged not "
            "relevant or worse (junk), nan for an unjudged one."
        )
    elif isinf(grade):
        yield f"a label must be finite or nan, got {quoted(label)}."


def _query_faults(field: str | None, lines: Lines) -> Iterator[str]:
    if field is not None:
        qid = _integer(field.removeprefix("qid:"))
        if qid is None or not -(2**63) <= qid < 2**63:
            yield f"a query id must be written qid:<64-bit integer>, got {quoted(field)}."
        if len(lines.qid) < lines.n_rows:
            yield (
                "either all lines must have a query id or none, "
                f"got {quoted(field)} after lines without one."
            )
    elif lines.qid:
        yield (
            "either all lines must have a query id or none, "
            "got none right after the label, and one in every line before."
        )


def _feature_faults(field: str, previous: int, rules: Rules) -> Iterator[str]:
    shown = quoted(field)
    name, _, text = field.partition(":")
    index, value = _integer(name), rules.missing if text == _NULL else _number(text)
    if name == "qid":
        yield f"a query id must stand right after the label, and once, got {shown} further on."
    elif index is not None and text == _NULL and value is None:
        yield (
            f"a feature value is missing, got {shown}; pass missing=float('nan') to read NULL as "
            "nan, or the number that it stands for."
        )
    elif index is None or value is None:
        yield (
            "a feature must be written index:value, with an integer as index and a number as "
            f"value, got {shown}."
        )
    elif index < rules.first_index:
        yield f"feature indices must be >= {rules.first_index}, got {shown}" + (
            "; if the file counts from 0, pass zero_based=True." if index == 0 else "."
        )
    elif index > LARGEST_INDEX:
        yield f"feature indices must be <= {LARGEST_INDEX}, got {shown}."
    elif rules.n_features is not None and index - rules.first_index >= rules.n_features:
        largest = rules.n_features - 1 + rules.first_index
        yield f"feature indices must be <= {largest} (n_features={rules.n_features}), got {shown}."
    elif index <= previous:
        yield f"feature indices must ascend, got {shown} after index {previous}."
    elif abs(value) > np.finfo(rules.dtype).max.item():
        yield f"a feature value must be finite (as {rules.dtype.__name__}) or nan, got {shown}."


def _number(text: str) -> float | None:
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _integer(text: str) -> int | None:
    try:
        return None if "_" in text else int(text)
    except ValueError:
        return None


def quoted(value: str | bytes) -> str:
    return repr(value[:_LONGEST_QUOTE]) + ("..." if len(value) > _LONGEST_QUOTE else "")
