"""Names of measures and of systems, and the measure of a result that a name means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skgraded._support.arguments import closest, is_nan
from skgraded._support.measure_names import LESS_IS_BETTER, meaning_of, measure_key
from skgraded._support.measure_strings import parse
from skgraded._support.text import first_few


class MeasureCollection:
    """Base class of results that are collections of the names of measures."""

    measures: tuple[str, ...]

    def __contains__(self, name: object) -> bool:
        """Whether a measure, or the name of one, was scored."""
        try:
            column_of(self.measures, name)
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)


def column_of(measures: Sequence[str], name: object) -> int:
    """Find the column of a measure among those of a result.

    A name matches as it is written, or else by its parts: capitals, hyphens, underscores, blanks
    and the spelling of numbers do not matter, and names of other tools are understood. A name
    without ``max_grade`` finds the measure that took this field, and no other, from the data.

    Examples
    --------
    >>> from skgraded.results import column_of
    >>> column_of(["AP", "nDCG@10", "clicks"], "ndcg_cut_10")
    1
    """
    text = str(name)
    if text in measures:
        return list(measures).index(text)

    wanted_key = name_and_fields(text)
    keys = [name_and_fields(measure) for measure in measures]
    if wanted_key in keys:
        return keys.index(wanted_key)

    for _, fields in keys:
        fields.pop("max_grade", None)
    if wanted_key in keys:
        return keys.index(wanted_key)
    raise KeyError(
        f"{text} is not among the measures scored: {', '.join(measures)}.{closest(text, measures)}"
    )


def columns_of(measures: Sequence[str], names: Any) -> list[int]:
    """Find the column of one measure, or those of several in a list."""
    if not isinstance(names, list | tuple):
        names = [names]
    return [column_of(measures, name) for name in names]


def entries_at(
    columns: Sequence[int], fields: Mapping[str, Any], names: Sequence[str]
) -> dict[str, Any]:
    """Return fields that have an entry for each measure, with the entries of some."""
    entries = {}
    for name in names:
        entries[name] = tuple([fields[name][column] for column in columns])
    return entries


def name_and_fields(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name in a string and its fields, whatever their spelling."""
    try:
        name, fields = parse(text)
    except ValueError:
        name = text
        fields = {}

    meaning = meaning_of(name, ours={})
    if meaning is not None:
        name = meaning.name
        fields = {**meaning.fields, **fields}

    word = measure_key("".join(name.split()))
    comparable_values = map(_comparable, fields.values())
    return word, dict(zip(fields, comparable_values, strict=True))


def _comparable(value: Any) -> Any:
    """Return the value of a field so that equal values compare equal."""
    if isinstance(value, tuple):
        return tuple(map(_comparable, value))
    if isinstance(value, str):
        return measure_key(value)
    return "nan" if is_nan(value) else value


def direction_of(measure: object) -> int:
    """Return 1 if more of a measure is better, or it has a name of the user's own; else -1.

    Examples
    --------
    >>> from skgraded.measures import FDR
    >>> from skgraded.results import direction_of
    >>> direction_of(FDR()), direction_of("FDR@5"), direction_of("clicks")
    (-1, -1, 1)
    """
    if not isinstance(measure, str):
        is_greater_better = getattr(measure, "greater_is_better", True)
        return 1 if is_greater_better else -1

    name, fields = name_and_fields(measure)
    if "parts" in fields:  # of a blend, which agree
        return direction_of(fields["parts"][0][0])
    return -1 if name in LESS_IS_BETTER else 1


def by_name(systems: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping of systems by their names as text, of which no two may be the same."""
    system_by_name = {}
    for name, system in systems.items():
        system_by_name[str(name)] = system
    if not systems or len(system_by_name) < len(systems):
        listing = ", ".join(map(repr, systems)) or "none"
        raise ValueError(f"Systems must have names that differ, got {listing}.")
    return system_by_name


def places_on(axis: str, labels: Sequence[Any], names: Any) -> list[int]:
    """Return the places of one label of an axis, or of a list of them."""
    place_by_label = {label: place for place, label in enumerate(labels)}
    if not isinstance(names, list):
        names = [names]

    for name in names:
        if name not in place_by_label:
            texts = list(map(str, labels))
            raise KeyError(
                f"{name!r} is not a {axis} of this result, which has {first_few(texts)}."
                f"{closest(str(name), texts)}"
            )
    return [place_by_label[name] for name in names]
