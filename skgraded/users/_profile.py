"""Threshold profiles: for which users one ranker is better than another."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._intervals.bands import (
    SHARE_OF_BOUNDS,
    Moments,
    critical_beside_bounds,
    critical_value,
    moments_of,
)
from skgraded._intervals.estimate import FEWEST_DIFFERENCES
from skgraded._intervals.paired import paired_differences
from skgraded._optional import axes_or_new
from skgraded._params import choice, fraction, integer
from skgraded._text import count
from skgraded._writers import LongResult, Table
from skgraded.exceptions import FewDifferencesWarning
from skgraded.measures import AP
from skgraded.results import told_in_clusters, unit_in_words
from skgraded.users._pair_profile import PairProfile
from skgraded.users._profile_plot import SIZE, draw_pair, draw_pairs
from skgraded.users._profile_sources import Given, Profiled, values_of_rankers
from skgraded.users._profile_text import tables_of_profile

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

FloatArray = NDArray[np.float64]
P = ParamSpec("P")

_BY_POSITION = 2  # grades and scores


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ThresholdProfile(LongResult):
    """Differences between rankers for all users at once.

    `to_frame` has one row per pair and threshold, with the columns ranker, baseline, threshold,
    value, baseline_value, difference, low, high and n_found.

    Attributes
    ----------
    rankers : tuple of str
        Names of the rankers.
    baseline : str
        The ranker that the others are compared with.
    measure : AP
        AP at threshold 1, which shows the cut-off and the rules for ties and unjudged documents.
    qid : ndarray of shape (n_queries,)
        The queries for which every ranker has values.
    values : ndarray of shape (n_rankers, n_queries, n_grades)
        AP at the thresholds 1..c.
    weights : ndarray of shape (n_queries,) or None
        Weights of the queries.
    n_left_out : int
        Number of queries left out because some ranker has no value for them.
    n_found : ndarray of shape (n_grades,)
        Number of queries, or of clusters, in which some ranker retrieves a document of the grade or
        above. No other one tells anything about users with that threshold.
    pairs : tuple of PairProfile
        One comparison for each ranker other than the baseline, in the order of the rankers.
    confidence : float
        Confidence of the intervals, which hold jointly for all users and pairs.
    n_resamples : int
        Resamples of the queries from which the intervals come.
    n_repeats : int
        Repeats of the cross-validation that the values are means of; 0 without one. The intervals
        of two or more carry the variation of splits and fits; those of one hold for its models.
    n_clusters : int or None
        Number of clusters of queries, which are resampled; None if queries are.
    """

    rankers: tuple[str, ...]
    baseline: str
    measure: AP
    qid: NDArray[Any]
    values: FloatArray
    weights: FloatArray | None
    n_left_out: int
    n_found: NDArray[np.int64]
    pairs: tuple[PairProfile, ...]
    confidence: float
    n_resamples: int
    n_repeats: int = 0
    n_clusters: int | None = None

    _rows_shown = 10  # comparisons with the baseline

    @property
    def means(self) -> FloatArray:
        """Mean AP of each ranker at each threshold, shape (n_rankers, n_grades)."""
        means: FloatArray = np.average(self.values, axis=1, weights=self.weights)
        return means

    @property
    def conclusion(self) -> str:
        """For which users which ranker is better, in a sentence for each pair."""
        return "\n".join(each.conclusion for each in self.pairs)

    def __getitem__(self, ranker: str) -> PairProfile:
        """Return the comparison of one ranker with the baseline."""
        for each in self.pairs:
            if each.ranker == ranker:
                return each
        raise KeyError(
            f"{ranker!r} is not among the rankers compared with {self.baseline!r}: "
            f"{', '.join(each.ranker for each in self.pairs)}."
        )

    def _columns(self) -> dict[str, Any]:
        means = dict(zip(self.rankers, self.means, strict=True))
        n_grades, n_pairs = len(self.n_found), len(self.pairs)
        intervals = np.concatenate([each.intervals for each in self.pairs])
        return {
            "ranker": [each.ranker for each in self.pairs for _ in range(n_grades)],
            "baseline": [self.baseline] * (n_pairs * n_grades),
            "threshold": list(range(1, n_grades + 1)) * n_pairs,
            "value": np.concatenate([means[each.ranker] for each in self.pairs]).tolist(),
            "baseline_value": means[self.baseline].tolist() * n_pairs,
            "difference": np.concatenate([each.differences for each in self.pairs]).tolist(),
            "low": intervals[:, 0].tolist(),
            "high": intervals[:, 1].tolist(),
            "n_found": self.n_found.tolist() * n_pairs,
        }

    def _facts(self) -> dict[str, Any]:
        """Return everything but the values of the queries."""
        names, rows = self.rankers, self.means.tolist()
        return {
            "measure": str(self.measure),
            "baseline": self.baseline,
            "confidence": self.confidence,
            "n_resamples": self.n_resamples,
            "n_repeats": self.n_repeats,
            "n_queries": len(self.qid),
            "n_clusters": self.n_clusters,
            "n_left_out": self.n_left_out,
            "n_found": self.n_found.tolist(),
            "means": dict(zip(names, rows, strict=True)),
            "pairs": [each.to_dict() for each in self.pairs],
        }

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return tables_of_profile(self, n_rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the differences for users from the least to the most demanding ones.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax = axes_or_new(ax, self, SIZE)
        queries = told_in_clusters(count(len(self.qid), "query", "queries"), self.n_clusters)
        if len(self.pairs) == 1:
            draw_pair(self.pairs[0], ax, queries)
        else:
            draw_pairs(self.pairs, ax, queries)
        return ax


def _with_hint(function: Callable[P, ThresholdProfile]) -> Callable[P, ThresholdProfile]:
    """Name the right call where the arguments come in the order of `skgraded.compare`."""

    @functools.wraps(function)
    def hinting(*args: P.args, **others: P.kwargs) -> ThresholdProfile:
        if len(args) > _BY_POSITION:
            raise TypeError(
                "threshold_profile takes the grades first, then scores or fitted models, and the "
                f"rest by name, got {len(args)} arguments by position: "
                "threshold_profile(y_true, models, X=X, qid=qid)."
            )
        return function(*args, **others)

    return hinting


@_with_hint
def threshold_profile(
    y_true: ArrayLike | Mapping[str, Any] | Any,
    y_score: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    *,
    X: Any = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    baseline: str | None = None,
    cluster: Mapping[Any, Any] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = 0,
    **fields: Any,
) -> ThresholdProfile:
    r"""Tell for which users one ranker is better than another.

    A population of users is described by g: the share g_k of them consider documents of grade k or
    above relevant. `eGAP` is linear in g,

    .. math::

        eGAP(g) = \sum_{k=1}^{c} g_k\, AP_k,

    where AP_k is `AP` with relevance from grade k on. So the differences in AP at the thresholds
    1..c answer for all users at once: a ranker that is better at every threshold is better for
    everybody; else there is a break-even point. `xGAP` is not linear in g, and is compared for
    users all over the simplex.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,), or scored rankers
        Grades: 0 is judged not relevant, NaN is unjudged. Or, without ``y_score``, a mapping of
        names to `Rankings`, or `Scores` of several systems, such as those of
        `skgraded.trec.evaluate`, or a mapping of names to `Scores`, such as cross-validations.
        Other than `Rankings`, these must be scored by `profile_measures`.
    y_score : mapping of str to array-like of shape (n_documents,) or DataFrame, optional
        Scores of two or more rankers by name; of a DataFrame, every column is a ranker. Or a
        mapping of names to fitted models, which must not have been trained on these queries.
    X : array-like of shape (n_documents, n_features), optional
        Features that fitted models rank the documents by.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    baseline : str, optional
        The ranker that all others are compared with; the last one by default.
    cluster : mapping, optional
        The cluster of each query by its id, a dict or a pandas Series: queries that do not vary
        independently, such as those of one person. The bootstrap then draws clusters. By default
        it is ``Scores.clusters``, and without these every query is by itself.
    confidence : float, default=0.95
        Probability that all intervals hold jointly, for all users and all pairs.
    n_resamples : int, default=2000
        Resamples of the queries from which the intervals come.
    random_state : int, Generator or None, default=0
        Seed of the resamples; None draws others in every call.
    **fields : object
        Other fields of AP and xGAP: ``k``, ``ties``, ``unjudged`` and ``empty``, which is 0 or
        nan.

    Returns
    -------
    ThresholdProfile
        Differences, simultaneous intervals, break-even points, shares of the users, and a sentence
        of conclusion.

    Raises
    ------
    ValueError
        If there are fewer than two rankers or three queries, or clusters, with values, rankers have
        values for different queries, they were not scored by AP at all thresholds, or an argument
        is not as described.
    TypeError
        If rankers are of another kind, or arguments do not go together.

    Warns
    -----
    FewDifferencesWarning
        If fewer than 10 queries, or clusters, tell about a threshold.

    See Also
    --------
    profile_measures : The measures to score TREC runs or cross-validations by.
    skgraded.compare : Tests by any measures, each with one g.

    Notes
    -----
    The difference for g has the standard error of a mean over queries. The interval is the
    difference plus and minus a number q of standard errors, the same for all g and all pairs: the
    quantile of the largest error of any g, in standard errors, over resamples of the queries.
    Thus one may look at all users and then speak about some of them. Mixtures of users are counted
    uniformly over the simplex; it is not a claim about how frequent such users are. As in eGAP, a
    query without a document of grade k or above counts as 0 at threshold k. A query with nothing
    relevant counts as 0 at all of them, or with ``empty=nan`` not at all. There is a separate q for
    xGAP, over the users for which it was scored.

    The intervals carry the variation over queries. If values come from a cross-validation with two
    or more repeats, they carry that over splits and fits, too: the covariance between thresholds of
    the component of folds within repeats is added, as `skgraded.compare` adds its variance, and
    errors over queries are widened by its allowance for training data that folds share. Few repeats
    show the component badly, and hardly any of it for some users; it then leans on what thresholds
    have in common. With one repeat they hold for the models that were trained in it.

    Where no query differs at a threshold, at most a share of 1 - level^(1/n) of all queries does,
    each by at most 1, with a fifth of what may miss as the level; the interval is as wide.

    The number q is at least the quantile of Student's t for the threshold at which the fewest
    queries differ. With few such queries the band is so wide that hardly anything is established.
    The page on calibration tells how often bands hold.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.users import threshold_profile
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.choice(3, p=[0.7, 0.2, 0.1], size=3000)
    >>> qid = np.repeat(np.arange(100), 30)
    >>> noise = rng.normal(size=(2, 3000))
    >>> scores = {"finds any": 2 * (y_true > 0) + noise[0], "finds best": y_true + noise[1]}
    >>> profile = threshold_profile(y_true, scores, qid=qid)
    >>> print(profile.conclusion)
    finds any is better than finds best for users with g_1 above 0.72; finds best is
    better than finds any for users with g_1 below 0.43; in between, no difference
    is established.
    """
    fraction("confidence", confidence)
    integer("n_resamples", n_resamples, 1)
    found = values_of_rankers(Given(y_true, y_score, X, qid, sample_weight), fields, cluster)
    base = found.rankers[-1] if baseline is None else choice("baseline", baseline, found.rankers)
    n_found = found.units_with(np.any(found.ap > 0, axis=0))
    _warn_of_few_queries(n_found, found.clusters is not None)
    return ThresholdProfile(
        rankers=found.rankers,
        baseline=base,
        measure=found.measure,
        qid=found.qid,
        values=found.ap,
        weights=found.weights,
        n_left_out=found.n_left_out,
        n_found=n_found,
        pairs=_pairs(found, base, confidence, n_resamples, np.random.default_rng(random_state)),
        confidence=confidence,
        n_resamples=n_resamples,
        n_repeats=0 if found.folds is None else len(found.folds),
        n_clusters=found.n_clusters,
    )


def _warn_of_few_queries(n_found: NDArray[np.int64], are_clusters: bool) -> None:
    """Warn if a threshold rests on few queries, for which the intervals of all users are wide."""
    few = np.flatnonzero(n_found < FEWEST_DIFFERENCES)
    if len(few):
        units = count(int(n_found[few[0]]), *unit_in_words(are_clusters))
        warnings.warn(
            f"Users with threshold {few[0] + 1} are judged by {units} in which some ranker "
            f"retrieves such a document. Fewer than {FEWEST_DIFFERENCES} do not tell how "
            "differences vary, so that intervals are wide for all users: merge grades, or compare "
            "by AP at a lower threshold.",
            FewDifferencesWarning,
            stacklevel=4,  # above the wrapper of threshold_profile
        )


def _pairs(
    found: Profiled, baseline: str, confidence: float, n_resamples: int, rng: np.random.Generator
) -> tuple[PairProfile, ...]:
    """Compare all other rankers with the baseline, with bands that hold for all of them jointly."""
    base = found.rankers.index(baseline)
    others = [place for place in range(len(found.rankers)) if place != base]
    n_grades = found.ap.shape[2]
    rows = ((found.ap, slice(0, n_grades)), (found.xgap, slice(n_grades, None)))
    moments = [
        [
            moments_of(
                paired_differences(each[one], each[base]),
                found.weights,
                found.models_of(one, base, columns),
                found.clusters,
            )
            for one in others
        ]
        for each, columns in rows
    ]
    bounds = _bounds_of_none(moments[0], confidence)
    critical = critical_beside_bounds(moments[0], bounds, confidence, n_resamples, rng)
    of_xgap = 0.0
    if len(found.users):
        of_xgap = critical_value(moments[1], confidence, n_resamples, rng, over_simplex=False)
    return tuple(
        PairProfile(
            ranker=found.rankers[one],
            baseline=baseline,
            differences=linear.means,
            covariance=linear.covariance * np.outer(bound == 0.0, bound == 0.0),
            critical=critical,
            users=found.users,
            xgap_differences=curved.means,
            xgap_errors=curved.standard_errors,
            xgap_critical=of_xgap,
            bounds=bound,
        )
        for one, linear, curved, bound in zip(others, *moments, bounds, strict=True)
    )


def _bounds_of_none(pairs: list[Moments], confidence: float) -> FloatArray:
    """Bound differences at thresholds at which no query differs (Clopper and Pearson 1934)."""
    are_none = np.array([each.n_differing == 0 for each in pairs])
    level = SHARE_OF_BOUNDS * (1.0 - confidence) / max(are_none.sum(), 1)
    return np.where(are_none, 1.0 - level ** (1.0 / len(pairs[0].influences)), 0.0)
