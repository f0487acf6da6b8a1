"""``skgraded study sensitivity``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._inputs import faults_are_located
from skgraded.cli._options import add_measures, add_qrels
from skgraded.cli._study._options import DEFAULT_MEASURES, add_formats, add_reading, new_study
from skgraded.cli._study._results import write_result
from skgraded.cli._study._steps import chosen_measures, read_judgments, rules
from skgraded.studies import DocumentChange, PoolChange, sensitivity
from skgraded.trec import rank, read_run

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Kishida (2005), Sections 2.2 and 4: Equation 10 for AP, and the changes of
  graded measures; it has no table of them
    skgraded study sensitivity qrels.txt bm25.run -m AP -m RPrecision
  Section 3.2, Equation 16, of which Table 1 shows the bound at rank 101
  (skgraded.studies.change_by_discovery)
    skgraded study sensitivity qrels.txt bm25.run -m AP --pool grows \\
      --max-rank 101
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "measure the gain from a change of the document at each rank"
    parser = new_study(studies, "sensitivity", summary, run, _PAPERS)
    add_qrels(parser)
    parser.add_argument("run_file", metavar="run", help="one run; - is standard input")
    add_reading(parser)
    add_measures(parser, DEFAULT_MEASURES)
    parser.add_argument(
        "--change",
        choices=get_args(DocumentChange),
        default="relevant",
        help="whether the document becomes relevant or rises by a grade (default: %(default)s)",
    )
    parser.add_argument(
        "--pool",
        choices=get_args(PoolChange),
        default="fixed",
        help="whether the recall base grows with the document (default: %(default)s)",
    )
    parser.add_argument(
        "--max-rank", type=int, default=100, help="last rank that changes (default: %(default)s)"
    )
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Change the document at each rank."""
    qrels, retrieved = read_judgments(arguments), read_run(arguments.run_file)
    with faults_are_located(qrels):
        found = sensitivity(
            chosen_measures(arguments),
            rank(qrels, retrieved, **rules(arguments)),
            change=arguments.change,
            pool=arguments.pool,
            max_rank=arguments.max_rank,
        )
    on_run = retrieved.coverage(qrels.topics).notes(retrieved.name, rules(arguments)["complete"])
    write_result(arguments, found, [*qrels.notes(arguments.negative), *on_run])
