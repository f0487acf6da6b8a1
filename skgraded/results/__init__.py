"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._align import align, clusters_of, side_by_side
from skgraded.results._means import Means
from skgraded.results._names import OfMeasures, by_name, column_of, direction_of
from skgraded.results._scores import Scores, warn_of_no_mean

__all__ = [
    "Means",
    "OfMeasures",
    "Scores",
    "align",
    "by_name",
    "clusters_of",
    "column_of",
    "direction_of",
    "side_by_side",
    "warn_of_no_mean",
]
