"""`Judgments` and `Rankings`, which validate the input of users and lay it out by query."""

from skgraded.rankings._checks import check_group_sizes, numeric
from skgraded.rankings._grouping import as_ids, group_rows, is_missing
from skgraded.rankings._judgments import Judgments, Rankings, Ties, Unjudged, as_rankings
from skgraded.rankings._layout import levels_of
from skgraded.rankings._query_ids import (
    QID,
    features_for,
    has_id_column,
    resolve_query_ids,
    split_target,
)
from skgraded.rankings._ranked_list import RankedList

__all__ = [
    "QID",
    "Judgments",
    "RankedList",
    "Rankings",
    "Ties",
    "Unjudged",
    "as_ids",
    "as_rankings",
    "check_group_sizes",
    "features_for",
    "group_rows",
    "has_id_column",
    "is_missing",
    "levels_of",
    "numeric",
    "resolve_query_ids",
    "split_target",
]
