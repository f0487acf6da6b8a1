"""Bootstrap intervals of g: units of resampling, quantiles, and thresholds known as a sum only."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from skgraded._guards import warn_once
from skgraded._params import fraction, integer
from skgraded.exceptions import FewFeedbackWarning
from skgraded.rankings import as_ids, number_rows

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEW = 20
_MOST_UNITS = 500
_BLOCK = 32
_FEWEST_RESAMPLES = 100
# Stand for minus and plus infinity; both lie outside of the range [0, 1] of a probability.
_BELOW, _ABOVE = -1.0, 2.0


def check_options(
    confidence: Any, n_resamples: Any, random_state: Any
) -> tuple[float, int, np.random.Generator]:
    """Check the options of the intervals, and return the source of random numbers as the last."""
    return (
        fraction("confidence", confidence),
        integer("n_resamples", n_resamples, _FEWEST_RESAMPLES),
        np.random.default_rng(integer("random_state", random_state, 0)),
    )


def require(fits: NDArray[np.bool_], values: NDArray[Any], name: str, rule: str) -> None:
    """Raise at the first value that does not fit."""
    if not fits.all():
        row = int(np.flatnonzero(~fits)[0])
        raise ValueError(f"{name} must hold {rule}, got {values[row]:g} in row {row}.")


def require_length(name: str, n_entries: int, n_rows: int, of: str) -> None:
    """Raise if an argument does not have one entry per row of another."""
    if n_entries != n_rows:
        raise ValueError(f"{name} must have one entry per row of {of} ({n_rows}), got {n_entries}.")


def unit_numbers(name: str, ids: Any, n_rows: int, of: str) -> IntArray:
    """Return the number of each row's session, user, query or segment, by first appearance."""
    try:
        require_length(name, len(as_ids(ids)), n_rows, of)
        return number_rows(ids, n_rows).astype(np.int64)
    except ValueError as error:
        told = str(error).replace("qid must name a query", "qid must have an id")
        raise ValueError(told.replace("qid", name, 1) if told.startswith("qid") else told) from None


def units_of_resampling(
    cluster: NDArray[Any], n_clusters: int, random: np.random.Generator
) -> tuple[NDArray[Any], int]:
    """Return the unit of resampling of each row: its cluster, or a random group of clusters.

    Parameters
    ----------
    cluster : ndarray of shape (n_rows,), int
        Number of the cluster of each row.
    n_clusters : int
        How many there are.
    random : Generator
        Deals many clusters to groups of equal size.

    Returns
    -------
    unit : ndarray of shape (n_rows,), int
        Number of the unit of each row.
    n_units : int
        How many there are, at most 500.
    """
    if n_clusters <= _MOST_UNITS:
        return cluster, n_clusters
    group = random.permutation(np.arange(n_clusters) % _MOST_UNITS)
    return group[cluster], _MOST_UNITS


def resampled_sums(
    by_unit: FloatArray, n_resamples: int, random: np.random.Generator
) -> FloatArray:
    """Return column sums in bootstrap samples of units, shape (n_resamples, n_columns)."""
    n_units = len(by_unit)
    sums = np.empty((n_resamples, by_unit.shape[1]))
    for start in range(0, n_resamples, _BLOCK):  # blocks stay in the processor's cache
        size = min(_BLOCK, n_resamples - start)
        drawn = random.integers(n_units, size=(size, n_units))
        drawn += n_units * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n_units).reshape(size, n_units)
        sums[start : start + size] = counts.astype(np.float64) @ by_unit
    return sums


def student_draws(
    g: FloatArray,
    covariance: FloatArray,
    degrees: int,
    n_draws: int,
    random: np.random.Generator,
) -> FloatArray:
    """Draw g from Student's distribution around its estimate, with the estimate's covariance.

    Where the estimate of a threshold is held at 0, one step without the constraint would leave it
    far behind, and move the others as far: likelihoods are not quadratic over such a distance.
    """
    degrees = max(degrees, 1)
    sizes, axes = np.linalg.eigh(covariance)
    root = (axes * np.sqrt(np.maximum(sizes, 0.0))) @ axes.T  # whatever the signs of the axes
    normal = random.standard_normal((n_draws, len(sizes))) @ root
    wider = np.sqrt(degrees / random.chisquare(degrees, size=(n_draws, 1)))
    draws: FloatArray = g + normal * wider
    return draws


def leaning(draws: FloatArray, g: FloatArray, lean: FloatArray) -> FloatArray:
    """Return draws of which the quantiles are the ends of score intervals.

    The variance V of an estimate grows with it: its slope is the sum of cubed influences over that
    of squared ones. The interval holds all g with (g - estimate)^2 <= t^2 (V + slope (g -
    estimate)). For a share of n independent units this is Wilson's interval but for terms in 1/n.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, n_thresholds)
        Draws whose variance is that of the estimate everywhere.
    g : ndarray of shape (n_thresholds,)
        The estimate, around which they are.
    lean : ndarray of shape (n_thresholds,)
        Half the slope over the variance.

    Returns
    -------
    ndarray of shape (n_draws, n_thresholds)
        The draws, moved.
    """
    apart = draws - g
    moved: FloatArray = g + apart * (apart * lean + np.sqrt(1.0 + (apart * lean) ** 2))
    return moved


def grades_in_words(grades: IntArray) -> str:
    """List grades in a sentence, such as ``grades 1, 2 and 3``."""
    names = [str(grade) for grade in grades.tolist()]
    if len(names) == 1:
        return f"grade {names[0]}"
    return f"grades {', '.join(names[:-1])} and {names[-1]}"


class Correction(NamedTuple):
    """Bias and acceleration of a bootstrap distribution, by probability (Efron's BCa interval)."""

    bias: FloatArray
    acceleration: FloatArray

    @classmethod
    def of(cls, draws: FloatArray, raw: FloatArray, influence: FloatArray) -> Correction:
        """Read the bias off the draws and the acceleration off the influence of every unit.

        Without a raw estimate, nan, there is no correction.
        """
        known = _without_nan(draws)
        below = ((known < raw).mean(axis=0) + (known <= raw).mean(axis=0)) / 2
        least = 1 / (len(known) + 1)
        below[np.isnan(raw)] = 0.5
        size = (influence**2).sum(axis=0) ** 1.5
        skewness = np.zeros_like(raw)
        np.divide((influence**3).sum(axis=0), 6 * size, out=skewness, where=size > 0)
        return cls(ndtri(np.clip(below, least, 1 - least)), skewness)


def interval_of(
    draws: FloatArray,
    estimate: FloatArray,
    confidence: float,
    correction: Correction | None = None,
) -> FloatArray:
    """Return the interval between quantiles of resampled probabilities, which may be corrected.

    The draws are estimates without the constraint g >= 0, because intervals from constrained ones
    are too short where a probability is 0 or 1. A draw of nan tells nothing, so that it counts half
    below and half above all others. The interval is cut to [0, 1] and holds the estimate.
    """
    known = _without_nan(draws)
    tail = (1 - confidence) / 2
    if correction is None:
        correction = Correction(np.zeros(len(estimate)), np.zeros(len(estimate)))
    ends = np.empty((len(estimate), 2))
    for at, (bias, acceleration) in enumerate(zip(*correction, strict=True)):
        shifted = bias + ndtri([tail, 1 - tail])
        levels = ndtr(bias + shifted / (1 - acceleration * shifted))
        ends[at] = np.clip(np.quantile(known[:, at], levels), 0.0, 1.0)
    low, high = ends.T
    return np.column_stack([np.minimum(low, estimate), np.maximum(high, estimate)])


def _without_nan(draws: FloatArray) -> FloatArray:
    known: FloatArray = np.clip(draws, _BELOW, _ABOVE)
    nothing = np.isnan(known)
    known[nothing] = np.where(np.cumsum(nothing, axis=0)[nothing] % 2, _BELOW, _ABOVE)
    return known


def covariance_of(draws: FloatArray, lengths: IntArray) -> FloatArray:
    """Return the covariance of g from draws without the constraint g >= 0.

    Draws are brought back to distributions first; one that tells nothing is left out. If none tells
    anything, it is that of all g evenly. What several thresholds share is spread evenly.
    """
    positive = np.maximum(draws, 0.0)
    sums = positive.sum(axis=1)
    known = sums > 0.0  # and not nan
    if known.sum() < 2:  # noqa: PLR2004 - the fewest that vary
        n = int(lengths.sum())
        return np.asarray((np.eye(n) - 1.0 / n) / (n * (n + 1)))
    shares = positive[known] / sums[known, None]
    covariance: FloatArray = np.atleast_2d(np.cov(np.repeat(shares / lengths, lengths, axis=1).T))
    return covariance


def spread_steps(
    steps: FloatArray, interval: FloatArray, lengths: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Spread probabilities of several thresholds together evenly over these thresholds.

    Of a threshold among several, the data only say that its probability is at most the sum.
    """
    g = np.repeat(steps / lengths, lengths)
    spread = np.repeat(interval, lengths, axis=0)
    spread[np.repeat(lengths, lengths) > 1, 0] = 0.0
    return g, spread


def warn_if_few(n_units: int, argument: str, noun: str) -> None:
    """Warn if g is estimated from too few sessions or queries."""
    if n_units < _FEW:
        warn_once(
            f"{argument} should hold at least {_FEW} {noun}, got {n_units}. The estimate of g is "
            "then little more than chance, and its intervals are too short.",
            FewFeedbackWarning,
        )
