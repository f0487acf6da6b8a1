"""Guards against misuse: what the data say of ids, sizes and arguments, and how users hear of it.

Everything here works on arrays, so that any layer above can be guarded.
"""

from skgraded._guards._elsewhere import refuse_name_of_a_module
from skgraded._guards._held_out import (
    estimators_in,
    warn_if_rows_are_held_out,
    warn_if_training_cuts_queries,
)
from skgraded._guards._id_columns import (
    warn_if_a_column_is_learned,
    warn_if_a_feature_holds_the_ids,
    warn_if_a_feature_holds_the_labels,
)
from skgraded._guards._labels import (
    has_two_grades,
    warn_if_labels_are_equal,
    warn_if_words_are_in_alphabetical_order,
)
from skgraded._guards._libraries import LIBRARIES
from skgraded._guards._parts import warn_if_other_parts_were_scored
from skgraded._guards._queries import (
    QueryRecord,
    hash_ids,
    n_shared,
    refuse_cut_queries,
    warn_about_queries,
    warn_if_ids_are_forgotten,
    warn_if_splits_cut_queries,
)
from skgraded._guards._stack import (
    n_rows_given_to_search,
    refusal_of,
    refuse_calls_of_boosters,
    running,
    stacklevel_of_the_user,
    warn_once,
)
from skgraded._guards._swapped import (
    warn_if_grades_are_ids,
    warn_if_scores_are_ranks,
    warn_if_swapped,
)
