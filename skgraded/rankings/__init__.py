"""Query ids, targets, judgments and ranked lists: checks of input, and its layout by query."""

from skgraded.rankings._checks import check_group_sizes, numeric
from skgraded.rankings._direct_calls import (
    as_rankings,
    refuse_other_order,
    warn_if_ids_are_sizes,
    warn_if_swapped,
)
from skgraded.rankings._grouping import as_ids, group_rows, is_missing
from skgraded.rankings._judgments import Judgments, Rankings
from skgraded.rankings._layout import levels_of
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
from skgraded.rankings._ranked_list import RankedList, Ties, Unjudged

__all__ = [
    "QID",
    "Judgments",
    "QueryIds",
    "RankedList",
    "Rankings",
    "Ties",
    "Unjudged",
    "as_ids",
    "as_rankings",
    "check_group_sizes",
    "features_for",
    "find_queries",
    "group_rows",
    "has_id_column",
    "is_missing",
    "levels_of",
    "numeric",
    "query_ids",
    "query_series",
    "query_target",
    "refuse_other_order",
    "resolve_queries",
    "resolve_query_ids",
    "resolve_rows",
    "split_target",
    "warn_if_ids_are_sizes",
    "warn_if_swapped",
    "without_query_ids",
]
