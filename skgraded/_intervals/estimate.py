"""Estimates: values, by how much every unit moves them, and the intervals that follow.

A unit is a query, a cluster of queries that do not vary independently, such as those of one person,
or a session. Every query counts once, so that a mean over clusters is the sum of their sums over
that of their sizes. Nothing is drawn. The tail probability of a number mu is the largest of three,
and intervals reach to the outer end. P-values are twice the smaller tail by the first two alone, so
that they may be below the level where an interval holds mu:

1. Student's t;
2. the second-order score. With u = (mu - value) / error and the skewness a = k3 / error^3 of the
   value, z = (u - a/6) / sqrt(1 + (2a/3) (u - a/6)) is t to the second order, with the terms of
   Johnson (1978, Eq. 2.4) and Hall (1992, Eq. 3.1), but monotone and finite; the ends are at
   u = a/6 + t^2 a/3 +- t sqrt(1 + (t a/3)^2);
3. an unseen unit at the end of the range of the values (see `unseen`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from skgraded._intervals.unseen import Unseen
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property

Bounds = tuple[FloatArray | float, FloatArray | float]

_TINY = 1e-300
_ENDLESS = 1e300  # in standard errors, of what does not vary
_ROUNDING = 1e-12
_LARGEST_SHARE = 0.95  # of the rows in one cluster, in a correction by 1 less it
_KURTOSIS = 3.0  # of normal numbers
SURE = 0.25  # least weight of an unseen unit in a decision
FEWEST_DIFFERENCES = 10  # fewer do not tell how rare and how large differences are


def sums_by_cluster(
    values: FloatArray, clusters: NDArray[Any] | None
) -> tuple[FloatArray, FloatArray]:
    """Return the sums over each cluster along the last axis, and the sizes of the clusters."""
    if clusters is None:
        return values, np.ones(values.shape[-1])
    _, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.argsort(places, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return np.add.reduceat(values[..., order], starts, axis=-1), sizes.astype(
        np.float64
    )


class Part(NamedTuple):
    """Another source of variation, such as training again.

    Attributes
    ----------
    variance : ndarray of shape (k,)
        What it adds to the variances of the values.
    freedom : ndarray of shape (k,) or float
        Degrees of freedom of its estimate.
    """

    variance: FloatArray
    freedom: FloatArray | float


class _Way(NamedTuple):
    """Sums of the moves over one kind of unit, and the shares of the rows in each unit."""

    sign: float
    sums: FloatArray
    shares: FloatArray

    def corrected(self) -> FloatArray:
        """Return sums whose squares add up to the variance.

        A large cluster pulls the value to itself, by its share of the rows (CR3).
        """
        n = len(self.shares)
        held = (1.0 - np.minimum(self.shares, _LARGEST_SHARE)) ** 2
        if _are_alike(self.shares):
            held = np.full(n, (n - 1.0) / n)
        return self.sums / np.sqrt(held)[:, None]


class Estimate:
    """Values, their errors, intervals, p-values and decisions.

    Parameters
    ----------
    value : ndarray of shape (k,)
        The values.
    moves : ndarray of shape (n_rows, k)
        By how much each row moves each of them; they add up to 0.
    weights : ndarray of shape (n_rows,), optional
        Weights of the rows.
    clusters : tuple of none, one or two ndarrays of shape (n_rows,), int64
        Numbers of the clusters of rows that do not vary independently.
    part : Part, optional
        Another source of variation.
    bounds : pair of float or of ndarray of shape (k,), optional
        The least and the largest value that a row can have; without them there is no third tail.
    freedom : ndarray of shape (k,), optional
        Degrees of freedom of the variance over units, by default those of the units.
    """

    def __init__(
        self,
        value: FloatArray,
        moves: FloatArray,
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
        moves = np.where(
            np.abs(moves) * len(moves) <= _ROUNDING * np.abs(value), 0.0, moves
        )
        shares = (
            np.full(len(moves), 1.0 / len(moves))
            if weights is None
            else weights / weights.sum()
        )
        self._moves = moves
        self._ways = [_way(1.0, each, moves, shares) for each in clusters]
        if not clusters:
            self._ways = [_Way(1.0, moves, shares)]
        elif len(clusters) > 1:
            self._ways.append(_way(-1.0, _crossed(*clusters), moves, shares))
        self._units = min(
            (each for each in self._ways if each.sign > 0),
            key=lambda way: len(way.sums),
        )
        self._freedom = freedom

    @cached_property
    def covariance(self) -> FloatArray:
        """Covariance of the values, shape (k, k), without that of the part.

        Of two ways it is their sum less that of the cells (Cameron, Gelbach, Miller 2011), and no
        variance is less than by either way alone (MacKinnon, Nielsen, Webb 2024).
        """
        each = [(way.sign, way.corrected()) for way in self._ways]
        found: FloatArray = np.sum(
            [sign * sums.T @ sums for sign, sums in each], axis=0
        )
        if len(self._ways) > 1:
            sizes, axes = np.linalg.eigh(found)
            found = (axes * np.maximum(sizes, 0.0)) @ axes.T
            alone = np.max(
                [(sums**2).sum(axis=0) for sign, sums in each if sign > 0], axis=0
            )
            found = found + np.diag(np.maximum(alone - found.diagonal(), 0.0))
        return found

    @cached_property
    def _variance(self) -> FloatArray:
        """Variances of the values over units, shape (k,)."""
        if len(self._ways) > 1:
            return self.covariance.diagonal()
        found: FloatArray = (self._ways[0].corrected() ** 2).sum(axis=0)
        return found

    @cached_property
    def error(self) -> FloatArray:
        """Standard errors, shape (k,)."""
        return np.sqrt(
            self._variance + (0.0 if self.part is None else self.part.variance)
        )

    @cached_property
    def freedom(self) -> FloatArray:
        """Degrees of freedom of the errors, shape (k,): Satterthwaite's (1946) of unequal parts."""
        found = self._freedom_of_units()
        if self.part is not None:
            weight = (
                self._variance**2 / found + self.part.variance**2 / self.part.freedom
            )
            found = np.divide(
                self.error**4, weight, out=found.copy(), where=weight > 0.0
            )
        return found

    def _freedom_of_units(self) -> FloatArray:
        """Return degrees of freedom of the variance over units; few, if few clusters are large."""
        if self._freedom is not None:
            return np.maximum(self._freedom, 1.0)
        most = max(len(self._units.sums) - 1.0, 1.0)
        if _are_alike(self._units.shares):
            return np.full(len(self.value), most)
        squares = self._units.corrected() ** 2
        fourth = np.maximum((squares**2).sum(axis=0), _TINY)
        found: FloatArray = np.clip(
            _KURTOSIS * squares.sum(axis=0) ** 2 / fourth, 1.0, most
        )
        return found

    @cached_property
    def skewness(self) -> FloatArray:
        """Skewness of the values, shape (k,), no more than that of as many numbers can be.

        It is read off rows: clusters multiply a variance and how fast it grows alike.
        """
        n = len(self._moves)
        units = len(self._units.sums)
        own = (self._moves**2).sum(axis=0)
        third = (self._moves**3).sum(axis=0)
        slope = np.divide(third, own**2, out=np.zeros_like(own), where=own**2 > 0.0)
        slope *= np.sqrt((n - 1) / n)
        share = np.divide(
            self._variance, self.error**2, out=np.ones_like(own), where=own > 0.0
        )
        most = max(units - 2, 0) / np.sqrt(units * max(units - 1, 1))
        found: FloatArray = np.clip(slope * share**2 * self.error, -most, most)
        return found

    def p_value(self, null: float = 0.0, *, skewed: bool = True) -> FloatArray:
        """Return two-sided p-values (k,) of the values being ``null``: twice the smaller tail.

        Without ``skewed`` they are those of Student's t.
        """
        away = null - self.value
        u = np.divide(
            away, self.error, out=np.sign(away) * _ENDLESS, where=self.error > 0
        )
        a = self.skewness if skewed else np.zeros_like(u)
        square = 1.0 + 2.0 * a / 3.0 * (u - a / 6.0)
        # Where the root has no square, the score's tail is 0, and that of t is larger.
        z = np.where(
            square > 0.0, (u - a / 6.0) / np.sqrt(np.maximum(square, _TINY)), u
        )
        tails = (
            stdtr(self.freedom, np.maximum(sign * u, sign * z)) for sign in (1.0, -1.0)
        )
        return np.minimum(1.0, 2.0 * np.minimum(*tails))

    def reach(self, confidence: float) -> FloatArray:
        """Return half the widths of Student's intervals, (k,)."""
        reach: FloatArray = stdtrit(self.freedom, (1.0 + confidence) / 2.0) * self.error
        return reach

    def interval(self, confidence: float, *, least_weight: float = 0.0) -> FloatArray:
        """Return both ends, shape (k, 2): the outer ones of the three."""
        tail = (1.0 - confidence) / 2.0
        a = self.skewness
        t = stdtrit(self.freedom, 1.0 - tail)
        middle = a / 6.0 + t**2 * a / 3.0
        reach = t * np.sqrt(1.0 + (t * a / 3.0) ** 2)
        low = self.value + self.error * np.minimum(-t, middle - reach)
        high = self.value + self.error * np.maximum(t, middle + reach)
        if self.bounds is not None:
            low = np.minimum(low, self._unseen(1.0, least_weight).lower(tail, low))
            high = np.maximum(
                high, -self._unseen(-1.0, least_weight).lower(tail, -high)
            )
            low = np.maximum(low, self.bounds[0])
            high = np.minimum(high, self.bounds[1])
        return np.column_stack(
            [np.minimum(low, self.value), np.maximum(high, self.value)]
        )

    def _unseen(self, sign: float, least_weight: float) -> Unseen:
        """Return the third tail, at the lower end of the values times the sign."""
        units = self._units
        (low, high) = self.bounds or (-np.inf, np.inf)
        sizes = units.shares * len(units.shares)
        held = sizes > 0.0
        values = self.value + len(sizes) * units.sums[held] / sizes[held, None]
        return Unseen(
            sign * values, sizes[held], low if sign > 0 else -high, least_weight
        )


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
    shares = (
        np.full(len(rows), 1.0 / len(rows))
        if weights is None
        else weights / weights.sum()
    )
    value = shares @ rows
    value[np.abs(value) <= _ROUNDING * (shares @ np.abs(rows))] = 0.0
    moves = widening * shares[:, None] * (rows - value)
    return Estimate(
        value, moves, weights=weights, clusters=clusters, part=part, bounds=bounds
    )


def _way(
    sign: float, clusters: IntArray, moves: FloatArray, shares: FloatArray
) -> _Way:
    places = np.unique(clusters, return_inverse=True)[1].ravel()
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    sums = np.add.reduceat(moves[order], starts, axis=0)
    return _Way(sign, sums, np.bincount(places, shares).astype(np.float64))


def _crossed(one: IntArray, other: IntArray) -> IntArray:
    return np.unique(np.stack([one, other]), axis=1, return_inverse=True)[1].ravel()


def _are_alike(shares: FloatArray) -> bool:
    return float(np.ptp(shares)) <= _ROUNDING
