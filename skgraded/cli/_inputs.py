"""What the arguments of a command name: judgments, runs, measures, and the rules of scoring."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any

from skgraded._support.measure_names import meaning_of
from skgraded._support.measure_strings import parse
from skgraded.measures import Blend, Measure, Measures, measure, resolve_all
from skgraded.results import Scores
from skgraded.trec import Qrels, evaluate, read_letor, read_qrels, read_run


class Inputs:
    """What a command was asked to read and to score, once it is needed."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments, with their grades changed as asked for."""
        if getattr(self.given, "letor", False):
            return self._letor[0]
        return self.judgments(self.given.qrels)

    def judgments(self, source: Any) -> Qrels:
        """Read judgments, and change their grades as asked for."""
        return read_qrels(opened(source), grades=parse_grades(self.given.grades))

    @cached_property
    def runs(self) -> list[Any]:
        """The runs; one that stands on standard input is read, since it can be read only once."""
        if getattr(self.given, "letor", False):
            return self._letor[1]
        return [self.run(each) if each == "-" else each for each in self.given.runs]

    def run(self, source: str) -> Any:
        """Read a run."""
        return read_run(opened(source), strict=getattr(self.given, "strict", False))

    @cached_property
    def _letor(self) -> tuple[Qrels, list[Any]]:
        """The judgments of learning-to-rank data, and scores of their lines as runs."""
        given = self.given
        if given.qrels == "-":
            raise ValueError(
                "With --letor, qrels must be a file of SVMlight lines, got -."
            )
        if not all(map(_is_number, parse_grades(given.grades))):
            raise ValueError(
                "With --letor, grades are numbers, and no words stand for them."
            )
        pairs = [
            read_letor(given.qrels, opened(each), name=os.path.basename(each))
            for each in given.runs
        ]
        return self.judgments(pairs[0][0]), [run for _, run in pairs]

    def measures(self, *names: str) -> dict[str, Measure]:
        """Return measures by name, with the rule for ties and the users that were asked for.

        Without names they are those that were asked for, or else those of the command.
        """
        names = names or tuple(self.given.measures or self.given.default_measures)
        tool, ties, g = (
            getattr(self.given, name, None) for name in ("tool", "ties", "g")
        )
        if tool is None:
            has_tools = hasattr(self.given, "tool")
            found = [measure_of(name, has_tools=has_tools) for name in names]
        else:
            from skgraded.conventions import (
                measure_as,
            )  # a long table, which few commands need

            found = [measure_as(tool, name) for name in names]
        chosen = [with_fields(each, ties=ties, g=g) for each in found]
        if g is not None and all(with_fields(each, g=g) == each for each in found):
            raise ValueError(
                f"-g needs a measure of users without g, got -m {' -m '.join(names)}."
            )
        return dict(
            zip(map(str, chosen) if tool is None else names, chosen, strict=True)
        )

    @property
    def rules(self) -> dict[str, Any]:
        """The rules by which runs are scored."""
        given = self.given
        complete = given.complete is not False
        return {"order": given.order, "complete": complete, "negative": given.negative}

    def scores(
        self,
        measures: Measures | None = None,
        qrels: Qrels | None = None,
        runs: list[Any] | None = None,
    ) -> Scores:
        """Score all runs by the measures, or some runs by some measures on some judgments."""
        qrels = self.qrels if qrels is None else qrels
        with faults_name_the_judgments(qrels):
            return evaluate(
                self.measures() if measures is None else measures,
                qrels,
                self.runs if runs is None else runs,
                strict=getattr(self.given, "strict", False),
                n_threads=getattr(self.given, "threads", -1),
                progress=True,
                **self.rules,
            )

    def scores_by_judges(self) -> tuple[Scores, list[Scores]]:
        """Score the runs by the qrels, and by those of each judge, on one scale of grades."""
        all_qrels = [self.qrels, *map(self.judgments, self.given.judge)]
        top = max(each.top_grade for each in all_qrels)
        are_fractional = any(each.are_fractional for each in all_qrels)
        resolved = resolve_all(self.measures(), top, are_fractional=are_fractional)
        human, *judged = (self.scores(resolved, each) for each in all_qrels)
        # Of the runs it is told what was left out by the topics of a judge, who has all of them.
        own, *judges = (each.notes(self.given.negative) for each in all_qrels)
        on_runs = [note for note in judged[0].notes if note not in judges[0]]
        on_judges = [
            f"{each.name}: {note}"
            for each, notes in zip(all_qrels[1:], judges, strict=True)
            for note in notes
        ]
        return dataclasses.replace(human, notes=(*own, *on_judges, *on_runs)), judged


def opened(source: Any) -> Any:
    """Return standard input as a file of bytes where a dash stands for it."""
    if source != "-":
        return source
    if sys.stdin is None:  # the process was started without it
        raise OSError("standard input is closed, and - reads from it.")
    return sys.stdin.buffer


def parse_grades(rules: list[str]) -> dict[str, float]:
    """Read new grades by old ones, as ``3,4=3``, or those of words, as ``no=0,good=2``."""
    grades: dict[str, float] = {}
    for rule in rules:
        *pairs, rest = re.split("=([^=,]*)(?:,(?!$)|$)", rule.removeprefix("="))
        by_old = zip(pairs[::2], pairs[1::2], strict=True)
        changes = {old.strip(): new for olds, new in by_old for old in olds.split(",")}
        if (
            rest
            or not changes
            or "" in changes
            or not all(map(_is_number, pairs[1::2]))
        ):
            raise ValueError(
                f"--grades must have the form OLD[,OLD...]=NEW, got {rule!r}."
            )
        grades |= {old: float(new) for old, new in changes.items()}
    return grades


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def measure_of(name: str, *, has_tools: bool = False) -> Measure:
    """Return a measure by its name, or one's own by that of its module: ``module:Name``.

    A name of another tool is refused with what to type, which ``--as`` is where there are tools.
    """
    module, colon, own = name.partition(":")
    if not colon or not re.fullmatch(r"[\w.]+", module):
        _refuse_other_name(name, has_tools=has_tools)
        return measure(name)
    if "" not in sys.path:
        sys.path.insert(0, "")  # the folder of the user, where Python would look first
    kind, fields = parse(own)
    found = getattr(import_module(module), kind, None)
    if isinstance(found, type) and issubclass(found, Measure):
        return found(**fields)
    if isinstance(found, Measure):
        return found.replace(**fields)
    raise ValueError(f"-m must name a measure of the module {module!r}, got {name!r}.")


def _refuse_other_name(name: str, *, has_tools: bool) -> None:
    parts = {
        name.partition("(")[0].strip(),
        re.split("[(@]", name, maxsplit=1)[0].strip(),
    }
    if all(meaning_of(part, ours={}) is None for part in parts):
        return
    told = f"-m {shlex.quote(str(measure(name)))} for the measure of skgraded"
    tool = _tool_of(name) if has_tools else None
    if tool is not None:
        told += f", or --as {tool} -m {shlex.quote(name)} for the number of {tool}"
    raise ValueError(
        f"-m {name} is a name of other tools, whose numbers can differ. Type {told}."
    )


def _tool_of(name: str) -> str | None:
    """Return a tool that has the name, those that evaluate runs first."""
    from skgraded.conventions import TOOLS, conventions_of  # a long table

    for tool in ("trec_eval", "ir_measures", "ranx", *TOOLS):
        if any(row.stated_in(name) is not None for row in conventions_of(tool)):
            return tool
    return None


def with_fields(chosen: Measure, **fields: Any) -> Measure:
    """Set fields that a measure has and that its name has not set; None leaves it as it is."""
    if isinstance(chosen, Blend):
        return Blend(
            [(with_fields(each, **fields), weight) for each, weight in chosen.parts]
        )
    own = chosen._fields
    unset = {
        name: value
        for name, value in fields.items()
        if value is not None
        and name in own
        and getattr(chosen, name) == own[name].default
    }
    return chosen.replace(**unset) if unset else chosen


@contextlib.contextmanager
def faults_name_the_judgments(qrels: Qrels) -> Iterator[None]:
    """Report a measure that needs more than a ranking, and the file whose grades one refuses."""
    try:
        yield
    except TypeError as error:
        raise ValueError(str(error)) from error
    except ValueError as error:
        _, found, rule = str(error).partition("y_true must ")
        if not found:
            raise
        told = (
            f"{qrels.name}: the judgments must {rule} --grades OLD=NEW changes grades."
        )
        raise ValueError(told) from error
