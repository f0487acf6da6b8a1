"""Samples of the pool: stratified, simple random, and of a smaller depth."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import choice, flag, integer
from skgraded._support.array_types import FloatArray, IntArray
from skgraded.trec import JoinedRuns, Qrels, read_qrels

Mask = NDArray[np.bool_]
Sampling = Literal["stratified", "random"]
PoolReduction = Literal["stratified", "random", "depth"]

_RATES = {
    "stratified": (100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5),
    "random": (100, 90, 80, 70, 60, 50, 40, 30, 25, 20, 15, 10, 5, 4, 3, 2, 1),
    "depth": (100, 50, 30, 20, 15, 10, 7, 5, 3, 2, 1),
}

# Documents that every topic keeps, however low the rate, as in Buckley and Voorhees (2004).
_FEWEST_RELEVANT = 1
_FEWEST_NONRELEVANT = 10
_ALL = 100.0  # per cent


def reduce_pool(
    qrels: Any,
    rate: float,
    *,
    method: Sampling = "stratified",
    by_grade: bool = True,
    random_state: int | np.random.Generator | None = 0,
) -> Qrels:
    """Keep only a sample of the judgments.

    Parameters
    ----------
    qrels : Qrels, path or file
        The judgments, or anything that `skgraded.trec.read_qrels` reads.
    rate : float
        Percentage of the judgments that is kept, above 0 and at most 100.
    method : {"stratified", "random"}, default="stratified"
        ``"stratified"``: this percentage of every stratum of a topic is kept, rounded down, but at
        least 1 relevant and at least 10 nonrelevant documents [1]_. ``"random"``: a simple random
        sample of each topic's judged documents, drawn again until one of them is relevant [2]_.
    by_grade : bool, default=True
        Whether every grade is a stratum of its own, which Ferrante et al. adapted to graded
        relevance [3]_. Otherwise all relevant documents are one stratum, as in [1]_.
    random_state : int or Generator or None, default=0
        Seed of the sample; with None it differs from call to call.

    Returns
    -------
    Qrels
        The same documents. Those that were left out have grade -1: pooled, but not sampled.

    Raises
    ------
    ValueError
        If the rate is not above 0 and at most 100, or another option is not as described.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004),
       "Retrieval Evaluation with Incomplete Information".
    .. [2] E. Yilmaz, J. A. Aslam (2006), "Inferred AP: Estimating Average Precision with
       Incomplete Judgments".
    .. [3] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision to
       Graded Relevance", CLEF, Section 6.

    Examples
    --------
    >>> from skgraded.studies import reduce_pool
    >>> qrels = {"q1": {f"d{number}": int(number < 10) for number in range(50)}}
    >>> reduce_pool(qrels, 50).grades.tolist().count(1)
    5
    """
    judged = read_qrels(qrels)
    rates = check_rates([rate])
    rng = np.random.default_rng(random_state)
    choice("method", method, get_args(Sampling))
    flag("by_grade", by_grade)
    if method == "stratified":
        samples = stratified_samples(judged, rates, rng, by_grade=by_grade, nested=True)
    else:
        samples = random_samples(judged, rates, rng, nested=False)
    return dataclasses.replace(
        judged, grades=np.where(next(samples), judged.grades, Qrels.UNSAMPLED)
    )


def check_rates(rates: Sequence[float]) -> FloatArray:
    """Return percentages as an array."""
    percentages = np.asarray(rates, dtype=np.float64)
    if percentages.ndim != 1 or not len(percentages):
        raise ValueError(f"rates must hold at least one percentage, got {rates!r}.")
    wrong = percentages[~((percentages > 0) & (percentages <= _ALL))]
    if len(wrong):
        raise ValueError(
            f"rates must be percentages above 0 and at most 100, got {wrong[0]:g}."
        )
    return percentages


def stratified_samples(
    qrels: Qrels,
    rates: FloatArray,
    rng: np.random.Generator,
    *,
    by_grade: bool,
    nested: bool,
) -> Iterator[Mask]:
    """Yield masks of the documents that are kept at each rate, sampled by topic and stratum."""
    judged = _judged(qrels)
    kind = (
        np.maximum(qrels.grades, 0.0)
        if by_grade
        else (qrels.grades > 0).astype(np.float64)
    )
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
    """Yield masks of the documents that are kept at each rate, with a relevant one per topic."""
    judged = _judged(qrels)
    topic = qrels.topic_of_document()
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
    """Find the topics that have relevant documents, but keep none of them."""
    has = np.bincount(topic[relevant], minlength=n_topics) > 0
    lacking: Mask = has & (np.bincount(topic[relevant & kept], minlength=n_topics) == 0)
    return lacking


def depth_samples(
    qrels: Qrels, best_rank: IntArray, depths: FloatArray
) -> Iterator[Mask]:
    """Yield masks of the documents in a pool of each depth, given their best ranks in the runs."""
    judged = _judged(qrels)
    for depth in depths:
        yield judged & (best_rank <= depth)


def _judged(qrels: Qrels) -> Mask:
    judged: Mask = (qrels.grades != Qrels.UNSAMPLED) & ~np.isnan(qrels.grades)
    return judged


def _share(sizes: IntArray, rate: float) -> IntArray:
    """Take a percentage of sizes, rounded down; multiplying first keeps whole numbers exact."""
    share: IntArray = np.floor(sizes * rate / _ALL).astype(np.int64)
    return share


def _places(group: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the place of each document in a random order of its group, from 0."""
    order = np.lexsort((rng.random(len(group)), group))
    ordered = group[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    sizes = np.diff(np.append(starts, len(group)))
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - np.repeat(starts, sizes)
    return place


class Reduction(NamedTuple):
    """How pools are reduced, and how often."""

    method: str
    rates: FloatArray
    n_repeats: int
    nested: bool
    by_grade: bool
    left_out: float


def plan_reduction(
    method: str,
    rates: Sequence[float] | None,
    n_repeats: int,
    nested: bool | None,
    by_grade: bool,
) -> Reduction:
    """Check the options of a reduction, and take the papers' rates by default."""
    choice("method", method, get_args(PoolReduction))
    integer("n_repeats", n_repeats, 1)
    flag("by_grade", by_grade)
    given = _RATES[method] if rates is None else rates
    if method == "depth":
        return Reduction(method, check_depths(given), 1, True, by_grade, np.nan)
    nests = method == "stratified" if nested is None else flag("nested", nested)
    return Reduction(
        method, check_rates(given), n_repeats, nests, by_grade, Qrels.UNSAMPLED
    )


def check_depths(depths: Sequence[float]) -> FloatArray:
    """Return depths of a pool as an array."""
    given = np.asarray(depths, dtype=np.float64)
    if given.ndim != 1 or not len(given):
        raise ValueError(f"rates must hold at least one depth, got {depths!r}.")
    wrong = given[~(given >= 1) | (given != np.floor(given))]
    if len(wrong):
        raise ValueError(f"rates must be depths, integers >= 1, got {wrong[0]:g}.")
    return given


def samples_of(
    plan: Reduction, joined: JoinedRuns, rng: np.random.Generator
) -> Iterator[Mask]:
    """Yield the samples of every rate, then those of the next repeat."""
    qrels: Qrels = joined.qrels
    for _ in range(plan.n_repeats):
        if plan.method == "depth":
            yield from depth_samples(qrels, joined.best_rank(), plan.rates)
        elif plan.method == "random":
            yield from random_samples(qrels, plan.rates, rng, nested=plan.nested)
        else:
            yield from stratified_samples(
                qrels, plan.rates, rng, by_grade=plan.by_grade, nested=plan.nested
            )
