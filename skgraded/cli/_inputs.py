"""Reading of what the arguments of a command name: files, standard input, rules for grades."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import math
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from skgraded.measures import Blend, Measure, measure
from skgraded.rankings import Ties
from skgraded.trec import Qrels, read_qrels, read_run

__all__ = [
    "check_one_standard_input",
    "chosen_measure",
    "faults_are_located",
    "parse_grades",
    "read_standard_input",
    "standard_input",
]

# Arguments that name files of judgments and runs.
_FILES = ("qrels", "runs", "run_file")


def read_standard_input(arguments: argparse.Namespace) -> None:
    """Replace the argument - by the judgments or the run from standard input."""
    given = {name: getattr(arguments, name) for name in _FILES if hasattr(arguments, name)}
    listed = {name: each if isinstance(each, list) else [each] for name, each in given.items()}
    check_one_standard_input([word for words in listed.values() for word in words])
    for name, words in listed.items():
        if "-" in words:
            place = words.index("-")
            words[place] = _from_standard_input(name, getattr(arguments, "strict", False))
            setattr(arguments, name, words if isinstance(given[name], list) else words[0])


def _from_standard_input(name: str, strict: bool) -> Any:
    source = standard_input()
    return read_qrels(source) if name == "qrels" else read_run(source, strict=strict)


def standard_input() -> Any:
    """Return standard input as a file of bytes."""
    if sys.stdin is None:  # the process was started without it
        raise OSError("standard input is closed, and - reads from it.")
    return sys.stdin.buffer


def check_one_standard_input(words: Sequence[Any]) -> None:
    """Raise an error if several files are to be read from standard input."""
    if words.count("-") > 1:
        raise ValueError(
            f"- (standard input) can be given only once, got it {words.count('-')} times."
        )


def parse_grades(rules: list[str]) -> dict[float, float]:
    """Read rules such as ``3,4=3`` as a mapping from old to new grades."""
    grades: dict[float, float] = {}
    for rule in rules:
        old, _, new = rule.removeprefix("=").rpartition("=")
        try:
            changed = dict.fromkeys(map(float, old.split(",")), float(new))
        except ValueError:
            raise ValueError(
                f"--grades must have the form OLD[,OLD...]=NEW, got {rule!r}."
            ) from None
        if not all(map(math.isfinite, [*changed, float(new)])):
            raise ValueError(f"--grades must hold finite grades, got {rule!r}.")
        grades.update(changed)
    return grades


def chosen_measure(name: str | Measure, ties: Ties | None = None) -> Measure:
    """Return a measure, under the rule for ties unless the name states another one."""
    found = measure(name)
    if isinstance(found, Blend):
        return Blend([(chosen_measure(each, ties), weight) for each, weight in found.parts])
    default = next(field.default for field in dataclasses.fields(found) if field.name == "ties")
    if ties is None or found.ties != default:
        return found
    return dataclasses.replace(found, ties=ties)


@contextlib.contextmanager
def faults_are_located(*judged: Qrels) -> Iterator[None]:
    """Report a measure that needs more than a ranking, or the document whose grade it refuses."""
    try:
        yield
    except TypeError as error:
        raise ValueError(str(error)) from error
    except ValueError as error:
        raise ValueError(_located(str(error), judged)) from error


# What is said of an array of grades, behind the name of the file if the function knew it.
_OF_GRADES = re.compile(r"(?:^|(?<=: ))y_true (must hold .*?, got )(-?\d[\d.e+]*\d|\d)")


def _located(message: str, judged: Sequence[Qrels]) -> str:
    found = _OF_GRADES.search(message)
    if found is None:
        return message
    for qrels in judged:
        rows = np.flatnonzero(qrels.grades == float(found.group(2)))
        if len(rows):
            topic = qrels.topics[qrels.topic_of_document()[rows[0]]]
            place = f"document {qrels.documents[int(rows[0])]!r} of topic {topic!r}"
            told = f"the judgments {found.group(1)}{found.group(2)} for {place}"
            rest = message[found.end() :].removeprefix(".")
            return f"{qrels.name}: {told}.{rest} --grades OLD=NEW changes grades."
    return message
