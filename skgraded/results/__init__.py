"""Results: values and means by system, query and measure, how they are averaged and shown."""

from skgraded.results._exact_mean import MeanSums, exact_means
from skgraded.results._judged import Judged, judged_scores
from skgraded.results._means import Means, warn_of_no_mean
from skgraded.results._names import OfMeasures, column_of
from skgraded.results._scores import Scores
from skgraded.results._side_by_side import by_name, direction_of
from skgraded.results._tables import notes_of, report_of
from skgraded.results._trec_eval_lines import as_trec_eval_lines

__all__ = [
    "Judged",
    "MeanSums",
    "Means",
    "OfMeasures",
    "Scores",
    "as_trec_eval_lines",
    "by_name",
    "column_of",
    "direction_of",
    "exact_means",
    "judged_scores",
    "notes_of",
    "report_of",
    "warn_of_no_mean",
]
