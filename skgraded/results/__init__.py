"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._align import (
    clusters_of as clusters_of,
    places_of_queries as places_of_queries,
    side_by_side,
)
from skgraded.results._judged_share import (
    JudgedShare as JudgedShare,
    joined_shares as joined_shares,
    known_shares as known_shares,
)
from skgraded.results._means import Means
from skgraded.results._names import (
    MeasureCollection as MeasureCollection,
    by_name as by_name,
    column_of as column_of,
    direction_of as direction_of,
)
from skgraded.results._scores import Scores, warn_of_no_mean as warn_of_no_mean

__all__ = ["Means", "Scores", "side_by_side"]
