"""Lines of learning-to-rank files, and what may be wrong with them."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np

T = TypeVar("T", int, float)

_LARGEST_INDEX = np.iinfo(np.int32).max
_LONGEST_QUOTE = 40
_CHUNK = 1 << 20  # bytes of text that are looked through at a time
# Bytes; a file without line ends would be held in memory whole.
_LONGEST_LINE = 10_000_000
_UTF8_MARK = b"\xef\xbb\xbf"
# What stands before a comment, in lines that hold anything there.
_DATA = re.compile(rb"^[^\S\n]*[^\s#][^#\n]*", re.MULTILINE)


class Rules(NamedTuple):
    """The caller's arguments about the files."""

    n_features: int | None
    first_index: int
    dtype: type[np.floating[Any]]


class Lines:
    """The data lines of an open file, for scikit-learn's reader.

    That reader has no line numbers, and appends each query id to a NumPy array, which copies all
    earlier ids. Therefore both are recorded here while it reads. `line_error` says what is wrong
    with the last line that it was given.

    The file is read in chunks, in which lines without data are passed over at once: some hundred
    kilobytes of a compressed file may hold a billion of them, or no line end at all.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        # scikit-learn recognises a file by this method, but only iterates over it.
        self.read = file.read
        self.number = 0
        self.data = b""
        self.is_endless = False
        self.numbers = array("q")  # of the lines with data
        self.qid = array("q")

    def __iter__(self) -> Iterator[bytes]:
        for text in self._texts():
            if text.isspace():  # far faster than to look for data
                self.number += text.count(b"\n")
                continue

            n_before = (
                self.number
            )  # lines before the place up to which they are counted
            place = 0
            for match in _DATA.finditer(text):
                n_before += text.count(b"\n", place, match.start())
                place = match.start()
                self.number = n_before + 1
                self.data = match[0]
                self._check()
                yield self.data
            self.number = n_before + text.count(b"\n", place)

    def _texts(self) -> Iterator[bytes]:
        """Yield the file's text, cut at line ends; refuse a line before it fills the memory."""
        unfinished_line: list[bytes] = []
        length = 0
        mark = _UTF8_MARK
        while chunk := self._file.read(_CHUNK).removeprefix(mark):
            mark = b""
            start, zero, _ = chunk.partition(b"\0")
            lines, end, tail = start.rpartition(b"\n")

            first_line, _, _ = start.partition(b"\n")
            self.is_endless = length + len(first_line) > _LONGEST_LINE
            if end and not self.is_endless:
                yield b"".join([*unfinished_line, lines, end])
                unfinished_line = []
                length = 0
            unfinished_line.append(tail)
            length += len(tail)

            if zero or self.is_endless:
                self.number += 1
                self.data = b"".join([*unfinished_line, zero])
                raise ValueError("no line of text")
        yield b"".join(unfinished_line)

    def _check(self) -> None:
        self.numbers.append(self.number)
        words = self.data.split(None, 2)
        if len(words) > 1 and words[1].startswith(b"qid"):
            digits = words[1].removeprefix(b"qid:")
            self.qid.append(int(digits))

        n_ids = len(self.qid)
        if n_ids not in (0, len(self.numbers)):
            raise ValueError("only some lines have a query id")
        # Python allows underscores in numbers, the format does not.
        if b"_" in self.data:
            raise ValueError("underscore")


def line_error(path: str, lines: Lines, rules: Rules) -> ValueError:
    """Return the error about the line that was read last, which is no line of features."""
    quote = quoted(lines.data.strip())

    if lines.is_endless:
        fault = f"a line must have at most {_LONGEST_LINE:,} bytes, got {quote}."
    elif not lines.data.isascii() or b"\0" in lines.data:
        fault = (
            f"a line must be plain ASCII text, got {quote}; compressed files are recognised by the "
            "endings .gz, .bz2 and .xz."
        )
    else:
        bad_word = next(_bad_words(lines, rules), f"{quote}.")
        fault = (
            "a line must hold a label (a number >= 0 or nan), qid:<64-bit integer> (in all lines "
            f"or in none), and index:value with indices that ascend from {rules.first_index}, got "
            f"{bad_word}"
        )

    return ValueError(f"{path}:{lines.number}: {fault}")


def _bad_words(lines: Lines, rules: Rules) -> Iterator[str]:
    """Yield the words of the line that was read last which break the rule, and what to do."""
    # White space of bytes, which is not all that text has.
    words = lines.data.split()
    label, *fields = [word.decode("ascii") for word in words]
    if _number(float, label) is None:
        yield f"{quoted(label)}."

    if fields and fields[0].startswith("qid"):
        field = fields.pop(0)
        qid = _number(int, field.removeprefix("qid:"))
        if qid is None or not -(2**63) <= qid < 2**63:
            yield f"{quoted(field)}."
        if len(lines.qid) < len(lines.numbers):
            yield f"{quoted(field)} after lines without one."
    elif lines.qid:
        yield "none right after the label, and one in every line before."

    previous = rules.first_index - 1
    for field in fields:
        name, _, text = field.partition(":")
        index = _number(int, name)
        if text == "NULL":  # in some sets of LETOR 4.0
            yield f"{quoted(field)}. Write nan for a value that is missing."
        if index is None or _number(float, text) is None:
            yield f"{quoted(field)}."
        elif not previous < index <= _LARGEST_INDEX:
            way = "" if index else " If the file counts from 0, pass zero_based=True."
            yield f"{quoted(field)}.{way}"
        else:
            previous = index


def _number(kind: type[T], text: str) -> T | None:
    try:
        return None if "_" in text else kind(text)
    except ValueError:
        return None


def quoted(value: str | bytes) -> str:
    quote = repr(value[:_LONGEST_QUOTE])
    return f"{quote}..." if len(value) > _LONGEST_QUOTE else quote
