"""Steps that several studies share: reading, scoring and selecting."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.cli._inputs import chosen_measure, faults_are_located, parse_grades
from skgraded.cli._options import is_complete
from skgraded.measures import Measure
from skgraded.results import Scores
from skgraded.studies import TopicFacts, above_first_quartile, best_systems, topic_facts
from skgraded.trec import Qrels, evaluate

__all__ = [
    "chosen_measures",
    "facts_of",
    "heading_of",
    "read_judgments",
    "restricted",
    "rules",
    "score_runs",
    "selected_systems",
    "topic_masks",
]

Mask = NDArray[np.bool_]


def read_judgments(arguments: argparse.Namespace) -> Qrels:
    """Read the qrels and change their grades as asked for."""
    return parse_grades(arguments.grades).read(arguments.qrels)


def chosen_measures(arguments: argparse.Namespace) -> list[Measure]:
    """Return the measures that were asked for, or those of the study."""
    names = arguments.measures or arguments.default_measures
    return [chosen_measure(each, arguments.ties) for each in names]


def rules(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the rules by which runs are scored."""
    return {
        "order": arguments.order,
        "complete": is_complete(arguments),
        "negative": arguments.negative,
    }


def score_runs(
    arguments: argparse.Namespace, qrels: Qrels, measures: list[Measure], runs: Any = None
) -> Scores:
    """Score the runs, all of them unless some are given."""
    taken = arguments.runs if runs is None else runs
    with faults_are_located(qrels):
        return evaluate(measures, qrels, taken, progress=True, **rules(arguments))


def facts_of(arguments: argparse.Namespace, qrels: Qrels) -> TopicFacts:
    """Count documents of each grade, with the meaning of negative grades that was asked for."""
    qrels.pool(arguments.negative)  # raises an error if there must be none
    meaning = {"nonrelevant": 0.0, "unjudged": Qrels.UNSAMPLED}.get(arguments.negative)
    if meaning is None:
        return topic_facts(qrels)
    negative = np.unique(qrels.grades[qrels.grades < 0]).tolist()
    return topic_facts(qrels.map_grades(dict.fromkeys(negative, meaning)))


def topic_masks(arguments: argparse.Namespace, facts: TopicFacts) -> dict[str, Mask]:
    """Return the sets of topics that were asked for."""
    masks = {"all": np.ones(len(facts.topics), dtype=bool)}
    for grade in arguments.few:
        few = facts.few(grade, arguments.ratio)
        if not few.any():
            raise ValueError(
                f"--few {grade} must leave at least one topic with R(1) >= {arguments.ratio:g} * "
                f"R({grade}) > 0, got none."
            )
        masks[f"few of grade {grade}"] = few
    return masks


def heading_of(topics: str) -> str:
    """Return the heading of the results on a set of topics."""
    return "All topics" if topics == "all" else f"Topics with {topics}"


def selected_systems(arguments: argparse.Namespace, qrels: Qrels) -> Mask | None:
    """Return a mask of the systems that were asked for, by AP; None = all."""
    if arguments.top is None and not arguments.upper_quartiles:
        return None
    by = chosen_measure("AP", arguments.ties)
    scores = score_runs(arguments, qrels, [by])
    if arguments.top is None:
        return above_first_quartile(scores, str(by))
    n_runs = len(scores.systems or ())
    if not 1 < arguments.top <= n_runs:
        raise ValueError(
            f"--top must be from 2 to the number of runs, {n_runs}, got {arguments.top}."
        )
    return best_systems(scores, arguments.top, str(by))


def restricted(scores: Scores, systems: Mask | None, topics: Mask) -> Scores:
    """Return the scores of some systems and topics."""
    names = scores.systems or ()
    kept = range(len(names)) if systems is None else np.flatnonzero(systems)
    return scores.select(system=[names[each] for each in kept], query=scores.qid[topics].tolist())
