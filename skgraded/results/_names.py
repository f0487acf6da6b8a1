"""Names of measures and of systems, and the measure of a result that a name means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skgraded._support.arguments import closest, is_nan
from skgraded._support.measure_names import LESS_IS_BETTER, folded, meaning_of
from skgraded._support.measure_strings import parse
from skgraded._support.text import first_few


class MeasureCollection:
    """Base class of results that are collections of the names of measures.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> scores = evaluate(["AP", "nDCG@10"], [1, 0], [0.2, 0.1])
    >>> list(scores), len(scores), "ndcg_cut_10" in scores
    (['AP', 'nDCG@10'], 2, True)
    """

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

    Parameters
    ----------
    measures : sequence of str
        The names of the measures. They need not be those of measures of skgraded.
    name : str or Measure
        The name that is looked for; a measure stands for its string.

    Returns
    -------
    int
        The index of the measure in `measures`.

    Raises
    ------
    KeyError
        If no measure has this name; the message suggests the closest one.

    Examples
    --------
    >>> from skgraded.results import column_of
    >>> column_of(["AP", "nDCG@10", "clicks"], "ndcg_cut_10")
    1
    """
    text = str(name)
    if text in measures:
        return list(measures).index(text)
    parts = [parts_of(each) for each in measures]
    for alike in (parts, [_open(*each) for each in parts]):
        if parts_of(text) in alike:
            return alike.index(parts_of(text))
    raise KeyError(
        f"{text} is not among the measures scored: {', '.join(measures)}.{closest(text, measures)}"
    )


def parts_of(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name in a string and its fields, apart from how they are spelled."""
    try:
        name, fields = parse(text)
    except ValueError:
        name = text
        fields = {}
    meant = meaning_of(name, ours={})
    if meant is not None:
        name = meant.name
        fields = {**meant.fields, **fields}
    return folded("".join(name.split())), {
        field: _plain(fields[field]) for field in fields
    }


def _open(name: str, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return name, {
        field: value for field, value in fields.items() if field != "max_grade"
    }


def _plain(value: Any) -> Any:
    """Return the value of a field so that equal values compare equal."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, str):
        return folded(value)
    return "nan" if is_nan(value) else value


def direction_of(measure: object) -> int:
    """Return whether more of a measure is better, or less.

    Parameters
    ----------
    measure : Measure or object
        The measure, or its name. A name of the user's own counts as one of which more is better.

    Returns
    -------
    int
        1 if more is better, -1 if less is.

    Examples
    --------
    >>> from skgraded.measures import FDR
    >>> from skgraded.results import direction_of
    >>> direction_of(FDR()), direction_of("FDR@5"), direction_of("clicks")
    (-1, -1, 1)
    """
    if not isinstance(measure, str):
        return 1 if getattr(measure, "greater_is_better", True) else -1
    name, fields = parts_of(measure)
    if "parts" in fields:  # of a blend, which agree
        return direction_of(fields["parts"][0][0])
    return -1 if name in LESS_IS_BETTER else 1


def by_name(systems: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping with the names of systems as text.

    Parameters
    ----------
    systems : mapping
        Names of systems to anything.

    Returns
    -------
    dict of str to object
        The same by text.

    Raises
    ------
    ValueError
        If there is no system, or two have the same text as their name.

    Examples
    --------
    >>> from skgraded.results import by_name
    >>> by_name({"a": 0, 1: 2})
    {'a': 0, '1': 2}
    """
    named = {str(name): each for name, each in systems.items()}
    if not named or len(named) < len(systems):
        names = ", ".join(map(repr, systems)) or "none"
        raise ValueError(f"Systems must have names that differ, got {names}.")
    return named


def places_on(axis: str, known: Sequence[Any], chosen: Any) -> list[int]:
    """Return the places of names on an axis."""
    place = {name: number for number, name in enumerate(known)}
    wanted = chosen if isinstance(chosen, list) else [chosen]
    for name in wanted:
        if name not in place:
            listed = first_few(list(map(str, known)))
            hint = closest(str(name), list(map(str, known)))
            raise KeyError(
                f"{name!r} is not a {axis} of this result, which has {listed}.{hint}"
            )
    return [place[name] for name in wanted]
