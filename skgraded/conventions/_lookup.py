"""`measure_as`, which finds the measure that gives the number of another tool."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from skgraded._support.arguments import choice, closest
from skgraded._support.measure_names import fields_of_ir_measures, is_of_ir_measures
from skgraded._support.measure_strings import parse
from skgraded.conventions._table import CONVENTIONS
from skgraded.conventions._tools import TOOLS, Convention
from skgraded.measures import Measure, catalogue, measure, measure_or_none
from skgraded.measures._catalogue import is_own_name, parse_spec

Fields = dict[str, Any]
Rows = Sequence[Convention]


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
        If the tool is unknown, or no measure of ours has the value of this one; the message names
        the nearest one, and says why some of the tool's names are missing.

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
    of_tool = conventions_of(tool)
    if is_of_ir_measures(name):
        name = str(name)
    if isinstance(name, str):
        rows, stated = _READERS.get(TOOLS[tool].table, _by_template)(
            name.strip(), of_tool
        )
        if rows:
            return _build(_with_or_without_cutoff(rows, stated), stated)
        if incomplete := _by_word(name.strip(), of_tool):
            raise ValueError(
                f"{tool}'s {name!r} needs a number, as in {incomplete[0].example!r}."
            )
    kind, stated = _own_measure(tool, name)
    rows = [each for each in of_tool if each.ours == kind.__name__]
    if not rows:
        raise ValueError(_unknown(tool, name))
    return _build(_with_or_without_cutoff(rows, stated), stated)


def conventions_of(tool: str) -> list[Convention]:
    """Return the measures of a tool.

    Parameters
    ----------
    tool : str
        The tool, as `measure_as` takes it.

    Returns
    -------
    list of Convention
        The rows of its table.

    Examples
    --------
    >>> from skgraded.conventions import conventions_of
    >>> [row.theirs for row in conventions_of("lightgbm")]
    ['ndcg@{k}', 'map@{k}']
    """
    return [each for each in CONVENTIONS if each.tool == TOOLS[tool].table]


def _with_or_without_cutoff(rows: Rows, stated: Fields) -> Convention:
    has_cutoff = stated.get("k") is not None
    return next(
        (each for each in rows if ("{k}" in each.theirs) == has_cutoff), rows[0]
    )


def _build(convention: Convention, stated: Mapping[str, Any]) -> Measure:
    kind = catalogue()[convention.ours]
    return kind(**{**TOOLS[convention.tool].fields, **convention.fields, **stated})


def _own_measure(tool: str, name: str | Measure) -> tuple[type[Measure], Fields]:
    """Return the class of a measure of ours, and the fields that the user states."""
    if isinstance(name, str) and not is_own_name(
        re.findall(r"^[\w-]*", name.strip())[0]
    ):
        meant = measure_or_none(name)
        other = (
            "" if meant is None else f" It is another tool's name of {str(meant)!r}."
        )
        raise ValueError(_unknown(tool, name) + other)
    try:
        chosen = measure(name)
    except ValueError as error:
        raise ValueError(f"{_unknown(tool, name)} {error}") from None
    return (
        parse_spec(name) if isinstance(name, str) else (type(chosen), _changed(chosen))
    )


def _changed(chosen: Measure) -> Fields:
    """Fields of a measure that differ from the defaults of its class."""
    values = {name: getattr(chosen, name) for name in chosen._fields}
    return {
        name: each
        for name, each in values.items()
        if each != chosen._fields[name].default
    }


def _unknown(tool: str, name: object) -> str:
    nearest = closest(str(name), [each.example for each in conventions_of(tool)])
    absent = TOOLS[TOOLS[tool].table].absent
    return (
        f"No measure of skgraded has the value of {tool}'s {str(name)!r}.{nearest}"
        f"{absent and f' {absent}'} 'skgraded measures --from {tool}' lists those that it has."
    )


# How the names of a tool are read: as one of its rows, or by a word and parameters after it.


def _by_template(name: str, rows: Rows) -> tuple[Rows, Fields]:
    for each in rows:
        number = each.stated_in(name)
        if number is not None:
            return [each], number
    return [], {}


def _by_word(word: str, rows: Rows) -> Rows:
    """Return the rows of a name, whatever its parameters."""
    return [each for each in rows if re.split(r"[@(:{]", each.theirs)[0] == word]


def _of_ir_measures(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name with fields and a cut-off, such as AP(rel=2)@10."""
    found = re.fullmatch(r"(\w+)\s*(\(.*\))?\s*(?:@\s*(\.\d+|\d+(?:\.\d+)?))?", name)
    if found is None:
        return [], {}
    word, params, cutoff = found.groups()
    stated = fields_of_ir_measures(word, parse(f"{word}{params or ''}")[1])
    if cutoff is not None:
        stated |= {"recall": float(cutoff)} if word == "IPrec" else {"k": int(cutoff)}
    if word == "NumRet" and "rel" in stated:
        word = "NumRelRet"  # by another name
    return _by_word(word, rows), stated


def _of_catboost(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name with parameters in any order, such as MAP:border=1;top=5."""
    word, _, params = name.partition(":")
    rows = _by_word(word, rows)
    fields = _fields_of(rows)
    stated: Fields = {}
    for param, _, value in (
        each.partition("=") for each in filter(None, params.split(";"))
    ):
        if param == "top" and value.isdecimal() and value != "0":
            stated["k"] = int(value)
        elif param == "border" and "rel" in fields:
            stated["rel"] = math.floor(float(value)) + 1  # relevant is a label above it
        elif param == "type" and value in ("Base", "Exp") and "gain" in fields:
            stated["gain"] = "exp2" if value == "Exp" else "linear"
        elif (param, value) not in (("top", "-1"), ("denominator", "LogPosition")):
            return [], {}
    return rows, stated


def _of_ranx(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name with a lowest relevant grade (map@10-l2) or a persistence (rbp.85, rbp@85)."""
    form = r"([a-z1_]+(?:-[a-z]+)?)(?:@(\d{1,18})|\.(\d{1,18}))?(?:-l(\d{1,18}))?"
    found = re.fullmatch(form, name)
    if found is None:
        return [], {}
    word, cutoff, persistence, level = found.groups()
    rows = _by_word(word, rows)
    stated: Fields = {}
    if word == "rbp" and (persistence or cutoff):
        stated["p"] = float(f".{persistence or cutoff}")
    elif word == "rbp" or persistence:
        return [], {}
    elif int(cutoff or 0) > 0 and any(
        "{k}" in each.theirs for each in rows
    ):  # others ignore it
        stated["k"] = int(cutoff)
    if level not in (None, "1"):
        if word == "rbp" or "rel" not in _fields_of(rows):
            return [], {}
        stated["rel"] = int(level)
    return rows, stated


def _fields_of(rows: Rows) -> set[str]:
    known = catalogue()
    return {field for each in rows for field in known[each.ours]._fields}


_READERS: dict[str, Callable[[str, Rows], tuple[Rows, Fields]]] = {
    "ir_measures": _of_ir_measures,
    "catboost": _of_catboost,
    "ranx": _of_ranx,
}
