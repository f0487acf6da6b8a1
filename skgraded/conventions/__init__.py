"""Measures that give the numbers of other tools.

The table `CONVENTIONS` says what a tool calls a measure, and with which fields our measure has the
tool's value; `TOOLS` says the rules of each tool, and which of its names are missing. `measure_as`
looks measures up in it, and ``skgraded measures --from TOOL`` prints it.
"""

from skgraded.conventions._lookup import conventions_of, measure_as
from skgraded.conventions._table import CONVENTIONS
from skgraded.conventions._tools import TOOLS, Convention, Tool

__all__ = ["CONVENTIONS", "TOOLS", "Convention", "Tool", "conventions_of", "measure_as"]
