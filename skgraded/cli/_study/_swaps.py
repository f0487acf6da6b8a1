"""``skgraded study swaps``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded.cli._options import add_measures, add_seed
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_few,
    add_formats,
    add_scored_runs,
    add_systems,
    new_study,
)
from skgraded.cli._study._results import Part, write_parts
from skgraded.cli._study._steps import (
    chosen_measures,
    facts_of,
    heading_of,
    read_judgments,
    restricted,
    score_runs,
    selected_systems,
    topic_masks,
)
from skgraded.results import notes_of
from skgraded.studies import swap_rates

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Voorhees and Buckley (2002): the swap method; none of their tables is
  reproduced, since the sets here are halves of the topics and of no other size
    skgraded study swaps qrels.txt runs/* -m AP -m P@10
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "estimate how often other topics reverse the order of two systems"
    parser = new_study(studies, "swaps", summary, run, _PAPERS)
    add_scored_runs(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_few(parser)
    add_systems(parser)
    parser.add_argument(
        "--trials", type=int, default=1000, help="number of trials (default: %(default)s)"
    )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Count swaps."""
    qrels = read_judgments(arguments)
    systems = selected_systems(arguments, qrels)
    masks = topic_masks(arguments, facts_of(arguments, qrels))
    scores = score_runs(arguments, qrels, chosen_measures(arguments))
    parts = []
    for name, mask in masks.items():
        labels = {"topics": name} if len(masks) > 1 else {}
        chosen = restricted(scores, systems, mask)
        found = swap_rates(chosen, n_trials=arguments.trials, random_state=arguments.seed)
        parts.append(Part(labels, heading_of(name), found))
    write_parts(arguments, parts, notes_of(scores))
