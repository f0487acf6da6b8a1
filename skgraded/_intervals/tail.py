"""The tail probability of a number, from which interval, p-value, decision and plan follow.

The tail of a number mu, of a mean over n units, is

    max(times T(mu), max over p > 0 of (1 - p)^n T((mu - p end) / (1 - p)) / 1.6),

where T is the larger one of two tails. One is that of Student's t. The other one is the
second-order score: with u = (mu - value) / error and the skewness a = k3 / error^3 of the value,
z = (u - a/6) / sqrt(1 + (2a/3) (u - a/6)) is t to the second order, with the terms of Johnson
(1978, Eq. 2.4) and Hall (1992, Eq. 3.1), but monotone and finite. Its ends are at
u = a/6 + t^2 a/3 +- t sqrt(1 + (t a/3)^2).

With p > 0, a share p of the units is of a kind of which none was drawn, which has the probability
(1 - p)^n. Each of these is worth `end`, the least value that a unit can have, and the others are
like those drawn. So an interval misses such a kind in at most 1.6 * 2.5 % = 4 % of cases, whatever
p is. Of units that are all alike, the end is that of the rule of three (Clopper, Pearson 1934).

A correction for many differences, or for looks, multiplies T alone: what was not drawn does not
depend on how many ask. Intervals and p-values invert each other on the same shares p.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from skgraded._support.array_types import FloatArray

# How much more often than the tail says an unseen kind may make an interval miss.
UNSEEN_FACTOR = 1.6
# Shares of unseen kinds, as -n log(1 - p).
_RATES = np.append(np.arange(0.05, 4.0, 0.05), np.geomspace(4.0, 60.0, 30))
_RATES_OF_PLANS = _RATES[3::4]  # with 3.2, the last one of units that are alike
_ENDLESS = 1e300  # in standard errors, of what does not vary
_ROUNDING = 1e-12
# Numbers of units between which a plan looks for the least one that is enough.
_FEWEST = 4.0
_MOST = 1e7
_N_HALVINGS = 16


class Tail(NamedTuple):
    """The tails of some values; all arrays have one shape.

    Attributes
    ----------
    value, error, skewness, freedom : ndarray
        The values, their standard errors and skewness, and the degrees of freedom of the errors.
    n_units : ndarray
        Number of units; of weighted ones, Kish's.
    lowest, highest : ndarray or None
        The least and the largest value of a unit; without them no kind is unseen.
    times : float
        What multiplies the tail of the units seen.
    fixed_variance, fixed_freedom : ndarray or float
        The part of the variance that does not shrink with more units, and its degrees of freedom.
    """

    value: FloatArray
    error: FloatArray
    skewness: FloatArray
    freedom: FloatArray
    n_units: FloatArray
    lowest: FloatArray | None = None
    highest: FloatArray | None = None
    times: float = 1.0
    fixed_variance: FloatArray | float = 0.0
    fixed_freedom: FloatArray | float = 1.0

    def each(self, function: Callable[[Any], Any]) -> Tail:
        """Apply a function to all arrays, such as one that picks or shapes them."""
        fields = self._asdict()
        for name, field in fields.items():
            if isinstance(field, np.ndarray):
                fields[name] = function(field)
        return Tail(**fields)

    def mirrored(self, sides: FloatArray | float = -1.0) -> Tail:
        """Return the tails of the values times their sides, which are 1 or -1."""
        lowest = self.lowest
        highest = self.highest
        if self.lowest is not None and self.highest is not None:
            is_turned = np.less(sides, 0.0)
            lowest = np.where(is_turned, -self.highest, self.lowest)
            highest = np.where(is_turned, -self.lowest, self.highest)

        return self._replace(
            value=sides * self.value,
            skewness=sides * self.skewness,
            lowest=lowest,
            highest=highest,
        )

    def interval(self, confidence: float) -> FloatArray:
        """Return both ends, along a new last axis."""
        tail = (1.0 - confidence) / 2.0
        low = self.lower_end(tail)
        high = -self.mirrored().lower_end(tail)
        return np.stack([low, high], axis=-1)

    def p_value(self, null: float = 0.0) -> FloatArray:
        """Return two-sided p-values, below a level where the interval does not hold the null."""
        lower = self.lower_tail(null)
        upper = self.mirrored().lower_tail(-null)
        smaller = np.minimum(lower, upper)
        p_value: FloatArray = np.minimum(1.0, 2.0 * smaller)
        if self.lowest is None or self.highest is None:
            return p_value
        is_below = null < self.lowest
        is_beyond = is_below | (null > self.highest)
        return np.where(is_beyond, 0.0, p_value)

    def students_p_value(self) -> FloatArray:
        """Return two-sided p-values of Student's t, not corrected."""
        t_tail = self._replace(
            skewness=np.zeros_like(self.value), lowest=None, highest=None, times=1.0
        )
        return t_tail.p_value()

    def lower_end(self, tail: float, rates: FloatArray = _RATES) -> FloatArray:
        """Return the lower ends, at which the tails have this probability."""
        end = self._end_of_seen(tail / self.times)
        if self.lowest is not None:
            shares, ends = self._ends_by_share(tail, rates)
            of_drawn = (1.0 - shares) * ends
            ends_with_unseen = of_drawn + shares * self.lowest
            lowest_end = ends_with_unseen.min(axis=0)
            end = np.minimum(end, lowest_end)
            end = np.maximum(end, self.lowest)
        return np.minimum(end, self.value)

    def lower_tail(self, null: float) -> FloatArray:
        """Return the tails of a number at the lower ends."""
        tail = self.times * self._tail_of_seen(null)
        if self.lowest is None:
            return tail

        # With a share of an unseen kind, the other units have this mean.
        shares = self._shares(_RATES)
        sum_of_others = null - shares * self.lowest
        null_of_others = sum_of_others / (1.0 - shares)
        chance = _along_first_axis(np.exp(-_RATES), shares)
        tails = chance * self._tail_of_seen(null_of_others)
        tails = tails / UNSEEN_FACTOR
        return np.maximum(tail, tails.max(axis=0))

    def largest_loss(self, tail: float, bound: FloatArray) -> FloatArray:
        """Return the largest loss of an unseen unit with which the lower ends are above a bound.

        It is nan where the ends are not above it with any loss.
        """
        shares, ends = self._ends_by_share(tail, _RATES)
        gains_of_others = (1.0 - shares) * ends
        losses = (gains_of_others - bound) / shares
        largest: FloatArray = losses.min(axis=0)

        end_of_seen = self._end_of_seen(tail / self.times)
        is_enough = (end_of_seen > bound) & (largest > 0.0)
        return np.where(is_enough, largest, np.nan)

    def units_needed(
        self, truth: FloatArray, bound: FloatArray, tail: float, power: float
    ) -> FloatArray:
        """Return how many times as many units bring the lower ends above bounds.

        That is the number with which they are above them in a share ``power`` of samples, if units
        vary as these do around these true values. It is inf where no number is enough.

        Parameters
        ----------
        truth, bound : ndarray
            The true values, and the bounds.
        tail : float
            The probability of the tails.
        power : float
            The share of samples.
        """
        quantile = stdtrit(_common(self.freedom), power)

        # Logarithms of a ratio that is not enough, and of one that is.
        log_few = np.log(_FEWEST / self.n_units)
        log_most = np.log(_MOST / self.n_units)
        log_enough = log_most
        for _ in range(_N_HALVINGS):
            middle = (log_few + log_enough) / 2.0
            planned = self.with_more_units(np.exp(middle))

            low_value = truth - quantile * planned.error
            low_sample = planned._replace(value=low_value)
            end = low_sample.lower_end(tail, _RATES_OF_PLANS)
            is_enough = end > bound
            log_enough = np.where(is_enough, middle, log_enough)
            log_few = np.where(is_enough, log_few, middle)
        is_never_enough = log_enough == log_most
        return np.where(is_never_enough, np.inf, np.exp(log_enough))

    def with_more_units(self, ratio: FloatArray | float) -> Tail:
        """Return the tails of so many times as many units like these."""
        fixed = self.fixed_variance
        unit_variance = self.error**2 - fixed
        variance = unit_variance / ratio + fixed
        error = np.sqrt(variance)

        # Satterthwaite's sum, in which the part of the units shrinks by itself.
        fixed_term = fixed**2 / self.fixed_freedom
        both_terms = self.error**4 / self.freedom
        unit_term = np.maximum(both_terms - fixed_term, 0.0)
        terms = unit_term / ratio**3 + fixed_term
        freedom = quotients(error**4, terms, self.freedom * ratio)

        third_cumulant = self.skewness * self.error**3
        third_cumulant = third_cumulant / ratio**2
        skewness = quotients(third_cumulant, error**3)
        return self._replace(
            error=error,
            skewness=skewness,
            freedom=np.maximum(freedom, 1.0),
            n_units=self.n_units * ratio,
        )

    def _shares(self, rates: FloatArray) -> FloatArray:
        """Return the shares of unseen kinds along a new first axis."""
        rates_along_axis = _along_first_axis(rates, self.n_units[None])
        return -np.expm1(-rates_along_axis / self.n_units)

    def _ends_by_share(
        self, tail: float, rates: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return shares of unseen kinds, and the lower ends of the other units."""
        tails = UNSEEN_FACTOR * tail * np.exp(rates)
        is_bounded = tails < 1.0 - _ROUNDING
        shares = self._shares(rates[is_bounded])
        tails = _along_first_axis(tails[is_bounded], shares)
        return shares, self._end_of_seen(tails)

    def _end_of_seen(self, tail: FloatArray | float) -> FloatArray:
        """Return the lower ends by t and the score alone, whichever is lower."""
        t = stdtrit(_common(self.freedom), 1.0 - tail)
        a = self.skewness
        middle = a / 6.0 + t**2 * a / 3.0
        lean = t * a / 3.0
        reach = t * np.sqrt(1.0 + lean**2)
        u = np.minimum(-t, middle - reach)
        end: FloatArray = self.value + self.error * u
        return end

    def _tail_of_seen(self, null: FloatArray | float) -> FloatArray:
        """Return the tails by t and the score alone, whichever is larger."""
        away = null - self.value
        endless = np.sign(away) * _ENDLESS
        with np.errstate(over="ignore"):
            u = quotients(away, self.error, endless)
        u = np.clip(u, -_ENDLESS, _ENDLESS)

        # The score, which is endless where its own spread would be below 0.
        v = u - self.skewness / 6.0
        rise = 2.0 * self.skewness / 3.0
        square = np.maximum(1.0 + rise * v, 0.0)
        spread = np.sqrt(square)
        endless = np.sign(v) * _ENDLESS
        z = quotients(v, spread, endless)

        farther = np.maximum(u, z)
        tail: FloatArray = stdtr(self.freedom, farther)
        return tail


def quotients(
    numerators: FloatArray,
    denominators: FloatArray,
    otherwise: FloatArray | float = 0.0,
) -> FloatArray:
    """Divide, and return something else where a denominator is not above 0."""
    shape = np.broadcast_shapes(np.shape(numerators), np.shape(denominators))
    result = np.array(np.broadcast_to(otherwise, shape), dtype=float)
    return np.divide(numerators, denominators, out=result, where=denominators > 0.0)


def _along_first_axis(numbers: FloatArray, others: FloatArray) -> FloatArray:
    """Shape numbers so that they vary along the first axis of the others."""
    ones = (1,) * (others.ndim - 1)
    return numbers.reshape(-1, *ones)


def _common(freedom: FloatArray) -> FloatArray:
    """Return one number where all are alike, for which quantiles are computed once."""
    if np.ptp(freedom) == 0.0:
        return freedom.ravel()[0]
    return freedom
