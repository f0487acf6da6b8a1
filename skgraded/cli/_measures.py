"""``skgraded measures``: list the measures, explain one, or find that of another tool."""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from typing import Any

from skgraded._support.text import wrap
from skgraded.cli._outputs import show
from skgraded.cli._parser import complete_measures
from skgraded.conventions import TOOLS, conventions_of, measure_as
from skgraded.measures import Measure, catalogue, measure

_START = {
    "nDCG@10": "grades, and the top of the list counts most",
    "xGAP(g=[0.1,0.9])": "grades; g says how many users are content with which grade",
    "AP": "relevant or not, over the whole list",
    "RR@10": "one good document is enough",
    "P@10": "how many of the first ten are relevant",
    "R@100": "how many of the relevant ones are among the first hundred",
    "infAP": "a random sample of the pool is judged",
    "Judged@10": "how many of the first ten are judged, to know what the others hide",
}


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command, and add its options."""
    parser.description = (
        "List the measures, explain one, or find the one with another tool's number."
    )

    name: Any = parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a measure, such as xGAP"
    )
    name.completer = complete_measures
    parser.add_argument(
        "--from",
        dest="tool",
        choices=tuple(TOOLS),
        metavar="TOOL",
        help=f"the tool that NAME comes from, or whose measures are listed: {', '.join(TOOLS)}",
    )

    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """List measures, or explain one."""
    name = arguments.name
    tool = arguments.tool
    if tool is None:
        show(_list() if name is None else _explanation(name))
    else:
        show(_list_of(tool) if name is None else _conversion(tool, name))


def _explanation(spec: str) -> str:
    class_of = catalogue()
    name = re.split("[(@]", spec, maxsplit=1)[0].strip()

    kind = class_of[name] if name in class_of else type(measure(spec))
    return f"{_signature(kind)}\n\n{inspect.getdoc(kind) or ''}\n"


def _signature(kind: type[Measure]) -> str:
    fields = ", ".join(
        f"{name}={field.default!r}" for name, field in kind._fields.items()
    )
    return wrap(f"{kind.__name__}({fields})")


def _list() -> str:
    families: dict[str, dict[str, type[Measure]]] = {}
    for name, kind in catalogue().items():
        families.setdefault(_family(kind), {})[name] = kind

    lines = ["Start here", *_rows(_START)]
    for family, members in families.items():
        summaries = {
            name: (inspect.getdoc(kind) or "").split("\n")[0]
            for name, kind in members.items()
        }
        lines += ["", wrap(family, indent=0), *_rows(summaries)]
    lines += [
        "",
        wrap(
            "'skgraded measures NAME' shows fields, source and formula (in LaTeX) of one."
        ),
        wrap(
            "'skgraded measures --from TOOL NAME' shows which one has another tool's number."
        ),
    ]
    return "\n".join(lines) + "\n"


def _family(kind: type[Measure]) -> str:
    """Return the heading of a measure's family: what its module says of itself."""
    text = inspect.getdoc(sys.modules[kind.__module__]) or kind.__module__
    return re.split(r"[.:]", text, maxsplit=1)[0]


def _rows(texts: dict[str, str]) -> list[str]:
    width = max(map(len, texts))
    return [
        wrap(f"  {name:<{width}}  {text}", indent=width + len("    "))
        for name, text in texts.items()
    ]


def _conversion(tool: str, name: str) -> str:
    """Show the measure that gives a tool's number, to paste."""
    spec = str(measure_as(tool, name))
    pasted = f'-m "{spec}"' if re.search(r"[^\w@.]", spec) else f"-m {spec}"
    lines = [f"{tool}'s {name} is {spec}", "", f"  {pasted}", ""]

    lines.append(wrap(TOOLS[tool].rules, indent=0))
    for row in conventions_of(tool):
        if row.note and row.stated_in(name) is not None:
            lines.append(wrap(row.note, indent=0))
    return "\n".join(lines) + "\n"


def _list_of(tool: str) -> str:
    """List a tool's measures with ours, which are not broken, to be pasted."""
    names = [row.example for row in conventions_of(tool)]
    width = max(map(len, names))
    lines = [f"  {name:<{width}}  {measure_as(tool, name)}" for name in names]

    lines += ["", wrap(TOOLS[tool].rules, indent=0)]
    absent = TOOLS[TOOLS[tool].table].absent
    if absent:
        lines.append(wrap(f"Not here: {absent}", indent=0))
    return "\n".join(lines) + "\n"
