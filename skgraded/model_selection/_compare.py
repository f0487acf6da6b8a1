"""Comparison of rankers by paired tests over the queries that all of them have ranked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skgraded._guards import warn_about_scored_queries
from skgraded._paired_tests import (
    benjamini_hochberg,
    effect_size,
    holm,
    paired_differences,
    randomization_test,
    t_test,
    wilcoxon_test,
)
from skgraded._params import choice, fraction, integer
from skgraded._repeated_tests import repeated_interval, standard_errors
from skgraded.measures import Measure, QueryScores, measures_of
from skgraded.model_selection._comparison import RankerComparison, RankerComparisons
from skgraded.model_selection._splitters import has_top_grade
from skgraded.model_selection._validation import QueryValidation, is_once_resolved, measure_of
from skgraded.rankings import Judgments, features_for, read_columns
from skgraded.scoring import scores_of

__all__ = ["compare_rankers"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Correction = Literal["holm", "bh", "none"]

_FEWEST = 2  # rankers to compare, and queries to compare them on


@overload
def compare_rankers(
    rankers: Mapping[str, Any] | Iterable[Any],
    X: Any = ...,
    y: Any = ...,
    *,
    qid: ArrayLike | None = ...,
    measure: str | Measure | None = ...,
    baseline: str | None = ...,
    correction: Correction = ...,
    confidence: float = ...,
    n_resamples: int = ...,
    random_state: int | np.random.Generator | None = ...,
) -> RankerComparison: ...


@overload
def compare_rankers(
    rankers: Mapping[str, Any] | Iterable[Any],
    X: Any = ...,
    y: Any = ...,
    *,
    qid: ArrayLike | None = ...,
    measure: list[str | Measure] | tuple[str | Measure, ...],
    baseline: str | None = ...,
    correction: Correction = ...,
    confidence: float = ...,
    n_resamples: int = ...,
    random_state: int | np.random.Generator | None = ...,
) -> RankerComparisons: ...


def compare_rankers(
    rankers: Mapping[str, Any] | Iterable[Any],
    X: Any = None,
    y: Any = None,
    *,
    qid: ArrayLike | None = None,
    measure: str | Measure | list[str | Measure] | tuple[str | Measure, ...] | None = None,
    baseline: str | None = None,
    correction: Correction = "holm",
    confidence: float = 0.95,
    n_resamples: int = 9999,
    random_state: int | np.random.Generator | None = 0,
) -> RankerComparison | RankerComparisons:
    r"""Compare rankers over the same queries by differences, intervals and paired tests.

    Parameters
    ----------
    rankers : dict or list
        Two or more rankers, by name. Each is a fitted model or search, which ranks ``X``; or a
        result of `cross_validate_queries`, perhaps of a search (nested cross-validation); or
        `QueryScores`.
    X : array-like or sparse matrix of shape (n_documents, n_features), optional
        Features of queries that no fitted model was trained on.
    y : array-like of shape (n_documents,), optional
        Their grades, or what `query_target` makes.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them, where neither X nor y holds them.
    measure : str, Measure or list of them, optional
        The measure; by default that of the first ranker. A cross-validation has values of its own
        measures only. Several measures share one correction of the p-values.
    baseline : str, optional
        Name of the ranker to compare the others with; by default all pairs are compared. Of 20
        rankers, 19 pairs have the baseline, and all pairs are 190.
    correction : {"holm", "bh", "none"}, default="holm"
        Correction of the p-values of each test for the number of pairs, times that of measures:
        Holm's, Benjamini and Hochberg's, or none.
    confidence : float, default=0.95
        Confidence of the intervals.
    n_resamples : int, default=9999
        Resamples of Fisher's randomisation test, which tries all swaps if there are not more than
        that.
    random_state : int, Generator or None, default=0
        Seed of the resamples; None draws others in every call.

    Returns
    -------
    RankerComparison or RankerComparisons
        Mean differences, intervals and p-values of the pairs; for a list of measures a mapping of
        their names to such comparisons.

    Raises
    ------
    TypeError
        If a ranker is neither a model nor a result.
    NotFittedError
        If a model is not fitted.
    ValueError
        If there are fewer than two rankers or two queries with values, rankers have values for
        different queries or different numbers of repeats, or an argument is not as described.

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

    Notes
    -----
    All queries count equally, whatever their weights. The tests are two-sided: Student's paired t
    test, Wilcoxon's signed-rank test (queries without a difference are left out), and Fisher's
    randomisation test of the mean difference [1]_. The intervals are those of the t test.

    These tests and intervals take the models as given: the queries vary, the training data do not.
    A single cross-validation of unstable models therefore finds differences too often: in
    simulations with p < .05 in 7 to 11 % of comparisons of equally good learners; a note in the
    result says that it is a single one. With repeated
    cross-validations (``cross_validate_queries(..., n_repeats=5)``) queries and repeats are crossed
    random effects. The variance of the mean difference is

    .. math:: \frac{s_q^2}{n_q} + s_r^2 \left(\frac{1}{n_r} + \frac{\rho}{1-\rho}\right),

    where s_q^2 and s_r^2 are the variances of the means of the n_q queries and of the n_r repeats.
    Training data of the repeats overlap; rho is the correlation that this causes [2]_. It is set to
    1/2, with which p < .05 in 4 to 6 % of those simulations. There is then one test, Student's t
    with Satterthwaite's degrees of freedom, and the interval is its.

    With few repeats p < .05 is no more frequent, but the width of the interval depends on chance;
    below five, a note says so. Where repeats vary most in the simulations, 90 % of the widths are
    between .45 and 11 times the median width of ten repeats with two repeats, .5 and 3.4 times with
    three, .6 and 2 times with five, and .7 and 1.4 times with ten. A ranker that was tested once,
    such as a fitted model, has the same values in every repeat.

    References
    ----------
    .. [1] M. Smucker, J. Allan, B. Carterette (2007), "A Comparison of Statistical Significance
       Tests for Information Retrieval Evaluation", CIKM.
    .. [2] C. Nadeau, Y. Bengio (2003), "Inference for the Generalization Error", Machine Learning
       52(3).

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import cross_validate_queries
    >>> from skgraded.model_selection import compare_rankers
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    >>> found = {
    ...     name: cross_validate_queries(Ridge(), each, y, qid=qid, measures="nDCG@10")
    ...     for name, each in {"all": X, "half": X[:, ::2]}.items()
    ... }
    >>> comparison = compare_rankers(found)
    >>> comparison.rankers, bool(comparison.p_values["randomization"][0] < 0.05)
    (('all', 'half'), True)

    Splits that are drawn three times, and two measures against a baseline:

    >>> measures = ["nDCG@10", "AP"]
    >>> found = {
    ...     name: cross_validate_queries(
    ...         Ridge(), each, y, qid=qid, measures=measures, n_repeats=3
    ...     )
    ...     for name, each in {"all": X, "half": X[:, ::2], "third": X[:, ::3]}.items()
    ... }
    >>> comparisons = compare_rankers(found, measure=measures, baseline="half")
    >>> comparisons["AP"].pairs.tolist(), comparisons["AP"].n_repeats
    ([[0, 2], [1, 2]], 3)
    """
    choice("correction", correction, get_args(Correction))
    fraction("confidence", confidence)
    integer("n_resamples", n_resamples, 1)
    named = _named(rankers, baseline)
    asked: list[Measure | None] = [None]
    if measure is not None:
        asked = list(dict.fromkeys(measures_of(measure)))
    is_several = not (measure is None or isinstance(measure, str | Measure))
    documents = None if X is None else _documents_of(X, y, qid)
    rng = np.random.default_rng(random_state)
    options = _Options(baseline, confidence, n_resamples, correction)
    compared = [
        _compared(named, _values_of_all(named, documents, each), options, rng) for each in asked
    ]
    corrected = _corrected(compared, correction)
    return RankerComparisons(corrected) if is_several else corrected[0]


class _Options(NamedTuple):
    """The options of a comparison."""

    baseline: str | None
    confidence: float
    n_resamples: int
    correction: str


class _Values(NamedTuple):
    """A ranker's values of one measure."""

    measure: Measure
    qid: NDArray[Any]
    values: FloatArray  # (n_repeats, n_queries); nan = not tested, or without a value
    has_top_grade: BoolArray | None


def _compared(
    named: dict[str, Any], found: list[_Values], options: _Options, rng: np.random.Generator
) -> RankerComparison:
    """Compare rankers by one measure; the p-values are not corrected yet."""
    _check_queries(named, found)
    qid, by_repeat, n_left_out = _aligned(found)
    best_first = _best_first(_over_repeats(by_repeat), found[0].measure)
    by_repeat = by_repeat[best_first]
    names = [list(named)[each] for each in best_first]
    pairs = _pairs(names, options.baseline)
    tested = _tested(by_repeat, pairs, options, rng)
    is_gap = np.isnan(by_repeat).any(axis=(0, 1))
    return RankerComparison(
        rankers=tuple(names),
        measure=found[0].measure,
        qid=qid,
        values=_over_repeats(by_repeat),
        n_left_out=n_left_out,
        pairs=pairs,
        **tested,
        confidence=options.confidence,
        correction=options.correction,
        n_tests=len(pairs),
        n_repeats=by_repeat.shape[1],
        n_in_part=int(is_gap.sum()),
        n_top=_n_top(found, qid),
        is_one_training=by_repeat.shape[1] == 1 and _are_cross_validated(named),
    )


def _are_cross_validated(named: dict[str, Any]) -> bool:
    return any(isinstance(each, QueryValidation) for each in named.values())


def _tested(
    by_repeat: FloatArray, pairs: IntArray, options: _Options, rng: np.random.Generator
) -> dict[str, Any]:
    """Return mean differences, intervals, errors, effect sizes and p-values of the pairs."""
    differences = paired_differences(by_repeat[pairs[:, 0]], by_repeat[pairs[:, 1]])
    of_queries = _over_repeats(differences)
    found = repeated_interval(differences, options.confidence)
    p_values = {"t": found.p_value}
    if by_repeat.shape[1] == 1:
        p_values = {
            "t": t_test(of_queries),
            "wilcoxon": wilcoxon_test(of_queries),
            "randomization": randomization_test(of_queries, options.n_resamples, rng),
        }
    return {
        "differences": found.mean,
        "intervals": np.stack([found.low, found.high], axis=1),
        "standard_errors": standard_errors(differences),
        "effect_sizes": effect_size(of_queries),
        "p_values": p_values,
    }


def _over_repeats(values: FloatArray) -> FloatArray:
    """Return each query's mean over the repeats that tested it."""
    if values.shape[1] == 1:
        return values[:, 0]
    means: FloatArray = np.nanmean(values, axis=1)
    return means


def _corrected(compared: list[RankerComparison], correction: str) -> list[RankerComparison]:
    """Correct the p-values of each test, over the pairs of all measures together."""
    correct = {"holm": holm, "bh": benjamini_hochberg}.get(correction, np.asarray)
    ends = np.cumsum([len(each.pairs) for each in compared])
    by_test = {
        test: np.split(correct(np.concatenate([each.p_values[test] for each in compared])), ends)
        for test in compared[0].p_values
    }
    return [
        dataclasses.replace(
            each,
            p_values={test: parts[place] for test, parts in by_test.items()},
            n_tests=int(ends[-1]),
        )
        for place, each in enumerate(compared)
    ]


def _best_first(values: FloatArray, chosen: Measure) -> IntArray:
    means = values.mean(axis=1)
    return np.argsort(-means if chosen.greater_is_better else means, kind="stable")


def _pairs(names: list[str], baseline: str | None) -> IntArray:
    if baseline is None:
        return np.array(list(combinations(range(len(names)), 2)))
    place = names.index(baseline)
    return np.array([[each, place] for each in range(len(names)) if each != place])


def _named(rankers: Mapping[str, Any] | Iterable[Any], baseline: Any) -> dict[str, Any]:
    if isinstance(rankers, Mapping):
        named = {str(name): each for name, each in rankers.items()}
    else:
        named = {f"ranker {place}": each for place, each in enumerate(rankers)}
    if len(named) < _FEWEST:
        raise ValueError(f"rankers must hold at least 2 rankers to compare, got {len(named)}.")
    if baseline is not None:
        choice("baseline", baseline, named)
    return named


def _values_of_all(
    named: dict[str, Any], documents: _Documents | None, chosen: Measure | None
) -> list[_Values]:
    """Return the values of one measure for every ranker."""
    found: list[_Values] = []
    for name, each in named.items():
        values = _values_of_one(name, each, documents, chosen)
        if chosen is not None and not is_once_resolved(chosen, values.measure):
            raise ValueError(
                f"rankers must be scored by one measure, got {values.measure} for {name!r} and "
                f"{chosen} elsewhere."
            )
        chosen = values.measure
        found.append(values)
    return found


class _Documents(NamedTuple):
    """Documents for fitted models to rank."""

    X: Any
    judgments: Judgments


def _documents_of(X: Any, y: Any, qid: ArrayLike | None) -> _Documents:
    if y is None:
        raise ValueError("y must hold the grades of the rows of X, got None.")
    columns = read_columns(y, qid, named=("y", "qid"), X=X).require_ids()
    judgments = Judgments.of_columns(columns)
    return _Documents(X, judgments)


def _values_of_one(
    name: str, ranker: Any, documents: _Documents | None, chosen: Measure | None
) -> _Values:
    """Return a ranker's values, if need be by ranking documents; its own measure is the default."""
    if isinstance(ranker, QueryScores):
        return _Values(ranker.measure, ranker.qid, ranker.values[None], None)
    if isinstance(ranker, QueryValidation):
        return _validated(name, ranker, chosen)
    if not hasattr(ranker, "predict"):
        raise TypeError(
            "rankers must be fitted models, results of cross_validate_queries or of "
            f"nDCG(k=10).per_query(y, scores, qid=qid), got {type(ranker).__name__} for {name!r}."
        )
    if not _is_fitted(ranker):
        raise NotFittedError(
            f"rankers must be fitted, got {name!r}, {type(ranker).__name__}, which is not: call "
            "its fit before, or compare results of cross_validate_queries, which fits it in every "
            "fold."
        )
    if documents is None:
        raise ValueError(f"X and y are needed to rank the queries with {name!r}, a fitted model.")
    X, judgments = documents
    chosen = (chosen or measure_of(ranker)).resolve(int(judgments.top_grade))
    warn_about_scored_queries(judgments, ranker)
    scores = chosen.per_query(judgments.rank(scores_of(ranker, features_for(ranker, X))))
    return _Values(chosen, scores.qid, scores.values[None], has_top_grade(judgments))


def _is_fitted(ranker: Any) -> bool:
    try:
        check_is_fitted(ranker)
    except NotFittedError:
        return False
    except TypeError:  # a model of another kind, which scikit-learn cannot tell about
        return True
    return True


def _validated(name: str, found: QueryValidation, chosen: Measure | None) -> _Values:
    """Return the values of a cross-validation, one row for each of its repeats."""
    try:
        scores = found.per_query(chosen)
    except KeyError as error:
        raise ValueError(
            f"rankers must be scored by one measure: {name!r} was cross-validated by "
            f"{', '.join(map(str, found.measures))}, not by {chosen}."
        ) from error
    place = {query: number for number, query in enumerate(scores.qid.tolist())}
    query = np.array([place[each] for each in found.qid.tolist()])
    repeat = found.repeat
    values = np.full((repeat.max() + 1, len(place)), np.nan)
    values[repeat, query] = found.values[:, found.measures.index(scores.measure)]
    has_top_grade = np.zeros(len(place), dtype=bool)
    has_top_grade[query] = found.has_top_grade
    return _Values(scores.measure, scores.qid, values, has_top_grade)


def _check_queries(named: dict[str, Any], found: list[_Values]) -> None:
    """Raise an error unless all rankers have values for the same queries and repeats."""
    first, expected = next(iter(named)), set(found[0].qid.tolist())
    repeats = {len(each.values) for each in found} - {1}
    for name, each in zip(named, found, strict=True):
        queries = set(each.qid.tolist())
        if queries != expected:
            raise ValueError(
                f"rankers must be scored on the same queries: {name!r} has {len(queries)}, "
                f"{first!r} has {len(expected)}, and {len(queries & expected)} of them are the "
                "same."
            )
    if len(repeats) > 1:
        listed = ", ".join(
            f"{name!r} has {len(each.values)}" for name, each in zip(named, found, strict=True)
        )
        raise ValueError(f"rankers must be tested in the same number of repeats: {listed}.")


def _aligned(found: list[_Values]) -> tuple[NDArray[Any], FloatArray, int]:
    """Return the queries with a value from every ranker, the values, and how many lack one.

    A ranker that was tested once, such as a fitted model, has the same values in every repeat.
    """
    qid = found[0].qid
    n_repeats = max(len(each.values) for each in found)
    rows = []
    for each in found:
        place = {query: number for number, query in enumerate(each.qid.tolist())}
        values = each.values[:, [place[query] for query in qid.tolist()]]
        rows.append(np.broadcast_to(values, (n_repeats, len(qid))))
    by_repeat = np.array(rows)
    has_value = (~np.isnan(by_repeat)).all(axis=0).any(axis=0)
    if has_value.sum() < _FEWEST:
        raise ValueError(
            f"Paired tests need at least 2 queries with a value, got {has_value.sum()}."
        )
    return qid[has_value], by_repeat[:, :, has_value], int((~has_value).sum())


def _n_top(found: list[_Values], qid: NDArray[Any]) -> int | None:
    """Count the compared queries that have a document of the top grade."""
    for each in found:
        if each.has_top_grade is not None:
            top = set(each.qid[each.has_top_grade].tolist())
            return len(top & set(qid.tolist()))
    return None
