"""``skgraded study swaps``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded.cli._options import add_measures, add_seed
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_formats,
    add_scored_runs,
    new_study,
)
from skgraded.cli._study._steps import chosen_measures, read_judgments, score_runs, write_result
from skgraded.studies import swap_rates

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "estimate how often other topics reverse the order of two systems"
    parser = new_study(studies, "swaps", summary, run)
    add_scored_runs(parser)
    add_measures(parser, DEFAULT_MEASURES)
    parser.add_argument(
        "--trials", type=int, default=1000, help="number of trials (default: %(default)s)"
    )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Count swaps."""
    scores = score_runs(arguments, read_judgments(arguments), chosen_measures(arguments))
    found = swap_rates(scores, n_trials=arguments.trials, random_state=arguments.seed)
    write_result(arguments, found, repr(found))
    tell(scores.notes())
