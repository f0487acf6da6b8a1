"""Reading of what the arguments of a command name: files, standard input, rules for grades."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from skgraded.trec import read_qrels, read_run

__all__ = [
    "check_one_standard_input",
    "measures_of_scores_are_refused",
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


@contextlib.contextmanager
def measures_of_scores_are_refused() -> Iterator[None]:
    """Report a measure that needs more than a ranking as a fault of the input."""
    try:
        yield
    except TypeError as error:
        raise ValueError(str(error)) from error
