"""Comparison of systems by paired tests over the queries for which all of them have a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._intervals.estimate import SURE, Estimate, means, sums_by_cluster
from skgraded._intervals.paired import CORRECTIONS, N_RESAMPLES, effect_size, paired_differences
from skgraded._intervals.repeats import over_repeats
from skgraded._support.arguments import choice, fraction, integer
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._given import Given, given_of, ranges, scores_of_rankers
from skgraded.comparison._judge import POPULATIONS, Judged, estimates, judged_scores, with_notes
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._notes import notes_on
from skgraded.comparison._plan import ABLE, Plan, are_too_many, decisions, margin_of, tests_named
from skgraded.measures import Measures

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

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
    r"""Compare systems over the same queries by differences, intervals and paired tests.

    Parameters
    ----------
    rankers : Scores or mapping
        Two or more systems: `Scores` of named systems, as `evaluate`, `skgraded.trec.evaluate` and
        `cross_validate_queries` return them of several; or names and, for each, a fitted model or
        search, which ranks ``X``, a result of `cross_validate_queries`, perhaps of a search (nested
        cross-validation), or `Scores`.
    X : array-like or sparse matrix of shape (n_documents, n_features), optional
        Features of queries that no fitted model was trained on.
    y : array-like of shape (n_documents,), optional
        Their grades, or what `query_target` makes.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them, where neither X nor y holds them.
    measures : str, Measure, list of them, or mapping of str to them, optional
        The measures. By default they are all that the scores have; for fitted models it is that of
        the first model. Scores have values of their own measures only.
    baseline : str, optional
        Name of the system to compare the others with; by default all pairs are compared. Of 20
        systems there are 19 pairs with the baseline, and 190 in all.
    margin : float, optional
        How far a system may fall behind the baseline; above 0, and below the range of the values.
        ``decisions`` of the result then tells for each difference whether that holds, fails or is
        undecided, and ``status`` is the worst of them. It needs a baseline.
    better : bool, default=False
        Whether to decide that systems are better than the baseline, in place of no worse by more
        than a margin.
    cluster : mapping, optional
        The cluster of each query by its id, a dict or a pandas Series: queries that do not vary
        independently, such as those of one person. All tests and intervals then draw clusters. By
        default it is ``Scores.clusters``, and without these every query is by itself.
    judge : Scores, mapping of str to Scores, or list of either, optional
        Values of the same systems by the same measures, by the labels of a judge, such as a
        language model, for the queries of ``rankers`` and more. The values of ``rankers`` are then
        by human labels of few queries, and differences are estimated from both. The judge must
        never have seen the human labels of these queries. Of a list, a query has the mean of those
        judges that labelled it: several judges, or folds, each by a judge that was made without the
        human labels of the queries in it.
    population : {"like_these", "these"}, default="like_these"
        With a judge, whether differences are those over more queries like these, or over these
        queries alone.
    tests : str or list of str, optional
        One or several of ``"score"``, ``"t"``, ``"randomization"``, ``"bootstrap"``,
        ``"wilcoxon"``, ``"sign"`` and ``"tukey"``. The first one decides what is significant. The
        notes describe the tests and the default, ``"score"``.
    correction : {"holm", "bh", "none"}, optional
        Correction of the p-values of each test for their number, that of the pairs times that of
        the measures: Holm's, Benjamini and Hochberg's, or none. Holm's by default.
    confidence : float, default=0.95
        Confidence of the intervals. Differences with p < 1 - confidence are significant.
    n_resamples : int, optional
        Number of resamples of the tests that draw some, 10,000 by default.
    random_state : int, Generator or None, default=0
        Seed of the resamples; None draws others in every call.

    Returns
    -------
    Comparison
        Mean differences, intervals, effect sizes and p-values of all pairs by all measures.

    Raises
    ------
    TypeError
        If a ranker is neither a model nor a result.
    NotFittedError
        If a model is not fitted.
    KeyError
        If the scores lack a measure.
    ValueError
        If there are fewer than two systems, or two queries with values; if systems have values for
        different queries, by different measures, or of different numbers of repeats; if a judge
        lacks systems, measures or queries, or comes with repeats, clusters or tests other than
        score and t; or if an argument is not as described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on queries in X.
    FewDifferencesWarning
        If a difference rests on fewer than 10 queries, or clusters, in which the systems differ.
    UnhelpfulJudgeWarning
        If by no measure intervals with a judge are narrower than those of the human labels alone.
    UnlikeQueriesWarning
        If a judge's values of the queries with human labels differ from those of the others.
    CutQueriesWarning
        If queries in X lack rows, as `query_target`, `query_series` or `query_ids` has counted
        them.

    See Also
    --------
    cross_validate_queries : Values of all queries of a data set, each tested once or several times.
    skgraded.comparison.estimate_means : Means of one system or several, with a judge.
    skgraded.studies.simulate_judgments : How far values vary by chance of the judgments.
    skgraded.studies.compare_assessors : How far values vary from assessor to assessor.
    skgraded.measures.bounds : Values that any labels of unjudged documents lead to.
    skgraded.users.threshold_profile : For which users one system is better than another.

    Notes
    -----
    A difference is that of a system minus the baseline. Without a baseline it is that of the system
    given later minus the one given earlier. All queries count equally, whatever their weights.
    Queries on which some system has no value are left out.

    Intervals reach to the outer end of three [1]_: that of Student's t; that of the second-order
    score, which moves with the skewness of the differences [2]_; and that to which one more query
    would move the mean, with the least or largest difference that the measure allows [3]_. They
    have no seed and no resamples, and are not corrected for the number of differences. Both tails
    are 1.5 to 4 % of nominal 2.5 % from 30 queries on for most differences; the page "Calibration"
    has the figures.

    All tests are two-sided. Those of the mean difference:

    - ``"score"``, the default: the larger p-value of Student's t and of the second-order score.
      Where few queries differ it is surer than the interval, which also holds what was not seen.
    - ``"t"``: Student's paired t test. Over few queries with skewed differences p < .05 too often.
    - ``"bootstrap"``: the bootstrap test by the mean in standard errors [4]_.
    - ``"randomization"``: Fisher's randomisation test [5]_, which supposes that the systems can be
      swapped in any query. It tries all swaps if there are at most ``n_resamples`` of them.
    - ``"tukey"``: the randomised Tukey HSD test [6]_ of all systems at once, which corrects for the
      number of pairs itself. It assumes one variance for all systems: where a few vary
      more, it finds a difference in up to half of the cases where there is none.

    Others do not test the mean:

    - ``"wilcoxon"``: Wilcoxon's signed-rank test of whether differences lie symmetrically around 0.
      Skewed differences do not, although their mean may be 0.
    - ``"sign"``: the sign test of whether as many queries favour the one system as the other.

    With n resamples, no p-value is below 1 / (n + 1) before the correction: 60 systems have 1,770
    pairs, which need 35,400 resamples. A note says where nothing can be significant.

    Corrected p-values do not invert the intervals, which are those of each difference by itself.
    All pairs of so many systems that there are more pairs than squared queries are not decided by
    default: over 30 queries, from 43 systems on; over 100, from 142 on. In simulations over 30 and
    over 50 queries, half of twelve measures of real sets found a difference where there was none
    in 7 % and more from about there on; over 100 queries the median was 5.5 %. Measures of rare
    grades err so with fewer systems. Name a baseline, or a correction.

    With a margin or ``better=True``, decisions go by an interval in which the query not seen counts
    at least a quarter: a regression at the margin passes in at most 4 %.

    These tests and intervals take models as given: the queries vary, the training data do not. The
    intervals of a single cross-validation hold for the models that were trained in it. In
    simulations they covered the mean of new splits and trainings in 95 % where models hardly vary,
    and in 42 to 89 % where they do; a note in the result says so. With repeated
    cross-validations (``cross_validate_queries(..., n_repeats=5)``) a difference has random effects
    of its query and of the models that its fold had in that repeat. The variance of the mean is

    .. math:: \frac{s_q^2 + \min(s_a^2 / 6, (K - 1) s_w^2)}{n_q} + a \max(0, s_f^2),

    where s_q^2 is the variance of the means of the n_q queries over the repeats, s_a^2 what is left
    of it without the noise of the repeats, s_w^2 the variance of a query's differences over the
    repeats, and K the number of folds. s_f^2 is the component of the folds by analysis of variance,
    and a the share with which it enters the mean beyond the first term, about 1 / (repeats times
    folds). So what varies by chance from repeat to repeat averages out. Tests are then the
    score and Student's t, with Satterthwaite's degrees of freedom. With five repeats, each tail
    was at most 2.8 % in simulations, at 1.0 to 1.2 times the width that the true spread needs, and
    1.7 times over 30 queries whose means hardly vary (see the page "Calibration").

    The minimum is an allowance for what the training data of all folds share, which cannot be told
    from chance within one data set [7]_: an estimate is as uncertain as it is large. Models of K
    folds can share no more than (K - 1) s_w^2. The sixth of s_a^2 was chosen by simulations, in
    which it hardly widens the intervals of boosted trees.
    A system that was tested once, such as a fitted model, has the same values in every repeat.

    With a judge, the difference is estimated along the regression line of the human differences on
    the judge's, as `skgraded.comparison.estimate_means` describes; ``judge`` of the result has the
    bias of the judge and how many queries with human labels it is worth. Each pair has a line of
    its own, so that a difference need not be that of the two means shown. Estimates hold whatever
    the bias, if the queries with human labels are drawn at random from the judge's and the judge
    never saw these labels. With half of them seen, intervals of 95 % held in 69, 45 and 13 % of
    simulations, and looked excellent.

    References
    ----------
    .. [1] The first two have the terms of N. Johnson (1978), "Modified t Tests and Confidence
       Intervals for Asymmetrical Populations", JASA 73, Eq. 2.4.
    .. [2] P. Hall (1992), "On the Removal of Skewness by Transformation", JRSS B 54(1).
    .. [3] L. Gaffke (2005), "Three Test Statistics for a Nonparametric One-Sided Hypothesis on the
       Mean of a Nonnegative Variable", Mathematical Methods of Statistics 14(4); E. Learned-Miller,
       P. Thomas (2019), "A New Confidence Interval for the Mean of a Bounded Random Variable",
       arXiv 1905.06208.
    .. [4] T. Sakai (2006), "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR.
    .. [5] M. Smucker, J. Allan, B. Carterette (2007), "A Comparison of Statistical Significance
       Tests for Information Retrieval Evaluation", CIKM.
    .. [6] B. Carterette (2012), "Multiple Testing in Statistical Analysis of Systems-Based
       Information Retrieval Experiments", ACM TOIS 30(1).
    .. [7] Y. Bengio, Y. Grandvalet (2004), "No Unbiased Estimator of the Variance of K-Fold
       Cross-Validation", JMLR 5.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import compare, cross_validate_queries, trec
    >>> from skgraded.datasets import make_ranking
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

    Splits that are drawn three times, and two measures against a baseline:

    >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    >>> features = {"all": X, "half": X[:, ::2], "third": X[:, ::3]}
    >>> given = {"qid": qid, "measures": ["nDCG@10", "AP"], "n_repeats": 3}
    >>> validated = {
    ...     name: cross_validate_queries(Ridge(), each, y, **given)
    ...     for name, each in features.items()
    ... }
    >>> found = compare(validated, baseline="half")
    >>> found.pairs.tolist(), found.difference.shape
    ([[0, 1], [2, 1]], (2, 2))
    """
    scores = scores_of_rankers(rankers, X, y, qid, measures)
    known, where = (POPULATIONS, "") if judge is not None else (POPULATIONS[:1], " without judge=")
    choice("population", population, known, alternative=where)
    judged = None if judge is None else judged_scores(judge, scores, cluster)
    given = given_of(scores, cluster, baseline)
    low, high = ranges(given.values)
    plan = Plan(
        tests_named(tests, only_able=judged is not None or given.values.shape[2] > 1),
        "holm" if correction is None else choice("correction", correction, CORRECTIONS),
        fraction("confidence", confidence),
        N_RESAMPLES if n_resamples is None else integer("n_resamples", n_resamples, 1),
        margin_of(margin, baseline, float((high - low).min()), better=better),
        is_decided=tests is not None or correction is not None or not are_too_many(given),
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


def _of_group(given: Given, group: NDArray[np.intp], plan: Plan, widest: FloatArray) -> _Read:
    """Read what some measures tell, of some pairs at a time."""
    kept, folds = given.is_compared[group[0]], given.scores.folds
    folds = None if folds is None else folds[:, kept]
    values = given.values[group][..., kept]
    clusters = None if given.clusters is None else given.clusters[kept]
    directions = np.array(given.scores.directions)[group]
    at_a_time = max(1, _CELLS_AT_A_TIME // values[:, 0].size)
    parts = []
    for first in range(0, len(given.pairs), at_a_time):
        one, other = given.pairs[first : first + at_a_time].T
        differences = paired_differences(values[:, one], values[:, other])
        found = over_repeats(differences.reshape(-1, *values.shape[2:]), folds, clusters)
        reach = np.repeat(widest, len(one))
        estimate = means(
            found.rows,
            clusters=() if clusters is None else (clusters,),
            part=found.models,
            widening=found.widening,
            bounds=(-reach, reach),
        )
        parts.append(_read(estimate, found.rows.T, clusters, directions, plan))
    return _Read(*(np.concatenate(each, axis=1) for each in zip(*parts, strict=True)))


def _with_judge(given: Given, judged: Judged, plan: Plan, population: str) -> Comparison:
    of_systems, _ = estimates(judged, plan.confidence, population)
    of_pairs = judged.differences(given.pairs)
    told, estimate = estimates(of_pairs, plan.confidence, population)
    labels = of_pairs.human.reshape(-1, of_pairs.human.shape[2])
    read = _read(estimate, labels, None, np.array(given.scores.directions), plan)
    return _comparison(given, plan, read, of_systems.estimate, with_notes(told, of_pairs))


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
    return _Read(*(each.reshape(len(directions), -1, *each.shape[1:]) for each in found))


def _test_otherwise(given: Given, plan: Plan, read: _Read, rng: np.random.Generator) -> None:
    """Fill in the p-values that do not come from an estimate."""
    for column, kept in enumerate(given.is_compared):
        # What concerns all systems at once does not depend on the order in which they are given.
        order = np.argsort(-given.scores.directions[column] * given.means[:, column], kind="stable")
        values, pairs = given.values[column, order, 0][:, kept], np.argsort(order)[given.pairs]
        clusters = None if given.clusters is None else given.clusters[kept]
        for place, test in enumerate(plan.tests):
            if test.name not in ABLE:
                drawn = (plan.n_resamples, rng, clusters)
                read.p_values[column, :, place] = test.p_values(values, pairs, *drawn)


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
