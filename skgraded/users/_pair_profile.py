"""The comparison of two rankers for all users: differences, bands, break-even, conclusion."""

from __future__ import annotations

import dataclasses
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._intervals.bands import largest_ratios
from skgraded._text import WIDTH, wrap
from skgraded._writers import Table
from skgraded.measures import eGAP
from skgraded.users._simplex import inner_points, quadratic_roots, share_above_zero

FloatArray = NDArray[np.float64]

_POINTS = 4096  # of the simplex, where a share of it has no closed form
_GRADES_OF_A_LINE = 2
LEAST_SHARE = 0.005  # a smaller one would be rounded to 0 percent


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
    above, below : float
        Share of the users for whom the ranker has the higher mean, or the lower one.
    better, worse : float
        Share of the users for whom it is established that the ranker is better, or worse.
    undecided : float
        Share of the other users.
    """

    above: float
    below: float
    better: float
    worse: float
    undecided: float


class BreakEven(NamedTuple):
    """A mixture of users of two thresholds for whom both rankers have the same eGAP.

    Attributes
    ----------
    threshold, other : int
        The thresholds. The ranker has the higher AP at one, the baseline at the other.
    share : float
        Share of the users with the first threshold; the others have the second one.
    """

    threshold: int
    other: int
    share: float


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PairProfile:
    """Differences between a ranker and the baseline for all users.

    Attributes
    ----------
    ranker, baseline : str
        Names of the two rankers.
    differences : ndarray of shape (n_grades,)
        Mean difference in AP at each threshold: the ranker less the baseline.
    covariance : ndarray of shape (n_grades, n_grades)
        Covariance of these means.
    critical : float
        Half-width of the intervals in standard errors.
    users : ndarray of shape (n_users, n_grades)
        Distributions g for which xGAP was scored.
    xgap_differences, xgap_errors : ndarray of shape (n_users,)
        Mean differences in xGAP for these users, and their standard errors.
    xgap_critical : float
        Half-width of the intervals for xGAP in standard errors.
    bounds : ndarray of shape (n_grades,)
        Where it is above 0, no query differs at the threshold; the interval there reaches as far on
        both sides of 0, and the covariance is 0.
    """

    ranker: str
    baseline: str
    differences: FloatArray
    covariance: FloatArray
    critical: float
    users: FloatArray
    xgap_differences: FloatArray
    xgap_errors: FloatArray
    xgap_critical: float
    bounds: FloatArray

    @property
    def intervals(self) -> FloatArray:
        """Ends of the intervals at the thresholds, shape (n_grades, 2)."""
        _, low, high = self.band(np.eye(len(self.differences)))
        return np.column_stack((low, high))

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
        checked = eGAP(g=tuple(np.asarray(g, dtype=float).tolist())).g
        if len(checked) != len(self.differences):
            raise ValueError(
                f"g must hold {len(self.differences)} probabilities, one for each grade above 0, "
                f"got {len(checked)}."
            )
        difference, low, high = self.band(np.array([checked], dtype=float))
        return UserDifference(float(difference[0]), float(low[0]), float(high[0]))

    def band(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return differences in eGAP and the ends of their intervals for many g.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_grades)
            The distributions g.

        Returns
        -------
        tuple of three ndarrays of shape (n_points,)
            The differences, and the low and high ends of their intervals.
        """
        differences = points @ self.differences
        variances = np.maximum(((points @ self.covariance) * points).sum(axis=1), 0.0)
        reach = self.critical * np.sqrt(variances)
        low, high = points @ self._inner_end(1) - reach, points @ self._inner_end(-1) + reach
        return differences, np.maximum(low, -1.0), np.minimum(high, 1.0)

    def _inner_end(self, sign: int) -> FloatArray:
        """Return the low (1) or high (-1) ends at the thresholds before standard errors count."""
        return np.where(self.bounds > 0.0, -sign * self.bounds, self.differences)

    def _signs(self, points: FloatArray) -> NDArray[np.int64]:
        """Return 1 where the ranker is established to be better, -1 where worse, 0 elsewhere."""
        _, low, high = self.band(points)
        return (low > 0).astype(np.int64) - (high < 0)

    @property
    def corners(self) -> NDArray[np.int64]:
        """What is established for users of one threshold, by threshold: 1, -1 or 0."""
        return self._signs(np.eye(len(self.differences)))

    @property
    def shares(self) -> UserShares:
        """Shares of the simplex of users on which either ranker is better by eGAP.

        They are exact, but for the share where a difference is established with three grades or
        more, which is counted on 4,096 evenly spread points.
        """
        above, below = share_above_zero(self.differences), share_above_zero(-self.differences)
        better, worse = self._established_shares()
        return UserShares(above, below, better, worse, max(0.0, 1.0 - better - worse))

    def _established_shares(self) -> tuple[float, float]:
        if abs(self.corners.sum()) == len(self.differences):  # then for all mixtures, too
            return (1.0, 0.0) if self.corners[0] > 0 else (0.0, 1.0)
        if len(self.differences) == _GRADES_OF_A_LINE:
            better, worse = (self.line(sign) for sign in (1, -1))
            return better[1] - better[0], worse[1] - worse[0]
        if len(self.differences) == 1:
            return 0.0, 0.0
        signs = self._signs(inner_points(len(self.differences), _POINTS))
        return float((signs > 0).mean()), float((signs < 0).mean())

    def line(self, sign: int) -> tuple[float, float]:
        """Return the range of g_1 in which one ranker is established to be better, for two grades.

        Parameters
        ----------
        sign : {1, -1}
            Whether the ranker is to be better, or worse.

        Returns
        -------
        tuple of two floats
            Ends of the range, which is empty if they are equal.
        """
        roots = quadratic_roots(self._inner_end(sign), self.covariance, self.critical)
        cuts = np.array([0.0, *(root for root, side in roots if side == sign), 1.0])
        middles = (cuts[1:] + cuts[:-1]) / 2
        inside = np.flatnonzero(self._signs(np.column_stack((middles, 1 - middles))) == sign)
        if not len(inside):
            return 0.0, 0.0
        return float(cuts[inside[0]]), float(cuts[inside[-1] + 1])

    @property
    def xgap_shares(self) -> UserShares | None:
        """Shares of the users for whom either ranker is better by xGAP; None if it was not scored.

        With two grades they are shares of g_1, linear between the users that were scored. With
        more, they are shares of the scored users who have no threshold of probability 0.
        """
        n_grades = len(self.differences)
        inside = (self.users > 0).all(axis=1)
        if n_grades == 1 or not inside.any():
            return None
        reach = self.xgap_critical * self.xgap_errors
        ends = (self.xgap_differences, self.xgap_differences - reach, self.xgap_differences + reach)
        if n_grades == _GRADES_OF_A_LINE:
            order = np.argsort(self.users[:, 0])
            fine = (np.arange(_POINTS) + 0.5) / _POINTS
            middle, low, high = (
                np.interp(fine, self.users[order, 0], each[order]) for each in ends
            )
        else:
            middle, low, high = (each[inside] for each in ends)
        better, worse = float((low > 0).mean()), float((high < 0).mean())
        above, below = float((middle > 0).mean()), float((middle < 0).mean())
        return UserShares(above, below, better, worse, max(0.0, 1.0 - better - worse))

    @property
    def break_even(self) -> tuple[BreakEven, ...]:
        """Mixtures of two thresholds for whom both rankers have the same eGAP.

        The border between the users of either ranker is the hyperplane through these points. With
        two grades it is the one value of g_1.
        """
        d = self.differences.tolist()
        return tuple(
            BreakEven(one + 1, other + 1, d[other] / (d[other] - d[one]))
            for one, other in combinations(range(len(d)), 2)
            if d[one] * d[other] < 0
        )

    @property
    def conclusion(self) -> str:
        """For which users which ranker is better, in a sentence."""
        return wrap(self.sentence, WIDTH, indent=0)

    @property
    def sentence(self) -> str:
        """The conclusion in one line."""
        better = f"{self.ranker} is better than {self.baseline}"
        worse = f"{self.baseline} is better than {self.ranker}"
        everybody = " for every user" if len(self.differences) > 1 else ""
        if (self.corners > 0).all():
            return f"{better}{everybody}."
        if (self.corners < 0).all():
            return f"{worse}{everybody}."
        found = [
            f"{words} {users}"
            for words, sign in ((better, 1), (worse, -1))
            if (users := self._users_in_words(sign))
        ]
        if not found:
            anybody = " for any user" if everybody else ""
            names = f"{self.ranker} and {self.baseline}"
            return f"No difference between {names} is established{anybody}."
        is_between = len(found) > 1 and len(self.differences) == _GRADES_OF_A_LINE
        rest = "in between" if is_between else "for the others"
        return f"{'; '.join(found)}; {rest}, no difference is established."

    @property
    def is_better_for_some(self) -> bool:
        """Whether the ranker is established to be better for some users."""
        return self._wins_somewhere(1)

    def _wins_somewhere(self, sign: int) -> bool:
        above, below = largest_ratios(self._inner_end(sign)[None], self.covariance[None])
        ratio = (above if sign > 0 else below)[0]
        return bool(ratio > self.critical or (self.corners == sign).any())

    def _users_in_words(self, sign: int) -> str:
        """Describe the users for whom one ranker is established to be better, if there are any."""
        if not self._wins_somewhere(sign):
            return ""
        if (self.corners == sign).all():
            return "for every user" if len(self.differences) > 1 else "for users with threshold 1"
        pure = np.flatnonzero(self.corners == sign) + 1
        if len(self.differences) == _GRADES_OF_A_LINE:
            return _range_in_words(*self.line(sign), self.corners == sign)
        better, worse = self._established_shares()
        share = better if sign > 0 else worse
        mixtures = f"{_percent(share)} of all mixtures of users"
        if not len(pure):
            return f"for {mixtures}"
        thresholds = " or ".join(map(str, pure))
        return f"for users with threshold {thresholds} and for {mixtures}"

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in plain types, as for JSON.

        Returns
        -------
        dict
            The numbers by name.
        """
        reach = self.xgap_critical * self.xgap_errors
        of_xgap = self.xgap_shares
        return {
            "ranker": self.ranker,
            "baseline": self.baseline,
            "conclusion": self.sentence,
            "differences": self.differences.tolist(),
            "intervals": self.intervals.tolist(),
            "shares": self.shares._asdict(),
            "break_even": [each._asdict() for each in self.break_even],
            "xgap": {
                "shares": None if of_xgap is None else of_xgap._asdict(),
                "users": self.users.tolist(),
                "differences": self.xgap_differences.tolist(),
                "low": np.maximum(self.xgap_differences - reach, -1.0).tolist(),
                "high": np.minimum(self.xgap_differences + reach, 1.0).tolist(),
            },
        }

    def __repr__(self) -> str:
        return self.conclusion

    def _repr_html_(self) -> str:
        columns = [
            ("difference", [f"{each:+.4f}" for each in self.differences]),
            ("interval", [f"[{low:+.4f}, {high:+.4f}]" for low, high in self.intervals]),
        ]
        labels = [f"rel={threshold}" for threshold in range(1, len(self.differences) + 1)]
        heading = f"{self.ranker} - {self.baseline}"
        return Table([heading, *labels], columns, [self.sentence]).to_html()


def _range_in_words(low: float, high: float, corners: NDArray[np.bool_]) -> str:
    if corners[1]:  # where g_1 is 0
        return f"for users with g_1 below {_inside(high)}"
    if corners[0]:
        return f"for users with g_1 above {_inside(low)}"
    return f"for users with g_1 between {_inside(low)} and {_inside(high)}"


def _inside(share: float) -> str:
    """Write a share between 0 and 1 with so many digits that it does not look like 0 or 1.

    Nearer than four digits tell, the border is 0 or 1, which itself is outside.
    """
    for text in (f"{share:.2f}", f"{share:.4f}"):
        if float(text) not in (0.0, 1.0):
            return text
    return f"{share:.0f}"


def _percent(share: float) -> str:
    if share < LEAST_SHARE:
        return "less than 1%"
    return f"{share:.0%}" if share <= 1.0 - LEAST_SHARE else "more than 99%"  # not for all
