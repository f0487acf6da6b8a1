"""Comparison of systems by paired tests over the queries for which all of them have a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._params import choice
from skgraded._stats.paired import (
    PairedTest,
    effect_size,
    effect_size_in_residuals,
    paired_differences,
)
from skgraded._stats.repeats import repeated_interval
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._plan import Family, Plan, plan_tests
from skgraded.comparison._rankers import scores_of_rankers
from skgraded.measures import Measures
from skgraded.results import Scores

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
        systems, 19 pairs have the baseline, and all pairs are 190.
    tests : str or list of str, optional
        One or several of ``"randomization"``, ``"t"``, ``"wilcoxon"``, ``"bootstrap"`` and
        ``"tukey"``. The first one decides what is significant. See the notes for the tests and for
        what is taken by default.
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
        too few resamples for any difference to be significant; or if an argument is not as
        described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on other documents of the queries in X.
    ThinnedQueriesWarning
        If queries in X lack rows, as `query_target`, `query_series` or `query_ids` has counted
        them.

    See Also
    --------
    cross_validate_queries : Values of all queries of a data set, each tested once or several times.
    skgraded.users.threshold_profile : For which users one system is better than another.

    Notes
    -----
    A difference is that of a system minus the baseline. Without a baseline it is that of the system
    given later minus the one given earlier. All queries count equally, whatever their weights.
    Queries on which some system has no value are left out.

    All tests are two-sided:

    - ``"randomization"``: Fisher's randomisation test of the mean difference [1]_. It tries all
      swaps of the two systems if there are at most ``n_resamples`` of them, and is exact then.
    - ``"t"``: Student's paired t test.
    - ``"wilcoxon"``: Wilcoxon's signed-rank test; queries without a difference are left out.
    - ``"bootstrap"``: the paired bootstrap test of the studentised mean difference [2]_.
    - ``"tukey"``: the randomised Tukey HSD test [3]_, which tests all systems at once and corrects
      for the number of pairs itself.

    By default the test is Fisher's, or Tukey's with a note where 10,000 resamples are too few for
    Holm's correction of so many pairs. Intervals are those of the t test, and not corrected for
    the number of differences.

    These tests and intervals take models as given: the queries vary, the training data do not. A
    single cross-validation of unstable models therefore finds differences too often: in
    simulations with p < .05 in 7 to 11 % of comparisons of equally good learners; a note in the
    result says that it is a single one. With repeated cross-validations
    (``cross_validate_queries(..., n_repeats=5)``) queries and repeats are crossed random effects.
    The variance of the mean difference is

    .. math:: \frac{s_q^2}{n_q} + s_r^2 \left(\frac{1}{n_r} + \frac{\rho}{1-\rho}\right),

    where s_q^2 and s_r^2 are the variances of the means of the n_q queries and of the n_r repeats.
    Training data of the repeats overlap; rho is the correlation that this causes [4]_. It is set to
    1/2, with which p < .05 in 4 to 6 % of those simulations. The test is then Student's t with
    Satterthwaite's degrees of freedom, and the interval is its.

    With few repeats p < .05 is no more frequent, but the width of the interval depends on chance;
    below five, a note says so. Where repeats vary most in the simulations, 90 % of the widths are
    between .45 and 11 times the median width of ten repeats with two repeats, .5 and 3.4 times with
    three, .6 and 2 times with five, and .7 and 1.4 times with ten. A system that was tested once,
    such as a fitted model, has the same values in every repeat.

    References
    ----------
    .. [1] M. Smucker, J. Allan, B. Carterette (2007), "A Comparison of Statistical Significance
       Tests for Information Retrieval Evaluation", CIKM.
    .. [2] T. Sakai (2006), "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR.
    .. [3] B. Carterette (2012), "Multiple Testing in Statistical Analysis of Systems-Based
       Information Retrieval Experiments", ACM TOIS 30(1).
    .. [4] C. Nadeau, Y. Bengio (2003), "Inference for the Generalization Error", Machine Learning
       52(3).

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import compare, cross_validate_queries, trec
    >>> from skgraded.datasets import make_ranking
    >>> qrels = {f"q{i}": {"d1": 2, "d2": 1, "d3": 0} for i in range(8)}
    >>> bad = {topic: {"d1": 1.0, "d2": 2.0, "d3": 3.0} for topic in qrels}
    >>> good = {topic: {"d1": 3.0, "d2": 2.0, "d3": 1.0} for topic in qrels}
    >>> compare(trec.evaluate("nDCG@10", qrels, {"bad": bad, "good": good}))
      system  nDCG@10  beats
    1 good     1.0000  2
    2 bad      0.6199
    <BLANKLINE>
    pair        difference        95% interval  Fisher
    good - bad     +0.3801  [+0.3801, +0.3801]  0.0078
    Fisher's randomisation test over 8 queries, p < 0.05.

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
    pairs = _pairs(scores.systems or (), baseline)
    columns = list(_columns(scores))
    n_queries = max(int(each.is_compared.sum()) for each in columns)
    n_repeats = columns[0].values.shape[1]
    family = Family(len(columns[0].values), len(pairs), len(columns), n_queries, n_repeats)
    plan = plan_tests(tests, correction, confidence, n_resamples, family)
    return Comparison(
        **_facts(scores, columns),
        baseline=baseline,
        pairs=pairs,
        **_differences(columns, pairs, plan, confidence),
        p_value=_p_values(columns, pairs, plan, np.random.default_rng(random_state)),
        tests=tuple(test.name for test in plan.tests),
        correction=plan.correction,
        confidence=confidence,
        n_resamples=plan.n_resamples,
        n_tests=len(pairs) * len(columns),
        remarks=plan.remarks + _remarks(scores),
    )


def _remarks(scores: Scores) -> tuple[str, ...]:
    """Say that weights do not count, if there are any."""
    if scores.weights is None or not np.ptp(scores.weights):
        return ()
    return ("Queries have weights, which a comparison leaves out: all count alike.",)


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
    """

    values: FloatArray
    over_repeats: FloatArray
    is_compared: BoolArray
    direction: int

    @property
    def means(self) -> FloatArray:
        """Mean of every system."""
        means: FloatArray = self.over_repeats.mean(axis=1)
        return means

    def best_first(self, pairs: IntArray) -> tuple[FloatArray, IntArray]:
        """Return ``over_repeats`` and pairs with the systems in the order of their means.

        What concerns all systems at once then does not depend on the order in which they are given.
        """
        order = np.argsort(-self.direction * self.means, kind="stable")
        return self.over_repeats[order], np.argsort(order)[pairs]


def _columns(scores: Scores) -> Iterator[_Column]:
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
        yield _Column(compared, _over_repeats(compared), is_compared, direction)


def _over_repeats(values: FloatArray) -> FloatArray:
    """Return each query's mean over the repeats that tested it."""
    if values.shape[1] == 1:
        return values[:, 0]
    means: FloatArray = np.nanmean(values, axis=1)
    return means


def _facts(scores: Scores, columns: list[_Column]) -> dict[str, Any]:
    """Return what is known of the systems by themselves."""
    is_compared = np.array([each.is_compared for each in columns])
    values = np.full((len(columns[0].values), *is_compared.T.shape), np.nan)
    is_in_part = np.zeros(is_compared.shape, dtype=bool)
    for place, each in enumerate(columns):
        values[:, each.is_compared, place] = each.over_repeats
        is_in_part[place, each.is_compared] = np.isnan(each.values).any(axis=(0, 1))
    kept, top, n_repeats = is_compared.any(axis=0), scores.has_top_grade, columns[0].values.shape[1]
    return {
        "systems": scores.systems,
        "measures": scores.measures,
        "directions": scores.directions,
        "qid": scores.qid[kept],
        "values": values[:, kept],
        "means": np.stack([each.means for each in columns], axis=1),
        "n_queries": tuple(is_compared.sum(axis=1).tolist()),
        "n_left_out": tuple((~is_compared).sum(axis=1).tolist()),
        "n_repeats": n_repeats,
        "n_in_part": int(is_in_part.any(axis=0).sum()),
        "n_top": None if top is None else int((top & kept).sum()),
        "is_one_training": scores.folds is not None and n_repeats == 1,
    }


def _differences(
    columns: list[_Column], pairs: IntArray, plan: Plan, confidence: float
) -> dict[str, Any]:
    """Return mean differences, intervals, standard errors and effect sizes of all pairs."""
    found = [_differences_of(each, pairs, confidence) for each in columns]
    difference, low, high, error, effect = map(_as_columns, zip(*found, strict=True))
    if plan.tests[0].is_joint:
        effect = _as_columns(effect_size_in_residuals(*each.best_first(pairs)) for each in columns)
    return {
        "difference": difference,
        "interval": np.stack([low, high], axis=2),
        "standard_error": error,
        "effect_size": effect,
    }


def _as_columns(arrays: Iterable[FloatArray]) -> FloatArray:
    return np.stack(list(arrays), axis=1)


def _differences_of(column: _Column, pairs: IntArray, confidence: float) -> list[FloatArray]:
    """Return the numbers of one measure, of some pairs at a time."""
    at_a_time = max(1, _CELLS_AT_A_TIME // column.values[0].size)
    parts = []
    for first in range(0, len(pairs), at_a_time):
        one, other = pairs[first : first + at_a_time].T
        differences = paired_differences(column.values[one], column.values[other])
        found = repeated_interval(differences, confidence)
        effect = effect_size(_over_repeats(differences))
        parts.append((found.mean, found.low, found.high, found.standard_error, effect))
    return list(map(np.concatenate, zip(*parts, strict=True)))


def _p_values(
    columns: list[_Column], pairs: IntArray, plan: Plan, rng: np.random.Generator
) -> dict[str, FloatArray]:
    """Return the corrected p-values of each test."""
    found: dict[str, list[FloatArray]] = {test.name: [] for test in plan.tests}
    for column in columns:
        for test in plan.tests:
            found[test.name].append(_tested(test, column, pairs, plan.n_resamples, rng))
    return {test.name: plan.corrected(test, _as_columns(found[test.name])) for test in plan.tests}


def _tested(
    test: PairedTest, column: _Column, pairs: IntArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Return the p-values of one test by one measure."""
    if column.values.shape[1] > 1 and test.over_repeats is not None:
        one, other = pairs.T
        return test.over_repeats(paired_differences(column.values[one], column.values[other]))
    return test.p_values(*column.best_first(pairs), n_resamples, rng)
