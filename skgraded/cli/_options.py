"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

from skgraded.cli._completion import complete_measures
from skgraded.rankings import Ties
from skgraded.trec import Negative, Order

if TYPE_CHECKING:
    from pathlib import Path


def add_qrels(parser: argparse.ArgumentParser) -> None:
    """Add the file of judgments."""
    parser.add_argument(
        "qrels",
        help="file of lines 'topic iteration document grade', or CSV, JSON or Parquet; it may be "
        "compressed (.gz, .xz, .bz2, .zst); - is standard input",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add the files of runs."""
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        help="file of lines 'topic Q0 document rank score tag', or CSV, JSON or Parquet; it may be "
        "compressed; - is standard input",
    )


def add_measures(
    parser: argparse.ArgumentParser,
    default: tuple[str, ...],
    summary: str = "such as nDCG@10; repeat it for several",
) -> None:
    """Add the choice of measures."""
    option: Any = parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        dest="measures",
        help=f"{summary} (default: {' '.join(default)})",
    )
    option.completer = complete_measures
    parser.set_defaults(default_measures=default)


def add_rules(group: argparse._ArgumentGroup) -> None:
    """Add the rules by which runs are scored: missing topics, order, ties and grades."""
    group.add_argument(
        "--complete",
        action=argparse.BooleanOptionalAction,
        help="whether a topic that a run lacks counts as an empty list (default) or is left out",
    )
    group.add_argument(
        "--order",
        choices=get_args(Order),
        default="trec_eval",
        help="rank by score and then document id, in single precision (trec_eval) or double "
        "(score), by the rank column or as in the file (default: %(default)s)",
    )
    add_ties(group)
    add_grades(group)


def is_complete(arguments: argparse.Namespace) -> bool:
    """Whether a topic that a run lacks counts as an empty list."""
    return arguments.complete is not False


def add_grades(group: argparse._ArgumentGroup) -> None:
    """Add changes of grades and the meaning of negative ones."""
    group.add_argument(
        "--grades",
        metavar="OLD[,OLD...]=NEW",
        action="append",
        default=[],
        help="change grades, such as 3,4=3, or =-2=0 for a negative grade; may be repeated; or the "
        "words that stand for grades in the file, lowest first, such as I,C,S,E",
    )
    group.add_argument(
        "--negative",
        choices=get_args(Negative),
        default="unsampled",
        help="meaning of negative grades (default: -1 is unsampled, others are not relevant)",
    )


def add_ties(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the rule for tied documents."""
    parser.add_argument(
        "--ties",
        choices=get_args(Ties),
        help="rule for measures without a rule of their own; row_order gives trec_eval's numbers",
    )


def add_confidence(parser: argparse.ArgumentParser) -> None:
    """Add the confidence of intervals, and so the level of significance."""
    parser.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        help="confidence of the intervals; differences with p < 1 - confidence are significant "
        "(default: %(default)s)",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the seed of random numbers."""
    parser.add_argument("--seed", type=_seed, default=0, help="random seed (default: %(default)s)")


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be an integer >= 0, got {text!r}")
    return int(text)


def add_outputs(parser: argparse.ArgumentParser, formats: Iterable[str]) -> argparse._ArgumentGroup:
    """Add the format and the file of the output; return their group."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=tuple(formats),
        help="(default: that of an output in .csv or .json, else table)",
    )
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=_path,
        help="write the output to a file, which is replaced as a whole",
    )
    return group


def add_sort(group: argparse._ArgumentGroup) -> None:
    """Add the measure by which systems are listed."""
    group.add_argument(
        "--sort",
        metavar="MEASURE",
        help="list the best runs by this measure first (default: by the first one)",
    )


def sort_by(result: Any, name: str | None) -> Any:
    """Put the systems of scores, or of a comparison, into the order that was asked for."""
    if name is None:
        return result
    try:
        return result.sort(name)
    except KeyError as error:
        raise ValueError(f"--sort must be one of the measures. {error.args[0]}") from None


def add_plot(group: argparse._ArgumentGroup) -> None:
    """Add the file of a picture."""
    group.add_argument("--plot", metavar="FILE", type=_path, help="save a picture of the result")


def _path(text: str) -> Path:
    from pathlib import Path  # here and not above, because most commands write no file

    return Path(text)
