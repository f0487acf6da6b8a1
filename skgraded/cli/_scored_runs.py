"""The files and options by which ``evaluate`` and ``compare`` score runs."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from skgraded.cli._inputs import (
    check_one_standard_input,
    measures_of_scores_are_refused,
    parse_grades,
    read_standard_input,
    standard_input,
)
from skgraded.cli._options import add_grades, add_qrels, add_runs
from skgraded.measures import Measure, measure
from skgraded.rankings import Ties
from skgraded.trec import Negative, Order, Qrels, RunScores, evaluate, read_letor, read_qrels

__all__ = ["add_scoring", "score_runs"]


def add_scoring(parser: argparse.ArgumentParser) -> None:
    """Add the files, and how they are scored."""
    add_qrels(parser)
    add_runs(parser)
    group = parser.add_argument_group("scoring")
    _add_meaning(group)
    _add_reading(group)


def _add_meaning(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--complete",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether a topic that a run lacks counts as an empty list (default) or is left out",
    )
    group.add_argument(
        "--order",
        choices=get_args(Order),
        default="trec_eval",
        help="rank by score and then document id, in single precision (trec_eval) or double "
        "(score), by the rank column or as in the file (default: %(default)s)",
    )
    group.add_argument(
        "--ties",
        choices=get_args(Ties),
        help="rule for measures without a rule of their own; row_order gives trec_eval's numbers",
    )
    add_grades(group)
    group.add_argument(
        "--negative",
        choices=get_args(Negative),
        default="unsampled",
        help="meaning of negative grades (default: -1 is unsampled, others are not relevant)",
    )


def _add_reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--strict", action="store_true", help="treat repeated documents of a run as an error"
    )
    group.add_argument(
        "--letor",
        action="store_true",
        help="read qrels from a file of SVMlight lines (not -), and each run from a file with one "
        "score per line",
    )
    group.add_argument(
        "--threads",
        type=int,
        metavar="N",
        default=-1,
        help="number of threads (default: -1, all processors)",
    )


def score_runs(
    arguments: argparse.Namespace, names: list[str] | Callable[[Qrels], list[Measure]]
) -> RunScores:
    """Score the runs that the arguments name, by measures that may depend on the qrels."""
    given = [] if callable(names) else [measure(each) for each in names]
    qrels, runs = _read_letor(arguments) if arguments.letor else _read_trec(arguments)
    qrels = qrels.map_grades(parse_grades(arguments.grades))
    chosen = names(qrels) if callable(names) else given
    with measures_of_scores_are_refused():
        return evaluate(
            qrels,
            runs,
            [_with_ties(each, arguments.ties) for each in chosen],
            order=arguments.order,
            complete=arguments.complete,
            negative=arguments.negative,
            strict=arguments.strict,
            n_threads=arguments.threads,
            progress=True,
        )


def _with_ties(each: Measure, ties: Ties | None) -> Measure:
    default = next(field.default for field in dataclasses.fields(each) if field.name == "ties")
    return each if ties is None or each.ties != default else dataclasses.replace(each, ties=ties)


def _read_trec(arguments: argparse.Namespace) -> tuple[Qrels, list[Any]]:
    read_standard_input(arguments)
    return read_qrels(arguments.qrels), arguments.runs


def _read_letor(arguments: argparse.Namespace) -> tuple[Qrels, list[Any]]:
    if arguments.qrels == "-":
        raise ValueError("With --letor, qrels must be a file of SVMlight lines, got -.")
    check_one_standard_input(arguments.runs)
    pairs = []
    for each in arguments.runs:
        scores = standard_input() if each == "-" else each
        pairs.append(read_letor(arguments.qrels, scores, name=Path(each).name))
    return pairs[0][0], [run for _, run in pairs]
