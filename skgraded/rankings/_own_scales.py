"""Queries of a few whole grades share a scale; others have levels of their own.

Measures that count pairs of grades keep one number for each pair of levels. That is fast as long as
the levels of all queries are few, and impossible where every document has a grade of its own.
A query's own labels alone decide which of the two it is, so that no bit of its value depends on the
other queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings._ranked_list import RankedList

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments
    from skgraded.rankings._labels import Labels

__all__ = ["TOP_OF_SHARED_SCALE", "ScalePart", "parts_by_scale"]

IntArray = NDArray[np.int64]

TOP_OF_SHARED_SCALE = 31


class ScalePart(NamedTuple):
    """Some queries of a data set.

    Attributes
    ----------
    queries : ndarray of shape (n_queries,), int64
        Their numbers in the data set.
    documents : ndarray of shape (n_documents,), int64
        The positions of their documents in the data set.
    judgments : Judgments
        Their labels. ``top_grade`` is that of the whole data set.
    """

    queries: IntArray
    documents: IntArray
    judgments: Judgments


def parts_by_scale(labels: Labels) -> tuple[ScalePart, ...]:
    """Separate the queries of a few whole grades from the others, which get levels of their own.

    Parameters
    ----------
    labels : Labels
        Labels of a data set that has other grades than a few whole ones.

    Returns
    -------
    tuple of ScalePart
        The parts that have queries.
    """
    shared = (labels.grades <= TOP_OF_SHARED_SCALE) & (labels.grades == np.floor(labels.grades))
    has_others = labels.count_pool(~shared) > 0
    parts = []
    if not has_others.all():
        parts.append(_on_shared_scale(_select(labels, ~has_others), shared))
    if has_others.any():
        parts.append(_on_own_scales(_select(labels, has_others)))
    return tuple(parts)


def _select(labels: Labels, marked: NDArray[np.bool_]) -> ScalePart:
    if marked.all():
        return ScalePart(np.arange(len(marked)), np.arange(labels.n_documents), labels)  # type: ignore[arg-type]
    documents = np.flatnonzero(np.repeat(marked, np.diff(labels.indptr)))
    pooled = np.repeat(marked, labels.pool.lengths)
    part = labels._of(
        qid=labels.qid[marked],
        indptr=_borders(np.diff(labels.indptr)[marked]),
        places=None,
        grades=labels.grades,
        levels=labels.levels[documents],
        weights=None if labels.weights is None else labels.weights[marked],
        pool=RankedList.without_ties(
            labels.pool.levels[pooled], _borders(labels.pool.lengths[marked])
        ),
        budget=labels.budget,
    )
    part.top_grade = labels.top_grade
    return ScalePart(np.flatnonzero(marked), documents, part)  # type: ignore[arg-type]


def _borders(lengths: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(lengths)))


def _on_shared_scale(part: ScalePart, shared: NDArray[np.bool_]) -> ScalePart:
    before, n_levels = part.judgments, int(shared.sum())
    level_of = np.append(np.where(shared, np.cumsum(shared) - 1, n_levels), n_levels + np.arange(2))
    pool = before.pool._replace(levels=level_of.astype(np.uint8)[before.pool.levels])
    judgments = before.relabel(before.grades[shared], level_of, pool)
    judgments.top_grade = before.top_grade
    return part._replace(judgments=judgments)


def _on_own_scales(part: ScalePart) -> ScalePart:
    before = part.judgments
    pool = before.pool
    levels, pooled, borders, common = _core.own_levels(
        before.levels, before.indptr, pool.levels, pool.indptr, before.n_levels
    )
    judgments = before._of(
        qid=before.qid,
        indptr=before.indptr,
        places=None,
        grades=before.grades[common],
        levels=levels,
        weights=before.weights,
        pool=pool._replace(levels=pooled),
        budget=before.budget,
        borders=borders,
    )
    judgments.top_grade = before.top_grade
    return part._replace(judgments=judgments)
