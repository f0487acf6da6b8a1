"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._averages import LEAST, average_of
from skgraded.results._exact_mean import MeanSums, exact_means
from skgraded.results._means import Means, mean_of_values
from skgraded.results._names import column_of
from skgraded.results._scores import Scores
from skgraded.results._tables import report_of
from skgraded.results._trec_eval_lines import as_trec_eval_lines

__all__ = [
    "LEAST",
    "MeanSums",
    "Means",
    "Scores",
    "as_trec_eval_lines",
    "average_of",
    "column_of",
    "exact_means",
    "mean_of_values",
    "report_of",
]
