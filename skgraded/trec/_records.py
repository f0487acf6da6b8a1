"""Records of qrels and runs: topic, document, and a grade or a score; and TREC's lines of them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.array_types import FloatArray, IntArray
from skgraded.rankings import way_of_words
from skgraded.trec._documents import Documents, draw_key

_LAYOUT = {
    False: "4 columns, 'topic iteration document grade'",
    True: "6 columns, 'topic Q0 document rank score tag'",
}
_HEADER = (
    "A first line that names the columns tells, such as query_id,doc_id,relevance for qrels and "
    "query_id,doc_id,score for a run."
)
# What a line of other columns may be, where qrels (False) or a run (True) are read.
_WAY_OF_COLUMNS = {
    (False, 6): "This looks like a run: the qrels come first, and then the runs.",
    (True, 4): "This looks like qrels: they come first, and then the runs.",
}
_LONGEST_QUOTE = 60
_MOST_QUOTED = 4096
_SEARCHED = 1 << 16  # bytes in which words for grades are looked for
_LONGEST_LINE = "1,000,000"  # bytes, as in the kernel


class Wanted(NamedTuple):
    """What is to be read.

    Attributes
    ----------
    is_run : bool
        Whether it is a run, and not qrels.
    with_ranks : bool
        Whether the rank column of TREC's lines is needed.
    grades : dict of str to float
        Grades of words.
    where : str
        Name of the file, for messages.
    """

    is_run: bool = False
    with_ranks: bool = True
    grades: Mapping[str, float] = {}
    where: str = ""

    @property
    def value(self) -> str:
        """What the numbers are called."""
        return "score" if self.is_run else "grade"

    def row(self, number: int) -> str:
        """Return the place of a row, for messages."""
        return f"{self.where}row {number}"


@dataclasses.dataclass(frozen=True)
class Records:
    """Judgments or retrieved documents, in the order in which they came.

    Attributes
    ----------
    topics : list of str
        Topic ids, in order of first appearance.
    span_topic : ndarray of shape (n_spans,), int32
        Number of the topic of consecutive records, which differs from that of the span before.
    indptr : ndarray of shape (n_spans + 1,), int64
        Records of span s are ``indptr[s]:indptr[s + 1]``.
    documents : Documents
        Document ids.
    values : ndarray of shape (n_records,), float64
        Grades or scores.
    ranks : ndarray of shape (n_records,), int32, or None
        The rank column; -1 where it holds no rank.
    place : callable
        Returns the place of a record in the source, for messages.
    tag : str
        Tag of a run.
    words : dict of str to float
        Grades of the words in the source.
    """

    topics: list[str]
    span_topic: NDArray[np.int32]
    indptr: IntArray
    documents: Documents
    values: FloatArray
    ranks: NDArray[np.int32] | None
    place: Callable[[int], str]
    tag: str = ""
    words: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def topic_of(self, record: int) -> str:
        """Return the topic of a record."""
        span = int(np.searchsorted(self.indptr, record, side="right")) - 1
        return self.topics[int(self.span_topic[span])]


class _Lines(NamedTuple):
    """The columns that the kernel reads from a chunk of text."""

    topic_extent: IntArray
    span_topic: NDArray[np.int32]
    span_begin: IntArray
    document_end: IntArray
    document: NDArray[np.uint8]
    value: FloatArray
    rank: NDArray[np.int32]  # empty if ranks are not read
    skipped: IntArray  # records before skipped lines, and the number of these lines
    tag: bytes
    n_lines: int
    consumed: int
    fault: tuple[int, int, int]


def read_lines(chunks: Iterable[bytes], name: str, wanted: Wanted) -> Records:
    """Read TREC's lines chunk by chunk, so that the whole text is never in memory."""
    reader = _Reader(name, wanted)
    if wanted.grades:
        chunks = [_with_numbers(b"".join(chunks), wanted.grades)]
    rest = b""
    for chunk in chunks:
        text = rest + chunk if rest else chunk
        rest = text[reader.read(text, final=False) :]
    if rest:
        reader.read(rest, final=True)
    return dataclasses.replace(reader.records(), words=wanted.grades)


def _with_numbers(text: bytes, grades: Mapping[str, float]) -> bytes:
    """Put the grades of words in their places, at the ends of lines."""
    number_of = {
        word.encode("utf-8", "surrogateescape"): grade for word, grade in grades.items()
    }
    words = b"|".join(map(re.escape, number_of))
    pattern = re.compile(rb"(?<=[ \t])(?:" + words + rb")(?=[ \t\r]*$)", re.MULTILINE)
    return pattern.sub(lambda found: b"%.17g" % number_of[found[0]], text)


class _Reader:
    """Gathers the records of the chunks of one file."""

    def __init__(self, name: str, wanted: Wanted) -> None:
        self.name = name
        self.wanted = wanted
        self.is_run = wanted.is_run
        self.with_ranks = wanted.is_run and wanted.with_ranks
        self.key = draw_key()
        self.parts: list[_Lines] = []
        self.number_of: dict[str, int] = {}
        self.n_lines = 0
        self.n_records = 0
        self.skipped: list[IntArray] = []

    def read(self, text: bytes, *, final: bool) -> int:
        """Read the complete lines of a text and return the number of bytes that they have."""
        lines = _Lines(
            *_core.read_trec_lines(text, self.is_run, self.with_ranks, final, self.key)
        )
        if lines.fault[0]:
            self._raise(text, lines)
        if len(lines.skipped):
            self.skipped.append(
                np.add(lines.skipped.reshape(-1, 2), (self.n_records, 0))
            )
        if len(lines.value):
            topic = self._number_topics(text, lines)
            begin = lines.span_begin + self.n_records
            self.parts.append(lines._replace(span_topic=topic, span_begin=begin))
        self.n_lines += lines.n_lines
        self.n_records += len(lines.value)
        return lines.consumed

    def _number_topics(self, text: bytes, lines: _Lines) -> NDArray[np.int32]:
        extents = lines.topic_extent.reshape(-1, 2).tolist()
        ids = [
            text[begin:end].decode("utf-8", "surrogateescape") for begin, end in extents
        ]
        numbers = [self.number_of.setdefault(each, len(self.number_of)) for each in ids]
        return np.array(numbers, dtype=np.int32)[lines.span_topic]

    def records(self) -> Records:
        parts = self.parts
        if not parts:
            raise ValueError(
                f"{self.name}: no line found; a line has {_LAYOUT[self.is_run]}."
            )
        topic = _concatenate([part.span_topic for part in parts])
        begin = _concatenate([part.span_begin for part in parts])
        goes_on = np.diff(topic, prepend=-1) == 0  # from part to part
        topic = topic[~goes_on]
        begin = begin[~goes_on]
        return Records(
            topics=list(self.number_of),
            span_topic=topic,
            indptr=np.append(begin, self.n_records),
            documents=Documents.concatenate(
                [Documents(part.document_end, part.document) for part in parts]
            ),
            values=_concatenate([part.value for part in parts]),
            ranks=_concatenate([part.rank for part in parts])
            if self.with_ranks
            else None,
            place=self._place,
            tag=parts[0].tag.decode("utf-8", "surrogateescape"),
        )

    def _place(self, record: int) -> str:
        line = record + 1
        for skipped in self.skipped:
            line += int(skipped[skipped[:, 0] <= record, 1].sum())
        return f"{self.name}, line {line}"

    def _raise(self, text: bytes, lines: _Lines) -> None:
        fault, begin, end = lines.fault
        quote = _quote(text[begin:end])
        value = self.wanted.value
        way = ""
        n_columns = (
            len(text[begin:end].split()) if fault == 1 else 0
        )  # others may be long
        if not self.is_run:
            way = way_of_words(_words_for_grades(text[begin : begin + _SEARCHED]))
        rule = {
            1: f"a line has {_LAYOUT[self.is_run]}, got {n_columns}: {quote}. "
            f"{_WAY_OF_COLUMNS.get((self.is_run, n_columns), _HEADER)}",
            2: f"the {value} must be a number, got {quote}.{way}",
            3: f"the {value} must be finite, got {quote}.",
            4: f"the file must be a text file, got {quote}.",
            5: rf"a line must end in \n or \r\n, got a lone \r in {quote}.",
            6: f"a line must hold one record, got two without a line end between them: {quote}.",
            7: f"a line must have at most {_LONGEST_LINE} bytes, got more, which start {quote}.",
        }[fault]
        raise ValueError(f"{self.name}, line {self.n_lines + lines.n_lines}: {rule}")


def _words_for_grades(text: bytes) -> set[str]:
    """Return what stands at the ends of the lines of qrels."""
    lines = (
        line.split() for line in text.split(b"\n") if not line.lstrip().startswith(b"#")
    )
    return {words[-1].decode("utf-8", "replace") for words in lines if words}


def _quote(text: bytes) -> str:
    start = text[:_MOST_QUOTED].strip()[: 2 * _LONGEST_QUOTE]
    quote = repr(start.decode("utf-8", "backslashreplace"))
    return quote if len(quote) <= _LONGEST_QUOTE else quote[:_LONGEST_QUOTE] + "..."


def _concatenate(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
