"""Parsing and printing of measures in string form, such as ``"xGAP(g=[0.1,0.9])@10"``."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from skgraded._support.arguments import is_nan

# "Q-measure" is a name, and so is "Q'", the measure on condensed lists.
_FORM = re.compile(
    r"(?P<name>[\w-]++'?)\s*+(\((?P<fields>.*)\))?\s*+(@\s*+(?P<k>.*))?", re.DOTALL
)
_LONGEST = 10_000  # characters; longer strings would take long to parse and refuse


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Split the string form of a measure into its name and the fields that it states."""
    if len(spec) > _LONGEST:
        raise ValueError(
            f"A measure in string form must have at most {_LONGEST} characters, got {len(spec)}."
        )

    match = _FORM.fullmatch(spec.strip())
    if match is None or match["k"] == "":
        raise ValueError(
            f"A measure must be written Name(field=value,...)@k, got {spec!r}."
        )

    name = match["name"]
    fields_text = match["fields"]
    try:
        fields = _parse_fields(fields_text, spec) if fields_text else {}
    except (RecursionError, MemoryError):  # Python's parser raises either
        raise ValueError(
            f"The fields of a measure are nested too deeply in {spec!r}."
        ) from None

    cutoff = match["k"]
    if cutoff is not None:
        if "k" in fields:
            raise ValueError(
                f"k can be given only once, as a field or after the @, got both in {spec!r}."
            )
        fields["k"] = _parse_cutoff(cutoff, spec)
    return name, fields


def as_string(name: str, fields: Mapping[str, Any]) -> str:
    """Write a measure in its string form, with the cut-off at the end."""
    statements = [
        f"{field}={_in_string(value)}"
        for field, value in fields.items()
        if field != "k"
    ]

    text = name
    if statements:
        text += f"({','.join(statements)})"
    if "k" in fields:
        text += f"@{fields['k']}"
    return text


def as_code(name: str, fields: Mapping[str, Any]) -> str:
    """Write the Python expression that creates a measure."""
    arguments = [f"{field}={_in_code(value)}" for field, value in fields.items()]
    return f"{name}({', '.join(arguments)})"


def _in_string(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{','.join(map(_in_string, value))}]"

    if isinstance(value, str):
        is_bare_word = (
            value.isidentifier() and not iskeyword(value) and value.lower() != "nan"
        )
        return value if is_bare_word else repr(value)

    return repr(value).removesuffix(".0")


def _in_code(value: Any) -> str:
    if isinstance(value, tuple):
        return repr(tuple(value))
    return 'float("nan")' if is_nan(value) else repr(value)


def _parse_cutoff(text: str, spec: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    raise ValueError(
        f"k must be an integer >= 1, got {text!r} behind the @ in {spec!r}; fields come before it, "
        "as in Name(field=value,...)@k."
    )


def _parse_fields(text: str, spec: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    source = f"_({text})"

    for keyword in _keywords(source, spec):
        name = str(keyword.arg)
        if name in fields:
            raise ValueError(f"{name} can be given only once, got {spec!r}.")
        fields[name] = _parse_value(keyword.value, source, spec)
    return fields


def _keywords(source: str, spec: str) -> list[ast.keyword]:
    try:
        call = ast.parse(source, mode="eval").body
    except SyntaxError:
        call = None

    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
        if not call.args and all(keyword.arg for keyword in call.keywords):
            return call.keywords
        if len(call.args) == 1 and isinstance(call.args[0], ast.Dict):
            parts_of_blend = ast.keyword("parts", call.args[0])
            return [parts_of_blend, *call.keywords]
    raise ValueError(
        "The fields of a measure must be written field=value, and a list in brackets, as in "
        f"xGAP(g=[0.1,0.9]), got {spec!r}."
    )


def _parse_value(node: ast.expr, source: str, spec: str) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):  # a bare word: exp2, row_order, nan
        word = node.id
        return math.nan if word.lower() == "nan" else word

    # A list, or the parts of a blend.
    if isinstance(node, ast.List | ast.Tuple):
        entries = [_parse_value(entry, source, spec) for entry in node.elts]
        return tuple(entries)
    if isinstance(node, ast.Dict) and None not in node.keys:
        keys = [ast.get_source_segment(source, key) for key in node.keys if key]
        values = [_parse_value(value, source, spec) for value in node.values]
        return tuple(zip(map(str, keys), values, strict=True))

    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(
            "The value of a field must be a number, a word or a list of numbers, got "
            f"{ast.unparse(node)!r} in {spec!r}."
        ) from None
