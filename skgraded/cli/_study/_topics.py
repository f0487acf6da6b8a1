"""``skgraded study topics``."""

from __future__ import annotations

import argparse
from typing import Any

from skgraded.cli._options import add_qrels
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import add_formats, add_reading, new_study
from skgraded.cli._study._steps import read_judgments, write_result
from skgraded.studies import topic_facts

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    parser = new_study(studies, "topics", "count the documents of each grade by topic", run)
    add_qrels(parser)
    add_reading(parser)
    add_formats(parser, plot=False)


def run(arguments: argparse.Namespace) -> None:
    """Count documents by topic and grade."""
    qrels = read_judgments(arguments)
    found = topic_facts(qrels)
    write_result(arguments, found, repr(found))
    tell(qrels.notes())
