"""Comparison of systems by paired tests over the queries for which all of them have a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded._intervals.paired import PairedTest
from skgraded._intervals.tail import Tail
from skgraded._support.arguments import choice
from skgraded._support.array_types import FloatArray
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._differences import Differences, differences_of_pairs, read_off
from skgraded.comparison._input import (
    ComparisonInput,
    comparison_input,
    scores_of_rankers,
)
from skgraded.comparison._judge import (
    POPULATIONS,
    Judged,
    estimates,
    judged_scores,
    means_that_subtract,
    with_notes,
)
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._notes import with_words
from skgraded.comparison._test_plan import (
    ABLE,
    Margin,
    TestPlan,
    asked_margin,
    named_tests,
    test_plan,
)
from skgraded.comparison._worst import Worst, bounds_by_worst, check_losses
from skgraded.measures import Measures


def compare(
    rankers: Any,
    X: Any = None,
    y: Any = None,
    *,
    qid: ArrayLike | None = None,
    measures: Measures | None = None,
    baseline: str | None = None,
    margin: Margin = None,
    better: bool = False,
    worst: Worst = None,
    looks: Sequence[int] | None = None,
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
    margin : float or mapping of measure to float, optional
        How far systems may fall behind the baseline: see ``decisions`` of the result. 0 is to be
        better. Several measures must all hold, and are not corrected for their number.
    better : bool, default=False
        Whether to decide that systems are better than the baseline.
    worst : float or mapping of measure to float, optional
        The largest loss of one query that is allowed for, up to 1, everything. By default half of
        the measure's range, and all of it with a margin, where values are only 0 and 1, or where a
        difference beyond half was seen. Without a baseline either system may lose as much. Of a
        measure without a range it is a share of that of the values.
    looks : list of int, optional
        Numbers of queries at which you planned to look, such as ``[100, 300, 600]``. Together they
        err as often as one comparison does.
    cluster : mapping, optional
        Cluster of each query by its id, where queries vary together, such as those of one person.
        By default ``Scores.clusters``.
    judge : Scores, mapping of str to Scores, or list of either, optional
        Values by the labels of a judge, such as a language model, for these queries and more. It
        never saw the human labels of these queries. Of a list, a query has the mean of its judges.
    population : {"like_these", "these"}, default="like_these"
        Whether a judge's differences are over more such queries, or these alone.
    tests : str or list of str, optional
        Tests whose p-values stand beside that of the interval: some of ``"t"``,
        ``"randomization"``, ``"bootstrap"``, ``"wilcoxon"`` and ``"tukey"``. With clusters,
        repeats, weights or a judge, t alone.
    correction : {"bonferroni", "holm", "bh", "none"}, optional
        Correction for the number of pairs and measures. By default Bonferroni's, of intervals and
        p-values alike, and more pairs than squared queries are not decided. Holm's, and Benjamini
        and Hochberg's, are of p-values alone.
    confidence : float, default=0.95
        Confidence of the intervals. Differences are significant where the interval excludes 0,
        which is where the p-value is below 1 - confidence.
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
        If there are fewer than two systems or queries, values do not fit each other, a query loses
        more than ``worst``, a judge's values are those of the human labels, or an argument is not
        as described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on queries in X, or a judge has seen human labels.
    UnhelpfulJudgeWarning
        If a judge makes no interval narrower.
    UnlikeQueriesWarning
        If a judge's values differ where there are human labels.
    UnjudgedDocumentsWarning
        If a verdict is not taken, since it favours a system whose first documents are judged more.
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
    good - bad     +0.3956  [+0.2141, +0.4521]   0.0006
    good - bad: 12 wins, 0 ties, 0 losses, holds up to a loss of 1.00.
    12 queries, level 0.05; intervals and p-values allow for 3 in 12 queries of a
      kind not seen, each losing half of the range (worst=0.5).
    """
    margin = asked_margin(margin, better=better)
    scores = scores_of_rankers(rankers, X, y, qid, measures)
    judged = None
    if judge is None:
        choice("population", population, POPULATIONS[:1], alternative=" without judge=")
    else:
        choice("population", population, POPULATIONS)
        judged = judged_scores(judge, scores, cluster)

    data = comparison_input(scores, cluster, baseline)
    plan = test_plan(
        data,
        margin=margin,
        worst=worst,
        looks=looks,
        tests=named_tests(tests, only_able=judged is not None or data.more_varies),
        correction=correction,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    if judged is not None:
        return _with_judge(data, judged, plan, population)
    return _comparison(data, plan, differences_of_pairs(data, plan.losses))


def _with_judge(
    data: ComparisonInput, judged: Judged, plan: TestPlan, population: str
) -> Comparison:
    """Compare by human labels and a judge's."""
    of_pairs = judged.differences(data.pairs)
    directions = np.array(data.scores.directions)[:, None]
    losses = plan.losses.of_measures((slice(None), None))
    bounds = bounds_by_worst(of_pairs.human, directions, losses)
    of_pairs = of_pairs._replace(bounds=(bounds.lowest, bounds.highest))
    judged_pairs, estimate = estimates(of_pairs, plan.confidence, population)
    shape = bounds.worst.shape
    tail = estimate.tail()
    tail = tail.each(lambda array: array.reshape(shape))
    weights = of_pairs.human_weights
    differences = read_off(tail, of_pairs.human, directions, bounds, weights)

    judged_systems, _ = estimates(judged, plan.confidence, population)
    means = means_that_subtract(judged_systems.estimate, data.pairs, tail.value.T)

    # The interval that stands in the comparison is the only one.
    corrected_tail = tail._replace(times=plan.times(data))
    interval = corrected_tail.interval(plan.confidence)
    judged_pairs = replace(judged_pairs, interval=interval.swapaxes(0, 1))
    judge = with_notes(judged_pairs, of_pairs, judged)
    return _comparison(data._replace(means=means), plan, differences, judge)


def _comparison(
    data: ComparisonInput,
    plan: TestPlan,
    differences: Differences,
    judge: JudgedEstimates | None = None,
) -> Comparison:
    """Put together what is found."""
    check_losses(data, plan.losses, differences.bounds)
    tail = differences.tail._replace(times=plan.times(data))

    comparison = Comparison(
        systems=data.scores.systems or (),
        measures=data.scores.measures,
        directions=data.scores.directions,
        means=data.means,
        judged_share=data.judged_share,
        pairs=data.pairs,
        difference=tail.value.T,
        interval=tail.interval(plan.confidence).swapaxes(0, 1),
        standard_error=tail.error.T,
        effect_size=differences.effect_size.T,
        wins=differences.wins.T,
        ties=differences.ties.T,
        losses=differences.losses.T,
        p_value=_p_values(data, plan, tail),
        correction=plan.correction,
        times=tail.times,
        look_factor=plan.look_factor,
        confidence=plan.confidence,
        baseline=data.baseline,
        margins=plan.margins,
        worst=differences.bounds.worst.T,
        n_queries=data.n_queries,
        judge=judge,
        tested="",
        notes=(),
        _tail=tail.each(np.transpose),
        _largest_loss=differences.bounds.largest_loss.T,
        _largest_gain=differences.bounds.largest_gain.T,
        _ranges=plan.losses.ranges[None],
    )
    return with_words(comparison, data, plan)


def _p_values(
    data: ComparisonInput, plan: TestPlan, tail: Tail
) -> dict[str, FloatArray]:
    """Return the p-values of the intervals, and then those of other tests."""
    p_values = {"score": tail.p_value()}
    if not plan.is_decided:
        p_values["score"] = np.full(tail.value.shape, np.nan)
    elif plan.correction != "bonferroni":
        # A correction of p-values alone is of the tails of the queries seen, too.
        of_seen = tail._replace(lowest=None, highest=None).p_value()
        corrected = plan.corrected(of_seen, is_joint=False)
        p_values["score"] = np.maximum(corrected, p_values["score"])

    for test in plan.tests:
        if test.name in ABLE:
            of_test = tail.students_p_value()
        else:
            of_test = _p_values_of_test(data, plan, test)
        of_test = np.minimum(plan.look_factor * of_test, 1.0)
        p_values[test.name] = plan.corrected(of_test, is_joint=test.takes_systems)
    return {name: array.T for name, array in p_values.items()}


def _p_values_of_test(
    data: ComparisonInput, plan: TestPlan, test: PairedTest
) -> FloatArray:
    """Return the p-values of a test that knows nothing of estimates."""
    p_values = np.empty((len(data.values), len(data.pairs)))
    for place, is_compared in enumerate(data.is_compared):
        # What concerns all systems at once does not depend on the order in which they are given.
        better_means = data.scores.directions[place] * data.means[:, place]
        order = np.argsort(-better_means, kind="stable")
        rank = np.argsort(order)

        values = data.values[place, order, 0]
        p_values[place] = test.p_values(
            values=values[:, is_compared],
            pairs=rank[data.pairs],
            n_resamples=plan.n_resamples,
            rng=plan.rng,
        )
    return p_values
