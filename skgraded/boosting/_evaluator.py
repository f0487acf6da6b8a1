"""Means of measures in every iteration of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from skgraded._warnings import warn_if_grades_are_inferred
from skgraded.boosting._judged_sets import DataSet, JudgedSets
from skgraded.measures import Measure, measure
from skgraded.measures._exact_mean import MeanSums
from skgraded.measures._measure import score_queries
from skgraded.rankings import Judgments, Rankings

__all__ = ["Evaluator", "chosen_measures", "named_means"]


def chosen_measures(measures: Sequence[str | Measure], taker: str) -> tuple[Measure, ...]:
    """Parse the measures given to a function; warn where a scale would change with the data."""
    if not measures:
        raise ValueError(f"{taker} needs at least one measure, got none.")
    for each in measures:
        if isinstance(each, list | tuple):
            listed = ", ".join(f"{str(one)!r}" for one in each)
            raise TypeError(
                f"{taker} takes measures one by one, got {each!r}: write {taker}({listed})."
            )
    parsed = tuple(measure(each) for each in measures)
    warn_if_grades_are_inferred(parsed, taker)
    return parsed


def named_means(measures: Sequence[Measure], rankings: Rankings) -> list[tuple[str, float]]:
    """Return name and mean of each measure; raise where a mean is undefined."""
    weights = rankings.judgments.weights
    scored = score_queries(measures, rankings)
    return [
        (str(each), _mean(MeanSums.of(values, weights), each, len(values)))
        for each, (values, _) in zip(measures, scored, strict=True)
    ]


def _mean(sums: MeanSums, chosen: Measure, n_queries: int) -> float:
    """Raise where a mean is undefined: a library would take NaN for a reason to stop training."""
    if not sums.weights:
        raise ValueError(
            f"{chosen} has no value on this data set: none of its {n_queries} queries has "
            "anything relevant and a positive weight. Evaluate on queries with relevant "
            "documents, or set empty=0.0 in the measure."
        )
    return sums.mean


@dataclass(frozen=True)
class Evaluator:
    """Measures, and the judgments of the data sets that they have been evaluated on."""

    measures: tuple[Measure, ...]
    n_threads: int
    _judged: JudgedSets = field(default_factory=JudgedSets, init=False, compare=False, repr=False)

    def means(self, y_score: Any, data: DataSet) -> list[tuple[str, float]]:
        """Return name and mean of each measure on a data set."""
        return self.means_on(self._judged.find(data), y_score)

    def means_on(self, judgments: Judgments, y_score: Any) -> list[tuple[str, float]]:
        """Return name and mean of each measure on documents whose judgments are known."""
        return named_means(self.measures, judgments.rank(y_score, self.n_threads))

    def __reduce__(self) -> Any:
        # LightGBM deep-copies the metric in every fit; a copy starts without data sets.
        return Evaluator, (self.measures, self.n_threads)

    def __str__(self) -> str:
        return ", ".join(repr(str(each)) for each in self.measures)
