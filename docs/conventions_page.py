"""The page of other tools' numbers: for each tool, its rules, its names and our measures."""

from skgraded._support.measure_names import OTHER_NAMES
from skgraded.conventions import TOOLS, conventions_of, measure_as
from skgraded.measures import measure

INTRODUCTION = """\
# Other tools' numbers

`skgraded.conventions.measure_as(tool, name)` returns the measure that gives a tool's
number. The name may be the tool's or ours: `measure_as("lightgbm", "nDCG@10")`.
`skgraded measures --from TOOL` prints these tables. A number in a name stands for any other.
"""
UNDERSTOOD = """\
## Names that `measure` understands

In Python, `skgraded.measure` and whatever takes measures as strings understand these names, too,
and those that trec_eval has for values, such as `ndcg_cut_10` and `P_5`. Capitals, `_` and `-` do
not matter, nor do they in names of ours. A name means our measure with our rules for gains, ties
and queries with nothing relevant; `measure_as` gives the rules of a tool.

| name | skgraded |
|---|---|
"""


def conventions_page():
    """Return the page in Markdown."""
    tools = [_section(tool) for tool in TOOLS.values()]
    rows = [f"| `{name}` | `{measure(name)}` |\n" for name in OTHER_NAMES]
    return "\n".join([INTRODUCTION, *tools, UNDERSTOOD + "".join(rows)])


def _section(tool):
    text = f"## {tool.name}\n\n{tool.rules}\n\n"
    if tool.like:
        return f"{text}The measures are those of [{tool.like}](#{tool.like}).\n"
    rows = [
        f"| `{row.example}` | `{measure_as(tool.name, row.example)}` | {row.note} |\n"
        for row in conventions_of(tool.name)
    ]
    absent = f"\nNot here: {tool.absent}\n" if tool.absent else ""
    return f"{text}| theirs | skgraded | |\n|---|---|---|\n{''.join(rows)}{absent}"
