"""``skgraded study power``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._options import add_measures, add_seed
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_formats,
    add_scored_runs,
    new_study,
)
from skgraded.cli._study._steps import chosen_measures, read_judgments, score_runs, write_result
from skgraded.studies import PowerTest, discriminative_power

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "count the pairs of systems that differ significantly"
    parser = new_study(studies, "power", summary, run)
    add_scored_runs(parser)
    add_measures(parser, DEFAULT_MEASURES)
    parser.add_argument("--test", choices=get_args(PowerTest), default="bootstrap")
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="significance level (default: %(default)s)"
    )
    parser.add_argument(
        "--resamples", type=int, default=1000, help="number of resamples (default: %(default)s)"
    )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Test all pairs of systems."""
    scores = score_runs(arguments, read_judgments(arguments), chosen_measures(arguments))
    found = discriminative_power(
        scores,
        test=arguments.test,
        alpha=arguments.alpha,
        n_resamples=arguments.resamples,
        random_state=arguments.seed,
    )
    write_result(arguments, found, found.to_text())
    tell(scores.notes())
