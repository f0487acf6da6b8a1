"""`Comparison`, the result of a comparison of systems, and how it is shown."""

from __future__ import annotations

import dataclasses
import textwrap
from itertools import product
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from skgraded._intervals.estimate import FEWEST_DIFFERENCES
from skgraded._intervals.paired import level_of
from skgraded._support.arguments import fraction, number
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.pictures import (
    BETTER,
    GREY,
    axes_or_new,
    headline,
    plain,
    size_beside,
)
from skgraded._support.results_base import Field, LongResult, Report, Table
from skgraded._support.text import WIDTH, shorten
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.results import MeasureCollection, column_of

_STATUS = {"fails": 1, "undecided": 3}
# More pairs are not listed one by one, unless all have the baseline.
_MOST_PAIRS = 20
_SMALLEST_SHOWN = 0.0001
_WIDEST_LABEL = 44
_N_LETTERS = len(ascii_lowercase)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(MeasureCollection, LongResult):
    """Differences between systems, with intervals, effect sizes and p-values.

    Systems, and with them the signs of the differences, are in the order in which they were given.
    Printed tables and pictures list the best one first. `to_frame` has one row per measure and pair
    of systems, with the columns measure, system, other, difference, low, high, effect_size, one for
    the p-values of each test, significant, and decision where there is a margin.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    measures : tuple of str
        Names of the measures.
    directions : tuple of int
        For each measure, 1 if more is better and -1 if less is better.
    means : ndarray of shape (n_systems, n_measures)
        Mean of each system over the queries.
    pairs : ndarray of shape (n_pairs, 2), int64
        Places of the two systems of each pair in ``systems``.
    difference : ndarray of shape (n_pairs, n_measures)
        Mean difference: the first system of the pair minus the second, which is the baseline, or
        without one the system that was given earlier.
    interval : ndarray of shape (n_pairs, n_measures, 2)
        Ends of its confidence interval, which is not corrected for the number of differences.
    standard_error : ndarray of shape (n_pairs, n_measures)
        Standard error of the mean difference.
    effect_size : ndarray of shape (n_pairs, n_measures)
        Mean difference divided by the standard deviation of the differences (Cohen's d).
    n_differing : ndarray of shape (n_pairs, n_measures), int64
        Number of queries, or of clusters, in which the two systems differ.
    p_value : dict of str to ndarray of shape (n_pairs, n_measures)
        Corrected two-sided p-values, by the name of the test. The first test decides what is
        significant. They are nan where pairs are too many to be decided.
    correction : str
        Correction of the p-values of each test for their number.
    confidence : float
        Confidence of the intervals; 1 - confidence is the level of significance.
    baseline : str or None
        The system that all others are compared with, if not all pairs are compared.
    margin : float or None
        By how much a system may fall behind the baseline; 0 if it was asked whether it is better;
        None if neither was asked.
    decisions : ndarray of shape (n_pairs, n_measures) or None
        With a margin, whether each difference stays within it. It ``"holds"`` if the whole interval
        for decisions is above minus the margin (in the direction in which the measure is better),
        ``"fails"`` if it is below, and is ``"undecided"`` otherwise.
    n_queries : tuple of int
        For each measure, the number of queries that were compared.
    judge : JudgedEstimates or None
        With a judge, how each difference is estimated, the judge's bias, and how many queries with
        human labels it is worth.
    tested : str
        The tests, what they are over, their correction and the level, in words.
    notes : tuple of str
        What limits the comparison, in at most three sentences.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    directions: tuple[int, ...]
    means: FloatArray
    pairs: IntArray
    difference: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    n_differing: IntArray
    p_value: dict[str, FloatArray]
    correction: str
    confidence: float
    baseline: str | None
    margin: float | None
    decisions: NDArray[np.str_] | None
    n_queries: tuple[int, ...]
    judge: JudgedEstimates | None
    tested: str
    notes: tuple[str, ...]

    def __getitem__(self, name: Any) -> Comparison:
        """Pick one measure by its name, or several by a list; p-values stay as corrected."""
        names = name if isinstance(name, list | tuple) else [name]
        columns = [column_of(self.measures, each) for each in names]
        picked: dict[str, Any] = {
            field: each[:, columns]
            for field, each in vars(self).items()
            if isinstance(each, np.ndarray) and field != "pairs"
        }
        for field in ("measures", "directions", "n_queries"):
            picked[field] = tuple(getattr(self, field)[column] for column in columns)
        picked["p_value"] = {
            test: found[:, columns] for test, found in self.p_value.items()
        }
        picked["judge"] = None if self.judge is None else self.judge[names]
        return dataclasses.replace(self, **picked)

    @property
    def level(self) -> float:
        """Level of significance: 1 - confidence."""
        return level_of(self.confidence)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether a difference is significant by the first test, shape (n_pairs, n_measures)."""
        return next(iter(self.p_value.values())) < self.level

    @property
    def status(self) -> int:
        """The worst of all decisions: 0 if all hold, 1 if any fails, or else 3.

        Raises
        ------
        ValueError
            If the comparison has neither a margin nor ``better=True``.
        """
        if self.decisions is None:
            raise ValueError("Decisions need a margin or better=True, and a baseline.")
        return next(
            (_STATUS[e] for e in ("fails", "undecided") if (self.decisions == e).any()),
            0,
        )

    def queries_needed(
        self,
        effect: float | None = None,
        power: float = 0.8,
        confidence: float | None = None,
    ) -> FloatArray:
        r"""Return how many queries would show a difference of a size that you name.

        Parameters
        ----------
        effect : float, optional
            The smallest mean difference of interest, above 0; by default the margin.
        power : float, default=0.8
            Probability that a two-sided t test shows it.
        confidence : float, optional
            1 less the level of the test; by default the confidence of the comparison. For n tests
            with Holm's correction, 1 - 0.05 / n is on the safe side.

        Returns
        -------
        ndarray of shape (n_pairs, n_measures)
            The numbers. They are nan for systems that differ in fewer than 10 queries, which say
            too little about how much differences vary.

        Raises
        ------
        ValueError
            If an argument is not as described, or if there is neither an effect nor a margin.

        Notes
        -----
        With the level :math:`\alpha`, 1 less the confidence, the number is

        .. math:: (t_{1-\alpha/2} + t_{power})^2 s^2 / effect^2 + z_{1-\alpha/2}^2 / 2,

        rounded up, where t are quantiles of Student's t with one degree of freedom less than there
        are queries, and s is the observed standard deviation of the differences: the standard error
        times the square root of the number of queries. The quantiles allow for the error of s [1]_,
        and the second term for the degrees of freedom of the test to come [2]_.

        A difference that was seen is a guess at the true one, and mostly too large a guess: plan by
        what would matter. With a judge, the number is that of queries with human labels, if those
        of the judge grow with them.

        References
        ----------
        .. [1] S. Julious, R. Owen (2006), "Sample Size Calculations for Clinical Studies Allowing
           for Uncertainty about the Variance", Pharmaceutical Statistics 5(1).
        .. [2] W. Guenther (1981), "Sample Size Formulas for Normal Theory T Tests", The American
           Statistician 35(4).

        Examples
        --------
        >>> from skgraded import compare, evaluate
        >>> from skgraded.datasets import make_ranking
        >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
        >>> scores = evaluate("AP", y, {"first": X[:, 0], "second": X[:, 1]}, qid=qid)
        >>> compare(scores).queries_needed(effect=0.02).item()
        531.0
        """
        if effect is None and not self.margin:
            raise ValueError(
                "effect must be given for a comparison without a margin, got None."
            )
        wanted = number("effect", self.margin if effect is None else effect, above=0.0)
        chosen = fraction(
            "confidence", self.confidence if confidence is None else confidence
        )
        level = level_of(chosen)
        n_queries = np.array(self.n_queries)
        freedom = n_queries - 1.0
        share = fraction("power", power)
        reach = stdtrit(freedom, 1.0 - level / 2.0) + stdtrit(freedom, share)
        needed = reach**2 * self.standard_error**2 * n_queries / wanted**2
        # The t test that is to come has few degrees of freedom.
        needed = np.ceil(needed + ndtri(1.0 - level / 2.0) ** 2 / 2.0)
        return np.where(self.n_differing >= FEWEST_DIFFERENCES, needed, np.nan)

    def _fields(self) -> list[Field]:
        pairs = [(self.systems[one], self.systems[other]) for one, other in self.pairs]
        rows = ((name, *pair) for name, pair in product(self.measures, pairs))
        measures, systems, others = zip(*rows, strict=True)
        low, high = self.interval.T.reshape(2, -1)
        interval = f"{100.0 * self.confidence:g}% interval"
        fields = [
            Field("measure", measures),
            Field("system", systems, "pair", "{system} - {other}"),
            Field("other", others),
            Field("difference", self.difference.T.ravel(), "difference", "{:+.4f}"),
            Field("low", low, interval, "[{low:+.4f}, {high:+.4f}]"),
            Field("high", high),
            Field("effect_size", self.effect_size.T.ravel()),
        ]
        for test, found in self.p_value.items():
            heading = "p-value" if test == "score" else test
            fields.append(Field(test, found.T.ravel(), heading, _p_value))
        fields.append(Field("significant", self.significant.T.ravel()))
        if self.decisions is not None:
            asked = f"margin {self.margin:g}" if self.margin else "better"
            fields.append(Field("decision", self.decisions.T.ravel(), asked))
        return fields

    def _facts(self) -> dict[str, Any]:
        means = {
            system: dict(zip(self.measures, row, strict=True))
            for system, row in zip(self.systems, self.means.tolist(), strict=True)
        }
        decided = {} if self.decisions is None else {"status": self.status}
        return {**super()._facts(), **decided, "means": means}

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return _tables_of(self, n_rows)

    def _report(self) -> Report:
        return super()._report()._replace(for_papers=_tables_for_papers(self))

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences with their intervals; of many pairs those of the best system.

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
        return _draw_comparison(self, ax)


def _best_first(found: Comparison) -> IntArray:
    """Return the places of the systems in the order of their means by the only measure."""
    return np.argsort(-found.directions[0] * found.means[:, 0], kind="stable")


def _beats(found: Comparison) -> NDArray[np.bool_]:
    """Return whether the row's system is significantly better than the column's."""
    better = found.directions[0] * found.difference[:, 0]
    matrix = np.zeros((len(found.systems),) * 2, dtype=bool)
    first, second = found.pairs.T
    matrix[first, second] = found.significant[:, 0] & (better > 0)
    matrix[second, first] = found.significant[:, 0] & (better < 0)
    return matrix


def _tables_of(found: Comparison, n_rows: int | None) -> list[Table]:
    """Return the tables of all measures, with notes below the last one."""
    tables = []
    for name in found:
        tables.append(_means_table(found[name], n_rows))
        if _are_listed(found):
            tables.append(_pairs_table(found[name]).first(n_rows))
    notes = [f"{found.tested}.", _note_on_rows(found, n_rows), *found.notes]
    return [*tables[:-1], tables[-1]._replace(notes=notes)]


def _pairs_table(found: Comparison, title: str = "") -> Table:
    """Make the table of the differences by the only measure."""
    return Table(found._fields(), title=title, widest_label=_WIDEST_LABEL)


def _tables_for_papers(found: Comparison) -> list[Table]:
    """Return one table of all means, with marks of what each one beats, and the differences."""
    order = _best_first(found[found.measures[0]])
    names = [found.systems[place] for place in order]
    of_measures = [(name, found[name]) for name in found]
    if found.baseline is None:
        letters = list(map(_letter, range(len(order))))
        names = [
            f"({letter}) {name}" for letter, name in zip(letters, names, strict=True)
        ]
        between = "," if len(order) > _N_LETTERS else ""
        marks = [
            [
                between.join(np.array(letters)[row])
                for row in _beats(each)[np.ix_(order, order)]
            ]
            for _, each in of_measures
        ]
        told = "Superscripts: significantly better than these systems."
    else:
        others = [
            set(found.pairs[each.significant[:, 0], 0].tolist())
            for _, each in of_measures
        ]
        marks = [
            ["*" if place in differing else "" for place in order]
            for differing in others
        ]
        told = f"*: differs significantly from {found.baseline}."
    fields = [Field("system", names, "system")]
    for (name, each), of_measure in zip(of_measures, marks, strict=True):
        means = each.means[order, 0]
        direction = each.directions[0]
        fields.append(Field(name, means, name, "{:.4f}", direction, of_measure))
    means_table = Table(fields, [f"{told} {found.tested}.", *found.notes])
    pairs = (
        [_pairs_table(each, name) for name, each in of_measures]
        if _are_listed(found)
        else []
    )
    return [means_table, *pairs]


def _letter(place: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    rest, last = divmod(place, _N_LETTERS)
    return (_letter(rest - 1) if rest else "") + ascii_lowercase[last]


def _are_listed(found: Comparison) -> bool:
    """Whether the pairs are so few that each is shown by itself."""
    return found.baseline is not None or len(found.pairs) <= _MOST_PAIRS


def _note_on_rows(found: Comparison, n_rows: int | None) -> str:
    """Say what the tables leave out."""
    n_pairs = len(found.pairs) if _are_listed(found) else 0
    n_most = max(len(found.systems), n_pairs)
    told = []
    if n_rows is not None and n_rows < n_most:
        told.append(f"the first {n_rows} of {n_most} rows")
    if not n_pairs:
        told.append(f"none of {len(found.pairs):,} pairs")
    return f"Shown are {' and '.join(told)}: to_frame() has all." if told else ""


def _means_table(found: Comparison, n_rows: int | None) -> Table:
    """Make the table of the means, the best system first, with the numbers of those it beats."""
    order = _best_first(found)
    shown = order[:n_rows]
    digits = len(str(len(order)))
    labels = [
        f"{at:>{digits}} {found.systems[each]}"
        for at, each in enumerate(shown, start=1)
    ]
    heading = shorten(found.measures[0])
    means = [f"{found.means[each, 0]:.4f}" for each in shown]
    above = " " * digits + " system"
    fields = [Field("system", labels, above), Field("mean", means, heading)]
    if found.baseline is None:
        rows = [np.flatnonzero(row) + 1 for row in _beats(found)[np.ix_(shown, order)]]
        widths = [
            max(map(len, each))
            for each in ([above, *map(shorten, labels)], [heading, *means])
        ]
        room = WIDTH - sum(widths) - len("    ")
        cells = [
            textwrap.shorten(each, room, placeholder=" ...")
            for each in map(_ranges, rows)
        ]
        widest = max(map(len, ["beats", *cells]))
        beats = [each.ljust(widest) for each in cells]
        fields.append(Field("beats", beats, "beats".ljust(widest)))
    return Table(fields)


def _pair_names(found: Comparison) -> list[str]:
    return [
        f"{found.systems[one]} - {found.systems[other]}" for one, other in found.pairs
    ]


def _ranges(numbers: NDArray[np.intp]) -> str:
    """Write ascending numbers with consecutive ones as a range, such as ``2 4-7``."""
    runs = (
        np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
        if len(numbers)
        else []
    )
    return " ".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs
    )


def _p_value(value: float, /, **_: Any) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.4f}" if value >= _SMALLEST_SHOWN else f"<{_SMALLEST_SHOWN}"


def _draw_comparison(found: Comparison, axes: Any) -> Any:
    """Draw a comparison, one picture for each measure, side by side."""
    width, height = size_beside(
        _pair_names(found), len(_shown(found[found.measures[0]]))
    )
    axes = axes_or_new(axes, found, (len(found) * width, height), len(found))
    for name, ax in zip(found, np.ravel(axes), strict=True):
        _draw(found[name], ax)
    return axes


def _shown(found: Comparison) -> NDArray[np.intp]:
    """Return the places of the pairs that are drawn: of many, those of the best system."""
    is_of_best = (found.pairs == _best_first(found)[0]).any(axis=1)
    return np.flatnonzero(is_of_best | _are_listed(found))


def _draw(found: Comparison, ax: Any) -> None:
    """Draw differences with their intervals."""
    shown = _shown(found)
    names = [_pair_names(found)[each] for each in shown]
    place = np.arange(len(shown))
    difference = found.difference[shown, 0]
    low, high = found.interval[shown, 0].T
    reach = (difference - low, high - difference)
    ax.errorbar(difference, place, xerr=reach, fmt="o", capsize=3, color=BETTER)
    ax.axvline(0, color=GREY, linewidth=1)
    ax.set_yticks(place, names)
    ax.set_ylim(len(place) - 0.5, -0.5)
    ax.set_xlabel(
        f"difference in {found.measures[0]},\n{100.0 * found.confidence:g}% interval"
    )
    plain(ax, grid="x")
    headline(ax, _verdict(found, shown))


def _verdict(found: Comparison, shown: NDArray[np.intp]) -> str:
    """Say what is decided of the pairs that are drawn."""
    by = f"in {found.measures[0]}"
    differs = found.significant[shown, 0]
    if found.decisions is not None:
        words, numbers = np.unique(found.decisions[:, 0], return_counts=True)
        told = ", ".join(
            f"{word} for {n}" for word, n in zip(words, numbers, strict=True)
        )
        margin = (
            f"No worse by more than {found.margin:g} than"
            if found.margin
            else "Better than"
        )
        return f"{margin} {found.baseline} {by}: {told}."
    if len(shown) > 1:
        return f"{differs.sum() or 'None'} of {len(shown)} differences {by} are significant."
    better = found.difference[shown[0], 0] * found.directions[0]
    one, other = (
        found.systems[each]
        for each in found.pairs[shown[0]][:: 1 if better > 0 else -1]
    )
    if differs[0]:
        return f"{one} is better than {other} {by}."
    return f"No difference between {one} and {other} {by} is established."
