"""Discriminative power: for how many pairs of systems a measure shows a significant difference."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._optional import axes_or_new
from skgraded._paired_tests import (
    means_without_rounding,
    paired_differences,
    t_test,
    tukey_test,
)
from skgraded._params import choice, fraction, integer
from skgraded._pictures import draw_dots, headline
from skgraded._progress import ProgressBar
from skgraded._text import Table, TableResult
from skgraded.studies._presentation import frame
from skgraded.studies._system_scores import as_system_scores, complete_topics

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["DiscriminativePower", "PowerTest", "discriminative_power"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
PowerTest = Literal["bootstrap", "t", "tukey"]

_TITLES = {
    "bootstrap": "paired bootstrap tests",
    "t": "paired t tests",
    "tukey": "randomised Tukey HSD test",
}
# Cells of (pair, resample) at a time: 2 MB, which stay in the cache of a core until they are read.
_CELLS_AT_A_TIME = 250_000
# Sums of the same numbers in another order differ by rounding; they count as equal.
_ROUNDING = 1e-12
# The same for means over topics, as a share of the largest value.
_ROUNDING_OF_MEANS = 1e-13


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(TableResult):
    """Significance of the differences of all pairs of systems, for several measures.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    systems : tuple of str
        Names of the systems.
    pairs : ndarray of shape (n_pairs, 2), int64
        Numbers of the two systems of each pair.
    test : str
        The test.
    alpha : float
        Significance level.
    n_resamples : int
        Number of resamples B.
    n_topics : tuple of int
        Number of topics on which all systems have a value, for each measure.
    p_values : ndarray of shape (n_measures, n_pairs)
        Achieved significance levels; in ascending order, a row is the ASL curve of its measure.
    differences : ndarray of shape (n_measures, n_pairs)
        Mean of the first system minus that of the second.
    required : ndarray of shape (n_measures, n_pairs)
        Difference that the pair needs to be significant at alpha.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: IntArray
    test: str
    alpha: float
    n_resamples: int
    n_topics: tuple[int, ...]
    p_values: FloatArray
    differences: FloatArray
    required: FloatArray

    @property
    def n_significant(self) -> IntArray:
        """Number of pairs with p < alpha, for each measure."""
        number: IntArray = (self.p_values < self.alpha).sum(axis=1)
        return number

    @property
    def power(self) -> FloatArray:
        """Share of the pairs with a significant difference, for each measure."""
        return self.n_significant / len(self.pairs)

    @property
    def difference_required(self) -> FloatArray:
        """Difference of means that is significant for every pair: the maximum of ``required``.

        Shape (n_measures,).
        """
        largest: FloatArray = self.required.max(axis=1)
        return largest

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per measure and pair of systems.

        Returns
        -------
        DataFrame
            Columns measure, first, second, difference, p_value, significant and required.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        row, pair = (each.ravel() for each in np.indices(self.p_values.shape))
        names = np.array(self.systems, dtype=object)
        return frame(
            {
                "measure": np.array(self.measures, dtype=object)[row],
                "first": names[self.pairs[pair, 0]],
                "second": names[self.pairs[pair, 1]],
                "difference": self.differences.ravel(),
                "p_value": self.p_values.ravel(),
                "significant": self.p_values.ravel() < self.alpha,
                "required": self.required.ravel(),
            }
        )

    def to_text(self) -> str:
        """Draw a table in Sakai's form, the most discriminative measure first.

        Returns
        -------
        str
            The lines.
        """
        return self._table().to_text()

    def _table(self) -> Table:
        order = np.argsort(-self.power, kind="stable")
        n, required = self.n_significant, self.difference_required
        columns = [
            ("significant", [f"{n[each]}/{len(self.pairs)}" for each in order]),
            ("power", [f"{self.power[each]:.1%}" for each in order]),
            ("diff. required", [f"{required[each]:.3f}" for each in order]),
        ]
        labels = ["measure", *(self.measures[each] for each in order)]
        topics = sorted(set(self.n_topics))
        resamples = "" if self.test == "t" else f"; {self.n_resamples} resamples"
        told = (
            f"{_TITLES[self.test]} at alpha = {self.alpha:g}; {len(self.systems)} systems; "
            f"{' to '.join(map(str, topics[:: max(1, len(topics) - 1)]))} topics{resamples}."
        )
        return Table(labels, columns, [told], widest_label=44)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of significant pairs, with a dot for each measure, the best at the top.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; beside each dot stands the difference of means that the measure requires.
        """
        ax = axes_or_new(ax, self, (7.2, 1.5 + 0.24 * len(self.measures)))
        order = np.argsort(-self.power, kind="stable")
        notes = [f"differences over {self.difference_required[each]:.3f}" for each in order]
        notes[1:] = [f"{self.difference_required[each]:.3f}" for each in order[1:]]
        best = int((self.n_significant == self.n_significant.max()).sum())
        names = [self.measures[each] for each in order]
        draw_dots(ax, names, 100.0 * self.power[order], notes, best)
        ax.set(xlabel=f"% of {len(self.pairs)} pairs of systems with p < {self.alpha:g}")
        ax.set_xlim(0.0, 118.0 * float(self.power.max()) or 1.0)
        headline(ax, "Which measure tells most pairs of systems apart?", self._answer(order))
        return ax

    def _answer(self, order: IntArray) -> str:
        """Say which measures separate most and fewest pairs."""
        n = self.n_significant
        said = [
            f"{self.measures[each]} {n[each]} of {len(self.pairs)}"
            for each in (order[:1] if len(order) == 1 else order[[0, -1]])
        ]
        resamples = "" if self.test == "t" else f", {self.n_resamples} resamples"
        return f"{', '.join(said)} ({_TITLES[self.test]}{resamples})."


def discriminative_power(
    scores: Any,
    *,
    test: PowerTest = "bootstrap",
    alpha: float = 0.05,
    n_resamples: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> DiscriminativePower:
    """Test the difference of every pair of systems, and count the significant ones.

    Parameters
    ----------
    scores : RunScores or mapping
        Scored runs, from `skgraded.trec.evaluate`; or a mapping of measures to arrays of shape
        (n_systems, n_topics); or a mapping of systems to `Scores` of the same queries.
    test : {"bootstrap", "t", "tukey"}, default="bootstrap"
        The paired bootstrap test of the studentised mean difference [1]_, the paired t test, or the
        randomised Tukey HSD test [3]_, which corrects for all comparisons.
    alpha : float, default=0.05
        Significance level.
    n_resamples : int, default=1000
        Number B of resamples; the t test needs none. The same topics are drawn for all measures.
    random_state : int or Generator or None, default=0
        Seed of the resamples; with None they differ from call to call.

    Returns
    -------
    DiscriminativePower
        Significance levels, the share of significant pairs, and the difference required.

    Raises
    ------
    ValueError
        If there are fewer than two systems or fewer than two topics on which all systems have a
        value, or an option is not as described.

    Notes
    -----
    The difference that a pair requires depends on the test. With the bootstrap it is the mean
    difference of the resample whose studentised difference is the ``alpha * B``-th largest [1]_;
    with the t test it is the critical value of t times the standard error; with Tukey's test it is
    the smallest significant difference that was observed, the same for all pairs. Significance
    levels count the observed difference as one of the resampled ones, (b + 1) / (B + 1), so that
    none is 0.

    References
    ----------
    .. [1] T. Sakai (2006), "Evaluating Evaluation Metrics based on the Bootstrap".
    .. [2] T. Sakai (2007), "Alternatives to Bpref", Section 7.
    .. [3] B. Carterette (2012), "Multiple Testing in Statistical Analysis of Systems-Based
       Information Retrieval Experiments".

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import discriminative_power
    >>> topic = np.random.default_rng(0).random((3, 40))
    >>> steady = 0.1 * topic + np.array([[0.0], [0.1], [0.2]])
    >>> discriminative_power({"steady": steady, "noisy": topic}, test="t")
    measure  significant   power  diff. required
    steady           3/3  100.0%           0.015
    noisy            0/3    0.0%           0.151
    paired t tests at alpha = 0.05; 3 systems; 40 topics.
    """
    taken = as_system_scores(scores, n_topics=2)
    _check_options(test, alpha, n_resamples)
    seed = np.random.default_rng(random_state).integers(2**63)
    pairs = np.column_stack(np.triu_indices(len(taken.systems), 1))
    tested = []
    with ProgressBar(len(taken.measures), "measures") as bar:
        for number in range(len(taken.measures)):
            values = complete_topics(taken, number)
            rng = np.random.default_rng(seed)
            tested.append(_TESTS[test](values, pairs, alpha, n_resamples, rng))
            bar.step()
    return DiscriminativePower(
        measures=taken.measures,
        systems=taken.systems,
        pairs=pairs,
        test=test,
        alpha=alpha,
        n_resamples=n_resamples,
        n_topics=tuple(each.n_topics for each in tested),
        p_values=np.stack([each.p_values for each in tested]),
        differences=np.stack([each.differences for each in tested]),
        required=np.stack([each.required for each in tested]),
    )


def _check_options(test: str, alpha: float, n_resamples: int) -> None:
    choice("test", test, get_args(PowerTest))
    fraction("alpha", alpha)
    integer("n_resamples", n_resamples, 1)
    if test != "t" and n_resamples * alpha < 1.0:
        raise ValueError(
            f"n_resamples must be at least 1 / alpha ({1.0 / alpha:g}), got {n_resamples!r}."
        )


class _Tested(NamedTuple):
    p_values: FloatArray
    differences: FloatArray
    required: FloatArray
    n_topics: int


def _test_bootstrap(
    values: FloatArray, pairs: IntArray, alpha: float, n_resamples: int, rng: np.random.Generator
) -> _Tested:
    n_topics = values.shape[1]
    equal_shares = np.full(n_topics, 1.0 / n_topics)
    shares = rng.multinomial(n_topics, equal_shares, size=n_resamples).T / n_topics
    wanted = max(1, round(alpha * n_resamples))
    means = (values @ shares).ravel()
    sizes = np.abs(values).max(axis=1)
    at_a_time = max(1, _CELLS_AT_A_TIME // n_resamples)
    found = []
    for first in range(0, len(pairs), at_a_time):
        batch = pairs[first : first + at_a_time]
        differences = paired_differences(values[batch[:, 0]], values[batch[:, 1]])
        observed, shifted = _observed(differences, sizes[batch].max(axis=1))
        squares = (shifted**2 @ shares).ravel()
        beyond, required = _core.bootstrap_pairs(
            batch.ravel(), observed.ravel(), means, squares, n_resamples, wanted
        )
        p_values = (beyond + 1) / (n_resamples + 1)
        differ = (differences != 0.0).any(axis=1)
        found.append(
            (
                np.where(differ, p_values, 1.0),
                differences.mean(axis=1),
                np.where(differ, required, 0.0),
            )
        )
    p_values, mean_differences, required = map(np.concatenate, zip(*found, strict=True))
    return _Tested(p_values, mean_differences, required, n_topics)


def _observed(differences: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what resamples of each pair are compared with, and the shifted differences.

    The columns are the mean, the rounding error of a mean, and the least squared t that counts.
    """
    mean = means_without_rounding(differences)
    shifted = differences - mean[:, None]  # as if there were no difference
    shifted[np.abs(shifted) <= _ROUNDING * np.abs(mean)[:, None]] = 0.0
    mean_of_squares = (differences**2).mean(axis=1)
    variance = mean_of_squares - mean**2
    variance[variance <= _ROUNDING * mean_of_squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        squared_t = np.where(mean == 0.0, 0.0, mean**2 / variance)
    least = squared_t * (1.0 - _ROUNDING)
    return np.column_stack([mean, _ROUNDING_OF_MEANS * sizes, least]), shifted


def _test_t(
    values: FloatArray, pairs: IntArray, alpha: float, n_resamples: int, rng: np.random.Generator
) -> _Tested:
    from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

    n_topics = values.shape[1]
    differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
    critical = float(students_t.isf(alpha / 2.0, n_topics - 1))
    error = differences.std(axis=1, ddof=1) / np.sqrt(n_topics)
    return _Tested(t_test(differences), differences.mean(axis=1), critical * error, n_topics)


def _test_tukey(
    values: FloatArray, pairs: IntArray, alpha: float, n_resamples: int, rng: np.random.Generator
) -> _Tested:
    p_values = tukey_test(values, n_resamples, rng)[pairs[:, 0], pairs[:, 1]]
    means = values.mean(axis=1)
    differences = means[pairs[:, 0]] - means[pairs[:, 1]]
    significant = np.abs(differences[p_values < alpha])
    least = float(significant.min()) if len(significant) else float("nan")
    return _Tested(p_values, differences, np.full(len(pairs), least), values.shape[1])


_TESTS: dict[str, Callable[..., _Tested]] = {
    "bootstrap": _test_bootstrap,
    "t": _test_t,
    "tukey": _test_tukey,
}
