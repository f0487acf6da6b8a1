"""Estimation of g from users' feedback on single documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._guards import warn_once
from skgraded._intervals.estimate import Estimate
from skgraded._support.arguments import fraction, integer_or_none
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded.exceptions import GradeScaleWarning, SkgradedWarning, UserModelWarning
from skgraded.rankings import CheckedColumns, number_rows, read_columns
from skgraded.users._feedback_columns import (
    check_grades,
    count_grades,
    find_shown_grades,
    flags,
    propensities,
    unit_numbers,
    warn_if_few,
)
from skgraded.users._shares import Shares, spread

_TINY = 1e-300


class _Feedback(NamedTuple):
    """Rows with a grade, and counts by grade.

    Attributes
    ----------
    level : ndarray of shape (n_rows,), int
        Number of each row's grade among the shown ones.
    satisfied : ndarray of shape (n_rows,), bool
        Whether the document satisfied its user.
    propensity : ndarray of shape (n_rows,)
        Probability that it was examined.
    cluster : ndarray of shape (n_rows,), int
        Number of the cluster.
    shown_grades : ndarray of shape (n_levels,), int
        The shown grades, and 0.
    n_shown, n_examined, n_satisfied : ndarray of shape (max_grade + 1,)
        How many documents were shown, examined and satisfied, by grade.
    """

    level: IntArray
    satisfied: BoolArray
    propensity: FloatArray
    cluster: IntArray
    shown_grades: IntArray
    n_shown: IntArray
    n_examined: FloatArray
    n_satisfied: IntArray

    @property
    def examined(self) -> FloatArray:
        """Examined documents of the shown grades; infinity where there is none of grade 0."""
        examined = self.n_examined[self.shown_grades]
        return np.where(examined > 0, examined, np.inf)

    @property
    def rates(self) -> FloatArray:
        """Satisfied documents over examined ones, by shown grade."""
        return self.n_satisfied[self.shown_grades] / self.examined


class _EstimateOfRates(Estimate):
    """An estimate from sums over clusters, which is told how its variance grows.

    Parameters
    ----------
    value : ndarray of shape (k,)
        The values.
    moves : ndarray of shape (n_units, k)
        By how much each cluster, and each row not yet seen, moves them.
    weights : ndarray of shape (n_units,)
        Number of rows of each.
    growth : ndarray of shape (k,)
        Skewness over standard error.
    n_clusters : int
        Number of clusters.
    """

    def __init__(
        self,
        value: FloatArray,
        moves: FloatArray,
        weights: FloatArray,
        growth: FloatArray,
        n_clusters: int,
    ) -> None:
        super().__init__(value, moves, weights=weights)
        self._growth = growth
        self._n_clusters = n_clusters

    @cached_property
    def skewness(self) -> FloatArray:
        """Skewness of the values, no more than that of as many numbers as clusters can be."""
        n = self._n_clusters
        root = np.sqrt(n * max(n - 1, 1))
        largest = max(n - 2, 0) / root
        growth = self._growth * self.error
        return np.clip(growth, -largest, largest)


def thresholds_from_feedback(
    grade: ArrayLike,
    satisfied: ArrayLike,
    *,
    propensity: ArrayLike | None = None,
    cluster: ArrayLike | None = None,
    max_grade: int | None = None,
    confidence: float = 0.95,
) -> Shares:
    r"""Estimate g from the documents that were shown to users, and which of them satisfied.

    It serves users who were asked, or who examine all that they are shown. For users who stop when
    satisfied, or choose one document, use `thresholds_from_log`.

    .. math::

        g_k = \frac{\rho_k - \rho_{k-1}}{\rho_c - \rho_0}, \qquad
        \rho_i = \frac{\text{satisfied documents of grade } i}
                      {\text{sum of the propensities of shown documents of grade } i}

    where c is the top grade, and the rates :math:`\rho` are made to rise with the grade by isotonic
    regression. The user model is that of `GAP`, `xGAP` and `eGAP` [1]_ [2]_: a user has a
    threshold K with P(K = k) = g_k, and an examined document of grade i satisfies with probability
    G(i) = g_1 + ... + g_i, or a linear function of it, if some users are satisfied by a document
    below their threshold, or not by one above it.

    Parameters
    ----------
    grade : array-like of shape (n_rows,)
        Grade of each document that was shown. Rows with NaN, unjudged documents, are left out and
        counted. Where none has grade 0, no such document is taken to satisfy.
    satisfied : array-like of shape (n_rows,)
        Whether the document satisfied its user: True, False, 1 or 0.
    propensity : array-like of shape (n_rows,), optional
        Probability that the user examined the document, up to a common factor, in (0, 1], such as
        1/rank. None means that all rows were examined: on ranked lists g is then too high at the
        top, because better documents stand where more users look.
    cluster : array-like of shape (n_rows,), optional
        The same entry for rows that are not independent: the user, where users come back; the
        query, where queries do; else the session. None means that all rows are independent, unless
        `grade` is made by `query_series` or `query_target`, which hold ids.
    max_grade : int, optional
        Top grade of the scale; None takes it from `grade`.
    confidence : float, default=0.95
        Confidence of each interval by itself.

    Returns
    -------
    Shares
        The distribution with its intervals, and the counts by grade.

    Raises
    ------
    ValueError
        If an array is invalid, one grade alone or no document of the top grade is shown, or those
        of the top grade do not satisfy more often than those of grade 0.

    Warns
    -----
    FewFeedbackWarning
        If there are fewer than 20 clusters.
    GradeScaleWarning
        If a grade between 0 and the top is never shown, or satisfaction falls from one grade to the
        next, so that both get the same rate.
    UserModelWarning
        If it falls by more than chance explains, as it cannot in the user model.

    References
    ----------
    .. [1] S. E. Robertson, E. Kanoulas, E. Yilmaz (2010), "Extending Average Precision to Graded
       Relevance Judgments", SIGIR.
    .. [2] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Sections 2 to 4.

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
    1       3327     973.7        194  0.199  0.192  0.160 to 0.227
    2       3343     968.6       1003  1.035  0.808  0.773 to 0.840
    The intervals are over 1000 clusters.
    >>> found.measure(xGAP, k=10, digits=2)
    xGAP(g=(0.19, 0.81), k=10)
    """
    confidence = fraction("confidence", confidence)
    top = integer_or_none("max_grade", max_grade, 1, "the highest grade")
    columns = read_columns(
        grade,
        cluster,
        named=("grade", "cluster"),
        satisfied=satisfied,
        propensity=propensity,
    )
    rows = _feedback_of(columns, satisfied, propensity, top)
    estimate = _estimate(rows, confidence)

    n_clusters = int(rows.cluster.max()) + 1
    has_clusters = columns.ids is not None
    warn_if_few(n_clusters, "cluster" if has_clusters else "grade")

    interval = estimate.interval(confidence)
    n_thresholds = np.diff(rows.shown_grades)
    return Shares(
        **spread(estimate.value, interval, estimate.covariance, n_thresholds),
        confidence=confidence,
        n_shown=rows.n_shown,
        n_examined=rows.n_examined,
        n_satisfied=rows.n_satisfied,
        n_unjudged=np.size(columns.labels) - len(rows.level),
        clusters={"cluster" if has_clusters else "row": n_clusters},
    )


def _feedback_of(
    columns: CheckedColumns,
    satisfied: ArrayLike,
    propensity: ArrayLike | None,
    top: int | None,
) -> _Feedback:
    """Check the columns, and keep the rows with a grade."""
    grades, is_judged = check_grades(columns)
    if not is_judged.any():
        raise ValueError(
            f"grade must hold at least one grade, got {len(grades)} rows without."
        )

    grade = grades[is_judged].astype(np.int64)
    was_satisfied = flags("satisfied", satisfied, len(grades))[is_judged]
    propensity_of_row = propensities(propensity, len(grades))[is_judged]
    n_shown = count_grades(grade, top)
    shown_grades = find_shown_grades(n_shown)
    n_examined = np.bincount(grade, propensity_of_row, len(n_shown))
    satisfied_grade = grade[was_satisfied]
    return _Feedback(
        level=np.searchsorted(shown_grades, grade),
        satisfied=was_satisfied,
        propensity=propensity_of_row,
        cluster=_clusters(columns, is_judged),
        shown_grades=shown_grades,
        n_shown=n_shown,
        n_examined=n_examined.astype(np.float64),
        n_satisfied=np.bincount(satisfied_grade, minlength=len(n_shown)),
    )


def _clusters(columns: CheckedColumns, is_judged: BoolArray) -> IntArray:
    """Return the number of the cluster of each row with a grade; without ids, each is one."""
    if columns.ids is None:
        return np.arange(np.count_nonzero(is_judged))
    numbers = unit_numbers("cluster", columns.ids, len(is_judged))
    if is_judged.all():
        return numbers
    judged_numbers = numbers[is_judged]
    return number_rows(judged_numbers, len(judged_numbers)).astype(np.int64)


def _estimate(rows: _Feedback, confidence: float) -> Estimate:
    """Return the shares of the thresholds from one shown grade to the next."""
    from sklearn.isotonic import isotonic_regression

    rates = rows.rates
    has_documents = np.isfinite(rows.examined)
    weight = np.where(has_documents, rows.examined, 1.0)
    rising_rates = isotonic_regression(rates, sample_weight=weight)
    if not rising_rates[-1] > rising_rates[0]:
        raise ValueError(
            "satisfied must be true more often for the top grade than for the lowest, got the "
            f"rate {rates[0]:.3g} at grade {rows.shown_grades[0]} and {rates[-1]:.3g} at grade "
            f"{rows.shown_grades[-1]}. Check that higher grades are better."
        )
    _warn_of_falls(rows, confidence)

    # g_k = (rho_k - rho_(k-1)) / rise, where the rise is rho_c - rho_0
    rise = rising_rates[-1] - rising_rates[0]
    g = np.diff(rising_rates) / rise

    # dg_k = (d rho_k - d rho_(k-1) - g_k (d rho_c - d rho_0)) / rise; a row for each rate
    derivatives = _derivatives_of_differences(len(rates))
    derivatives[0] += g
    derivatives[-1] -= g
    return _estimate_from_rates(rows, g, derivatives / rise)


def _derivatives_of_differences(n_rates: int) -> FloatArray:
    """Return the derivatives of rho_k - rho_(k-1), with a row for each rate."""
    return np.diff(np.eye(n_rates), axis=1)


def _estimate_from_rates(
    rows: _Feedback, values: FloatArray, derivatives: FloatArray
) -> Estimate:
    """Return the estimate of values with these derivatives by the rates, over clusters.

    Of a grade that never satisfied, a row not yet seen did so once, or of one that always did, not.
    """
    level = rows.level
    rates = rows.rates
    n_levels = len(rates)
    cluster_sizes = np.bincount(rows.cluster)
    n_clusters = len(cluster_sizes)

    # A row moves the rate of its grade by (satisfied - rate * propensity) / examined.
    expected = rates[level] * rows.propensity
    surprise = rows.satisfied - expected
    move_of_rate = surprise / rows.examined[level]
    never_satisfied = rates == 0.0
    always_satisfied = rates == 1.0

    sign_of_unseen = never_satisfied.astype(float) - always_satisfied
    move_of_unseen = sign_of_unseen / rows.examined

    # A cluster moves the rates by the sums of its rows; rows not yet seen are clusters of one.
    cell = rows.cluster * n_levels + level
    sums = np.bincount(cell, move_of_rate, n_clusters * n_levels)
    moves_of_clusters = sums.reshape(-1, n_levels)
    moves_of_rates = np.vstack([moves_of_clusters, np.diag(move_of_unseen)])
    moves = moves_of_rates @ derivatives
    sizes: FloatArray = np.append(cluster_sizes, np.ones(n_levels))

    # How the variance grows is read off rows, as where `Estimate` is given all of them:
    # k3 / k2^2, with the sums k2 of the squares and k3 of the cubes of what rows move the values.
    square = move_of_rate**2
    squares = np.bincount(level, square, n_levels)
    squares = squares + move_of_unseen**2
    cubes = np.bincount(level, square * move_of_rate, n_levels)
    cubes = cubes + move_of_unseen**3
    squared_variance = (squares @ derivatives**2) ** 2
    third_moment = cubes @ derivatives**3
    growth = third_moment / np.maximum(squared_variance, _TINY)

    return _EstimateOfRates(values, moves, sizes, growth, n_clusters)


def _warn_of_falls(rows: _Feedback, confidence: float) -> None:
    """Warn where the rate falls from one grade to the next, by chance or by more than that."""
    falls = -np.diff(rows.rates)
    if (falls <= 0).all():
        return

    derivatives = _derivatives_of_differences(len(rows.rates))
    estimate = _estimate_from_rates(rows, -falls, derivatives)
    reach = estimate.reach(confidence)
    _warn_of_falls_where(
        (falls > 0) & (falls <= reach),
        rows,
        "so that both get the same rate",
        GradeScaleWarning,
    )
    _warn_of_falls_where(
        falls > reach,
        rows,
        "by more than chance explains. In the user model a higher grade satisfies at least as "
        "often: check grades and propensities, and do not rely on this g and its intervals",
        UserModelWarning,
    )


def _warn_of_falls_where(
    falls: BoolArray, rows: _Feedback, consequence: str, category: type[SkgradedWarning]
) -> None:
    """Warn of the falls that are marked, if there are any."""
    grades = rows.shown_grades
    lower_grades = grades[:-1][falls]
    upper_grades = grades[1:][falls]
    pairs = zip(lower_grades, upper_grades, strict=True)
    places = " and ".join(f"from grade {low} to {high}" for low, high in pairs)
    rates = ", ".join(f"{rate:.3g}" for rate in rows.rates)
    if places:
        warn_once(
            f"satisfied falls {places}, got the rates {rates}, {consequence}.", category
        )
