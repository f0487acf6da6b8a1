"""`measure_as`, which finds the measure that gives the number of another tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from skgraded._support.arguments import choice, closest
from skgraded._support.measure_names import fields_of_ir_measures, is_of_ir_measures
from skgraded._support.measure_strings import parse
from skgraded.conventions._table import CONVENTIONS
from skgraded.conventions._tools import TOOLS, Convention, above
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
        ``"pytrec_eval"``, ``"ir_measures"``, ``"ranx"``, ``"torchmetrics"``, ``"ntcireval"``,
        ``"matters"``, ``"elasticsearch"``, ``"opensearch"``, ``"quepid"``, ``"rre"``, ``"rax"`` or
        ``"tf_ranking"``.
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
    rows_of_tool = conventions_of(tool)
    if is_of_ir_measures(name):
        name = str(name)

    # A name of the tool.
    if isinstance(name, str):
        read = _READERS.get(TOOLS[tool].table, _read_template)
        rows, fields = read(name.strip(), rows_of_tool)
        need_cutoff = all("@{k}" in row.theirs for row in rows)
        if rows and not (need_cutoff and fields.get("k") is None):
            return _measure_of(rows, fields)
        family = rows or _rows_of_word(name.strip(), rows_of_tool)
        if family:
            raise ValueError(
                f"{tool}'s {name!r} needs a number, as in {family[0].example!r}."
            )

    # A measure of ours.
    kind, fields = _class_and_fields(tool, name)
    rows = [row for row in rows_of_tool if row.ours == kind.__name__]
    if not rows:
        raise ValueError(_no_such_measure(tool, name))
    return _measure_of(rows, fields)


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
    >>> [row.theirs for row in conventions_of("lightgbm")][:2]
    ['ndcg@{k}', 'map@{k}']
    """
    table = TOOLS[tool].table
    return [row for row in CONVENTIONS if row.tool == table]


def _measure_of(rows: Rows, fields: Fields) -> Measure:
    """Make the measure of the row that has a cut-off if the fields have one, or of the first."""
    has_cutoff = fields.get("k") is not None
    matching = []
    for row in rows:
        takes_cutoff = "{k}" in row.theirs
        if takes_cutoff == has_cutoff:
            matching.append(row)
    convention = next(iter(matching), rows[0])

    kind = catalogue()[convention.ours]
    tool = TOOLS[convention.tool]
    return kind(**{**tool.fields, **convention.fields, **fields})


def _class_and_fields(tool: str, name: str | Measure) -> tuple[type[Measure], Fields]:
    """Return the class of a measure of ours, and the fields that the user states."""
    if isinstance(name, str):
        (word,) = re.findall(r"^[\w-]*", name.strip())
        if not is_own_name(word):
            message = _no_such_measure(tool, name)
            other_measure = measure_or_none(name)
            if other_measure is not None:
                message += f" It is another tool's name of {str(other_measure)!r}."
            raise ValueError(message)

    try:
        our_measure = measure(name)
    except ValueError as error:
        raise ValueError(f"{_no_such_measure(tool, name)} {error}") from None
    if isinstance(name, str):
        return parse_spec(name)
    return type(our_measure), _fields_beside_defaults(our_measure)


def _fields_beside_defaults(our_measure: Measure) -> Fields:
    """Return the fields of a measure that differ from the defaults of its class."""
    fields = {}
    for name, field in our_measure._fields.items():
        value = getattr(our_measure, name)
        if value != field.default:
            fields[name] = value
    return fields


def _no_such_measure(tool: str, name: object) -> str:
    suggestion = closest(str(name), [row.example for row in conventions_of(tool)])
    message = (
        f"No measure of skgraded has the value of {tool}'s {str(name)!r}.{suggestion}"
    )
    absent = TOOLS[TOOLS[tool].table].absent
    if absent:
        message += f" {absent}"
    return f"{message} 'skgraded measures --from {tool}' lists those that it has."


# How the names of a tool are read: as one of its rows, or by a word and parameters after it.


def _read_template(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name as one of the rows writes it."""
    for row in rows:
        fields = row.stated_in(name)
        if fields is not None:
            return [row], fields
    return [], {}


def _read_trec_eval(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name as it is printed (ndcg_cut_3), or as it is asked for (ndcg_cut.3)."""
    printed_name = re.sub(r"^(\w*[A-Za-z])\.(?=\d)", r"\1_", name, flags=re.ASCII)
    return _read_template(printed_name, rows)


def _rows_of_word(word: str, rows: Rows) -> Rows:
    """Return the rows of a name, whatever its parameters."""
    rows_of_word = []
    for row in rows:
        first_word = re.split(r"_?[@(:{]", row.theirs)[0]
        if first_word == word:
            rows_of_word.append(row)
    return rows_of_word


def _read_ir_measures(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name with fields and a cut-off, such as AP(rel=2)@10."""
    form = r"(\w+)\s*(\(.*\))?\s*(?:@\s*(\.\d+|\d+(?:\.\d+)?))?"
    match = re.fullmatch(form, name)
    if match is None:
        return [], {}

    word, params, cutoff = match.groups()

    _, their_fields = parse(f"{word}{params or ''}")
    fields = fields_of_ir_measures(word, their_fields)
    if cutoff is not None and word == "IPrec":
        fields["recall"] = float(cutoff)
    elif cutoff is not None:
        fields["k"] = int(cutoff)
    if word == "NumRet" and "rel" in fields:
        word = "NumRelRet"  # by another name
    return _rows_of_word(word, rows), fields


_GAINS_OF_CATBOOST = {"Base": "linear", "Exp": "exp2"}
_DEFAULTS_OF_CATBOOST = (("top", "-1"), ("denominator", "LogPosition"))


def _read_catboost(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name with parameters in any order, such as MAP:border=1;top=5."""
    word, _, params = name.partition(":")
    rows = _rows_of_word(word, rows)
    known_fields = _field_names(rows)

    fields: Fields = {}
    for statement in filter(None, params.split(";")):
        param, _, value = statement.partition("=")
        if param == "top" and value.isdecimal() and value != "0":
            fields["k"] = int(value)
        elif param == "border" and "rel" in known_fields:
            fields["rel"] = above(float(value))
        elif param == "type" and value in _GAINS_OF_CATBOOST and "gain" in known_fields:
            fields["gain"] = _GAINS_OF_CATBOOST[value]
        elif (param, value) not in _DEFAULTS_OF_CATBOOST:
            return [], {}
    return rows, fields


def _read_ranx(name: str, rows: Rows) -> tuple[Rows, Fields]:
    """Read a name with a lowest relevant grade (map@10-l2) or a persistence (rbp.85, rbp@85)."""
    form = r"([a-z1_]+(?:-[a-z]+)?)(?:@(\d{1,18})|\.(\d{1,18}))?(?:-l(\d{1,18}))?"
    match = re.fullmatch(form, name)
    if match is None:
        return [], {}
    word, cutoff, persistence, lowest_grade = match.groups()
    rows = _rows_of_word(word, rows)

    fields: Fields = {}
    if word == "rbp" and (persistence or cutoff):
        fields["p"] = float(f".{persistence or cutoff}")
    elif word == "rbp" or persistence:
        return [], {}
    elif int(cutoff or 0) > 0 and any("{k}" in row.theirs for row in rows):
        fields["k"] = int(cutoff)  # which the others ignore

    if lowest_grade not in (None, "1"):
        if word == "rbp" or "rel" not in _field_names(rows):
            return [], {}
        fields["rel"] = int(lowest_grade)
    return rows, fields


def _field_names(rows: Rows) -> set[str]:
    classes = catalogue()
    names: set[str] = set()
    for row in rows:
        names.update(classes[row.ours]._fields)
    return names


_READERS: dict[str, Callable[[str, Rows], tuple[Rows, Fields]]] = {
    "trec_eval": _read_trec_eval,
    "ir_measures": _read_ir_measures,
    "catboost": _read_catboost,
    "ranx": _read_ranx,
}
