"""`Judgments` and `Rankings`, which validate the input of users and lay it out by query."""

from skgraded.rankings._checks import numeric
from skgraded.rankings._judgments import Judgments, Rankings, Ties, Unjudged, as_rankings
from skgraded.rankings._layout import as_ids, group_rows, is_missing, levels_of
from skgraded.rankings._ranked_list import RankedList

__all__ = [
    "Judgments",
    "RankedList",
    "Rankings",
    "Ties",
    "Unjudged",
    "as_ids",
    "as_rankings",
    "group_rows",
    "is_missing",
    "levels_of",
    "numeric",
]
