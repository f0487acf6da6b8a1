"""``skgraded study thresholds``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._options import add_measures
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import add_formats, add_scored_runs, add_selection, new_study
from skgraded.cli._study._steps import (
    chosen_measures,
    read_judgments,
    score_runs,
    selected_systems,
    topic_masks,
    write_result,
)
from skgraded.studies import (
    SweepStatistic,
    sweep_thresholds,
    threshold_grid,
    threshold_measures,
    topic_facts,
)

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "correlate GAP, xGAP and eGAP with other measures for every g"
    parser = new_study(studies, "thresholds", summary, run)
    add_scored_runs(parser)
    add_measures(parser, ("AP", "nDCG", "RBP", "Bpref"))
    add_selection(parser)
    parser.add_argument(
        "--steps", type=int, default=10, help="steps of g from 0 to 1 (default: %(default)s)"
    )
    parser.add_argument("--statistic", choices=get_args(SweepStatistic), default="kendall")
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Correlate GAP, xGAP and eGAP with other measures."""
    qrels = read_judgments(arguments)
    facts = topic_facts(qrels)
    if facts.grades[-1] < 1:
        raise ValueError(f"{qrels.name}: thresholds need grades of 1 or more, got none.")
    grid = threshold_grid(int(facts.grades[-1]), arguments.steps)
    measures = [*threshold_measures(grid), *chosen_measures(arguments)]
    scores = score_runs(arguments, qrels, measures)
    found = sweep_thresholds(
        scores,
        topics=topic_masks(arguments, facts),
        systems=selected_systems(arguments, scores),
    )
    write_result(arguments, found, found.to_text(arguments.statistic))
    tell(scores.notes())
