"""The vocabulary of columns: the names by which libraries and people call the same thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

# Those of ir_measures and ir_datasets; PyTerrier; ranx; BEIR and MTEB; ESCI; logs; and plain words.
SYNONYMS = {
    "query": ("query_id", "qid", "q_id", "topic", "topic_id", "query"),
    "document": (
        "doc_id",
        "docid",
        "docno",
        "corpus_id",
        "product_id",
        "document_id",
        "document",
    ),
    "grade": ("relevance", "label", "grade", "rel", "esci_label"),
    "score": ("score",),
    "rank": ("rank", "position"),
    "position": ("position", "rank"),
    "session": ("session", "session_id"),
    "user": ("user", "user_id"),
    "clicked": ("clicked", "click"),
    "purchased": ("purchased", "purchase"),
    "propensity": ("propensity",),
}
# Names that a table of features has for query ids alone; the others may be those of features.
QUERY_IDS = ("qid", "query_id", "q_id")
# What a table may hold beside the ids: texts, and PyTerrier's numbers of documents beside docno.
_NO_IDS = ("query", "document", "docid")


def column_key(name: Any) -> str:
    """Return a name without case, and with "_" for "-" and " "."""
    return str(name).strip().lower().replace("-", "_").replace(" ", "_")


def names_of(meaning: str, names: Iterable[Any]) -> list[Any]:
    """Return those of the names that have a meaning, such as ``"query"``.

    Parameters
    ----------
    meaning : str
        A key of `SYNONYMS`.
    names : iterable of object
        Names of columns.

    Returns
    -------
    list
        Some of the names. A column that is called query, document or docid holds something else
        where another column holds the ids.
    """
    synonyms = [name for name in names if column_key(name) in SYNONYMS[meaning]]
    ids = [name for name in synonyms if column_key(name) not in _NO_IDS]
    return ids or synonyms


def find_column(
    meaning: str, names: Iterable[Any], take: Callable[[Any], Any], table: str
) -> Any | None:
    """Return the name of the column that has a meaning.

    Parameters
    ----------
    meaning : str
        A key of `SYNONYMS`.
    names : iterable of object
        Names of columns.
    take : callable
        Called with a name; returns the column.
    table : str
        What they are columns of, for messages.

    Returns
    -------
    object or None
        The name; None if there is none.

    Raises
    ------
    ValueError
        If two columns have the meaning and differ.
    """
    synonyms = names_of(meaning, names)
    if not synonyms:
        return None
    first, *duplicates = synonyms
    for name in duplicates:
        if list(take(name)) != list(take(first)):
            raise ValueError(
                f"{table} must have one column of its kind, got {first} and {name}, which "
                "differ: either may be meant. Drop one of them."
            )
    return first
