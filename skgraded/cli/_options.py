"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = [
    "add_grades",
    "add_measures",
    "add_outputs",
    "add_plot",
    "add_qrels",
    "add_runs",
    "add_seed",
]


def add_qrels(parser: argparse.ArgumentParser) -> None:
    """Add the file of judgments."""
    parser.add_argument(
        "qrels",
        help="file of lines 'topic iteration document grade'; it may be compressed (.gz, .xz, "
        ".bz2, .zst); - is standard input",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add the files of runs."""
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        help="file of lines 'topic Q0 document rank score tag'; it may be compressed; - is "
        "standard input",
    )


def add_measures(
    parser: argparse.ArgumentParser,
    default: tuple[str, ...],
    summary: str = "such as nDCG@10; repeat it for several",
) -> None:
    """Add the choice of measures."""
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        dest="measures",
        help=f"{summary} (default: {' '.join(default)})",
    )
    parser.set_defaults(default_measures=default)


def add_grades(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add rules that change grades."""
    parser.add_argument(
        "--grades",
        metavar="OLD[,OLD...]=NEW",
        action="append",
        default=[],
        help="change grades, such as 3,4=3, or =-2=0 for a negative grade; may be repeated",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the seed of random numbers."""
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")


def add_outputs(
    parser: argparse.ArgumentParser, formats: tuple[str, ...]
) -> argparse._ArgumentGroup:
    """Add the format and the file of the output; return their group."""
    group = parser.add_argument_group("output")
    by_name = " or ".join(f".{each}" for each in formats if each in ("csv", "json"))
    group.add_argument(
        "--format", choices=formats, help=f"(default: that of an output in {by_name}, else table)"
    )
    parser.set_defaults(formats=formats)
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="write the output to a file, which is replaced as a whole",
    )
    return group


def add_plot(group: argparse._ArgumentGroup) -> None:
    """Add the file of a picture."""
    group.add_argument("--plot", metavar="FILE", type=Path, help="save a picture of the result")
