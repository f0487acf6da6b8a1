"""Steps that several studies share: reading, scoring, selecting and writing."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.cli._inputs import measures_of_scores_are_refused, parse_grades
from skgraded.cli._outputs import save_picture, write
from skgraded.measures import Measure, measure
from skgraded.studies import TopicFacts, above_first_quartile
from skgraded.trec import Qrels, RunScores, evaluate, read_qrels

__all__ = [
    "chosen_measures",
    "read_judgments",
    "score_runs",
    "selected_systems",
    "topic_masks",
    "write_result",
]


def read_judgments(arguments: argparse.Namespace) -> Qrels:
    """Read the qrels and change their grades as asked for."""
    return read_qrels(arguments.qrels).map_grades(parse_grades(arguments.grades))


def chosen_measures(arguments: argparse.Namespace) -> list[Measure]:
    """Return the measures that were asked for, or those of the study."""
    return [measure(each) for each in arguments.measures or arguments.default_measures]


def score_runs(arguments: argparse.Namespace, qrels: Qrels, measures: list[Measure]) -> RunScores:
    """Score the runs, also by AP if systems are selected by it."""
    is_selected = getattr(arguments, "upper_quartiles", False)
    if is_selected and "AP" not in map(str, measures):
        measures = [*measures, measure("AP")]
    with measures_of_scores_are_refused():
        return evaluate(qrels, arguments.runs, measures, order=arguments.order, progress=True)


def topic_masks(arguments: argparse.Namespace, facts: TopicFacts) -> dict[str, NDArray[np.bool_]]:
    """Return the sets of topics that were asked for."""
    masks = {"all": np.ones(len(facts.topics), dtype=bool)}
    for grade in arguments.few:
        masks[f"few of grade {grade}"] = facts.few(grade, arguments.ratio)
    return masks


def selected_systems(arguments: argparse.Namespace, scores: RunScores) -> NDArray[np.bool_] | None:
    """Return a mask of the systems that were asked for; None = all."""
    return above_first_quartile(scores) if arguments.upper_quartiles else None


def write_result(arguments: argparse.Namespace, found: Any, text: str, **plot_options: Any) -> None:
    """Write a result as a table or as CSV, and save its picture if asked for."""
    is_csv = arguments.format == "csv"
    write(arguments, found.to_frame().to_csv(index=False) if is_csv else text + "\n")
    if getattr(arguments, "plot", None) is not None:
        save_picture(arguments.plot, found.plot(**plot_options).figure, dpi=120)
