"""Comparison of systems: paired tests over topics, corrected for the number of comparisons."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new, import_pandas
from skgraded._params import choice, fraction, integer
from skgraded._pictures import BETTER, GREY, SMALL, headline, plain
from skgraded._stats.corrections import benjamini_hochberg, holm
from skgraded._stats.paired import (
    _all_swaps_fit as all_swaps_fit,
)
from skgraded._stats.paired import (
    bootstrap_test,
    effect_size,
    paired_differences,
    randomization_test,
    t_test,
    tukey_test,
    wilcoxon_test,
)
from skgraded._text import WIDTH, Table, TableResult, count, shorten
from skgraded.measures import Measure, column_of
from skgraded.trec._run_scores import RunScores

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Comparison", "Correction", "PairedTest", "compare"]

FloatArray = NDArray[np.float64]
PairedTest = Literal["randomization", "t", "wilcoxon", "bootstrap", "tukey"]
Correction = Literal["holm", "bh", "none"]

_TITLES = {
    "randomization": "Fisher's randomisation test",
    "t": "Student's paired t test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD test",
}
_CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "without correction",
}
_RESAMPLED = ("randomization", "bootstrap")
_MOST_IN_A_MATRIX = 20
_ROWS_SHOWN = 20


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Comparison(TableResult):
    """Differences of systems in one measure, and whether they are significant.

    The systems are in the order of their means, the best one first.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    measure : Measure
        The measure.
    means : ndarray of shape (n_systems,)
        Means over the topics on which all systems have a value.
    differences : ndarray of shape (n_systems, n_systems)
        Mean of the row's system minus that of the column's.
    effect_sizes : ndarray of shape (n_systems, n_systems)
        The difference, divided by a standard deviation: that of the differences over topics
        (Cohen's d), or for the Tukey test that of the residuals of systems and topics.
    p_values : ndarray of shape (n_systems, n_systems)
        Corrected two-sided p-values; 1 on the diagonal.
    test, correction : str
        The test and the correction.
    alpha : float
        Level of significance.
    n_topics : int
        Number of topics on which all systems have a value.
    n_left_out : int
        Number of topics on which some system has no value.
    notes : tuple of str
        Other facts about the comparison, in sentences.
    """

    systems: tuple[str, ...]
    measure: Measure
    means: FloatArray
    differences: FloatArray
    effect_sizes: FloatArray
    p_values: FloatArray
    test: str
    correction: str
    alpha: float
    n_topics: int
    n_left_out: int
    notes: tuple[str, ...] = ()

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether the row's system differs from the column's, (n_systems, n_systems)."""
        return self.p_values < self.alpha

    def beaten_by(self, system: str) -> list[str]:
        """List the systems that are significantly worse than a system.

        Parameters
        ----------
        system : str
            Name of the system.

        Returns
        -------
        list of str
            Names of the worse systems.

        Raises
        ------
        KeyError
            If there is no such system.
        """
        if system not in self.systems:
            raise KeyError(f"{system!r} is not among the systems: {', '.join(self.systems)}.")
        row = self.systems.index(system)
        return [self.systems[column] for column in np.flatnonzero(self._beats()[row])]

    def _beats(self) -> NDArray[np.bool_]:
        sign = 1.0 if self.measure.greater_is_better else -1.0
        return self.significant & (sign * self.differences > 0)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair of systems.

        Returns
        -------
        DataFrame
            Columns system, other, difference, effect_size, p_value and significant.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame: pd.DataFrame = import_pandas(".pairs()").DataFrame(self.pairs())
        return frame

    def pairs(self) -> dict[str, list[Any]]:
        """Return all pairs of systems column by column, as in `to_frame`.

        Returns
        -------
        dict of str to list
            The columns by name.
        """
        rows, columns = np.triu_indices(len(self.systems), 1)
        return {
            "system": [self.systems[row] for row in rows],
            "other": [self.systems[column] for column in columns],
            "difference": self.differences[rows, columns].tolist(),
            "effect_size": self.effect_sizes[rows, columns].tolist(),
            "p_value": self.p_values[rows, columns].tolist(),
            "significant": self.significant[rows, columns].tolist(),
        }

    def to_dict(self) -> dict[str, list[Any]]:
        """Return all pairs of systems column by column, as `pairs` does.

        Returns
        -------
        dict of str to list
            The columns by name.
        """
        return self.pairs()

    def to_text(self, n_rows: int | None = None, width: int = WIDTH) -> str:
        """Draw a table of the means, with the numbers of the systems that each system beats.

        Parameters
        ----------
        n_rows : int, optional
            Number of systems that are shown; all by default.
        width : int, default=80
            Characters in a line.

        Returns
        -------
        str
            The lines.
        """
        return self._table(n_rows, width).to_text(width)

    def _table(self, n_rows: int | None = _ROWS_SHOWN, width: int = WIDTH) -> Table:
        shown = self.systems[:n_rows]
        beats = [_ranges(np.flatnonzero(row) + 1) for row in self._beats()[: len(shown)]]
        number_width = len(str(len(self.systems)))
        labels = [f"{number:>{number_width}} {name}" for number, name in enumerate(shown, start=1)]
        labels = [" " * number_width + " system", *map(shorten, labels)]
        means = [f"{mean:.4f}" for mean in self.means[: len(shown)]]
        name = shorten(str(self.measure))
        room = width - max(map(len, labels)) - max(map(len, [name, *means])) - len("    ")
        beats = _left_aligned([_cut(each, room) for each in ["beats", *beats]])
        columns = [(name, means), (beats[0], beats[1:])]
        return Table(labels, columns, self._notes(len(shown)))

    def _notes(self, n_shown: int) -> list[str]:
        corrected = "" if self.test == "tukey" else f" {_CORRECTIONS[self.correction]},"
        topics = count(self.n_topics, "topic")
        told = f"{_TITLES[self.test]} over {topics},{corrected} p < {self.alpha:g}."
        notes = [told[0].upper() + told[1:], *self.notes]
        if n_shown < len(self.systems):
            notes.insert(0, f"{count(len(self.systems), 'system')}, the first {n_shown} shown.")
        if self.n_left_out:
            notes.append(
                f"{count(self.n_left_out, 'topic')} without a value for some system, left out."
            )
        return notes

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the differences of all pairs of systems, or the means of more than 20 systems.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        if len(self.systems) > _MOST_IN_A_MATRIX:
            ax = axes_or_new(ax, self, (7.2, 5.0))
            self._draw_means(ax)
        else:
            side = max(5.0, 2.2 + 0.32 * len(self.systems))
            ax = axes_or_new(ax, self, (side + 1.2, side))
            self._draw_matrix(ax)
        headline(ax, f"Which systems are better than others in {self.measure}?", self._answer())
        return ax

    def _answer(self) -> str:
        """Say how many systems may be as good as the best one."""
        equal = int((~self.significant[0]).sum()) - 1
        rest = count(len(self.systems) - 1, "other")
        topics = f"{_TITLES[self.test]} over {count(self.n_topics, 'topic')}, p < {self.alpha:g}"
        best = f"{shorten(self.systems[0])} has the largest mean"
        verb = "is" if equal == 1 else "are"
        if equal == 0:
            return f"{best} and is significantly better than {rest} ({topics})."
        return f"{best}; {equal} of {rest} {verb} not significantly worse ({topics})."

    def _draw_matrix(self, ax: Axes) -> None:
        """Draw the difference of every pair as a colour, with a dot where it is significant."""
        limit = float(np.abs(self.differences).max()) or 1.0
        n = len(self.systems)
        image = ax.imshow(self.differences, cmap="RdBu", vmin=-limit, vmax=limit)
        figure: Any = ax.figure
        figure.colorbar(image, ax=ax, label=f"difference in {self.measure}", shrink=0.8)
        rows, columns = np.nonzero(self.significant)
        ax.plot(columns, rows, "k.", markersize=max(3.0, 60 / n**1.2))
        names = [shorten(name) for name in self.systems]
        ax.set_xticks(range(n), names, rotation=90)
        ax.set_yticks(range(n), names)
        ax.tick_params(labelsize=SMALL, length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlabel="less this one (dots: significant)", ylabel="this system")

    def _draw_means(self, ax: Axes) -> None:
        """Draw the means in their order, with a line to the last system that is not worse."""
        n = len(self.systems)
        numbers = np.arange(1, n + 1)
        alike = ~self.significant
        last = n - np.argmax(alike[:, ::-1], axis=1)
        ax.hlines(self.means, numbers, last, color="#D8D8D8", linewidth=0.9, zorder=1)
        colours = [BETTER if each else GREY for each in alike[0]]
        ax.scatter(numbers, self.means, color=colours, s=12, zorder=2)
        listed = [f"{number} {shorten(self.systems[number - 1])}" for number in range(1, 6)]
        ax.text(
            0.03,
            0.05,
            "\n".join(
                [
                    "blue: not significantly worse than the best",
                    "line: to the last system that is not worse",
                    "",
                    *listed,
                ]
            ),
            transform=ax.transAxes,
            va="bottom",
            fontsize=SMALL,
            color="#404040",
        )
        ax.set(xlabel="system, best first", ylabel=f"mean {self.measure}")
        plain(ax)


def compare(
    scores: RunScores,
    measure: str | Measure | None = None,
    *,
    test: PairedTest = "randomization",
    correction: Correction | None = None,
    alpha: float = 0.05,
    n_resamples: int = 10_000,
    random_state: int | np.random.Generator | None = 0,
) -> Comparison:
    """Compare systems by paired tests over topics.

    Parameters
    ----------
    scores : RunScores
        Values of the systems, from `evaluate`.
    measure : str or Measure, optional
        The measure to compare by, one of those scored; the first by default.
    test : {"randomization", "t", "wilcoxon", "bootstrap", "tukey"}, default="randomization"
        Fisher's randomisation test [1]_, Student's t test, Wilcoxon's signed-rank test, the paired
        bootstrap test [2]_, or the randomised Tukey HSD test [3]_, which compares all systems at
        once and needs no correction.
    correction : {"holm", "bh", "none"}, optional
        Correction of the p-values for the number of pairs: Holm's, Benjamini and Hochberg's, or
        none. Holm's by default; none for the Tukey test, which has its own.
    alpha : float, default=0.05
        Level of significance.
    n_resamples : int, default=10000
        Number of resamples of the randomisation, bootstrap and Tukey tests.
    random_state : int or Generator or None, default=0
        Seed of the resamples; with None they differ from call to call.

    Returns
    -------
    Comparison
        Differences, effect sizes and p-values of all pairs.

    Raises
    ------
    ValueError
        If there are fewer than two systems or two topics, an option is not as described, or there
        are too few resamples for any difference to be significant after Holm's correction.
    KeyError
        If the measure is not among those scored.

    See Also
    --------
    evaluate : Scores runs.

    References
    ----------
    .. [1] M. Smucker, J. Allan, B. Carterette (2007), "A Comparison of Statistical Significance
       Tests for Information Retrieval Evaluation", CIKM.
    .. [2] T. Sakai (2006), "Evaluating Evaluation Metrics based on the Bootstrap", SIGIR.
    .. [3] B. Carterette (2012), "Multiple Testing in Statistical Analysis of Systems-Based
       Information Retrieval Experiments", ACM TOIS 30(1).

    Examples
    --------
    >>> from skgraded import trec
    >>> qrels = {f"q{i}": {"d1": 2, "d2": 1, "d3": 0} for i in range(8)}
    >>> good = {topic: {"d1": 3.0, "d2": 2.0, "d3": 1.0} for topic in qrels}
    >>> bad = {topic: {"d1": 1.0, "d2": 2.0, "d3": 3.0} for topic in qrels}
    >>> trec.compare(trec.evaluate(qrels, {"bad": bad, "good": good}, "nDCG@10"))
      system  nDCG@10  beats
    1 good     1.0000  2
    2 bad      0.6199
    Fisher's randomisation test over 8 topics, Holm's correction, p < 0.05.
    """
    how = _How(test, correction, alpha, n_resamples).checked()
    if len(scores) <= 1:
        raise ValueError(f"scores must hold at least 2 systems to compare, got {len(scores)}.")
    column = 0 if measure is None else column_of(scores.measures, measure)
    chosen = scores.measures[column]
    counted = ~np.isnan(scores.values[:, :, column]).any(axis=0)
    values = scores.values[:, counted, column]
    if values.shape[1] <= 1:
        raise ValueError(
            "scores must hold at least 2 topics on which every system has a value, got "
            f"{values.shape[1]}."
        )
    means = values.mean(axis=1)
    best_first = np.argsort(-means if chosen.greater_is_better else means, kind="stable")
    values, means = values[best_first], means[best_first]
    return Comparison(
        systems=tuple(scores.systems[each] for each in best_first),
        measure=chosen,
        means=means,
        differences=means[:, None] - means,
        effect_sizes=_effect_sizes(values, test),
        p_values=_p_values(values, how, np.random.default_rng(random_state)),
        test=how.test,
        correction=str(how.correction),
        alpha=alpha,
        n_topics=values.shape[1],
        n_left_out=int((~counted).sum()),
        notes=how.notes(len(values) * (len(values) - 1) // 2, values.shape[1]),
    )


class _How(NamedTuple):
    """The options of a comparison."""

    test: str
    correction: str | None
    alpha: float
    n_resamples: int

    def checked(self) -> _How:
        """Raise an error unless the options are as described; fill in the default correction."""
        choice("test", self.test, get_args(PairedTest))
        fraction("alpha", self.alpha)
        integer("n_resamples", self.n_resamples, 1)
        if self.correction is None:
            return self._replace(correction="none" if self.test == "tukey" else "holm")
        choice("correction", self.correction, get_args(Correction))
        if self.test == "tukey" and self.correction != "none":
            raise ValueError(
                'correction must be "none" for the Tukey test, which has its own, got '
                f"{self.correction!r}."
            )
        return self

    def is_exact(self, n_topics: int) -> bool:
        """Whether the test tries all ways to swap two systems, and not a sample of them."""
        return self.test == "randomization" and all_swaps_fit(n_topics, self.n_resamples)

    def notes(self, n_pairs: int, n_topics: int) -> tuple[str, ...]:
        """Note that no difference can be significant if there are too few topics."""
        if not self.is_exact(n_topics):
            return ()
        smallest = 2.0 / 2.0**n_topics  # all topics for the one system, or all for the other
        is_corrected = self.correction == "holm" and n_pairs > 1
        if smallest * (n_pairs if is_corrected else 1) < self.alpha:
            return ()
        corrected = f", times {n_pairs} by Holm's correction" if is_corrected else ""
        return (
            "No difference can be significant: the smallest p-value over "
            f"{count(n_topics, 'topic')} is {smallest:.2g}{corrected}.",
        )

    def check_resamples(self, n_pairs: int, n_topics: int) -> None:
        """Raise an error if there are too few resamples for any difference to be significant."""
        exact = self.is_exact(n_topics)
        needed = int(n_pairs / self.alpha)
        resampled = self.test in _RESAMPLED and self.correction == "holm"
        if resampled and not exact and self.n_resamples < needed:
            raise ValueError(
                f"n_resamples must be at least {needed}, got {self.n_resamples}: with fewer, no "
                f"difference can be significant at {self.alpha:g} after Holm's correction for "
                f'{n_pairs} pairs. Alternatives are test="tukey", test="t" and correction="bh".'
            )


def _p_values(values: FloatArray, how: _How, rng: np.random.Generator) -> FloatArray:
    if how.test == "tukey":
        return tukey_test(values, how.n_resamples, rng)
    rows, columns = np.triu_indices(len(values), 1)
    how.check_resamples(len(rows), values.shape[1])
    differences = paired_differences(values[rows], values[columns])
    if how.test == "t":
        pairs = t_test(differences)
    elif how.test == "wilcoxon":
        pairs = wilcoxon_test(differences)
    else:
        resample = randomization_test if how.test == "randomization" else bootstrap_test
        pairs = resample(differences, how.n_resamples, rng)
    corrections = {"holm": holm, "bh": benjamini_hochberg}
    p_values = np.ones((len(values), len(values)))
    correct = corrections.get(str(how.correction), np.asarray)
    p_values[rows, columns] = correct(pairs)
    return np.minimum(p_values, p_values.T)


def _effect_sizes(values: FloatArray, test: str) -> FloatArray:
    rows, columns = np.triu_indices(len(values), 1)
    differences = paired_differences(values[rows], values[columns])
    sizes = np.zeros((len(values), len(values)))
    if test == "tukey":
        sizes[rows, columns] = _in_residuals(differences.mean(axis=1), values)
    else:
        sizes[rows, columns] = effect_size(differences)
    return sizes - sizes.T


def _in_residuals(differences: FloatArray, values: FloatArray) -> FloatArray:
    """Divide by the standard deviation of the residuals of systems and topics (Sakai 2014)."""
    residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    freedom = (len(values) - 1) * (values.shape[1] - 1)
    spread = np.sqrt((residuals**2).sum() / freedom)
    sizes: FloatArray = np.zeros_like(differences)
    with np.errstate(divide="ignore"):
        np.divide(differences, spread, out=sizes, where=differences != 0.0)
    return sizes


def _ranges(numbers: NDArray[Any]) -> str:
    """Write ascending numbers with consecutive ones as a range, such as ``2 4-7``."""
    if not len(numbers):
        return ""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return " ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _cut(cell: str, room: int) -> str:
    """Leave out the last words of a cell that is too wide."""
    if len(cell) <= room:
        return cell
    return cell[: room - 3].rpartition(" ")[0] + " ..."


def _left_aligned(cells: list[str]) -> list[str]:
    return [cell.ljust(max(map(len, cells))) for cell in cells]
