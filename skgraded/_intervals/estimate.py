"""Estimates: values, their influence functions, and what follows from these.

A unit is a query, a cluster of queries that do not vary independently, such as those of one person,
or a session. Every query counts once, or with its weight, so that a mean over clusters is the sum
of their sums over that of their sizes. Nothing is drawn. Intervals, p-values and plans are those of
the `tail`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from skgraded._intervals.tail import Tail, quotients
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property

Bounds = tuple[FloatArray | float, FloatArray | float]

_TINY = 1e-300
_ROUNDING = 1e-12
_LARGEST_SHARE = 0.95  # of the rows in one cluster, in a correction by 1 less it
_KURTOSIS = 3.0  # of normal numbers


def sums_by_cluster(
    values: FloatArray, clusters: NDArray[Any] | None, axis: int = -1
) -> tuple[FloatArray, FloatArray]:
    """Return the sums over each cluster along an axis, and the sizes of the clusters."""
    if clusters is None:
        return values, np.ones(values.shape[axis])
    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    starts = np.cumsum(sizes) - sizes
    by_cluster = np.take(values, order, axis)
    sums = np.add.reduceat(by_cluster, starts, axis)
    return sums, sizes.astype(np.float64)


class Part(NamedTuple):
    """Another source of variation, such as training again.

    Attributes
    ----------
    variance : ndarray of shape (k,)
        What it adds to the variances of the values.
    freedom : ndarray of shape (k,) or float
        Degrees of freedom of its estimate.
    shrinks : bool
        Whether more units make it smaller.
    """

    variance: FloatArray
    freedom: FloatArray | float
    shrinks: bool = False


class _Clustering(NamedTuple):
    """Sums of the influence over the units of one kind, and the shares of the rows in each unit.

    The sign says whether variances over these units are added or subtracted.
    """

    sign: float
    sums: FloatArray
    shares: FloatArray

    def corrected(self) -> FloatArray:
        """Return sums whose squares add up to the variance.

        A large cluster pulls the value to itself, by its share of the rows (CR3).
        """
        n = len(self.shares)
        factors = (1.0 - np.minimum(self.shares, _LARGEST_SHARE)) ** 2
        if _are_alike(self.shares):
            factors = np.full(n, (n - 1.0) / n)
        return self.sums / np.sqrt(factors)[:, None]


class Estimate:
    """Values, their errors, intervals, p-values and plans.

    Parameters
    ----------
    value : ndarray of shape (k,)
        The values.
    influence : ndarray of shape (n_rows, k)
        By how much each row moves each of them; they add up to 0.
    weights : ndarray of shape (n_rows,), optional
        Weights of the rows.
    clusters : tuple of none, one or two ndarrays of shape (n_rows,), int64
        Numbers of the clusters of rows that do not vary independently.
    part : Part, optional
        Another source of variation.
    bounds : pair of float or of ndarray of shape (k,), optional
        The least and the largest value that a row can have; without them no kind is unseen.
    freedom : ndarray of shape (k,), optional
        Degrees of freedom of the variance over units, by default those of the units.
    """

    def __init__(
        self,
        value: FloatArray,
        influence: FloatArray,
        *,
        weights: FloatArray | None = None,
        clusters: tuple[IntArray, ...] = (),
        part: Part | None = None,
        bounds: Bounds | None = None,
        freedom: FloatArray | None = None,
    ) -> None:
        self.value = value
        self.part = part
        self.bounds = bounds
        rounding = _ROUNDING * np.abs(value)
        is_rounding = np.abs(influence) * len(influence) <= rounding
        influence = np.where(is_rounding, 0.0, influence)
        shares = shares_of_rows(weights, len(influence))
        self._influence = influence
        self._shares = shares
        self._freedom = freedom

        clusterings = [
            _clustered(1.0, numbers, influence, shares) for numbers in clusters
        ]
        if not clusters:
            clusterings = [_Clustering(1.0, influence, shares)]
        self._units = min(clusterings, key=lambda clustering: len(clustering.sums))
        if len(clusters) > 1:
            cells = _crossed(*clusters)
            clusterings.append(_clustered(-1.0, cells, influence, shares))
        self._clusterings = clusterings

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the values, shape (k, k), without that of the part.

        Of two ways it is their sum less that of the cells (Cameron, Gelbach, Miller 2011), and no
        variance is less than by either way alone (MacKinnon, Nielsen, Webb 2024).
        """
        products = []
        variances = []
        for clustering in self._clusterings:
            sums = clustering.corrected()
            products.append(clustering.sign * sums.T @ sums)
            if clustering.sign > 0:
                variances.append((sums**2).sum(axis=0))
        covariance: FloatArray = np.sum(products, axis=0)
        if len(products) == 1:
            return covariance

        # A difference of covariances may have axes without any variance.
        sizes, axes = np.linalg.eigh(covariance)
        sizes = np.maximum(sizes, 0.0)
        covariance = (axes * sizes) @ axes.T
        missing = np.max(variances, axis=0) - covariance.diagonal()
        missing = np.maximum(missing, 0.0)
        return covariance + np.diag(missing)

    @cached_property
    def _variance(self) -> FloatArray:
        """Variances of the values over units, shape (k,)."""
        if len(self._clusterings) > 1:
            return self.covariance.diagonal()
        sums = self._units.corrected()
        variance: FloatArray = (sums**2).sum(axis=0)
        return variance

    @cached_property
    def error(self) -> FloatArray:
        """Standard errors, shape (k,)."""
        of_part = 0.0 if self.part is None else self.part.variance
        return np.sqrt(self._variance + of_part)

    @cached_property
    def freedom(self) -> FloatArray:
        """Degrees of freedom of the errors, shape (k,): Satterthwaite's (1946) of unequal parts."""
        freedom = self._freedom_of_units()
        if self.part is None:
            return freedom
        term_of_units = self._variance**2 / freedom
        terms = term_of_units + self.part.variance**2 / self.part.freedom
        return quotients(self.error**4, terms, freedom)

    def _freedom_of_units(self) -> FloatArray:
        """Return degrees of freedom of the variance over units; few, if few clusters are large."""
        if self._freedom is not None:
            return np.maximum(self._freedom, 1.0)
        n_units = len(self._units.sums)
        most = max(n_units - 1.0, 1.0)
        if _are_alike(self._units.shares):
            return np.full(len(self.value), most)

        squares = self._units.corrected() ** 2
        second = squares.sum(axis=0)
        fourth = (squares**2).sum(axis=0)
        numerator = _KURTOSIS * second**2
        freedom = numerator / np.maximum(fourth, _TINY)
        clipped: FloatArray = np.clip(freedom, 1.0, most)
        return clipped

    @cached_property
    def skewness(self) -> FloatArray:
        """Skewness of the values, shape (k,), no more than that of as many numbers can be.

        It is read off rows: clusters multiply a variance and how fast it grows alike.
        """
        n = len(self._influence)
        squares = self._influence**2
        cubes = self._influence**3
        second = squares.sum(axis=0)
        third = cubes.sum(axis=0)
        growth = quotients(third, second**2)
        growth = growth * np.sqrt((n - 1) / n)
        share_of_units = quotients(self._variance, self.error**2)
        skewness = growth * share_of_units**2 * self.error

        # One number apart from the others that are alike is the most skewed.
        n_units = len(self._units.sums)
        n_alike = max(n_units - 1, 1)
        n_freer = max(n_units - 2, 0)
        most = n_freer / np.sqrt(n_units * n_alike)
        clipped: FloatArray = np.clip(skewness, -most, most)
        return clipped

    @property
    def n_units(self) -> float:
        """Number of units; where rows have weights, as few as Kish (1965) counts."""
        squares = self._shares**2
        n_rows_by_weight = 1.0 / squares.sum()
        units_per_row = len(self._units.sums) / len(self._shares)
        return float(units_per_row * n_rows_by_weight)

    def tail(self, times: float = 1.0) -> Tail:
        """Return the tails of the values, that of the units seen multiplied by a correction."""
        tail = Tail(
            value=self.value,
            error=self.error,
            skewness=self.skewness,
            freedom=self.freedom,
            n_units=np.full(len(self.value), self.n_units),
            times=times,
        )

        if self.bounds is not None:
            low, high = self.bounds
            tail = tail._replace(
                lowest=np.broadcast_to(low, self.value.shape),
                highest=np.broadcast_to(high, self.value.shape),
            )
        if self.part is not None and not self.part.shrinks:
            freedom = np.full(len(self.value), self.part.freedom)
            tail = tail._replace(
                fixed_variance=self.part.variance, fixed_freedom=freedom
            )
        return tail

    def students_p_value(self) -> FloatArray:
        """Return two-sided p-values of Student's t, (k,), of the values being 0."""
        return self.tail().students_p_value()

    def p_value(self, null: float = 0.0) -> FloatArray:
        """Return two-sided p-values, (k,), of the values being ``null``."""
        return self.tail().p_value(null)

    def reach(self, confidence: float) -> FloatArray:
        """Return half the widths of Student's intervals, (k,)."""
        t = stdtrit(self.freedom, (1.0 + confidence) / 2.0)
        reach: FloatArray = t * self.error
        return reach

    def interval(self, confidence: float) -> FloatArray:
        """Return both ends, shape (k, 2)."""
        return self.tail().interval(confidence)


def means(
    rows: FloatArray,
    *,
    weights: FloatArray | None = None,
    clusters: tuple[IntArray, ...] = (),
    part: Part | None = None,
    bounds: Bounds | None = None,
    widening: FloatArray | float = 1.0,
) -> Estimate:
    """Return the estimate of weighted means of rows, shape (n_rows, k)."""
    shares = shares_of_rows(weights, len(rows))
    value = shares @ rows
    mean_size = shares @ np.abs(rows)
    value[np.abs(value) <= _ROUNDING * mean_size] = 0.0

    deviations = rows - value
    influence = widening * shares[:, None] * deviations
    return Estimate(
        value, influence, weights=weights, clusters=clusters, part=part, bounds=bounds
    )


def shares_of_rows(weights: FloatArray | None, n_rows: int) -> FloatArray:
    """Return the share of each row in a mean."""
    if weights is None:
        return np.full(n_rows, 1.0 / n_rows)
    return weights / weights.sum()


def _clustered(
    sign: float, clusters: IntArray, influence: FloatArray, shares: FloatArray
) -> _Clustering:
    columns = np.column_stack([influence, shares])
    sums, _ = sums_by_cluster(columns, clusters, axis=0)
    return _Clustering(sign, sums[:, :-1], sums[:, -1])


def _crossed(rows: IntArray, columns: IntArray) -> IntArray:
    cells = np.stack([rows, columns])
    _, numbers = np.unique(cells, axis=1, return_inverse=True)
    return numbers.ravel()


def _are_alike(shares: FloatArray) -> bool:
    return float(np.ptp(shares)) <= _ROUNDING
