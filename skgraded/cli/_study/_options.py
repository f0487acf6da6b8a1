"""Options that several studies share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, get_args

from skgraded.cli._inputs import read_standard_input
from skgraded.cli._options import add_grades, add_outputs, add_plot, add_qrels, add_runs
from skgraded.cli._outputs import check_outputs
from skgraded.trec import Order

__all__ = [
    "DEFAULT_MEASURES",
    "add_formats",
    "add_reading",
    "add_scored_runs",
    "add_selection",
    "new_study",
]

DEFAULT_MEASURES = ("AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref")


def new_study(
    studies: Any, name: str, summary: str, run: Callable[[argparse.Namespace], None]
) -> argparse.ArgumentParser:
    """Add a study, which checks its outputs and reads standard input before it runs."""
    parser: argparse.ArgumentParser = studies.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )

    def checked(arguments: argparse.Namespace) -> None:
        check_outputs(arguments)
        read_standard_input(arguments)
        run(arguments)

    parser.set_defaults(run=checked)
    return parser


def add_scored_runs(parser: argparse.ArgumentParser) -> None:
    """Add judgments, runs, and how they are read."""
    add_qrels(parser)
    add_runs(parser)
    add_reading(parser)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add changes of grades and the order of documents."""
    add_grades(parser)
    parser.add_argument(
        "--order",
        choices=get_args(Order),
        default="trec_eval",
        help="how documents are ranked (default: %(default)s)",
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the selection of topics and systems."""
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
    parser.add_argument(
        "--upper-quartiles",
        action="store_true",
        help="study only the runs above the first quartile of mean AP",
    )


def add_formats(parser: argparse.ArgumentParser, plot: bool = True) -> None:
    """Add the format and the files of the output."""
    group = add_outputs(parser, ("table", "csv"))
    if plot:
        add_plot(group)
