"""Comparison of rankers by paired tests over the queries that all of them have ranked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._optional import axes_or_new, import_pandas
from skgraded._paired_tests import (
    benjamini_hochberg,
    bootstrap_interval,
    effect_size,
    holm,
    paired_differences,
    randomization_test,
    t_test,
    wilcoxon_test,
)
from skgraded._params import choice, fraction, integer
from skgraded.measures import Measure, QueryScores, measure
from skgraded.model_selection._validation import QueryValidation, is_once_resolved, measure_of
from skgraded.rankings import (
    Judgments,
    QueryIds,
    features_for,
    refuse_other_order,
    resolve_rows,
    warn_if_ids_are_sizes,
)
from skgraded.scoring import scores_of
from skgraded.scoring._whole_queries import warn_if_scored_queries_are_parts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RankerComparison", "compare_rankers"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Correction = Literal["holm", "bh", "none"]

_CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
_SMALLEST_SHOWN = 0.0001
# Inches of a plot.
_WIDTH_OF_AXES, _WIDTH_OF_CHARACTER = 4.5, 0.085
_LEAST_HEIGHT, _HEIGHT_OF_REST, _HEIGHT_OF_PAIR = 2.4, 0.9, 0.3
_FEWEST = 2  # rankers to compare, and queries to compare them on


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RankerComparison:
    """Differences between rankers with their confidence intervals and p-values.

    Rankers are in the order of their means, the best one first. The difference of a pair is that of
    the better ranker less the other.

    Attributes
    ----------
    rankers : tuple of str
        Names of the rankers.
    measure : Measure
        The measure.
    qid : ndarray of shape (n_queries,)
        The queries for which every ranker has a value.
    values : ndarray of shape (n_rankers, n_queries)
        The values.
    n_left_out : int
        Number of queries that were left out because a ranker has no value for them.
    pairs : ndarray of shape (n_pairs, 2)
        Places of the two rankers of each pair in ``rankers``.
    differences : ndarray of shape (n_pairs,)
        Mean difference: the first of the pair less the second.
    intervals : ndarray of shape (n_pairs, 2)
        Ends of its bootstrap confidence interval, not corrected for the number of pairs.
    effect_sizes : ndarray of shape (n_pairs,)
        Mean difference in standard deviations of the differences (Cohen's d).
    p_values : dict of str to ndarray of shape (n_pairs,)
        Corrected p-values by test: ``"t"``, ``"wilcoxon"``, ``"randomization"``.
    confidence : float
        Confidence of the intervals.
    correction : str
        Correction of the p-values for the number of pairs.
    """

    rankers: tuple[str, ...]
    measure: Measure
    qid: NDArray[Any]
    values: FloatArray
    n_left_out: int
    pairs: IntArray
    differences: FloatArray
    intervals: FloatArray
    effect_sizes: FloatArray
    p_values: dict[str, FloatArray]
    confidence: float
    correction: str

    @property
    def means(self) -> FloatArray:
        """The mean of each ranker over the queries."""
        means: FloatArray = self.values.mean(axis=1)
        return means

    def _names(self) -> list[str]:
        return [f"{self.rankers[one]} - {self.rankers[other]}" for one, other in self.pairs]

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair of rankers.

        Returns
        -------
        DataFrame
            Columns ranker, other, difference, low, high, effect_size and one for each test.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names = np.array(self.rankers, dtype=object)
        frame: pd.DataFrame = import_pandas().DataFrame(
            {
                "ranker": names[self.pairs[:, 0]],
                "other": names[self.pairs[:, 1]],
                "difference": self.differences,
                "low": self.intervals[:, 0],
                "high": self.intervals[:, 1],
                "effect_size": self.effect_sizes,
                **self.p_values,
            }
        )
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean differences with their confidence intervals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib Axes
            The axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        names = self._names()
        ax = axes_or_new(ax, self, _size_for(names))
        place = np.arange(len(self.pairs))
        reach = np.abs(self.intervals - self.differences[:, None]).T
        ax.errorbar(self.differences, place, xerr=reach, fmt="o", capsize=3)
        ax.axvline(0, color="gray", linewidth=1)
        ax.set_yticks(place, names)
        ax.set_ylim(len(place) - 0.5, -0.5)
        ax.set_xlabel(
            f"difference in {self.measure},\n{self.confidence:.0%} interval over "
            f"{len(self.qid)} queries"
        )
        return ax

    def __repr__(self) -> str:
        width = max(map(len, [*self.rankers, *self._names(), "ranker"]))
        lines = [f"{'ranker':<{width}}  {'mean':>10}  {self.measure} over {len(self.qid)} queries"]
        for name, mean in zip(self.rankers, self.means, strict=True):
            lines.append(f"{name:<{width}}  {mean:>10.4f}")
        interval = f"{self.confidence:.0%} interval"
        tests = "".join(f"  {_column(test):>8}" for test in self.p_values)
        lines.append(f"\n{'pair':<{width}}  {'difference':>10}  {interval:^18}{tests}")
        for row, name in enumerate(self._names()):
            low, high = self.intervals[row]
            p_values = "".join(f"  {_p_value(each[row]):>8}" for each in self.p_values.values())
            ends = f"[{low:+.4f}, {high:+.4f}]"
            lines.append(f"{name:<{width}}  {self.differences[row]:>+10.4f}  {ends:>18}{p_values}")
        return "\n".join([*lines, *self._notes()])

    def _notes(self) -> list[str]:
        corrected = f", {_CORRECTIONS[self.correction]} for {len(self.pairs)} pairs"
        notes = [f"p-values of paired tests{corrected if len(self.pairs) > 1 else ''}."]
        if self.n_left_out:
            notes.append(f"{_count(self.n_left_out, 'query', 'queries')} without a value left out.")
        return notes


def _size_for(names: list[str]) -> tuple[float, float]:
    """Return a figure's width and height in inches, with room for the names beside the axes."""
    return (
        _WIDTH_OF_AXES + _WIDTH_OF_CHARACTER * max(map(len, names)),
        max(_LEAST_HEIGHT, _HEIGHT_OF_REST + _HEIGHT_OF_PAIR * len(names)),
    )


def _p_value(value: float) -> str:
    return f"{value:.4f}" if value >= _SMALLEST_SHOWN else f"<{_SMALLEST_SHOWN}"


def _column(test: str) -> str:
    return {"t": "t", "wilcoxon": "Wilcoxon", "randomization": "Fisher"}[test]


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def compare_rankers(
    rankers: Mapping[str, Any] | Iterable[Any],
    X: Any = None,
    y: Any = None,
    *,
    qid: ArrayLike | None = None,
    measure: str | Measure | None = None,
    correction: Correction = "holm",
    confidence: float = 0.95,
    n_resamples: int = 9999,
    random_state: int | np.random.Generator | None = 0,
) -> RankerComparison:
    """Compare rankers over the same queries by differences, intervals and paired tests.

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
    measure : str or Measure, optional
        The measure; by default that of the first ranker. A cross-validation has values of its own
        measures only.
    correction : {"holm", "bh", "none"}, default="holm"
        Correction of the p-values of each test for the number of pairs: Holm's, Benjamini and
        Hochberg's, or none.
    confidence : float, default=0.95
        Confidence of the intervals, which are percentiles of the mean difference over queries that
        are drawn with replacement.
    n_resamples : int, default=9999
        Resamples of the intervals and of Fisher's randomisation test, which tries all swaps if
        there are not more than that.
    random_state : int, Generator or None, default=0
        Seed of the resamples; None draws others in every call.

    Returns
    -------
    RankerComparison
        Mean differences, intervals and p-values of all pairs.

    Raises
    ------
    ValueError
        If there are fewer than two rankers or two queries with values, rankers have values for
        different queries, or an argument is not as described.

    Warns
    -----
    QueryLeakWarning
        If a model was trained on other documents of the queries in X.
    ThinnedQueriesWarning
        If queries in X lack rows, as `query_target`, `query_series` or `query_ids` has counted
        them.

    See Also
    --------
    cross_validate_queries : Values of all queries of a data set, each tested once.

    Notes
    -----
    All queries count equally, whatever their weights. The tests are two-sided: Student's paired t
    test, Wilcoxon's signed-rank test (queries without a difference are left out), and Fisher's
    randomisation test of the mean difference [1]_.

    References
    ----------
    .. [1] M. Smucker, J. Allan, B. Carterette (2007), "A Comparison of Statistical Significance
       Tests for Information Retrieval Evaluation", CIKM.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import compare_rankers, cross_validate_queries
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    >>> found = {
    ...     name: cross_validate_queries(Ridge(), each, y, qid=qid, measures="nDCG@10")
    ...     for name, each in {"all": X, "half": X[:, ::2]}.items()
    ... }
    >>> comparison = compare_rankers(found)
    >>> comparison.rankers, bool(comparison.p_values["randomization"][0] < 0.05)
    (('all', 'half'), True)
    """
    choice("correction", correction, get_args(Correction))
    fraction("confidence", confidence)
    integer("n_resamples", n_resamples, 1)
    named = _named(rankers)
    scores = _scores_of_all(named, X, y, qid, measure)
    qids, values, n_left_out = _aligned(named, scores)
    chosen = scores[0].measure
    best_first = _best_first(values, chosen)
    values = values[best_first]
    pairs = np.array(list(combinations(range(len(values)), 2)))
    differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
    rng = np.random.default_rng(random_state)
    p_values = _p_values(differences, correction, n_resamples, rng)
    return RankerComparison(
        rankers=tuple(list(named)[each] for each in best_first),
        measure=chosen,
        qid=qids,
        values=values,
        n_left_out=n_left_out,
        pairs=pairs,
        differences=differences.mean(axis=1),
        intervals=np.stack(bootstrap_interval(differences, confidence, n_resamples, rng), axis=1),
        effect_sizes=effect_size(differences),
        p_values=p_values,
        confidence=confidence,
        correction=correction,
    )


def _best_first(values: FloatArray, chosen: Measure) -> IntArray:
    means = values.mean(axis=1)
    return np.argsort(-means if chosen.greater_is_better else means, kind="stable")


def _p_values(
    differences: FloatArray, correction: str, n_resamples: int, rng: np.random.Generator
) -> dict[str, FloatArray]:
    correct = {"holm": holm, "bh": benjamini_hochberg}.get(correction, np.asarray)
    p_values = {
        "t": t_test(differences),
        "wilcoxon": wilcoxon_test(differences),
        "randomization": randomization_test(differences, n_resamples, rng),
    }
    return {test: correct(each) for test, each in p_values.items()}


def _named(rankers: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    if isinstance(rankers, Mapping):
        named = {str(name): each for name, each in rankers.items()}
    else:
        named = {f"ranker {place}": each for place, each in enumerate(rankers)}
    if len(named) < _FEWEST:
        raise ValueError(f"rankers must hold at least 2 rankers to compare, got {len(named)}.")
    return named


def _scores_of_all(
    named: dict[str, Any], X: Any, y: Any, qid: ArrayLike | None, given: str | Measure | None
) -> list[QueryScores]:
    """Return the values of one measure for every ranker."""
    chosen = None if given is None else measure(given)
    documents = None if X is None else _documents_of(X, y, qid)
    found: list[QueryScores] = []
    for name, each in named.items():
        scores = _scores_of_one(name, each, documents, chosen)
        if chosen is not None and not is_once_resolved(chosen, scores.measure):
            raise ValueError(
                f"rankers must be scored by one measure, got {scores.measure} for {name!r} and "
                f"{chosen} elsewhere."
            )
        chosen = scores.measure
        found.append(scores)
    return found


class _Documents(NamedTuple):
    """Documents for fitted models to rank."""

    X: Any
    queries: QueryIds
    judgments: Judgments


def _documents_of(X: Any, y: Any, qid: ArrayLike | None) -> _Documents:
    if y is None:
        raise ValueError("y must hold the grades of the rows of X, got None.")
    refuse_other_order(X=X, y=y, qid=qid)
    grades, queries = resolve_rows(X, y, qid)
    judgments = Judgments.from_arrays(grades, queries.ids)
    warn_if_ids_are_sizes(judgments)
    return _Documents(X, queries, judgments)


def _scores_of_one(
    name: str, ranker: Any, documents: _Documents | None, chosen: Measure | None
) -> QueryScores:
    """Return a ranker's values, if need be by ranking documents; its own measure is the default."""
    if isinstance(ranker, QueryScores):
        return ranker
    if isinstance(ranker, QueryValidation):
        try:
            return ranker.per_query(chosen)
        except KeyError as error:
            raise ValueError(
                f"rankers must be scored by one measure: {name!r} was cross-validated by "
                f"{', '.join(map(str, ranker.measures))}, not by {chosen}."
            ) from error
    if documents is None:
        raise ValueError(f"X and y are needed to rank the queries with {name!r}, a fitted model.")
    X, queries, judgments = documents
    chosen = (chosen or measure_of(ranker)).resolve(int(judgments.top_grade))
    warn_if_scored_queries_are_parts(ranker, judgments, queries.sizes)
    return chosen.per_query(judgments.rank(scores_of(ranker, features_for(ranker, X))))


def _aligned(
    named: dict[str, Any], scores: list[QueryScores]
) -> tuple[NDArray[Any], FloatArray, int]:
    """Return the queries with a value from every ranker, the values, and how many lack one."""
    qid = scores[0].qid
    rows = []
    for name, each in zip(named, scores, strict=True):
        place = {query: number for number, query in enumerate(each.qid.tolist())}
        if place.keys() != set(qid.tolist()):
            raise ValueError(
                f"rankers must be scored on the same queries: {name!r} has {len(place)}, "
                f"{next(iter(named))!r} has {len(qid)}, "
                f"and {len(place.keys() & set(qid.tolist()))} of them are the same."
            )
        rows.append(each.values[[place[query] for query in qid.tolist()]])
    values = np.array(rows)
    has_value = ~np.isnan(values).any(axis=0)
    if has_value.sum() < _FEWEST:
        raise ValueError(
            f"Paired tests need at least 2 queries with a value, got {has_value.sum()}."
        )
    return qid[has_value], values[:, has_value], int((~has_value).sum())
