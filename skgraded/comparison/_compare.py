"""Comparison of systems by paired tests over the queries for which all of them have a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._intervals.estimate import SURE, Estimate, sums_by_cluster
from skgraded._intervals.paired import (
    CORRECTIONS,
    N_RESAMPLES,
    effect_size,
    paired_differences,
)
from skgraded._intervals.repeats import over_repeats
from skgraded._support.arguments import choice, fraction, integer
from skgraded._support.array_types import FloatArray, IntArray
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._given import Given, given_of, ranges, scores_of_rankers
from skgraded.comparison._judge import (
    POPULATIONS,
    Judged,
    estimates,
    judged_scores,
    with_notes,
)
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._notes import notes_on
from skgraded.comparison._plan import (
    ABLE,
    Plan,
    are_too_many,
    decisions,
    margin_of,
    tests_named,
)
from skgraded.measures import Measures

# Differences of pairs, repeats and queries that are in memory at the same time: 32 MB.
_CELLS_AT_A_TIME = 4_000_000


def compare(
    rankers: Any,
    X: Any = None,
    y: Any = None,
    *,
    qid: ArrayLike | None = None,
    measures: Measures | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    better: bool = False,
    cluster: Mapping[Any, Any] | None = None,
    judge: Any = None,
    population: str = "like_these",
    tests: str | Iterable[str] | None = None,
    correction: str | None = None,
    confidence: float = 0.95,
    n_resamples: int | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Comparison:
    """Compare systems over the same queries by differences, intervals and paired tests.

    Differences are those of a system minus the baseline, or a system given earlier, over queries on
    which all have values. The page "Is B better, and may I ship it?" of the guide describes
    intervals and tests; "Calibration" shows how often they err.

    Parameters
    ----------
    rankers : Scores or mapping
        `Scores` of two or more systems; or names and, for each, `Scores` or a fitted model.
    X : array-like or sparse matrix of shape (n_documents, n_features), optional
        Features of queries that no fitted model was trained on.
    y : array-like of shape (n_documents,), optional
        Their grades, or what `query_target` makes.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, where neither X nor y holds it.
    measures : str, Measure, list of them, or mapping of str to them, optional
        By default all of the scores, or that of the first fitted model.
    baseline : str, optional
        System to compare the others with; by default all pairs are compared.
    margin : float, optional
        How far systems may fall behind the baseline: see ``decisions`` of the result.
    better : bool, default=False
        Whether to decide that systems are better than the baseline.
    cluster : mapping, optional
        Cluster of each query by its id, where queries vary together, such as those of one person.
        By default ``Scores.clusters``.
    judge : Scores, mapping of str to Scores, or list of either, optional
        Values by the labels of a judge, such as a language model, for these queries and more. It
        never saw the human labels of these queries. Of a list, a query has the mean of its judges.
    population : {"like_these", "these"}, default="like_these"
        Whether a judge's differences are over more such queries, or these alone.
    tests : str or list of str, optional
        Some of ``"score"``, the default, ``"t"``, ``"randomization"``, ``"bootstrap"``,
        ``"wilcoxon"`` and ``"tukey"``. The first decides what is significant. With clusters,
        repeats or a judge, score and t alone.
    correction : {"holm", "bh", "none"}, optional
        Correction of p-values for the number of pairs and measures. By default Holm's, and more
        pairs than squared queries are not decided.
    confidence : float, default=0.95
        Confidence of the intervals. Differences with p < 1 - confidence are significant.
    n_resamples : int, optional
        Resamples of tests that draw some; 10,000 by default.
    random_state : int, Generator or None, default=0
        Their seed.

    Returns
    -------
    Comparison
        Differences, intervals, effect sizes and p-values of pairs by measures.

    Raises
    ------
    TypeError
        If a ranker is neither scores nor a model.
    NotFittedError
        If a model is not fitted.
    KeyError
        If the scores lack a measure.
    ValueError
        If there are fewer than two systems or queries, values do not fit each other, or an argument
        is not as described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on queries in X.
    FewDifferencesWarning
        If systems differ in fewer than 10 queries.
    UnhelpfulJudgeWarning
        If a judge makes no interval narrower.
    UnlikeQueriesWarning
        If a judge's values differ where there are human labels.
    CutQueriesWarning
        If queries in X lack rows.

    Examples
    --------
    >>> from skgraded import compare, trec
    >>> qrels = {f"q{i}": {"d1": 2, "d2": i % 3, "d3": 0} for i in range(12)}
    >>> bad = {topic: {"d1": 1.0, "d2": 2.0, "d3": 3.0} for topic in qrels}
    >>> good = {topic: {"d1": 3.0, "d2": 2.0, "d3": 1.0} for topic in qrels}
    >>> compare(trec.evaluate("nDCG@10", qrels, {"bad": bad, "good": good}))
      system  nDCG@10  beats
    1 good     1.0000  2
    2 bad      0.6044
    <BLANKLINE>
    pair        difference        95% interval  p-value
    good - bad     +0.3956  [+0.2149, +0.4797]  <0.0001
    Second-order score test over 12 queries, level 0.05.
    """
    scores = scores_of_rankers(rankers, X, y, qid, measures)
    known, where = (
        (POPULATIONS, "") if judge is not None else (POPULATIONS[:1], " without judge=")
    )
    choice("population", population, known, alternative=where)
    judged = None if judge is None else judged_scores(judge, scores, cluster)
    given = given_of(scores, cluster, baseline)
    low, high = ranges(given.values)
    more_varies = (
        judged is not None or given.clusters is not None or given.values.shape[2] > 1
    )
    plan = Plan(
        tests_named(tests, only_able=more_varies),
        "holm" if correction is None else choice("correction", correction, CORRECTIONS),
        fraction("confidence", confidence),
        N_RESAMPLES if n_resamples is None else integer("n_resamples", n_resamples, 1),
        margin_of(margin, baseline, float((high - low).min()), better=better),
        is_decided=tests is not None
        or correction is not None
        or not are_too_many(given),
    )
    if judged is not None:
        return _with_judge(given, judged, plan, population)
    read = _by_labels(given, plan, high - low)
    _test_otherwise(given, plan, read, np.random.default_rng(random_state))
    return _comparison(given, plan, read, given.means)


class _Read(NamedTuple):
    """What is read off differences: arrays of shape (n_measures, n_pairs), or with a third axis."""

    difference: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    n_differing: IntArray
    p_values: FloatArray
    decisions: NDArray[np.str_]


def _by_labels(given: Given, plan: Plan, widest: FloatArray) -> _Read:
    """Read all differences; those by measures that have the same queries are one estimate."""
    _, group = np.unique(given.is_compared, axis=0, return_inverse=True)
    groups = [np.flatnonzero(group.ravel() == each) for each in range(group.max() + 1)]
    parts = [_of_group(given, each, plan, widest[each]) for each in groups]
    order = np.argsort(np.concatenate(groups))
    return _Read(*(np.concatenate(each)[order] for each in zip(*parts, strict=True)))


def _of_group(
    given: Given, group: NDArray[np.intp], plan: Plan, widest: FloatArray
) -> _Read:
    """Read what some measures tell, of some pairs at a time."""
    kept = given.is_compared[group[0]]
    folds = given.scores.folds
    folds = None if folds is None else folds[:, kept]
    values = given.values[group][..., kept]
    clusters = None if given.clusters is None else given.clusters[kept]
    directions = np.array(given.scores.directions)[group]
    at_a_time = max(1, _CELLS_AT_A_TIME // values[:, 0].size)
    parts = []
    for first in range(0, len(given.pairs), at_a_time):
        one, other = given.pairs[first : first + at_a_time].T
        differences = paired_differences(values[:, one], values[:, other])
        reach = np.repeat(widest, len(one))
        differences = differences.reshape(-1, *values.shape[2:])
        rows, estimate = over_repeats(
            differences, folds, clusters, bounds=(-reach, reach)
        )
        parts.append(_read(estimate, rows.T, clusters, directions, plan))
    return _Read(*(np.concatenate(each, axis=1) for each in zip(*parts, strict=True)))


def _with_judge(
    given: Given, judged: Judged, plan: Plan, population: str
) -> Comparison:
    of_systems, _ = estimates(judged, plan.confidence, population)
    of_pairs = judged.differences(given.pairs)
    told, estimate = estimates(of_pairs, plan.confidence, population)
    labels = of_pairs.human.reshape(-1, of_pairs.human.shape[2])
    read = _read(estimate, labels, None, np.array(given.scores.directions), plan)
    return _comparison(
        given, plan, read, of_systems.estimate, with_notes(told, of_pairs)
    )


def _read(
    estimate: Estimate,
    of_queries: FloatArray,
    clusters: IntArray | None,
    directions: IntArray,
    plan: Plan,
) -> _Read:
    """Read everything off an estimate of pairs by measures, of which the pairs vary fastest.

    It knows the score test and Student's t, not through their functions in `TESTS`. The p-values of
    other tests are replaced by `_test_otherwise`.
    """
    differs, _ = sums_by_cluster((of_queries != 0.0).astype(np.float64), clusters)
    p_values = [estimate.p_value(skewed=test.name == "score") for test in plan.tests]
    decided = np.full(len(of_queries), "")
    if plan.margin is not None:
        surely = estimate.interval(plan.confidence, least_weight=SURE)
        better = np.repeat(directions, len(of_queries) // len(directions))
        decided = decisions(surely, better, plan.margin)
    found: Any = (
        estimate.value,
        estimate.interval(plan.confidence),
        estimate.error,
        effect_size(of_queries),
        (differs > 0.0).sum(axis=1),
        np.stack(p_values, axis=1),
        decided,
    )
    return _Read(
        *(each.reshape(len(directions), -1, *each.shape[1:]) for each in found)
    )


def _test_otherwise(
    given: Given, plan: Plan, read: _Read, rng: np.random.Generator
) -> None:
    """Fill in the p-values that do not come from an estimate."""
    for column, kept in enumerate(given.is_compared):
        # What concerns all systems at once does not depend on the order in which they are given.
        order = np.argsort(
            -given.scores.directions[column] * given.means[:, column], kind="stable"
        )
        values = given.values[column, order, 0][:, kept]
        pairs = np.argsort(order)[given.pairs]
        for place, test in enumerate(plan.tests):
            if test.name not in ABLE:
                found = test.p_values(values, pairs, plan.n_resamples, rng)
                read.p_values[column, :, place] = found


def _comparison(
    given: Given,
    plan: Plan,
    read: _Read,
    of_systems: FloatArray,
    judge: JudgedEstimates | None = None,
) -> Comparison:
    found = Comparison(
        systems=given.scores.systems or (),
        measures=given.scores.measures,
        directions=given.scores.directions,
        means=of_systems,
        pairs=given.pairs,
        difference=read.difference.T,
        interval=read.interval.swapaxes(0, 1),
        standard_error=read.standard_error.T,
        effect_size=read.effect_size.T,
        n_differing=read.n_differing.T,
        p_value={
            test.name: plan.corrected(test, read.p_values[..., place]).T
            for place, test in enumerate(plan.tests)
        },
        correction=plan.correction,
        confidence=plan.confidence,
        baseline=given.baseline,
        margin=plan.margin,
        decisions=None if plan.margin is None else read.decisions.T,
        n_queries=given.n_queries,
        judge=judge,
        tested=plan.in_words(given, given.over if judge is None else judge._over),
        notes=(),
    )
    return replace(found, notes=tuple(notes_on(found, given, plan)))
