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
_WAY_OF_LETOR = (
    "This is a line of learning-to-rank data: skgraded.trec.read_letor and --letor read it with "
    "scores; of judgments with ids behind '#', docs/guide/trec.md has a recipe."
)
_LONGEST_QUOTE = 60
_MOST_QUOTED = 4096
_N_OF_QRELS = 4
_N_OF_STRATA = 5
_N_OF_RUNS = 6
_LINES_SEARCHED = 100
_MOST_COMPARED = 50_000
_DECIMAL_COMMA = re.compile(rb"[+-]?\d+,\d+")
_SEARCHED = 1 << 16  # bytes in which words for grades are looked for

# The kernel's faults, and the rules that they break.
_WRONG_COLUMNS = 1
_NO_NUMBER = 2
_SHIFTED = 8
_RULES = {
    _NO_NUMBER: "the {value} must be a number, got {quote}.",
    3: "the {value} must be finite, got {quote}.",
    4: "the file must be a text file, got {quote}.",
    5: r"a line must end in \n or \r\n, got a lone \r in {quote}.",
    6: "a line must hold one record, got two without a line end between them: {quote}.",
    7: "a line must have at most 1,000,000 bytes, got more, which start {quote}.",
    _SHIFTED: "a line has 6 columns, of which the fourth is the rank, a whole number, got more, "
    "and {fourth} as the fourth: {quote}. A blank in an id shifts the columns: write ids without "
    "blanks, or a table with a header, such as CSV. A blank in the tag does no harm.",
}


class Request(NamedTuple):
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
    n_contradicted : int
        Topics whose ranks contradict their scores, of those that were looked at.
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
    n_contradicted: int = 0

    def topic_of(self, record: int) -> str:
        """Return the topic of a record."""
        next_span = np.searchsorted(self.indptr, record, side="right")
        return self.topics[int(self.span_topic[next_span - 1])]


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


def read_lines(chunks: Iterable[bytes], name: str, request: Request) -> Records:
    """Read TREC's lines chunk by chunk, so that the whole text is never in memory."""
    gatherer = _LineGatherer(name, request)
    if request.grades:
        chunks = [_with_numbers(b"".join(chunks), request.grades)]

    unfinished_line = b""
    for chunk in chunks:
        text = unfinished_line + chunk if unfinished_line else chunk
        unfinished_line = text[gatherer.read(text, final=False) :]
    if unfinished_line:
        gatherer.read(unfinished_line, final=True)
    return dataclasses.replace(gatherer.records(), words=request.grades)


def _with_numbers(text: bytes, grades: Mapping[str, float]) -> bytes:
    """Put the grades of words in their places, at the ends of lines."""
    grade_of = {
        word.encode("utf-8", "surrogateescape"): grade for word, grade in grades.items()
    }
    words = b"|".join(map(re.escape, grade_of))
    pattern = re.compile(rb"(?<=[ \t])(?:" + words + rb")(?=[ \t\r]*$)", re.MULTILINE)
    return pattern.sub(lambda match: b"%.17g" % grade_of[match[0]], text)


class _LineGatherer:
    """Gathers the records of the chunks of one file."""

    def __init__(self, name: str, request: Request) -> None:
        self.name = name
        self.request = request
        self.is_run = request.is_run
        self.with_ranks = request.is_run and request.with_ranks

        self.key = draw_key()
        self.lines_of_chunks: list[_Lines] = []
        self.number_of: dict[str, int] = {}
        self.n_lines = 0
        self.n_records = 0
        self.n_contradicted = 0
        self.skipped: list[IntArray] = []

    def read(self, text: bytes, *, final: bool) -> int:
        """Read the complete lines of a text and return the number of bytes that they have."""
        # Of every run the ranks of the first chunk are compared with the scores.
        is_first_chunk = self.is_run and not self.n_lines
        columns = _core.read_trec_lines(
            text=text,
            is_run=self.is_run,
            with_ranks=self.with_ranks or is_first_chunk,
            final=final,
            key=self.key,
        )
        lines = _Lines(*columns)
        if is_first_chunk and len(lines.value) > 1:
            _refuse_qrels_of_six_columns(text, self.name)
            self.n_contradicted = n_topics_with_contradicting_ranks(
                lines.span_topic, lines.span_begin, lines.rank, lines.value
            )
        if lines.fault[0]:
            self._raise(text, lines)

        if len(lines.skipped):
            n_before_and_skipped = lines.skipped.reshape(-1, 2)
            n_of_chunks_before = (self.n_records, 0)
            self.skipped.append(n_before_and_skipped + n_of_chunks_before)
        if len(lines.value):
            lines = lines._replace(
                span_topic=self._number_topics(text, lines),
                span_begin=lines.span_begin + self.n_records,
            )
            self.lines_of_chunks.append(lines)
        self.n_lines += lines.n_lines
        self.n_records += len(lines.value)
        return lines.consumed

    def _number_topics(self, text: bytes, lines: _Lines) -> NDArray[np.int32]:
        """Return the number of each span's topic, which is the same in all chunks."""
        extents = lines.topic_extent.reshape(-1, 2).tolist()
        numbers = []
        for begin, end in extents:
            topic = text[begin:end].decode("utf-8", "surrogateescape")
            next_number = len(self.number_of)
            numbers.append(self.number_of.setdefault(topic, next_number))
        return np.array(numbers, dtype=np.int32)[lines.span_topic]

    def records(self) -> Records:
        """Return the records of all chunks."""
        chunks = self.lines_of_chunks
        if not chunks:
            raise ValueError(
                f"{self.name}: no line found; a line has {_LAYOUT[self.is_run]}."
            )

        # A topic may go on from chunk to chunk.
        span_topic = _concatenate([lines.span_topic for lines in chunks])
        span_begin = _concatenate([lines.span_begin for lines in chunks])
        is_new = np.diff(span_topic, prepend=-1) != 0

        ranks = None
        if self.with_ranks:
            ranks = _concatenate([lines.rank for lines in chunks])
        documents = [Documents(lines.document_end, lines.document) for lines in chunks]
        return Records(
            topics=list(self.number_of),
            span_topic=span_topic[is_new],
            indptr=np.append(span_begin[is_new], self.n_records),
            documents=Documents.concatenate(documents),
            values=_concatenate([lines.value for lines in chunks]),
            ranks=ranks,
            place=self._place,
            tag=chunks[0].tag.decode("utf-8", "surrogateescape"),
            n_contradicted=self.n_contradicted,
        )

    def _place(self, record: int) -> str:
        line = record + 1
        for n_before_and_skipped in self.skipped:
            n_before, n_skipped = n_before_and_skipped.T
            line += int(n_skipped[n_before <= record].sum())
        return f"{self.name}, line {line}"

    def _raise(self, text: bytes, lines: _Lines) -> None:
        fault, begin, end = lines.fault
        line = text[begin:end]
        quote = _quote(line)
        if fault == _WRONG_COLUMNS:
            words = line.split()
            way = _way_of_columns(words, is_run=self.is_run)
            rule = (
                f"a line has {_LAYOUT[self.is_run]}, got {len(words)}: {quote}. {way}"
            )
        else:
            fourth = _quote(line.split()[3]) if fault == _SHIFTED else ""
            rule = _RULES[fault].format(
                value=self.request.value, quote=quote, fourth=fourth
            )
        start_of_line = text.rfind(b"\n", 0, begin) + 1
        if fault == _NO_NUMBER and _is_letor(text[start_of_line:end].split()):
            rule = f"{rule[:-1]}. {_WAY_OF_LETOR}"
        elif fault == _NO_NUMBER and _DECIMAL_COMMA.fullmatch(line):
            rule += " Write decimals with a point, as in 1.5."
        elif fault == _NO_NUMBER and not self.is_run:
            rule += way_of_words(_words_for_grades(text[begin : begin + _SEARCHED]))

        raise ValueError(f"{self.name}, line {self.n_lines + lines.n_lines}: {rule}")


def _is_letor(words: list[bytes]) -> bool:
    return any(word.startswith(b"qid:") for word in words[:2])


def _way_of_columns(words: list[bytes], *, is_run: bool) -> str:
    """Say what a line of other columns may be, where qrels or a run are read."""
    if _is_letor(words):
        return _WAY_OF_LETOR
    n_columns = len(words)
    if n_columns == _N_OF_STRATA and not is_run:
        return (
            "Five columns are those of prels (statAP) or of strata (infNDCG), which hold more than "
            f"grades, and are not read. {_HEADER}"
        )
    if n_columns == _N_OF_RUNS and not is_run:
        return "This looks like a run: the qrels come first, and then the runs."
    if n_columns == _N_OF_QRELS and is_run:
        is_iteration = words[1].upper() in (b"0", b"Q0")
        if words[2].isdigit() and not is_iteration:
            return (
                "This looks like 'topic document rank score', as ColBERT writes it: a first line "
                "qid,pid,rank,score, with the same marks between the columns, makes it a table."
            )
        return "This looks like qrels: they come first, and then the runs."
    return _HEADER


def _refuse_qrels_of_six_columns(text: bytes, name: str) -> None:
    """Refuse a run that is qrels of six columns: iteration 0, and whole numbers that differ."""
    lines = [line.split() for line in text[:_SEARCHED].split(b"\n")[:_LINES_SEARCHED]]
    lines = [words for words in lines if words and not words[0].startswith(b"#")]
    if any(len(words) != _N_OF_RUNS or words[1] != b"0" for words in lines):
        return
    last_words = {words[-1] for words in lines}
    if len(last_words) > 1 and all(map(bytes.isdigit, last_words)):
        raise ValueError(
            f"{name}, line 1: a line has {_LAYOUT[True]}, got an iteration of 0 and whole numbers "
            f"that differ in the place of the tag: {_quote(b' '.join(lines[0]))}. This looks like "
            "qrels with more columns; a first line that names the columns makes it a table."
        )


def _words_for_grades(text: bytes) -> set[str]:
    """Return what stands at the ends of the lines of qrels."""
    last_words = set()
    for line in text.split(b"\n"):
        words = line.split()
        if words and not words[0].startswith(b"#"):
            last_words.add(words[-1].decode("utf-8", "replace"))
    return last_words


def _quote(text: bytes) -> str:
    start = text[:_MOST_QUOTED].strip()[: 2 * _LONGEST_QUOTE]
    quote = repr(start.decode("utf-8", "backslashreplace"))
    return quote if len(quote) <= _LONGEST_QUOTE else quote[:_LONGEST_QUOTE] + "..."


def n_topics_with_contradicting_ranks(
    span_topic: NDArray[np.int32],
    span_begin: IntArray,
    ranks: NDArray[np.int32],
    scores: FloatArray,
) -> int:
    """Count the topics in which a document of a lower rank has a higher score.

    Parameters
    ----------
    span_topic : ndarray of shape (n_spans,), int32
        Topic of consecutive records.
    span_begin : ndarray of shape (n_spans,), int64
        The first of these records.
    ranks : ndarray of shape (n_records,), int32
        The rank column; equal ranks do not contradict.
    scores : ndarray of shape (n_records,), float64
        The scores.

    Returns
    -------
    int
        The number of topics, of those among the first 50,000 records.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.trec._records import n_topics_with_contradicting_ranks
    >>> topic, begin = np.array([0, 1]), np.array([0, 2])
    >>> ranks, scores = np.array([1, 2, 1, 2]), np.array([3.0, 1.0, 1.0, 3.0])
    >>> n_topics_with_contradicting_ranks(topic, begin, ranks, scores)
    1
    """
    ranks = ranks[:_MOST_COMPARED]
    scores = scores[:_MOST_COMPARED]
    n_records = len(ranks)
    place = np.arange(n_records)
    topics = span_topic[np.searchsorted(span_begin, place, side="right") - 1]

    # By rank, and of equal ranks the highest score first: it must never rise within a topic.
    if (np.diff(ranks) < 0)[np.diff(topics) == 0].any():
        order = np.lexsort((-scores, ranks, topics))
        topics = topics[order]
        ranks = ranks[order]
        scores = scores[order]
    rises = (np.diff(scores) > 0) & (np.diff(ranks) > 0) & (np.diff(topics) == 0)
    return len(np.unique(topics[1:][rises]))


def _concatenate(columns: list[Any]) -> Any:
    if len(columns) == 1:
        return columns[0]
    return np.concatenate(columns)
