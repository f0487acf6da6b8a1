"""``skgraded measures``: list the measures, or explain one of them."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
from typing import Any

from skgraded._text import wrap
from skgraded.cli._formulas import docstring_as_text
from skgraded.cli._outputs import show
from skgraded.measures import Measure, catalogue, measure

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add ``measures`` to the command line."""
    parser = commands.add_parser(
        "measures",
        help="list the measures, or explain one",
        description="List the measures; or show the formula, the fields and the source of one.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a measure, such as xGAP")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """List the measures, or explain one."""
    show(_list() if arguments.name is None else _explanation(arguments.name))


def _explanation(spec: str) -> str:
    known = catalogue()
    name = re.split("[(@]", spec, maxsplit=1)[0].strip()
    kind = known[name] if name in known else type(measure(spec))
    return f"{_signature(kind)}\n\n{docstring_as_text(inspect.getdoc(kind) or '')}\n"


def _signature(kind: type[Measure]) -> str:
    fields = ", ".join(f"{each.name}={each.default!r}" for each in dataclasses.fields(kind))
    return wrap(f"{kind.__name__}({fields})")


def _list() -> str:
    known = catalogue()
    width = max(map(len, known))
    lines = []
    for name, kind in known.items():
        summary = (inspect.getdoc(kind) or "").split("\n")[0]
        lines.append(wrap(f"{name:<{width}}  {summary}", indent=width + len("  ")))
    lines.append("")
    lines.append(wrap("'skgraded measures NAME' shows the formula, fields and source of one."))
    return "\n".join(lines) + "\n"
