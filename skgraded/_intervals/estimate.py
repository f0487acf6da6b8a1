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
    values: FloatArray, clusters: NDArray[Any] | None
) -> tuple[FloatArray, FloatArray]:
    """Return the sums over each cluster along the last axis, and the sizes of the clusters."""
    if clusters is None:
        return values, np.ones(values.shape[-1])
    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    starts = np.cumsum(sizes) - sizes
    sums = np.add.reduceat(values[..., order], starts, axis=-1)
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
        is_rounding = np.abs(influence) * len(influence) <= _ROUNDING * np.abs(value)
        influence = np.where(is_rounding, 0.0, influence)
        shares = _shares_of_rows(weights, len(influence))
        self._influence = influence
        self._shares = shares
        self._freedom = freedom

        self._clusterings = [
            _clustered(1.0, numbers, influence, shares) for numbers in clusters
        ]
        if not clusters:
            self._clusterings = [_Clustering(1.0, influence, shares)]
        elif len(clusters) > 1:
            cells = _crossed(*clusters)
            self._clusterings.append(_clustered(-1.0, cells, influence, shares))
        self._units = min(
            (each for each in self._clusterings if each.sign > 0),
            key=lambda clustering: len(clustering.sums),
        )

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the values, shape (k, k), without that of the part.

        Of two ways it is their sum less that of the cells (Cameron, Gelbach, Miller 2011), and no
        variance is less than by either way alone (MacKinnon, Nielsen, Webb 2024).
        """
        sums = [(each.sign, each.corrected()) for each in self._clusterings]
        products = [sign * each.T @ each for sign, each in sums]
        covariance: FloatArray = np.sum(products, axis=0)
        if len(sums) == 1:
            return covariance

        sizes, axes = np.linalg.eigh(covariance)
        covariance = (axes * np.maximum(sizes, 0.0)) @ axes.T
        variances = [(each**2).sum(axis=0) for sign, each in sums if sign > 0]
        missing = np.max(variances, axis=0) - covariance.diagonal()
        return covariance + np.diag(np.maximum(missing, 0.0))

    @cached_property
    def _variance(self) -> FloatArray:
        """Variances of the values over units, shape (k,)."""
        if len(self._clusterings) > 1:
            return self.covariance.diagonal()
        variance: FloatArray = (self._clusterings[0].corrected() ** 2).sum(axis=0)
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
        most = max(len(self._units.sums) - 1.0, 1.0)
        if _are_alike(self._units.shares):
            return np.full(len(self.value), most)
        squares = self._units.corrected() ** 2
        fourth = np.maximum((squares**2).sum(axis=0), _TINY)
        freedom = _KURTOSIS * squares.sum(axis=0) ** 2 / fourth
        clipped: FloatArray = np.clip(freedom, 1.0, most)
        return clipped

    @cached_property
    def skewness(self) -> FloatArray:
        """Skewness of the values, shape (k,), no more than that of as many numbers can be.

        It is read off rows: clusters multiply a variance and how fast it grows alike.
        """
        n = len(self._influence)
        second = (self._influence**2).sum(axis=0)
        third = (self._influence**3).sum(axis=0)
        growth = quotients(third, second**2) * np.sqrt((n - 1) / n)
        share = np.ones_like(second)
        has_moved = second > 0.0
        np.divide(self._variance, self.error**2, out=share, where=has_moved)

        n_units = len(self._units.sums)
        most = max(n_units - 2, 0) / np.sqrt(n_units * max(n_units - 1, 1))
        skewness: FloatArray = np.clip(growth * share**2 * self.error, -most, most)
        return skewness

    @property
    def n_units(self) -> float:
        """Number of units; where rows have weights, as few as Kish (1965) counts."""
        n_rows_by_weight = 1.0 / (self._shares**2).sum()
        return float(len(self._units.sums) / len(self._shares) * n_rows_by_weight)

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
            low, high = (np.broadcast_to(end, self.value.shape) for end in self.bounds)
            tail = tail._replace(lowest=low, highest=high)
        if self.part is not None and not self.part.shrinks:
            tail = tail._replace(
                fixed_variance=self.part.variance,
                fixed_freedom=np.full(len(self.value), self.part.freedom),
            )
        return tail

    def students_p_value(self, null: float = 0.0) -> FloatArray:
        """Return two-sided p-values of Student's t, (k,), of the values being ``null``."""
        return self.tail().students_p_value(null)

    def p_value(self, null: float = 0.0) -> FloatArray:
        """Return two-sided p-values, (k,), of the values being ``null``."""
        return self.tail().p_value(null)

    def reach(self, confidence: float) -> FloatArray:
        """Return half the widths of Student's intervals, (k,)."""
        reach: FloatArray = stdtrit(self.freedom, (1.0 + confidence) / 2.0) * self.error
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
    shares = _shares_of_rows(weights, len(rows))
    value = shares @ rows
    value[np.abs(value) <= _ROUNDING * (shares @ np.abs(rows))] = 0.0

    influence = widening * shares[:, None] * (rows - value)
    return Estimate(
        value, influence, weights=weights, clusters=clusters, part=part, bounds=bounds
    )


def _shares_of_rows(weights: FloatArray | None, n_rows: int) -> FloatArray:
    if weights is None:
        return np.full(n_rows, 1.0 / n_rows)
    return weights / weights.sum()


def _clustered(
    sign: float, clusters: IntArray, influence: FloatArray, shares: FloatArray
) -> _Clustering:
    places = np.unique(clusters, return_inverse=True)[1].ravel()
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    sums = np.add.reduceat(influence[order], starts, axis=0)
    return _Clustering(sign, sums, np.bincount(places, shares).astype(np.float64))


def _crossed(rows: IntArray, columns: IntArray) -> IntArray:
    cells = np.stack([rows, columns])
    return np.unique(cells, axis=1, return_inverse=True)[1].ravel()


def _are_alike(shares: FloatArray) -> bool:
    return float(np.ptp(shares)) <= _ROUNDING
