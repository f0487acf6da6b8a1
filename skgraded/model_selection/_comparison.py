"""Results of comparisons of rankers: tables, plots, and the number of queries that would do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from skgraded._optional import axes_or_new, import_pandas
from skgraded._params import fraction, number
from skgraded._pictures import BETTER, GREY, headline, plain
from skgraded._stats.repeats import note_on_few_repeats
from skgraded._text import Table, TableResult, count, shorten, wrap
from skgraded.measures import Measure, column_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RankerComparison", "RankerComparisons"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
_SMALLEST_SHOWN = 0.0001
_ROWS_SHOWN = 20
_WIDEST_LABEL = 44
# With fewer queries that hold the top grade, a note says so.
_FEW_TOP_QUERIES = 20
_ONE_TRAINING = (
    "One cross-validation: other splits and trainings can differ by more than these intervals. "
    "cross_validate_queries(..., n_repeats=5) includes that."
)
# Inches of a plot.
_WIDTH_OF_AXES, _WIDTH_OF_CHARACTER = 4.5, 0.085
_LEAST_HEIGHT, _HEIGHT_OF_REST, _HEIGHT_OF_PAIR = 2.4, 0.9, 0.3


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RankerComparison(TableResult):
    """Differences between rankers with their confidence intervals and p-values.

    Rankers are in the order of their means, the best one first. The difference of a pair is that of
    the better ranker less the other, or of a ranker less the baseline.

    Attributes
    ----------
    rankers : tuple of str
        Names of the rankers.
    measure : Measure
        The measure.
    qid : ndarray of shape (n_queries,)
        The queries for which every ranker has a value.
    values : ndarray of shape (n_rankers, n_queries)
        The values; means over the repeats where there are several.
    n_left_out : int
        Number of queries that were left out because a ranker has no value for them.
    pairs : ndarray of shape (n_pairs, 2)
        Places of the two rankers of each pair in ``rankers``.
    differences : ndarray of shape (n_pairs,)
        Mean difference: the first of the pair less the second.
    intervals : ndarray of shape (n_pairs, 2)
        Ends of its confidence interval, not corrected for the number of pairs.
    standard_errors : ndarray of shape (n_pairs,)
        Standard error of the mean difference.
    effect_sizes : ndarray of shape (n_pairs,)
        Mean difference in standard deviations of the differences (Cohen's d).
    p_values : dict of str to ndarray of shape (n_pairs,)
        Corrected p-values by test: ``"t"``, and ``"wilcoxon"`` and ``"randomization"`` where there
        is one repeat.
    confidence : float
        Confidence of the intervals.
    correction : str
        Correction of the p-values for their number.
    n_tests : int
        Number of p-values of a test that share the correction.
    n_repeats : int
        Number of times that each query was tested.
    n_in_part : int
        Number of queries that some of the repeats did not test.
    n_top : int or None
        Number of queries with a document of the highest grade of all labels; None if the rankers
        were given by their values alone.
    is_one_training : bool
        Whether rankers were trained in one cross-validation, so that the intervals leave out how
        much another split and training would change.
    """

    rankers: tuple[str, ...]
    measure: Measure
    qid: NDArray[Any]
    values: FloatArray
    n_left_out: int
    pairs: IntArray
    differences: FloatArray
    intervals: FloatArray
    standard_errors: FloatArray
    effect_sizes: FloatArray
    p_values: dict[str, FloatArray]
    confidence: float
    correction: str
    n_tests: int
    n_repeats: int
    n_in_part: int
    n_top: int | None
    is_one_training: bool

    @property
    def means(self) -> FloatArray:
        """The mean of each ranker over the queries."""
        means: FloatArray = self.values.mean(axis=1)
        return means

    def queries_needed(
        self, effect: float = 0.002, power: float = 0.8, alpha: float = 0.05
    ) -> IntArray:
        r"""Return how many queries would show a difference of a given size.

        Parameters
        ----------
        effect : float, default=0.002
            The mean difference to be shown, above 0.
        power : float, default=0.8
            Probability that a two-sided t test shows it.
        alpha : float, default=0.05
            Level of the test; for n tests with Holm's correction, 0.05 / n is on the safe side.

        Returns
        -------
        ndarray of shape (n_pairs,)
            The number of queries for each pair.

        Raises
        ------
        ValueError
            If an argument is not as described.

        Notes
        -----
        The number is

        .. math:: (z_{1-\alpha/2} + z_{power})^2 s^2 / effect^2 + z_{1-\alpha/2}^2 / 2,

        rounded up, where s is the observed standard deviation of the differences: the standard
        error times the square root of the number of queries, so that over several repeats it
        includes their variation. The second term makes up for the difference between the normal
        and the t distribution [1]_. s is an estimate: over 30 queries it can be off by a quarter,
        and the number by half. With fewer than five repeats it can be off by a factor of two and
        more, and for rankers that never differ the number means nothing.

        References
        ----------
        .. [1] W. Guenther (1981), "Sample Size Formulas for Normal Theory T Tests", The American
           Statistician 35(4).

        Examples
        --------
        >>> from skgraded import AP
        >>> from skgraded.model_selection import compare_rankers
        >>> from skgraded.datasets import make_ranking
        >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
        >>> scores = {name: AP().per_query(y, X[:, name], qid=qid) for name in (0, 1)}
        >>> compare_rankers(scores).queries_needed(effect=0.02).tolist()
        [513]
        """
        from scipy.stats import norm

        number("effect", effect, above=0.0)
        two_sided = norm.isf(fraction("alpha", alpha) / 2.0)
        deviations = self.standard_errors * np.sqrt(len(self.qid))
        needed = ((two_sided + norm.ppf(fraction("power", power))) * deviations / effect) ** 2
        n_queries: IntArray = np.ceil(needed + two_sided**2 / 2.0).astype(np.int64)
        return n_queries

    def _names_of_pairs(self) -> list[tuple[str, str]]:
        return [(self.rankers[one], self.rankers[other]) for one, other in self.pairs]

    def _names(self) -> list[str]:
        return [" - ".join(each) for each in self._names_of_pairs()]

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per pair of rankers.

        Returns
        -------
        DataFrame
            Columns ranker, other, difference, low, high, effect_size and one for each test.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names = np.array(self.rankers, dtype=object)
        frame: pd.DataFrame = import_pandas().DataFrame(
            {
                "ranker": names[self.pairs[:, 0]],
                "other": names[self.pairs[:, 1]],
                "difference": self.differences,
                "low": self.intervals[:, 0],
                "high": self.intervals[:, 1],
                "effect_size": self.effect_sizes,
                **self.p_values,
            }
        )
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean differences with their confidence intervals.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib Axes
            The axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        names = self._names()
        ax = axes_or_new(ax, self, _size_for(names))
        place = np.arange(len(self.pairs))
        reach = np.abs(self.intervals - self.differences[:, None]).T
        ax.errorbar(self.differences, place, xerr=reach, fmt="o", capsize=3, color=BETTER)
        ax.axvline(0, color=GREY, linewidth=1)
        ax.set_yticks(place, names)
        ax.set_ylim(len(place) - 0.5, -0.5)
        ax.set_xlabel(
            f"difference in {self.measure},\n{self.confidence:.0%} interval over {self._size()}"
        )
        plain(ax, grid="x")
        headline(ax, f"Do rankers differ in {self.measure}?", self._answer())
        return ax

    def _answer(self) -> str:
        """Say how many differences have an interval without 0."""
        n = int(((self.intervals[:, 0] > 0) | (self.intervals[:, 1] < 0)).sum())
        if not n:
            return "No difference is established: all intervals include 0."
        return f"{n} of {count(len(self.pairs), 'interval')} exclude 0."

    def _size(self) -> str:
        repeats = "" if self.n_repeats == 1 else f" and {self.n_repeats} repeats"
        return f"{len(self.qid)} queries{repeats}"

    def __repr__(self) -> str:
        names = [_pair_name(*each) for each in self._names_of_pairs()]
        return f"{self._means_table().to_text()}\n\n{self._pairs_table(names).to_text()}"

    def _repr_html_(self) -> str:
        return f"{self._means_table().to_html()}\n{self._pairs_table(self._names()).to_html()}"

    def _means_table(self) -> Table:
        shown = self.rankers[:_ROWS_SHOWN]
        means = [f"{mean:.4f}" for mean in self.means[: len(shown)]]
        left_out = len(self.rankers) - len(shown)
        notes = [f"The first {len(shown)} of {len(self.rankers)} rankers."] if left_out else []
        title = f"{self.measure} over {self._size()}"
        return Table(["ranker", *shown], [("mean", means)], notes, title, _WIDEST_LABEL)

    def _pairs_table(self, names: Sequence[str]) -> Table:
        names = names[:_ROWS_SHOWN]
        rows = range(len(names))
        ends = [f"[{low:+.4f}, {high:+.4f}]" for low, high in self.intervals[: len(names)]]
        columns = [
            ("difference", [f"{self.differences[row]:+.4f}" for row in rows]),
            (f"{self.confidence:.0%} interval", ends),
            *(
                (_column(test), [_p_value(each[row]) for row in rows])
                for test, each in self.p_values.items()
            ),
        ]
        notes = self._notes()
        if len(names) < len(self.pairs):
            notes.insert(0, f"The first {len(names)} of {len(self.pairs)} pairs; to_frame has all.")
        return Table(["pair", *names], columns, notes, widest_label=_WIDEST_LABEL)

    def _notes(self) -> list[str]:
        over = "" if self.n_repeats == 1 else " over queries and repeats"
        corrected = f", {_CORRECTIONS[self.correction]} for {self._tests()}"
        notes = [f"p-values of paired tests{over}{corrected if self.n_tests > 1 else ''}."]
        if few := note_on_few_repeats(self.n_repeats):
            notes.append(wrap(few))
        if self.is_one_training:
            notes.append(wrap(_ONE_TRAINING))
        if self.n_left_out:
            notes.append(f"{count(self.n_left_out, 'query', 'queries')} without a value left out.")
        if self.n_in_part:
            notes.append(f"{count(self.n_in_part, 'query', 'queries')} not tested in every repeat.")
        if self.n_top is not None and self.n_top < min(_FEW_TOP_QUERIES, len(self.qid)):
            notes.append(
                f"Only {count(self.n_top, 'query', 'queries')} with a document of the top grade, "
                "few to judge by."
            )
        return notes

    def _tests(self) -> str:
        pairs = count(len(self.pairs), "pair")
        n_measures = self.n_tests // len(self.pairs)
        return pairs if n_measures == 1 else f"{pairs} by {n_measures} measures"


class RankerComparisons(Mapping[str, RankerComparison]):
    """Comparisons of the same rankers by several measures, whose p-values share one correction.

    It is a mapping of the measures' names to comparisons. ``found["nDCG@10"]`` is that by nDCG.

    Parameters
    ----------
    comparisons : iterable of RankerComparison
        The comparisons, one for each measure.

    Examples
    --------
    >>> from skgraded import cross_validate_queries
    >>> from skgraded.model_selection import compare_rankers
    >>> from skgraded.datasets import make_ranking
    >>> from sklearn.linear_model import Ridge
    >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    >>> measures = ["nDCG@10", "AP"]
    >>> rankers = {
    ...     name: cross_validate_queries(Ridge(), each, y, qid=qid, measures=measures)
    ...     for name, each in {"all": X, "half": X[:, ::2]}.items()
    ... }
    >>> found = compare_rankers(rankers, measure=measures)
    >>> list(found), found["AP"].rankers
    (['nDCG@10', 'AP'], ('all', 'half'))
    """

    def __init__(self, comparisons: Iterable[RankerComparison]) -> None:
        self._by_name = {str(each.measure): each for each in comparisons}

    def __getitem__(self, name: str | Measure) -> RankerComparison:
        found = list(self._by_name.values())
        return found[column_of(tuple(each.measure for each in found), name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per measure and pair of rankers.

        Returns
        -------
        DataFrame
            A column measure, and those of `RankerComparison.to_frame`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frames = [each.to_frame().assign(measure=name) for name, each in self.items()]
        frame: pd.DataFrame = import_pandas().concat(frames, ignore_index=True)
        return frame[["measure", *frame.columns.drop("measure")]]

    def plot(self, axes: Any = None) -> Any:
        """Draw the mean differences with their confidence intervals, a picture for each measure.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, optional
            Where to draw; new figures by default.

        Returns
        -------
        list of matplotlib Axes
            The axes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        given = [None] * len(self) if axes is None else list(np.ravel(axes))
        return [each.plot(ax) for each, ax in zip(self.values(), given, strict=True)]

    def to_dict(self) -> dict[str, dict[str, list[Any]]]:
        """Return the columns of each comparison by name of the measure, in plain types.

        Returns
        -------
        dict of str to dict of str to list
            What `RankerComparison.to_dict` returns for each measure.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return {name: each.to_dict() for name, each in self.items()}

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.values()))

    def _repr_html_(self) -> str:
        return "\n".join(each._repr_html_() for each in self.values())


def _size_for(names: list[str]) -> tuple[float, float]:
    """Return a figure's width and height in inches, with room for the names beside the axes."""
    return (
        _WIDTH_OF_AXES + _WIDTH_OF_CHARACTER * max(map(len, names)),
        max(_LEAST_HEIGHT, _HEIGHT_OF_REST + _HEIGHT_OF_PAIR * len(names)),
    )


def _pair_name(one: str, other: str) -> str:
    """Write a pair so that neither of two long names is lost where the table cuts labels."""
    name = f"{one} - {other}"
    if len(name) <= _WIDEST_LABEL:
        return name
    half = (_WIDEST_LABEL - len(" - ")) // 2
    return f"{shorten(one, half)} - {shorten(other, half)}"


def _p_value(value: float) -> str:
    return f"{value:.4f}" if value >= _SMALLEST_SHOWN else f"<{_SMALLEST_SHOWN}"


def _column(test: str) -> str:
    return {"t": "t", "wilcoxon": "Wilcoxon", "randomization": "Fisher"}[test]
