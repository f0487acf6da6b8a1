"""The comparison of two rankers for all users: differences, a band, a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._intervals.estimate import Estimate
from skgraded._support.array_types import FloatArray
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
        self.differences: FloatArray = estimate.value
        n_differences = n_pairs * len(estimate.value)
        self.intervals: FloatArray = estimate.tail(n_differences).interval(confidence)

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
        checked = np.array(eGAP(g=tuple(np.asarray(g, dtype=float).tolist())).g)
        if len(checked) != len(self.differences):
            raise ValueError(
                f"g must hold {len(self.differences)} probabilities, one for each grade above 0, "
                f"got {len(checked)}."
            )
        ((low, high),) = self.band(checked[None])
        return UserDifference(
            float(checked @ self.differences), float(low), float(high)
        )

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
        return np.concatenate([np.eye(n_grades), even_points(n_grades, _POINTS)])

    @cached_property
    def _ends(self) -> FloatArray:
        return self.band(self._users)

    @property
    def signs(self) -> NDArray[np.int64]:
        """What is established for users of one threshold: 1 better, -1 worse, 0 nothing."""
        return self._signs()[: len(self.differences)]

    def _signs(self) -> NDArray[np.int64]:
        return (self._ends[:, 0] > 0).astype(np.int64) - (self._ends[:, 1] < 0)

    @property
    def shares(self) -> UserShares:
        """For which shares of the users either ranker is better, counted on 4,096 even points."""
        n_grades = len(self.differences)
        higher = self._users[n_grades:] @ self.differences > 0
        signs = self._signs()[n_grades:]
        return UserShares(
            *(float(each.mean()) for each in (higher, signs > 0, signs < 0))
        )

    @property
    def conclusion(self) -> str:
        """The sentence in lines of 80 characters."""
        return wrap(self.sentence, WIDTH, indent=0)

    @property
    def sentence(self) -> str:
        """For which users which ranker is better, in one line."""
        names = (self.ranker, self.baseline)
        signs = self._signs()
        for (winner, loser), sign in ((names, 1), (names[::-1], -1)):
            if (self.signs == sign).all():
                everybody = " for every user" if len(self.differences) > 1 else ""
                return f"{winner} is better than {loser}{everybody}."
        if not signs.any():
            return f"No difference between {names[0]} and {names[1]} is established for any user."
        found = [
            f"{name} {self._for_whom(sign)}"
            for name, sign in zip(names, (1, -1), strict=True)
            if (signs == sign).any()
        ]
        if len(self.differences) == _GRADES_OF_A_LINE:
            found[0] += " of your users accept grade 1"
            found[1:] = [f"{each} do" for each in found[1:]]
        return f"Take {', '.join(found)}; else no difference is established."

    def __repr__(self) -> str:
        return self.conclusion

    def _for_whom(self, sign: int) -> str:
        """Describe the users for whom one ranker is established to be better."""
        n_grades = len(self.differences)
        is_better = self._signs() == sign
        if n_grades == _GRADES_OF_A_LINE:
            accepting = self._users[is_better, 0]
            if is_better[0]:
                return f"if more than {percent(float(accepting.min()))}"
            return f"if fewer than {percent(float(accepting.max()))}"
        pure = np.flatnonzero(is_better[:n_grades]) + 1
        share = min(
            is_better[n_grades:].mean(), 1.0 - _TINY
        )  # some user is not among them
        whom = (
            [f"users with threshold {' or '.join(map(str, pure))}"] if len(pure) else []
        )
        return (
            f"for {' and '.join([*whom, f'{percent(share)} of all mixtures of users'])}"
        )


def percent(share: float) -> str:
    """Write 0 and 100 percent only where no user, or every user, is meant."""
    shown = share if share in (0.0, 1.0) else min(max(share, 0.01), 0.99)
    return f"{100.0 * shown:.0f} %"


def even_points(n_grades: int, n_points: int) -> FloatArray:
    """Return users that fill the simplex evenly, shape (n_points, n_grades).

    The gaps between sorted uniform numbers are uniform on the simplex. The numbers are those of a
    Kronecker sequence, whose steps are powers of a generalised golden ratio, so that no seed is
    needed.
    """
    ratio = 2.0
    for _ in range(60):  # the root of ratio**n_grades = ratio + 1
        ratio = (1.0 + ratio) ** (1.0 / n_grades)
    steps = ratio ** -np.arange(1.0, n_grades)
    cuts = np.sort((0.5 + np.outer(np.arange(1, n_points + 1), steps)) % 1.0, axis=1)
    return np.diff(cuts, prepend=0.0, append=1.0, axis=1)


_STEPS = 200  # between two thresholds


def draw_pairs(pairs: Sequence[PairProfile], ax: Any, verdict: str) -> None:
    """Draw differences and bands for users from the least to the most demanding ones."""
    n_grades = len(pairs[0].differences)
    baseline = pairs[0].baseline
    corners = np.arange(1, n_grades + 1)
    places = np.linspace(1.0, n_grades, (n_grades - 1) * _STEPS + 1)
    points = np.maximum(0.0, 1.0 - np.abs(places[:, None] - corners))
    looks = looks_of([each.differences.mean() for each in pairs])
    curves = [
        Curve(pair.ranker, places, points @ pair.differences, look)
        for pair, look in zip(pairs, looks, strict=True)
    ]
    ax.axhline(0, color="black", linewidth=1)
    lines = draw_curves(ax, curves, markers=False)
    drawn = zip(pairs, lines, looks, strict=True)
    for pair, line in ((pair, line) for pair, line, look in drawn if look is not None):
        low, high = pair.band(points).T
        if len(pairs) == 1:
            line.set_color("black")
            ax.fill_between(places, low, high, color=GREY, alpha=0.2)
            ax.fill_between(places, low, high, where=low > 0, color=BETTER, alpha=0.4)
            ax.fill_between(places, low, high, where=high < 0, color=WORSE, alpha=0.4)
        else:
            ax.fill_between(places, low, high, color=line.get_color(), alpha=0.2)
        colour = line.get_color()
        reach = np.abs(pair.intervals.T - pair.differences)
        ax.errorbar(
            corners, pair.differences, yerr=reach, fmt="o", color=colour, capsize=4
        )
    ticks = [
        f"grade {each}" + (" or better" if each < n_grades else "") for each in corners
    ]
    ax.set_xticks(corners, ticks)
    ax.set_xlabel("what users accept (between two grades: mixtures of such users)")
    ax.set_ylabel(f"eGAP minus that of {shorten(baseline)}")
    plain(ax)
    headline(ax, verdict)
