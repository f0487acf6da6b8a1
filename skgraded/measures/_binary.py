"""Base classes and helpers of binary measures, where a document is relevant from one grade up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_once
from skgraded._support import arguments as _params
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures._kept import LabelResults
from skgraded.measures._measure import Measure
from skgraded.measures._positions import Constant
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments

# An entry of `Measure._refuses`: counting unjudged documents as grade 0 would change the measure.
COUNTS_JUDGED = {"unjudged": "because it counts judged documents that are not relevant"}

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class _BinaryMeasure(Measure):
    """Base class of measures that count documents of grade ``rel`` or above as relevant."""

    rel: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        rel = _params.number("rel", self.rel, above=0)
        self._set(rel=int(rel) if rel.is_integer() else rel)

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        if self.rel > judgments.top_grade:
            self._warn_of_unreached_threshold(judgments)
        return judgments.grades >= self.rel

    def _warn_of_unreached_threshold(self, judgments: Judgments) -> None:
        """Warn once for these labels, unless there is nothing relevant for anybody."""
        top, warned_of = judgments.top_grade, judgments.kept[LabelResults].warned_of
        if self in warned_of or (top == 0 and self.rel <= 1):
            return
        warned_of.add(self)
        warn_once(
            f"rel exceeds the highest grade in y_true, which is {top:g}, so that no document is "
            f"relevant: got {self.rel:g} in {self}. rel may be any number above 0.",
            GradeScaleWarning,
        )

    def _n_relevant(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(self._relevant(judgments))


class _SetMeasure(_BinaryMeasure, PrefixMeasure):
    """Base class of measures that also count the documents that the first k ranks leave out."""

    _refuses: ClassVar[Mapping[str, str]] = {
        "normalize": "because its ideal ranking would retrieve only the pool"
    }

    def _n_all(self, judgments: Judgments) -> IntArray:
        """Count the documents of the list and the judged documents missing from it."""
        judged = judgments.list_lengths("condense")
        return judgments.list_lengths(self.unjudged) + judgments.pool.lengths - judged

    def _n_retrieved(self, judgments: Judgments) -> IntArray:
        """Count the documents at the first k ranks."""
        lengths = judgments.list_lengths(self.unjudged)
        return lengths if self.k is None else np.minimum(lengths, self.k)

    def _n_nonrelevant(self, judgments: Judgments) -> IntArray:
        return self._n_all(judgments) - self._n_relevant(judgments)

    def _true_positives(
        self, judgments: Judgments, scale: FloatArray | float, constant: FloatArray | float
    ) -> LinearPart:
        relevant = self._relevant(judgments).astype(np.float64)
        return LinearPart(Constant(), relevant, scale, constant)


def listed(judgments: Judgments, levels: NDArray[np.bool_]) -> IntArray:
    """Count the judged documents in the list of each query whose level is marked."""
    # The two levels after the grades mark unjudged documents.
    marked = np.concatenate((levels, [False, False]))
    before = np.concatenate(([0], np.cumsum(marked[judgments.levels])))
    return np.diff(before[judgments.indptr])
