"""Pools reduced to samples, and runs that are scored again under any judgments of the pool."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._progress import ProgressBar
from skgraded.measures import Measure
from skgraded.measures import evaluate as evaluate_rankings
from skgraded.rankings import Judgments, RankedList, Rankings
from skgraded.trec import Coverage
from skgraded.trec._files import (
    Order,
    Qrels,
    as_qrels,
    as_run,
    join,
    named_runs,
    threads_of,
    unique_names,
)

__all__ = [
    "JoinedRuns",
    "Sampling",
    "depth_samples",
    "join_runs",
    "random_samples",
    "reduce_pool",
    "stratified_samples",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Mask = NDArray[np.bool_]
Sampling = Literal["stratified", "random"]

# Left in a topic at any rate, as in Buckley and Voorhees (2004).
_FEWEST_RELEVANT = 1
_FEWEST_NONRELEVANT = 10
# Grade of a document of the pool that was not sampled.
UNSAMPLED = -1.0
# Runs scored together: their lists stay in the cache from one measure to the next.
_RUNS_AT_A_TIME = 4


def reduce_pool(
    qrels: Any,
    rate: float,
    *,
    method: Sampling = "stratified",
    by_grade: bool = True,
    random_state: int | np.random.Generator | None = 0,
) -> Qrels:
    """Judge a sample of the pool only.

    Parameters
    ----------
    qrels : Qrels, path or file
        The judgments, or anything that `skgraded.trec.read_qrels` reads.
    rate : float
        Percentage of the judgments that is kept, above 0 and at most 100.
    method : {"stratified", "random"}, default="stratified"
        ``"stratified"``: of each topic's documents of a stratum that share is kept, cut off to an
        integer, but at least 1 where they are relevant and at least 10 where they are not [1]_.
        ``"random"``: a simple random sample of each topic's judged documents, drawn again until one
        of them is relevant [2]_.
    by_grade : bool, default=True
        Whether each grade is a stratum, or all relevant documents are.
    random_state : int or Generator or None, default=0
        Seed of the sample; None gives another one each time.

    Returns
    -------
    Qrels
        The same documents; those left out have grade -1: pooled, but not sampled.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004), "Retrieval Evaluation with Incomplete Information".
    .. [2] E. Yilmaz, J. A. Aslam (2006), "Inferred AP: Estimating Average Precision with
       Incomplete Judgments".

    Examples
    --------
    >>> from skgraded.studies import reduce_pool
    >>> qrels = {"q1": {f"d{number}": int(number < 10) for number in range(50)}}
    >>> reduce_pool(qrels, 50).grades.tolist().count(1)
    5
    """
    judged = as_qrels(qrels)
    rates, rng = check_rates([rate]), np.random.default_rng(random_state)
    if method not in get_args(Sampling):
        raise ValueError(f"method must be 'stratified' or 'random', got {method!r}.")
    if method == "stratified":
        samples = stratified_samples(judged, rates, rng, by_grade=by_grade, nested=True)
    else:
        samples = random_samples(judged, rates, rng, nested=False)
    return dataclasses.replace(judged, grades=np.where(next(samples), judged.grades, UNSAMPLED))


def check_rates(rates: Sequence[float]) -> FloatArray:
    """Return percentages as an array."""
    percentages = np.asarray(rates, dtype=np.float64)
    if percentages.ndim != 1 or not len(percentages):
        raise ValueError(f"rates must hold at least one percentage, got {rates!r}.")
    wrong = percentages[~((percentages > 0) & (percentages <= 100))]  # noqa: PLR2004
    if len(wrong):
        raise ValueError(f"rates must be percentages above 0 and at most 100, got {wrong[0]:g}.")
    return percentages


def stratified_samples(
    qrels: Qrels, rates: FloatArray, rng: np.random.Generator, *, by_grade: bool, nested: bool
) -> Iterator[Mask]:
    """Yield which documents are kept at each rate, stratum by stratum of each topic."""
    judged = _judged(qrels)
    kind = np.maximum(qrels.grades, 0.0) if by_grade else (qrels.grades > 0).astype(np.float64)
    kinds, stratum = np.unique(np.where(judged, kind, -1.0), return_inverse=True)
    stratum = stratum + qrels.topic_of_document() * len(kinds)
    sizes = np.bincount(stratum)[stratum]
    fewest = np.where(qrels.grades > 0, _FEWEST_RELEVANT, _FEWEST_NONRELEVANT)
    place = _places(stratum, rng)
    for rate in rates:
        yield judged & (place < np.maximum(fewest, _share(sizes, rate)))
        if not nested:
            place = _places(stratum, rng)


def random_samples(
    qrels: Qrels, rates: FloatArray, rng: np.random.Generator, *, nested: bool
) -> Iterator[Mask]:
    """Yield which documents are kept at each rate: at least one relevant one in every topic."""
    judged, topic = _judged(qrels), qrels.topic_of_document()
    sizes = np.bincount(topic[judged], minlength=qrels.n_topics)[topic]
    wanted = [np.maximum(1, _share(sizes, rate)) for rate in rates]
    smallest = np.min(wanted, axis=0)
    place = _places_with_relevant(qrels, judged, smallest if nested else wanted[0], rng)
    for number, n in enumerate(wanted):
        if number and not nested:
            place = _places_with_relevant(qrels, judged, n, rng)
        yield judged & (place < n)


def _places_with_relevant(
    qrels: Qrels, judged: Mask, n: IntArray, rng: np.random.Generator
) -> IntArray:
    """Shuffle each topic until a relevant document is among its first n."""
    topic = qrels.topic_of_document()
    relevant = judged & (qrels.grades > 0)
    # Documents that were never judged go last.
    group = topic * 2 + ~judged
    place = _places(group, rng)
    lacking = _lacking(topic, relevant, place < n, qrels.n_topics)
    while lacking.any():
        again = lacking[topic]
        place[again] = _places(group[again], rng)
        lacking = _lacking(topic, relevant, place < n, qrels.n_topics)
    return place


def _lacking(topic: IntArray, relevant: Mask, kept: Mask, n_topics: int) -> Mask:
    """Topics with relevant documents, none of which is kept."""
    has = np.bincount(topic[relevant], minlength=n_topics) > 0
    lacking: Mask = has & (np.bincount(topic[relevant & kept], minlength=n_topics) == 0)
    return lacking


def depth_samples(qrels: Qrels, best_rank: IntArray, depths: FloatArray) -> Iterator[Mask]:
    """Yield which documents a pool of the runs' first so many documents would hold."""
    judged = _judged(qrels)
    for depth in depths:
        yield judged & (best_rank <= depth)


def _judged(qrels: Qrels) -> Mask:
    judged: Mask = (qrels.grades != UNSAMPLED) & ~np.isnan(qrels.grades)
    return judged


def _share(sizes: IntArray, rate: float) -> IntArray:
    """Cut a percentage off to integers; multiplied first, a whole one stays whole."""
    share: IntArray = np.floor(sizes * rate / 100.0).astype(np.int64)
    return share


def _places(group: IntArray, rng: np.random.Generator) -> IntArray:
    """Place of each document in a random order of its group, from 0."""
    order = np.lexsort((rng.random(len(group)), group))
    ordered = group[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.append(starts, len(group)))
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - np.repeat(starts, sizes)
    return place


class _Lists(NamedTuple):
    """Ranked documents of a few systems: every topic of the first, then of the next."""

    rows: NDArray[np.int32]
    indptr: IntArray
    order: NDArray[np.int32]
    tied: NDArray[np.uint8]
    n_systems: int


class JoinedRuns(NamedTuple):
    """Runs whose documents were looked up in the qrels once.

    Attributes
    ----------
    systems : tuple of str
        Names of the runs.
    qrels : Qrels
        The judgments.
    lists : list of _Lists
        Row of each retrieved document in the qrels, a few systems at a time.
    coverage : tuple of Coverage
        For each run, what was left out.
    """

    systems: tuple[str, ...]
    qrels: Qrels
    lists: list[_Lists]
    coverage: tuple[Coverage, ...]

    def score(
        self, grades: FloatArray, measures: tuple[Measure, ...], n_threads: int | None = None
    ) -> FloatArray:
        """Score the runs as if these were the judgments.

        Parameters
        ----------
        grades : ndarray of shape (n_documents,)
            New grades of the documents of the qrels; -1 = not sampled, NaN = outside the pool.
        measures : tuple of Measure
            The measures.
        n_threads : int, optional
            Threads; by default as many as there are processors.

        Returns
        -------
        ndarray of shape (n_systems, n_topics, n_measures)
            The values.
        """
        pool = dataclasses.replace(self.qrels, grades=grades).pool()
        best_first = RankedList(
            pool.best_first, np.zeros(len(pool.best_first), dtype=np.uint8), pool.indptr
        )

        def score(lists: _Lists) -> FloatArray:
            rankings = _rankings(lists, pool.grades, pool.levels, best_first)
            values = evaluate_rankings(measures, rankings).values
            return values.reshape(lists.n_systems, -1, len(measures))

        with ThreadPoolExecutor(threads_of(n_threads)) as executor:
            return np.concatenate(list(executor.map(score, self.lists)))

    def best_rank(self) -> IntArray:
        """Find the best rank at which any run has each document of the qrels.

        Returns
        -------
        ndarray of shape (n_documents,), int64
            The ranks, from 1; a number beyond all ranks where no run has the document.
        """
        best = np.full(self.qrels.n_documents + 1, np.iinfo(np.int64).max)
        for lists in self.lists:
            starts = np.repeat(lists.indptr[:-1], np.diff(lists.indptr))
            rank = np.arange(1, len(lists.rows) + 1) - starts
            np.minimum.at(best, lists.rows[lists.order + starts], rank)
        return best[:-1]


def _rankings(
    lists: _Lists, grades: FloatArray, levels: NDArray[Any], pool: RankedList
) -> Rankings:
    n_topics = len(pool.indptr) - 1
    per_system = np.tile(pool.lengths, lists.n_systems)
    judgments = Judgments(
        qid=np.arange(lists.n_systems * n_topics),
        indptr=lists.indptr,
        row_order=None,
        grades=grades,
        levels=levels[lists.rows],
        pool=RankedList(
            np.tile(pool.levels, lists.n_systems),
            np.tile(pool.tied, lists.n_systems),
            np.concatenate(([0], np.cumsum(per_system))),
        ),
    )
    return Rankings(judgments, lists.order, lists.tied)


def join_runs(
    qrels: Qrels, runs: Any, *, order: Order = "trec_eval", n_threads: int | None = None
) -> JoinedRuns:
    """Read runs and look up their documents in the qrels.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    runs : iterable of runs, or mapping of names to them
        Anything that `skgraded.trec.read_run` reads.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        What ranks the documents, as in `Rankings.from_trec`.
    n_threads : int, optional
        Runs read at a time; by default as many as there are processors.

    Returns
    -------
    JoinedRuns
        The runs.
    """
    named = named_runs(runs)
    # A level of its own for every document: the join then tells which document it is.
    numbered = dataclasses.replace(qrels, grades=np.arange(1.0, qrels.n_documents + 1))
    numbered.pool()

    with ProgressBar(len(named), "reading runs") as bar:

        def read(given: tuple[str | None, Any]) -> tuple[str, _Lists, Coverage]:
            run = as_run(given[1])
            joined = join(numbered, run, order=order)
            bar.step()
            rows = (joined.levels - 1).astype(np.int32)
            lists = _Lists(rows, joined.indptr, joined.order, joined.tied, 1)
            name = run.name if given[0] is None else given[0]
            return name, lists, Coverage.of(run, joined)

        with ThreadPoolExecutor(threads_of(n_threads)) as executor:
            read_runs = list(executor.map(read, named))
    names, lists, coverage = zip(*read_runs, strict=True)
    batches = range(0, len(lists), _RUNS_AT_A_TIME)
    stacked = [_stack(lists[first : first + _RUNS_AT_A_TIME]) for first in batches]
    return JoinedRuns(unique_names(names), qrels, stacked, coverage)


def _stack(lists: Sequence[_Lists]) -> _Lists:
    lengths = np.concatenate([np.diff(each.indptr) for each in lists])
    return _Lists(
        rows=np.concatenate([each.rows for each in lists]),
        indptr=np.concatenate(([0], np.cumsum(lengths))),
        order=np.concatenate([each.order for each in lists]),
        tied=np.concatenate([each.tied for each in lists]),
        n_systems=len(lists),
    )
