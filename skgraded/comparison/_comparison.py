"""`Comparison`, the result of a comparison of systems."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from skgraded._intervals.corrections import level_of
from skgraded._intervals.estimate import FEWEST_DIFFERENCES
from skgraded._params import fraction, number
from skgraded._writers import LongResult, Report, Table
from skgraded.comparison._judged_estimates import JudgedEstimates
from skgraded.comparison._pictures import draw_comparison
from skgraded.comparison._tables import tables_for_papers, tables_of
from skgraded.results import OfMeasures, column_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_STATUS = {"fails": 1, "undecided": 3}
_BY_PAIR = ("difference", "interval", "standard_error", "effect_size", "n_differing")


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(OfMeasures, LongResult):
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
        Mean difference divided by the standard deviation of the differences (Cohen's d), or by that
        of the residuals of systems and queries if the first test is Tukey's.
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
        What the numbers do not show, in sentences.
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
            field: getattr(self, field)[:, columns] for field in ("means", *_BY_PAIR)
        }
        for field in ("measures", "directions", "n_queries"):
            picked[field] = tuple(getattr(self, field)[column] for column in columns)
        picked["p_value"] = {test: found[:, columns] for test, found in self.p_value.items()}
        picked["decisions"] = None if self.decisions is None else self.decisions[:, columns]
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
            raise ValueError(
                "Decisions need a margin or better=True: compare(..., baseline=..., margin=0.01)."
            )
        return next((_STATUS[e] for e in ("fails", "undecided") if (self.decisions == e).any()), 0)

    def queries_needed(
        self, effect: float | None = None, power: float = 0.8, confidence: float | None = None
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
            raise ValueError("effect must be given for a comparison without a margin, got None.")
        wanted = number("effect", self.margin if effect is None else effect, above=0.0)
        chosen = fraction("confidence", self.confidence if confidence is None else confidence)
        level, n_queries = level_of(chosen), np.array(self.n_queries)
        freedom, share = n_queries - 1.0, fraction("power", power)
        reach = stdtrit(freedom, 1.0 - level / 2.0) + stdtrit(freedom, share)
        needed = reach**2 * self.standard_error**2 * n_queries / wanted**2
        # The t test that is to come has few degrees of freedom.
        needed = np.ceil(needed + ndtri(1.0 - level / 2.0) ** 2 / 2.0)
        return np.where(self.n_differing >= FEWEST_DIFFERENCES, needed, np.nan)

    def _columns(self) -> dict[str, Any]:
        column, pair = (each.ravel() for each in np.indices(self.difference.T.shape))
        systems = np.array(self.systems, dtype=object)
        decided = {} if self.decisions is None else {"decision": self.decisions[pair, column]}
        return {
            "measure": np.array(self.measures, dtype=object)[column],
            "system": systems[self.pairs[pair, 0]],
            "other": systems[self.pairs[pair, 1]],
            "difference": self.difference[pair, column],
            "low": self.interval[pair, column, 0],
            "high": self.interval[pair, column, 1],
            "effect_size": self.effect_size[pair, column],
            **{test: found[pair, column] for test, found in self.p_value.items()},
            "significant": self.significant[pair, column],
            **decided,
        }

    def _facts(self) -> dict[str, Any]:
        means = {
            system: dict(zip(self.measures, row, strict=True))
            for system, row in zip(self.systems, self.means.tolist(), strict=True)
        }
        decided = {} if self.decisions is None else {"status": self.status}
        return {**super()._facts(), **decided, "means": means}

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return tables_of(self, n_rows)

    def _report(self) -> Report:
        return super()._report()._replace(for_papers=tables_for_papers(self))

    def _repr_html_(self) -> str:
        tables = tables_of(self, self._rows_shown, widest=None)
        return "\n".join(table.to_html() for table in tables)

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences with their intervals, or of all pairs of many systems the means.

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
