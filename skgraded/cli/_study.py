"""``skgraded study``: the studies of measures on your own runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from skgraded._support.writers import Report
from skgraded.cli._inputs import read_standard_input
from skgraded.cli._outputs import check_outputs, save_picture, tell, write_reports
from skgraded.cli._study_answers import Asked, Part
from skgraded.cli._study_table import STUDIES, Study

_EPILOG = """\
examples:
  skgraded study topics qrels.txt
  skgraded study thresholds qrels.txt runs/*.xz --few 2 --plot g.png
  skgraded study incompleteness qrels.txt runs/*.xz -m AP -m infAP --repeats 10
  skgraded study power qrels.txt runs/*.xz -m AP -m "eGAP(g=[0.1,0.9])"
"""


def add_command(commands: Any, summary: str) -> None:
    """Add ``study`` to the command line."""
    parser = commands.add_parser(
        "study",
        help=summary,
        description="Study measures: do they agree, tolerate missing judgments, separate systems?",
        epilog=_EPILOG,
    )
    names = parser.add_subparsers(title="studies", dest="study", metavar="STUDY", required=True)
    for study in STUDIES:
        added: argparse.ArgumentParser = names.add_parser(
            study.name,
            help=study.summary,
            description=f"{study.summary[0].upper()}{study.summary[1:]}.",
            epilog=study.papers,
        )
        for add_option in study.options:
            add_option(added)
        added.set_defaults(run=partial(_run, study), parser=added)


def _run(study: Study, arguments: argparse.Namespace) -> None:
    check_outputs(arguments)
    read_standard_input(arguments)
    parts, notes = study.answer(Asked(arguments))
    in_json = arguments.format == "json"  # which holds all notes; others have them beside
    is_alone = len(parts) == 1
    reports = [_report(study, each, is_alone) for each in parts]
    write_reports(arguments, [each._replace(notes=notes if in_json else []) for each in reports])
    if getattr(arguments, "plot", None) is not None:
        panels = [draw for each in parts for draw in each.draw or [each.found.plot]]
        save_picture(arguments.plot, _figure(panels), dpi=120)
    if not in_json:
        tell(notes)


def _report(study: Study, part: Part, is_alone: bool) -> Report:
    report: Report = part.found._report()
    return report._replace(
        tables=report.tables if part.tables is None else part.tables,
        facts={"study": study.name, **report.facts},
        labels=part.labels or {},
        heading="" if is_alone else part.heading,
    )


def _figure(panels: Sequence[Callable[[Any], Any]]) -> Any:
    """Draw panels below each other; a single one in a figure of the size that it chooses."""
    if len(panels) == 1:
        return panels[0](None).figure
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.6 * len(panels)), layout="constrained")
    for ax, draw in zip(figure.subplots(len(panels), 1), panels, strict=True):
        draw(ax)
    return figure
