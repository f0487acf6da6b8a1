"""``skgraded study``: the studies of measures on your own runs, one file for each."""

from __future__ import annotations

from typing import Any

from skgraded.cli._study import (
    _correlation,
    _incompleteness,
    _judgments,
    _lists,
    _models,
    _power,
    _sensitivity,
    _simulation,
    _swaps,
    _thresholds,
    _topics,
)

__all__ = ["add_command"]

_STUDIES = (
    _topics,
    _correlation,
    _thresholds,
    _incompleteness,
    _power,
    _swaps,
    _sensitivity,
    _lists,
    _judgments,
    _simulation,
    _models,
)
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
    studies = parser.add_subparsers(title="studies", dest="study", metavar="STUDY", required=True)
    for study in _STUDIES:
        study.add_command(studies)
