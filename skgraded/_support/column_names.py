"""The vocabulary of columns: the names by which libraries and people call the same thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

# Those of ir_measures and ir_datasets; PyTerrier; ranx; BEIR and MTEB; ESCI; Quepid, OpenSearch and
# Elasticsearch; MS MARCO and ColBERT; logs; and plain words.
SYNONYMS = {
    "query": (
        "query_id",
        "qid",
        "q_id",
        "topic",
        "topic_id",
        "query",
        "query_text",
        "search_term",
    ),
    "document": (
        "doc_id",
        "docid",
        "docno",
        "corpus_id",
        "product_id",
        "passage_id",
        "item_id",
        "pid",
        "document_id",
        "document",
        "doc",
        "asin",
        "url",
    ),
    "grade": (
        "relevance",
        "label",
        "grade",
        "rel",
        "rating",
        "esci_label",
        "judgment",
        "gain",
    ),
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
# What a table may hold beside the ids: texts, addresses, and PyTerrier's numbers of documents
# beside docno; and beside the grades: what was made of them.
_SECOND = frozenset(
    [
        "query",
        "query_text",
        "search_term",
        "document",
        "docid",
        "doc",
        "pid",
        "item_id",
        "passage_id",
        "asin",
        "url",
        "rating",
        "judgment",
        "gain",
    ]
)
_WORD_ENDS = re.compile("(?<=[a-z0-9])(?=[A-Z])")  # in camel case


def column_key(name: Any) -> str:
    """Return a name without case, and with "_" for "-", " " and the humps of camel case."""
    words = _WORD_ENDS.sub("_", str(name).strip())
    return words.lower().replace("-", "_").replace(" ", "_")


def _means(key: str, meaning: str) -> bool:
    """Whether a key is one of the names with a meaning, with "_" between its words or without."""
    synonyms = SYNONYMS[meaning]
    return key in synonyms or key in [name.replace("_", "") for name in synonyms]


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
        Some of the names. A column that is called query, document, docid or url holds something
        else where another column holds the ids, and so do rating, judgment and gain beside grades.
    """
    synonyms = [name for name in names if _means(column_key(name), meaning)]
    first_names = [name for name in synonyms if column_key(name) not in _SECOND]
    return first_names or synonyms


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
