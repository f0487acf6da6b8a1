"""The table of conventions as a page of the documentation."""

from __future__ import annotations

import re
from typing import Any

from skgraded._support.other_names import OTHER_NAMES, PATTERNS
from skgraded.conventions._absences import ABSENCES
from skgraded.conventions._lookup import build
from skgraded.conventions._table import CONVENTIONS
from skgraded.conventions._tools import TOOLS, Tool
from skgraded.measures import catalogue


def as_markdown() -> str:
    """Write the table of conventions as a page of the documentation.

    Returns
    -------
    str
        Markdown.

    Examples
    --------
    >>> from skgraded.conventions import as_markdown
    >>> as_markdown().splitlines()[0]
    "# Other tools' numbers"
    """
    lines = [
        "# Other tools' numbers",
        "",
        "`skgraded.conventions.measure_as(tool, name)` returns the measure that gives a tool's",
        'number. The name may be the tool\'s or ours: `measure_as("lightgbm", "nDCG@10")`.',
        "This page is generated: `python -m skgraded.conventions > docs/conventions.md`.",
    ]
    for tool in TOOLS.values():
        lines += ["", f"## {tool.name}", "", tool.rules, *_rows_of(tool), *_absences_of(tool)]
    lines += ["", "## Names that `measure` understands", "", _UNDERSTOOD, "", *_rows_of_names()]
    return "\n".join(lines) + "\n"


def _rows_of(tool: Tool) -> list[str]:
    if tool.like:
        return ["", f"The measures are those of [{tool.like}](#{tool.like})."]
    rows = ["", "| theirs | skgraded | |", "|---|---|---|"]
    for each in CONVENTIONS:
        if each.tool == tool.name:
            # 10 stands for any cut-off.
            ours = str(build(each, {"k": 10} if "{k}" in each.theirs else {}))
            if "{k}" in each.theirs:
                ours = ours.removesuffix("@10") + "@k"
            theirs = each.theirs.replace("{k}", "k")
            rows.append(f"| `{theirs}` | `{ours}` | {each.note} |")
    return rows


def _absences_of(tool: Tool) -> list[str]:
    absences = [each for each in ABSENCES if each.tool == tool.name]
    if not absences:
        return []
    rows = ["", "Not here:", "", "| theirs | why |", "|---|---|"]
    for each in absences:
        theirs = ", ".join(f"`{name.replace('{k}', 'k')}`" for name in each.theirs)
        rows.append(f"| {theirs} | {each.reason} |")
    return rows


_UNDERSTOOD = (
    "`skgraded.measure`, and whatever takes measures as strings, also understands these names, "
    "followed by `@k` and fields or not. Capitals, `_` and `-` do not matter, nor do they in names "
    "of ours (`ndcg@10`, `r_precision`, `Q-measure`). A name means our measure with our rules for "
    "gains, ties and queries with nothing relevant; `measure_as` gives the rules of a tool."
)


def _rows_of_names() -> list[str]:
    by_meaning: dict[str, list[str]] = {}
    for name, (ours, fields) in OTHER_NAMES.items():
        by_meaning.setdefault(str(catalogue()[ours](**fields)), []).append(f"`{name}`")
    for pattern, ours, field, fields in PATTERNS:
        known = "k" if field == "k" else ".1" if "rbp" in pattern else "0.1"
        number: dict[str, Any] = {field: 10 if field == "k" else 0.1}
        meaning = str(catalogue()[ours](**fields, **number)).replace("@10", "@k")
        name = re.sub(r"\(\?P<number>.*\)", known, pattern).replace("[_.]", "_")
        by_meaning.setdefault(meaning, []).append(f"`{name}`")
    rows = [f"| {', '.join(names)} | `{meaning}` |" for meaning, names in by_meaning.items()]
    return ["| name | skgraded |", "|---|---|", *rows]
