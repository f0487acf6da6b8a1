"""Rankings whose pools hold documents that the list lacks."""

import itertools

import numpy as np
from reference.bpref import UNSAMPLED
from reference.frame import ideal

from skgraded import Judgments
from skgraded.rankings import RankedList


def rankings_of_pools(queries):
    """Rank lists whose pools hold documents that they lack; None is outside the pool."""
    grades = sorted({0, *(grade for _, pool in queries for grade in pool)})
    level = {grade: i for i, grade in enumerate(grades)}
    level |= {None: len(grades), UNSAMPLED: len(grades) + 1}
    listed = [[level[grade] for grade in ranked] for ranked, _ in queries]
    pooled = [[level[grade] for grade in ideal(pool)] for _, pool in queries]
    pool = RankedList.without_ties(
        np.array(list(itertools.chain(*pooled)), dtype=np.uint8), borders(pooled)
    )
    judgments = Judgments.of_lists(
        np.array(list(itertools.chain(*listed)), dtype=np.uint8),
        borders(listed),
        np.array(grades, dtype=float),
        pool,
    )
    return judgments.rank(-np.arange(float(judgments.n_documents)))


def borders(lists):
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)
