"""Measures written as strings, such as ``"xGAP(g=[0.1,0.9])@10"``."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Iterable
from typing import Any

from skgraded.measures._base import Measure
from skgraded.measures._checks import closest

__all__ = ["catalogue", "measure", "measures_of", "parse_spec"]

_FORM = re.compile(
    r"\s*(?P<name>\w+)\s*(?:\((?P<fields>.*)\))?\s*(?:@\s*(?P<k>[^()\s]+))?\s*", re.S
)

# Names that others have for measures that are called differently here.
_ELSEWHERE = {
    "precision": "P",
    "prec": "P",
    "recall": "R",
    "map": "AP",
    "averageprecision": "AP",
    "rprec": "RPrecision",
    "mrr": "RR",
    "recip_rank": "RR",
    "reciprocalrank": "RR",
    "hit": "Success",
    "hits": "Success",
    "hitrate": "Success",
    "q": "QMeasure",
}


def catalogue() -> dict[str, type[Measure]]:
    """All measures by name.

    Returns
    -------
    dict of str to type
        The classes, in alphabetical order.

    Examples
    --------
    >>> from skgraded import catalogue
    >>> catalogue()["xGAP"]
    <class 'skgraded.measures.average_precision.xGAP'>
    """
    classes = _concrete(Measure)
    return {each.__name__: each for each in sorted(classes, key=lambda each: each.__name__.lower())}


def _concrete(parent: type[Measure]) -> list[type[Measure]]:
    below = [each for child in parent.__subclasses__() for each in _concrete(child)]
    public = not parent.__name__.startswith("_") and parent is not Measure
    return [parent, *below] if public else below


def measure(spec: str | Measure) -> Measure:
    """Turn a string into a measure; the inverse of ``str``.

    Parameters
    ----------
    spec : str or Measure
        ``Name``, ``Name@k``, ``Name(field=value,...)`` or ``Name(field=value,...)@k``. Values are
        numbers, words and lists of numbers. A measure is returned as it is.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    ValueError
        If the measure, a field or a value is unknown; the message names the nearest.

    Examples
    --------
    >>> from skgraded import measure, xGAP
    >>> measure("xGAP(g=[0.1,0.9])@10") == xGAP(g=(0.1, 0.9), k=10)
    True
    >>> str(measure("nDCG(gain=exp2)@5"))
    'nDCG(gain=exp2)@5'
    """
    if isinstance(spec, Measure):
        return spec
    if isinstance(spec, type) and issubclass(spec, Measure):
        raise TypeError(f"A measure is an object, got the class: write {spec.__name__}().")
    if not isinstance(spec, str):
        raise TypeError(f"A measure is a Measure or a string, got {spec!r}.")
    kind, fields = parse_spec(spec)
    return kind(**fields)


def measures_of(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Turn one measure or several, each an object or a string, into a tuple of measures.

    Parameters
    ----------
    measures : str, Measure or iterable of them
        The measures.

    Returns
    -------
    tuple of Measure
        The measures, at least one.

    Raises
    ------
    TypeError
        If `measures` is neither a measure nor an iterable.
    ValueError
        If there is none, or a string names none.

    Examples
    --------
    >>> from skgraded.measures import measures_of
    >>> measures_of("AP@10")
    (AP(k=10),)
    """
    is_one = isinstance(measures, str | Measure | type)
    if not is_one and not isinstance(measures, Iterable):
        raise TypeError(f"measures must be a measure or a sequence of them, got {measures!r}.")
    parsed = tuple(map(measure, [measures] if is_one else measures))  # type: ignore[arg-type]
    if not parsed:
        raise ValueError("measures must name at least one measure, got an empty sequence.")
    return parsed


def parse_spec(spec: str) -> tuple[type[Measure], dict[str, Any]]:
    """Return the class that a string names, and the fields that it states."""
    form = _FORM.fullmatch(spec)
    if form is None:
        raise ValueError(f"A measure is written Name(field=value,...)@k, got {spec!r}.")
    known = catalogue()
    if form["name"] not in known:
        hint = _hint(form["name"], known)
        raise ValueError(f"Unknown measure {form['name']!r} in {spec!r}.{hint}")
    kind = known[form["name"]]
    fields = _parse_fields(kind, form["fields"] or "", spec)
    if form["k"] is not None:
        if "k" in fields:
            raise ValueError(f"k is given twice in {spec!r}: once as a field, once after the @.")
        fields["k"] = _parse_cutoff(form["k"], spec)
    return kind, fields


def _hint(name: str, known: Iterable[str]) -> str:
    meant = _ELSEWHERE.get(name.lower()) or name
    return closest(meant, known) or (
        " All measures are in skgraded.catalogue(); other tools' names are known to "
        "skgraded.conventions.measure_as."
    )


def _parse_cutoff(text: str, spec: str) -> int:
    if not re.fullmatch(r"[0-9]+", text):
        raise ValueError(f"k must be an integer >= 1, got {text!r} in {spec!r}.")
    return int(text)


def _parse_fields(kind: type[Measure], text: str, spec: str) -> dict[str, Any]:
    known = [field.name for field in dataclasses.fields(kind)]
    fields: dict[str, Any] = {}
    for keyword in _keywords(text, spec):
        name = str(keyword.arg)
        if name not in known:
            hint = closest(name, known) or f" It has {', '.join(known)}."
            raise ValueError(f"{kind.__name__} has no field {name!r}, in {spec!r}.{hint}")
        if name in fields:
            raise ValueError(f"{name} is given twice in {spec!r}.")
        fields[name] = _parse_value(keyword.value, spec)
    return fields


def _keywords(text: str, spec: str) -> list[ast.keyword]:
    wrong = ValueError(f"The fields of a measure are written field=value, got {spec!r}.")
    try:
        call = ast.parse(f"_({text})", mode="eval").body
    except SyntaxError:
        raise wrong from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise wrong
    if not all(each.arg for each in call.keywords):
        raise wrong
    return call.keywords


def _parse_value(node: ast.expr, spec: str) -> Any:
    if isinstance(node, ast.Name):  # a bare word: exp2, row_order, nan
        return math.nan if node.id.lower() == "nan" else node.id
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(_parse_value(each, spec) for each in node.elts)
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError(
            f"A field's value is a number, a word or a list of numbers, got {ast.unparse(node)!r} "
            f"in {spec!r}."
        ) from None
