"""The catalogue of all measures by name, and the conversion of strings to measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeVar

from skgraded._support.arguments import closest
from skgraded._support.measure_names import (
    LESS_IS_BETTER,
    Meaning,
    closest_measure,
    fields_of_ir_measures,
    is_of_ir_measures,
    meaning_of,
    measure_key,
)
from skgraded._support.measure_strings import parse
from skgraded.measures._fields import NEEDED
from skgraded.measures._measure import Measure

# As users pass measures: one, several, or several with the names under which they are reported.
Measures = str | Measure | Iterable[str | Measure] | Mapping[str, str | Measure]


M = TypeVar("M", bound=Measure)

# In alphabetical order.
_registered: dict[str, type[Measure]] = {}
_by_folded_name: dict[str, str] = {}


def register(kind: type[M]) -> type[M]:
    """Add a class of measures to the catalogue, so that its strings are understood.

    The measures of skgraded are registered. A class of your own scores, trains and prints without
    it; registered, it is also known by its name wherever the string of a measure is taken. Worker
    processes know the name once they have imported the module of the class.

    Parameters
    ----------
    kind : type
        A subclass of `Measure`. Its name is the name of the measure.

    Returns
    -------
    type
        The class itself, so that ``@register`` can stand above it.

    Raises
    ------
    TypeError
        If `kind` is not a subclass of `Measure`.
    ValueError
        If the name already means another measure, here or in the names of other tools that
        `measure` understands. A class that is defined again in the same place, as when a cell of a
        notebook runs twice, takes the place of the old one.

    See Also
    --------
    catalogue : All registered classes.

    Examples
    --------
    >>> from skgraded import measure
    >>> from skgraded.measures import AP, register
    >>> @register
    ... class StrictAP(AP):
    ...     rel = 2
    >>> measure("StrictAP@10")([1, 2], [.9, .8])
    0.5
    """
    argument: object = kind
    if not isinstance(argument, type) or not issubclass(argument, Measure):
        raise TypeError(f"kind must be a subclass of Measure, got {kind!r}.")

    name = kind.__name__
    meaning = meaning_of(name, _by_folded_name)
    if not name.isidentifier() or (meaning is not None and not _is_again(kind)):
        rule = "a word"
        if meaning is not None:
            rule = f"a new name; {name!r} means {_describe(meaning)}"
        raise ValueError(
            f"The name of a registered measure must be {rule}, got {kind!r}."
        )

    _enter({name: kind})
    if kind.greater_is_better:
        LESS_IS_BETTER.discard(measure_key(name))
    else:
        LESS_IS_BETTER.add(measure_key(name))
    _measure_of_string.cache_clear()
    return kind


def register_family(family: ModuleType) -> None:
    """Add the classes that a module names in ``__all__``."""
    kinds = {name: getattr(family, name) for name in family.__all__}
    _enter(kinds)


def _enter(kinds: Mapping[str, type[Measure]]) -> None:
    _by_folded_name.update({measure_key(name): name for name in kinds})
    kinds_by_name = {**_registered, **kinds}

    names = sorted(kinds_by_name, key=str.lower)
    _registered.clear()
    _registered.update({name: kinds_by_name[name] for name in names})


def _is_again(kind: type[Measure]) -> bool:
    """Whether a registered class was defined in the same place as this one."""
    if kind.__name__ not in _registered:
        return False
    old = _registered[kind.__name__]
    is_same_module = old.__module__ == kind.__module__
    return is_same_module and old.__qualname__ == kind.__qualname__


def _describe(meaning: Meaning) -> str:
    if meaning.fields:
        return f"a measure of {meaning.name}"
    return repr(_registered[meaning.name])


def catalogue() -> dict[str, type[Measure]]:
    """Map the names of all registered measures to their classes.

    A class of which a field has no default, such as `Blend`, is known by its name and not listed.

    Returns
    -------
    dict of str to type
        The classes, in alphabetical order.

    See Also
    --------
    register : Add a class of your own.

    Examples
    --------
    >>> from skgraded import catalogue
    >>> catalogue()["xGAP"]
    <class 'skgraded.measures.average_precision.xGAP'>
    """
    kinds = _registered.items()
    return {name: kind for name, kind in kinds if _has_defaults(kind)}


def _has_defaults(kind: type[Measure]) -> bool:
    fields = kind._fields.values()
    return all(field.default is not NEEDED for field in fields)


def measure(spec: str | Measure) -> Measure:
    """Convert a string to a measure; the inverse of ``str``.

    Parameters
    ----------
    spec : str or Measure
        ``Name``, ``Name@k``, ``Name(field=value,...)`` or ``Name(field=value,...)@k``. Values are
        numbers, words and lists of numbers. A `Measure` is returned unchanged. A measure of
        ir_measures, such as ``ir_measures.nDCG @ 10``, is read as its name and parameters are.
        The name may be written without its capitals, as in ``"ndcg@10"``. Common names of other
        tools are understood where they are unambiguous, such as ``"map"``, ``"MRR@10"``,
        ``"recall@10"``, ``"P_10"`` and ``"ndcg_cut_10"``.

    Returns
    -------
    Measure
        The measure.

    Raises
    ------
    ValueError
        If the measure, a field or a value is unknown; the message suggests one that is known.

    See Also
    --------
    skgraded.conventions.measure_as : The measure that gives the number of another tool.

    Notes
    -----
    A name of another tool means the measure here that has the same formula, with the defaults of
    skgraded: the gain of a grade is the grade itself, tied documents count with the mean over their
    orders, and a query with nothing relevant counts 0. ``"map@10"`` is divided by the number of
    relevant documents, as in trec_eval, and not by the smaller of that number and 10, as in
    LightGBM. For a tool's own rules, see ``measure_as``.

    Examples
    --------
    >>> from skgraded import measure, xGAP
    >>> measure("xGAP(g=[0.1,0.9])@10") == xGAP(g=(0.1, 0.9), k=10)
    True
    >>> str(measure("nDCG(gain=exp2)@5"))
    'nDCG(gain=exp2)@5'
    >>> str(measure("ndcg_cut_10"))
    'nDCG@10'
    """
    if isinstance(spec, str):
        return _measure_of_string(spec)
    if isinstance(spec, Measure):
        return spec
    if isinstance(spec, type) and issubclass(spec, Measure):
        raise TypeError(
            f"A measure must be an instance, got the class {spec.__name__}: "
            f"write {spec.__name__}()."
        )
    if is_of_ir_measures(spec):
        return _measure_of_ir_measures(spec)
    hint = ""
    if isinstance(spec, list | tuple):
        hint = (
            " Where several are taken one by one, write a star: eval_metric(*measures)."
        )
    raise TypeError(f"A measure must be a Measure or a string, got {spec!r}.{hint}")


def _measure_of_ir_measures(spec: Any) -> Measure:
    """Read a measure of ir_measures as the formula here, with our rules for ties."""
    if spec.NAME == "Accuracy":
        raise ValueError(
            "Accuracy of ir_measures is that of pairs, and not the measure of this name here: "
            'write skgraded.conventions.measure_as("ir_measures", "Accuracy").'
        )

    kind, fields = parse_spec(spec.NAME)
    if spec.NAME == "ERR":  # whose scale ends at 4 there, whatever the grades
        fields = {"max_grade": 4}
    return kind(**fields | fields_of_ir_measures(spec.NAME, spec.params))


@lru_cache(maxsize=256)
def _measure_of_string(spec: str) -> Measure:
    kind, fields = parse_spec(spec)
    return kind(**fields)


def measure_or_none(name: Any) -> Measure | None:
    """Return the measure that a name means, or None for a name that users chose freely.

    Parameters
    ----------
    name : str or Measure
        The name of a column, for example.

    Returns
    -------
    Measure or None
        The measure.

    Examples
    --------
    >>> from skgraded.measures import measure_or_none
    >>> measure_or_none("AP@10"), measure_or_none("our best one")
    (AP(k=10), None)
    """
    try:
        return measure(name)
    except (TypeError, ValueError):
        return None


def measures_by_name(measures: Measures) -> dict[str, Measure]:
    """Convert measures, in any form in which they are taken, to measures by name.

    Parameters
    ----------
    measures : str, Measure, iterable of them, or mapping of str to them
        The measures. The keys of a mapping are their names; other measures are named by their
        strings, and the same one counts once.

    Returns
    -------
    dict of str to Measure
        The measures, at least one.

    Raises
    ------
    TypeError
        If `measures` is neither a measure nor an iterable, or a name is not a string.
    ValueError
        If `measures` is empty, a string is not the name of a measure, or a name is empty.

    Examples
    --------
    >>> from skgraded.measures import measures_by_name
    >>> measures_by_name("AP@10")
    {'AP@10': AP(k=10)}
    >>> measures_by_name({"top": "nDCG@10", "all": "AP"})
    {'top': nDCG(k=10), 'all': AP()}
    """
    if isinstance(measures, Mapping):
        by_name = {
            _require_name(name): measure(spec) for name, spec in measures.items()
        }
    elif isinstance(measures, Iterable) and not isinstance(measures, str):
        by_name = {str(parsed): parsed for parsed in map(measure, measures)}
    elif isinstance(measures, str | Measure | type) or is_of_ir_measures(measures):
        spec: Any = measures
        parsed = measure(spec)
        by_name = {str(parsed): parsed}
    else:
        raise TypeError(
            f"measures must be a measure or a sequence of measures, got {measures!r}."
        )

    if not by_name:
        raise ValueError("measures must name at least one measure, got none.")
    return by_name


def _require_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"The names of measures must be strings, got {name!r}.")
    if not name.strip():
        raise ValueError(f"The names of measures must not be empty, got {name!r}.")
    return name


def parse_spec(spec: str) -> tuple[type[Measure], dict[str, Any]]:
    """Return the class of a measure in string form, and the fields given in the string."""
    name, fields = _parse(spec)
    if name not in _registered:
        meaning = meaning_of(name, _by_folded_name)
        if meaning is None:
            raise ValueError(
                f"Unknown measure {name!r} in {spec!r}.{_hint(name, fields)}"
            )
        name = meaning.name
        fields = _join_fields(meaning, fields, spec)

    kind = _registered[name]
    for field in fields:
        if field not in kind._fields:
            raise ValueError(
                f"{name} has no field {field!r}, got {spec!r}; its fields are "
                f"{', '.join(kind._fields)}.{closest(field, kind._fields)}"
            )
    return kind, fields


def is_own_name(name: str) -> bool:
    """Whether a name is that of a registered class, apart from capitals, underscores, hyphens."""
    return measure_key(name) in _by_folded_name


def _parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Split a string into name and fields; "rbp.95" and "IPrec@0.1" are names as a whole."""
    try:
        return parse(spec)
    except ValueError:
        if meaning_of(spec, _by_folded_name) is None:
            raise
        return spec, {}


def _join_fields(meaning: Meaning, fields: dict[str, Any], spec: str) -> dict[str, Any]:
    """Return the fields that a name implies, and those that stand beside it."""
    for field in meaning.fields.keys() & fields:
        raise ValueError(
            f"{field} can be given only once, got it in the name and as a field in {spec!r}."
        )
    return meaning.fields | fields


def _hint(name: str, fields: dict[str, Any]) -> str:
    suggested = closest_measure(name, _by_folded_name)
    if suggested is not None:
        return f" Did you mean {_write(_registered[suggested], fields)!r}?"
    return (
        " skgraded.catalogue() and 'skgraded measures' list all measures; "
        "skgraded.conventions.measure_as and --as TOOL take the names of another tool."
    )


def _write(kind: type[Measure], fields: dict[str, Any]) -> str:
    """Write a measure as a string to paste, with its cut-off alone where fields do not fit."""
    cutoff = {name: fields[name] for name in fields if name == "k"}
    for fields_to_try in (fields, cutoff):
        try:
            return str(kind(**fields_to_try))
        except (TypeError, ValueError):
            continue
    return kind.__name__
