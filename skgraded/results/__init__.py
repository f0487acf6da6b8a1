"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._averages import LEAST, average_of
from skgraded.results._exact_mean import MeanSums, exact_means
from skgraded.results._means import Means, mean_of_values
from skgraded.results._names import column_of
from skgraded.results._scores import Scores

__all__ = [
    "LEAST",
    "MeanSums",
    "Means",
    "Scores",
    "average_of",
    "column_of",
    "exact_means",
    "mean_of_values",
]
