"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._exact_mean import MeanSums, exact_means
from skgraded.results._means import Means, mean_of_values
from skgraded.results._names import column_of
from skgraded.results._scores import Scores
from skgraded.results._side_by_side import by_name, direction_of
from skgraded.results._tables import notes_on_empty

__all__ = [
    "MeanSums",
    "Means",
    "Scores",
    "by_name",
    "column_of",
    "direction_of",
    "exact_means",
    "mean_of_values",
    "notes_on_empty",
]
