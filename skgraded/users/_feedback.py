"""Estimation of g from users' feedback on single documents."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import warn_once
from skgraded._params import integer_or_none
from skgraded._text import count
from skgraded._writers import Table
from skgraded.exceptions import IndistinctGradesWarning, UserModelWarning
from skgraded.rankings import CheckedColumns, number_rows, read_columns
from skgraded.users._estimate import ThresholdEstimate
from skgraded.users._feedback_columns import (
    count_grades,
    flags,
    known_grades,
    propensities,
    read_grades,
)
from skgraded.users._resampling import (
    Correction,
    check_options,
    covariance_of,
    grades_in_words,
    interval_of,
    resampled_sums,
    spread_steps,
    unit_numbers,
    units_of_resampling,
    warn_if_few,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class FeedbackThresholds(ThresholdEstimate):
    """A distribution g of the users' thresholds, estimated from their satisfaction by grade.

    `to_frame` has one row per grade, from 0, with the columns grade, n_shown, n_examined,
    n_satisfied, rate, g, lower and upper; the last three are nan for grade 0.

    Attributes
    ----------
    g : ndarray of shape (max_grade,)
        Probabilities of the thresholds 1..max_grade, which sum to 1.
    interval : ndarray of shape (max_grade, 2)
        Lower and upper end of the interval of each probability.
    confidence : float
        Confidence of each interval by itself.
    covariance : ndarray of shape (max_grade, max_grade)
        Covariance of the estimated probabilities.
    n_shown : ndarray of shape (max_grade + 1,), int64
        Number of shown documents by grade, from grade 0.
    n_examined : ndarray of shape (max_grade + 1,)
        Sum of their propensities: the expected number of examined documents.
    n_satisfied : ndarray of shape (max_grade + 1,), int64
        Number of documents that satisfied their user.
    n_clusters : int
        Number of clusters, such as sessions, which were resampled as a whole.
    n_unjudged : int
        Number of rows without a grade, which were left out.
    """

    n_shown: IntArray
    n_examined: FloatArray
    n_satisfied: IntArray
    n_clusters: int
    n_unjudged: int

    @property
    def rate(self) -> FloatArray:
        """Share of the examined documents that satisfied, by grade; nan where none was shown."""
        return _ratio(self.n_satisfied, self.n_examined)

    def _columns(self) -> dict[str, Any]:
        of_g = np.vstack([np.full(3, np.nan), np.column_stack([self.g, self.interval])])
        return {
            "grade": np.arange(self.max_grade + 1),
            "n_shown": self.n_shown,
            "n_examined": self.n_examined,
            "n_satisfied": self.n_satisfied,
            "rate": self.rate,
            "g": of_g[:, 0],
            "lower": of_g[:, 1],
            "upper": of_g[:, 2],
        }

    def _table(self) -> Table:
        intervals = [f"{low:.3f} to {high:.3f}" for low, high in self.interval]
        columns = [
            ("shown", [str(n) for n in self.n_shown]),
            ("examined", [f"{n:.1f}" for n in self.n_examined]),
            ("satisfied", [str(n) for n in self.n_satisfied]),
            ("rate", [f"{rate:.3f}" for rate in self.rate]),
            ("g", ["", *(f"{each:.3f}" for each in self.g)]),
            (f"{100 * self.confidence:g} % interval", ["", *intervals]),
        ]
        labels = ["grade", *map(str, range(self.max_grade + 1))]
        clusters, left_out = count(self.n_clusters, "cluster"), count(self.n_unjudged, "row")
        told = [
            f"g from the satisfaction in {clusters}, which were resampled.",
            f"Left out: {left_out} without a grade." if self.n_unjudged else "",
            "Without propensities, every shown document counts as examined."
            if np.array_equal(self.n_shown, self.n_examined)
            else "",
            self._indistinct_in_words(),
        ]
        return Table(labels, columns, told)


class _Feedback(NamedTuple):
    """Checked rows: grade, whether satisfied, propensity and number of the cluster of each."""

    grade: IntArray
    satisfied: NDArray[np.bool_]
    propensity: FloatArray
    cluster: NDArray[Any]
    n_unjudged: int

    @property
    def n_clusters(self) -> int:
        return int(self.cluster.max()) + 1


def thresholds_from_feedback(
    grade: ArrayLike,
    satisfied: ArrayLike,
    *,
    propensity: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    max_grade: int | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int = 0,
) -> FeedbackThresholds:
    r"""Estimate g from the documents that were shown to users, and which of them satisfied.

    Use it for users who were asked, or who examine all that they are shown. For clicks and
    purchases on ranked lists use `thresholds_from_log`: users who stop when satisfied, or choose
    one document, do not examine the others independently of their threshold, and this estimate
    would be far off.

    .. math::

        g_k = \frac{\rho_k - \rho_{k-1}}{\rho_c - \rho_0}, \qquad
        \rho_i = \frac{\text{satisfied documents of grade } i}
                      {\text{sum of the propensities of shown documents of grade } i}

    where c is the top grade, and the rates :math:`\rho` are made to rise with the grade by isotonic
    regression. The user model is that of `GAP`, `xGAP` and `eGAP` [1]_ [2]_: a user has a
    threshold K with P(K = k) = g_k, and a document of grade i satisfies if it is examined and
    K <= i. An examined document of grade i then satisfies with probability
    G(i) = g_1 + ... + g_i, or with a probability that is a linear function of G(i), if some users
    are satisfied by a document below their threshold, or not by one above it.

    Parameters
    ----------
    grade : array-like of shape (n_rows,)
        Grade of each document that was shown in a session. Rows with NaN, unjudged documents, are
        left out and counted. Some must have grade 0, or else no document of grade 0 is taken to
        satisfy; and some the top grade.
    satisfied : array-like of shape (n_rows,)
        Whether the document satisfied its user: True, False, 1 or 0. A document that was not
        examined did not satisfy.
    propensity : array-like of shape (n_rows,), optional
        Probability that the user examined the document, in (0, 1], such as 1/rank. A common factor
        has no effect, so that propensities relative to the first rank suffice. None means that all
        rows were examined. Without propensities, feedback on ranked lists makes g too high at the
        top, because better documents stand where more users look.
    cluster : array-like of shape (n_rows,), optional
        Rows that are not independent of each other have the same entry here, and are resampled
        together: the user, where users come back, because thresholds belong to users; the query,
        where queries do, because they share documents; else the session. None means that all rows
        are independent, unless `grade` is made by `query_series` or `query_target`, which hold ids.
    max_grade : int, optional
        Top grade of the scale; None takes it from `grade`.
    confidence : float, default=0.95
        Confidence of each interval by itself.
    n_resamples : int, default=1000
        Number of bootstrap samples of clusters.
    random_state : int, default=0
        Seed of the samples.

    Returns
    -------
    FeedbackThresholds
        The distribution, its intervals, and the counts by grade.

    Raises
    ------
    ValueError
        If an array is invalid, only one grade or no document of the top grade is shown, no document
        satisfies, or those of the top grade do not satisfy more often than those of grade 0.

    Warns
    -----
    FewFeedbackWarning
        If there are fewer than 20 clusters.
    IndistinctGradesWarning
        If a grade between 0 and the top is never shown, so that its neighbours share what is
        known, or if satisfaction falls from one grade to the next, so that both get the same rate.
    UserModelWarning
        If it falls by more than chance explains, as it cannot in the user model. Then neither g nor
        its intervals mean much.

    See Also
    --------
    thresholds_from_log : The same from clicks or purchases on ranked lists.
    personas : Named distributions for use without data.

    Notes
    -----
    The rate divides the satisfied documents of a grade by the expected number of examined ones.
    With the same propensities, the mean of satisfied / propensity [3]_ over the shown documents
    has the same expectation if satisfaction depends on the grade alone; its variance is larger,
    because satisfied documents at low ranks have large weights.

    The intervals are BCa intervals [4]_ of the same ratio without isotonic regression, cut to
    [0, 1]. If no document of a grade satisfies, the resampled rates come from an exponential
    distribution, whose quantiles are the exact bounds for zero events. More than 500 clusters are
    dealt at random to 500 groups of equal size, which are resampled instead of single clusters.
    The sums of a bootstrap sample keep their mean, variance and skewness in expectation, and time
    does not grow with the number of clusters times that of samples.

    The shares of the grades among the judged documents say nothing about g: they describe the
    collection and not its users.

    References
    ----------
    .. [1] S. E. Robertson, E. Kanoulas, E. Yilmaz (2010), "Extending Average Precision to Graded
       Relevance Judgments", SIGIR.
    .. [2] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Sections 2 to 4.
    .. [3] T. Joachims, A. Swaminathan, T. Schnabel (2018), "Unbiased Learning-to-Rank with Biased
       Feedback", IJCAI.
    .. [4] B. Efron (1987), "Better Bootstrap Confidence Intervals", Journal of the American
       Statistical Association 82.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import xGAP
    >>> from skgraded.users import thresholds_from_feedback
    >>> rng = np.random.default_rng(0)
    >>> session, rank = np.divmod(np.arange(10_000), 10)
    >>> grade, threshold = rng.choice(3, size=10_000), rng.choice([1, 2], p=[.2, .8], size=1000)
    >>> examined = rng.random(10_000) < 1 / (rank + 1)
    >>> satisfied = examined & (grade >= threshold[session])
    >>> chance = 1 / (rank + 1)
    >>> found = thresholds_from_feedback(grade, satisfied, propensity=chance, cluster=session)
    >>> found
    grade  shown  examined  satisfied   rate      g   95 % interval
    0       3330     986.7          0  0.000
    1       3327     973.7        194  0.199  0.192  0.163 to 0.226
    2       3343     968.6       1003  1.035  0.808  0.774 to 0.837
    g from the satisfaction in 1000 clusters, which were resampled.
    >>> found.measure(xGAP, k=10, digits=2)
    xGAP(g=(0.19, 0.81), k=10)
    """
    top = integer_or_none("max_grade", max_grade, 1, "the highest grade")
    confidence, n_resamples, random = check_options(confidence, n_resamples, random_state)
    columns = read_columns(
        grade, cluster, named=("grade", "cluster"), satisfied=satisfied, propensity=propensity
    )
    rows = _checked(columns, satisfied, propensity)
    n_shown = count_grades(rows.grade, top)
    by_unit = _sums(rows, len(n_shown), random)
    n_satisfied, n_examined = by_unit.sum(axis=0).reshape(2, -1)
    shown = known_grades(n_shown)
    lengths, steps = np.diff(shown), _steps(n_satisfied, n_examined, shown)
    rates, widened = _resample(by_unit, shown, n_resamples, random)
    _warn_if_contradicted(rates, shown, confidence)
    raw, influence = _influence(by_unit, shown)
    correction = Correction.of(_unconstrained(rates), raw, influence)
    ends = interval_of(_unconstrained(widened), steps, confidence, correction)
    g, interval = spread_steps(steps, ends, lengths)
    warn_if_few(rows.n_clusters, "grade" if columns.ids is None else "cluster", "clusters")
    return FeedbackThresholds(
        g=g,
        interval=interval,
        confidence=confidence,
        covariance=covariance_of(_unconstrained(rates), lengths),
        n_shown=n_shown,
        n_examined=n_examined,
        n_satisfied=n_satisfied.astype(np.int64),
        n_clusters=rows.n_clusters,
        n_unjudged=rows.n_unjudged,
    )


def _checked(columns: CheckedColumns, satisfied: Any, propensity: Any) -> _Feedback:
    grades, judged = read_grades(columns)
    was_satisfied = flags("satisfied", satisfied, len(grades))
    chances = propensities(propensity, len(grades))
    numbers = (
        np.arange(len(grades))
        if columns.ids is None
        else unit_numbers("cluster", columns.ids, len(grades), "grade")
    )
    if judged.all():
        return _Feedback(grades.astype(np.int64), was_satisfied, chances, numbers, 0)
    if not judged.any():
        raise ValueError(f"grade must hold at least one grade, got {len(grades)} rows without.")
    return _Feedback(
        grade=grades[judged].astype(np.int64),
        satisfied=was_satisfied[judged],
        propensity=chances[judged],
        cluster=number_rows(numbers[judged], int(judged.sum())),
        n_unjudged=int((~judged).sum()),
    )


def _sums(rows: _Feedback, n_grades: int, random: np.random.Generator) -> FloatArray:
    """Return, by unit, the satisfied documents of each grade, then the sum of propensities."""
    unit, n_units = units_of_resampling(rows.cluster, rows.n_clusters, random)
    cell = unit * n_grades + rows.grade
    size = n_units * n_grades
    sums = [np.bincount(cell[rows.satisfied], minlength=size)]
    sums.append(np.bincount(cell, rows.propensity, size))
    return np.hstack([each.reshape(-1, n_grades) for each in sums])


def _ratio(satisfied: NDArray[Any], examined: NDArray[Any]) -> FloatArray:
    rate = np.full(np.shape(examined), np.nan)
    np.divide(satisfied, examined, out=rate, where=examined > 0)
    return rate


def _steps(n_satisfied: FloatArray, n_examined: FloatArray, shown: IntArray) -> FloatArray:
    """Return the probability of the thresholds from one shown grade to the next."""
    from sklearn.isotonic import isotonic_regression

    examined = n_examined[shown]
    rates = np.nan_to_num(_ratio(n_satisfied[shown], examined))  # nan: no grade 0 is shown
    fitted = isotonic_regression(rates, sample_weight=np.where(examined > 0, examined, 1.0))
    if not fitted[-1] > fitted[0]:
        raise ValueError(
            "satisfied must be true more often for the top grade than for the lowest, got the "
            f"rate {rates[0]:.3g} at grade {shown[0]} and {rates[-1]:.3g} at grade {shown[-1]}. "
            "Check that higher grades are better."
        )
    _warn_if_pooled(rates, fitted, shown)
    steps: FloatArray = np.diff(fitted) / (fitted[-1] - fitted[0])
    return steps


def _warn_if_pooled(rates: FloatArray, fitted: FloatArray, shown: IntArray) -> None:
    falls = np.flatnonzero(np.diff(rates) < 0)
    pools = {tuple(shown[fitted == fitted[at]].tolist()) for at in falls}
    if pools:
        told = "; ".join(grades_in_words(np.array(pool)) for pool in sorted(pools))
        rates_told = ", ".join(f"{rate:.3g}" for rate in rates)
        warn_once(
            "satisfied should be true more often the higher the grade, got the rates "
            f"{rates_told} at {grades_in_words(shown)}. Isotonic regression gives one rate to "
            f"{told}, which g then does not tell apart.",
            IndistinctGradesWarning,
        )


def _warn_if_contradicted(rates: FloatArray, shown: IntArray, confidence: float) -> None:
    """Warn where the rate falls in nearly all bootstrap samples."""
    falls = (np.diff(rates, axis=1) < 0).mean(axis=0) >= (1 + confidence) / 2
    if falls.any():
        told = " and ".join(
            f"from grade {low} to {high}"
            for low, high in zip(shown[:-1][falls], shown[1:][falls], strict=True)
        )
        warn_once(
            f"satisfied falls {told} by more than chance explains. In the user model a higher "
            "grade satisfies at least as often: check grades and propensities, and do not rely on "
            "this g and its intervals.",
            UserModelWarning,
        )


def _resample(
    by_unit: FloatArray, shown: IntArray, n_resamples: int, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return rates in bootstrap samples of units: as they are, and with events not yet seen."""
    sums = resampled_sums(by_unit, n_resamples, random)
    rates = _shown_rates(sums, shown)
    n_satisfied, n_examined = (each[shown] for each in np.split(by_unit.sum(axis=0), 2))
    rates[:, n_examined == 0] = 0.0
    widened = rates.copy()
    for at in np.flatnonzero(n_examined > 0).tolist():
        events = random.exponential(size=n_resamples) / n_examined[at]
        if n_satisfied[at] == 0:
            widened[:, at] = events
        elif n_satisfied[at] == n_examined[at]:
            widened[:, at] = 1 - events
    return rates, widened


def _shown_rates(sums: FloatArray, shown: IntArray) -> FloatArray:
    satisfied, examined = np.split(sums, 2, axis=-1)
    return _ratio(satisfied[..., shown], examined[..., shown])


def _unconstrained(rates: FloatArray) -> FloatArray:
    """Return differences of rates as shares of the whole rise; nan where there is no rise."""
    rise = rates[..., -1:] - rates[..., :1]
    return np.diff(rates, axis=-1) / np.where(rise > 0, rise, np.nan)


def _influence(by_unit: FloatArray, shown: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the estimate without constraint, and by how much every unit moves it."""
    total = by_unit.sum(axis=0)
    rates = np.nan_to_num(_shown_rates(total, shown))
    satisfied, examined = (each[:, shown] for each in np.split(by_unit, 2, axis=1))
    n_examined = np.split(total, 2)[1][shown]
    moves = (satisfied - rates * examined) / np.where(n_examined > 0, n_examined, 1.0)
    rise = rates[-1] - rates[0]
    raw = _unconstrained(rates)
    influence = np.diff(moves, axis=1) - raw * (moves[:, -1:] - moves[:, :1])
    return raw, influence / (rise if rise > 0 else np.nan)
