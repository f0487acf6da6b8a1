"""Query ids, targets, judgments and ranked lists: checks of input, and its layout by query."""

from skgraded._support.frames import words_of_grades
from skgraded.rankings._columns import (
    QID,
    CheckedColumns,
    QueryIds,
    features_for,
    id_columns,
    query_ids,
    query_series,
    query_target,
    read_columns,
    replace_words,
    split_target,
    without_query_ids,
)
from skgraded.rankings._judgments import Judgments, as_rankings
from skgraded.rankings._levels import levels_of
from skgraded.rankings._numbers import (
    distinct_numbers,
    grades_of_categories,
    numeric,
    own_scores,
    read_as,
    read_grades,
    require_same_words,
    way_of_words,
)
from skgraded.rankings._queries import as_ids, number_rows, place_rows
from skgraded.rankings._rankings import (
    IdealRanking,
    Ranked,
    RankedList,
    Rankings,
    Ties,
    Unjudged,
)

# What users import; other packages of skgraded take the rest from here, too.
__all__ = ["IdealRanking", "Judgments", "RankedList", "Rankings", "as_rankings"]
