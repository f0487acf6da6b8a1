"""Samples of the pool: stratified, simple random, and of a smaller depth."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from skgraded._support.arguments import choice, flag, integer
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded.studies._scored_systems import blocks_of
from skgraded.trec import JoinedRuns, Qrels, read_qrels

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
    judgments = read_qrels(qrels)
    rates = check_rates([rate])
    rng = np.random.default_rng(random_state)
    choice("method", method, get_args(Sampling))
    flag("by_grade", by_grade)

    if method == "stratified":
        samples = stratified_samples(
            judgments, rates, rng, by_grade=by_grade, nested=True
        )
    else:
        samples = random_samples(judgments, rates, rng, nested=False)
    sample = next(samples)
    grades = np.where(sample, judgments.grades, Qrels.UNSAMPLED)
    return dataclasses.replace(judgments, grades=grades)


def check_rates(rates: Sequence[float]) -> FloatArray:
    """Return percentages as an array."""
    percentages = np.asarray(rates, dtype=np.float64)
    if percentages.ndim != 1 or not len(percentages):
        raise ValueError(f"rates must hold at least one percentage, got {rates!r}.")
    is_percentage = (percentages > 0) & (percentages <= _ALL)
    wrong = percentages[~is_percentage]
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
) -> Iterator[BoolArray]:
    """Yield masks of the documents that are kept at each rate, sampled by topic and stratum."""
    was_judged = _was_judged(qrels)
    is_relevant = qrels.grades > 0
    kind = is_relevant.astype(np.float64)
    if by_grade:
        kind = np.maximum(qrels.grades, 0.0)

    # Documents that were never judged are a stratum of their own.
    kind = np.where(was_judged, kind, -1.0)
    kinds, kind_number = np.unique(kind, return_inverse=True)

    topic = qrels.topic_of_document()
    stratum = kind_number + topic * len(kinds)
    stratum_size = np.bincount(stratum)[stratum]
    fewest = np.where(is_relevant, _FEWEST_RELEVANT, _FEWEST_NONRELEVANT)

    place = _random_places(stratum, rng)
    for rate in rates:
        share = _share(stratum_size, rate)
        n_sampled = np.maximum(fewest, share)
        yield was_judged & (place < n_sampled)
        if not nested:
            place = _random_places(stratum, rng)


def random_samples(
    qrels: Qrels, rates: FloatArray, rng: np.random.Generator, *, nested: bool
) -> Iterator[BoolArray]:
    """Yield masks of the documents that are kept at each rate, with a relevant one per topic."""
    was_judged = _was_judged(qrels)
    topic = qrels.topic_of_document()
    topic_of_judged = topic[was_judged]
    n_judged_of_topics = np.bincount(topic_of_judged, minlength=qrels.n_topics)
    n_judged = n_judged_of_topics[topic]
    shares = [_share(n_judged, rate) for rate in rates]
    sample_sizes = [np.maximum(1, share) for share in shares]

    first_size = sample_sizes[0]
    if nested:
        # If the smallest sample holds a relevant document, all of them do.
        first_size = np.min(sample_sizes, axis=0)
    place = _places_with_relevant(qrels, was_judged, first_size, rng)
    yield was_judged & (place < sample_sizes[0])
    for sample_size in sample_sizes[1:]:
        if not nested:
            place = _places_with_relevant(qrels, was_judged, sample_size, rng)
        yield was_judged & (place < sample_size)


def _places_with_relevant(
    qrels: Qrels, was_judged: BoolArray, sample_size: IntArray, rng: np.random.Generator
) -> IntArray:
    """Shuffle each topic until a relevant document is among the first ones, the sample."""
    topic = qrels.topic_of_document()
    is_relevant = was_judged & (qrels.grades > 0)
    n_topics = qrels.n_topics
    n_relevant = np.bincount(topic[is_relevant], minlength=n_topics)
    has_relevant = n_relevant > 0

    def lacks_relevant() -> BoolArray:
        """Find the topics that have relevant documents, but none in the sample."""
        is_hit = is_relevant & (place < sample_size)
        n_hits = np.bincount(topic[is_hit], minlength=n_topics)
        return has_relevant & (n_hits == 0)

    # Documents that were never judged go last.
    group = topic * 2 + ~was_judged
    place = _random_places(group, rng)
    is_lacking = lacks_relevant()
    while is_lacking.any():
        is_drawn_again = is_lacking[topic]
        lacking_group = group[is_drawn_again]
        place[is_drawn_again] = _random_places(lacking_group, rng)
        is_lacking = lacks_relevant()
    return place


def depth_samples(
    qrels: Qrels, best_rank: IntArray, depths: FloatArray
) -> Iterator[BoolArray]:
    """Yield masks of the documents in a pool of each depth, given their best ranks in the runs."""
    was_judged = _was_judged(qrels)
    for depth in depths:
        yield was_judged & (best_rank <= depth)


def _was_judged(qrels: Qrels) -> BoolArray:
    was_sampled = qrels.grades != Qrels.UNSAMPLED
    return was_sampled & ~np.isnan(qrels.grades)


def _share(sizes: IntArray, rate: float) -> IntArray:
    """Take a percentage of sizes, rounded down; multiplying first keeps whole numbers exact."""
    share = np.floor(sizes * rate / _ALL)
    return np.asarray(share, dtype=np.int64)


def _random_places(group: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the place of each document in a random order of its group, from 0."""
    random = rng.random(len(group))
    order = np.lexsort((random, group))
    sorted_group = group[order]
    starts, sizes = blocks_of(sorted_group)
    starts_of_groups = np.repeat(starts, sizes)
    sorted_place = np.arange(len(group)) - starts_of_groups

    place = np.empty_like(sorted_place)
    place[order] = sorted_place
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
    if rates is None:
        rates = _RATES[method]
    if method == "depth":
        return Reduction(
            method=method,
            rates=check_depths(rates),
            n_repeats=1,
            nested=True,
            by_grade=by_grade,
            left_out=np.nan,
        )

    if nested is None:
        nested = method == "stratified"
    flag("nested", nested)
    return Reduction(
        method=method,
        rates=check_rates(rates),
        n_repeats=n_repeats,
        nested=nested,
        by_grade=by_grade,
        left_out=Qrels.UNSAMPLED,
    )


def check_depths(depths: Sequence[float]) -> FloatArray:
    """Return depths of a pool as an array."""
    values = np.asarray(depths, dtype=np.float64)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"rates must hold at least one depth, got {depths!r}.")
    is_below_one = ~(values >= 1)  # or nan
    is_fractional = values != np.floor(values)
    wrong = values[is_below_one | is_fractional]
    if len(wrong):
        raise ValueError(f"rates must be depths, integers >= 1, got {wrong[0]:g}.")
    return values


def samples_of(
    plan: Reduction, joined: JoinedRuns, rng: np.random.Generator
) -> Iterator[BoolArray]:
    """Yield the samples of every rate, then those of the next repeat."""
    qrels = joined.qrels
    rates = plan.rates
    nested = plan.nested
    for _ in range(plan.n_repeats):
        if plan.method == "depth":
            best_rank = joined.best_rank()
            yield from depth_samples(qrels, best_rank, rates)
        elif plan.method == "random":
            yield from random_samples(qrels, rates, rng, nested=nested)
        else:
            yield from stratified_samples(
                qrels, rates, rng, by_grade=plan.by_grade, nested=nested
            )
