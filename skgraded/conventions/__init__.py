"""Measures that give the numbers of other tools.

The table `CONVENTIONS` says what a tool calls a measure, and with which fields our measure has the
tool's value; `ABSENCES` says what no measure of ours reproduces, and why. `measure_as` looks
measures up in it; ``python -m skgraded.conventions`` writes it as the page ``docs/conventions.md``.
"""

from skgraded.conventions._absences import ABSENCES
from skgraded.conventions._lookup import measure_as
from skgraded.conventions._page import as_markdown
from skgraded.conventions._table import CONVENTIONS
from skgraded.conventions._tools import TOOLS, Absence, Convention, Tool
from skgraded.conventions._trec_eval import TrecEvalValue, values_of_trec_eval

__all__ = [
    "ABSENCES",
    "CONVENTIONS",
    "TOOLS",
    "Absence",
    "Convention",
    "Tool",
    "TrecEvalValue",
    "as_markdown",
    "measure_as",
    "values_of_trec_eval",
]
