"""The parts that chunks, Dask and Spark share.

Data that are too large for one call come in parts. An `EvaluationPlan` holds what is the same for
all parts: the measures, the columns, the scale of grades. It scores a part of whole queries, or
scans a stream of chunks that cut queries anywhere. The results of the parts add up to exact means.
"""

from skgraded.engines._grade_scale import distinct_grades, on_scale
from skgraded.engines._plan import EvaluationPlan, reordered
from skgraded.engines._rows import Columns, as_array
from skgraded.engines._whole_queries import QueryRange, refuse_cut_query

__all__ = [
    "Columns",
    "EvaluationPlan",
    "QueryRange",
    "as_array",
    "distinct_grades",
    "on_scale",
    "refuse_cut_query",
    "reordered",
]
