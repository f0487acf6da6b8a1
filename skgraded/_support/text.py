"""Words and sentences for people: numbers with their nouns, lists of names, lines that fit."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

WIDTH = 80
_EXAMPLES = 3
_WIDEST_NAME = 30

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
