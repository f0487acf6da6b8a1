"""The result of a comparison of objectives: differences to the baseline, and learning curves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new
from skgraded._pictures import plain, style_of
from skgraded._stats.corrections import holm
from skgraded._stats.paired import paired_differences
from skgraded._stats.repeats import note_on_few_repeats, repeated_interval
from skgraded._text import Table, TableResult
from skgraded.measures import Measure
from skgraded.studies._forest import Series, draw_forest, wrapped
from skgraded.studies._objective_trainings import Training
from skgraded.studies._presentation import frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = [
    "WIDEST_CELL",
    "ObjectiveComparison",
    "cell_of",
    "compare_trainings",
    "question_and_answer",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_WIDTH_OF_CURVES = 9.0  # inches
WIDEST_CELL = len("+0.0000 [-0.0000, +0.0000] ")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ObjectiveComparison(TableResult):
    """Objectives of training, compared with one of them by several judges.

    Differences are those to the baseline, with the sign that makes more better, also where less is
    better by a judge's own values.

    Attributes
    ----------
    objectives : tuple of str
        Names of the objectives, the baseline first.
    judges : tuple of str
        Names of the judges.
    measures : tuple of Measure
        Their measures.
    qid : ndarray of shape (n_queries,)
        Query ids.
    values : ndarray of shape (n_objectives, n_judges, n_repeats, n_queries)
        Value of each test query, under the model with the number of iterations that the judge chose
        on the validation queries; nan where the judge has no value.
    iterations : ndarray of shape (n_objectives, n_judges, n_repeats, n_folds)
        Number of iterations that each judge chose.
    differences, p_values : ndarray of shape (n_objectives - 1, n_judges)
        Mean difference to the baseline of each other objective, and p-values by Holm's correction
        for all of these tests.
    intervals : ndarray of shape (n_objectives - 1, n_judges, 2)
        Ends of the confidence intervals, which carry the variation over queries and repeats. They
        are not corrected.
    n_queries : ndarray of shape (n_judges,)
        Number of queries that have a value.
    confidence : float
        Confidence of the intervals.
    n_validation : tuple of int
        Smallest and largest number of validation queries in a fold.
    n_top_graded : tuple of int
        Smallest and largest number of those that have a document of the top grade.
    trainings : tuple of Training
        All trainings, with the values of all queries after every iteration.
    """

    objectives: tuple[str, ...]
    judges: tuple[str, ...]
    measures: tuple[Measure, ...]
    qid: NDArray[Any]
    values: FloatArray
    iterations: IntArray
    differences: FloatArray
    p_values: FloatArray
    intervals: FloatArray
    n_queries: IntArray
    confidence: float
    n_validation: tuple[int, int]
    n_top_graded: tuple[int, int]
    trainings: tuple[Training, ...]

    @property
    def baseline(self) -> str:
        """The objective that all others are compared with."""
        return self.objectives[0]

    @property
    def compared(self) -> tuple[str, ...]:
        """The other objectives: the rows of ``differences``."""
        return self.objectives[1:]

    @property
    def n_repeats(self) -> int:
        """Number of repeats."""
        return int(self.values.shape[2])

    def mean(self) -> FloatArray:
        """Mean over the queries, each of which counts by its mean over the repeats.

        Returns
        -------
        ndarray of shape (n_objectives, n_judges)
            The means.
        """
        return _means(self.values)

    def curves(self, judge: str | None = None, part: str = "test") -> FloatArray:
        """Return the learning curve of each objective: its mean value after every iteration.

        Parameters
        ----------
        judge : str, optional
            Name of the judge; the first by default.
        part : {"test", "validation"}
            The queries.

        Returns
        -------
        ndarray of shape (n_objectives, n_iterations)
            Means over all trainings. A training that ended before the others keeps its last value.
        """
        column = self._column(judge)
        longest = max(len(each.test) for each in self.trainings)
        totals: dict[str, FloatArray] = {}
        for each in self.trainings:
            mean = each.means(part)[:, column]
            mean = np.pad(mean, (0, longest - len(mean)), mode="edge")
            totals[each.objective] = totals.get(each.objective, 0.0) + mean
        n_folds = self.n_repeats * self.iterations.shape[3]
        curves: FloatArray = np.stack([totals[name] for name in self.objectives]) / n_folds
        return curves

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per objective and judge, the baseline left out.

        Returns
        -------
        DataFrame
            Columns objective, judge, mean, baseline_mean, difference, low, high, p_value,
            iterations, n_queries and n_repeats.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        row, column = (each.ravel() for each in np.indices(self.differences.shape))
        means = self.mean()
        return frame(
            {
                "objective": np.array(self.compared, dtype=object)[row],
                "judge": np.array(self.judges, dtype=object)[column],
                "mean": means[row + 1, column],
                "baseline_mean": means[0, column],
                "difference": self.differences.ravel(),
                "low": self.intervals[row, column, 0],
                "high": self.intervals[row, column, 1],
                "p_value": self.p_values.ravel(),
                "iterations": self.iterations.mean(axis=(2, 3))[row + 1, column],
                "n_queries": self.n_queries[column],
                "n_repeats": self.n_repeats,
            }
        )

    def plot(self, judge: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw a forest plot: the differences to the baseline with their intervals.

        Parameters
        ----------
        judge : str, optional
            Name of a judge; all judges by default.
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        KeyError
            If there is no such judge.
        """
        columns = range(len(self.judges)) if judge is None else [self._column(judge)]
        series = [
            Series(self.judges[each], self.differences[:, each], self.intervals[:, each])
            for each in columns
        ]
        return draw_forest(
            ax,
            self,
            self.compared,
            series,
            title=question_and_answer(
                self.baseline,
                self.compared,
                [self.judges[each] for each in columns],
                differences=self.differences[:, columns],
                p_values=self.p_values[:, columns],
                confidence=self.confidence,
            ),
            xlabel=(
                f"difference to {self.baseline}, {self.confidence:.0%} interval over "
                f"{_span(self.n_queries[columns])} queries and {self._repeats()}"
            ),
        )

    def plot_curves(self, judge: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the learning curves on the test queries, with dots where the judge stopped.

        Parameters
        ----------
        judge : str, optional
            Name of the judge; the first by default.
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        KeyError
            If there is no such judge.
        """
        column = self._column(judge)
        ax = axes_or_new(ax, self, (_WIDTH_OF_CURVES, 4.8))
        curves = self.curves(judge)
        stopped = np.rint(self.iterations[:, column].mean(axis=(1, 2))).astype(np.int64)
        iterations = np.arange(1, curves.shape[1] + 1)
        for number, name in enumerate(self.objectives):
            # The last style is black, which marks the baseline among all others.
            style = {**style_of(number - 1 + (number > 6)), "markersize": 7}  # noqa: PLR2004
            if number == 0:
                style.update(color="black", marker="o", linestyle="-", linewidth=2.5)
            at = [int(stopped[number]) - 1]
            ax.plot(iterations, curves[number], label=name, markevery=at, **style)
        ax.set(xlabel="iteration", ylabel=f"mean {self.judges[column]} on test queries")
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
        plain(ax)
        ax.set_title(wrapped(self._about_curves(column), _WIDTH_OF_CURVES), loc="left", fontsize=11)
        return ax

    def _about_curves(self, column: int) -> str:
        mean = self.mean()[:, column] * (1 if self.measures[column].greater_is_better else -1)
        best = int(np.argmax(mean))
        return (
            f"Which objective gets furthest by {self.judges[column]}, and how soon?\n"
            f"Stopped by validation queries (marks: mean iteration), {self.objectives[best]} has "
            f"{abs(mean[best]):.4f} and {self.baseline} {abs(mean[0]):.4f}."
        )

    def _column(self, judge: str | None) -> int:
        if judge is None:
            return 0
        if judge not in self.judges:
            raise KeyError(f"{judge} is not among the judges: {', '.join(self.judges)}.")
        return self.judges.index(judge)

    def _repeats(self) -> str:
        return "1 repeat" if self.n_repeats == 1 else f"{self.n_repeats} repeats"

    def _table(self) -> Table:
        means = self.mean()
        columns = [
            (
                name,
                [
                    f"{means[0, at]:.4f}".ljust(WIDEST_CELL),
                    *(
                        cell_of(*each, confidence=self.confidence)
                        for each in zip(
                            self.differences[:, at],
                            self.intervals[:, at],
                            self.p_values[:, at],
                            strict=True,
                        )
                    ),
                ],
            )
            for at, name in enumerate(self.judges)
        ]
        return Table(["objective", *self.objectives], columns, [self._told()])

    def _told(self) -> str:
        tests = self.differences.size
        return (
            f"First row: means of {self.baseline}; below: differences to it with "
            f"{self.confidence:.0%} intervals over {_span(self.n_queries)} queries and "
            f"{self._repeats()}. *: p < {1 - self.confidence:.2g} by Holm's correction for {tests} "
            f"{'test' if tests == 1 else 'tests'}. Iterations were chosen on "
            f"{_span(self.n_validation)} validation queries a fold, {_span(self.n_top_graded)} of "
            f"which have a document of the top grade.{self._told_of_repeats()}"
        )

    def _told_of_repeats(self) -> str:
        if self.n_repeats == 1:
            return " One repeat: the intervals hold for its splits alone."
        note = note_on_few_repeats(self.n_repeats)
        return f" {note}" if note else ""


def cell_of(difference: float, interval: FloatArray, p_value: float, *, confidence: float) -> str:
    """Write a difference with its interval, and a star where it is significant."""
    star = "*" if p_value < 1.0 - confidence else " "
    return f"{difference:+.4f} [{interval[0]:+.4f}, {interval[1]:+.4f}]{star}"


def question_and_answer(
    baseline: str,
    compared: Sequence[str],
    judges: Sequence[str],
    *,
    differences: FloatArray,
    p_values: FloatArray,
    confidence: float,
    where: str = "",
) -> str:
    """Ask whether an objective is better than the baseline, and answer by the corrected tests."""
    alpha = 1.0 - confidence
    by = f" by {judges[0]}" if len(judges) == 1 else ""
    answers = []
    for word, found in (("better", differences > 0.0), ("worse", differences < 0.0)):
        places = np.argwhere(found & (p_values < alpha)).tolist()
        named = [
            compared[row] + ("" if len(judges) == 1 else f" by {judges[column]}")
            for row, column in places
        ]
        if named:
            answers.append(f"{word}: {', '.join(named)}")
    if not answers:
        answers = [f"no difference is established (p ≥ {alpha:.2g} by Holm's correction)"]
    elif answers[0].startswith("worse"):
        answers.insert(0, "none is established to be better")
    told = where + "; ".join(answers)
    return f"Is an objective better than {baseline}{by}?\n{told[0].upper()}{told[1:]}."


def _span(numbers: Any) -> str:
    low, high = int(np.min(numbers)), int(np.max(numbers))
    return str(low) if low == high else f"{low} to {high}"


def _means(values: FloatArray) -> FloatArray:
    """Return means over queries; every query counts once, by its mean over the repeats."""
    is_tested = ~np.isnan(values)
    times = is_tested.sum(axis=2)
    of_queries = np.where(is_tested, values, 0.0).sum(axis=2) / np.maximum(times, 1)
    means: FloatArray = of_queries.sum(axis=2) / (times > 0).sum(axis=2)
    return means


def compare_trainings(
    trainings: Sequence[Training],
    *,
    measures: dict[str, Measure],
    qid: NDArray[Any],
    top_graded: BoolArray,
    baseline: str,
    confidence: float,
) -> ObjectiveComparison:
    """Choose the iterations, and test the differences to the baseline."""
    names = list(dict.fromkeys(each.objective for each in trainings))
    objectives = (baseline, *(name for name in names if name != baseline))
    directions = np.array([1.0 if each.greater_is_better else -1.0 for each in measures.values()])
    values, iterations = _chosen(trainings, objectives, directions, len(qid))
    tests = [
        repeated_interval(
            direction * paired_differences(of_judge[1:], of_judge[0]), confidence=confidence
        )
        for direction, of_judge in zip(directions, np.moveaxis(values, 1, 0), strict=True)
    ]
    p_values = np.stack([each.p_value for each in tests], axis=1)
    held_out = [each.validation_queries for each in trainings]
    return ObjectiveComparison(
        objectives=objectives,
        judges=tuple(measures),
        measures=tuple(measures.values()),
        qid=qid,
        values=values,
        iterations=iterations,
        differences=np.stack([each.mean for each in tests], axis=1),
        p_values=holm(p_values.ravel()).reshape(p_values.shape),
        intervals=np.stack([np.stack([each.low, each.high], axis=1) for each in tests], axis=1),
        n_queries=(~np.isnan(values[0])).any(axis=1).sum(axis=1),
        confidence=confidence,
        n_validation=_ends(list(map(len, held_out))),
        n_top_graded=_ends([int(top_graded[each].sum()) for each in held_out]),
        trainings=tuple(trainings),
    )


def _chosen(
    trainings: Sequence[Training],
    objectives: tuple[str, ...],
    directions: FloatArray,
    n_queries: int,
) -> tuple[FloatArray, IntArray]:
    """Return the test queries' values at the chosen iterations, and the numbers of iterations."""
    n_repeats = 1 + max(each.repeat for each in trainings)
    n_folds = 1 + max(each.fold for each in trainings)
    shape = len(objectives), len(directions), n_repeats
    values = np.full((*shape, n_queries), np.nan)
    iterations = np.zeros((*shape, n_folds), dtype=np.int64)
    for each in trainings:
        row, best = objectives.index(each.objective), each.chosen(directions)
        iterations[row, :, each.repeat, each.fold] = best + 1
        for judge, iteration in enumerate(best.tolist()):
            values[row, judge, each.repeat, each.test_queries] = each.test[iteration, :, judge]
    return values, iterations


def _ends(numbers: list[int]) -> tuple[int, int]:
    return min(numbers), max(numbers)
