"""``skgraded evaluate``: score runs by several measures."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded.cli._formats import notes_beside, scores_as
from skgraded.cli._options import add_measures, add_outputs
from skgraded.cli._outputs import check_outputs, notes_of, tell, write
from skgraded.cli._scored_runs import add_scoring, score_runs

__all__ = ["add_command"]

_DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
_EPILOG = """\
examples:
  skgraded evaluate qrels.txt bm25.run -m nDCG@10 -m "xGAP(g=[0.1,0.9])"
  skgraded evaluate qrels.txt runs/*.xz -m AP --per-query --format csv -o ap.csv
  skgraded evaluate qrels.txt bm25.run -m AP --ties row_order    trec_eval's map
"""


def add_command(commands: Any) -> None:
    """Add ``evaluate`` to the command line."""
    parser = commands.add_parser(
        "evaluate",
        help="score TREC runs by any measure",
        description="Score runs against qrels; print a table of means, or values by topic.",
        epilog=_EPILOG,
    )
    add_scoring(parser)
    summary = "such as nDCG@10; repeat it for several; 'skgraded measures' lists all"
    add_measures(parser, _DEFAULT_MEASURES, summary)
    parser.add_argument(
        "-q", "--per-query", action="store_true", help="print the value of every topic"
    )
    parser.add_argument(
        "--average",
        choices=("arithmetic", "geometric"),
        default="arithmetic",
        help="mean over the topics; geometric, with values below 1e-5 as 1e-5, is trec_eval's "
        "gm_map for AP (default: %(default)s)",
    )
    add_outputs(parser, ("table", "csv", "json", "trec_eval"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Score runs."""
    check_outputs(arguments)
    scores = score_runs(arguments, arguments.measures or list(arguments.default_measures))
    write(arguments, scores_as(arguments.format, scores, arguments.per_query, arguments.average))
    tell(notes_beside(arguments.format, notes_of(scores)))
