"""Estimation of g from users' feedback on single documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import warn_once
from skgraded._intervals.estimate import Estimate
from skgraded._support.arguments import fraction, integer_or_none
from skgraded._support.array_types import FloatArray, IntArray
from skgraded.exceptions import GradeScaleWarning, UserModelWarning
from skgraded.rankings import CheckedColumns, number_rows, read_columns
from skgraded.users._feedback_columns import (
    checked_grades,
    count_grades,
    flags,
    known_grades,
    propensities,
    unit_numbers,
    warn_if_few,
)
from skgraded.users._shares import Shares, spread

_TINY = 1e-300


class _Feedback(NamedTuple):
    """Rows with a grade: its number among the shown ones, whether satisfied, propensity, cluster.

    Then the shown grades and 0, and by grade how many were shown, examined and satisfied.
    """

    level: IntArray
    satisfied: NDArray[np.bool_]
    propensity: FloatArray
    cluster: IntArray
    shown: IntArray
    n_shown: IntArray
    n_examined: FloatArray
    n_satisfied: IntArray

    @property
    def total(self) -> FloatArray:
        """Examined documents of the shown grades; infinity where there is none of grade 0."""
        total = self.n_examined[self.shown]
        return np.where(total > 0, total, np.inf)

    @property
    def rates(self) -> FloatArray:
        """Satisfied documents over examined ones, by shown grade."""
        return self.n_satisfied[self.shown] / self.total


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
    rows = _checked(columns, satisfied, propensity, top)
    estimate = _estimate(rows, confidence)
    n_clusters = int(rows.cluster.max()) + 1
    warn_if_few(n_clusters, "grade" if columns.ids is None else "cluster")
    ends = estimate.interval(confidence)
    return Shares(
        **spread(estimate.value, ends, estimate.covariance, np.diff(rows.shown)),
        confidence=confidence,
        n_shown=rows.n_shown,
        n_examined=rows.n_examined,
        n_satisfied=rows.n_satisfied,
        n_unjudged=np.size(columns.labels) - len(rows.level),
        clusters={"row" if columns.ids is None else "cluster": n_clusters},
    )


def _checked(
    columns: CheckedColumns,
    satisfied: ArrayLike,
    propensity: ArrayLike | None,
    top: int | None,
) -> _Feedback:
    grades, judged = checked_grades(columns)
    if not judged.any():
        raise ValueError(
            f"grade must hold at least one grade, got {len(grades)} rows without."
        )
    known = grades[judged].astype(np.int64)
    was_satisfied = flags("satisfied", satisfied, len(grades))[judged]
    chances = propensities(propensity, len(grades))[judged]
    n_shown = count_grades(known, top)
    shown = known_grades(n_shown)
    return _Feedback(
        np.searchsorted(shown, known),
        was_satisfied,
        chances,
        _clusters(columns, judged),
        shown,
        n_shown,
        np.bincount(known, chances, len(n_shown)).astype(np.float64),
        np.bincount(known[was_satisfied], minlength=len(n_shown)),
    )


def _clusters(columns: CheckedColumns, judged: NDArray[np.bool_]) -> IntArray:
    """Return the number of the cluster of each row with a grade; without ids, each is one."""
    if columns.ids is None:
        return np.arange(int(judged.sum()))
    numbers = unit_numbers("cluster", columns.ids, len(judged))
    return (
        numbers
        if judged.all()
        else number_rows(numbers[judged], judged.sum()).astype(np.int64)
    )


def _estimate(rows: _Feedback, confidence: float) -> Estimate:
    """Return the shares of the thresholds from one shown grade to the next."""
    from sklearn.isotonic import isotonic_regression

    weight = np.where(np.isinf(rows.total), 1.0, rows.total)
    fitted = isotonic_regression(rows.rates, sample_weight=weight)
    if not fitted[-1] > fitted[0]:
        raise ValueError(
            "satisfied must be true more often for the top grade than for the lowest, got the "
            f"rate {rows.rates[0]:.3g} at grade {rows.shown[0]} and {rows.rates[-1]:.3g} at grade "
            f"{rows.shown[-1]}. Check that higher grades are better."
        )
    _warn_of_falls(rows, confidence)
    rise = fitted[-1] - fitted[0]
    steps = np.diff(fitted) / rise
    of_rates = np.diff(np.eye(len(fitted)), axis=1)
    of_rates[0] += steps
    of_rates[-1] -= steps
    return _moved(rows, steps, of_rates / rise)


def _moved(rows: _Feedback, value: FloatArray, of_rates: FloatArray) -> Estimate:
    """Return the estimate of values with these derivatives by the rates, over clusters.

    Of a grade that never satisfied, a row not yet seen did so once, or of one that always did, not.
    """
    rates = rows.rates
    total = rows.total
    sizes = np.bincount(rows.cluster)
    n = len(rates)
    by_rate = (rows.satisfied - rates[rows.level] * rows.propensity) / total[rows.level]
    unseen = ((rates == 0.0).astype(float) - (rates == 1.0)) / total
    sums = np.bincount(rows.cluster * n + rows.level, by_rate, len(sizes) * n).reshape(
        -1, n
    )
    moves = np.vstack([sums, np.diag(unseen)]) @ of_rates
    estimate = Estimate(value, moves, weights=np.append(sizes, np.ones(n)))
    # How the variance grows is read off rows, as where `Estimate` is given all of them.
    squares = np.bincount(rows.level, by_rate**2, n) + unseen**2
    cubes = np.bincount(rows.level, by_rate**2 * by_rate, n) + unseen**3
    growth = (cubes @ of_rates**3) / np.maximum((squares @ of_rates**2) ** 2, _TINY)
    most = max(len(sizes) - 2, 0) / np.sqrt(len(sizes) * max(len(sizes) - 1, 1))
    estimate.skewness = np.clip(growth * estimate.error, -most, most)
    return estimate


def _warn_of_falls(rows: _Feedback, confidence: float) -> None:
    """Warn where the rate falls from one grade to the next, by chance or by more than that."""
    falls = -np.diff(rows.rates)
    if (falls <= 0).all():
        return
    reach = _moved(rows, -falls, np.diff(np.eye(len(rows.rates)), axis=1)).reach(
        confidence
    )
    rates = ", ".join(f"{rate:.3g}" for rate in rows.rates)
    for kind, which, told in (
        (
            GradeScaleWarning,
            (falls > 0) & (falls <= reach),
            "so that both get the same rate",
        ),
        (
            UserModelWarning,
            falls > reach,
            "by more than chance explains. In the user model a higher grade satisfies at least as "
            "often: check grades and propensities, and do not rely on this g and its intervals",
        ),
    ):
        pairs = zip(rows.shown[:-1][which], rows.shown[1:][which], strict=True)
        named = " and ".join(f"from grade {low} to {high}" for low, high in pairs)
        if named:
            warn_once(f"satisfied falls {named}, got the rates {rates}, {told}.", kind)
