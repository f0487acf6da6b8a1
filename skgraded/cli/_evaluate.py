"""``skgraded evaluate``: score runs by several measures."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded._support.writers import WRITERS
from skgraded.cli._options import add_measures, add_outputs, add_sort, sort_by
from skgraded.cli._outputs import check_outputs, tell, write, write_reports
from skgraded.cli._refusals import refuse_beside, refuse_without
from skgraded.cli._scored_runs import add_scoring, score_runs

_LINES = "trec_eval"
_DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
_EPILOG = """\
examples:
  skgraded evaluate qrels.txt bm25.run -m nDCG@10 -m "xGAP(g=[0.1,0.9])"
  skgraded evaluate qrels.txt runs/*.xz -m AP --per-query --format csv -o ap.csv
  skgraded evaluate qrels.txt bm25.run --as trec_eval -m all_trec -q
  skgraded evaluate qrels.txt bm25.run --as ir_measures -m nDCG@10
"""


def add_command(commands: Any, summary: str) -> None:
    """Add ``evaluate`` to the command line."""
    parser = commands.add_parser(
        "evaluate",
        help=summary,
        description="Score runs against qrels; print a table of means, or values by topic.",
        epilog=_EPILOG,
    )
    add_scoring(parser)
    what = "such as nDCG@10; repeat it for several; 'skgraded measures' lists all"
    add_measures(parser, _DEFAULT_MEASURES, what)
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
    add_sort(add_outputs(parser, [*WRITERS, _LINES]))
    _add_habits(parser)
    parser.set_defaults(run=run, parser=parser)


def _add_habits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("with --as trec_eval, as there")
    group.add_argument("-c", dest="all_topics", action="store_true", help="average over all topics")
    group.add_argument("-n", dest="no_summary", action="store_true", help="print no means")
    group.add_argument(
        "-l", dest="level", type=int, metavar="GRADE", default=1, help="lowest relevant grade"
    )
    group.add_argument(
        "-J", dest="judged_only", action="store_true", help="drop documents without a judgment"
    )
    group.add_argument(
        "-M",
        dest="depth",
        type=_depth,
        metavar="N",
        help="take the first N documents of each topic",
    )


def _depth(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be an integer >= 1, got {text!r}")
    return int(text)


def _print_as_trec_eval(arguments: argparse.Namespace) -> None:
    from skgraded.cli._as_trec_eval import evaluate_as_trec_eval

    refuse_beside(arguments, "--as trec_eval")
    check_outputs(arguments)
    if arguments.format != "table":
        raise ValueError(
            f"--output must not end in .{arguments.format} with --as trec_eval, which has a format "
            "of its own."
        )
    write(arguments, evaluate_as_trec_eval(arguments))


def run(arguments: argparse.Namespace) -> None:
    """Score runs."""
    if arguments.tool == "trec_eval":
        _print_as_trec_eval(arguments)
        return
    refuse_without(arguments, "--as trec_eval")
    check_outputs(arguments)
    if arguments.tool is not None and not arguments.measures:
        raise ValueError(f"--as {arguments.tool} needs -m with a name that the tool has.")
    scores = score_runs(arguments, arguments.measures or list(arguments.default_measures))
    per_query, average = arguments.per_query, arguments.average
    scores = sort_by(scores, arguments.sort)
    if arguments.format == _LINES:
        write(arguments, scores.to_trec_eval(per_query, average))
        tell(scores._notes())
    else:
        write_reports(arguments, [scores._report_of(per_query, average)])
