"""``skgraded study judgments``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded._text import count
from skgraded.cli._inputs import faults_are_located, parse_grades
from skgraded.cli._options import add_measures
from skgraded.cli._study._options import DEFAULT_MEASURES, add_formats, add_reading, new_study
from skgraded.cli._study._results import write_result
from skgraded.cli._study._steps import chosen_measures, rules
from skgraded.studies import compare_qrels
from skgraded.trec import read_run

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Kishida (2005), Section 3.3: the variance between topics and by judgments,
  with files of judgments in the place of his simulation, which is
  skgraded study simulation
    skgraded study judgments first.qrels second.qrels bm25.run -m AP
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "measure how much the choice of assessors matters"
    parser = new_study(studies, "judgments", summary, run, _PAPERS)
    parser.add_argument(
        "qrels", nargs="+", help="one file of judgments per assessor; - is standard input"
    )
    parser.add_argument("run_file", metavar="run", help="one run; - is standard input")
    add_reading(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Score a run by the judgments of each assessor."""
    grades = parse_grades(arguments.grades)
    judged = [grades.read(each) for each in arguments.qrels]
    retrieved = read_run(arguments.run_file)
    with faults_are_located(*judged):
        found = compare_qrels(chosen_measures(arguments), judged, retrieved, **rules(arguments))
    given = set().union(*(each.topics.tolist() for each in judged))
    common = set(judged[0].topics.tolist()).intersection(*(each.topics.tolist() for each in judged))
    n_left_out = len(given - common)
    notes = [note for each in judged for note in each.notes(arguments.negative)]
    if n_left_out:
        notes[:0] = [f"{count(n_left_out, 'topic')} that not all assessors judged, left out."]
    notes += retrieved.coverage(sorted(common)).notes(retrieved.name, rules(arguments)["complete"])
    write_result(arguments, found, notes)
