"""The comparison of two rankers for all users: differences, a band, a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._intervals.estimate import Estimate
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.lazy import cached_property
from skgraded._support.pictures import (
    BETTER,
    GREY,
    WORSE,
    Curve,
    draw_curves,
    headline,
    looks_of,
    plain,
)
from skgraded._support.text import WIDTH, shorten, wrap
from skgraded.measures import eGAP

_POINTS = 4096  # of the simplex, on which shares of the users are counted
_GRADES_OF_A_LINE = 2
_TINY = 1e-9
_STEPS = 200  # of a picture, between two thresholds


class UserDifference(NamedTuple):
    """Difference of two rankers for one population of users.

    Attributes
    ----------
    difference : float
        Mean difference in eGAP: the ranker less the baseline.
    low, high : float
        Ends of its interval, which holds jointly for all users and pairs.
    """

    difference: float
    low: float
    high: float


class UserShares(NamedTuple):
    """Shares of all possible users, where all distributions g are equally likely.

    Attributes
    ----------
    higher : float
        Share of the users for whom the ranker has the higher mean.
    better, worse : float
        Share of the users for whom it is established that the ranker is better, or worse.
    """

    higher: float
    better: float
    worse: float


class PairProfile:
    """Differences between a ranker and the baseline for all users.

    Attributes
    ----------
    ranker, baseline : str
        Names of the two rankers.
    differences : ndarray of shape (n_grades,)
        Mean difference in AP at each threshold: the ranker less the baseline.
    intervals : ndarray of shape (n_grades, 2)
        Their ends, which hold jointly for all users and pairs.
    shares : UserShares
        For which shares of the users either ranker is better, counted on 4,096 even points.
    sentence, conclusion : str
        For which users which ranker is better, in one line and in lines of 80 characters.
    """

    def __init__(
        self,
        ranker: str,
        baseline: str,
        estimate: Estimate,
        confidence: float,
        n_pairs: int = 1,
    ) -> None:
        self.ranker = ranker
        self.baseline = baseline
        self.differences = estimate.value
        n_differences = n_pairs * len(estimate.value)
        self.intervals = estimate.tail(n_differences).interval(confidence)

    def at(self, g: ArrayLike) -> UserDifference:
        """Return the difference in eGAP for one population of users.

        Parameters
        ----------
        g : array-like of shape (n_grades,)
            Probabilities of the thresholds 1..c, which sum to 1.

        Returns
        -------
        UserDifference
            The difference and its interval.

        Raises
        ------
        ValueError
            If g is not a distribution over these thresholds.
        """
        stated = np.asarray(g, dtype=float).tolist()
        probabilities = eGAP(g=tuple(stated)).g
        point = np.array(probabilities)
        if len(point) != len(self.differences):
            raise ValueError(
                f"g must hold {len(self.differences)} probabilities, one for each grade above 0, "
                f"got {len(point)}."
            )
        difference = float(point @ self.differences)
        ((low, high),) = self.band(point[None])
        return UserDifference(difference, float(low), float(high))

    def band(self, points: FloatArray) -> FloatArray:
        """Return the ends of the intervals for many populations of users: mixtures of `intervals`.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_grades)
            The distributions g.

        Returns
        -------
        ndarray of shape (n_points, 2)
            The ends.
        """
        return points @ self.intervals

    @cached_property
    def _users(self) -> FloatArray:
        """Users of one threshold, then evenly spread users."""
        n_grades = len(self.differences)
        mixtures = even_points(n_grades, _POINTS)
        return np.concatenate([np.eye(n_grades), mixtures])

    @cached_property
    def _signs(self) -> IntArray:
        """What is established for each of the users: 1 better, -1 worse, 0 nothing."""
        low, high = self.band(self._users).T
        is_better = low > 0
        is_worse = high < 0
        return is_better.astype(np.int64) - is_worse

    @property
    def signs(self) -> IntArray:
        """What is established for users of one threshold: 1 better, -1 worse, 0 nothing."""
        n_grades = len(self.differences)
        return self._signs[:n_grades].copy()

    @property
    def shares(self) -> UserShares:
        """For which shares of the users either ranker is better, counted on 4,096 even points."""
        n_grades = len(self.differences)
        mixtures = self._users[n_grades:]
        is_higher = mixtures @ self.differences > 0
        signs = self._signs[n_grades:]

        is_better = signs > 0
        is_worse = signs < 0
        return UserShares(
            higher=float(is_higher.mean()),
            better=float(is_better.mean()),
            worse=float(is_worse.mean()),
        )

    @property
    def conclusion(self) -> str:
        """The sentence in lines of 80 characters."""
        return wrap(self.sentence, WIDTH, indent=0)

    @property
    def sentence(self) -> str:
        """For which users which ranker is better, in one line."""
        n_grades = len(self.differences)
        for_whom = " for every user" if n_grades > 1 else ""
        if (self.signs == 1).all():
            return f"{self.ranker} is better than {self.baseline}{for_whom}."
        if (self.signs == -1).all():
            return f"{self.baseline} is better than {self.ranker}{for_whom}."
        if not self._signs.any():
            return (
                f"No difference between {self.ranker} and {self.baseline} is established for any "
                "user."
            )

        clauses = []
        for name, sign in ((self.ranker, 1), (self.baseline, -1)):
            if (self._signs == sign).any():
                clauses.append(f"{name} {self._for_whom(sign)}")
        if n_grades == _GRADES_OF_A_LINE:
            clauses[0] += " of your users accept grade 1"
            clauses[1:] = [f"{clause} do" for clause in clauses[1:]]
        return f"Take {', '.join(clauses)}; else no difference is established."

    def __repr__(self) -> str:
        return self.conclusion

    def _for_whom(self, sign: int) -> str:
        """Describe the users for whom one ranker is established to be better."""
        n_grades = len(self.differences)
        is_better = self._signs == sign
        if n_grades == _GRADES_OF_A_LINE:
            share_accepting_grade_1 = self._users[is_better, 0]
            if is_better[0]:
                least_share = float(share_accepting_grade_1.min())
                return f"if more than {percent(least_share)}"
            largest_share = float(share_accepting_grade_1.max())
            return f"if fewer than {percent(largest_share)}"

        groups = []
        thresholds = np.flatnonzero(is_better[:n_grades]) + 1
        if len(thresholds):
            groups.append(f"users with threshold {' or '.join(map(str, thresholds))}")
        # Never all: some user is not among them.
        share = is_better[n_grades:].mean()
        share = min(share, 1.0 - _TINY)
        groups.append(f"{percent(share)} of all mixtures of users")
        return f"for {' and '.join(groups)}"


def percent(share: float) -> str:
    """Write 0 and 100 percent only where no user, or every user, is meant."""
    if share not in (0.0, 1.0):
        share = min(max(share, 0.01), 0.99)
    return f"{100.0 * share:.0f} %"


def even_points(n_grades: int, n_points: int) -> FloatArray:
    """Return users that fill the simplex evenly, shape (n_points, n_grades).

    The gaps between sorted uniform numbers are uniform on the simplex. The numbers are those of a
    Kronecker sequence, whose steps are powers of a generalised golden ratio, so that no seed is
    needed.
    """
    ratio = 2.0
    for _ in range(60):  # the root of ratio**n_grades = ratio + 1
        ratio = (1.0 + ratio) ** (1.0 / n_grades)
    powers = np.arange(1.0, n_grades)
    steps = ratio**-powers
    indices = np.arange(1, n_points + 1)
    multiples = np.outer(indices, steps)
    numbers = (0.5 + multiples) % 1.0
    cuts = np.sort(numbers, axis=1)
    return np.diff(cuts, prepend=0.0, append=1.0, axis=1)


def draw_pairs(pairs: Sequence[PairProfile], ax: Any, verdict: str) -> None:
    """Draw differences and bands for users from the least to the most demanding ones."""
    n_grades = len(pairs[0].differences)
    thresholds = np.arange(1, n_grades + 1)

    # Between two thresholds users of both are mixed.
    n_places = (n_grades - 1) * _STEPS + 1
    places = np.linspace(1.0, n_grades, n_places)
    distances = np.abs(places[:, None] - thresholds)
    points = np.maximum(0.0, 1.0 - distances)

    mean_differences = [pair.differences.mean() for pair in pairs]
    looks = looks_of(mean_differences)
    curves = []
    for pair, look in zip(pairs, looks, strict=True):
        differences = points @ pair.differences
        curves.append(Curve(pair.ranker, places, differences, look))
    ax.axhline(0, color="black", linewidth=1)
    lines = draw_curves(ax, curves, markers=False)
    for pair, line, look in zip(pairs, lines, looks, strict=True):
        if look is None:
            continue
        low, high = pair.band(points).T
        if len(pairs) == 1:
            line.set_color("black")
            _fill_by_verdict(ax, places, low, high)
        else:
            colour = line.get_color()
            ax.fill_between(places, low, high, color=colour, alpha=0.2)
        _draw_intervals(ax, thresholds, pair, line.get_color())

    ticks = [f"grade {grade} or better" for grade in thresholds[:-1]]
    ax.set_xticks(thresholds, [*ticks, f"grade {n_grades}"])
    ax.set_xlabel("what users accept (between two grades: mixtures of such users)")
    ax.set_ylabel(f"eGAP minus that of {shorten(pairs[0].baseline)}")
    plain(ax)
    headline(ax, verdict)


def _fill_by_verdict(
    ax: Any, places: FloatArray, low: FloatArray, high: FloatArray
) -> None:
    """Fill a band, in colour where a difference is established."""
    is_better = low > 0
    is_worse = high < 0
    fill = partial(ax.fill_between, places, low, high)
    fill(color=GREY, alpha=0.2)
    fill(where=is_better, color=BETTER, alpha=0.4)
    fill(where=is_worse, color=WORSE, alpha=0.4)


def _draw_intervals(
    ax: Any, thresholds: IntArray, pair: PairProfile, colour: Any
) -> None:
    """Draw the differences at the thresholds with their intervals."""
    differences = pair.differences
    distances = np.abs(pair.intervals.T - differences)
    ax.errorbar(
        thresholds, differences, yerr=distances, fmt="o", color=colour, capsize=4
    )
