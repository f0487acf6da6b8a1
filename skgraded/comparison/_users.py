"""Users of a comparison: one g, an estimate of it, several by name, or all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import count as count_from
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._named_users import UserName, g_of
from skgraded._params import choice
from skgraded._stats.repeats import ModelPart, part_of_models
from skgraded._text import first_few
from skgraded.measures import AP, ap_by_threshold, eGAP
from skgraded.results import told_in_clusters, told_queries

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison

__all__ = [
    "OfUsers",
    "Thresholds",
    "Users",
    "mean_g",
    "notes_on_training",
    "rests_on",
    "thresholds_of",
    "told_egap",
    "users_of",
]

FloatArray = NDArray[np.float64]

_EVERYBODY, _NAMELESS = "all users", "g"


_ONE_TRAINING = (
    "One cross-validation: this holds for the models that were trained in it, and leaves out how "
    "much another split and training would change. With cross_validate_queries(..., n_repeats=5) "
    "best, room and the intervals of compare include it."
)


class Users(NamedTuple):
    """A population of users.

    Attributes
    ----------
    name : str
        Its name.
    g : ndarray of shape (n_grades,), str or None
        Distribution of their thresholds, or the name of one; None is any g, all equally likely.
    covariance : ndarray of shape (n_grades, n_grades) or None
        Covariance of an estimated g.
    k : int or None
        How many documents they look at; None is the whole list.
    has_depth : bool
        Whether k is stated; if not, it is that of AP in the comparison.
    """

    name: str
    g: FloatArray | str | None
    covariance: FloatArray | None = None
    k: int | None = None
    has_depth: bool = False

    def draws(self, n_draws: int, n_grades: int, rng: np.random.Generator) -> FloatArray:
        """Draw g, shape (n_draws, n_grades): from all users evenly, or around an estimate."""
        if self.g is None:
            return rng.dirichlet(np.ones(n_grades), n_draws)
        g = mean_g(self, n_grades)
        if self.covariance is None:
            return np.tile(g, (n_draws, 1))
        sizes, axes = np.linalg.eigh(self.covariance)
        root = (axes * np.sqrt(np.maximum(sizes, 0.0))) @ axes.T
        drawn = np.maximum(g + rng.standard_normal((n_draws, n_grades)) @ root, 0.0)
        sums = drawn.sum(axis=1, keepdims=True)
        draws: FloatArray = np.where(sums > 0.0, drawn / np.where(sums > 0.0, sums, 1.0), g)
        return draws


class Thresholds(NamedTuple):
    """AP of all systems at every threshold, on the queries that have a value.

    Attributes
    ----------
    values : ndarray of shape (n_grades, n_systems, n_queries)
        The values.
    is_kept : ndarray of shape (n_queries_compared,), bool
        Which queries these are.
    measure : AP
        AP at threshold 1.
    clusters : ndarray of shape (n_queries,), int64, or None
        Their clusters.
    repeats : ndarray of shape (n_grades, n_systems, n_repeats, n_queries) or None
        The values of the systems by repeat, less the mean of all systems; nan where it did not test
        a query.
    folds : ndarray of shape (n_repeats, n_queries), int64, or None
        The fold that tested a query in a repeat.
    """

    values: FloatArray
    is_kept: NDArray[np.bool_]
    measure: AP
    clusters: NDArray[np.int64] | None = None
    repeats: FloatArray | None = None
    folds: NDArray[np.int64] | None = None

    def models(self, contrast: FloatArray | None = None) -> ModelPart | None:
        """Return what training again adds to the variation of means, if several repeats show it.

        Means are those of a contrast, shape (n_grades, n_systems), or of all systems within
        thresholds.
        """
        if self.repeats is None or self.folds is None:
            return None
        columns = self.repeats.reshape(-1, *self.repeats.shape[2:])
        if contrast is not None:
            columns = np.tensordot(contrast.reshape(1, -1), columns, axes=1)
        return part_of_models(columns, self.folds, clusters=self.clusters)

    @property
    def n_queries(self) -> int:
        """Number of the queries."""
        return int(self.is_kept.sum())

    @property
    def n_clusters(self) -> int | None:
        """Number of their clusters; None if every query is by itself."""
        return None if self.clusters is None else len(np.unique(self.clusters))

    @property
    def n_found(self) -> NDArray[np.int64]:
        """Number of queries in which some system finds a document of the grade or above."""
        found: NDArray[np.int64] = (self.values > 0.0).any(axis=1).sum(axis=1)
        return found

    def egap(self, g: FloatArray) -> eGAP:
        """Return eGAP with this g and the fields of the values."""
        names = ("k", "ties", "unjudged", "empty")
        return eGAP(g=tuple(g.tolist()), **{name: getattr(self.measure, name) for name in names})


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OfUsers:
    """Base class of results by users, which may rest on different queries.

    Users with another depth are scored by other columns, which may have values of other queries.

    Attributes
    ----------
    users : tuple of str
        Names of the users.
    cutoffs : tuple of (int or None)
        Cut-off of eGAP by user; None is the whole list.
    n_queries : tuple of int
        Number of queries with a value, by user.
    n_clusters : tuple of int or None
        Number of their clusters, by user; None if every query is by itself.
    remarks : tuple of str
        What is to be said of the data, in sentences.
    """

    users: tuple[str, ...]
    cutoffs: tuple[int | None, ...]
    n_queries: tuple[int, ...]
    n_clusters: tuple[int, ...] | None
    remarks: tuple[str, ...] = ()

    @property
    def _units(self) -> str:
        """Say over what queries the means are."""
        return told_in_clusters(told_queries(self.n_queries), self.n_clusters)


def rests_on(of_users: Sequence[tuple[Thresholds, Users]]) -> dict[str, Any]:
    """Return the fields of `OfUsers` but for the remarks."""
    clusters = [each.n_clusters for each, _ in of_users]
    return {
        "users": tuple(users.name for _, users in of_users),
        "cutoffs": tuple(each.measure.k for each, _ in of_users),
        "n_queries": tuple(each.n_queries for each, _ in of_users),
        "n_clusters": None if None in clusters else tuple(clusters),
    }


def notes_on_training(found: Comparison) -> list[str]:
    """Say that models are taken as given, if systems were trained in one cross-validation."""
    return [_ONE_TRAINING] if found.is_one_training else []


def users_of(g: Any) -> list[Users]:
    """Return the users that are meant: everybody, one g, an estimate, a persona or several."""
    if g is None:
        return [Users(_EVERYBODY, None)]
    if isinstance(g, str):
        return [Users(g, g)]
    if isinstance(g, Mapping):
        return _by_name(g)
    if hasattr(g, "g"):
        return [_described(g)]
    if not isinstance(g, Iterable):
        raise TypeError(
            "g must be the probabilities of the thresholds 1..c, an estimate of skgraded.users, "
            f"personas, or a mapping of names to these, got {type(g).__name__}."
        )
    several = list(np.asarray(g) if hasattr(g, "__array__") else g)
    if not several:
        raise ValueError(f"g must name users, got {g!r}, which is empty.")
    if all(isinstance(each, Real) for each in several):
        return [Users(_NAMELESS, np.asarray(several, dtype=np.float64))]
    return _numbered([users for each in several for users in users_of(each)])


def _by_name(named: Mapping[Any, Any]) -> list[Users]:
    """Return users with the names that they are given, before their own where these are several."""
    if not named:
        raise ValueError(f"g must name users, got {named!r}, which is empty.")
    found = []
    for name, one in named.items():
        users = users_of(one)
        own = [""] if len(users) == 1 else [f" {each.name}" for each in users]
        found += [each._replace(name=f"{name}{of}") for each, of in zip(users, own, strict=True)]
    return found


def _described(one: Any) -> Users:
    """Return the users of a persona, an estimate or a measure."""
    depth = (getattr(one, "k", None), hasattr(one, "k"))
    if isinstance(one.g, str):
        return Users(one.g, one.g, None, *depth)
    covariance = getattr(one, "covariance", None)
    name = getattr(one, "name", _NAMELESS if covariance is None else "estimated g")
    return Users(name, np.asarray(one.g, dtype=np.float64), covariance, *depth)


def _numbered(several: list[Users]) -> list[Users]:
    """Add numbers to users without a name, if there are several."""
    if [each.name for each in several].count(_NAMELESS) == 1:
        return several
    numbers = count_from(1)
    return [
        each._replace(name=f"{_NAMELESS} {next(numbers)}") if each.name == _NAMELESS else each
        for each in several
    ]


def mean_g(users: Users, n_grades: int) -> FloatArray:
    """Return the users' g, or its mean over all users."""
    if users.g is None:
        return np.full(n_grades, 1.0 / n_grades)
    if isinstance(users.g, str):
        return g_of(choice("g", users.g, get_args(UserName)), n_grades)
    return np.array(eGAP(g=tuple(users.g.tolist())).g, dtype=np.float64)


def thresholds_of(found: Comparison, users: Users, baseline: int | None = None) -> Thresholds:
    """Return AP at the thresholds, with the cut-off of the users, where the baseline has a value.

    As in eGAP, a query without a value at a threshold above the first one counts as 0 there.
    """
    measure, names = _columns(found, users)
    if not (measure.empty == 0.0 or np.isnan(measure.empty)):
        raise ValueError(f"empty must be 0 or nan, got {measure.empty!r} in {measure}.")
    columns = [found.measures.index(names[threshold]) for threshold in sorted(names)]
    is_kept = np.asarray(~np.isnan(found.values[:, :, columns[0]]).any(axis=0))
    if baseline is not None:
        is_kept &= ~np.isnan(found.values[:, :, baseline]).any(axis=0)
    kept = np.moveaxis(found.values[:, is_kept][:, :, columns], 2, 0)
    clusters = None if found.clusters is None else found.clusters[is_kept]
    values = np.nan_to_num(kept, nan=0.0)
    if found.repeats is None or found.folds is None:
        return Thresholds(values, is_kept, measure, clusters)
    repeats = found.repeats[:, :, is_kept][..., columns]
    is_tested = ~np.isnan(repeats[..., [0]])
    repeats = np.where(is_tested, np.nan_to_num(repeats, nan=0.0), np.nan)
    apart = np.moveaxis(repeats - repeats.mean(axis=0), 3, 0)
    return Thresholds(values, is_kept, measure, clusters, apart, found.folds[:, is_kept])


def told_egap(users: tuple[str, ...], cutoffs: tuple[int | None, ...], *, is_for: bool) -> str:
    """Name eGAP with the cut-off, by users where cut-offs differ or where they are wanted."""
    by_name: dict[str, list[str]] = {}
    for name, k in zip(users, cutoffs, strict=True):
        by_name.setdefault("eGAP" if k is None else f"eGAP@{k}", []).append(name)
    if len(by_name) == 1 and not is_for:
        return next(iter(by_name))
    return " and ".join(f"{egap} for {', '.join(names)}" for egap, names in by_name.items())


def _columns(found: Comparison, users: Users) -> tuple[AP, dict[int, str]]:
    """Return AP at threshold 1 and the names of AP at all thresholds, as many as g has."""
    n_grades = None if users.g is None or isinstance(users.g, str) else len(users.g)
    whole = {
        measure: names
        for measure, names in ap_by_threshold(found.measures).items()
        if sorted(names) == list(range(1, len(names) + 1))
        and (len(names) > 1 or n_grades == 1)
        and (not users.has_depth or measure.k == users.k)
    }
    fitting = [
        (measure, names) for measure, names in whole.items() if n_grades in (None, len(names))
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        ways = " and ".join(str(each) for each, _ in fitting)
        raise ValueError(
            f"AP is there in {len(fitting)} ways, {ways}, and {users.name} does not say "
            "which: name users with a depth, such as eGAP(g=g, k=10) or personas, or "
            "pick the measures of one by their names in brackets."
        )
    told = _call(found, users, n_grades)
    if n_grades is not None and whole:
        there = max(map(len, whole.values()))
        raise ValueError(
            f"g must hold {there} probabilities, as there is AP at {there} thresholds, got "
            f"{n_grades}.{'' if n_grades < there else f' {told}'}"
        )
    raise ValueError(told)


def _call(found: Comparison, users: Users, n_grades: int | None) -> str:
    """Name the call that makes the columns that are missing."""
    fields = "rel=rel" if users.k is None else f"rel=rel, k={users.k}"
    top = "c" if n_grades is None else str(n_grades)
    end = "c + 1" if n_grades is None else str(n_grades + 1)
    depth = "" if users.k is None else f"@{users.k}"
    last = f"AP(rel={top}){depth}"
    others = [each for each in found.measures if not each.startswith("AP")]
    more = f", {others[0]!r}" if others else ""
    return (
        f"Users need AP{depth} at every threshold, AP(rel=1){depth} to {last}, and the comparison "
        f"has {first_few(found.measures)}. Compare by measures=[*(AP({fields}) for rel in "
        f"range(1, {end})){more}]{'' if n_grades else ', where c is the top grade'}."
    )
