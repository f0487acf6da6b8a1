"""``skgraded study correlation``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._options import add_measures
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_formats,
    add_scored_runs,
    add_selection,
    new_study,
)
from skgraded.cli._study._steps import (
    chosen_measures,
    read_judgments,
    score_runs,
    selected_systems,
    topic_masks,
    write_result,
)
from skgraded.studies import Statistic, correlate, topic_facts

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "compare the orders in which measures put systems"
    parser = new_study(studies, "correlation", summary, run)
    add_scored_runs(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_selection(parser)
    parser.add_argument("--statistic", choices=get_args(Statistic), default="kendall")
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Correlate measures."""
    qrels = read_judgments(arguments)
    scores = score_runs(arguments, qrels, chosen_measures(arguments))
    found = correlate(
        scores,
        topics=topic_masks(arguments, topic_facts(qrels)),
        systems=selected_systems(arguments, scores),
    )
    statistic = arguments.statistic
    write_result(arguments, found, found.to_text(statistic), statistic=statistic)
    tell(scores.notes())
