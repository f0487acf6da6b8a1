"""``skgraded study thresholds``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._options import add_measures
from skgraded.cli._study._options import (
    add_few,
    add_formats,
    add_scored_runs,
    add_systems,
    new_study,
)
from skgraded.cli._study._results import write_result
from skgraded.cli._study._steps import (
    chosen_measures,
    facts_of,
    read_judgments,
    score_runs,
    selected_systems,
    topic_masks,
)
from skgraded.results import notes_of
from skgraded.studies import SweepStatistic, sweep_thresholds, threshold_grid, threshold_measures

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Ferrante, Ferro and Maistro (2014), Tables 2 and 3: Kendall's tau with AP,
  nDCG, RBP and bpref, by the runs above the first quartile of mean AP, over
  all topics and over those with few documents of a grade
    skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2
    skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2 \\
      --few 3 --steps 5                       three grades above 0, Table 3
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "correlate GAP, xGAP and eGAP with other measures for every g"
    parser = new_study(studies, "thresholds", summary, run, _PAPERS)
    add_scored_runs(parser)
    add_measures(parser, ("AP", "nDCG", "RBP", "Bpref"))
    add_few(parser)
    add_systems(parser)
    parser.add_argument(
        "--steps", type=int, default=10, help="steps of g from 0 to 1 (default: %(default)s)"
    )
    parser.add_argument(
        "--statistic",
        choices=get_args(SweepStatistic),
        default="kendall",
        help="what the cells show (default: %(default)s)",
    )
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Correlate GAP, xGAP and eGAP with other measures."""
    qrels = read_judgments(arguments)
    facts = facts_of(arguments, qrels)
    if facts.grades[-1] < 1:
        raise ValueError(f"{qrels.name}: thresholds need grades of 1 or more, got none.")
    grid = threshold_grid(int(facts.grades[-1]), arguments.steps)
    fields = {} if arguments.ties is None else {"ties": arguments.ties}
    measures = [*threshold_measures(grid, **fields), *chosen_measures(arguments)]
    scores = score_runs(arguments, qrels, measures)
    found = sweep_thresholds(
        scores,
        topics=topic_masks(arguments, facts),
        systems=selected_systems(arguments, qrels),
    )
    write_result(arguments, found, notes_of(scores), tables=[found._table(arguments.statistic)])
