"""Smallest and largest values of a measure over all possible grades of unjudged documents."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skgraded._support import arguments as _params
from skgraded.measures._measure import warn_of_continuous_scale
from skgraded.rankings import Judgments, Rankings
from skgraded.results import Scores

if TYPE_CHECKING:
    from skgraded.measures._measure import Measure


class Bounds(NamedTuple):
    """Smallest and largest values over all possible grades of unjudged documents.

    Attributes
    ----------
    smallest : Scores
        The smallest value of each query.
    largest : Scores
        The largest value of each query.
    """

    smallest: Scores
    largest: Scores


def bounds_of(measure: Measure, rankings: Rankings, max_grade: int | None) -> Bounds:
    """Score the rankings twice: all unjudged documents get the lowest or the highest grade."""
    parts = [part for part, _ in measure._weighted_parts]
    for part in parts:
        _require_bounds(part)
    if max_grade is None:
        top = max(_highest_grade(part, rankings.judgments) for part in parts)
        judgments = rankings.judgments
        are_fractional = judgments.has_fractional_grades
        warn_of_continuous_scale([measure], judgments.top_grade, are_fractional=are_fractional)
    else:
        top = max_grade
    top = _params.integer("max_grade", top, 1)
    of_scale = measure.resolve(max(top, rankings.judgments.top_of_scale))
    as_zero, as_top = (of_scale.per_query(_judge_all(rankings, grade, top)) for grade in (0, top))
    return Bounds(*(as_zero, as_top)[:: parts[0]._changes_with_grades])


def bounds_of_systems(
    measure: Measure, ranked: Iterable[tuple[str, Rankings]], max_grade: int | None
) -> Bounds:
    """Return the bounds of several systems, whose rankings are of the same documents."""
    found = {system: bounds_of(measure, rankings, max_grade) for system, rankings in ranked}
    smallest, largest = zip(*found.values(), strict=True)
    return Bounds(
        Scores.of_systems(dict(zip(found, smallest, strict=True))),
        Scores.of_systems(dict(zip(found, largest, strict=True))),
    )


def _require_bounds(measure: Measure) -> None:
    (worst,) = (each.default for each in dataclasses.fields(measure) if each.name == "empty")
    reasons = {
        "its divisor changes with the judgments": not measure._changes_with_grades
        or measure.normalize,
        "the list itself changes with the judgments": measure.unjudged == "condense",
        f"empty must be {worst!r}, the worst value, got {measure.empty!r}": measure.empty != worst,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(f"{measure} has no bounds over judgments: {reason}.")


def _highest_grade(measure: Measure, judgments: Judgments) -> int:
    """Return the top grade that the measure states, or else the highest grade in the data."""
    gain, max_grade = getattr(measure, "gain", ""), getattr(measure, "max_grade", None)
    if max_grade is not None:
        return int(max_grade)
    if not isinstance(gain, str):
        return len(gain)
    return max(math.ceil(getattr(measure, "rel", 1)), judgments.top_of_scale)


def _judge_all(rankings: Rankings, grade: int, top_grade: int) -> Rankings:
    """Give all unjudged documents of the lists the same grade, on a scale up to `top_grade`."""
    before = rankings.judgments
    grades = np.union1d(before.grades, [float(grade), float(top_grade)])
    level_of = np.searchsorted(grades, np.append(before.grades, [grade, grade]))
    level_of = level_of.astype(before.levels.dtype)
    # A given pool may hold unretrieved documents; additional documents of grade 0 do not change it.
    pool = before.pool._replace(levels=level_of[before.pool.levels]) if grade == 0 else None
    judgments = before.relabel(grades, level_of, pool)
    return Rankings(judgments, rankings.order, rankings.tied, rankings.n_threads)
