"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._align import clusters_of
from skgraded.results._means import Means, warn_of_no_mean
from skgraded.results._names import OfMeasures, by_name, column_of, direction_of
from skgraded.results._scores import Scores
from skgraded.results._tables import as_trec_eval_lines, notes_of, report_of

__all__ = [
    "Means",
    "OfMeasures",
    "Scores",
    "as_trec_eval_lines",
    "by_name",
    "clusters_of",
    "column_of",
    "direction_of",
    "notes_of",
    "report_of",
    "warn_of_no_mean",
]
