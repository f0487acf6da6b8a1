"""``skgraded study lists``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded.cli._options import add_measures
from skgraded.cli._study._options import DEFAULT_MEASURES, add_formats, new_study
from skgraded.cli._study._results import write_result
from skgraded.studies import score_all_lists

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Kishida (2005), Tables 3 and 4; with --show, Table 5
    skgraded study lists --relevant 3,2,1 --length 5 \\
      -m ModifiedSlidingRatio -m AveragedNDCG -m QMeasure -m GeneralizedAP \\
      -m AP --show 32000,00123,03210,30000,00003
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "score every list that can be made of a few relevant documents"
    parser = new_study(studies, "lists", summary, run, _PAPERS)
    add_measures(parser, DEFAULT_MEASURES)
    parser.add_argument(
        "--relevant",
        metavar="GRADE[,GRADE...]",
        type=_grades,
        default=[3, 2, 1],
        help="the grades of the relevant documents (default: 3,2,1)",
    )
    parser.add_argument(
        "--length",
        metavar="N",
        type=int,
        default=5,
        help="number of documents of a list (default: %(default)s)",
    )
    parser.add_argument(
        "--show",
        metavar="LIST[,LIST...]",
        help="show also the values of these lists, such as 32000,00123",
    )
    add_formats(parser, plot=False)


def _grades(text: str) -> list[int]:
    try:
        return list(map(int, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be whole numbers separated by commas, got {text!r}"
        ) from None


def run(arguments: argparse.Namespace) -> None:
    """Score all lists."""
    names = arguments.measures or list(arguments.default_measures)
    found = score_all_lists(names, arguments.relevant, arguments.length)
    tables = found._tables()
    if arguments.show is not None:
        try:
            tables.append(found.at(*arguments.show.split(","))._table_of_values())
        except KeyError as error:
            raise ValueError(f"--show: {error.args[0]}") from None
    write_result(arguments, found, [], tables=tables)
