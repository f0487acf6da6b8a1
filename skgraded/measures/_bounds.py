"""The same rankings with all unjudged documents judged, at worst and at best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skgraded.measures._scores import QueryScores
from skgraded.rankings import Judgments, RankedList, Rankings

__all__ = ["Bounds", "judge_all"]


class Bounds(NamedTuple):
    """What a measure can come to, whatever the unjudged documents are worth.

    Attributes
    ----------
    smallest : QueryScores
        The smallest value of each query.
    largest : QueryScores
        The largest value of each query.
    """

    smallest: QueryScores
    largest: QueryScores


def judge_all(rankings: Rankings, grade: int, top_grade: int) -> Rankings:
    """Give all unjudged documents of the lists one grade, on a scale up to `top_grade`."""
    before = rankings.judgments
    grades = np.union1d(before.grades, [float(grade), float(top_grade)])
    level_of = np.searchsorted(grades, np.append(before.grades, [grade, grade]))
    level_of = level_of.astype(before.levels.dtype)
    # Documents judged 0 need not join a pool that also holds some that the list lacks.
    pool = before.pool._replace(levels=level_of[before.pool.levels]) if grade == 0 else None
    judgments = _replace_labels(before, grades, level_of, pool)
    return Rankings(judgments, rankings.order, rankings.tied, rankings.n_threads)


def _replace_labels(
    judgments: Judgments, grades: np.ndarray, level_of: np.ndarray, pool: RankedList | None
) -> Judgments:
    return Judgments(
        qid=judgments.qid,
        indptr=judgments.indptr,
        row_order=judgments.row_order,
        grades=grades,
        levels=level_of[judgments.levels],
        weights=judgments.weights,
        pool=pool,
    )
