"""Results: values and means by system, query and measure, how they are averaged and shown."""

from typing import TYPE_CHECKING

from skgraded._support.lazy import on_first_use

if TYPE_CHECKING:
    from skgraded.results._clusters import (
        clusters_of,
        told_in_clusters,
        told_queries,
        unit_in_words,
    )
    from skgraded.results._exact_mean import MeanSums, exact_means
    from skgraded.results._means import Means, warn_of_no_mean
    from skgraded.results._names import OfMeasures, column_of
    from skgraded.results._scores import Scores
    from skgraded.results._side_by_side import by_name, direction_of
    from skgraded.results._tables import notes_of, report_of
    from skgraded.results._trec_eval_lines import as_trec_eval_lines

__all__ = [
    "MeanSums",
    "Means",
    "OfMeasures",
    "Scores",
    "as_trec_eval_lines",
    "by_name",
    "clusters_of",
    "column_of",
    "direction_of",
    "exact_means",
    "notes_of",
    "report_of",
    "told_in_clusters",
    "told_queries",
    "unit_in_words",
    "warn_of_no_mean",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "_clusters": ["clusters_of", "told_in_clusters", "told_queries", "unit_in_words"],
        "_exact_mean": ["MeanSums", "exact_means"],
        "_means": ["Means", "warn_of_no_mean"],
        "_names": ["OfMeasures", "column_of"],
        "_scores": ["Scores"],
        "_side_by_side": ["by_name", "direction_of"],
        "_tables": ["notes_of", "report_of"],
        "_trec_eval_lines": ["as_trec_eval_lines"],
    },
)
