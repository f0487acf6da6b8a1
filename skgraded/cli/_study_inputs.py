"""What studies read, once they need it, and what they answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from skgraded import studies
from skgraded._support.array_types import BoolArray
from skgraded._support.results_base import Report, Table
from skgraded.cli._inputs import Inputs, measure_of, with_fields
from skgraded.measures import Measure
from skgraded.trec import Qrels


class StudyInputs(Inputs):
    """The inputs that several studies read, once they are needed."""

    @property
    def measure_list(self) -> list[Measure]:
        """The measures, under the rule for ties and with the users that were asked for."""
        return list(self.measures().values())

    def with_ties(self, name: str) -> Measure:
        """Return a measure under the rule for ties that was asked for."""
        return with_fields(measure_of(name), ties=self.given.ties)

    @cached_property
    def facts(self) -> studies.TopicFacts:
        """The numbers of documents by grade, with the meaning of negative grades."""
        qrels = self.qrels
        negative = self.negative
        qrels.pool(negative)  # raises an error if there must be none
        meanings = {
            "nonrelevant": 0.0,
            "unjudged": Qrels.UNSAMPLED,
            "all_unsampled": Qrels.UNSAMPLED,
        }
        meaning = meanings.get(negative)
        if meaning is not None:
            below_zero = np.unique(qrels.grades[qrels.grades < 0]).tolist()
            qrels = qrels.map_grades(dict.fromkeys(below_zero, meaning))
        return studies.topic_facts(qrels)

    @cached_property
    def topics(self) -> dict[str, BoolArray]:
        """The sets of topics that were asked for."""
        ratio = self.given.ratio
        masks = {"all": np.ones(len(self.facts.topics), dtype=bool)}
        for grade in self.given.few:
            few = self.facts.few(grade, ratio)
            if not few.any():
                rule = f"R(1) >= {ratio:g} * R({grade}) > 0"
                raise ValueError(
                    f"--few {grade} must leave at least one topic with {rule}."
                )
            masks[f"few of grade {grade}"] = few
        return masks

    @cached_property
    def systems(self) -> BoolArray | None:
        """The systems that were asked for, by AP; None = all."""
        top = self.given.top
        if top is None and not self.given.upper_quartiles:
            return None
        if top is not None and self.given.upper_quartiles:
            raise ValueError("--top cannot be given with --upper-quartiles.")

        average_precision = self.with_ties("AP")
        scores = self.scores([average_precision])
        if top is None:
            return studies.above_first_quartile(scores, str(average_precision))
        n_runs = len(scores.systems or ())
        if not 1 < top <= n_runs:
            raise ValueError(
                f"--top must be from 2 to the number of runs, {n_runs}, got {top}."
            )
        return studies.best_systems(scores, top, str(average_precision))


@dataclasses.dataclass(frozen=True)
class Section:
    """A result of a study.

    Attributes
    ----------
    result : Result
        The result.
    labels : dict of str to object
        What tells it from the other results, such as the set of topics.
    heading : str
        The same in words.
    tables : sequence of Table or None
        The tables of a statistic that was asked for; None for those of the result.
    panels : sequence of callable or None
        A function for each panel of its picture; None for its own ``plot``.
    """

    result: Any
    labels: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    heading: str = ""
    tables: Sequence[Table] | None = None
    panels: Sequence[Callable[[Any], Any]] | None = None

    def report(self, study: str, notes: Sequence[str], *, is_alone: bool) -> Report:
        """Return what the writers take; the heading is for one of several sections."""
        report: Report = self.result._report()
        return report._replace(
            tables=report.tables if self.tables is None else self.tables,
            facts={"study": study, **report.facts},
            notes=notes,
            labels=self.labels,
            heading="" if is_alone else self.heading,
        )


# The results of a study, and notes on what was left out.
Answer = tuple[Sequence[Section], Sequence[str]]
