"""`measure_as`, which finds the measure that gives the number of another tool."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from skgraded._support.arguments import choice, closest
from skgraded._support.measure_strings import parse
from skgraded._support.other_names import fields_of_ir_measures, is_of_ir_measures
from skgraded.conventions._absences import ABSENCES
from skgraded.conventions._table import CONVENTIONS
from skgraded.conventions._tools import TOOLS, Convention
from skgraded.measures import Measure, catalogue, measure, measure_or_none
from skgraded.measures._catalogue import is_own_name, parse_spec


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
        If the tool is unknown, or has no such measure; the message names the nearest one. Or if no
        measure of ours gives its value; the message says why.

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
    if is_of_ir_measures(name):
        name = str(name)
    table = TOOLS[tool].like or tool
    of_tool = [each for each in CONVENTIONS if each.tool == table]
    for convention in of_tool:
        k = _cutoff_of(convention.theirs, name) if isinstance(name, str) else None
        is_whole_list = table == "ranx" and k == {"k": 0}
        if k is not None and not is_whole_list:
            return build(convention, k)
    _refuse_absent(tool, table, name)
    read_with_parameters = _WITH_PARAMETERS.get(table)
    if read_with_parameters is not None and isinstance(name, str):
        found = read_with_parameters(name, of_tool)
        if found is not None:
            return found
    kind, stated = _own_measure(tool, name, of_tool)
    rows = [each for each in of_tool if each.ours == kind.__name__]
    if not rows:
        raise ValueError(_unknown(tool, name, of_tool))
    like_ours = [each for each in rows if ("{k}" in each.theirs) == (stated.get("k") is not None)]
    return build((like_ours or rows)[0], {}, stated)


def _of_ir_measures(name: str, of_tool: list[Convention]) -> Measure | None:
    """Read a name of ir_measures with parameters; None if its table has no such name."""
    found = re.fullmatch(r"(\w+)\s*(\(.*\))?\s*(?:@\s*(\.\d+|\d+(?:\.\d+)?))?", name.strip())
    if found is None:
        return None
    theirs, params, cutoff = found.groups()
    rows = [each for each in of_tool if re.split("[@(]", each.theirs)[0] == theirs]
    if not rows:
        return None
    stated = fields_of_ir_measures(theirs, parse(f"{theirs}{params or ''}")[1])
    if cutoff is not None:
        is_recall = theirs == "IPrec"
        stated["recall" if is_recall else "k"] = float(cutoff) if is_recall else int(cutoff)
    if theirs == "NumRet" and "rel" in stated:  # NumRelRet by another name
        rows = [each for each in of_tool if each.theirs == "NumRelRet"]
    alike = [each for each in rows if each.theirs.endswith("@{k}") == ("k" in stated)]
    return build((alike or rows)[0], {}, stated)


def _of_catboost(name: str, of_tool: list[Convention]) -> Measure | None:
    """Read a name of CatBoost with parameters in any order, such as MAP:border=1;top=5."""
    theirs, _, text = name.strip().partition(":")
    params = dict(each.partition("=")[::2] for each in text.split(";") if each)
    rows = [each for each in of_tool if each.theirs.partition(":")[0] == theirs]
    if not rows:
        return None
    stated: dict[str, Any] = {}
    for param, value in params.items():
        if param == "top" and value.isdecimal() and value != "0":
            stated["k"] = int(value)
        elif param == "border" and "rel" in _fields_of(rows[0]):
            stated["rel"] = math.floor(float(value)) + 1  # relevant is a label above it
        elif param == "type" and value in ("Base", "Exp") and "gain" in _fields_of(rows[0]):
            stated["gain"] = "exp2" if value == "Exp" else "linear"
        elif (param, value) not in _BY_DEFAULT_IN_CATBOOST:
            raise ValueError(f"No measure of skgraded has CatBoost's {param}={value} of {name!r}.")
    alike = [each for each in rows if each.theirs.endswith("top={k}") == ("k" in stated)]
    return build((alike or rows)[0], {}, stated)


def _of_ranx(name: str, of_tool: list[Convention]) -> Measure | None:
    """Read a name of ranx with a lowest relevant grade (map@10-l2) or a persistence (rbp.85)."""
    found = re.fullmatch(r"([a-z1_]+(?:-[a-z]+)?)(?:([.@])(\d+))?(?:-l(\d+))?", name.strip())
    if found is None:
        return None
    theirs, mark, number, level = found.groups()
    rows = [each for each in of_tool if re.split("[.@]", each.theirs)[0] == theirs]
    if not rows or (mark == "." and theirs != "rbp"):
        return None
    stated: dict[str, Any] = {}
    if level not in (None, "1"):
        _check_takes_level(rows[0], name, int(level), f"@{number}" if int(number or 0) else "")
        stated["rel"] = int(level)
    if theirs == "rbp":
        if number is None:
            raise ValueError(f"ranx refuses {name!r} without a persistence: write rbp.80.")
        stated["p"] = float(f"0.{number}")
        return build(rows[0], {}, stated)
    with_cut = [each for each in rows if "{k}" in each.theirs]
    has_cut = bool(with_cut) and int(number or 0) > 0  # elsewhere it ignores a cut-off
    return build(with_cut[0], {"k": int(number)}, stated) if has_cut else build(rows[0], {}, stated)


def _check_takes_level(convention: Convention, name: str, level: int, cut: str) -> None:
    """Refuse a lowest relevant grade where ranx drops the gains below it, and keeps the others."""
    if "rel" in _fields_of(convention) and convention.ours != "RBP":
        return
    reason = (
        f"No measure of skgraded has the values of ranx's {name}. It gives grades from {level} on "
        "their own value, and the others 0."
    )
    if convention.ours != "RBP" and level <= _HIGHEST_EXAMPLE:
        is_exp2 = convention.fields.get("gain") == "exp2"
        own = {g: 2**g - 1 if is_exp2 else g for g in range(1, max(level, 3) + 1)}
        gains = ",".join(str(gain if grade >= level else 0) for grade, gain in own.items())
        named = f"{convention.ours}(gain=[{gains}]){cut}"
        reason += f" {named}, with a gain for each grade from 1 on, has them."
    raise ValueError(reason)


_HIGHEST_EXAMPLE = 9  # grades, of which an error writes the gains


def _fields_of(convention: Convention) -> set[str]:
    return set(catalogue()[convention.ours]._fields)


_BY_DEFAULT_IN_CATBOOST = (("top", "-1"), ("denominator", "LogPosition"))
_WITH_PARAMETERS = {"ir_measures": _of_ir_measures, "catboost": _of_catboost, "ranx": _of_ranx}


def _refuse_absent(tool: str, table: str, name: object) -> None:
    without_fields = str(name)
    if table == "ir_measures":
        without_fields = re.sub(r"\(.*\)", "", without_fields)
    elif table == "catboost":
        without_fields = without_fields.partition(":")[0]
    for absence in ABSENCES:
        for theirs in absence.theirs if absence.tool == table else ():
            cuts = ("",) if "{k}" in theirs else ("", "@{k}", "_{k}")
            templates = (f"{theirs}{cut}" for cut in cuts)
            if any(_cutoff_of(each, without_fields) is not None for each in templates):
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
    if isinstance(name, str) and not is_own_name(_word_of(name)):
        meant = measure_or_none(name)
        other = "" if meant is None else f" It is another tool's name of {str(meant)!r}."
        raise ValueError(_unknown(tool, name, of_tool) + other)
    try:
        chosen = measure(name)
    except ValueError as error:
        raise ValueError(f"{_unknown(tool, name, of_tool)} {error}") from None
    return parse_spec(name) if isinstance(name, str) else (type(chosen), _changed(chosen))


def _word_of(name: str) -> str:
    found = re.match(r"[\w-]*", name.strip())
    return found.group() if found else ""


def _changed(chosen: Measure) -> dict[str, Any]:
    """Fields of a measure that differ from the defaults of its class."""
    values = {name: getattr(chosen, name) for name in chosen._fields}
    return {name: each for name, each in values.items() if each != chosen._fields[name].default}


def build(
    convention: Convention, cutoff: Mapping[str, int], stated: Mapping[str, Any] | None = None
) -> Measure:
    kind = catalogue()[convention.ours]
    fields = {**TOOLS[convention.tool].fields, **convention.fields, **cutoff, **(stated or {})}
    return kind(**fields)


def _unknown(tool: str, name: object, of_tool: list[Convention]) -> str:
    nearest = closest(str(name), [each.theirs.replace("{k}", "10") for each in of_tool])
    return (
        f"{tool} has no ranking measure {str(name)!r}.{nearest} 'skgraded measures --from {tool}' "
        "lists those that it has."
    )
