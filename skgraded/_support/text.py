"""Words and sentences for people: numbers with their nouns, lists of names, lines that fit."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence

WIDTH = 80
_EXAMPLES = 3
_WIDEST_NAME = 30
_MORE_ROOM = 8  # for names that are equal where they are cut
_RANK = re.compile(r" *\d+ ")

# Unicode's control characters, separators of lines and of paragraphs, and halves of characters,
# which no encoding has; and marks that change the direction of the text behind them.
_UNWRITABLE = frozenset(["Cc", "Zl", "Zp", "Cs"])
_DIRECTIONS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def count(n: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun, such as ``1 topic`` or ``2 topics``."""
    return f"{n} {noun}" if n == 1 else f"{n} {plural or noun + 's'}"


def first_few(names: Sequence[str]) -> str:
    """List the first names of several, such as ``a, b, c and 4 more``."""
    examples = ", ".join(names[:_EXAMPLES])
    if len(names) <= _EXAMPLES:
        return examples
    return f"{examples} and {len(names) - _EXAMPLES} more"


def shorten(name: str, width: int = _WIDEST_NAME) -> str:
    """Cut a name that is wider than a column; of a pair ``a - b``, both names that are long."""
    if len(name) <= width:
        return name
    first, dash, second = name.partition(" - ")
    if dash and " - " not in second:
        half = (width - len(dash)) // 2
        return f"{shorten(first, half)}{dash}{shorten(second, half)}"
    return name[: width - 3] + "..."


def shorten_apart(names: Sequence[str], width: int = _WIDEST_NAME) -> list[str]:
    """Cut names that are wider than a column so that different ones stay different.

    Parameters
    ----------
    names : sequence of str
        The names.
    width : int, default=30
        Characters that a name has at most, unless only longer ones differ.

    Returns
    -------
    list of str
        The names: cut at their ends; where that makes them equal, without what they share; and
        else in the middle.

    Examples
    --------
    >>> from skgraded._support.text import shorten_apart
    >>> shorten_apart(["run.passage.default.dl19.txt", "run.passage.tuned.dl19.txt"], 14)
    ['...default...', '...tuned...']
    """
    text_by_name = {name: shorten(name, width) for name in names}
    names_by_text: dict[str, list[str]] = {}
    for name, text in text_by_name.items():
        names_by_text.setdefault(text, []).append(name)
    for same_names in names_by_text.values():
        if len(same_names) > 1:
            text_by_name |= _without_shared_ends(same_names, width)

    room = width
    while len(set(text_by_name.values())) < len(text_by_name):
        text_by_name = {name: _cut_in_the_middle(name, room) for name in text_by_name}
        room += _MORE_ROOM
    return [text_by_name[name] for name in names]


def _without_shared_ends(names: Sequence[str], width: int) -> dict[str, str]:
    """Leave out the words that all names begin with and that all end with."""
    first = min(names)
    last = max(names)
    start = _n_shared(first, last)
    backwards = [name[::-1] for name in names]
    end = min(_n_shared(backwards[0], name) for name in backwards)

    # Whole words stay.
    while start and first[start - 1].isalnum():
        start -= 1
    while end and backwards[0][end - 1].isalnum():
        end -= 1
    end = min(end, *[len(name) - start for name in names])

    texts = {}
    for name in names:
        core = name[start : len(name) - end]
        text = f"{'...' if start else ''}{core}{'...' if end else ''}"
        if len(text) > len(name):
            text = name
        texts[name] = _cut_in_the_middle(text, width)
    return texts


def _n_shared(first: str, second: str) -> int:
    """Return the number of characters that both begin with."""
    pairs = zip(first, second, strict=False)
    return next(
        (place for place, (one, two) in enumerate(pairs) if one != two),
        min(len(first), len(second)),
    )


def _cut_in_the_middle(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    n_behind = (width - len("...")) // 2
    n_before = width - len("...") - n_behind
    return f"{name[:n_before]}...{name[len(name) - n_behind :]}"


def shorten_labels(labels: Sequence[str], width: int = _WIDEST_NAME) -> list[str]:
    """Cut the labels of a table's rows as `shorten_apart` cuts names.

    Parameters
    ----------
    labels : sequence of str
        Names, behind a rank or not, or pairs ``a - b`` of names.
    width : int, default=30
        Characters of the widest label, unless only longer ones differ.

    Returns
    -------
    list of str
        The labels. Ranks do not count as a difference.

    Examples
    --------
    >>> from skgraded._support.text import shorten_labels
    >>> shorten_labels([" 1 a long name x", "10 a long name y"], 12)
    [' 1 ...x', '10 ...y']
    """
    if all(len(label) <= width for label in labels):
        return list(labels)

    pairs = [label.split(" - ") for label in labels]
    if all(len(pair) == len(("first", "second")) for pair in pairs):
        half = (width - len(" - ")) // 2
        firsts, seconds = zip(*pairs, strict=True)
        texts = shorten_apart([*firsts, *seconds], half)
        n_pairs = len(pairs)
        return [
            f"{first} - {second}"
            for first, second in zip(texts[:n_pairs], texts[n_pairs:], strict=True)
        ]

    matches = [_RANK.match(label) for label in labels]
    ranks = [match[0] if match else "" for match in matches]
    if len(set(ranks)) < len(ranks):
        ranks = [""] * len(labels)
    names = [label[len(rank) :] for label, rank in zip(labels, ranks, strict=True)]
    room = width - max(map(len, ranks))
    texts = shorten_apart(names, room)
    return [f"{rank}{text}" for rank, text in zip(ranks, texts, strict=True)]


def wrap(text: str, width: int = WIDTH, indent: int = 2) -> str:
    """Break a sentence into lines and indent all of them but the first."""
    return textwrap.fill(
        text, width, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def visible(text: str) -> str:
    """Write characters that would move a cursor, turn a line around or fail as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    is_unwritable = unicodedata.category(character) in _UNWRITABLE
    if is_unwritable or character in _DIRECTIONS:
        return character.encode("unicode_escape").decode()
    return character


def told_queries(n_queries: Sequence[int]) -> str:
    """Say how many queries there are, where parts of a result may have other numbers of them.

    Parameters
    ----------
    n_queries : sequence of int
        Number of queries of each part.

    Returns
    -------
    str
        The number, or the least and the most.

    Examples
    --------
    >>> from skgraded._support.text import told_queries
    >>> told_queries([40, 40]), told_queries([35, 40])
    ('40 queries', '35 to 40 queries')
    """
    return _least_to_most(n_queries, "query", "queries")


def told_in_clusters(queries: str, n_clusters: Sequence[int] | None) -> str:
    """Add to a number of queries in words that of their clusters, if there are any.

    Parameters
    ----------
    queries : str
        The number of queries in words.
    n_clusters : sequence of int or None
        Number of clusters of each part of a result.

    Returns
    -------
    str
        Both numbers.

    Examples
    --------
    >>> from skgraded._support.text import told_in_clusters
    >>> told_in_clusters("40 queries", [10])
    '40 queries in 10 clusters'
    """
    if n_clusters is None:
        return queries
    return f"{queries} in {_least_to_most(n_clusters, 'cluster', 'clusters')}"


def _least_to_most(numbers: Sequence[int], noun: str, nouns: str) -> str:
    least = min(numbers)
    most = max(numbers)
    return count(most, noun, nouns) if least == most else f"{least} to {most} {nouns}"


def unit_in_words(are_clusters: bool) -> tuple[str, str]:
    """Return what is resampled, one and many of it.

    Parameters
    ----------
    are_clusters : bool
        Whether queries are in clusters.

    Returns
    -------
    (str, str)
        Singular and plural.

    Examples
    --------
    >>> from skgraded._support.text import unit_in_words
    >>> unit_in_words(True)
    ('cluster', 'clusters')
    """
    return ("cluster", "clusters") if are_clusters else ("query", "queries")
