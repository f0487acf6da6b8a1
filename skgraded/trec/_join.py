"""The join of qrels and runs: the level of every retrieved document, its ranking, and its score."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._support.arguments import choice, first_true, flag, threads
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.progress import ProgressBar
from skgraded._support.sealed import sealed
from skgraded._support.text import count, first_few
from skgraded.measures import Measure, Measures, measures_by_name
from skgraded.measures._prefix import score_queries
from skgraded.rankings import Judgments, RankedList, Rankings
from skgraded.trec._exclude import without_pairs
from skgraded.trec._extents import indptr_of, starts_by_row
from skgraded.trec._meeting import doubt_of, warn_of_doubt
from skgraded.trec._qrels_and_runs import (
    NamedSource,
    Negative,
    Pool,
    Qrels,
    Run,
    named_runs,
    read_columns_of_run,
    read_qrels,
    unique_names,
)

T = TypeVar("T")
U = TypeVar("U")

# Integers that doubles merge; none of 64 bits is as large as the second number.
_FIRST_MERGED = 2.0**53
_END_OF_INTEGERS = 2.0**64
_FIRST = 10  # ranks whose judged documents notes count

Order = Literal["trec_eval", "score", "rank", "file"]

# What `score_joined` returns.
ValuesAndEmpty = tuple[FloatArray, tuple[int, ...]]


class Omissions(NamedTuple):
    """How much a run's scores do not show.

    Attributes
    ----------
    missing : int
        Topics of the qrels that the run lacks.
    extra : int
        Topics of the run that the qrels lack.
    repeated : int
        Records that repeat a document of their topic.
    contradicted : int
        Topics whose ranks contradict the scores that order them.
    all_tied : int
        Topics of two documents or more whose scores are all the same.
    judged : float
        Share of judged documents among the first ten of each list, on average over the lists.
    excluded : int
        Retrieved documents that do not count.
    selves : int
        Topics whose first document is the topic itself, where half of them or more have that.
    """

    missing: int = 0
    extra: int = 0
    repeated: int = 0
    contradicted: int = 0
    all_tied: int = 0
    judged: float = 1.0
    excluded: int = 0
    selves: int = 0


class JoinedRun(NamedTuple):
    """A run whose documents were looked up in the qrels, in the layout of `skgraded.rankings`.

    Attributes
    ----------
    name : str
        Name of the run.
    indptr : ndarray of shape (n_topics + 1,), int64
        Extents of the topics of the qrels among the retrieved documents.
    rows : ndarray of shape (n_documents,), int32
        Row of each retrieved document in the qrels, or their number of documents where they lack
        it, which is its place in the levels of a `Pool`.
    order, tied : ndarray of shape (n_documents,)
        The ranking, as in `Rankings`.
    left_out : Omissions
        What the scores do not show.
    doubt : str
        What is doubtful about the run's documents, of which `warn_of_doubt` warns.
    """

    name: str
    indptr: IntArray
    rows: NDArray[np.int32]
    order: NDArray[np.int32]
    tied: NDArray[np.uint8]
    left_out: Omissions
    doubt: str = ""


def join(
    qrels: Qrels,
    order: Order,
    strict: bool,
    named_source: NamedSource,
    *,
    negative: Negative = "unsampled",
    excluded: Qrels | None = None,
) -> JoinedRun:
    """Read a run, look up every retrieved document in the qrels, and rank the run.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    order : {"trec_eval", "score", "rank", "file"}
        How the documents are ranked, as in `rank`.
    strict : bool
        Whether a document that a topic names twice is an error.
    named_source : (str or None, object)
        A name, or None, and the run or anything that `read_run` reads.
    negative : {"unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"}
        Meaning of negative grades, which tells what counts as judged in notes.
    excluded : Qrels, optional
        Pairs that do not count, which `qrels` lack.

    Returns
    -------
    JoinedRun
        The rows and the ranking of all topics of the qrels; the list of one that the run lacks is
        empty.
    """
    name, source = named_source
    run = read_columns_of_run(
        source, strict=strict, name=name, with_ranks=order == "rank"
    )
    n_excluded = 0
    if excluded is not None:
        run, n_excluded = without_pairs(run, excluded)

    # Where the topics of the qrels lie in the run.
    number_in_run = _numbers_in_run(qrels, run)
    is_absent = number_in_run < 0
    if is_absent.all():
        raise ValueError(_no_common_topic(qrels, run))
    start = np.where(is_absent, 0, run.indptr[number_in_run])
    end = np.where(is_absent, 0, run.indptr[number_in_run + 1])
    indptr = indptr_of(end - start)

    rows = _rows_in_qrels(qrels, run, start, indptr)
    order_in_topic, tied = rank_run(run, order, start, indptr)

    n_missing = int(is_absent.sum())
    n_extra = run.n_topics - (qrels.n_topics - n_missing)
    pool = qrels.pool(negative)
    is_judged = pool.levels < len(pool.grades)
    has_list = np.diff(indptr) > 0
    first_places = order_in_topic[indptr[:-1][has_list]]
    left_out = Omissions(
        missing=n_missing,
        extra=n_extra,
        repeated=run.n_duplicates,
        judged=_judged_share(is_judged, rows, order_in_topic, indptr),
        excluded=n_excluded,
        selves=_n_selves(qrels.topics[has_list], run, start[has_list] + first_places),
    )
    if order in ("trec_eval", "score"):
        left_out = left_out._replace(
            contradicted=run.n_contradicted, all_tied=_n_all_tied(tied, indptr)
        )
    doubt = doubt_of(qrels, run, rows < qrels.n_documents, order_in_topic, indptr)
    return JoinedRun(run.name, indptr, rows, order_in_topic, tied, left_out, doubt)


def _numbers_in_run(qrels: Qrels, run: Run) -> IntArray:
    """Return the number that each topic of the qrels has in the run, or -1."""
    topics_of_run = run.topics.tolist()
    number_of = {topic: number for number, topic in enumerate(topics_of_run)}
    return np.array([number_of.get(topic, -1) for topic in qrels.topics.tolist()])


def _n_all_tied(tied: NDArray[np.uint8], indptr: IntArray) -> int:
    """Return how many lists of two documents or more have one score for all."""
    # The first documents of lists are tied with nothing above them.
    starts = indptr[:-1]
    lengths = np.diff(indptr)
    is_long = lengths > 1
    second_is_tied = tied[starts[is_long] + 1] != 0
    starts = starts[is_long][second_is_tied]
    ends = starts + lengths[is_long][second_is_tied]
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return sum(bool(tied[start + 1 : end].all()) for start, end in spans)


def _n_selves(topics: NDArray[Any], run: Run, first_rows: NDArray[Any]) -> int:
    """Return how many topics have themselves as the first document, if half of them or more do."""
    pairs = zip(topics.tolist(), first_rows.tolist(), strict=True)
    n_selves = sum(run.documents[row] == topic for topic, row in pairs)
    return n_selves if len(topics) > 1 and 2 * n_selves >= len(topics) else 0


def _judged_share(
    is_judged: BoolArray,
    rows: NDArray[np.int32],
    order: NDArray[np.int32],
    indptr: IntArray,
) -> float:
    """Return the share of judged documents among the first ten of each list, on average."""
    lengths = np.diff(indptr)
    starts = indptr[:-1][lengths > 0]
    n_first = np.minimum(lengths[lengths > 0], _FIRST)

    # Rows of the first documents of every list.
    first_indptr = indptr_of(n_first)
    ranks = np.arange(first_indptr[-1]) - starts_by_row(first_indptr)
    places = np.repeat(starts, n_first) + ranks
    retrieved = np.repeat(starts, n_first) + order[places]
    is_judged_by_rank = is_judged[rows[retrieved]]
    n_judged = np.diff(indptr_of(is_judged_by_rank)[first_indptr])
    return float((n_judged / n_first).mean()) if len(starts) else 1.0


def _rows_in_qrels(
    qrels: Qrels, run: Run, start: IntArray, indptr: IntArray
) -> NDArray[np.int32]:
    """Return the row of each retrieved document, as in `JoinedRun`."""
    slots, slot_indptr, key = qrels.slots
    places, rows_of_places = _core.look_up_documents(
        document_end=run.documents.end,
        document=run.documents.text,
        start=start,
        indptr=indptr,
        known_end=qrels.documents.end,
        known=qrels.documents.text,
        slots=slots,
        slot_indptr=slot_indptr,
        key=key,
    )
    n_retrieved = int(indptr[-1])

    rows = np.full(n_retrieved, qrels.n_documents, dtype=np.int32)
    rows[places] = rows_of_places
    return rows


def rank_run(
    run: Run, order: Order, start: IntArray, indptr: IntArray
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Rank a run's documents.

    Parameters
    ----------
    run : Run
        The retrieved documents.
    order : {"trec_eval", "score", "rank", "file"}
        How they are ranked, as in `skgraded.trec.rank`.
    start : ndarray of shape (n_topics,), int64
        Where the documents of each topic start in the run.
    indptr : ndarray of shape (n_topics + 1,), int64
        Extents of the topics in the ranking.

    Returns
    -------
    order, tied : ndarray of shape (n_documents,)
        The ranking, as in `Rankings`.
    """
    choice("order", order, get_args(Order))
    if order in ("trec_eval", "score"):
        _require_distinct_scores(run)
        return _core.order_documents(
            scores=run.scores,
            document_end=run.documents.end,
            document=run.documents.text,
            start=start,
            indptr=indptr,
            single_precision=order == "trec_eval",
        )

    place = np.arange(indptr[-1]) - starts_by_row(indptr)
    if order == "file":
        return place.astype(np.int32), np.zeros_like(place, np.uint8)

    row_in_run = place + np.repeat(start, np.diff(indptr))
    ranks = _check_ranks(run)[row_in_run]
    return _core.rank(
        scores=-ranks.astype(np.float64),
        indptr=indptr,
        schedule=_core.schedule_queries(indptr),
        n_threads=1,
    )


def _require_distinct_scores(run: Run) -> None:
    """Raise where scores are such integers, as times in nanoseconds, that doubles merge some."""
    sizes = np.abs(run.scores)
    if sizes.max(initial=0.0) < _FIRST_MERGED:
        return
    row = first_true((sizes >= _FIRST_MERGED) & (sizes < _END_OF_INTEGERS))
    if row is not None:
        raise ValueError(
            f"{run.name}: scores must be below 2**53, from which on doubles do not tell all "
            f"integers apart, got {run.scores[row]:.17g} for document {run.documents[row]!r}. "
            "Subtract a constant from all of them."
        )


def _check_ranks(run: Run) -> NDArray[np.int32]:
    if run.ranks is None:
        raise ValueError(f'order="rank" needs a run with a rank column, got {run!r}.')
    row = first_true(run.ranks < 0)
    if row is not None:
        raise ValueError(
            f'{run.name}: order="rank" needs integers >= 0 in the rank column, which has something '
            f"else for document {run.documents[row]!r}."
        )
    return run.ranks


def _no_common_topic(qrels: Qrels, run: Run) -> str:
    topics_of_run = [repr(topic) for topic in run.topics]
    topics_of_qrels = [repr(topic) for topic in qrels.topics]
    return (
        f"{run.name} and {qrels.name} must have topics in common, got {first_few(topics_of_run)} "
        f"in the run and {first_few(topics_of_qrels)} in the qrels."
    )


def notes_on_runs(
    systems: Sequence[str], left_out: Sequence[Omissions], complete: bool = True
) -> list[str]:
    """Describe in sentences what was left out of several runs."""
    fate = "counts as an empty list" if complete else "is left out of the run's mean"
    sentences = {
        "missing": f"without all topics of the qrels; a missing topic {fate}",
        "extra": "with topics outside the qrels, left out",
        "repeated": "with repeated documents, of which the best counts",
        "contradicted": "with topics whose ranks contradict the scores, which decide",
        "excluded": "with excluded documents",
        "selves": "whose first document has the id of the topic, which exclude='self' leaves out",
        "all_tied": "with topics whose documents all have one score, in no order",
    }

    notes = []
    for field, sentence in sentences.items():
        numbers = [getattr(numbers_of_run, field) for numbers_of_run in left_out]
        systems_and_numbers = [
            f"{name} ({number})"
            for name, number in zip(systems, numbers, strict=True)
            if number
        ]
        if systems_and_numbers:
            n_systems = count(len(systems_and_numbers), "system")
            notes.append(f"{n_systems} {sentence}: {first_few(systems_and_numbers)}.")
    return [*notes, *_note_on_judged(systems, [run.judged for run in left_out])]


def _note_on_judged(systems: Sequence[str], shares: Sequence[float]) -> list[str]:
    """Say which share of the first documents is judged, unless all of them are."""
    lowest_first = sorted(zip(shares, systems, strict=True))
    shares_of_systems = [
        f"{name} {share:.2f}" for share, name in lowest_first if share < 1
    ]
    if not shares_of_systems:
        return []
    return [
        f"Judged@{_FIRST}, lowest first: {first_few(shares_of_systems)}. What nobody judged counts "
        "as not relevant, unless a measure has unjudged=condense."
    ]


def rank(
    qrels: Any,
    run: Any,
    *,
    order: Order = "trec_eval",
    complete: bool = True,
    negative: Negative = "unsampled",
    strict: bool = False,
    n_threads: int | None = None,
) -> Rankings:
    """Rank a run's documents and judge them by qrels.

    The pool is that of the qrels, so that recall bases count the judged documents that the run
    lacks. A retrieved document that the qrels lack is unjudged.

    Parameters
    ----------
    qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
        The judgments, or anything that `skgraded.trec.read_qrels` reads.
    run : Run, path, file object, dict of dicts, DataFrame or iterable
        The retrieved documents, or anything that `skgraded.trec.read_run` reads.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked. ``"trec_eval"``: by score and then by the bytes of the
        document id, both descending, with scores rounded to single precision, as trec_eval does;
        ``"score"``: the same in double precision. Documents with equal scores are tied. The
        ``ties`` field of a measure tells whether they stay in this order (``"row_order"``, which
        gives trec_eval's numbers) or not (``"expected"``, where no document id decides).
        ``"rank"``: by the rank column, where equal ranks are ties in the order of the file.
        ``"file"``: in the order of the file, without ties.
    complete : bool, default=True
        Whether a topic of the qrels that the run lacks counts as an empty list. Otherwise it is
        left out.
    negative : {"unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"}
        Meaning of negative grades. ``"unsampled"``, the default: -1 is a document of the pool that
        was not sampled for judging, and other negative grades are judged not relevant;
        ``"all_unsampled"``: all of them were not sampled, as in trec_eval, pytrec_eval and
        ir_measures; ``"nonrelevant"``: all of them are judged not relevant; ``"unjudged"``: none of
        them was judged; ``"error"``: they are not allowed.
    strict : bool, default=False
        Whether a document that a topic of the run names twice is an error. Otherwise the one with
        the highest score counts.
    n_threads : int, optional
        Number of threads for scoring: -1 for all processors, None for one. Results do not depend on
        it.

    Returns
    -------
    Rankings
        The ranked documents; topics are in the order of the qrels.

    Raises
    ------
    ValueError
        If a file is not as described, or run and qrels have no topic in common.

    Examples
    --------
    >>> from skgraded import AP
    >>> from skgraded.trec import rank
    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> rankings = rank(qrels, {"q1": {"d1": 3.0, "d9": 2.0}})
    >>> AP()(rankings)  # d3 is relevant, but was not retrieved
    0.5
    """
    judgments = read_qrels(qrels)
    complete = flag("complete", complete)

    joined = join(judgments, order, strict, (None, run), negative=negative)
    warn_of_doubt([joined.doubt])
    pool = judgments.pool(negative)
    if not complete:
        topics_of_run = np.flatnonzero(np.diff(joined.indptr))
        n_retrieved = np.diff(joined.indptr)[topics_of_run]
        joined = joined._replace(indptr=indptr_of(n_retrieved))
        pool = pool.of_topics(topics_of_run)

    return rankings_of([joined], pool, threads(n_threads))


def rankings_of(runs: Sequence[JoinedRun], pool: Pool, n_threads: int = 1) -> Rankings:
    """Make the rankings of runs that are already joined with their qrels.

    Parameters
    ----------
    runs : sequence of JoinedRun
        The runs.
    pool : Pool
        The judged documents of the topics of each run.
    n_threads : int, default=1
        Number of threads for scoring.

    Returns
    -------
    Rankings
        The topics of the first run, then those of the second, and so on.
    """
    # Each run has all judged documents in its pool.
    n_runs = len(runs)
    best_first = np.tile(pool.best_first, n_runs)
    pool_indptr = _stacked([pool.indptr] * n_runs)

    rows = np.concatenate([run.rows for run in runs])
    judgments = Judgments.of_lists(
        pool.levels[rows],
        _stacked([run.indptr for run in runs]),
        pool.grades,
        RankedList.without_ties(best_first, pool_indptr),
        qid=np.tile(pool.topics, n_runs),
    )
    order = np.concatenate([run.order for run in runs])
    tied = np.concatenate([run.tied for run in runs])
    return Rankings(judgments, sealed(order), sealed(tied), n_threads)


def score_joined(
    measures: Collection[Measure], pool: Pool, complete: bool, runs: Sequence[JoinedRun]
) -> ValuesAndEmpty:
    """Score runs that are joined with the same qrels.

    Parameters
    ----------
    measures : sequence of Measure
        The measures.
    pool : Pool
        The judged documents.
    complete : bool
        Whether a topic that a run lacks counts as an empty list.
    runs : sequence of JoinedRun
        The runs.

    Returns
    -------
    values : ndarray of shape (n_runs, n_topics, n_measures)
        The values; nan where a topic is left out.
    n_empty : tuple of int
        For each measure, the number of topics with nothing relevant.
    """
    by_measure, n_empty = score_queries(measures, rankings_of(runs, pool))
    by_query = np.ascontiguousarray(by_measure.T)
    values = by_query.reshape(len(runs), -1, len(by_measure))
    if not complete:
        is_absent = [np.diff(run.indptr) == 0 for run in runs]
        values[is_absent] = np.nan
    return values, tuple(n // len(runs) for n in n_empty)


def _stacked(indptrs: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the extents of all queries, with one list after the other."""
    lengths = np.concatenate([np.diff(indptr) for indptr in indptrs])
    return indptr_of(lengths)


def in_threads(
    function: Callable[[T], U], arguments: Sequence[T], n_threads: int
) -> list[U]:
    """Call a function with each of some arguments, in threads."""
    if n_threads == 1 or len(arguments) == 1:
        return list(map(function, arguments))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as executor:
        return list(executor.map(function, arguments))


# Runs that are scored together: their lists stay in the cache from one measure to the next.
_RUNS_AT_A_TIME = 4


class JoinedRuns(NamedTuple):
    """Runs whose documents were looked up in the qrels once, to be scored under many grades.

    Attributes
    ----------
    systems : tuple of str
        Names of the runs.
    qrels : Qrels
        The judgments.
    runs : list of JoinedRun
        All topics of each run.
    complete : bool
        Whether a topic that a run lacks counts as an empty list.
    """

    systems: tuple[str, ...]
    qrels: Qrels
    runs: list[JoinedRun]
    complete: bool = True

    def score(
        self, measures: Measures, grades: FloatArray, n_threads: int | None = -1
    ) -> FloatArray:
        """Score the runs as if the documents of the qrels had these grades.

        Parameters
        ----------
        measures : str, Measure, sequence of them, or mapping of str to them
            The measures.
        grades : ndarray of shape (n_documents,)
            New grades of the documents of the qrels; -1 = not sampled, NaN = outside the pool.
        n_threads : int or None, default=-1
            Number of threads: -1 for all processors, None for one. Results do not depend on it.

        Returns
        -------
        ndarray of shape (n_systems, n_topics, n_measures)
            The values; nan where a topic is left out.
        """
        pool = dataclasses.replace(self.qrels, grades=grades).pool()
        score_batch = partial(
            score_joined, measures_by_name(measures).values(), pool, self.complete
        )
        starts = range(0, len(self.runs), _RUNS_AT_A_TIME)
        batches = [self.runs[start : start + _RUNS_AT_A_TIME] for start in starts]

        scored = in_threads(score_batch, batches, threads(n_threads))
        return np.concatenate([values for values, _ in scored])

    def best_rank(self) -> IntArray:
        """Find the best rank at which any run has each document of the qrels.

        Returns
        -------
        ndarray of shape (n_documents,), int64
            The ranks, from 1; a number beyond all ranks where no run has the document.
        """
        beyond_all_ranks = np.iinfo(np.int64).max
        best = np.full(self.qrels.n_documents + 1, beyond_all_ranks)
        for run in self.runs:
            starts = starts_by_row(run.indptr)
            rank = np.arange(1, len(run.rows) + 1) - starts
            rows_in_order = run.rows[run.order + starts]
            np.minimum.at(best, rows_in_order, rank)
        return best[:-1]

    def notes(self) -> list[str]:
        """Describe in sentences what is special about the qrels and was left out of the runs.

        Returns
        -------
        list of str
            The sentences; none if there is nothing to say.
        """
        left_out = [run.left_out for run in self.runs]
        return [
            *self.qrels.notes(),
            *notes_on_runs(self.systems, left_out, self.complete),
        ]


def join_runs(
    qrels: Any,
    runs: Any,
    *,
    order: Order = "trec_eval",
    complete: bool = True,
    n_threads: int | None = -1,
) -> JoinedRuns:
    """Read runs and look up their documents in the qrels, once for many judgments.

    Parameters
    ----------
    qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
        The judgments, or anything that `read_qrels` reads.
    runs : Run, path, ..., iterable of them, or mapping of names to them
        The runs, or anything that `read_run` reads.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked, as in `rank`.
    complete : bool, default=True
        Whether a topic of the qrels that a run lacks counts as an empty list. Otherwise it is left
        out of the run's mean.
    n_threads : int or None, default=-1
        Number of runs that are read at the same time: -1 for all processors, None for one.

    Returns
    -------
    JoinedRuns
        The runs.

    Raises
    ------
    ValueError
        If a file is not as described, or a run and the qrels have no topic in common.
    """
    judgments = read_qrels(qrels)
    sources = named_runs(runs)
    complete = flag("complete", complete)
    with ProgressBar(len(sources), "reading runs") as bar:

        def join_source(named_source: NamedSource) -> JoinedRun:
            joined = join(judgments, order, False, named_source)
            bar.step()
            return joined

        joined_runs = in_threads(join_source, sources, threads(n_threads))
    warn_of_doubt(run.doubt for run in joined_runs)
    systems = unique_names([run.name for run in joined_runs])
    return JoinedRuns(systems, judgments, joined_runs, complete)
