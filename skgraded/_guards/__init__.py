"""Guards against misuse: warnings, the sizes of queries, and what the call stack tells.

Everything here works on arrays, so that any layer above can be guarded.
"""

from skgraded._guards._arguments import (
    warn_if_grades_are_ids,
    warn_if_ids_are_forgotten,
    warn_if_swapped,
)
from skgraded._guards._issue import warn_once
from skgraded._guards._nested import fitted_inside
from skgraded._guards._query_record import QueryRecord, hash_ids
from skgraded._guards._refusals import Refusal, refusal_of
from skgraded._guards._row_counts import Queries, n_shared
from skgraded._guards._scikit_learn import (
    warn_if_features_are_selected_by_r2,
    warn_if_id_column_is_shuffled,
    warn_if_rows_are_those_of_a_fold,
)
from skgraded._guards._stack import (
    argument_of,
    caller_with,
    fits_of_pipelines,
    is_permuting_features,
    refuse_calls_of_boosters,
    stacklevel_of_the_user,
)
from skgraded._guards._subsets import refuse_cut_queries
from skgraded._guards._whole_queries import (
    warn_about_given_queries,
    warn_about_scored_queries,
    warn_if_splits_take_parts,
)

__all__ = [
    "Queries",
    "QueryRecord",
    "Refusal",
    "argument_of",
    "caller_with",
    "fits_of_pipelines",
    "fitted_inside",
    "hash_ids",
    "is_permuting_features",
    "n_shared",
    "refusal_of",
    "refuse_calls_of_boosters",
    "refuse_cut_queries",
    "stacklevel_of_the_user",
    "warn_about_given_queries",
    "warn_about_scored_queries",
    "warn_if_features_are_selected_by_r2",
    "warn_if_grades_are_ids",
    "warn_if_id_column_is_shuffled",
    "warn_if_ids_are_forgotten",
    "warn_if_rows_are_those_of_a_fold",
    "warn_if_splits_take_parts",
    "warn_if_swapped",
    "warn_once",
]
