"""Data of rankings: query ids, targets, judgments and ranked lists, validated and laid out."""

from skgraded.rankings._judgments import (
    Judgments,
    Positions,
    RankedList,
    Rankings,
    Ties,
    Unjudged,
)
from skgraded.rankings._query_ids import (
    QID,
    QueryIds,
    features_for,
    find_queries,
    has_id_column,
    query_ids,
    query_series,
    query_target,
    resolve_queries,
    resolve_query_ids,
    resolve_rows,
    split_target,
    without_query_ids,
)

__all__ = [
    "QID",
    "Judgments",
    "Positions",
    "QueryIds",
    "RankedList",
    "Rankings",
    "Ties",
    "Unjudged",
    "features_for",
    "find_queries",
    "has_id_column",
    "query_ids",
    "query_series",
    "query_target",
    "resolve_queries",
    "resolve_query_ids",
    "resolve_rows",
    "split_target",
    "without_query_ids",
]
