"""What incomplete judgments do to measures: statistics by rate, with their tables and picture."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from itertools import compress, product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support import pictures
from skgraded._support.arguments import choice
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.progress import ProgressBar
from skgraded._support.results_base import Field, Result, Table
from skgraded._support.text import count
from skgraded.measures import Measure, Measures, measure, measures_by_name, resolve_all
from skgraded.studies._measure_correlation import (
    kendall_tau,
    pearson,
    rms_error,
    tau_ap,
)
from skgraded.studies._pool_samples import (
    PoolReduction,
    Reduction,
    plan_reduction,
    samples_of,
)
from skgraded.studies._scored_systems import known_mean, legend, system_mask
from skgraded.studies._topic_facts import n_topics_of, topic_sets
from skgraded.trec import JoinedRuns, Negative, Order, Qrels, join_runs, read_qrels

if TYPE_CHECKING:
    from matplotlib.axes import Axes


IncompletenessStatistic = Literal[
    "kendall", "tau_ap", "score", "target_kendall", "target_pearson", "target_rmse"
]

_TITLES: dict[IncompletenessStatistic, str] = {
    "kendall": "Kendall's tau with the full pool",
    "tau_ap": "tau_AP with the full pool",
    "score": "mean score over systems and topics",
    "target_kendall": "Kendall's tau with the {target} of the full pool",
    "target_pearson": "linear correlation with the {target} of the full pool",
    "target_rmse": "RMS error against the {target} of the full pool, lowest is best",
}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Incompleteness(Result):
    """Means of systems under reduced pools, compared with those under the full pool.

    The statistics have shape (n_sets, n_rates, n_repeats, n_measures).

    `to_frame` has one row per set of topics, rate, repeat and measure, with the columns topics,
    rate, repeat, n_judged, measure and the statistics.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    systems : tuple of str
        Names of the systems.
    topic_sets : tuple of str
        Names of the sets of topics.
    n_topics : tuple of int
        Number of topics in each set.
    method : str
        How the pools were reduced.
    rates : ndarray of shape (n_rates,)
        Percentages of the judgments, or depths of the pool.
    n_judged : ndarray of shape (n_rates, n_repeats)
        Number of judgments that are left, over all topics.
    target : str
        The measure that the others are compared with as its estimates.
    full : ndarray of shape (n_sets, n_systems, n_measures)
        Means under the full pool; nan if no topic has a value.
    target_full : ndarray of shape (n_sets, n_systems)
        Means of the target under the full pool.
    means : ndarray of shape (n_sets, n_rates, n_repeats, n_systems, n_measures)
        Means under the reduced pools.
    kendall, tau_ap : ndarray
        Agreement with the same measure's order under the full pool.
    score : ndarray
        Mean score over systems and topics.
    target_kendall, target_pearson, target_rmse : ndarray
        Agreement with the target's means under the full pool.
    notes : tuple of str
        Facts about the qrels and the runs, such as topics that were left out, in sentences.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    topic_sets: tuple[str, ...]
    n_topics: tuple[int, ...]
    method: str
    rates: FloatArray
    n_judged: IntArray
    target: str
    full: FloatArray
    target_full: FloatArray
    means: FloatArray
    kendall: FloatArray
    tau_ap: FloatArray
    score: FloatArray
    target_kendall: FloatArray
    target_pearson: FloatArray
    target_rmse: FloatArray
    notes: tuple[str, ...] = ()

    def _fields(self) -> list[Field]:
        n_sets, _, n_repeats, n_measures = self.kendall.shape
        rows = product(self.topic_sets, self.rates, range(n_repeats), self.measures)
        topics, rates, repeats, measures = zip(*rows, strict=True)

        n_judged_of_set = np.repeat(self.n_judged, n_measures)
        n_judged = np.tile(n_judged_of_set, n_sets)
        fields = [
            Field("topics", topics),
            Field("rate", rates),
            Field("repeat", repeats),
            Field("n_judged", n_judged),
            Field("measure", measures),
        ]

        for name in _TITLES:
            values = getattr(self, name)
            fields.append(Field(name, values.ravel()))
        return fields

    def to_text(
        self, statistic: IncompletenessStatistic = "kendall", topics: str | None = None
    ) -> str:
        """Draw a table of means over the repeats, with a row per measure and a column per rate.

        Parameters
        ----------
        statistic : str, default="kendall"
            ``"kendall"``, ``"tau_ap"``, ``"score"``, ``"target_kendall"``, ``"target_pearson"`` or
            ``"target_rmse"``.
        topics : str, optional
            The set of topics; the first by default.

        Returns
        -------
        str
            The lines.
        """
        return self.table(statistic, topics).to_text()

    def table(
        self, statistic: IncompletenessStatistic = "kendall", topics: str | None = None
    ) -> Table:
        """Make the table that `to_text` draws.

        Parameters
        ----------
        statistic : str, default="kendall"
            As in `to_text`.
        topics : str, optional
            The set of topics; the first by default.

        Returns
        -------
        Table
            The table, whose ``to_text`` draws it.
        """
        means = self._means_over_repeats(statistic, topics)
        form = "{:.3f}"
        if statistic in ("kendall", "tau_ap"):
            form = "{:.2f}"
        unit = "% of the judgments"
        if self.method == "depth":
            unit = "depth of the pool"

        fields = [Field("measure", self.measures, unit)]
        for rate, means_of_rate in zip(self.rates, means, strict=True):
            heading = f"{rate:g}"
            fields.append(Field(heading, means_of_rate, heading, form))

        _, n_repeats = self.n_judged.shape
        n_samples = count(n_repeats, "sample")
        systems_and_topics = legend(self).removesuffix(".")
        sentence = f"{self.method} samples; {systems_and_topics}; {n_samples} per rate."
        title = self._title(statistic)
        return Table(fields, [sentence], title, widest_label=44)

    def _table(self) -> Table:
        return self.table()

    def plot(
        self,
        ax: Axes | None = None,
        statistic: IncompletenessStatistic = "kendall",
        topics: str | None = None,
    ) -> Axes:
        """Draw a statistic over the rates, with a curve for each measure.

        The flatter a curve, the less the measure depends on complete judgments.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.
        statistic : str, default="kendall"
            As in `to_text`.
        topics : str, optional
            The set of topics; the first by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes. Of many measures, the two largest and the two smallest with the fewest
            judgments are in colour.
        """
        means = self._means_over_repeats(statistic, topics)
        is_by_depth = self.method == "depth"
        ax = pictures.axes_or_new(ax, self)

        # A measure stands out by its value at the smallest pool.
        looks = pictures.looks_of(means[-1])
        curves = []
        for name, means_of_measure, look in zip(
            self.measures, means.T, looks, strict=True
        ):
            curves.append(pictures.Curve(name, self.rates, means_of_measure, look))
        pictures.draw_curves(ax, curves)

        unit = "% of the judgments kept"
        if is_by_depth:
            unit = "depth of the pool"
            depths = [f"{rate:g}" for rate in self.rates]
            ax.set_xscale("log")
            ax.set_xticks(self.rates, depths)
            ax.minorticks_off()
        ax.set(xlabel=unit, ylabel=self._title(statistic))
        pictures.plain(ax)
        set_number = self._set_number(topics)
        verdict = self._verdict(means[-1], set_number)
        pictures.headline(ax, verdict)
        return ax

    def _verdict(self, means: FloatArray, set_number: int) -> str:
        """Say which measures have the largest and the smallest value at the smallest pool."""
        if np.isnan(means).all():
            return ""
        highest = np.nanargmax(means)
        lowest = np.nanargmin(means)
        extremes = f"highest for {self.measures[highest]} ({means[highest]:.2f})"
        if lowest != highest:
            extremes += f", lowest for {self.measures[lowest]} ({means[lowest]:.2f})"

        rate = f"{self.rates[-1]:g}"
        pool = f"With {rate} % of the judgments"
        if self.method == "depth":
            pool = f"At depth {rate}"
        systems = f"{len(self.systems)} systems"
        topics = count(self.n_topics[set_number], "topic")
        if len(self.topic_sets) > 1:
            topics = f"{topics} ({self.topic_sets[set_number]})"
        return f"{pool}: {extremes}; {systems}, {topics}."

    def _set_number(self, topics: str | None) -> int:
        if topics is None:
            return 0
        choice("topics", topics, self.topic_sets)
        return self.topic_sets.index(topics)

    def _means_over_repeats(
        self, statistic: IncompletenessStatistic, topics: str | None
    ) -> FloatArray:
        """Return a statistic by rate and measure."""
        choice("statistic", statistic, _TITLES)
        values = getattr(self, statistic)
        set_number = self._set_number(topics)
        values_of_set = values[set_number]
        return values_of_set.mean(axis=1)

    def _title(self, statistic: IncompletenessStatistic) -> str:
        title = _TITLES[statistic]
        return title.format(target=self.target)


_DECIMALS = 12


def incompleteness(
    measures: Measures,
    qrels: Any,
    runs: Any,
    *,
    method: PoolReduction = "stratified",
    rates: Sequence[float] | None = None,
    n_repeats: int = 1,
    by_grade: bool = True,
    nested: bool | None = None,
    target: str | Measure = "AP",
    topics: Mapping[str, ArrayLike] | None = None,
    systems: ArrayLike | None = None,
    order: Order = "trec_eval",
    complete: bool = True,
    negative: Negative = "unsampled",
    random_state: int | np.random.Generator | None = 0,
    n_threads: int | None = -1,
) -> Incompleteness:
    """Score runs under smaller and smaller pools.

    Runs are read, sorted and looked up only once; a sample only changes the grades.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    qrels : Qrels, path or file
        The judgments, or anything that `skgraded.trec.read_qrels` reads.
    runs : iterable of runs, or mapping of names to them
        Anything that `skgraded.trec.read_run` reads.
    method : {"stratified", "random", "depth"}, default="stratified"
        ``"stratified"`` [1]_ and ``"random"`` [2]_ keep a percentage of each topic's judgments, as
        in `reduce_pool`; the other documents are pooled, but not sampled, which matters to `infAP`.
        ``"depth"`` keeps the judged documents that some run has at this rank or above; the others
        are outside the pool.
    rates : sequence of float, optional
        Percentages, or depths of the pool; by default those of the papers.
    n_repeats : int, default=1
        Number of samples for each rate. A pool of some depth is not random and is taken once.
    by_grade : bool, default=True
        Whether every grade is a stratum of its own. Otherwise all relevant documents are one.
    nested : bool, optional
        Whether a smaller sample is part of every larger one. By default stratified samples are
        nested [1]_ and simple random ones are not [2]_. If simple random samples are nested, they
        are drawn again until the smallest one holds a relevant document.
    target : str or Measure, default="AP"
        The measure that the others are compared with as its estimates.
    topics : mapping of str to array-like of bool, optional
        Sets of topics by name, as masks; all topics by default.
    systems : array-like of bool, optional
        The systems to compare, as a mask; all by default. Pools of some depth are made of all runs.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked, as in `skgraded.trec.rank`.
    complete : bool, default=True
        Whether a topic that a run lacks counts as an empty list. Otherwise it is left out of the
        run's mean.
    negative : {"unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"}
        Meaning of negative grades, as in `skgraded.trec.rank`.
    random_state : int or Generator or None, default=0
        Seed of the samples; with None they differ from call to call.
    n_threads : int or None, default=-1
        Number of threads: -1 for all processors, None for one. Results do not depend on it.

    Returns
    -------
    Incompleteness
        Means under every sample, and their agreement with those under the full pool.

    Raises
    ------
    ValueError
        If there are fewer than two systems, or an option is not as described.

    References
    ----------
    .. [1] C. Buckley, E. M. Voorhees (2004),
       "Retrieval Evaluation with Incomplete Information".
    .. [2] E. Yilmaz, J. A. Aslam (2006), "Inferred AP: Estimating Average Precision with
       Incomplete Judgments".
    .. [3] T. Sakai (2007), "Alternatives to Bpref",
       Sections 5 and 6.
    .. [4] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision to
       Graded Relevance", Section 6.

    Examples
    --------
    >>> from skgraded.studies import incompleteness
    >>> qrels = {"q1": {f"d{number}": int(number % 4 == 0) for number in range(40)}}
    >>> runs = {
    ...     "a": {"q1": {f"d{number}": -float(number) for number in range(40)}},
    ...     "b": {"q1": {f"d{number}": float(number % 7) for number in range(40)}},
    ...     "c": {"q1": {f"d{number}": float(number % 4) for number in range(40)}},
    ... }
    >>> incompleteness(["AP", "Bpref"], qrels, runs, rates=[100, 50])
    Kendall's tau with the full pool
    % of the judgments   100    50
    AP                  1.00  0.33
    Bpref               1.00  0.33
    stratified samples; 3 systems; all: 1 topic; 1 sample per rate.
    """
    reduction = plan_reduction(method, rates, n_repeats, nested, by_grade)
    judgments = read_qrels(qrels)
    named_measures = measures_by_name(measures)
    target = measure(target)
    # The target is the last of the measures that are scored, also where it is one of the others.
    scored_measures = {**named_measures, f"{target}, estimated": target}
    masks = topic_sets(judgments.n_topics, topics)

    graded = _with_meaning(judgments, negative)
    joined = join_runs(
        graded, runs, order=order, complete=complete, n_threads=n_threads
    )
    compared = _mask_of_systems(systems, len(joined.systems))
    means_of = _scorer(joined, scored_measures, masks, compared, n_threads)
    means, n_judged = _means_of_samples(reduction, joined, means_of, random_state)

    return Incompleteness(
        measures=tuple(named_measures),
        systems=tuple(compress(joined.systems, compared)),
        topic_sets=tuple(masks),
        n_topics=n_topics_of(masks),
        method=reduction.method,
        rates=reduction.rates,
        n_judged=n_judged,
        target=str(target),
        means=means,
        notes=tuple(dict.fromkeys([*judgments.notes(negative), *joined.notes()])),
        **_statistics(means, means_of(graded.grades), _signs(scored_measures)),
    )


def _with_meaning(qrels: Qrels, negative: Negative) -> Qrels:
    """Replace negative grades by 0, or by nan if they are unjudged; -1 or all may be unsampled."""
    qrels.pool(negative)  # raises an error if there must be none
    if negative == "unsampled":
        return qrels
    meanings = {"unjudged": np.nan, "all_unsampled": qrels.UNSAMPLED}
    meaning = meanings.get(negative, 0.0)
    is_negative = qrels.grades < 0
    grades = np.where(is_negative, meaning, qrels.grades)
    return dataclasses.replace(qrels, grades=grades)


def _signs(measures: Mapping[str, Measure]) -> FloatArray:
    """Return -1 for each measure of which lower values are better, and 1 for the others."""
    is_greater_better = [measure.greater_is_better for measure in measures.values()]
    return np.where(is_greater_better, 1.0, -1.0)


def _scorer(
    joined: JoinedRuns,
    measures: Mapping[str, Measure],
    masks: Mapping[str, BoolArray],
    systems: BoolArray,
    n_threads: int | None,
) -> Callable[[FloatArray], FloatArray]:
    """Make the function from grades to means, (n_sets, n_systems, n_measures)."""
    qrels = joined.qrels
    resolved = resolve_all(
        measures, qrels.top_grade, are_fractional=qrels.are_fractional
    )

    def means_of(grades: FloatArray) -> FloatArray:
        values = joined.score(resolved, grades, n_threads)[systems]
        means = []
        for mask in masks.values():
            values_of_set = values[:, mask]
            means.append(known_mean(values_of_set, 1))
        # Rounded, so that rounding errors rank no systems.
        stacked = np.stack(means)
        return np.round(stacked, _DECIMALS)

    return means_of


def _mask_of_systems(systems: ArrayLike | None, n_systems: int) -> BoolArray:
    """Check a mask of systems, of which two at least are compared; without one it is all."""
    mask = np.ones(n_systems, dtype=bool)
    if systems is not None:
        mask = system_mask(systems, n_systems)
    if mask.sum() < 2:  # noqa: PLR2004 - one alone has no order
        raise ValueError(
            f"systems must keep at least 2 of the {n_systems} runs, got {mask.sum()}."
        )
    return mask


def _means_of_samples(
    reduction: Reduction,
    joined: JoinedRuns,
    means_of: Callable[[FloatArray], FloatArray],
    random_state: int | np.random.Generator | None,
) -> tuple[FloatArray, IntArray]:
    """Return the means under every sample, without the target's, and the sample's size."""
    grades = joined.qrels.grades
    is_unjudged = np.isnan(grades)
    rng = np.random.default_rng(random_state)
    n_repeats = reduction.n_repeats
    n_rates = len(reduction.rates)
    shape = (n_repeats, n_rates)

    means = []
    n_judged = []
    with ProgressBar(n_repeats * n_rates, "samples") as bar:
        for sample in samples_of(reduction, joined, rng):
            has_grade = sample | is_unjudged
            grades_of_sample = np.where(has_grade, grades, reduction.left_out)
            means_of_sample = means_of(grades_of_sample)
            means.append(means_of_sample[..., :-1])
            n_judged.append(int(sample.sum()))
            bar.step()

    # From repeats by rates by sets to sets by rates by repeats.
    shape_of_means = (*shape, *means[0].shape)
    means_of_samples = np.array(means).reshape(shape_of_means)
    means_of_sets = means_of_samples.transpose(2, 1, 0, 3, 4)
    n_judged_of_samples = np.array(n_judged).reshape(shape)
    return means_of_sets, n_judged_of_samples.T


def _statistics(
    means: FloatArray, full: FloatArray, signs: FloatArray
) -> dict[str, FloatArray]:
    """Compare every sample's means, (n_sets, n_rates, n_repeats, n_systems, n_measures)."""
    names = ("kendall", "tau_ap", "target_kendall", "target_pearson", "target_rmse")
    *axes, _, n_measures = means.shape
    shape = (*axes, n_measures)
    statistics = {name: np.empty(shape) for name in names}

    references = full[..., :-1]
    targets = full[..., -1]
    for place in np.ndindex(shape):
        set_number, rate, repeat, column = place
        estimate = means[set_number, rate, repeat, :, column]
        reference = references[set_number, :, column]
        target = targets[set_number]

        # Orders are those from the best system to the worst.
        sign = signs[column]
        best_first_estimate = sign * estimate
        best_first_reference = sign * reference
        best_first_target = signs[-1] * target
        values = {
            "kendall": kendall_tau(reference, estimate),
            "tau_ap": tau_ap(best_first_reference, best_first_estimate),
            "target_kendall": kendall_tau(best_first_target, best_first_estimate),
            "target_pearson": pearson(best_first_target, best_first_estimate),
            "target_rmse": rms_error(target, estimate),
        }
        for name, value in values.items():
            statistics[name][place] = value

    score = means.mean(axis=-2)
    return {**statistics, "full": references, "target_full": targets, "score": score}
