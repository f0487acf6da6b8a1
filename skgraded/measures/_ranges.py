"""How far values lie apart: over grades of unjudged documents, over orders of tied documents."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded import _core
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.results_base import Field, LongResult, or_blank
from skgraded._support.text import count, first_few
from skgraded.measures._catalogue import (
    Measures,
    measure as to_measure,
    measures_by_name,
)
from skgraded.measures._evaluate import are_of_systems, evaluate
from skgraded.measures._measure import Measure, rankings_for
from skgraded.measures._positions import sums_from_zero
from skgraded.measures._scales import warn_of_continuous_scale
from skgraded.measures.blend import Blend
from skgraded.rankings import Judgments, Rankings, Ties, Unjudged, as_rankings
from skgraded.results import Scores


class Bounds(NamedTuple):
    """Smallest and largest values over all possible grades of unjudged documents.

    Attributes
    ----------
    smallest : Scores
        The smallest value of each query.
    largest : Scores
        The largest value of each query.
    """

    smallest: Scores
    largest: Scores


def bounds(
    measure: Measure | str,
    y_true: ArrayLike | Judgments | Rankings,
    y_score: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    max_grade: int | None = None,
) -> Bounds:
    """Return the smallest and largest values over all possible grades of unjudged documents.

    A measure has bounds if a higher grade of any document can only raise its value, or can
    only lower it. That holds for precision, cumulated gain and cascades. It does not hold for
    measures that divide by a property of the pool, such as recall, AP and nDCG: another
    relevant document also raises the divisor, so that the value may fall.

    Parameters
    ----------
    measure : Measure or str
        The measure.
    y_true : array-like of shape (n_documents,), Judgments or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or `Judgments`, without `qid` and
        `sample_weight`, or a `Rankings`, without `y_score`, either.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    max_grade : int, optional
        Highest grade that an unjudged document can get. The default is the top grade that the
        measure states, or else the highest grade in y_true, rounded up.

    Returns
    -------
    Bounds
        The smallest and the largest value of each query.

    Raises
    ------
    ValueError
        If the measure has no bounds with these fields; the message gives the reason.

    Examples
    --------
    >>> from skgraded.measures import bounds
    >>> smallest, largest = bounds("P@2", [1, float("nan"), 0], [3, 2, 1])
    >>> smallest.mean(), largest.mean()
    ({'P@2': 0.5}, {'P@2': 1.0})
    """
    bounded = to_measure(measure)
    _require_one_system(y_score, "bounds(measure, y_true, scores, qid=qid)")
    rankings = as_rankings(y_true, y_score, qid, sample_weight)
    judgments = rankings.judgments
    components = _components(bounded)
    for component in components:
        _require_bounds(component)

    if max_grade is None:
        max_grade = max(
            _highest_grade(component, judgments) for component in components
        )
        warn_of_continuous_scale(
            [bounded],
            judgments.top_grade,
            are_fractional=judgments.has_fractional_grades,
        )
    top = _params.integer("max_grade", max_grade, 1)

    resolved = bounded.resolve(max(top, judgments.top_of_scale))
    with_zeros = resolved.per_query(_judge_all(rankings, 0, top))
    with_tops = resolved.per_query(_judge_all(rankings, top, top))
    if components[0]._changes_with_grades < 0:
        return Bounds(smallest=with_tops, largest=with_zeros)
    return Bounds(smallest=with_zeros, largest=with_tops)


def _require_one_system(y_score: Any, call: str) -> None:
    if are_of_systems(y_score):
        raise TypeError(
            "y_score must be the scores of one system, got those of several, as "
            f"{type(y_score).__name__}: write {{name: {call} for name, scores in y_score.items()}}."
        )


def _require_bounds(measure: Measure) -> None:
    """Raise where a higher grade may raise the value as well as lower it."""
    worst = measure._fields["empty"].default
    if not measure._changes_with_grades or measure.normalize:
        reason = "its divisor changes with the judgments"
    elif measure.unjudged == "condense":
        reason = "the list itself changes with the judgments"
    elif measure.empty != worst:
        reason = f"empty must be {worst!r}, the worst value, got {measure.empty!r}"
    else:
        return
    raise ValueError(f"{measure} has no bounds over judgments: {reason}.")


def _highest_grade(measure: Measure, judgments: Judgments) -> int:
    """Return the top grade that the measure states, or else the highest grade in the data."""
    max_grade = getattr(measure, "max_grade", None)
    if max_grade is not None:
        return int(max_grade)

    gain = getattr(measure, "gain", "")
    if not isinstance(gain, str):
        return len(gain)
    rel = getattr(measure, "rel", 1)
    return max(math.ceil(rel), judgments.top_of_scale)


def _judge_all(rankings: Rankings, grade: int, top_grade: int) -> Rankings:
    """Give all unjudged documents of the lists the same grade, on a scale up to `top_grade`."""
    judgments = rankings.judgments
    stated_grades = [float(grade), float(top_grade)]
    grades = np.union1d(judgments.grades, stated_grades)

    # The two levels after the grades mark unjudged documents.
    grade_by_level = np.append(judgments.grades, [grade, grade])
    new_level = np.searchsorted(grades, grade_by_level).astype(np.int32)

    # A pool may hold unretrieved documents; additional documents of grade 0 do not change it.
    pool = None
    if grade == 0:
        pool = judgments.pool
        pool = pool._replace(levels=new_level[pool.levels])

    fully_judged = Judgments.of_lists(
        new_level[judgments.levels],
        judgments.indptr,
        grades,
        pool,
        qid=judgments.qid,
        weights=judgments.weights,
    )
    return Rankings(fully_judged, rankings.order, rankings.tied, rankings.n_threads)


# Measures for which some order of tied documents lies outside the values with the lowest and the
# highest grades first: a test finds one for each, and none for the others.
_BEYOND_GRADES = frozenset(
    ["BPM", "EBR", "G", "NCU", "PMeasure", "PPlus", "RankedHalfLife", "RprefN", "xGAP"]
)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TieReport(LongResult):
    """Means of measures over the orders of tied documents.

    `to_frame` has one row per measure, with the columns measure, expected, lowest_first,
    highest_first, are_bounds and tied_share.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    expected : ndarray of shape (n_measures,)
        Exact mean over all orders of tied documents; nan for a measure without that mean.
    lowest_first, highest_first : ndarray of shape (n_measures,)
        Means with tied documents in the order of their grades, the lowest or the highest first.
    are_bounds : ndarray of shape (n_measures,), bool
        Whether no order of tied documents has a value outside these two. It is False where that is
        not known, as of measures that users have written.
    tied_share : ndarray of shape (n_measures,)
        Share of the ranks down to the measure's cut-off whose document is tied with another one of
        its query, mean over the queries. The other one may be below the cut-off.
    n_queries : int
        Number of queries.
    n_tied_queries : int
        Number of queries with tied documents.
    """

    measures: tuple[str, ...]
    expected: FloatArray
    lowest_first: FloatArray
    highest_first: FloatArray
    are_bounds: BoolArray
    tied_share: FloatArray
    n_queries: int
    n_tied_queries: int

    def _fields(self) -> list[Field]:
        mean = or_blank("{:.4f}", "-")
        return [
            Field("measure", self.measures, "measure"),
            Field("expected", self.expected, "expected", mean),
            Field("lowest_first", self.lowest_first, "lowest first", mean),
            Field("highest_first", self.highest_first, "highest first", mean),
            Field("are_bounds", self.are_bounds),
            Field("tied_share", self.tied_share, "tied", "{:.0%}"),
        ]

    def _sentences(self) -> list[str]:
        queries = count(self.n_queries, "query", "queries")
        notes = [f"{self.n_tied_queries} of {queries} with tied documents."]

        names_without_bounds = list(compress(self.measures, ~self.are_bounds))
        if names_without_bounds:
            notes.append(
                f"Other orders of tied documents may have smaller or larger values of "
                f"{first_few(names_without_bounds)}: lowest and highest grades first are not "
                "bounds."
            )
        return notes


def tie_report(
    measures: Measures,
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
) -> TieReport:
    """Tell how much of the values tied documents decide.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures; their own rule for ties is ignored.
    y_true : array-like of shape (n_documents,) or Rankings
        Grades, as in `evaluate`; or a `Rankings`, without the other arguments.
    y_score : array-like of shape (n_documents,), optional
        Scores; documents of a query with the same score are tied.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows form one query.

    Returns
    -------
    TieReport
        The expected value, the values with the lowest and the highest grades first, and the share
        of the ranks that is tied.

    Raises
    ------
    ValueError
        If an array or a measure is invalid.

    See Also
    --------
    evaluate : Values under the rule for ties of each measure.

    Notes
    -----
    For most measures, every order of tied documents has a value between the values with the lowest
    and with the highest grades first; the latter is the smaller of the two for measures such as
    ``FDR``. ``BPM``, ``EBR``, ``G``, ``NCU``, ``PMeasure``, ``PPlus``, ``RankedHalfLife``,
    ``RprefN`` and ``xGAP`` are the exceptions, which ``are_bounds`` and a note mark. `ADM` compares
    scores and has one value for all orders.

    Examples
    --------
    >>> from skgraded.measures import tie_report
    >>> tie_report(["nDCG@2", "AP", "xGAP(g=[0.1,0.9])"], [2, 0, 1, 0], [0.9, 0.5, 0.5, 0.1])
    measure            expected  lowest first  highest first  tied
    nDCG@2               0.8801        0.7602         1.0000   50%
    AP                   0.9167        0.8333         1.0000   50%
    xGAP(g=[0.1,0.9])    0.9917        0.9833         1.0000   50%
    1 of 1 query with tied documents.
    Other orders of tied documents may have smaller or larger values of
      xGAP(g=[0.1,0.9]): lowest and highest grades first are not bounds.
    """
    by_name = measures_by_name(measures)
    _require_one_system(y_score, "tie_report(measures, y_true, scores, qid=qid)")
    rankings = rankings_for(by_name.values(), y_true, y_score, qid)

    top_of_scale = rankings.judgments.top_of_scale
    resolved = {
        name: measure.resolve(top_of_scale) for name, measure in by_name.items()
    }
    are_bounds = [_are_bounds(measure) for measure in resolved.values()]

    rules = {"nonrelevant", *map(_unjudged_rule, resolved.values())}
    tied_before = {rule: _tied_before(rankings, rule) for rule in rules}
    tied_shares = [_tied_share(measure, tied_before) for measure in resolved.values()]
    n_tied_before, indptr = tied_before["nonrelevant"]
    n_tied_of_query = np.diff(n_tied_before[indptr])
    n_tied_queries = np.count_nonzero(n_tied_of_query)
    return TieReport(
        measures=tuple(resolved),
        expected=_means(resolved, rankings, "expected"),
        lowest_first=_means(resolved, rankings, "pessimistic"),
        highest_first=_means(resolved, rankings, "optimistic"),
        are_bounds=np.array(are_bounds),
        tied_share=np.array(tied_shares),
        n_queries=len(n_tied_of_query),
        n_tied_queries=int(n_tied_queries),
    )


def _means(measures: dict[str, Measure], rankings: Rankings, rule: Ties) -> FloatArray:
    """Return the means under one rule; nan for measures that do not have it."""
    ruled = {}
    for name, measure in measures.items():
        if rule != "expected" or _averages_over_ties(measure):
            ruled[name] = _with_ties(rule, measure)

    means = {}
    if ruled:
        means = evaluate(ruled, rankings).mean()
    means_of_all = [means.get(name, np.nan) for name in measures]
    return np.array(means_of_all)


def _averages_over_ties(measure: Measure) -> bool:
    return all(component._averages_over_ties for component in _components(measure))


def _components(measure: Measure) -> list[Measure]:
    """Return the parts of a blend, or the measure alone."""
    return [component for component, _ in measure._weighted_parts]


def _unjudged_rule(measure: Measure) -> Unjudged:
    return _components(measure)[0].unjudged


@lru_cache(maxsize=256)  # to make a measure takes as long as to score a few short lists
def _with_ties(rule: Ties, measure: Measure) -> Measure:
    """Return a measure under a rule for ties, if it has one."""
    if isinstance(measure, Blend):
        ruled_parts = [
            (_with_ties(rule, part), weight) for part, weight in measure.parts
        ]
        return Blend(ruled_parts)
    if rule == measure.ties or "ties" in measure._refuses:
        return measure
    return measure.replace(ties=rule)


def _are_bounds(measure: Measure) -> bool:
    """Whether grades in order are known to give the smallest and the largest value."""
    return all(
        kind.__module__.startswith("skgraded.") and kind.__name__ not in _BEYOND_GRADES
        for kind in map(type, _components(measure))
    )


def _tied_before(rankings: Rankings, unjudged: Unjudged) -> tuple[IntArray, IntArray]:
    """Return how many tied documents stand before each position, and where the queries begin."""
    ranked = rankings.ranked("row_order", unjudged)
    is_tied_with_previous = ranked.tied.astype(bool)

    is_tied = is_tied_with_previous.copy()
    is_tied[:-1] |= is_tied_with_previous[1:]
    n_tied_before = sums_from_zero(is_tied)
    return n_tied_before, ranked.indptr


def _tied_share(
    measure: Measure, tied_before: dict[Unjudged, tuple[IntArray, IntArray]]
) -> float:
    """Return the share of tied ranks down to the deepest cut-off of the measure's parts."""
    n_tied_before, indptr = tied_before[_unjudged_rule(measure)]
    components = _components(measure)
    cutoffs = [component.k or _core.LAST_RANK for component in components]
    n_ranks = np.minimum(np.diff(indptr), max(cutoffs))

    first = indptr[:-1]
    end = first + n_ranks
    n_tied = n_tied_before[end] - n_tied_before[first]

    shares = np.zeros(len(n_ranks))
    np.divide(n_tied, n_ranks, out=shares, where=n_ranks > 0)
    return float(shares.mean())
