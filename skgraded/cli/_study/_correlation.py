"""``skgraded study correlation``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._options import add_measures
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
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
from skgraded.studies import Statistic, correlate

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Sakai (2007), Table 2: Kendall's tau of ten measures, by the 30 runs with the
  best mean AP; the grades are 1, 2 and 3
    skgraded study correlation qrels.txt runs/* --top 30 -m BprefR -m BprefN \\
      -m RprefN -m RprefRelative2 -m "AP(unjudged=condense)" \\
      -m "QMeasure(unjudged=condense)" \\
      -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP -m QMeasure \\
      -m "nDCG(discount=jk)@1000"
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "compare the orders in which measures put systems"
    parser = new_study(studies, "correlation", summary, run, _PAPERS)
    add_scored_runs(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_few(parser)
    add_systems(parser)
    parser.add_argument(
        "--statistic",
        choices=get_args(Statistic),
        default="kendall",
        help="what the cells show (default: %(default)s)",
    )
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Correlate measures."""
    qrels = read_judgments(arguments)
    scores = score_runs(arguments, qrels, chosen_measures(arguments))
    found = correlate(
        scores,
        topics=topic_masks(arguments, facts_of(arguments, qrels)),
        systems=selected_systems(arguments, qrels),
    )
    statistic = arguments.statistic
    draw = [lambda ax: found.plot(ax, statistic=statistic)]
    write_result(arguments, found, notes_of(scores), draw, [found._table(statistic)])
