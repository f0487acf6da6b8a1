"""Comparison of systems by paired tests over the queries for which all of them have a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._intervals.clustered import sums_by_cluster
from skgraded._intervals.estimate import SURE, Estimate, means
from skgraded._intervals.paired import effect_size, effect_size_in_residuals, paired_differences
from skgraded._intervals.repeats import over_repeats
from skgraded._params import choice
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._judge import compared_with_judge, judged_or_none, notes_on_judge
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._notes import notes_on, over_in_words
from skgraded.comparison._plan import (
    ABLE,
    Family,
    Plan,
    checked_margin,
    decisions,
    plan_tests,
    range_of,
)
from skgraded.comparison._sources import Judged, scores_of_rankers
from skgraded.measures import Measures
from skgraded.results import Scores, clusters_of, unit_in_words

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_FEWEST = 2  # queries
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
        different queries, by different measures, or of different numbers of repeats; if there are
        too few resamples for any difference to be significant; if a judge lacks systems, measures
        or queries, or comes with repeats, clusters or tests other than score and t; or if an
        argument is not as described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on other documents of the queries in X.
    FewDifferencesWarning
        If a difference rests on fewer than 10 queries, or clusters, in which the systems differ.
    UnhelpfulJudgeWarning
        If by no measure intervals with a judge are narrower than those of the human labels alone.
    UnlikeQueriesWarning
        If a judge's values of the queries with human labels differ from those of the others.
    ThinnedQueriesWarning
        If queries in X lack rows, as `query_target`, `query_series` or `query_ids` has counted
        them.

    See Also
    --------
    cross_validate_queries : Values of all queries of a data set, each tested once or several times.
    skgraded.comparison.estimate_means : Means of one system or several, with a judge.
    skgraded.studies.simulate_judgments : How far values vary by chance of the judgments.
    skgraded.studies.compare_assessors : How far values vary from assessor to assessor.
    skgraded.Measure.bounds : Values that any labels of unjudged documents lead to.
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

    Others do not test the mean, and a note says so:

    - ``"wilcoxon"``: Wilcoxon's signed-rank test of whether differences lie symmetrically around 0.
      Skewed differences do not, although their mean may be 0.
    - ``"sign"``: the sign test of whether as many queries favour the one system as the other.

    Corrected p-values do not invert the intervals, which are those of each difference by itself.
    All pairs of so many systems that there are more pairs than squared queries are not decided by
    default: over 30 queries, from 43 systems on; over 100, from 142 on. From about there on, half
    of twelve measures of real sets found a difference where there was none in more than 7 % of
    simulations, and measures of rare grades do so with fewer systems. Name a baseline, or a
    correction.

    With a margin or ``better=True``, decisions go by an interval in which the query not seen counts
    at least a quarter: a regression at the margin passes in at most 4 %.

    These tests and intervals take models as given: the queries vary, the training data do not. The
    intervals of a single cross-validation hold for the models that were trained in it. In
    simulations they covered the mean of new splits and trainings in 90 to 95 % for trained
    learners, and in 39 to 89 % where models vary much; a note in the result says so. With repeated
    cross-validations (``cross_validate_queries(..., n_repeats=5)``) a difference has random effects
    of its query and of the models that its fold had in that repeat. The variance of the mean is

    .. math:: \frac{s_q^2 + \min(s_a^2 / 6, (K - 1) s_w^2)}{n_q} + a \max(0, s_f^2),

    where s_q^2 is the variance of the means of the n_q queries over the repeats, s_a^2 what is left
    of it without the noise of the repeats, s_w^2 the variance of a query's differences over the
    repeats, and K the number of folds. s_f^2 is the component of the folds by analysis of variance,
    and a the share with which it enters the mean beyond the first term, about 1 / (repeats times
    folds). So what varies by chance from repeat to repeat averages out. Tests are then the
    score and Student's t, with Satterthwaite's degrees of freedom. Five repeats covered 93 to
    97 % in simulations of boosted trees, with 1.0 to 1.2 times the width that the true spread
    needs.

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
    judged = judged_or_none(judge, scores, cluster, population)
    columns = list(_columns(scores, clusters_of(cluster, scores)))
    given = _Given(scores, judged, columns, _pairs(scores.systems or (), baseline), baseline)
    family = given.family()
    widest = min(each.widest for each in columns)
    plan = plan_tests(
        family,
        tests=tests,
        correction=correction,
        confidence=confidence,
        n_resamples=n_resamples,
        margin=checked_margin(margin, baseline, widest, better=better),
    )
    rng = np.random.default_rng(random_state)
    found = _by_labels(given, plan, rng) if judged is None else _with_judge(given, plan, population)
    result = _comparison(given, family, plan, found)
    notes = [*plan.remarks, *notes_on_judge(result.judge)]
    notes += notes_on(result, columns, scores, has_weights=_has_weights(scores, judged))
    return replace(result, notes=tuple(notes))


class _Given(NamedTuple):
    """What is compared."""

    scores: Scores
    judged: Judged | None
    columns: list[_Column]
    pairs: IntArray
    baseline: str | None

    def family(self) -> Family:
        """Return how many p-values there are, and over what."""
        n_repeats = self.columns[0].values.shape[1]
        only_able = f" over {n_repeats} repeats" if n_repeats > 1 else ""
        return Family(
            len(self.pairs),
            len(self.columns),
            min(each.n_units for each in self.columns),
            unit_in_words(self.columns[0].clusters is not None),
            is_of_all_pairs=self.baseline is None,
            only_able=" with judge=" if self.judged is not None else only_able,
        )


class _Found(NamedTuple):
    """Means of systems by measure, what was read off the differences, and the judge's worth."""

    means: FloatArray
    read: _Read
    judge: JudgedEstimates | None


def _comparison(given: _Given, family: Family, plan: Plan, found: _Found) -> Comparison:
    scores, read = given.scores, found.read
    return Comparison(
        systems=scores.systems or (),
        measures=scores.measures,
        directions=scores.directions,
        means=found.means,
        pairs=given.pairs,
        difference=read.difference,
        interval=read.interval,
        standard_error=read.standard_error,
        effect_size=read.effect_size,
        n_differing=read.n_differing,
        p_value={
            test.name: plan.corrected(test, read.p_values[..., place])
            for place, test in enumerate(plan.tests)
        },
        correction=plan.correction,
        confidence=plan.confidence,
        baseline=given.baseline,
        margin=plan.margin,
        decisions=None if plan.margin is None else read.decisions,
        n_queries=tuple(each.values.shape[2] for each in given.columns),
        judge=found.judge,
        tested=plan.in_words(family, over_in_words(given.columns, found.judge)),
        notes=(),
    )


def _has_weights(scores: Scores, judged: Judged | None) -> bool:
    if judged is not None and judged.has_weights:
        return True
    return scores.weights is not None and float(np.ptp(scores.weights)) > 0.0


def _pairs(systems: tuple[str, ...], baseline: str | None) -> IntArray:
    """Return the places of the two systems of each pair; differences are first minus second."""
    if baseline is None:
        given = combinations(range(len(systems)), 2)
        return np.array([(later, earlier) for earlier, later in given])
    place = systems.index(choice("baseline", baseline, systems))
    return np.array([(each, place) for each in range(len(systems)) if each != place])


class _Column(NamedTuple):
    """The values of one measure.

    Attributes
    ----------
    values : ndarray of shape (n_systems, n_repeats, n_compared)
        Values on the queries for which all systems have one; nan in repeats that did not test it.
    over_repeats : ndarray of shape (n_systems, n_compared)
        Their means over the repeats.
    is_compared : ndarray of shape (n_queries,), bool
        Whether all systems have a value.
    direction : int
        1 if more is better, -1 if less is.
    clusters : ndarray of shape (n_compared,), int64, or None
        The cluster of each query.
    folds : ndarray of shape (n_repeats, n_compared), int64, or None
        The split that tested a query in a repeat.
    """

    values: FloatArray
    over_repeats: FloatArray
    is_compared: BoolArray
    direction: int
    clusters: IntArray | None
    folds: IntArray | None

    @property
    def n_units(self) -> int:
        """Number of queries, or of clusters."""
        units = self.over_repeats[0] if self.clusters is None else np.unique(self.clusters)
        return len(units)

    @property
    def means(self) -> FloatArray:
        """Mean of every system."""
        means: FloatArray = self.over_repeats.mean(axis=1)
        return means

    @property
    def widest(self) -> float:
        """Largest difference that a query can have."""
        low, high = range_of(self.values)
        return high - low

    def best_first(self, pairs: IntArray) -> tuple[FloatArray, IntArray]:
        """Return ``over_repeats`` and pairs with the systems in the order of their means.

        What concerns all systems at once then does not depend on the order in which they are given.
        """
        order = np.argsort(-self.direction * self.means, kind="stable")
        return self.over_repeats[order], np.argsort(order)[pairs]


def _columns(scores: Scores, clusters: IntArray | None) -> Iterator[_Column]:
    n_repeats = 1 if scores.folds is None else len(scores.folds)
    cube = scores.values.reshape(-1, n_repeats, scores.n_queries, len(scores))
    for place, (name, direction) in enumerate(zip(scores, scores.directions, strict=True)):
        values = np.ascontiguousarray(cube[..., place])
        is_compared = np.asarray((~np.isnan(values)).all(axis=0).any(axis=0))
        if is_compared.sum() < _FEWEST:
            raise ValueError(
                "Paired tests need at least 2 queries on which every system has a value of "
                f"{name}, got {is_compared.sum()}."
            )
        compared = values[:, :, is_compared]
        column = _Column(
            compared,
            _over_repeats(compared),
            is_compared,
            direction,
            None if clusters is None else clusters[is_compared],
            None if scores.folds is None else scores.folds[:, is_compared],
        )
        if column.n_units < _FEWEST:
            raise ValueError(
                "cluster must hold at least 2 clusters of queries on which every system has a "
                f"value of {name}, got {column.n_units}."
            )
        yield column


def _over_repeats(values: FloatArray) -> FloatArray:
    """Return each query's mean over the repeats that tested it."""
    if values.shape[1] == 1:
        return values[:, 0]
    means: FloatArray = np.nanmean(values, axis=1)
    return means


class _Read(NamedTuple):
    """What is read off differences: arrays with a row for each pair, and then for each measure."""

    difference: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    n_differing: IntArray
    p_values: FloatArray
    decisions: NDArray[np.str_]


def _by_labels(given: _Given, plan: Plan, rng: np.random.Generator) -> _Found:
    read = [_of_measure(each, given.pairs, plan, rng) for each in given.columns]
    of_all = _Read(*(np.stack(each, axis=1) for each in zip(*read, strict=True)))
    return _Found(np.stack([each.means for each in given.columns], axis=1), of_all, None)


def _with_judge(given: _Given, plan: Plan, population: str) -> _Found:
    judged: Any = given.judged
    means, differences, estimate = compared_with_judge(
        judged, given.pairs, plan.confidence, population
    )
    n_pairs, human = len(given.pairs), judged.human_values
    labels = paired_differences(*(human[side] for side in given.pairs.T))
    of_queries = np.moveaxis(labels, 1, 2).reshape(-1, human.shape[1])
    read = _read(estimate, of_queries, None, np.tile(given.scores.directions, n_pairs), plan)
    shaped: Any = (each.reshape(n_pairs, -1, *each.shape[1:]) for each in read)
    return _Found(means, _Read(*shaped), differences)


def _of_measure(column: _Column, pairs: IntArray, plan: Plan, rng: np.random.Generator) -> _Read:
    """Return what is told by one measure, of some pairs at a time."""
    at_a_time = max(1, _CELLS_AT_A_TIME // column.values[0].size)
    parts = []
    for first in range(0, len(pairs), at_a_time):
        one, other = pairs[first : first + at_a_time].T
        differences = paired_differences(column.values[one], column.values[other])
        found = over_repeats(differences, column.folds, column.clusters)
        estimate = means(
            found.rows,
            clusters=() if column.clusters is None else (column.clusters,),
            part=found.models,
            widening=found.widening,
            bounds=(-column.widest, column.widest),
        )
        directions = np.full(len(one), column.direction)
        parts.append(_read(estimate, found.rows.T, column.clusters, directions, plan))
    told = _Read(*map(np.concatenate, zip(*parts, strict=True)))
    values, places = column.best_first(pairs)
    if plan.tests[0].takes_systems:
        told = told._replace(effect_size=effect_size_in_residuals(values, places))
    for place, test in enumerate(plan.tests):
        if test.name not in ABLE:
            drawn = (plan.n_resamples, rng, column.clusters)
            told.p_values[:, place] = test.p_values(values, places, *drawn)
    return told


def _read(
    estimate: Estimate,
    of_queries: FloatArray,
    clusters: IntArray | None,
    directions: IntArray,
    plan: Plan,
) -> _Read:
    """Read everything off an estimate; p-values of tests that it does not know are nan."""
    differs, _ = sums_by_cluster((of_queries != 0.0).astype(np.float64), clusters)
    p_values = [
        estimate.p_value(skewed=test.name == "score")
        if test.name in ABLE
        else np.full(len(of_queries), np.nan)
        for test in plan.tests
    ]
    decided = np.full(len(of_queries), "")
    if plan.margin is not None:
        surely = estimate.interval(plan.confidence, least_weight=SURE)
        decided = decisions(surely, directions, plan.margin)
    return _Read(
        estimate.value,
        estimate.interval(plan.confidence),
        estimate.error,
        effect_size(of_queries),
        (differs > 0.0).sum(axis=1),
        np.stack(p_values, axis=1),
        decided,
    )
