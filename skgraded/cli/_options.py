"""Options that several commands share: one table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from skgraded._support.writers import WRITERS
from skgraded.cli._parser import complete_measures
from skgraded.rankings import Ties
from skgraded.trec import Negative, Order, Raters

# What argparse is told of an option: the words of ``add_argument``.
Words = Mapping[str, Any]
SCORING = ("--complete", "--order", "--ties", "--grades", "--negative")
SCORING_OF_FILES = (
    "--as",
    *SCORING,
    "--raters",
    "--exclude",
    "--strict",
    "--letor",
    "--threads",
)
_MEASURE = "MEASURE"
_IN_USAGE = {"qrels": "qrels", "runs": "run [run ...]", "run_file": "run"}


def words(**keywords: Any) -> Words:
    """Describe an option; one with a value has its type, and tells it at the end of its help."""
    default = keywords.get("default")
    if isinstance(default, int | float) and not isinstance(default, bool):
        keywords.setdefault("type", type(default))
    if default is not None and default != [] and "(default" not in keywords["help"]:
        keywords["help"] += " (default: %(default)s)"
    return keywords


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be an integer >= 0, got {text!r}")
    return int(text)


def numbers(text: str) -> list[float]:
    """Read numbers separated by commas."""
    return list(map(float, text.split(",")))


def _users(text: str) -> str | tuple[float, ...]:
    """Read the probabilities of g, or the name of users."""
    try:
        return tuple(numbers(text))
    except ValueError:
        return text


OPTIONS: dict[str, Words] = {
    "qrels": words(
        help="file of lines 'topic iteration document grade', or CSV, JSON or Parquet; it may be "
        "compressed (.gz, .xz, .bz2, .zst); - is standard input"
    ),
    "runs": words(
        nargs="+",
        metavar="run",
        help="file of lines 'topic Q0 document rank score tag', or CSV, JSON or Parquet; it may be "
        "compressed; - is standard input",
    ),
    "run_file": words(metavar="run", help="one run; - is standard input"),
    "--as": words(
        dest="tool",
        metavar="TOOL",
        help="take measures by the names that TOOL has for them, with its numbers: trec_eval, "
        "ir_measures, ranx, lightgbm and others; as trec_eval, evaluate prints what that prints",
    ),
    "--complete": words(
        action=argparse.BooleanOptionalAction,
        help="whether a topic that a run lacks counts as an empty list (default) or is left out",
    ),
    "--order": words(
        choices=get_args(Order),
        default="trec_eval",
        help="rank by score and then document id, in single precision (trec_eval) or double "
        "(score), by the rank column or as in the file",
    ),
    "--ties": words(
        choices=get_args(Ties),
        help="rule for measures without a rule of their own; row_order gives trec_eval's numbers",
    ),
    "--grades": words(
        metavar="OLD[,OLD...]=NEW",
        action="append",
        default=[],
        help="change grades, such as 3,4=3, or =-2=0 for a negative grade, or say what words stand "
        "for, such as E=3,S=2,C=1,I=0; may be repeated",
    ),
    "--negative": words(
        choices=get_args(Negative),
        help="meaning of negative grades (default: -1 is unsampled, others are not relevant; with "
        "--as trec_eval, pytrec_eval or ir_measures all of them are unsampled, as there)",
    ),
    "--raters": words(
        choices=get_args(Raters),
        help="the grade of a document that several people judged (default: grades that differ are "
        "an error)",
    ),
    "--exclude": words(
        metavar="self|FILE",
        help="documents of a topic that do not count: that with the id of the topic, or those of "
        "lines of a topic and a document",
    ),
    "--strict": words(
        action="store_true", help="treat repeated documents of a run as an error"
    ),
    "--letor": words(
        action="store_true",
        help="read qrels from a file of SVMlight lines (not -), and each run from a file with one "
        "score per line",
    ),
    "--threads": words(
        metavar="N", default=-1, help="number of threads (default: -1, all processors)"
    ),
    "-m/--measure": words(
        metavar=_MEASURE,
        action="append",
        dest="measures",
        help="such as nDCG@10; repeat it for several; 'skgraded measures' lists all",
    ),
    "-g": words(
        metavar="G[,G...]",
        type=_users,
        help="users of the measures that name none, such as .1,.9 with -m xGAP@10, or linear",
    ),
    "--confidence": words(
        default=0.95,
        help="confidence of the intervals; differences with p < 1 - confidence are significant ",
    ),
    "--seed": words(type=_seed, default=0, help="random seed"),
    "--format": words(
        choices=tuple(WRITERS),
        help="(default: that of an output in .csv or .json, else table)",
    ),
    "-o/--output": words(
        metavar="FILE", help="write the output to a file, which is replaced"
    ),
    "--plot": words(metavar="FILE", help="save a picture of the result"),
}


def add_options(
    parser: argparse.ArgumentParser,
    groups: Mapping[str, Iterable[str]],
    table: Mapping[str, Words],
    measures: Sequence[str] = (),
) -> None:
    """Add options of a table by their names, under the titles of their groups.

    ``measures`` are those of ``-m`` by default. The usage names the files alone.
    """
    files = [_IN_USAGE[name] for name in groups[""] if name in _IN_USAGE]
    parser.usage = " ".join(["%(prog)s [options]", *files])

    for title, names in groups.items():
        group = parser.add_argument_group(title) if title else parser
        for name in names:
            option: Any = group.add_argument(*name.split("/"), **table[name])
            if option.metavar == _MEASURE:
                option.completer = complete_measures
            if option.dest == "measures":
                option.help += f" (default: {' '.join(measures)})"
    parser.set_defaults(default_measures=measures)
