"""Measures of ranking effectiveness; most are declared by d, v, p and K of the prefix form."""

from typing import TYPE_CHECKING

from skgraded._support.lazy import on_first_use
from skgraded.measures import (
    average_precision,
    blend,
    bpref,
    cascade,
    ndcg,
    precision_recall,
)
from skgraded.measures._catalogue import (
    Measures,
    catalogue,
    measure,
    measure_or_none as measure_or_none,
    measures_by_name,
    register,
    register_family,
)
from skgraded.measures._cwl import CWL, PrefixCWL
from skgraded.measures._measure import Measure
from skgraded.measures._positions import ByRank, Positions
from skgraded.measures._prefix import LinearPart, PairFactors, PairPart, PrefixMeasure
from skgraded.measures._scales import (
    resolve_all as resolve_all,
    warn_if_grades_are_inferred as warn_if_grades_are_inferred,
    warn_of_continuous_scale as warn_of_continuous_scale,
)
from skgraded.measures._telling import (
    has_one_value as has_one_value,
    tells_rankings_apart as tells_rankings_apart,
    warn_if_nothing_is_scored as warn_if_nothing_is_scored,
)
from skgraded.measures.average_precision import *
from skgraded.measures.blend import *
from skgraded.measures.bpref import *
from skgraded.measures.cascade import *
from skgraded.measures.ndcg import *
from skgraded.measures.precision_recall import *

if TYPE_CHECKING:
    from skgraded.measures._evaluate import evaluate
    from skgraded.measures._ranges import Bounds, TieReport, bounds, tie_report

__all__ = [
    "CWL",
    "Bounds",
    "ByRank",
    "LinearPart",
    "Measure",
    "Measures",
    "PairFactors",
    "PairPart",
    "Positions",
    "PrefixCWL",
    "PrefixMeasure",
    "TieReport",
    "bounds",
    "catalogue",
    "evaluate",
    "measure",
    "measures_by_name",
    "register",
    "tie_report",
]
__all__ += average_precision.__all__
__all__ += blend.__all__
__all__ += bpref.__all__
__all__ += cascade.__all__
__all__ += ndcg.__all__
__all__ += precision_recall.__all__

for _family in (average_precision, blend, bpref, cascade, ndcg, precision_recall):
    register_family(_family)

# What imports results and tables, which a measure alone does not need.
__getattr__, __dir__ = on_first_use(
    __name__,
    ["Bounds", "TieReport", "bounds", "evaluate", "tie_report"],
    ["_evaluate", "_ranges"],
)
