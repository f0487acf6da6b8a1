"""What binary measures share: a document is relevant from one grade on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from skgraded import _params
from skgraded.measures._measure import Measure
from skgraded.measures._positions import Constant
from skgraded.measures._prefix import LinearPart, PrefixMeasure
from skgraded.rankings import Judgments

__all__ = ["COUNTS_JUDGED", "listed"]

# A reason for `Measure._refuses`: documents judged not relevant must be told from unjudged ones.
COUNTS_JUDGED = {"unjudged": "which counts judged documents that are not relevant"}

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _BinaryMeasure(Measure):
    """A measure for which documents of grade ``rel`` or above are relevant."""

    rel: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(rel=_params.integer("rel", self.rel, 1))

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        top = max(1.0, judgments.top_grade)
        if self.rel > top:
            raise ValueError(
                f"rel must be a grade of the scale, which ends at {top:g} in y_true, got "
                f"{self.rel} in {self}."
            )
        return judgments.grades >= self.rel

    def _n_relevant(self, judgments: Judgments) -> NDArray[np.int64]:
        return judgments.count_pool(self._relevant(judgments))


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _SetMeasure(_BinaryMeasure, PrefixMeasure):
    """A measure of the documents that the first k ranks hold, and of those that they lack."""

    _refuses: ClassVar[Mapping[str, str]] = {
        "normalize": "whose ideal ranking retrieves the pool alone"
    }

    def _n_all(self, judgments: Judgments) -> IntArray:
        """Documents of the list and judged documents that it lacks."""
        judged = judgments.list_lengths("condense")
        return judgments.list_lengths(self.unjudged) + judgments.pool.lengths - judged

    def _n_retrieved(self, judgments: Judgments) -> IntArray:
        """Documents at the first k ranks."""
        lengths = judgments.list_lengths(self.unjudged)
        return lengths if self.k is None else np.minimum(lengths, self.k)

    def _n_nonrelevant(self, judgments: Judgments) -> IntArray:
        return self._n_all(judgments) - self._n_relevant(judgments)

    def _true_positives(self, judgments: Judgments, scale: FloatArray | float) -> LinearPart:
        return LinearPart(Constant(), self._relevant(judgments).astype(np.float64), scale)


def listed(judgments: Judgments, levels: NDArray[np.bool_]) -> IntArray:
    """Count each query's documents, judged and in its list, whose level is marked."""
    # Unjudged documents have one of the two levels beyond the grades.
    marked = np.concatenate((levels, [False, False]))
    before = np.concatenate(([0], np.cumsum(marked[judgments.levels])))
    return np.diff(before[judgments.indptr])
