"""Which system is the best one, for one g, for an estimate of it, and for several users."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import integer
from skgraded._stats.bootstrap_t import counts_of_units
from skgraded._stats.clustered import sums_by_cluster
from skgraded._text import count, shorten
from skgraded._writers import LongResult, Table
from skgraded.comparison._users import Thresholds, Users, mean_g, thresholds_of, users_of

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

__all__ = ["Best", "best_of", "notes_on_rare_grades"]

FloatArray = NDArray[np.float64]

# More systems are held against the best of as many equal ones (McLatchie and Vehtari 2024).
MANY = 10
_EQUALS = 0.95  # of the leads of equal systems are smaller
_ROUNDING = 1e-12
_FEW_FOUND = 20
_MUCH = 0.25  # of the users


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Best(LongResult):
    """How probable it is that each system is the best one, by users.

    `to_frame` has one row per user and system, with the columns user, system, mean and probability.

    Attributes
    ----------
    users : tuple of str
        Names of the users.
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
        By about how much the highest mean is too high, because it was picked as the highest; nan
        with fewer than four systems.
    n_queries : int
        Number of queries.
    n_clusters : int or None
        Number of clusters of queries, which were resampled; None if each query was.
    n_resamples : int
        Number of resamples.
    remarks : tuple of str
        What is to be said of the data, in sentences.
    """

    users: tuple[str, ...]
    systems: tuple[str, ...]
    probability: FloatArray
    mean: FloatArray
    lead: FloatArray
    lead_of_equals: FloatArray
    optimism: FloatArray
    n_queries: int
    n_clusters: int | None
    n_resamples: int
    remarks: tuple[str, ...] = ()

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
        kept = ("lead", "lead_of_equals", "optimism", "n_queries", "n_clusters", "n_resamples")
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
        units = count(self.n_queries, "query", "queries")
        if self.n_clusters is not None:
            units += f" in {count(self.n_clusters, 'cluster')}"
        told = f"Probability of being the best by eGAP for {', '.join(self.users)}, over {units}."
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
    users, results, remarks, n_queries = users_of(g), [], [], 0
    for each in users:
        thresholds = thresholds_of(found, each)
        kept = thresholds.is_kept
        clusters = None if found.clusters is None else found.clusters[kept]
        rng = np.random.default_rng(seed)  # the same resamples for all users
        results.append(_probabilities(thresholds, each, clusters, n_resamples, rng))
        remarks += notes_on_rare_grades(thresholds, each)
        n_queries = int(kept.sum())
    columns = map(np.array, zip(*results, strict=True))
    named: Any = dict(zip(_Found._fields, columns, strict=True))
    return Best(
        users=tuple(each.name for each in users),
        systems=found.systems,
        **named,
        n_queries=n_queries,
        n_clusters=None if found.clusters is None else len(np.unique(found.clusters)),
        n_resamples=n_resamples,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _probabilities(
    thresholds: Thresholds,
    users: Users,
    clusters: NDArray[np.int64] | None,
    n_resamples: int,
    rng: np.random.Generator,
) -> _Found:
    """Resample the queries, and g where it is not known, and count who is the best."""
    n_grades, n_systems, _ = thresholds.values.shape
    sums, sizes = sums_by_cluster(thresholds.values, clusters)
    of_units = sums.reshape(-1, len(sizes)).T
    means = of_units.sum(axis=0) / sizes.sum()
    g, freedom = mean_g(users, n_grades), max(len(sizes) - 1, 1)
    wider = np.sqrt(len(sizes) / rng.chisquare(freedom, (n_resamples, 1)))
    drawn_g = users.draws(n_resamples, n_grades, rng)
    wins, noise, first = np.zeros(n_systems), [], 0
    for counts in counts_of_units(len(sizes), n_resamples, rng):
        rows = slice(first, first + len(counts))
        first += len(counts)
        moved = (counts @ of_units / (counts @ sizes)[:, None] - means) * wider[rows]
        at_thresholds = (means + moved).reshape(-1, n_grades, n_systems)
        drawn = np.einsum("bk,bks->bs", drawn_g[rows], at_thresholds)
        is_best = drawn >= drawn.max(axis=1, keepdims=True) - _ROUNDING
        wins += (is_best / is_best.sum(axis=1, keepdims=True)).sum(axis=0)
        noise.append(np.tensordot(moved.reshape(at_thresholds.shape), g, axes=(1, 0)))
    mean = g @ means.reshape(n_grades, n_systems)
    return _Found(wins / n_resamples, mean, *_lead(mean, np.concatenate(noise)))


def _lead(mean: FloatArray, noise: FloatArray) -> tuple[float, float, float]:
    """Return the lead of the first system, that of the first of equal ones, and its optimism.

    Between the systems, the variance of the means is that of what they are worth and that of the
    noise, by which the first one is regressed to their mean (James and Stein).
    """
    leads = noise.max(axis=1) - np.median(noise, axis=1)
    optimism = np.nan
    if len(mean) > 3:  # noqa: PLR2004 - fewer are not regressed
        centred = noise - noise.mean(axis=1, keepdims=True)
        of_noise = float((centred**2).sum(axis=1).mean())
        spread = float(((mean - mean.mean()) ** 2).sum())
        share = of_noise / spread if spread > 0.0 else 1.0
        optimism = min(share, 1.0) * float(mean.max() - mean.mean())
    return float(mean.max() - np.median(mean)), float(np.quantile(leads, _EQUALS)), optimism


def notes_on_rare_grades(thresholds: Thresholds, users: Users) -> list[str]:
    """Say where much of g is on thresholds that few queries tell anything about."""
    n_grades = len(thresholds.values)
    g, n_found = mean_g(users, n_grades), thresholds.n_found
    few = np.flatnonzero((g >= _MUCH) & (n_found < min(_FEW_FOUND, thresholds.is_kept.sum())))
    return [
        f"Only {count(int(n_found[each]), 'query has', 'queries have')} a document of grade "
        f"{each + 1} or above in some ranking: they say little about users with that threshold."
        for each in few[-1:]
    ]
