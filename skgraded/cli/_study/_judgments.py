"""``skgraded study judgments``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded._text import count
from skgraded.cli._inputs import measures_of_scores_are_refused, parse_grades
from skgraded.cli._options import add_measures
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import DEFAULT_MEASURES, add_formats, add_reading, new_study
from skgraded.cli._study._steps import chosen_measures, write_result
from skgraded.studies import compare_qrels
from skgraded.trec import read_qrels, read_run

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "measure how much the choice of assessors matters"
    parser = new_study(studies, "judgments", summary, run)
    parser.add_argument("run_file", metavar="run", help="one run; - is standard input")
    parser.add_argument(
        "qrels", nargs="+", help="one file of judgments per assessor; - is standard input"
    )
    add_reading(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Score a run by the judgments of each assessor."""
    grades = parse_grades(arguments.grades)
    judged = [read_qrels(each).map_grades(grades) for each in arguments.qrels]
    retrieved = read_run(arguments.run_file)
    with measures_of_scores_are_refused():
        found = compare_qrels(chosen_measures(arguments), judged, retrieved, order=arguments.order)
    write_result(arguments, found, repr(found))
    n_left_out = len(set().union(*(each.topics.tolist() for each in judged))) - len(found.qid)
    if n_left_out:
        tell([f"{count(n_left_out, 'topic')} that not all assessors judged, left out."])
    tell([note for each in judged for note in each.notes()])
    tell(retrieved.coverage(found.qid).notes(retrieved.name))
