"""Levels of planned looks at a growing number of queries, which err together as one test does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri

_N_POINTS = 2001  # of sums of differences that did not decide at an earlier look


def levels_of_looks(numbers: Sequence[int], level: float) -> list[float]:
    """Return two-sided levels of looks at so many queries (Lan, DeMets 1983).

    They spend the level as O'Brien and Fleming's bounds do, so that early looks have little of it.
    """
    from scipy.optimize import brentq

    times = np.array(numbers, dtype=float) / numbers[-1]
    last_bound = ndtri(1.0 - level / 4.0)
    bounds = last_bound / np.sqrt(times)
    spent = 4.0 * (1.0 - ndtr(bounds))
    steps = np.diff(times, prepend=0.0)
    levels_to_spend = np.diff(spent, prepend=0.0)
    levels = []

    # Sums that decided at no look so far, and the mass of each.
    sums = np.zeros(1)
    masses = np.ones(1)
    for time, step, to_spend in zip(times, steps, levels_to_spend, strict=True):
        spread = np.sqrt(step)

        def excess(bound: float) -> float:
            """Return by how much the chance to be beyond the bound exceeds what is to spend."""
            end = bound * np.sqrt(time)  # noqa: B023 - it is called in this turn alone
            above = ndtr((sums - end) / spread)  # noqa: B023
            below = ndtr((-end - sums) / spread)  # noqa: B023
            return float(masses @ (above + below) - to_spend)  # noqa: B023

        bound = brentq(excess, 0.1, 12.0)
        levels.append(2.0 * float(ndtr(-bound)))

        # The sums of this look, and by the trapezoid rule what mass each stands for.
        end = bound * np.sqrt(time)
        new_sums = np.linspace(-end, end, _N_POINTS)
        away = (new_sums[:, None] - sums) / spread
        normal = np.exp(-(away**2) / 2.0)
        width = spread * np.sqrt(2.0 * np.pi)
        density = normal @ masses / width
        widths = np.full(_N_POINTS, new_sums[1] - new_sums[0])
        widths[[0, -1]] /= 2.0
        sums = new_sums
        masses = density * widths
    return levels
