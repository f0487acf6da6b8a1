"""The files and options by which ``evaluate`` and ``compare`` score runs."""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from skgraded.cli._inputs import (
    Grades,
    check_one_standard_input,
    chosen_measure,
    faults_are_located,
    parse_grades,
    read_standard_input,
    standard_input,
)
from skgraded.cli._options import add_qrels, add_rules, add_runs, is_complete
from skgraded.cli._refusals import refuse_beside
from skgraded.measures import Measure, measure, warn_of_continuous_scale
from skgraded.results import Scores
from skgraded.trec import Negative, Qrels, evaluate, read_letor

Chosen = list[Measure] | dict[str, Measure]


def add_scoring(parser: argparse.ArgumentParser) -> None:
    """Add the files, and how they are scored."""
    add_qrels(parser)
    add_runs(parser)
    group = parser.add_argument_group("scoring")
    _add_tool(group)
    add_rules(group)
    _add_reading(group)


def _add_tool(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--as",
        dest="tool",
        metavar="TOOL",
        help="take measures by the names that TOOL has for them, with its numbers: trec_eval, "
        "ir_measures, ranx, lightgbm and others; as trec_eval, evaluate prints what that "
        "prints",
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
    arguments: argparse.Namespace, names: list[str] | Callable[[Qrels], list[str]]
) -> Scores:
    """Score the runs that the arguments name, by measures that may depend on the qrels."""
    given = [] if callable(names) else _read_measures(names, arguments.tool)
    grades = parse_grades(arguments.grades)
    read = _read_letor if arguments.letor else _read_trec
    qrels, runs = read(arguments, grades)
    chosen = _read_measures(names(qrels), arguments.tool) if callable(names) else given
    return _evaluated(arguments, chosen, qrels, runs)


def score_runs_by_judges(
    arguments: argparse.Namespace, names: list[str]
) -> tuple[Scores, list[Scores]]:
    """Score the runs by the qrels, and by those of each judge, on one scale of grades."""
    refuse_beside(arguments, "--judge")
    grades = parse_grades(arguments.grades)
    qrels, runs = _read_trec(arguments, grades)
    all_qrels = [qrels, *map(grades.read, arguments.judges)]
    widest = max(all_qrels, key=_top_grade)
    chosen = _read_measures(names, arguments.tool)
    are_fractional = any(each.are_fractional for each in all_qrels)
    measures = list(chosen.values() if isinstance(chosen, dict) else chosen)
    warn_of_continuous_scale(measures, widest.top_grade, are_fractional=are_fractional)
    resolved = _changed(chosen, lambda each: each.resolve(_top_grade(widest)))
    human, *judged = (_evaluated(arguments, resolved, each, runs) for each in all_qrels)
    notes = _notes_by_judges(all_qrels, judged[0], arguments.negative)
    return dataclasses.replace(human, notes=notes), judged


def _notes_by_judges(all_qrels: list[Qrels], judged: Scores, negative: Negative) -> tuple[str, ...]:
    """Describe what was left out: of the runs by the topics of a judge, who has those of humans."""
    human, *judges = (each.notes(negative) for each in all_qrels)
    on_runs = [note for note in judged.notes if note not in judges[0]]
    on_judges = [
        f"{each.name}: {note}"
        for each, notes in zip(all_qrels[1:], judges, strict=True)
        for note in notes
    ]
    return (*human, *on_judges, *on_runs)


def _read_measures(names: list[str], tool: str | None) -> Chosen:
    """Return the measures of names of ours, or those of another tool by its names."""
    if tool is None:
        return list(map(measure, names))
    from skgraded.conventions import measure_as  # a long table, which few commands need

    return {name: measure_as(tool, name) for name in names}


def _changed(chosen: Chosen, change: Callable[[Measure], Measure]) -> Chosen:
    if isinstance(chosen, dict):
        return {name: change(each) for name, each in chosen.items()}
    return list(map(change, chosen))


def top_whole_grade(qrels: Qrels) -> int:
    """Return the highest grade, at least 1; raise where labels lie between grades.

    The users of a profile are told apart by AP at the thresholds 1, 2, ..., but users of such
    labels have thresholds between these, too.
    """
    if qrels.are_fractional:
        between = qrels.grades[qrels.grades != np.floor(qrels.grades)][0]
        raise ValueError(
            f"{qrels.name}: grades must be integers for --profile, which compares them with "
            f"the thresholds 1, 2, ..., got {between:g}. Measures take them as they are, such as "
            '-m "eGAP(g=[...])" without this option.'
        )
    return max(1, int(qrels.top_grade))


def _top_grade(qrels: Qrels) -> int:
    return max(1, math.ceil(qrels.top_grade))


def _evaluated(
    arguments: argparse.Namespace, chosen: Chosen, qrels: Qrels, runs: list[Any]
) -> Scores:
    with faults_are_located(qrels):
        return evaluate(
            _changed(chosen, lambda each: chosen_measure(each, arguments.ties)),
            qrels,
            runs,
            order=arguments.order,
            complete=is_complete(arguments),
            negative=arguments.negative,
            strict=arguments.strict,
            n_threads=arguments.threads,
            progress=True,
        )


def _read_trec(arguments: argparse.Namespace, grades: Grades) -> tuple[Qrels, list[Any]]:
    read_standard_input(arguments)
    return grades.read(arguments.qrels), arguments.runs


def _read_letor(arguments: argparse.Namespace, grades: Grades) -> tuple[Qrels, list[Any]]:
    if grades.labels is not None:
        raise ValueError("With --letor, grades are numbers; --grades must have the form OLD=NEW.")
    if arguments.qrels == "-":
        raise ValueError("With --letor, qrels must be a file of SVMlight lines, got -.")
    check_one_standard_input(arguments.runs)
    pairs = []
    for each in arguments.runs:
        scores = standard_input() if each == "-" else each
        pairs.append(read_letor(arguments.qrels, scores, name=os.path.basename(each)))
    return grades.read(pairs[0][0]), [run for _, run in pairs]
