"""``skgraded study sensitivity``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._inputs import measures_of_scores_are_refused
from skgraded.cli._options import add_measures, add_qrels
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import DEFAULT_MEASURES, add_formats, add_reading, new_study
from skgraded.cli._study._steps import chosen_measures, read_judgments, write_result
from skgraded.studies import DocumentChange, PoolChange, sensitivity
from skgraded.trec import rank, read_run

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "measure the gain from a change of the document at each rank"
    parser = new_study(studies, "sensitivity", summary, run)
    add_qrels(parser)
    parser.add_argument("run_file", metavar="run", help="one run; - is standard input")
    add_reading(parser)
    add_measures(parser, DEFAULT_MEASURES)
    parser.add_argument("--change", choices=get_args(DocumentChange), default="relevant")
    parser.add_argument("--pool", choices=get_args(PoolChange), default="fixed")
    parser.add_argument(
        "--max-rank", type=int, default=100, help="last rank that changes (default: %(default)s)"
    )
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Change the document at each rank."""
    qrels, retrieved = read_judgments(arguments), read_run(arguments.run_file)
    with measures_of_scores_are_refused():
        found = sensitivity(
            chosen_measures(arguments),
            rank(qrels, retrieved, order=arguments.order),
            change=arguments.change,
            pool=arguments.pool,
            max_rank=arguments.max_rank,
        )
    write_result(arguments, found, repr(found))
    tell([*qrels.notes(), *retrieved.coverage(qrels.topics).notes(retrieved.name)])
