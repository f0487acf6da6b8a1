"""Whether choosing by the users' g wins over choosing by a baseline measure, by halves."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import fraction, number
from skgraded._stats.halves import FEWEST_UNITS, HalvedGain, gain_by_halves
from skgraded._stats.repeats import ModelPart
from skgraded._stats.shares import rounded_shares
from skgraded._text import shorten
from skgraded._writers import Result, Table
from skgraded.comparison._best import notes_on_rare_grades
from skgraded.comparison._users import (
    OfUsers,
    Thresholds,
    Users,
    mean_g,
    notes_on_training,
    rests_on,
    thresholds_of,
    told_egap,
    users_of,
)
from skgraded.measures import Blend, Measure, measure_or_none
from skgraded.results import column_of

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

__all__ = ["Room", "room_of"]

FloatArray = NDArray[np.float64]

_HALF = 0.5
_DIGITS = 3  # of g in a proposal
_NO_ROOM = "no room"


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Room(OfUsers, Result):
    """What choosing by the users' measure wins over choosing by a baseline measure.

    `to_frame` has one row per user, with the columns user, gain, low, high, verdict, chosen_by_g
    and chosen_by_baseline.

    Attributes
    ----------
    users : tuple of str
        Names of the users.
    cutoffs : tuple of (int or None)
        Cut-off of eGAP by user; None is the whole list.
    gain : ndarray of shape (n_users,)
        By how much the mean eGAP of the system that eGAP chooses on half of the queries is above
        that of the one that the baseline chooses there, on the other half.
    interval : ndarray of shape (n_users, 2)
        Ends of its confidence interval.
    confidence : float
        Confidence of the intervals.
    margin : float
        Below it a gain does not matter.
    baseline : str
        The measure that choosing by g is compared with.
    chosen, chosen_by_baseline : tuple of str
        The system that either measure chooses on all queries, by user.
    n_systems : int
        Number of systems to choose from.
    n_queries : tuple of int
        Number of queries with a value, by user.
    n_clusters : tuple of int or None
        Number of their clusters, which were halved, by user; None if queries were.
    proposals : tuple of (Measure or None)
        By user, a measure to choose by where few queries tell about much of g: half eGAP, its g
        rounded, and half the baseline; None where it wins less than eGAP, or there is no room.
    remarks : tuple of str
        What is to be said of the data, in sentences.
    """

    gain: FloatArray
    interval: FloatArray
    confidence: float
    margin: float
    baseline: str
    chosen: tuple[str, ...]
    chosen_by_baseline: tuple[str, ...]
    n_systems: int
    proposals: tuple[Measure | None, ...]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What the interval says, by user.

        ``"use g"`` if it lies above 0; ``"no room"`` if it lies below the margin, so that you may
        choose by either measure, however far ahead the system is that they choose; and
        ``"undecided"`` otherwise.
        """
        return tuple(_verdict(low, high, self.margin) for low, high in self.interval.tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        """What the verdicts mean, in sentences."""
        verdicts, told = self.verdicts, []
        if "use g" in verdicts:
            told.append(f"use g: choosing by eGAP(g) instead of {self.baseline} wins.")
        if _NO_ROOM in verdicts:
            told.append(
                f"no room: it wins less than {self.margin:g}. Choose by either measure: which of "
                "the two does not matter."
            )
        if "undecided" in verdicts:
            told.append(
                f"undecided: it may win {self.margin:g}, or nothing. {self._queries_to_decide()}"
            )
        return (*told, *self.remarks)

    def _queries_to_decide(self) -> str:
        """Say how many queries decide if the gains are those that were seen."""
        needed = []
        for gain, (low, high), verdict, n_queries in zip(
            self.gain.tolist(), self.interval.tolist(), self.verdicts, self.n_queries, strict=True
        ):
            distance = max(gain, self.margin - gain)
            if verdict == "undecided":
                needed.append(n_queries * ((high - low) / 2.0 / distance) ** 2)
        low, high = (f"{np.ceil(each):,.0f}" for each in (min(needed), max(needed)))
        several = low if low == high else f"{low} to {high}"
        return f"If the gain stays the same, about {several} queries decide."

    def _columns(self) -> dict[str, Any]:
        return {
            "user": list(self.users),
            "gain": self.gain,
            "low": self.interval[:, 0],
            "high": self.interval[:, 1],
            "verdict": list(self.verdicts),
            "chosen_by_g": list(self.chosen),
            "chosen_by_baseline": list(self.chosen_by_baseline),
        }

    def _facts(self) -> dict[str, Any]:
        kept = (
            "cutoffs",
            "baseline",
            "margin",
            "confidence",
            "n_systems",
            "n_queries",
            "n_clusters",
        )
        proposals = [None if each is None else str(each) for each in self.proposals]
        return {**{name: getattr(self, name) for name in kept}, "proposals": proposals}

    def _table(self) -> Table:
        ends = [f"[{low:+.4f}, {high:+.4f}]" for low, high in self.interval]
        columns = [
            ("gain", [f"{each:+.4f}" for each in self.gain]),
            (f"{100.0 * self.confidence:g}% interval", ends),
            ("verdict", list(self.verdicts)),
        ]
        egap = told_egap(self.users, self.cutoffs, is_for=False)
        told = (
            f"Gain in {egap} of choosing among {self.n_systems} systems by eGAP(g) instead of "
            f"{self.baseline}: on one half of {self._units}, scored on the other."
        )
        return Table(["users", *map(shorten, self.users)], columns, [told, *self.notes])


def _verdict(low: float, high: float, margin: float) -> str:
    return "use g" if low > 0.0 else _NO_ROOM if high < margin else "undecided"


class _Row(NamedTuple):
    """What there is to say of one population of users."""

    gain: float
    interval: tuple[float, float]
    chosen: str
    chosen_by_baseline: str
    proposal: Measure | None
    remarks: list[str]


def room_of(
    found: Comparison,
    g: Any,
    baseline: str,
    *,
    margin: float,
    confidence: float,
    random_state: Any,
) -> Room:
    """Return what choosing by g wins, for each of the users."""
    number("margin", margin, above=0.0)
    fraction("confidence", confidence)
    column, users = _column_of(found, baseline), users_of(g)
    if any(each.g is None for each in users):
        raise ValueError(f"g must name users: room chooses for one g at a time, got {g!r}.")
    seed = int(np.random.default_rng(random_state).integers(2**63))
    given: Any = {"margin": margin, "confidence": confidence, "seed": seed}
    of_users = [(thresholds_of(found, each, column), each) for each in users]
    rows = [_row(found, *each, column, **given) for each in of_users]
    remarks = (remark for each in rows for remark in each.remarks)
    return Room(
        **rests_on(of_users),
        gain=np.array([each.gain for each in rows]),
        interval=np.array([each.interval for each in rows]),
        confidence=confidence,
        margin=margin,
        baseline=found.measures[column],
        chosen=tuple(each.chosen for each in rows),
        chosen_by_baseline=tuple(each.chosen_by_baseline for each in rows),
        n_systems=len(found.systems),
        proposals=tuple(each.proposal for each in rows),
        remarks=tuple(dict.fromkeys([*notes_on_training(found), *remarks])),
    )


def _column_of(found: Comparison, baseline: str) -> int:
    try:
        return column_of(found.measures, baseline)
    except KeyError as error:
        others = [name for name in found.measures if not name.startswith("AP")]
        named = f", or name another measure, such as baseline={others[0]!r}" if others else ""
        raise KeyError(
            f"baseline must be a measure of the comparison. {error.args[0]} Compare by measures="
            f"[*(AP(rel=rel) for rel in range(1, c + 1)), {str(baseline)!r}], where c is the top "
            f"grade{named}."
        ) from None


def _row(
    found: Comparison,
    thresholds: Thresholds,
    users: Users,
    column: int,
    *,
    margin: float,
    confidence: float,
    seed: int,
) -> _Row:
    """Return what choosing by the g of some users wins, and what to choose by if it is vague."""
    halves = _Halves(found, thresholds, column, seed)
    g = mean_g(users, len(halves.parts))
    chooser = np.tensordot(g, halves.parts, axes=1)
    given = (g, users, thresholds, confidence)
    gain, interval = _interval(halves.gain(chooser), *given)
    remarks = notes_on_rare_grades(thresholds, users)
    proposal = None
    if remarks and _verdict(*interval, margin) != _NO_ROOM:
        rounded = rounded_shares(g, _DIGITS)
        blended = _HALF * (np.tensordot(rounded, halves.parts, axes=1) + halves.baseline)
        won, (low, high) = _interval(halves.gain(blended), *given)
        if won > max(gain, 0.0):
            proposal = _proposal(thresholds, rounded, found.measures[column])
    if proposal is not None:
        remarks.append(
            f"{users.name}: where the grade is rare, choose by {proposal}, which leans on all "
            f"queries; it wins {won:+.4f} [{low:+.4f}, {high:+.4f}], and eGAP {gain:+.4f}."
        )
    return _Row(
        gain,
        interval,
        halves.chosen(chooser),
        halves.chosen(halves.baseline),
        proposal,
        remarks,
    )


class _Halves:
    """The queries of a comparison that are halved, and what systems are chosen by."""

    def __init__(self, found: Comparison, thresholds: Thresholds, column: int, seed: int) -> None:
        kept = thresholds.is_kept
        self.systems = found.systems
        self.parts = thresholds.values
        self.baseline = found.directions[column] * found.values[:, kept, column]
        self.clusters = thresholds.clusters
        self._seed = seed
        n_units = thresholds.n_clusters or thresholds.n_queries
        if n_units < FEWEST_UNITS:
            units = "queries" if self.clusters is None else "clusters"
            raise ValueError(f"Halves need at least {FEWEST_UNITS} {units}, got {n_units}.")

    def gain(self, chooser: FloatArray) -> HalvedGain:
        """Return the gain in AP at every threshold of choosing otherwise than by the baseline."""
        rng = np.random.default_rng(self._seed)  # the same halves for all users
        return gain_by_halves(self.parts, chooser, self.baseline, rng, self.clusters)

    def chosen(self, chooser: FloatArray) -> str:
        return self.systems[int(chooser.mean(axis=1).argmax())]


def _interval(
    halved: HalvedGain,
    g: FloatArray,
    users: Users,
    thresholds: Thresholds,
    confidence: float,
) -> tuple[float, tuple[float, float]]:
    """Return the gain and the ends of its interval, with what training again adds to it."""
    from scipy.stats import t as students_t  # scipy.stats takes most of a second to import

    gain, error = halved.of(g)
    of_g = 0.0 if users.covariance is None else halved.gain @ users.covariance @ halved.gain
    models = thresholds.models(np.outer(g, halved.choices))
    if models is None:
        models = ModelPart(np.zeros((1, 1)), 1.0)
    of_queries = float(np.max(models.widening)) ** 2 * error**2 + float(of_g)
    of_models = float(models.covariance[0, 0])
    variance = of_queries + of_models
    weight = of_queries**2 / halved.freedom + of_models**2 / models.freedom
    freedom = variance**2 / weight if weight > 0.0 else float(halved.freedom)
    reach = float(students_t.ppf((1.0 + confidence) / 2.0, freedom)) * float(np.sqrt(variance))
    return gain, (gain - reach, gain + reach)


def _proposal(thresholds: Thresholds, g: FloatArray, baseline: str) -> Measure | None:
    """Return half eGAP and half the baseline, if that is a measure of which more is better."""
    other = measure_or_none(baseline)
    if other is None or not other.greater_is_better:
        return None
    return Blend({thresholds.egap(g): _HALF, other: _HALF})
