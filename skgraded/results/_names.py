"""The measure that a name means, among the names of the measures of a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from skgraded._support.arguments import closest, is_nan
from skgraded._support.measure_strings import parse
from skgraded._support.other_names import folded, meaning_of


class OfMeasures:
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
        name, fields = text, {}
    meant = meaning_of(name, ours={})
    if meant is not None:
        name, fields = meant.name, {**meant.fields, **fields}
    return folded("".join(name.split())), {field: _plain(fields[field]) for field in fields}


def _open(name: str, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return name, {field: value for field, value in fields.items() if field != "max_grade"}


def _plain(value: Any) -> Any:
    """Return the value of a field so that equal values compare equal."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, str):
        return folded(value)
    return "nan" if is_nan(value) else value
