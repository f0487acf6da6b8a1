"""Judgments and rankings: the one place where input is validated and laid out by query."""

from skgraded.rankings._checks import group_rows, is_missing, levels_of, numeric
from skgraded.rankings._judgments import (
    Judgments,
    Positions,
    RankedList,
    Rankings,
    Ties,
    Unjudged,
)
from skgraded.rankings._query_ids import resolve_query_ids, split_target

__all__ = [
    "Judgments",
    "Positions",
    "RankedList",
    "Rankings",
    "Ties",
    "Unjudged",
    "group_rows",
    "is_missing",
    "levels_of",
    "numeric",
    "resolve_query_ids",
    "split_target",
]
