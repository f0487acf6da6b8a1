"""The catalogue of all measures by name, and the conversion of strings to measures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from skgraded._params import closest
from skgraded.measures._measure import Measure
from skgraded.measures._prefix import PrefixMeasure
from skgraded.measures._strings import parse

__all__ = ["catalogue", "measure", "measures_of", "parse_spec"]

# Common names of measures that have another name here; error messages suggest ours.
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
    """Map the names of all measures to their classes.

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
    public = not parent.__name__.startswith("_") and parent not in (Measure, PrefixMeasure)
    return [parent, *below] if public else below


def measure(spec: str | Measure) -> Measure:
    """Convert a string to a measure; the inverse of ``str``.

    Parameters
    ----------
    spec : str or Measure
        ``Name``, ``Name@k``, ``Name(field=value,...)`` or ``Name(field=value,...)@k``. Values are
        numbers, words and lists of numbers. A `Measure` is returned unchanged.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    ValueError
        If the measure, a field or a value is unknown; the message suggests the closest name.

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
        raise TypeError(
            f"A measure must be an instance, got the class {spec.__name__}: "
            f"write {spec.__name__}()."
        )
    if not isinstance(spec, str):
        raise TypeError(f"A measure must be a Measure or a string, got {spec!r}.")
    kind, fields = parse_spec(spec)
    return kind(**fields)


def measures_of(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Convert one or several measures, given as objects or strings, to a tuple of measures.

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
        If `measures` is empty, or a string is not the name of a measure.

    Examples
    --------
    >>> from skgraded.measures import measures_of
    >>> measures_of("AP@10")
    (AP(k=10),)
    """
    is_one = isinstance(measures, str | Measure | type)
    if not is_one and not isinstance(measures, Iterable):
        raise TypeError(f"measures must be a measure or a sequence of measures, got {measures!r}.")
    parsed = tuple(map(measure, [measures] if is_one else measures))  # type: ignore[arg-type]
    if not parsed:
        raise ValueError("measures must name at least one measure, got an empty sequence.")
    return parsed


def parse_spec(spec: str) -> tuple[type[Measure], dict[str, Any]]:
    """Return the class of a measure in string form, and the fields given in the string."""
    name, fields = parse(spec)
    known = catalogue()
    if name not in known:
        raise ValueError(f"Unknown measure {name!r} in {spec!r}.{_hint(name, known)}")
    kind = known[name]
    its_fields = [field.name for field in dataclasses.fields(kind)]
    for field in fields:
        if field not in its_fields:
            hint = closest(field, its_fields) or f" Its fields are {', '.join(its_fields)}."
            raise ValueError(f"{name} has no field {field!r}; got {spec!r}.{hint}")
    return kind, fields


def _hint(name: str, known: Iterable[str]) -> str:
    meant = _ELSEWHERE.get(name.lower()) or name
    return closest(meant, known) or (
        " skgraded.catalogue() lists all measures; skgraded.conventions.measure_as accepts the "
        "names that other tools use."
    )
