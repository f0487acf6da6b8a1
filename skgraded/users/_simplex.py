"""The simplex of users: distributions g over the thresholds 1..c.

A difference that is linear in g is given by its values d at the corners, where all users have one
threshold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12


def share_above_zero(d: FloatArray) -> float:
    """Return the share of the simplex on which ``g @ d > 0``, exactly.

    Where an edge leads from a corner with ``d > 0`` to one with ``d < 0``, its point of difference
    0 splits the simplex into two, in each of which that point replaces one of the corners. The
    recursion over corners adds up their shares; all of its terms are positive.
    """
    above, below = d[d > 0].tolist(), d[d <= 0].tolist()
    if not below:
        return 1.0
    shares = [1.0] + [0.0] * len(below)
    for high in above:
        for place, low in enumerate(below, start=1):
            shares[place] = (high * shares[place - 1] - low * shares[place]) / (high - low)
    return shares[-1]


def inner_points(n_grades: int, n_points: int) -> FloatArray:
    """Return points that fill the simplex evenly, shape (n_points, n_grades).

    The gaps between sorted uniform numbers are uniform on the simplex. The numbers are those of a
    Kronecker sequence, whose steps are powers of a generalised golden ratio, so that no seed is
    needed.
    """
    n_cuts = n_grades - 1
    ratio = 2.0
    for _ in range(60):  # the root of ratio**(n_cuts + 1) = ratio + 1
        ratio = (1.0 + ratio) ** (1.0 / (n_cuts + 1))
    steps = ratio ** -np.arange(1.0, n_cuts + 1)
    cuts = np.sort((0.5 + np.outer(np.arange(1, n_points + 1), steps)) % 1.0, axis=1)
    return np.diff(cuts, prepend=0.0, append=1.0, axis=1)


def path(n_grades: int, n_steps: int) -> tuple[FloatArray, FloatArray]:
    """Return users from the least to the most demanding ones.

    The path leads from one corner to the next: from users who all have threshold 1, by mixtures
    with users of threshold 2, to users who all have threshold 2, and so on.

    Returns
    -------
    places : ndarray of shape (n_points,)
        Mean threshold of the users: 1 at the first point, n_grades at the last.
    points : ndarray of shape (n_points, n_grades)
        The distributions g.
    """
    places = np.linspace(1.0, n_grades, (n_grades - 1) * n_steps + 1)
    corners = np.arange(1, n_grades + 1)
    points = np.maximum(0.0, 1.0 - np.abs(places[:, None] - corners))
    return places, points


def quadratic_roots(
    means: FloatArray, covariance: FloatArray, critical: float
) -> list[tuple[float, int]]:
    """Return where a band touches zero between two corners.

    Parameters
    ----------
    means : ndarray of shape (2,)
        Differences at the two corners.
    covariance : ndarray of shape (2, 2)
        Their covariance.
    critical : float
        Half-width of the band in standard errors.

    Returns
    -------
    list of (float, int)
        The shares of the first corner, ascending, each with 1 where the lower end of the band is
        zero there and -1 where the upper one is.
    """
    # The difference is slope t + start, its variance quadratic in t.
    slope, start = means[0] - means[1], means[1]
    variance = np.array(
        [
            covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1],
            2 * (covariance[0, 1] - covariance[1, 1]),
            covariance[1, 1],
        ]
    )
    squares = np.array([slope**2, 2 * slope * start, start**2])
    roots = np.roots(squares - critical**2 * variance)
    real = np.sort(roots.real[np.abs(roots.imag) <= _ROUNDING])
    inside = [float(each) for each in real if 0.0 < each < 1.0]
    return [(each, 1 if slope * each + start > 0 else -1) for each in inside]
