"""Threshold profiles: for which users one ranker is better than another."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._intervals.estimate import Estimate, sums_by_cluster
from skgraded._intervals.paired import paired_differences
from skgraded._intervals.repeats import over_repeats
from skgraded._support.arguments import choice, fraction
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.pictures import axes_or_new
from skgraded._support.results_base import Field, LongResult, Table
from skgraded._support.text import count, shorten_apart, told_in_clusters, unit_in_words
from skgraded.measures import AP
from skgraded.results import Scores, clusters_of
from skgraded.users._pair_profile import PairProfile, draw_pairs, percent
from skgraded.users._threshold_scores import RankerArguments, scores_by_threshold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_FEWEST = 2  # rankers
_FEWEST_QUERIES = 3
_HALF = 0.5
_LONGEST_HEADING = 12


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
    means : ndarray of shape (n_rankers, n_grades)
        Mean AP of each ranker at the thresholds 1..c.
    pairs : tuple of PairProfile
        One comparison for each ranker other than the baseline, in the order of the rankers.
    n_queries, n_left_out : int
        Number of queries for which every ranker has a value, and of the others.
    n_found : ndarray of shape (n_grades,)
        Number of queries, or of clusters, in which some ranker retrieves a document of the grade or
        above. No other one tells anything about users with that threshold.
    confidence : float
        Confidence of the intervals, which hold jointly for all users and pairs.
    n_repeats : int
        Repeats of the cross-validation that the values are means of; 0 without one. The intervals
        of two or more carry the variation of splits and fits; those of one hold for its models.
    n_clusters : int or None
        Number of clusters of queries that do not vary independently; None if queries do.
    """

    rankers: tuple[str, ...]
    baseline: str
    measure: AP
    means: FloatArray
    pairs: tuple[PairProfile, ...]
    n_queries: int
    n_left_out: int
    n_found: IntArray
    confidence: float
    n_repeats: int = 0
    n_clusters: int | None = None

    @property
    def conclusion(self) -> str:
        """For which users which ranker is better, in a sentence for each pair."""
        return "\n".join(pair.conclusion for pair in self.pairs)

    def __getitem__(self, ranker: str) -> PairProfile:
        """Return the comparison of one ranker with the baseline."""
        for pair in self.pairs:
            if pair.ranker == ranker:
                return pair
        raise KeyError(
            f"{ranker!r} is not among the rankers compared with {self.baseline!r}: "
            f"{', '.join(pair.ranker for pair in self.pairs)}."
        )

    def _fields(self) -> list[Field]:
        n_grades = len(self.n_found)
        n_pairs = len(self.pairs)
        means_of = dict(zip(self.rankers, self.means, strict=True))
        baseline_means = means_of[self.baseline]
        intervals = np.concatenate([pair.intervals for pair in self.pairs])
        low, high = intervals.T

        # Of one pair, the headings name the rankers; of several, the rows do.
        ranker_heading = "ranker"
        baseline_heading = "baseline"
        label_form = "rel={}, {ranker}"
        if n_pairs == 1:
            names = (self.pairs[0].ranker, self.baseline)
            ranker_heading, baseline_heading = shorten_apart(names, _LONGEST_HEADING)
            label_form = "rel={}"
        interval_heading = f"{self.confidence:.0%} interval"

        rankers = [pair.ranker for pair in self.pairs for _ in range(n_grades)]
        baselines = [self.baseline] * len(rankers)
        thresholds = [*range(1, n_grades + 1)] * n_pairs
        values = np.concatenate([means_of[pair.ranker] for pair in self.pairs])
        baseline_values = np.tile(baseline_means, n_pairs)
        differences = np.concatenate([pair.differences for pair in self.pairs])
        n_found = np.tile(self.n_found, n_pairs)
        return [
            Field("ranker", rankers),
            Field("baseline", baselines),
            Field("threshold", thresholds, str(self.measure), label_form),
            Field("value", values, ranker_heading, "{:.4f}"),
            Field("baseline_value", baseline_values, baseline_heading, "{:.4f}"),
            Field("difference", differences, "difference", "{:+.4f}"),
            Field("low", low, interval_heading, "[{low:+.4f}, {high:+.4f}]"),
            Field("high", high),
            Field("n_found", n_found, self._units[1]),
        ]

    def _facts(self) -> dict[str, Any]:
        conclusions = {pair.ranker: pair.sentence for pair in self.pairs}
        shares = {pair.ranker: pair.shares._asdict() for pair in self.pairs}
        return {
            "measure": str(self.measure),
            "confidence": self.confidence,
            "n_queries": self.n_queries,
            "n_clusters": self.n_clusters,
            "n_left_out": self.n_left_out,
            "n_repeats": self.n_repeats,
            "conclusions": conclusions,
            "shares": shares,
        }

    @property
    def verdict(self) -> str:
        """For which users the only ranker is better; or of how many rankers that is told."""
        if len(self.pairs) == 1:
            return self.pairs[0].sentence
        n_better = sum(1 in pair.signs for pair in self.pairs)
        n_worse = sum(-1 in pair.signs for pair in self.pairs)
        return (
            f"Of {len(self.pairs)} rankers, {n_better} are better than {self.baseline} for some "
            f"users, and {n_worse} are worse for some."
        )

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        sentences = self._sentences(n_rows)
        table = Table(self._fields(), sentences, self.verdict)
        return [table.first(n_rows)]

    def _sentences(self, n_rows: int | None = None) -> list[str]:
        notes = [self._sentence_of_intervals()]
        n_all = len(self.pairs) * len(self.n_found)
        if n_rows is not None and n_rows < n_all:
            notes.append(
                f"Shown are the first {n_rows} of {n_all} rows: to_text() shows all."
            )

        if len(self.pairs) == 1 < len(self.n_found):
            shares = self.pairs[0].shares
            notes.append(
                f"Of all possible mixtures of users, {self.pairs[0].ranker} has the higher mean "
                f"for {percent(shares.higher)}, and is better for {percent(shares.better)} and "
                f"worse for {percent(shares.worse)}."
            )
        if self.n_repeats == 1:
            notes.append(
                "The intervals hold for the models that were trained in this one cross-validation; "
                "n_repeats=5 shows how much models vary, too."
            )
        return notes

    def _sentence_of_intervals(self) -> str:
        queries = count(self.n_queries, "query", "queries")
        clusters = None if self.n_clusters is None else [self.n_clusters]
        without = ""
        if self.n_left_out:
            left_out = count(self.n_left_out, "query", "queries")
            without = f" ({left_out} without a value for some ranker left out)"

        return (
            f"Intervals hold jointly, over {told_in_clusters(queries, clusters)}{without}; a user "
            f"with threshold k accepts grade k or better (rel=k), and '{self._units[1]}' have such "
            "a document in some ranking."
        )

    @property
    def _units(self) -> tuple[str, str]:
        return unit_in_words(self.n_clusters is not None)

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
        ax = axes_or_new(ax, self)
        draw_pairs(self.pairs, ax, self.verdict)
        return ax


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
    **fields: Any,
) -> ThresholdProfile:
    r"""Tell for which users one ranker is better than another.

    A population of users is described by g: the share g_k of them consider documents of grade k or
    above relevant. `eGAP` is linear in g,

    .. math::

        eGAP(g) = \sum_{k=1}^{c} g_k\, AP_k,

    where AP_k is `AP` with relevance from grade k on. So the differences in AP at the thresholds
    1..c answer for all users at once: a ranker that is better at every threshold is better for
    everybody; else there is a break-even point.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,), or scored rankers
        Grades: 0 is judged not relevant, NaN is unjudged. Or, without ``y_score``, a mapping of
        names to `Rankings`, or `Scores` of several systems, such as those of
        `skgraded.trec.evaluate`, or a mapping of names to `Scores`, such as cross-validations.
        Other than `Rankings`, these must be scored by AP(rel=1), AP(rel=2) and so on up to the top
        grade.
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
        Cluster of each query by its id, where queries vary together, such as those of one person.
        By default ``Scores.clusters``.
    confidence : float, default=0.95
        Probability that all intervals hold jointly, for all users and all pairs.
    **fields : object
        Other fields of AP: ``k``, ``ties``, ``unjudged`` and ``empty``, which is 0 or nan.

    Returns
    -------
    ThresholdProfile
        Differences, simultaneous intervals, shares of the users, and a sentence of conclusion.

    Raises
    ------
    ValueError
        If there are fewer than two rankers or three queries, or clusters, with values, rankers have
        values for different queries, they were not scored by AP at all thresholds, or an argument
        is not as described.
    TypeError
        If rankers are of another kind, or arguments do not go together.

    Notes
    -----
    The difference for g is a mixture of those at the thresholds. Its interval is the same mixture
    of their intervals, which are those of `skgraded.compare`: corrected for the thresholds, and for
    pairs if there are several (Bonferroni). Where all of these hold, so do those
    of all mixtures; thus one may look at all users and then speak about some of them. Mixtures of
    users are counted uniformly over the simplex; it is not a claim about how frequent such users
    are. As in eGAP, a query without a document of grade k or above counts as 0 at threshold k.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.users import threshold_profile
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.choice(3, p=[0.7, 0.2, 0.1], size=3000)
    >>> qid = np.repeat(np.arange(100), 30)
    >>> noise = rng.normal(size=(2, 3000))
    >>> scores = {"broad": 2 * (y_true > 0) + noise[0], "precise": y_true + noise[1]}
    >>> profile = threshold_profile(y_true, scores, qid=qid)
    >>> print(profile.conclusion)
    Take broad if more than 73 % of your users accept grade 1, precise if fewer than
    40 % do; else no difference is established.
    """
    fraction("confidence", confidence)
    arguments = RankerArguments(y_true, y_score, X, qid, sample_weight)
    scores, measure = scores_by_threshold(arguments, fields)
    rankers = scores.systems or ()
    if len(rankers) < _FEWEST:
        raise ValueError(
            f"There must be at least 2 rankers to compare, got {len(rankers)}."
        )
    reference = rankers[-1]
    if baseline is not None:
        reference = choice("baseline", baseline, rankers)

    common = _common_scores(scores, cluster)
    n_found = common.n_found
    n_queries = len(common.queries)

    names = [name for name in rankers if name != reference]
    pairs = []
    for name in names:
        estimate = common.difference(name, reference)
        pairs.append(PairProfile(name, reference, estimate, confidence, len(names)))
    return ThresholdProfile(
        rankers=rankers,
        baseline=reference,
        measure=measure,
        means=np.average(common.values, axis=1, weights=common.weights),
        pairs=tuple(pairs),
        n_queries=n_queries,
        n_left_out=len(scores.qid) - n_queries,
        n_found=n_found,
        confidence=confidence,
        n_repeats=0 if scores.folds is None else len(scores.folds),
        n_clusters=common.n_clusters,
    )


class _CommonScores(NamedTuple):
    """Scores by AP at the thresholds, on the queries for which every ranker has a value.

    Attributes
    ----------
    scores : Scores
        The scores on all queries.
    queries : ndarray of shape (n_queries,)
        Places of the queries among all.
    clusters : ndarray of shape (n_queries,) or None
        Their clusters.
    values : ndarray of shape (n_rankers, n_queries, n_grades)
        Means over repeats. At thresholds above the first, no value is 0, as in eGAP.
    """

    scores: Scores
    queries: IntArray
    clusters: IntArray | None
    values: FloatArray

    @property
    def weights(self) -> FloatArray | None:
        """Weights of the queries."""
        weights = self.scores.weights
        if weights is None:
            return None
        return weights[self.queries]

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters, if there are any."""
        if self.clusters is None:
            return None
        return len(np.unique(self.clusters))

    @property
    def n_found(self) -> IntArray:
        """In how many queries, or clusters, some ranker has a value above 0 at a threshold."""
        is_found = np.any(self.values > 0, axis=0)
        found_queries = is_found.T.astype(np.float64)
        sums, _ = sums_by_cluster(found_queries, self.clusters)
        return (sums > 0).sum(axis=1)

    def difference(self, *names: str) -> Estimate:
        """Return the estimate of the mean differences of a pair at the thresholds."""
        systems = self.scores.systems or ()
        places = [systems.index(name) for name in names]
        all_values = self.scores.values[places]
        values_of_pair = all_values[..., self.queries, :]
        values, baseline_values = np.nan_to_num(values_of_pair, nan=0.0)
        differences = paired_differences(values, baseline_values)

        # With one axis for repeats, and nan where a query was not tested.
        folds = None
        if self.scores.folds is None:
            differences = differences[None]
        else:
            folds = self.scores.folds[:, self.queries]
            was_tested = folds >= 0
            differences = np.where(was_tested[..., None], differences, np.nan)
        rows, estimate = over_repeats(
            np.moveaxis(differences, 2, 0), folds, self.clusters, self.weights
        )

        # As by default in a comparison, a query loses half at most, if none is seen to lose more.
        worst = np.where(np.abs(rows).max(axis=0) > _HALF, 1.0, _HALF)
        estimate.bounds = (-worst, worst)
        return estimate


def _common_scores(scores: Scores, cluster: Mapping[Any, Any] | None) -> _CommonScores:
    """Find the queries for which every ranker has a value."""
    values = scores.over_repeats().values
    values_at_first = values[:, :, 0]
    is_missing = np.any(np.isnan(values_at_first), axis=0)
    queries = np.flatnonzero(~is_missing)
    clusters = clusters_of(cluster, scores)
    if clusters is not None:
        clusters = clusters[queries]

    common_values = np.nan_to_num(values[:, queries], nan=0.0)
    common = _CommonScores(scores, queries, clusters, common_values)
    units = "queries"
    n_units = len(queries)
    if common.n_clusters is not None:
        units = "clusters of queries"
        n_units = common.n_clusters
    if n_units < _FEWEST_QUERIES:
        raise ValueError(
            f"There must be at least {_FEWEST_QUERIES} {units} for which every ranker has a value, "
            f"got {n_units}."
        )
    return common
