"""Tests of what a reader leaves out, each by its score, cleared of the parameters (Rao 1948).

A departure adds `weight` to the log odds of a click, by class, grade and rank. Its score is the sum
of weight * (clicked - expected) over the ranks to which the user gets. That of a departure which
varies from session to session is a second derivative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from skgraded._intervals.estimate import Estimate
from skgraded._support.array_types import FloatArray
from skgraded.users._fit import Fit
from skgraded.users._reader import Chooser, Reader, Walks
from skgraded.users._sessions import ABSENT, Lists

_LEAST_INFORMATION = 50.0  # sum of p (1 - p); with less, the scores are far from normal
_LEFT = 1e-3  # of the squares of a score, after it is cleared of the parameters


class _Score(NamedTuple):
    """Score and information of a departure, by session."""

    name: str
    score: FloatArray
    information: FloatArray


def departures_of(fit: Fit) -> tuple[dict[str, float], float]:
    """Test what a reader leaves out.

    Parameters
    ----------
    fit : Fit
        The reader with its parameters.

    Returns
    -------
    departures : dict of str to float
        Their scores in standard errors: above 0 if there is more of it than none.
    p_value : float
        That the largest is chance, by Bonferroni's rule; nan if none could be tested.
    """
    scores: dict[str, FloatArray] = {}
    information: dict[str, float] = {}
    reader = fit.reader
    found = (
        _of_choices(fit, reader)
        if isinstance(reader, Chooser)
        else _of_reading(fit, reader)
    )
    for name, score, each in found:
        scores[name] = scores.get(name, 0.0) + score
        information[name] = information.get(name, 0.0) + each.sum()
    known = [name for name in scores if information[name] >= _LEAST_INFORMATION]
    if not known:
        return {}, float("nan")
    columns = np.column_stack([scores[name] for name in known])
    cleared = columns - fit.scores @ (fit.moves_within.T @ columns)
    test = Estimate(cleared.sum(axis=0), cleared, clusters=reader.lists.clusters)
    used = np.flatnonzero(test.error**2 > _LEFT * (columns**2).sum(axis=0))
    if not len(used):
        return {}, float("nan")
    p_value = min(1.0, len(used) * float(test.students_p_value()[used].min()))
    t = test.value / np.where(test.error > 0, test.error, np.inf)
    return {known[at]: float(t[at]) for at in used}, p_value


def _of_reading(fit: Fit, reader: Reader) -> Iterator[_Score]:
    """Yield the departures of users who read from rank to rank, class by class."""
    walks = reader.walk(fit.theta)
    lists = reader.lists
    posterior, _ = reader.posterior(fit.theta, walks)
    for k, types in enumerate(reader.types.T, start=1):
        of_class = walks.take(types)
        share = posterior[:, k - 1]
        apart = np.where(lists.level == ABSENT, 0.0, lists.clicked - of_class.click)
        variance = of_class.alive * of_class.click * (1 - of_class.click)
        for name, weight in _weights(lists, k).items():
            score = (of_class.alive * apart * weight).sum(axis=1)
            yield _Score(
                name, share * score, share * (variance * (weight != 0)).sum(axis=1)
            )
        yield from _of_going_on(lists, of_class, k, share)
        for name, weight in {
            "some users click more than others": np.ones(len(lists.rank)),
            "some users look deeper than others": _depth(lists),
        }.items():
            each = apart * weight
            before = np.cumsum(each, axis=1) - each
            second = (
                of_class.alive * (each**2 + 2 * each * before) - variance * weight**2
            )
            yield _Score(name, share * second.sum(axis=1), share * variance.sum(axis=1))


def _weights(lists: Lists, k: int) -> dict[str, FloatArray]:
    """Return what departures add to the log odds of a click of a user of class k, by place."""
    level = lists.level
    depth = _depth(lists)
    is_below = (level >= 0) & (level < k)
    grades = np.maximum(level, 0)
    above = (np.cumsum(grades, axis=1) - grades) / np.arange(1, level.shape[1] + 1)
    weights = {
        "better documents above the threshold are clicked more": np.maximum(
            level - k, 0
        ),
        "documents just below the threshold are clicked more": (level == k - 1)
        & (level > 0),
        "demanding users click more readily": np.full(level.shape[1], k),
        "demanding users look deeper": k * depth,
        "clicks below the threshold depend on rank": is_below * depth,
        "the top grade is clicked more": (level == lists.n_levels)
        & (k < lists.n_levels),
        "after better documents users click more": above,
    }
    return {name: np.asarray(each, dtype=np.float64) for name, each in weights.items()}


def _of_going_on(
    lists: Lists, walks: Walks, k: int, share: FloatArray
) -> Iterator[_Score]:
    """Yield departures of how users go on to the next rank."""
    alive = walks.alive[:, :-1]
    stays = walks.stays[:, :-1]
    apart = walks.alive[:, 1:] - alive * stays
    variance = share * (alive * stays * (1 - stays)).sum(axis=1)
    depth = _depth(lists)[:-1]
    name = "users who are deep in the list go on more"
    yield _Score(name, share * (apart * depth).sum(axis=1), variance)
    yield _Score("demanding users go on more", share * k * apart.sum(axis=1), variance)


def _of_choices(fit: Fit, reader: Chooser) -> Iterator[_Score]:
    """Yield departures of choices by grade and rank from what is expected."""
    lists = reader.lists
    expected = reader.expected(fit.theta)
    depth = _depth(lists)
    apart = lists.clicked - expected
    variance = expected * (1 - expected)
    is_top = (lists.level == lists.n_levels) * 1.0
    for name, weight in {
        "more is chosen": np.ones(lists.level.shape),
        "better documents are chosen deeper": np.maximum(lists.level, 0) * depth,
        "the top grade is chosen more": is_top,
        "the top grade is chosen deeper": is_top * depth,
        "grade 0 is chosen deeper": (lists.level == 0) * depth,
    }.items():
        information = (variance * (weight != 0)).sum(axis=1)
        yield _Score(name, (apart * weight).sum(axis=1), information)


def _depth(lists: Lists) -> FloatArray:
    depth: FloatArray = np.log2(lists.rank + 1.0)
    return depth - depth.mean()
