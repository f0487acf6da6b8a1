"""Options that several studies share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from skgraded._writers import WRITERS
from skgraded.cli._inputs import read_standard_input
from skgraded.cli._options import add_outputs, add_plot, add_qrels, add_rules, add_runs
from skgraded.cli._outputs import check_outputs

__all__ = [
    "DEFAULT_MEASURES",
    "add_few",
    "add_formats",
    "add_reading",
    "add_sampling",
    "add_scored_runs",
    "add_systems",
    "new_study",
    "percentages",
]

DEFAULT_MEASURES = ("AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref")


def new_study(
    studies: Any,
    name: str,
    summary: str,
    run: Callable[[argparse.Namespace], None],
    papers: str = "",
) -> argparse.ArgumentParser:
    """Add a study, which checks its outputs and reads standard input before it runs."""
    parser: argparse.ArgumentParser = studies.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=papers,
    )

    def checked(arguments: argparse.Namespace) -> None:
        check_outputs(arguments)
        read_standard_input(arguments)
        run(arguments)

    parser.set_defaults(run=checked, parser=parser)
    return parser


def add_scored_runs(parser: argparse.ArgumentParser) -> None:
    """Add judgments, runs, and how they are scored."""
    add_qrels(parser)
    add_runs(parser)
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the rules by which runs are scored."""
    add_rules(parser.add_argument_group("scoring"))


def add_few(parser: argparse.ArgumentParser) -> None:
    """Add sets of topics with few documents of a grade."""
    parser.add_argument(
        "--few",
        metavar="GRADE",
        type=int,
        action="append",
        default=[],
        help="study also the topics with few documents of this grade; may be repeated",
    )
    parser.add_argument(
        "--ratio",
        type=float,
        default=10.0,
        help="a topic has few of a grade if R(1) >= ratio * R(grade) > 0 (default: %(default)s)",
    )


def add_systems(parser: argparse.ArgumentParser) -> None:
    """Add the choice of systems."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--top", metavar="N", type=int, help="study only the N runs with the best mean AP"
    )
    group.add_argument(
        "--upper-quartiles",
        action="store_true",
        help="study only the runs above the first quartile of mean AP",
    )


def add_sampling(parser: argparse.ArgumentParser, rates: str) -> None:
    """Add the rates and the strata of samples of the judgments."""
    parser.add_argument("--rates", metavar="RATE[,RATE...]", type=percentages, help=rates)
    parser.add_argument(
        "--by-grade",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether every grade is a stratum of its own (default), or all relevant documents "
        "are one",
    )


def percentages(text: str) -> list[float]:
    """Read numbers separated by commas."""
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be numbers separated by commas, got {text!r}"
        ) from None


def add_formats(parser: argparse.ArgumentParser, plot: bool = True) -> None:
    """Add the format and the files of the output."""
    group = add_outputs(parser, WRITERS)
    if plot:
        add_plot(group)
