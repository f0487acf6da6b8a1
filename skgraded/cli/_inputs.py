"""Reading of what the arguments of a command name: files, standard input, rules for grades."""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from skgraded.measures import Blend, Measure, measure
from skgraded.rankings import Ties
from skgraded.trec import Qrels, read_qrels, read_run

# Arguments that name files of judgments and runs.
_FILES = ("qrels", "runs", "run_file", "judges")


def read_standard_input(arguments: argparse.Namespace) -> None:
    """Replace the argument - by the judgments or the run from standard input."""
    given = {name: getattr(arguments, name) for name in _FILES if hasattr(arguments, name)}
    listed = {name: each if isinstance(each, list) else [each] for name, each in given.items()}
    check_one_standard_input([word for words in listed.values() for word in words])
    for name, words in listed.items():
        if "-" in words:
            place = words.index("-")
            words[place] = _from_standard_input(name, arguments)
            setattr(arguments, name, words if isinstance(given[name], list) else words[0])


def _from_standard_input(name: str, arguments: argparse.Namespace) -> Any:
    if name in ("qrels", "judges"):
        labels = parse_grades(getattr(arguments, "grades", [])).labels
        return read_qrels(standard_input(), labels=labels)
    return read_run(standard_input(), strict=getattr(arguments, "strict", False))


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


class Grades(NamedTuple):
    """What ``--grades`` says of the grades in a file.

    Attributes
    ----------
    labels : list of str or None
        Words that stand for grades, lowest first.
    changes : dict of float to float
        New grades by old ones.
    """

    labels: list[str] | None
    changes: dict[float, float]

    def read(self, source: Any) -> Qrels:
        """Read judgments, unless they are read, and change their grades."""
        return read_qrels(source, labels=self.labels).map_grades(self.changes)


def parse_grades(rules: list[str]) -> Grades:
    """Read words in their order, such as ``no,good``, and rules such as ``3,4=3``."""
    labels = [[word.strip() for word in rule.split(",")] for rule in rules if "=" not in rule]
    if len(labels) > 1 or any(not _are_labels(words) for words in labels):
        given = ", ".join(rule for rule in rules if "=" not in rule)
        raise ValueError(
            f"--grades must have the form OLD[,OLD...]=NEW, got {given!r}; or, once, name the "
            "words that stand for grades, lowest first: WORD,WORD[,WORD...]."
        )
    changes: dict[float, float] = {}
    for rule in rules:
        if "=" in rule:
            changes |= _changes(rule)
    return Grades(labels[0] if labels else None, changes)


def _are_labels(words: list[str]) -> bool:
    """Whether words may stand for grades; numbers are grades already."""
    are_numbers = all(re.fullmatch(r"[+-]?[\d.]+", word) for word in words)
    return len(words) > 1 and "" not in words and not are_numbers


def _changes(rule: str) -> dict[float, float]:
    old, _, new = rule.removeprefix("=").rpartition("=")
    try:
        changed = dict.fromkeys(map(float, old.split(",")), float(new))
    except ValueError:
        raise ValueError(f"--grades must have the form OLD[,OLD...]=NEW, got {rule!r}.") from None
    if not all(map(math.isfinite, [*changed, float(new)])):
        raise ValueError(f"--grades must hold finite grades, got {rule!r}.")
    return changed


def chosen_measure(name: str | Measure, ties: Ties | None = None) -> Measure:
    """Return a measure, under the rule for ties unless the name states another one."""
    found = measure(name)
    if isinstance(found, Blend):
        return Blend([(chosen_measure(each, ties), weight) for each, weight in found.parts])
    default = found._fields["ties"].default
    if ties is None or found.ties != default:
        return found
    return found._replace(ties=ties)


@contextlib.contextmanager
def faults_are_located(qrels: Qrels) -> Iterator[None]:
    """Report a measure that needs more than a ranking, or the document whose grade it refuses."""
    try:
        yield
    except TypeError as error:
        raise ValueError(str(error)) from error
    except ValueError as error:
        raise ValueError(_located(str(error), qrels)) from error


# What is said of an array of grades, behind the name of the file if the function knew it.
_OF_GRADES = re.compile(r"(?:^|(?<=: ))y_true (must hold .*?, got )(-?\d[\d.e+]*\d|\d)")


def _located(message: str, qrels: Qrels) -> str:
    found = _OF_GRADES.search(message)
    if found is None:
        return message
    rows = np.flatnonzero(qrels.grades == float(found.group(2)))
    if not len(rows):
        return message
    topic = qrels.topics[qrels.topic_of_document()[rows[0]]]
    place = f"document {qrels.documents[int(rows[0])]!r} of topic {topic!r}"
    told = f"the judgments {found.group(1)}{found.group(2)} for {place}"
    rest = message[found.end() :].removeprefix(".")
    return f"{qrels.name}: {told}.{rest} --grades OLD=NEW changes grades."
