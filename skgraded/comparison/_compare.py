"""Comparison of systems by paired tests over the queries for which all of them have a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._params import choice, number
from skgraded._stats.bootstrap_t import Tested
from skgraded._stats.clustered import sums_by_cluster, unit_residuals
from skgraded._stats.corrections import level_of
from skgraded._stats.paired import (
    effect_size,
    effect_size_in_residuals,
    paired_differences,
)
from skgraded._stats.rare import largest_difference, rare_ends
from skgraded._stats.repeats import repeated_interval
from skgraded._stats.sample_size import errors_of_log_variances
from skgraded.comparison._comparison import Comparison, warn_of_few_differences
from skgraded.comparison._judge import Judged, compared_with_judge, judged_or_none
from skgraded.comparison._plan import Family, Plan, plan_tests
from skgraded.comparison._rankers import scores_of_rankers
from skgraded.measures import Measures
from skgraded.results import Scores, clusters_of

__all__ = ["compare"]

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
    cluster: Mapping[Any, Any] | None = None,
    judge: Any = None,
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
        How far a system may fall behind the baseline; above 0. ``decisions`` of the result then
        tells for each difference, by its interval, whether that holds, fails or is undecided, and
        ``status`` is the worst of them. It needs a baseline.
    cluster : mapping, optional
        The cluster of each query by its id, a dict or a pandas Series: queries that do not vary
        independently, such as those of one person. All tests and intervals then draw clusters. By
        default it is ``Scores.clusters``, and without these every query is by itself.
    judge : Scores, mapping of str to Scores, or list of either, optional
        Values of the same systems by the same measures, by the labels of a judge, such as a
        language model, for the queries of ``rankers`` and more. The values of ``rankers`` are then
        by human labels of few queries, and differences are estimated from both. Of a list, the
        judges' mean is taken.
    tests : str or list of str, optional
        One or several of ``"bootstrap_t"``, ``"max_t"``, ``"t"``, ``"randomization"``,
        ``"bootstrap"``, ``"wilcoxon"``, ``"sign"`` and ``"tukey"``. The first one decides what is
        significant. The notes describe the tests and the default.
    correction : {"holm", "bh", "none"}, optional
        Correction of the p-values of each test for their number, that of the pairs times that of
        the measures: Holm's, Benjamini and Hochberg's, or none. Holm's by default.
    confidence : float, default=0.95
        Confidence of the intervals. Differences with p < 1 - confidence are significant.
    n_resamples : int, optional
        Number of resamples of the tests that draw some: by default 10,000, or with a note as many
        as the correction needs for any difference to be significant by the tests asked for.
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
        or queries, or comes with repeats, clusters or tests other than bootstrap-t, max-t and t; or
        if an argument is not as described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on other documents of the queries in X.
    FewDifferencesWarning
        If a difference rests on fewer than 10 queries, or clusters, in which the systems differ,
        or on fewer than 20 that are less than a quarter of them, or if they differ in none.
    UnhelpfulJudgeWarning
        If intervals with a judge are no narrower than those of the human labels alone.
    UnlikeQueriesWarning
        If a judge's values of the queries with human labels differ from those of the others.
    ThinnedQueriesWarning
        If queries in X lack rows, as `query_target`, `query_series` or `query_ids` has counted
        them.

    See Also
    --------
    cross_validate_queries : Values of all queries of a data set, each tested once or several times.
    skgraded.comparison.estimate_means : Means of one system or several, with a judge.
    skgraded.users.judge_profile : For which users a judge misleads.
    skgraded.studies.simulate_judgments : How far values vary by chance of the judgments.
    skgraded.studies.compare_assessors : How far values vary from assessor to assessor.
    skgraded.studies.compare_qrels : The same with qrels and runs.
    skgraded.Measure.bounds : Values that any labels of unjudged documents lead to.
    skgraded.users.threshold_profile : For which users one system is better than another.

    Notes
    -----
    A difference is that of a system minus the baseline. Without a baseline it is that of the system
    given later minus the one given earlier. All queries count equally, whatever their weights.
    Queries on which some system has no value are left out.

    All tests are two-sided. Those of the mean difference:

    - ``"bootstrap_t"``: the equal-tailed bootstrap-t [1]_: the mean in standard errors is compared
      with those of resamples. It is never narrower than Student's t: of both p-values the larger
      one counts, and of both intervals each outer end. p < .05 in 2 to 6 % where there is no
      difference, over 30 queries whose differences are normal, skewed, or 0 in most queries.
    - ``"max_t"``: the largest bootstrap-t of any pair, which corrects for the number of pairs
      itself, and gives each pair its own variance. Its intervals hold for all pairs together.
    - ``"t"``: Student's paired t test. Over few queries with skewed differences p < .05 too often.
    - ``"bootstrap"``: the bootstrap test by the absolute value of the same ratio [2]_.
    - ``"randomization"``: Fisher's randomisation test [3]_, which supposes that the systems can be
      swapped in any query. It tries all swaps if there are at most ``n_resamples`` of them.
    - ``"tukey"``: the randomised Tukey HSD test [4]_ of all systems at once, which corrects for the
      number of pairs itself. It assumes one variance for all systems: where a few vary
      more, it finds a difference in up to half of the cases where there is none.

    Others do not test the mean, and a note says so:

    - ``"wilcoxon"``: Wilcoxon's signed-rank test of whether differences lie symmetrically around 0.
      Skewed differences do not, although their mean may be 0.
    - ``"sign"``: the sign test of whether as many queries favour the one system as the other.

    By default the test is bootstrap-t, or max-t with a note where 10,000 resamples are too few for
    Holm's correction of so many pairs. Intervals are those of the first test if that is one of the
    first three, and else those of Student's t. Only those of max-t are corrected for the number of
    differences.

    Fewer than 10 queries in which two systems differ do not tell how rare and how large differences
    are; a warning names the pair. If they are fewer than half of all, an interval of any test also
    reaches as far as exact bounds of the shares of queries that differ upwards and downwards do
    together [6]_, times the root mean square of the differences, and so may hold 0 where p < .05.
    Of n queries without any difference it is that of a share of 1 - .025^(1/n), each of which
    differs by the range of the values of the measure: 52 % of 5 queries, and .37 % of 1,000. The
    same holds where all but a few queries have the same difference other than 0.

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
    folds). So what varies by chance from repeat to repeat averages out. The test is then Student's
    t with Satterthwaite's degrees of freedom, and gives the interval. Five repeats covered 93 to
    97 % in simulations of boosted trees, with 1.0 to 1.2 times the width that the true spread
    needs.

    The minimum is an allowance for what the training data of all folds share, which cannot be told
    from chance within one data set [5]_: an estimate is as uncertain as it is large. Models of K
    folds can share no more than (K - 1) s_w^2. The sixth of s_a^2 was chosen by simulations, in
    which it hardly widens the intervals of boosted trees.
    A system that was tested once, such as a fitted model, has the same values in every repeat.

    With a judge, the difference is estimated along the regression line of the human differences on
    the judge's, as `skgraded.comparison.estimate_means` describes; ``judge`` of the result has the
    bias of the judge and how many queries with human labels it is worth, and ``judged_means`` the
    same of each system. Each pair has a line of its own, so that a difference need not be that of
    the two means shown. Student's t has n - 2 degrees of freedom, and bootstrap-t and max-t draw
    queries with both of their values. Estimates hold whatever the bias, if the queries with human
    labels are drawn at random from the judge's.

    References
    ----------
    .. [1] P. Hall (1988), "Theoretical Comparison of Bootstrap Confidence Intervals", Annals of
       Statistics 16(3).
    .. [2] T. Sakai (2006), "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR.
    .. [3] M. Smucker, J. Allan, B. Carterette (2007), "A Comparison of Statistical Significance
       Tests for Information Retrieval Evaluation", CIKM.
    .. [4] B. Carterette (2012), "Multiple Testing in Statistical Analysis of Systems-Based
       Information Retrieval Experiments", ACM TOIS 30(1).
    .. [5] Y. Bengio, Y. Grandvalet (2004), "No Unbiased Estimator of the Variance of K-Fold
       Cross-Validation", JMLR 5.
    .. [6] R. Newcombe (1998), "Interval Estimation for the Difference Between Independent
       Proportions", Statistics in Medicine 17(8).

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
    pair        difference        95% interval  bootstrap-t
    good - bad     +0.3956  [+0.3427, +0.4552]       0.0002
    Bootstrap-t test over 12 queries, level 0.05.

    Splits that are drawn three times, and two measures against a baseline:

    >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    >>> features = {"all": X, "half": X[:, ::2], "third": X[:, ::3]}
    >>> given = {"qid": qid, "measures": ["nDCG@10", "AP"], "n_repeats": 3}
    >>> validated = {
    ...     name: cross_validate_queries(Ridge(), each, y, **given)
    ...     for name, each in features.items()
    ... }
    >>> found = compare(validated, baseline="half")
    >>> found.pairs.tolist(), found.difference.shape, found["AP"].n_repeats
    ([[0, 1], [2, 1]], (2, 2), 3)
    """
    scores = scores_of_rankers(rankers, X, y, qid, measures)
    _check_margin(margin, baseline)
    judged = judged_or_none(judge, scores, tests, cluster)
    pairs, clusters = _pairs(scores.systems or (), baseline), clusters_of(cluster, scores)
    columns = list(_columns(scores, clusters))
    n_units, n_repeats = max(each.n_units for each in columns), columns[0].values.shape[1]
    family = Family(len(columns[0].values), len(pairs), len(columns), n_units, n_repeats)
    plan = plan_tests(tests, correction, confidence, n_resamples, family)
    found = Comparison(
        **_facts(scores, columns, clusters)
        | _tested(columns, pairs, plan, confidence, judged, random_state=random_state),
        baseline=baseline,
        margin=margin,
        pairs=pairs,
        tests=tuple(test.name for test in plan.tests),
        correction=plan.correction,
        confidence=confidence,
        n_resamples=plan.n_resamples,
        n_tests=len(pairs) * len(columns),
        remarks=plan.remarks + _remarks(scores, judged),
    )
    warn_of_few_differences(found)
    return found


def _check_margin(margin: float | None, baseline: str | None) -> None:
    if margin is None:
        return
    number("margin", margin, above=0.0)
    if baseline is None:
        raise ValueError(
            "margin needs baseline, the system that the others must not fall behind, got None."
        )


def _remarks(scores: Scores, judged: Judged | None) -> tuple[str, ...]:
    """Say that weights do not count, if there are any."""
    has_weights = scores.weights is not None and np.ptp(scores.weights) > 0.0
    if not has_weights and (judged is None or not judged.has_weights):
        return ()
    return ("Queries have weights, which a comparison ignores: each query counts once.",)


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
    def largest(self) -> float:
        """Largest difference that a query can have, as far as values tell."""
        return largest_difference(self.values)

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


def _facts(scores: Scores, columns: list[_Column], clusters: IntArray | None) -> dict[str, Any]:
    """Return what is known of the systems by themselves."""
    is_compared = np.array([each.is_compared for each in columns])
    values = np.full((len(columns[0].values), *is_compared.T.shape), np.nan)
    is_in_part = np.zeros(is_compared.shape, dtype=bool)
    for place, each in enumerate(columns):
        values[:, each.is_compared, place] = each.over_repeats
        is_in_part[place, each.is_compared] = np.isnan(each.values).any(axis=(0, 1))
    kept: BoolArray = np.asarray(is_compared.any(axis=0))
    top, n_repeats = scores.has_top_grade, columns[0].values.shape[1]
    return {
        "systems": scores.systems,
        "measures": scores.measures,
        "directions": scores.directions,
        "qid": scores.qid[kept],
        "values": values[:, kept],
        "means": np.stack([each.means for each in columns], axis=1),
        "n_queries": tuple(is_compared.sum(axis=1).tolist()),
        "n_left_out": tuple((~is_compared).sum(axis=1).tolist()),
        "clusters": None if clusters is None else clusters[kept],
        "n_clusters": None if columns[0].clusters is None else tuple(e.n_units for e in columns),
        "n_repeats": n_repeats,
        **(_by_repeat(columns, kept, scores.folds) if n_repeats > 1 else {}),
        "n_in_part": int(is_in_part.any(axis=0).sum()),
        "n_top": None if top is None else int((top & kept).sum()),
        "is_one_training": scores.folds is not None and n_repeats == 1,
    }


def _by_repeat(
    columns: list[_Column], kept: BoolArray, folds: IntArray | None
) -> dict[str, FloatArray | IntArray | None]:
    """Return the values of compared queries by repeat, and their folds."""
    n_systems, n_repeats, _ = columns[0].values.shape
    values = np.full((n_systems, n_repeats, len(kept), len(columns)), np.nan)
    for place, each in enumerate(columns):
        values[:, :, each.is_compared, place] = each.values
    return {"repeats": values[:, :, kept], "folds": None if folds is None else folds[:, kept]}


def _tested(
    columns: list[_Column],
    pairs: IntArray,
    plan: Plan,
    confidence: float,
    judged: Judged | None,
    *,
    random_state: int | np.random.Generator | None,
) -> dict[str, Any]:
    """Return mean differences, intervals, p-values, standard errors and effect sizes."""
    rng = np.random.default_rng(random_state)
    if judged is not None:
        return compared_with_judge(judged, pairs, plan, confidence, rng)
    first = plan.tests[0]
    is_joint = first.is_joint and first.interval is not None
    level_of_rare = level_of(confidence) / (len(pairs) if is_joint else 1)
    found = [_differences_of(each, pairs, confidence, level_of_rare) for each in columns]
    difference, low, high, error, effect, n_differing, log_variance_error, least, most = map(
        _as_columns, zip(*found, strict=True)
    )
    if plan.tests[0].takes_systems:
        effect = _as_columns(effect_size_in_residuals(*each.best_first(pairs)) for each in columns)
    tested = [_tests_of(each, pairs, plan, rng) for each in columns]
    for place, (_, of_first) in enumerate(tested):
        if of_first is not None:
            low[:, place], high[:, place] = of_first.low, of_first.high
    p_values = (_as_columns(each) for each in zip(*(each for each, _ in tested), strict=True))
    return {
        "difference": difference,
        "interval": np.stack([np.minimum(low, least), np.maximum(high, most)], axis=2),
        "standard_error": error,
        "effect_size": effect,
        "n_differing": n_differing,
        "log_variance_error": log_variance_error,
        "p_value": {
            test.name: plan.corrected(test, each)
            for test, each in zip(plan.tests, p_values, strict=True)
        },
    }


def _as_columns(arrays: Iterable[NDArray[Any]]) -> NDArray[Any]:
    return np.stack(list(arrays), axis=1)


def _differences_of(
    column: _Column, pairs: IntArray, confidence: float, level_of_rare: float
) -> list[NDArray[Any]]:
    """Return the numbers of one measure, of some pairs at a time."""
    at_a_time = max(1, _CELLS_AT_A_TIME // column.values[0].size)
    parts = []
    for first in range(0, len(pairs), at_a_time):
        one, other = pairs[first : first + at_a_time].T
        differences = paired_differences(column.values[one], column.values[other])
        found = repeated_interval(
            differences, confidence, folds=column.folds, clusters=column.clusters
        )
        of_queries = _over_repeats(differences)
        sums, sizes = sums_by_cluster(of_queries, column.clusters)
        residuals = unit_residuals(sums, sizes, found.mean)
        ends = (found.mean, found.low, found.high, found.standard_error)
        n_differing = (sums != 0.0).sum(axis=1)
        spread = errors_of_log_variances(residuals)
        rare = rare_ends(sums, sizes, level_of_rare, column.largest)
        parts.append((*ends, effect_size(of_queries), n_differing, spread, *rare))
    return list(map(np.concatenate, zip(*parts, strict=True)))


def _tests_of(
    column: _Column, pairs: IntArray, plan: Plan, rng: np.random.Generator
) -> tuple[list[FloatArray], Tested | None]:
    """Return the p-values of each test by one measure, and the intervals that the first one has."""
    if column.values.shape[1] > 1:
        one, other = pairs.T
        differences = paired_differences(column.values[one], column.values[other])
        given = {"folds": column.folds, "clusters": column.clusters}
        able = (test.over_repeats for test in plan.tests if test.over_repeats is not None)
        return [test(differences, **given) for test in able], None
    values, places = column.best_first(pairs)
    of_first = plan.tests[0].p_values_and_intervals(
        values, places, plan.level, plan.n_resamples, rng, clusters=column.clusters
    )
    others = [
        test.p_values(values, places, plan.n_resamples, rng, column.clusters)
        for test in plan.tests[of_first is not None :]
    ]
    return [*([] if of_first is None else [of_first.p_value]), *others], of_first
