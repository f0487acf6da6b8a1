"""`measure_as`, which finds the measure that gives the number of another tool."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from skgraded._measure_strings import parse
from skgraded._params import choice
from skgraded.conventions._table import ABSENCES, CONVENTIONS
from skgraded.conventions._tools import TOOLS, Convention
from skgraded.measures import Measure, catalogue, measure
from skgraded.measures._catalogue import is_own_name, parse_spec

__all__ = ["build", "measure_as"]


def measure_as(tool: str, name: str | Measure) -> Measure:
    """Return the measure that gives the number of another tool.

    Parameters
    ----------
    tool : str
        The tool: ``"lightgbm"``, ``"xgboost"``, ``"catboost"``, ``"sklearn"``, ``"trec_eval"``,
        ``"pytrec_eval"``, ``"ir_measures"``, ``"ranx"``, ``"torchmetrics"``, ``"ntcireval"`` or
        ``"matters"``.
    name : str or Measure
        The measure as the tool writes it (``"map_cut_10"``), or as it is written here
        (``"AP@10"``). Fields that are stated in a string of ours, such as ``"AP(rel=2)@10"``, stay
        as they are, and so do the fields of a Measure that differ from the defaults of its class.

    Returns
    -------
    Measure
        The measure with the tool's gain and divisor, and its rules for ties and empty queries.

    Raises
    ------
    ValueError
        If the tool is unknown, or has no such measure; the message lists the measures it has. Or
        if no measure of ours gives its value; the message says why.

    See Also
    --------
    skgraded.measure : Read a measure as it is written here.

    Examples
    --------
    >>> from skgraded.conventions import measure_as
    >>> measure_as("lightgbm", "nDCG@10")
    nDCG(gain='exp2', k=10, ties='row_order', empty=1.0)
    >>> measure_as("trec_eval", "map_cut_10")
    AP(k=10, ties='row_order')
    """
    choice("tool", tool, TOOLS)
    table = TOOLS[tool].like or tool
    of_tool = [each for each in CONVENTIONS if each.tool == table]
    for convention in of_tool:
        k = _cutoff_of(convention.theirs, name) if isinstance(name, str) else None
        if k is not None:
            return build(convention, k)
    _refuse_absent(tool, table, name)
    if table == "ir_measures" and isinstance(name, str):
        with_fields = _with_fields_of_ir_measures(name, of_tool)
        if isinstance(with_fields, Measure):
            return with_fields
        name = with_fields
    kind, stated = _own_measure(tool, name, of_tool)
    rows = [each for each in of_tool if each.ours == kind.__name__]
    if not rows:
        raise ValueError(_unknown(tool, name, of_tool))
    like_ours = [each for each in rows if ("{k}" in each.theirs) == (stated.get("k") is not None)]
    return build((like_ours or rows)[0], {}, stated)


# What ir_measures writes in its names, as patterns, and what that is here.
_OF_IR_MEASURES = (
    (r"\bmax_rel\s*=", "max_grade="),
    (r"\bjudged_only\s*=\s*True\b", "unjudged=condense"),
    (r"\bjudged_only\s*=\s*False\b", "unjudged=nonrelevant"),
    (r"^IPrec\((.*)\)@([\d.]+)$", r"IPrec(\1,recall=\2)"),
)


def _with_fields_of_ir_measures(name: str, of_tool: list[Convention]) -> str | Measure:
    """Return a name of ir_measures with our fields, or the measure if its name is not ours."""
    for theirs, ours in _OF_IR_MEASURES:
        name = re.sub(theirs, ours, name.strip())
    found = re.fullmatch(r"(?P<theirs>Set\w+)(?P<fields>\(.*\))", name)
    rows = [each for each in of_tool if found and each.theirs == found["theirs"]]
    if not found or not rows:
        return name
    stated = parse(f"{rows[0].ours}{found['fields']}")[1]
    if rows[0].ours == "F" and "beta" in stated:
        stated["beta"] = stated["beta"] ** 0.5  # theirs stands in the place of our square
    return build(rows[0], {}, stated)


def _refuse_absent(tool: str, table: str, name: object) -> None:
    for absence in ABSENCES:
        for theirs in absence.theirs if absence.tool == table else ():
            templates = (theirs, f"{theirs}@{{k}}", f"{theirs}_{{k}}")
            if any(_cutoff_of(each, str(name)) is not None for each in templates):
                raise ValueError(
                    f"No measure of skgraded has the values of {tool}'s {name}. {absence.reason}"
                )


def _cutoff_of(template: str, name: str) -> dict[str, int] | None:
    """Return the cut-off in a name of the tool, {} if it has none, None for any other name."""
    pattern = re.escape(template).replace(r"\{k\}", r"(?P<k>\d+)")
    found = re.fullmatch(pattern, name.strip())
    if found is None:
        return None
    return {each: int(k) for each, k in found.groupdict().items()}


def _own_measure(
    tool: str, name: str | Measure, of_tool: list[Convention]
) -> tuple[type[Measure], dict[str, Any]]:
    """Return the class of a measure of ours, and the fields that the user states."""
    try:
        chosen = measure(name)
        if isinstance(name, str) and not is_own_name(parse(name)[0]):
            raise ValueError(f"{name!r} is another tool's name of {str(chosen)!r}.")
    except ValueError as error:
        raise ValueError(
            f"{_unknown(tool, name, of_tool)} It is no measure of skgraded either: {error}"
        ) from None
    return parse_spec(name) if isinstance(name, str) else (type(chosen), _changed(chosen))


def _changed(chosen: Measure) -> dict[str, Any]:
    """Fields of a measure that differ from the defaults of its class."""
    values = {each: getattr(chosen, each.name) for each in dataclasses.fields(chosen)}
    return {each.name: value for each, value in values.items() if value != each.default}


def build(
    convention: Convention, cutoff: Mapping[str, int], stated: Mapping[str, Any] | None = None
) -> Measure:
    kind = catalogue()[convention.ours]
    fields = {**TOOLS[convention.tool].fields, **convention.fields, **cutoff, **(stated or {})}
    return kind(**fields)


def _unknown(tool: str, name: object, of_tool: list[Convention]) -> str:
    theirs = ", ".join(each.theirs.replace("{k}", "k") for each in of_tool)
    ours = ", ".join(sorted({each.ours for each in of_tool}))
    return f"{tool} has no measure {str(name)!r}. It has {theirs}; here these are {ours}."
