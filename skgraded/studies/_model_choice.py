"""Model choice: whether different measures select different models, and what that costs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new
from skgraded._params import choice, fraction
from skgraded._pictures import SMALL, headline
from skgraded._stats.corrections import CORRECTIONS
from skgraded._stats.paired import paired_differences, t_test
from skgraded._stats.repeats import repeated_interval
from skgraded._text import count
from skgraded._writers import Result, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ModelChoice"]

FloatArray = NDArray[np.float64]

_FEWEST = 2  # queries for a test
# A note says so if fewer queries than this hold the top grade.
_FEW_TOP_QUERIES = 20


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ModelChoice(Result):
    """Models that each measure chose, judged by all measures on held-out queries.

    `to_frame` has one row per pair of measures, with the columns chosen_by, judged_by, mean, gain,
    low, high, p_value (with Holm's correction) and agreement.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures, all of which choose and judge.
    qid : ndarray of shape (n_queries,)
        Query ids; every query was held out once in each repeat.
    values : ndarray of shape (n_measures, n_queries, n_measures)
        Value of each query under the model that the first measure chose, judged by the last; the
        mean over the repeats where there are several.
    choices : tuple of tuple
        The parameters or the number of iterations that each measure chose, fold by fold, and repeat
        by repeat.
    directions : ndarray of shape (n_measures,)
        1 if a higher value is better, -1 if a lower one is.
    by : str
        ``"search"`` or ``"stopping"``.
    candidate_scores : ndarray of shape (n_folds, n_candidates, n_measures) or None
        Mean of every candidate in the cross-validation on each fold's training queries; the folds
        are those of all repeats.
    repeats : ndarray of shape (n_repeats, n_measures, n_queries, n_measures) or None
        The values of each repeat; None for a single one.
    folds : ndarray of shape (n_repeats, n_queries), int64, or None
        The fold that held out each query in each repeat; the queries of a fold share a model. With
        None, each repeat counts as one fold.
    n_top : int or None
        Number of queries with a document of the top grade on which a choice was made, for the
        choice with the fewest: validation queries, or those of a search.
    """

    measures: tuple[str, ...]
    qid: NDArray[Any]
    values: FloatArray
    choices: tuple[tuple[Any, ...], ...]
    directions: FloatArray
    by: str
    candidate_scores: FloatArray | None = None
    repeats: FloatArray | None = None
    folds: NDArray[np.int64] | None = None
    n_top: int | None = None

    @property
    def n_repeats(self) -> int:
        """Number of times that each query was held out."""
        return 1 if self.repeats is None else len(self.repeats)

    def mean(self) -> FloatArray:
        """Mean over the queries that have a value.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The row is the measure that chose, the column the one that judges.
        """
        means: FloatArray = np.nanmean(self.values, axis=1)
        return means

    def gain(self) -> FloatArray:
        """Mean of the model that a measure chose, minus that of the model that the judge chose.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The row is the measure that chose, the column the one that judges. Negative values mean
            that the judge's own choice was better; the diagonal is 0.
        """
        means = self.mean()
        gain: FloatArray = (means - np.diagonal(means)) * self.directions
        return gain

    def p_values(self, correction: str = "holm") -> FloatArray:
        """Test the differences in `gain` by paired t tests.

        The tests are over queries, or over queries and repeats where there are several, as in
        `skgraded.compare`.

        Parameters
        ----------
        correction : {"holm", "bh", "none"}, default="holm"
            Correction for the number of tests, over all judges together: Holm's, Benjamini and
            Hochberg's, or none.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The p-values; 1 on the diagonal.

        Raises
        ------
        ValueError
            If the correction is unknown.
        """
        choice("correction", correction, CORRECTIONS)
        n = len(self.measures)
        p_values = np.ones((n, n))
        for judge in range(n):
            differences, folds = self._differences(judge)
            if differences.shape[2] < _FEWEST:
                continue
            if self.n_repeats == 1:
                p_values[:, judge] = t_test(differences[:, 0])
            else:
                p_values[:, judge] = repeated_interval(differences, folds=folds).p_value
        others = ~np.eye(n, dtype=bool)
        p_values[others] = CORRECTIONS[correction].function(p_values[others])
        return p_values

    def intervals(self, confidence: float = 0.95) -> FloatArray:
        """Return confidence intervals of `gain`, not corrected for their number.

        Parameters
        ----------
        confidence : float, default=0.95
            Confidence of the intervals.

        Returns
        -------
        ndarray of shape (n_measures, n_measures, 2)
            The ends; 0 on the diagonal, and nan where fewer than two queries have a value.

        Raises
        ------
        ValueError
            If the confidence does not lie between 0 and 1.
        """
        fraction("confidence", confidence)
        n = len(self.measures)
        ends = np.full((n, n, 2), np.nan)
        for judge, direction in enumerate(self.directions):
            differences, folds = self._differences(judge)
            if differences.shape[2] >= _FEWEST:
                found = repeated_interval(direction * differences, confidence, folds=folds)
                ends[:, judge] = np.stack([found.low, found.high], axis=1)
        return ends

    def _differences(self, judge: int) -> tuple[FloatArray, NDArray[np.int64] | None]:
        """Return gains over the judge's choice, (n_measures, n_repeats, n_queries), and folds."""
        values = self.values[None] if self.repeats is None else self.repeats
        judged = np.moveaxis(values[:, :, :, judge], 0, 1)
        differences = paired_differences(judged, judged[judge])
        has_value = ~np.isnan(differences).any(axis=(0, 1))
        folds = None if self.folds is None else self.folds[:, has_value]
        return differences[:, :, has_value], folds

    def agreement(self) -> FloatArray:
        """Share of the folds in which two measures made the same choice.

        Returns
        -------
        ndarray of shape (n_measures, n_measures)
            The shares.
        """
        same = [[[one == other for other in fold] for one in fold] for fold in self.choices]
        agreement: FloatArray = np.mean(same, axis=0)
        return agreement

    def _columns(self) -> dict[str, Any]:
        row, column = (each.ravel() for each in np.indices(self.mean().shape))
        names = np.array(self.measures, dtype=object)
        return {
            "chosen_by": names[row],
            "judged_by": names[column],
            "mean": self.mean().ravel(),
            "gain": self.gain().ravel(),
            "low": self.intervals()[:, :, 0].ravel(),
            "high": self.intervals()[:, :, 1].ravel(),
            "p_value": self.p_values().ravel(),
            "agreement": self.agreement().ravel(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the gains and losses of models that other measures chose, with dots at p < 0.05.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        side = max(4.0, 2.4 + 0.7 * len(self.measures))
        ax = axes_or_new(ax, self, (side + 0.6, side))
        gain, significant = self.gain(), self.p_values() < 0.05  # noqa: PLR2004
        limit = float(np.nanmax(np.abs(gain))) or 1.0
        ax.imshow(gain, cmap="RdBu", vmin=-limit, vmax=limit)
        for (row, column), value in np.ndenumerate(gain):
            text = f"{value:+.4f}" if row != column else f"{self.mean()[row, row]:.4f}"
            mark = "\n•" if significant[row, column] else ""
            colour = "white" if abs(value) > 0.6 * limit else "black"
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL}
            ax.text(column, row, text + mark, color=colour, **place)
        ax.set_xticks(range(len(self.measures)), self.measures, rotation=30, ha="right")
        ax.set_yticks(range(len(self.measures)), self.measures)
        ax.tick_params(labelsize=SMALL, length=0)
        ax.spines[:].set_visible(False)
        how = "chosen by" if self.by == "search" else "stopped by"
        ax.set(xlabel="judged by (diagonal: mean of its own choice)", ylabel=f"model {how}")
        question = "Does it cost anything to choose by another measure?"
        headline(ax, question, _cost(gain, significant))
        return ax

    def _table(self) -> Table:
        means, p_values = self.mean(), self.p_values()
        how = "chosen by" if self.by == "search" else "stopped by"
        columns = [
            (name, [_cell(*each) for each in zip(means[:, at], p_values[:, at], strict=True)])
            for at, name in enumerate(self.measures)
        ]
        if self.by == "stopping":
            iterations = np.array(self.choices, dtype=float).mean(axis=0)
            columns.insert(0, ("iterations", [f"{each:.0f}" for each in iterations]))
        return Table([how, *self.measures], columns, self._notes(), widest_label=44)

    def _notes(self) -> list[str]:
        folds = f"{len(self.choices)} folds"
        n_tests = len(self.measures) * (len(self.measures) - 1)
        over = "" if self.n_repeats == 1 else " over queries and repeats"
        repeats = "" if self.n_repeats == 1 else f" of {self.n_repeats} repeats"
        told = (
            f"Columns judge, on {len(self.qid)} queries held out in {folds}{repeats}. "
            f"*: p < 0.05 against the judge's own choice (paired t test{over}, Holm's correction "
            f"for {n_tests} tests). The measures made {self._n_choices()} different choices in the "
            f"{folds}."
        )
        notes = [told]
        if self.n_top is not None and self.n_top < _FEW_TOP_QUERIES:
            top = count(self.n_top, "query", "queries")
            notes.append(f"Some choices rest on only {top} with a document of the top grade.")
        return [each for each in notes if each]

    def _n_choices(self) -> int:
        return sum(len({repr(each) for each in fold}) for fold in self.choices)


def _cost(gain: FloatArray, significant: NDArray[np.bool_]) -> str:
    """Say how often another choice was better or worse, as far as the tests establish it."""
    others = ~np.eye(len(gain), dtype=bool)
    worse, better = (int((significant & others & side).sum()) for side in (gain < 0, gain > 0))
    if not worse and not better:
        return f"No difference is established in any of {others.sum()} pairs."
    return (
        f"Of {others.sum()} pairs, another choice is significantly worse in {worse} and better in "
        f"{better} (dots: p < 0.05 after Holm's correction)."
    )


def _cell(mean: float, p_value: float) -> str:
    return f"{mean:.4f}" + ("*" if p_value < 0.05 else " ")  # noqa: PLR2004
