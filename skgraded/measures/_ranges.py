"""How far values lie apart: over grades of unjudged documents, over orders of tied documents."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support import arguments as _params
from skgraded._support.array_types import FloatArray
from skgraded._support.results_base import Field, LongResult, or_blank
from skgraded._support.text import count, first_few
from skgraded.measures._catalogue import (
    Measures,
    measure as to_measure,
    measures_by_name,
)
from skgraded.measures._evaluate import are_of_systems, evaluate
from skgraded.measures._measure import Measure, rankings_for, warn_of_continuous_scale
from skgraded.measures.blend import Blend
from skgraded.rankings import Judgments, Rankings, Ties, as_rankings
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
    judged = to_measure(measure)
    _require_one_system(y_score, "bounds(measure, y_true, scores, qid=qid)")
    rankings = as_rankings(y_true, y_score, qid, sample_weight)
    parts = _parts(judged)
    judgments = rankings.judgments
    for part in parts:
        _require_bounds(part)
    if max_grade is None:
        max_grade = max(_highest_grade(part, judgments) for part in parts)
        are_fractional = judgments.has_fractional_grades
        warn_of_continuous_scale(
            [judged], judgments.top_grade, are_fractional=are_fractional
        )
    top = _params.integer("max_grade", max_grade, 1)
    of_scale = judged.resolve(max(top, judgments.top_of_scale))
    as_zero, as_top = (
        of_scale.per_query(_judge_all(rankings, grade, top)) for grade in (0, top)
    )
    return Bounds(*(as_zero, as_top)[:: parts[0]._changes_with_grades])


def _require_one_system(y_score: Any, call: str) -> None:
    if are_of_systems(y_score):
        raise TypeError(
            "y_score must be the scores of one system, got those of several, as "
            f"{type(y_score).__name__}: write {{name: {call} for name, scores in y_score.items()}}."
        )


def _require_bounds(measure: Measure) -> None:
    worst = measure._fields["empty"].default
    reasons = {
        "its divisor changes with the judgments": not measure._changes_with_grades
        or measure.normalize,
        "the list itself changes with the judgments": measure.unjudged == "condense",
        f"empty must be {worst!r}, the worst value, got {measure.empty!r}": measure.empty
        != worst,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(f"{measure} has no bounds over judgments: {reason}.")


def _highest_grade(measure: Measure, judgments: Judgments) -> int:
    """Return the top grade that the measure states, or else the highest grade in the data."""
    gain = getattr(measure, "gain", "")
    max_grade = getattr(measure, "max_grade", None)
    if max_grade is not None:
        return int(max_grade)
    if not isinstance(gain, str):
        return len(gain)
    return max(math.ceil(getattr(measure, "rel", 1)), judgments.top_of_scale)


def _judge_all(rankings: Rankings, grade: int, top_grade: int) -> Rankings:
    """Give all unjudged documents of the lists the same grade, on a scale up to `top_grade`."""
    before = rankings.judgments
    grades = np.union1d(before.grades, [float(grade), float(top_grade)])
    level_of = np.searchsorted(grades, np.append(before.grades, [grade, grade]))
    level_of = level_of.astype(np.int32)
    # A given pool may hold unretrieved documents; additional documents of grade 0 do not change it.
    pool = (
        before.pool._replace(levels=level_of[before.pool.levels])
        if grade == 0
        else None
    )
    levels = level_of[before.levels]
    qid = before.qid
    weights = before.weights
    judgments = Judgments.of_lists(
        levels, before.indptr, grades, pool, qid=qid, weights=weights
    )
    return Rankings(judgments, rankings.order, rankings.tied, rankings.n_threads)


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
    are_bounds: NDArray[np.bool_]
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
        beyond = [
            name
            for name, each in zip(self.measures, self.are_bounds, strict=True)
            if not each
        ]
        if beyond:
            notes.append(
                f"Other orders of tied documents may have smaller or larger values of "
                f"{first_few(beyond)}: lowest and highest grades first are not bounds."
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
    named = measures_by_name(measures)
    _require_one_system(y_score, "tie_report(measures, y_true, scores, qid=qid)")
    rankings = rankings_for(named.values(), y_true, y_score, qid)
    named = {
        name: each.resolve(rankings.judgments.top_of_scale)
        for name, each in named.items()
    }
    rules = {"nonrelevant", *(_parts(each)[0].unjudged for each in named.values())}
    tied_before = {rule: _tied_before(rankings, rule) for rule in rules}
    n_tied_before, indptr = tied_before["nonrelevant"]
    return TieReport(
        measures=tuple(named),
        expected=_means(named, rankings, "expected"),
        lowest_first=_means(named, rankings, "pessimistic"),
        highest_first=_means(named, rankings, "optimistic"),
        are_bounds=np.array([_are_bounds(each) for each in named.values()]),
        tied_share=np.array(
            [_tied_share(each, tied_before) for each in named.values()]
        ),
        n_queries=len(indptr) - 1,
        n_tied_queries=int(np.count_nonzero(np.diff(n_tied_before[indptr]))),
    )


def _means(named: dict[str, Measure], rankings: Rankings, rule: Ties) -> FloatArray:
    """Return the means under one rule; nan for measures that do not have it."""
    able = {
        name: _under(rule, each) for name, each in named.items() if _has(rule, each)
    }
    means = evaluate(able, rankings).mean() if able else {}
    return np.array([means.get(name, np.nan) for name in named])


def _has(rule: Ties, measure: Measure) -> bool:
    return rule != "expected" or all(
        part._averages_over_ties for part in _parts(measure)
    )


def _parts(measure: Measure) -> list[Measure]:
    return [part for part, _ in measure._weighted_parts]


@lru_cache(maxsize=256)  # to make a measure takes as long as to score a few short lists
def _under(rule: Ties, measure: Measure) -> Measure:
    """Return a measure under a rule for ties, if it has one."""
    if isinstance(measure, Blend):
        return Blend([(_under(rule, part), weight) for part, weight in measure.parts])
    if rule == measure.ties or "ties" in measure._refuses:
        return measure
    return measure._replace(ties=rule)


def _are_bounds(measure: Measure) -> bool:
    """Whether grades in order are known to give the smallest and the largest value."""
    return all(
        kind.__module__.startswith("skgraded.") and kind.__name__ not in _BEYOND_GRADES
        for kind in map(type, _parts(measure))
    )


def _tied_before(
    rankings: Rankings, unjudged: Any
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many tied documents stand before each position, and where the queries begin."""
    ranked = rankings.ranked("row_order", unjudged)
    is_tied = ranked.tied.astype(bool)
    is_tied[:-1] |= ranked.tied[1:].astype(bool)
    return np.append(0, np.cumsum(is_tied)), ranked.indptr


def _tied_share(measure: Measure, tied_before: dict[Any, Any]) -> float:
    """Return the share of tied ranks down to the deepest cut-off of the measure's parts."""
    parts = _parts(measure)
    before, indptr = tied_before[parts[0].unjudged]
    depths = [len(before) if part.k is None else part.k for part in parts]
    shown = np.minimum(np.diff(indptr), max(depths))
    n_tied = before[indptr[:-1] + shown] - before[indptr[:-1]]
    shares = np.divide(n_tied, shown, out=np.zeros(len(shown)), where=shown > 0)
    return float(shares.mean())
