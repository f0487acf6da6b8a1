"""Which system is the best one, for one g, for an estimate of it, and for several users."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import integer
from skgraded._stats.bootstrap_t import counts_of_units
from skgraded._stats.clustered import sums_by_cluster
from skgraded._stats.repeats import ModelPart
from skgraded._text import count, shorten
from skgraded._writers import LongResult, Table
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

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

__all__ = ["Best", "best_of", "notes_on_rare_grades"]

FloatArray = NDArray[np.float64]

# More systems are held against the best of as many equal ones (McLatchie and Vehtari 2024).
MANY = 10
_EQUALS = 0.95  # of the leads of equal systems are smaller
_ROUNDING = 1e-12
_POINTS = 200
_FEW_FOUND = 20
_MUCH = 0.25  # of the users


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Best(OfUsers, LongResult):
    """How probable it is that each system is the best one, by users.

    `to_frame` has one row per user and system, with the columns user, system, mean and probability.

    Attributes
    ----------
    users : tuple of str
        Names of the users.
    cutoffs : tuple of (int or None)
        Cut-off of eGAP by user; None is the whole list.
    systems : tuple of str
        Names of the systems.
    probability : ndarray of shape (n_users, n_systems)
        Probability that a system has the highest mean of all; equal ones share it.
    mean : ndarray of shape (n_users, n_systems)
        Mean of eGAP with the mean of g.
    lead : ndarray of shape (n_users,)
        Lead of the system with the highest mean over the median one.
    lead_of_equals : ndarray of shape (n_users,)
        Below it is the lead in 95 % of cases if all systems are equal.
    optimism : ndarray of shape (n_users,)
        By about how much the highest mean is too high, because it was picked as the highest; 0 of
        two systems.
    n_queries : tuple of int
        Number of queries with a value, by user.
    n_clusters : tuple of int or None
        Number of their clusters, which were resampled, by user; None if each query was.
    n_resamples : int
        Number of resamples.
    remarks : tuple of str
        What is to be said of the data, in sentences.
    """

    systems: tuple[str, ...]
    probability: FloatArray
    mean: FloatArray
    lead: FloatArray
    lead_of_equals: FloatArray
    optimism: FloatArray
    n_resamples: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not show, in sentences."""
        if len(self.systems) <= MANY:
            return self.remarks
        return (*map(self._note_on_lead, range(len(self.users))), *self.remarks)

    def _note_on_lead(self, place: int) -> str:
        first = shorten(self.systems[int(self.mean[place].argmax())])
        held = "more than" if self.lead[place] > self.lead_of_equals[place] else "no more than"
        return (
            f"{self.users[place]}: {first} leads the median system by {self.lead[place]:.4f}, "
            f"{held} the best of {len(self.systems)} equal systems may by chance "
            f"({self.lead_of_equals[place]:.4f} in 95 %). As the first of so many, its mean is too "
            f"high by about {self.optimism[place]:.4f}."
        )

    def _columns(self) -> dict[str, Any]:
        user, system = (each.ravel() for each in np.indices(self.mean.shape))
        return {
            "user": np.array(self.users, dtype=object)[user],
            "system": np.array(self.systems, dtype=object)[system],
            "mean": self.mean.ravel(),
            "probability": self.probability.ravel(),
        }

    def _facts(self) -> dict[str, Any]:
        kept = (
            "cutoffs",
            "lead",
            "lead_of_equals",
            "optimism",
            "n_queries",
            "n_clusters",
            "n_resamples",
        )
        return {name: getattr(self, name) for name in kept}

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        order = np.argsort(-self.mean[0], kind="stable")[:n_rows]
        columns = [
            (name, [f"{each:.3f}" for each in of_user[order]])
            for name, of_user in zip(self.users, self.probability, strict=True)
        ]
        if len(self.users) == 1:
            means = [f"{each:.4f}" for each in self.mean[0, order]]
            columns = [("mean", means), ("P(best)", columns[0][1])]
        by_egap = told_egap(self.users, self.cutoffs, is_for=True)
        told = f"Probability of being the best by {by_egap}, over {self._units}."
        shown = [told]
        if len(order) < len(self.systems):
            shown.append(f"{len(self.systems)} systems, the first {len(order)} shown.")
        labels = ["system", *(self.systems[each] for each in order)]
        return [Table(labels, columns, [*shown, *self.notes])]


class _Found(NamedTuple):
    """Probability and mean of each system, and what the lead of the first one is worth."""

    probability: FloatArray
    mean: FloatArray
    lead: float
    lead_of_equals: float
    optimism: float


def best_of(found: Comparison, g: Any, n_resamples: int, random_state: Any) -> Best:
    """Return the probabilities for each of the users."""
    integer("n_resamples", n_resamples, 100)
    seed = int(np.random.default_rng(random_state).integers(2**63))
    of_users = [(thresholds_of(found, each), each) for each in users_of(g)]
    results = [
        # the same resamples for all users
        _probabilities(*each, n_resamples, np.random.default_rng(seed))
        for each in of_users
    ]
    remarks = notes_on_training(found)
    remarks += [note for each in of_users for note in notes_on_rare_grades(*each)]
    columns = map(np.array, zip(*results, strict=True))
    named: Any = dict(zip(_Found._fields, columns, strict=True))
    return Best(
        **rests_on(of_users),
        systems=found.systems,
        **named,
        n_resamples=n_resamples,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _probabilities(
    thresholds: Thresholds, users: Users, n_resamples: int, rng: np.random.Generator
) -> _Found:
    """Resample queries, models as repeats show them, and an unknown g, and count who is best."""
    n_grades, n_systems, _ = thresholds.values.shape
    at_thresholds = thresholds.values.mean(axis=2)
    apart = thresholds.values - thresholds.values.mean(axis=1, keepdims=True)
    sums, sizes = sums_by_cluster(apart - apart.mean(axis=2, keepdims=True), thresholds.clusters)
    residuals = sums.reshape(-1, len(sizes)).T
    models = thresholds.models()
    of_models = np.zeros((n_resamples, n_grades * n_systems))
    if models is not None:
        residuals = residuals * models.widening
        of_models = models.draws(n_resamples, rng)
    of_noise = _noise_between_systems(residuals, sizes, n_grades, models)
    freedom = max(len(sizes) - 1, 1)
    wider = np.sqrt(len(sizes) / rng.chisquare(freedom, (n_resamples, 1)))
    g, drawn_g = mean_g(users, n_grades), users.draws(n_resamples, n_grades, rng)
    kept = _kept_shares(drawn_g @ at_thresholds, _squares(drawn_g, of_noise), rng)
    wins, noise, first = np.zeros(n_systems), [], 0
    for counts in counts_of_units(len(sizes), n_resamples, rng):
        rows = slice(first, first + len(counts))
        first += len(counts)
        moved = counts @ residuals / (counts @ sizes)[:, None] * wider[rows]
        moved = (moved + of_models[rows]).reshape(-1, n_grades, n_systems)
        drawn = np.sqrt(kept[rows, None]) * (drawn_g[rows] @ at_thresholds)
        drawn += np.einsum("bk,bks->bs", drawn_g[rows], moved)
        is_best = drawn >= drawn.max(axis=1, keepdims=True) - _ROUNDING
        wins += (is_best / is_best.sum(axis=1, keepdims=True)).sum(axis=0)
        noise.append(np.tensordot(moved, g, axes=(1, 0)))
    mean, noises = g @ at_thresholds, np.concatenate(noise)
    lead = float(mean.max() - np.median(mean))
    of_equals = float(np.quantile(noises.max(axis=1) - np.median(noises, axis=1), _EQUALS))
    optimism = float((1.0 - kept.mean()) * (mean.max() - mean.mean()))
    return _Found(wins / n_resamples, mean, lead, of_equals, optimism)


def _noise_between_systems(
    residuals: FloatArray, sizes: FloatArray, n_grades: int, models: ModelPart | None
) -> FloatArray:
    """Return the covariance over thresholds of the noise of means, less that of their mean.

    It is summed over the systems, as the squares of their means are.
    """
    n = len(sizes)
    by_system = residuals.reshape(n, n_grades, -1)
    covariance = np.einsum("uks,uls->kl", by_system, by_system) * n / max(n - 1, 1)
    covariance = covariance / sizes.sum() ** 2
    if models is not None:
        n_systems = by_system.shape[2]
        by_grade = models.covariance.reshape(n_grades, n_systems, n_grades, n_systems)
        covariance = covariance + np.einsum("ksls->kl", by_grade)
    return np.asarray(covariance)


def _squares(g: FloatArray, covariance: FloatArray) -> FloatArray:
    squares: FloatArray = ((g @ covariance) * g).sum(axis=1)
    return squares


def _kept_shares(means: FloatArray, noise: FloatArray, rng: np.random.Generator) -> FloatArray:
    r"""Draw the share B of the differences between means that is not noise, for rows of means.

    Systems are worth N(mu, tau^2), and means vary around this by sigma^2. With a density of tau
    proportional to 1 / sqrt(tau^2 + sigma^2), its density given the sum S of squared differences
    from their mean is proportional to (tau^2 + sigma^2)^(-n / 2) exp(-S / 2 (tau^2 + sigma^2)),
    and B = tau^2 / (tau^2 + sigma^2). With a flat density of tau (Gelman 2006), nothing would be
    noise of two systems, of which one of ten equal pairs then has 95 % or more.
    """
    n_systems = means.shape[1]
    squares = ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(noise > 0.0, squares / noise * (n_systems - 1), np.inf)[:, None]
    # By the substitution tau = sigma tan(x), (tau^2 + sigma^2) is sigma^2 / cos(x)^2.
    x = (np.arange(_POINTS) + 0.5) / _POINTS * np.pi / 2
    log_density = (n_systems - 2) * np.log(np.cos(x)) - np.minimum(ratio, 1e9) * np.cos(x) ** 2 / 2
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    cumulated = np.cumsum(density, axis=1)
    wanted = rng.random((len(means), 1)) * cumulated[:, -1:]
    place = (cumulated < wanted).sum(axis=1)
    return np.asarray(np.where(np.isinf(ratio[:, 0]), 1.0, np.sin(x[place]) ** 2))


def notes_on_rare_grades(thresholds: Thresholds, users: Users) -> list[str]:
    """Say where much of g is on thresholds that few queries tell anything about."""
    n_grades = len(thresholds.values)
    g, n_found, k = mean_g(users, n_grades), thresholds.n_found, thresholds.measure.k
    where = "in some ranking" if k is None else f"among the first {k} of some ranking"
    few = np.flatnonzero((g >= _MUCH) & (n_found < min(_FEW_FOUND, thresholds.is_kept.sum())))
    return [
        f"Only {count(int(n_found[each]), 'query has', 'queries have')} a document of grade "
        f"{each + 1} or above {where}: they say little about users with that threshold."
        for each in few[-1:]
    ]
