"""Queries of a few whole grades share a scale; others have levels of their own.

Measures that count pairs of grades keep one number for each pair of levels. That is fast as long as
the levels of all queries are few, and impossible where every document has a grade of its own.
A query's own labels alone decide which of the two it is, so that no bit of its value depends on the
other queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings._levels import ReadLabels
from skgraded.rankings._ranked_list import RankedList

if TYPE_CHECKING:
    from skgraded.rankings._judgments import Judgments
    from skgraded.rankings._labels import Labels

IntArray = NDArray[np.int64]
T = TypeVar("T", bound=np.generic)

TOP_OF_SHARED_SCALE = 31


class ScalePart(NamedTuple):
    """Some queries of a data set.

    Attributes
    ----------
    queries : ndarray of shape (n_queries,), int64
        Their numbers in the data set.
    documents : ndarray of shape (n_documents,), int64, or None
        The positions of their documents in the data set; None if the part is all of it.
    judgments : Judgments
        Their labels. ``top_grade`` is that of the whole data set.
    """

    queries: IntArray
    documents: IntArray | None
    judgments: Judgments

    def select(self, by_document: NDArray[T]) -> NDArray[T]:
        """Select the entries of the part's documents.

        Parameters
        ----------
        by_document : ndarray of shape (n_documents,)
            An array with an entry for each document of the data set.

        Returns
        -------
        ndarray
            The entries, in the same array if the part is all of the data set.
        """
        return by_document if self.documents is None else by_document[self.documents]


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
    has_others = _core.have_other_grades(*labels.graded_pool, TOP_OF_SHARED_SCALE).view(np.bool_)
    parts = []
    if not has_others.all():
        parts.append(_on_shared_scale(_select(labels, ~has_others)))
    if has_others.any():
        parts.append(_on_own_scales(_select(labels, has_others)))
    return tuple(parts)


def _select(labels: Labels, marked: NDArray[np.bool_]) -> ScalePart:
    if marked.all():
        return ScalePart(np.arange(len(marked)), None, labels)  # type: ignore[arg-type]
    documents = np.flatnonzero(np.repeat(marked, np.diff(labels.indptr)))
    part = labels.select_queries(marked, documents)
    part.top_grade = labels.top_grade
    return ScalePart(np.flatnonzero(marked), documents, part)  # type: ignore[arg-type]


def _on_shared_scale(part: ScalePart) -> ScalePart:
    before = part.judgments
    if not before.splits_by_scale:  # its levels are those of the documents that are left
        return part
    shared = (before.grades <= TOP_OF_SHARED_SCALE) & (before.grades == np.floor(before.grades))
    n_levels = int(shared.sum())
    level_of = np.append(np.where(shared, np.cumsum(shared) - 1, n_levels), n_levels + np.arange(2))
    pool = None
    if not before.has_own_pool:
        pool = before.pool._replace(levels=level_of.astype(np.uint8)[before.pool.levels])
    judgments = before.relabel(before.grades[shared], level_of, pool)
    judgments.top_grade = before.top_grade
    return part._replace(judgments=judgments)


def _on_own_scales(part: ScalePart) -> ScalePart:
    before = part.judgments
    order, _ = _core.rank(before.graded, before.indptr, before.schedule, 1)
    documents = before.graded, order, before.indptr
    if before.has_own_pool:
        n_levels, grades, borders, levels, pooled, indptr = _core.own_levels(*documents)
        pool = RankedList.without_ties(pooled[: indptr[-1]], indptr)
    else:
        n_levels, grades, borders, levels, pooled = _core.own_levels_with_pools(
            *documents, *before.graded_pool
        )
        pool = before.pool._replace(levels=pooled)
    judgments = before._of(
        qid=before.qid,
        indptr=before.indptr,
        places=None,
        labels=ReadLabels(
            grades[:n_levels],
            levels,
            None,
            before.top_grade,
            before.has_fractional_grades,
            before.has_unjudged,
        ),
        weights=before.weights,
        pool=pool,
        borders=borders,
    )
    return part._replace(judgments=judgments)
