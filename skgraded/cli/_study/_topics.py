"""``skgraded study topics``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded.cli._options import add_grades, add_qrels
from skgraded.cli._study._options import add_formats, new_study
from skgraded.cli._study._results import write_result
from skgraded.cli._study._steps import facts_of, read_judgments

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Ferrante, Ferro and Maistro (2014), Table 1: the numbers of topics, with few
  documents of a grade where R(1) >= 10 R(grade) > 0, and of relevant documents
    skgraded study topics qrels.txt
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "count the documents of each grade by topic"
    parser = new_study(studies, "topics", summary, run, _PAPERS)
    add_qrels(parser)
    add_grades(parser.add_argument_group("scoring"))
    add_formats(parser, plot=False)


def run(arguments: argparse.Namespace) -> None:
    """Count documents by topic and grade."""
    qrels = read_judgments(arguments)
    found = facts_of(arguments, qrels)
    write_result(arguments, found, qrels.notes(arguments.negative))
