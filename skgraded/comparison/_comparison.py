"""`Comparison`, the result of a comparison of systems."""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.paired import level_of
from skgraded._intervals.tail import Tail
from skgraded._support.arguments import fraction, number
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.results_base import Field, LongResult, Report, Table
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._picture import draw_comparison
from skgraded.comparison._tables import (
    or_dash,
    p_value_in_words,
    rounded_down,
    tables_for_papers,
    tables_of,
)
from skgraded.results import MeasureCollection, column_of

# Between the shares of judged documents of two systems.
_LARGEST_GAP = 0.02 + 1e-12
_STATUS = {"fails": 1, "undecided": 3}


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(MeasureCollection, LongResult):
    """Differences between systems, with intervals, p-values and decisions.

    Systems, and with them the signs of the differences, are in the order in which they were given.
    Printed tables and pictures list the best one first. `to_frame` has one row per measure and pair
    of systems, with the columns measure, system, other, difference, low, high, effect_size,
    p_value, one such as p_value_t for each other test, significant, worst, times, asked and
    decision where there is a margin, queries_needed, wins, ties, losses and holds_to_worst.

    A row says one thing: the p-value is below the level exactly where the interval excludes 0, and
    decisions and numbers of queries are those of the same interval.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    measures : tuple of str
        Names of the measures.
    directions : tuple of int
        For each measure, 1 if more is better and -1 if less is better.
    means : ndarray of shape (n_systems, n_measures)
        Mean of each system over the queries, with their weights. With a judge they subtract to the
        differences, as nearly as all pairs allow, each of which has a slope of its own.
    judged_share : ndarray of shape (n_systems, n_measures) or None
        Share of judged documents among the first k of each system's lists, k as in the measure or
        10. None where all are judged, or it is unknown.
    pairs : ndarray of shape (n_pairs, 2), int64
        Places of the two systems of each pair in ``systems``.
    difference : ndarray of shape (n_pairs, n_measures)
        Mean difference: the first system of the pair minus the second, which is the baseline, or
        without one the system that was given earlier.
    interval : ndarray of shape (n_pairs, n_measures, 2)
        Ends of its confidence interval, which is corrected as p-values are, but with Holm's and
        Benjamini and Hochberg's corrections, which are of p-values alone.
    standard_error : ndarray of shape (n_pairs, n_measures)
        Standard error of the mean difference.
    effect_size : ndarray of shape (n_pairs, n_measures)
        Mean difference divided by the standard deviation of the differences (Cohen's d).
    wins, ties, losses : ndarray of shape (n_pairs, n_measures), int64
        Number of queries in which the first system is better, equal, and worse.
    p_value : dict of str to ndarray of shape (n_pairs, n_measures)
        Corrected two-sided p-values, by the name of the test. The first one, ``"score"``, is that
        of the intervals and decides what is significant. It is nan where pairs are too many to be
        decided.
    correction : str
        Correction for the number of differences.
    times : float
        By how much the tails of the queries seen are multiplied, for the number of differences and
        for planned looks.
    look_factor : float
        By how much for planned looks: the level over that of this look.
    confidence : float
        Confidence of the intervals; 1 - confidence is the level of significance.
    baseline : str or None
        The system that all others are compared with, if not all pairs are compared.
    margins : tuple of float, or None
        For each measure, by how much a system may fall behind the baseline; 0 if it was asked
        whether it is better; None if neither was asked.
    worst : ndarray of shape (n_pairs, n_measures)
        The largest loss of a query that intervals allow for, as a share of the measure's range.
    n_queries : tuple of int
        For each measure, the number of queries that were compared.
    judge : JudgedEstimates or None
        With a judge, how each difference is estimated, the judge's bias, and how many queries with
        human labels it is worth.
    tested : str
        What intervals and p-values are over, allow for, and are corrected for, in words.
    notes : tuple of str
        What limits the comparison, in at most three sentences.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    directions: tuple[int, ...]
    means: FloatArray
    judged_share: FloatArray | None
    pairs: IntArray
    difference: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray
    p_value: dict[str, FloatArray]
    correction: str
    times: float
    look_factor: float
    confidence: float
    baseline: str | None
    margins: tuple[float, ...] | None
    worst: FloatArray
    n_queries: tuple[int, ...]
    judge: JudgedEstimates | None
    tested: str
    notes: tuple[str, ...]
    _tail: Tail
    _largest_loss: FloatArray
    _largest_gain: FloatArray
    _ranges: FloatArray

    def __getitem__(self, name: Any) -> Comparison:
        """Pick one measure by its name, or several by a list; corrections stay as they are."""
        names = name if isinstance(name, list | tuple) else [name]
        columns = [column_of(self.measures, each) for each in names]

        fields: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            array = getattr(self, field.name)
            if isinstance(array, np.ndarray) and field.name != "pairs":
                fields[field.name] = array[:, columns]
        for field_name in ("measures", "directions", "n_queries", "margins"):
            of_measures = getattr(self, field_name)
            if of_measures is not None:
                fields[field_name] = tuple(of_measures[column] for column in columns)
        fields["p_value"] = {
            test: p_values[:, columns] for test, p_values in self.p_value.items()
        }

        fields["_tail"] = self._tail.each(lambda array: array[:, columns])
        if self.judge is not None:
            fields["judge"] = self.judge[names]
        return dataclasses.replace(self, **fields)

    @property
    def level(self) -> float:
        """Level of significance: 1 - confidence."""
        return level_of(self.confidence)

    @property
    def significant(self) -> BoolArray:
        """Whether a difference is significant, shape (n_pairs, n_measures)."""
        return next(iter(self.p_value.values())) < self.level

    @property
    def _n_corrected(self) -> int:
        """Number of differences for which intervals are corrected together."""
        if self.correction != "bonferroni":
            return 1
        return round(self.times / self.look_factor)

    @property
    def n_differing(self) -> IntArray:
        """Number of queries in which two systems differ, shape (n_pairs, n_measures)."""
        return self.wins + self.losses

    @property
    def margin(self) -> float | dict[str, float] | None:
        """The margin of all measures, or that of each one by its name."""
        if self.margins is None:
            return None
        if len(set(self.margins)) == 1:
            return self.margins[0]
        return dict(zip(self.measures, self.margins, strict=True))

    @property
    def decisions(self) -> NDArray[np.str_] | None:
        """Whether each difference stays within the margin, shape (n_pairs, n_measures).

        It ``"holds"`` if the whole interval is above minus the margin (in the direction in which
        the measure is better), ``"fails"`` if it is below, and is ``"undecided"`` otherwise.
        A verdict in favour of a system whose first documents are judged more than the other's, by
        more than 2 %, is ``"undecided"``, too. Without a margin or ``better=True`` it is None.
        """
        decisions = self._decisions_of_intervals
        if decisions is None:
            return None
        return np.where(self._is_withheld, "undecided", decisions)

    @property
    def _decisions_of_intervals(self) -> NDArray[np.str_] | None:
        """The decisions by the intervals alone."""
        if self.margins is None:
            return None
        by_direction = self.interval * np.array(self.directions)[:, None]
        low = by_direction.min(axis=2)
        high = by_direction.max(axis=2)
        bound = -np.array(self.margins)
        below = np.where(high < bound, "fails", "undecided")
        return np.where(low > bound, "holds", below)

    @property
    def _judged_more(self) -> IntArray:
        """1 where the first system of a pair is judged more, -1 where the second one is, or 0."""
        if self.judged_share is None:
            return np.zeros(self.difference.shape, dtype=np.int64)
        first, second = self.pairs.T
        apart = self.judged_share[first] - self.judged_share[second]
        return np.sign(apart).astype(np.int64) * (np.abs(apart) > _LARGEST_GAP)

    @property
    def _is_withheld(self) -> BoolArray:
        """Whether a verdict of the interval favours the system that is judged more."""
        decisions = self._decisions_of_intervals
        if decisions is None:
            return np.zeros(self.difference.shape, dtype=bool)
        favours_first = (decisions == "holds") & (self._judged_more > 0)
        favours_second = (decisions == "fails") & (self._judged_more < 0)
        is_withheld: BoolArray = favours_first | favours_second
        return is_withheld

    @property
    def status(self) -> int:
        """The worst of all decisions: 0 if all hold, 1 if any fails, or else 3.

        Raises
        ------
        ValueError
            If the comparison has neither a margin nor ``better=True``.
        """
        decisions = self.decisions
        if decisions is None:
            raise ValueError("Decisions need a margin or better=True, and a baseline.")
        for decision, status in _STATUS.items():
            if (decisions == decision).any():
                return status
        return 0

    def queries_needed(
        self,
        effect: float | None = None,
        power: float = 0.8,
        confidence: float | None = None,
    ) -> FloatArray:
        r"""Return how many queries decide, if the true difference is one that you name.

        Parameters
        ----------
        effect : float, optional
            The true mean difference, by which systems are better than the baseline: above 0, or
            above minus the margin. With a margin it is 0 by default: systems as good as the
            baseline.
        power : float, default=0.8
            Probability that the interval of as many queries excludes 0, or holds within the margin.
        confidence : float, optional
            Confidence of that interval, by default that of the comparison.

        Returns
        -------
        ndarray of shape (n_pairs, n_measures)
            The numbers; inf where none is enough.

        Raises
        ------
        ValueError
            If an argument is not as described, or if there is neither an effect nor a margin.

        Notes
        -----
        The number is that of queries with which the interval decides in a share ``power`` of
        samples, if differences vary as those seen do: their standard error and skewness shrink, and
        fewer can be of a kind that was not seen. The part of repeated training in the error stays.
        The same worst loss and correction are allowed for.

        A difference that was seen is a guess at the true one, and mostly too large a guess: plan by
        what would matter. With a judge, the number is that of queries with human labels, if those
        of the judge grow with them.

        Examples
        --------
        >>> from skgraded import compare, evaluate
        >>> from skgraded.datasets import make_ranking
        >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
        >>> scores = evaluate("AP", y, {"first": X[:, 0], "second": X[:, 1]}, qid=qid)
        >>> compare(scores).queries_needed(effect=0.02).item()
        529.0
        """
        if effect is None and not any(self.margins or ()):
            raise ValueError(
                "effect must be given for a comparison without a margin, got None."
            )
        least = 0.0 - min(self.margins or (0.0,))
        if effect is None:
            effect = 0.0
        truth = number("effect", effect, above=least)

        if confidence is None:
            confidence = self.confidence
        fraction("confidence", confidence)
        fraction("power", power)
        all_rows = np.ones(self.difference.shape, dtype=bool)
        truths = np.full(self.difference.shape, truth)
        return self._planned(all_rows, truths, power, confidence)

    def _planned(
        self, rows: BoolArray, truths: FloatArray, power: float, confidence: float
    ) -> FloatArray:
        """Return how many queries decide if these are the true differences on the rows' sides.

        It is nan for other rows.
        """
        tail = self._tail.mirrored(self._sides)
        tail_of_rows = tail.each(lambda array: array[rows])
        ratio = tail_of_rows.units_needed(
            truth=truths[rows],
            bound=self._least[rows],
            tail=(1.0 - confidence) / 2.0,
            power=power,
        )

        n_queries = np.broadcast_to(np.array(self.n_queries), rows.shape)
        planned = np.full(rows.shape, np.nan)
        planned[rows] = np.ceil(ratio * n_queries[rows])
        return planned

    @property
    def _sides(self) -> FloatArray:
        """By what differences are multiplied to be above what they are to be above."""
        if self.margins is not None:
            directions = np.array(self.directions, dtype=float)
            return np.broadcast_to(directions, self.difference.shape)
        return np.where(self.difference < 0.0, -1.0, 1.0)

    @property
    def _least(self) -> FloatArray:
        """What differences are to be above, on their sides."""
        margins = np.zeros(len(self.measures))
        if self.margins is not None:
            margins = np.array(self.margins)
        return np.broadcast_to(-margins, self.difference.shape)

    @property
    def _is_decided(self) -> BoolArray:
        """Whether a row is decided, or without a margin significant, (n_pairs, n_measures)."""
        decisions = self.decisions
        if decisions is None:
            return self.significant
        return decisions != "undecided"

    @property
    def _likely_truths(self) -> FloatArray:
        """Differences as seen, on their sides, and with a margin no more than 0."""
        truths = self._sides * self.difference
        return np.where(self._least < 0.0, np.minimum(truths, 0.0), truths)

    def _queries_that_decide(self, rows: BoolArray) -> FloatArray:
        """Return how many queries decide undecided rows, if differences are those seen.

        It is nan for other rows, and inf where no number is enough.
        """
        rows = rows & ~self._is_decided
        if not rows.any():
            return np.full(rows.shape, np.nan)
        planned = self._planned(rows, self._likely_truths, 0.8, self.confidence)
        planned = np.maximum(planned, np.array(self.n_queries) + 1.0)
        # More queries with such labels do not decide, either.
        return np.where(rows & self._is_withheld, np.inf, planned)

    @cached_property
    def holds_to_worst(self) -> FloatArray:
        """The largest worst loss of a query with which a row holds, shape (n_pairs, n_measures).

        It is a share of the measure's range, as ``worst`` is. Of an undecided row it is the one
        with which it would hold. It is nan where the queries seen do not suffice, whatever the
        worst loss, where a query lost more, and where a verdict is not taken.
        """
        tail = self._tail.mirrored(self._sides)
        largest = tail.largest_loss((1.0 - self.confidence) / 2.0, self._least)

        # Means of these queries alone can lose only by those without human labels.
        loss = self.worst * self._ranges
        gain = np.maximum(loss, self._largest_gain)
        is_forward = self._sides == np.array(self.directions)
        allowed = np.where(is_forward, loss, gain)
        lowest = np.asarray(tail.lowest)
        width = np.asarray(tail.highest) - lowest
        share_at_stake = width / (loss + gain)
        with_no_loss = lowest + share_at_stake * allowed
        with np.errstate(divide="ignore", invalid="ignore"):
            largest = (with_no_loss + largest) / share_at_stake

        seen = np.where(is_forward, self._largest_loss, self._largest_gain)
        largest = np.fmax(largest, -self._least)
        is_enough = (largest >= seen) & (largest > 0.0) & ~self._is_withheld
        largest = np.where(is_enough, largest, np.nan)
        return np.minimum(largest / self._ranges, 1.0)

    @property
    def _asked(self) -> list[str]:
        """What is asked by each measure, in words."""
        return [
            f"within {margin:g}" if margin > 0.0 else "better"
            for margin in self.margins or ()
        ]

    @property
    def _interval_heading(self) -> str:
        """The heading of intervals, with the number of differences that hold together."""
        percent = f"{100.0 * self.confidence:g}%"
        if self._n_corrected == 1:
            return f"{percent} interval"
        return f"{percent} of all {self._n_corrected:,}"

    def _fields(self) -> list[Field]:
        names = np.array(self.systems, dtype=object)[self.pairs].tolist()
        rows = [(name, *pair) for name, pair in product(self.measures, names)]
        measures, systems, others = zip(*rows, strict=True)

        low, high = self.interval.T.reshape(2, -1)
        ends = "[{low:+.4f}, {high:+.4f}]"
        fields = [
            Field("measure", measures),
            Field("system", systems, "pair", "{system} - {other}"),
            Field("other", others),
            Field("difference", self.difference.T.ravel(), "difference", "{:+.4f}"),
            Field("low", low, self._interval_heading, ends),
            Field("high", high),
            Field("effect_size", self.effect_size.T.ravel()),
        ]

        for test, p_values in self.p_value.items():
            name = "p_value"
            heading = "p-value"
            if test != "score":
                name = f"p_value_{test}"
                heading = f"p-value, {test}"
            fields.append(Field(name, p_values.T.ravel(), heading, p_value_in_words))

        all_rows = np.ones(self.difference.shape, dtype=bool)
        needed = self._queries_that_decide(all_rows).T.ravel()
        queries = None
        if not np.isnan(needed).all():
            queries = "queries"
        holds = self.holds_to_worst.T.ravel()

        return [
            *fields,
            Field("significant", self.significant.T.ravel()),
            Field("worst", self.worst.T.ravel()),
            Field("times", np.full(len(rows), self.times)),
            *self._decision_fields(),
            Field("queries_needed", needed, queries, or_dash),
            Field("wins", self.wins.T.ravel(), "wins"),
            Field("ties", self.ties.T.ravel(), "ties"),
            Field("losses", self.losses.T.ravel(), "losses"),
            Field("holds_to_worst", holds, "up to a loss", rounded_down),
        ]

    def _decision_fields(self) -> list[Field]:
        """Return the columns of what is asked and decided; one, if the same is asked of all."""
        if self.margins is None or self.decisions is None:
            return []

        heading_of_asked: str | None = "asked"
        heading = "decision"
        if len(set(self.margins)) == 1:
            heading_of_asked = None
            heading = self._asked[0].replace("within", "margin")
        questions = np.repeat(self._asked, len(self.pairs))
        decisions = self.decisions.T.ravel()
        return [
            Field("asked", questions, heading_of_asked),
            Field("decision", decisions, heading),
        ]

    def _facts(self) -> dict[str, Any]:
        means = {}
        for system, row in zip(self.systems, self.means.tolist(), strict=True):
            means[system] = dict(zip(self.measures, row, strict=True))

        facts = {**super()._facts(), "margin": self.margin}
        if self.margins is not None:
            facts["status"] = self.status
        return {**facts, "means": means}

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return tables_of(self, n_rows)

    def _report(self) -> Report:
        return super()._report()._replace(for_papers=tables_for_papers(self))

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences with their intervals, the largest first.

        Of many pairs those of the best system are drawn. A filled mark is decided, and a dashed
        line is minus the margin.

        Parameters
        ----------
        ax : matplotlib Axes or array of them, optional
            Where to draw, one for each measure; a new figure by default.

        Returns
        -------
        matplotlib Axes or ndarray of them
            The axes; an array if there are several measures.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw_comparison(self, ax)
