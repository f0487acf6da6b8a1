"""Judgments and rankings: the one place where input is validated and laid out by query."""

from skgraded.rankings._checks import as_ids, check_group_sizes, is_missing
from skgraded.rankings._judgments import (
    Judgments,
    Positions,
    RankedList,
    Rankings,
    Ties,
    Unjudged,
)
from skgraded.rankings._query_ids import QID, features_for, has_id_column

__all__ = [
    "QID",
    "Judgments",
    "Positions",
    "RankedList",
    "Rankings",
    "Ties",
    "Unjudged",
    "as_ids",
    "check_group_sizes",
    "features_for",
    "has_id_column",
    "is_missing",
]
