"""``skgraded evaluate``: score runs by several measures."""

from __future__ import annotations

import argparse

from skgraded._support.writers import WRITERS
from skgraded.cli._inputs import Inputs
from skgraded.cli._options import OPTIONS, SCORING_OF_FILES, add_options, words
from skgraded.cli._outputs import check_files, format_of, tell, write, write_reports

_LINES = "trec_eval"
_EPILOG = """\
examples:
  skgraded evaluate qrels.txt bm25.run -m nDCG@10 -m xGAP -g .1,.9
  skgraded evaluate qrels.txt runs/*.xz -m AP --per-query --format csv -o ap.csv
  skgraded evaluate qrels.txt bm25.run --as trec_eval -m all_trec -q
  skgraded evaluate qrels.txt bm25.run --as ir_measures -m nDCG@10
"""


_OPTIONS = {
    **OPTIONS,
    "-q/--per-query": words(action="store_true", help="print the value of every topic"),
    "--average": words(
        choices=("arithmetic", "geometric"),
        default="arithmetic",
        help="mean over the topics; geometric, with values below 1e-5 as 1e-5, is trec_eval's "
        "gm_map for AP",
    ),
    "--format": {**OPTIONS["--format"], "choices": (*WRITERS, _LINES)},
    "--sort": words(
        metavar="MEASURE",
        help="list the best runs by this measure first (default: by the first one)",
    ),
    "-c": words(dest="all_topics", action="store_true", help="average over all topics"),
    "-n": words(dest="no_summary", action="store_true", help="print no means"),
    "-l": words(
        dest="level",
        metavar="GRADE",
        default=1,
        help="lowest relevant grade (default: 1)",
    ),
    "-M": words(
        dest="n_documents",
        metavar="N",
        type=int,
        help="count only the first N documents of each topic",
    ),
    "-J": words(
        dest="judged_only",
        action="store_true",
        help="leave documents out that nobody judged",
    ),
}
_HABITS = "-c -n -l -M -J"


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command, and add its options."""
    parser.description = (
        "Score runs against qrels; print a table of means, or values by topic."
    )
    parser.epilog = _EPILOG

    groups = {
        "": ("qrels", "runs", "-m/--measure", "-g", "-q/--per-query", "--average"),
        "scoring": SCORING_OF_FILES,
        "output": ("--format", "-o/--output", "--sort"),
        "with --as trec_eval, as there": _HABITS.split(),
    }
    add_options(parser, groups, _OPTIONS, ("AP", "nDCG@10", "P@10"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Score runs."""
    check_files(arguments)
    if arguments.tool == "trec_eval":
        _print_as_trec_eval(arguments)
        return

    arguments.parser.refuse(arguments, _HABITS, "needs --as trec_eval")
    if arguments.tool is not None and not arguments.measures:
        raise ValueError(
            f"--as {arguments.tool} needs -m with a name that the tool has."
        )
    scores = Inputs(arguments).scores()
    if arguments.sort is not None:
        try:
            scores = scores.sort(arguments.sort)
        except KeyError as error:
            raise ValueError(
                f"--sort must be one of the measures. {error.args[0]}"
            ) from None

    if arguments.format == _LINES:
        write(arguments, scores.to_trec_eval(arguments.per_query, arguments.average))
        tell(scores._notes())
    elif arguments.per_query:
        write_reports(arguments, [scores._report_of_values(arguments.average)])
    else:
        write_reports(arguments, [scores._report_of_means(arguments.average)])


def _print_as_trec_eval(arguments: argparse.Namespace) -> None:
    from skgraded.cli._as_trec_eval import evaluate_as_trec_eval

    arguments.parser.refuse(
        arguments,
        "--average --complete --exclude --format --letor --negative --order --sort --ties -g",
        "cannot be given with --as trec_eval, which decides it",
    )

    if format_of(arguments) != "table":
        raise ValueError(
            f"--output must not end in .{format_of(arguments)} with --as trec_eval, which has a "
            "format of its own."
        )
    write(arguments, evaluate_as_trec_eval(arguments))
