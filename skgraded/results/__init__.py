"""Values and means of measures by system, query and measure, and how they are averaged."""

from skgraded.results._averages import LEAST, average_of
from skgraded.results._exact_mean import MeanSums, exact_means

__all__ = ["LEAST", "MeanSums", "average_of", "exact_means"]
