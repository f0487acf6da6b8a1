"""Warnings of what tools of scikit-learn do without a trace in the data, told by their frames."""

from __future__ import annotations

from typing import Any

from skgraded._guards._issue import warn_once
from skgraded._guards._stack import (
    is_argument_of,
    is_permuting_features,
    metric_of_recursive_elimination,
)
from skgraded.exceptions import (
    CutQueriesWarning,
    OtherMetricWarning,
    QueryIdsWarning,
)

_FOLDS = {"_fit_and_score", "_fit_and_predict"}  # where scikit-learn fits on some of the rows


def warn_if_id_column_is_shuffled() -> None:
    """Warn where ids are read from a column of features that permutation_importance shuffles."""
    if is_permuting_features():
        warn_once(
            "permutation_importance shuffles the column 'qid' of X as if it were a feature, and "
            "with it the queries, so that its importance means nothing. Give the ids by "
            "query_target(y, qid) instead.",
            CutQueriesWarning,
        )


def warn_if_features_are_selected_by_r2() -> None:
    """Warn where RFECV selects features by R2, which it takes where no scoring is given."""
    if metric_of_recursive_elimination() == "r2_score":
        warn_once(
            "scoring should be a ranking measure in RFECV, such as make_ranking_scorer('nDCG@10'), "
            "got r2, which RFECV takes by default and which compares the ranker's scores with the "
            "grades.",
            OtherMetricWarning,
        )


def warn_if_rows_are_those_of_a_fold(numbers: Any) -> None:
    """Warn where row numbers are given to a fold, which holds other rows than were numbered.

    Parameters
    ----------
    numbers : object
        The row numbers, as they were given to the fit: CatBoost's ``pairs``.
    """
    if is_argument_of(_FOLDS, "fit_params", numbers):
        warn_once(
            "pairs should be left out in cross-validation: they are row numbers of all rows, and "
            "a fold has other rows. Fit on each fold yourself, with pairs of its rows.",
            QueryIdsWarning,
        )
