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
from typing import Any, cast

from skgraded._support.arguments import choice
from skgraded._support.measure_names import meaning_of
from skgraded._support.measure_strings import parse
from skgraded.cli._outputs import tell
from skgraded.measures import Blend, Measure, Measures, measure, resolve_all
from skgraded.results import Scores
from skgraded.trec import Negative, Qrels, evaluate, read_letor, read_qrels, read_run


class Inputs:
    """What a command was asked to read and to score, once it is needed."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.given = arguments

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments, with their grades changed as asked for."""
        if getattr(self.given, "letor", False):
            return self._letor[0]
        return self.judgments(self.given.qrels)

    def judgments(self, source: Any) -> Qrels:
        """Read judgments, and change their grades as asked for."""
        raters = getattr(self.given, "raters", None)
        grades = parse_grades(self.given.grades)
        return read_qrels(opened(source), grades=grades, raters=raters)

    @cached_property
    def runs(self) -> list[Any]:
        """The runs; one that stands on standard input is read, since it can be read only once."""
        if getattr(self.given, "letor", False):
            return self._letor[1]
        return [self.run(path) if path == "-" else path for path in self.given.runs]

    def run(self, source: str) -> Any:
        """Read a run."""
        return read_run(opened(source), strict=getattr(self.given, "strict", False))

    @cached_property
    def _letor(self) -> tuple[Qrels, list[Any]]:
        """The judgments of learning-to-rank data, and scores of their lines as runs."""
        features = self.given.qrels
        if features == "-":
            raise ValueError(
                "With --letor, qrels must be a file of SVMlight lines, got -."
            )
        if not all(map(_is_number, parse_grades(self.given.grades))):
            raise ValueError(
                "With --letor, grades are numbers, and no words stand for them."
            )

        qrels_and_runs = [
            read_letor(features, opened(path), name=os.path.basename(path))
            for path in self.given.runs
        ]
        qrels, _ = qrels_and_runs[0]
        return self.judgments(qrels), [run for _, run in qrels_and_runs]

    def measures(self, *names: str) -> dict[str, Measure]:
        """Return measures by name, with the rule for ties and the users that were asked for.

        Without names they are those that were asked for, or else those of the command.
        """
        names = names or tuple(self.given.measures or self.given.default_measures)
        tool = getattr(self.given, "tool", None)
        ties = getattr(self.given, "ties", None)
        g = getattr(self.given, "g", None)

        if tool is None:
            has_tools = hasattr(self.given, "tool")
            measures = [measure_of(name, has_tools=has_tools) for name in names]
        else:
            from skgraded.conventions import measure_as  # a long table

            measures = [measure_as(tool, name) for name in names]
        completed = [with_fields(measure, ties=ties, g=g) for measure in measures]

        if g is not None and all(
            with_fields(measure, g=g) == measure for measure in measures
        ):
            raise ValueError(
                f"-g needs a measure of users without g, got -m {' -m '.join(names)}."
            )
        if tool is None:
            names = tuple(map(str, completed))
        return dict(zip(names, completed, strict=True))

    @property
    def rules(self) -> dict[str, Any]:
        """The rules by which runs are scored."""
        return {
            "order": self.given.order,
            "complete": self.given.complete is not False,
            "negative": self.negative,
        }

    @property
    def negative(self) -> Negative:
        """The meaning of negative grades: that of the tool whose numbers are asked for."""
        negative: Negative | None = self.given.negative
        if negative is not None:
            return negative
        tool = getattr(self.given, "tool", None)
        if tool is None:
            return "unsampled"
        from skgraded.conventions import TOOLS  # a long table

        choice("tool", tool, TOOLS)
        return cast("Negative", TOOLS[tool].negative)

    def scores(
        self,
        measures: Measures | None = None,
        qrels: Qrels | None = None,
        runs: list[Any] | None = None,
    ) -> Scores:
        """Score all runs by the measures, or some runs by some measures on some judgments."""
        if qrels is None:
            qrels = self.qrels
        with faults_name_the_judgments(qrels):
            if measures is None:
                measures = self.measures()
            if runs is None:
                runs = self.runs
            return evaluate(
                measures,
                qrels,
                runs,
                exclude=getattr(self.given, "exclude", None),
                strict=getattr(self.given, "strict", False),
                n_threads=getattr(self.given, "threads", -1),
                progress=True,
                **self.rules,
            )

    def scores_by_judges(self) -> tuple[Scores, list[Scores]]:
        """Score the runs by the qrels, and by those of each judge, on one scale of grades."""
        human_qrels = self.qrels
        qrels_of_judges = list(map(self.judgments, self.given.judge))
        all_qrels = [human_qrels, *qrels_of_judges]

        top = max(qrels.top_grade for qrels in all_qrels)
        are_fractional = any(qrels.are_fractional for qrels in all_qrels)
        measures = resolve_all(self.measures(), top, are_fractional=are_fractional)
        human_scores = self.scores(measures, human_qrels)
        scores_of_judges = [self.scores(measures, qrels) for qrels in qrels_of_judges]

        # Of the runs it is told what was left out by the topics of a judge, who has all of them.
        negative = self.negative
        notes = human_qrels.notes(negative)
        for qrels in qrels_of_judges:
            notes += [f"{qrels.name}: {note}" for note in qrels.notes(negative)]
        notes_on_judge = qrels_of_judges[0].notes(negative)
        for note in scores_of_judges[0].notes:
            if note not in notes_on_judge:
                notes.append(note)
        return dataclasses.replace(human_scores, notes=tuple(notes)), scores_of_judges


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
        *words, remainder = re.split("=([^=,]*)(?:,(?!$)|$)", rule.removeprefix("="))
        old_grades = words[::2]
        new_grades = words[1::2]
        changes = {}
        for olds, new in zip(old_grades, new_grades, strict=True):
            for old in olds.split(","):
                changes[old.strip()] = new

        has_form = bool(changes) and not remainder and "" not in changes
        if not has_form or not all(map(_is_number, new_grades)):
            raise ValueError(
                f"--grades must have the form OLD[,OLD...]=NEW, got {rule!r}."
            )
        for old, new in changes.items():
            grades[old] = float(new)
    return grades


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def measure_of(name: str, *, has_tools: bool = False) -> Measure:
    """Return a measure by its name, or one's own by that of its module: ``module:Name``.

    A name of another tool means the measure of skgraded that it means in Python, which is told.
    """
    module_name, colon, spec = name.partition(":")
    if not colon or not re.fullmatch(r"[\w.]+", module_name):
        _warn_of_other_name(name, has_tools=has_tools)
        return measure(name)

    if "" not in sys.path:
        sys.path.insert(0, "")  # the folder of the user, where Python would look first
    kind, fields = parse(spec)
    class_or_measure = getattr(import_module(module_name), kind, None)
    if isinstance(class_or_measure, type) and issubclass(class_or_measure, Measure):
        return class_or_measure(**fields)
    if isinstance(class_or_measure, Measure):
        return class_or_measure.replace(**fields)
    raise ValueError(
        f"-m must name a measure of the module {module_name!r}, got {name!r}."
    )


def _warn_of_other_name(name: str, *, has_tools: bool) -> None:
    """Say which measure the name of another tool is read as: the one that Python reads it as."""
    without_fields, _, _ = name.partition("(")
    without_cutoff = re.split("[(@]", name, maxsplit=1)[0]
    stems = {without_fields.strip(), without_cutoff.strip()}
    if all(meaning_of(stem, ours={}) is None for stem in stems):
        return

    tool = _tool_of(name) if has_tools else None
    way = ""
    if tool is not None:
        way = f" --as {tool} -m {shlex.quote(name)} has the number of {tool}."
    rules = "whose rules for ties and for topics with nothing relevant are its own"
    tell([f"-m {name} is read as {measure(name)} of skgraded, {rules}.{way}"])


def _tool_of(name: str) -> str | None:
    """Return a tool that has the name, those that evaluate runs first."""
    from skgraded.conventions import TOOLS, conventions_of  # a long table

    for tool in ("trec_eval", "ir_measures", "ranx", *TOOLS):
        if any(row.stated_in(name) is not None for row in conventions_of(tool)):
            return tool
    return None


def with_fields(measure: Measure, **fields: Any) -> Measure:
    """Set fields that a measure has and that its name has not set; None leaves it as it is."""
    if isinstance(measure, Blend):
        return Blend(
            [
                (with_fields(component, **fields), weight)
                for component, weight in measure.parts
            ]
        )

    changes = {}
    for name, value in fields.items():
        if value is None or name not in measure._fields:
            continue
        is_unset = getattr(measure, name) == measure._fields[name].default
        if is_unset:
            changes[name] = value
    if not changes:
        return measure
    return measure.replace(**changes)


@contextlib.contextmanager
def faults_name_the_judgments(qrels: Qrels) -> Iterator[None]:
    """Report a measure that needs more than a ranking, and the file whose grades one refuses."""
    try:
        yield
    except TypeError as error:
        raise ValueError(str(error)) from error
    except ValueError as error:
        _, names_grades, rule = str(error).partition("y_true must ")
        if not names_grades:
            raise
        raise ValueError(
            f"{qrels.name}: the judgments must {rule} --grades OLD=NEW changes grades."
        ) from error
