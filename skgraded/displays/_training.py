"""Display of a measure on the validation queries after every iteration of training."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._support.pictures import COLOURS, SMALL, axes_or_new, headline, plain
from skgraded.measures import Measure
from skgraded.results import column_of


class TrainingDisplay:
    r"""A measure on the validation queries after every iteration, and the best iteration.

    Use `from_estimator` for a fitted ranker; the constructor takes the values themselves.

    Parameters
    ----------
    values : ndarray of shape (n_iterations,)
        The measure after each iteration.
    best_iteration : int, optional
        Number of the best iteration, from 1.
    measure : str, optional
        Name of the measure.
    label : str, optional
        Name of the model.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    best_ : matplotlib Line2D or None
        The mark at the best iteration.
    ax_ : matplotlib Axes
        The axes of the curve.
    figure_ : matplotlib Figure
        The figure of the axes.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.displays import TrainingDisplay
    >>> display = TrainingDisplay(values=np.array([.2, .3, .28]), best_iteration=2, measure="AP")
    >>> display.plot().ax_.get_ylabel()
    'AP\non validation queries'
    """

    def __init__(
        self,
        *,
        values: NDArray[np.float64],
        best_iteration: int | None = None,
        measure: str | None = None,
        label: str | None = None,
    ) -> None:
        self.values = values
        self.best_iteration = best_iteration
        self.measure = measure
        self.label = label

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        measure: str | Measure | None = None,
        label: str | None = None,
        ax: Any = None,
        **line_kwargs: Any,
    ) -> Self:
        """Draw the values of a fitted ranker on its validation queries.

        Parameters
        ----------
        estimator : QueryRanker
            A ranker that was fitted with ``validation_fraction``.
        measure : str or Measure, optional
            One of the measures that it evaluated, or its name; by default its own.
        label : str, optional
            Name of the model in the legend.
        ax : matplotlib Axes, optional
            The axes to draw in; new axes by default.
        **line_kwargs : object
            Passed to matplotlib's ``plot``.

        Returns
        -------
        TrainingDisplay
            The display.

        Raises
        ------
        ValueError
            If the ranker had no validation queries.
        KeyError
            If the measure is not among those that it evaluated.
        """
        if not hasattr(estimator, "evals_result_"):
            raise ValueError(
                "estimator must be a QueryRanker fitted with validation_fraction, got one without "
                "evals_result_."
            )
        (evaluated,) = estimator.evals_result_.values()
        if measure is None:
            measure = estimator.measure_
        name = _name_of(measure, evaluated, estimator)

        display = cls(
            values=np.asarray(evaluated[name]),
            best_iteration=_best_iteration(evaluated, estimator),
            measure=name,
            label=label,
        )
        return display.plot(ax=ax, **line_kwargs)

    def plot(self, ax: Any = None, **line_kwargs: Any) -> Self:
        """Draw the curve and mark the best iteration.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw in; new axes by default.
        **line_kwargs : object
            Passed to matplotlib's ``plot``.

        Returns
        -------
        TrainingDisplay
            The display itself.
        """
        self.ax_ = axes_or_new(ax, self)
        self.figure_ = self.ax_.figure
        n_lines_before = len(self.ax_.get_lines())
        colour = COLOURS[n_lines_before % len(COLOURS)]
        iterations = np.arange(len(self.values)) + 1
        line_options = {"label": self.label, "color": colour, **line_kwargs}
        (self.line_,) = self.ax_.plot(iterations, self.values, **line_options)

        self.best_: Any = None
        if self.best_iteration:
            self.best_ = self._mark_best(self.best_iteration)

        self.ax_.set(
            xlabel="Iteration",
            ylabel=f"{self.measure or 'Measure'}\non validation queries",
        )
        plain(self.ax_)
        if self.label is not None or "label" in line_kwargs:
            self.ax_.legend(frameon=False, fontsize=SMALL)

        verdict = "" if n_lines_before else self._verdict()
        headline(self.ax_, verdict)
        return self

    def _mark_best(self, best_iteration: int) -> Any:
        """Draw a point at the best iteration, with its number above."""
        value = self.values[best_iteration - 1]
        colour = self.line_.get_color()
        (mark,) = self.ax_.plot(
            best_iteration, value, marker="o", color=colour, linestyle="none"
        )

        self.ax_.annotate(
            f"{best_iteration}",
            (best_iteration, value),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL,
            color=colour,
        )
        return mark

    def _verdict(self) -> str:
        if not self.best_iteration:
            return ""
        value = self.values[self.best_iteration - 1]
        return f"Best after {self.best_iteration} of {len(self.values)} iterations ({value:.4f})."


def _name_of(
    measure: str | Measure, evaluated: dict[str, list[float]], ranker: Any
) -> str:
    """Return the name under which a measure was recorded."""
    names = list(evaluated)
    if measure in names:
        return str(measure)

    evaluated_measures = [
        str(ranker.evaluated_measures_.get(name, name)) for name in names
    ]
    return names[column_of(evaluated_measures, measure)]


def _best_iteration(evaluated: dict[str, list[float]], ranker: Any) -> int | None:
    """Return the best of the evaluated iterations; None for a ranker that did not stop early.

    The ranker's ``best_iteration_`` also counts the iterations of a model that it continued.
    """
    if not hasattr(ranker, "best_iteration_"):
        return None
    values = evaluated[_name_of(ranker.measure_, evaluated, ranker)]
    return 1 + values.index(ranker.best_score_)
