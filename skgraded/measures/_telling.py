"""Whether a measure can tell rankings of a query apart, or has one value for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from skgraded._guards import warn_once
from skgraded._support.array_types import BoolArray
from skgraded.exceptions import ConstantValueWarning
from skgraded.measures._prefix import score_queries
from skgraded.rankings import Judgments

if TYPE_CHECKING:
    from skgraded.measures._measure import Measure

# Sums of the same numbers in another order differ by less.
_ROUNDING = 1e-12
# One of so many queries mostly tells that rankings differ in value.
_SAMPLED = 64
# Fewer documents may be alike by chance.
_FEWEST_ROWS = 20


def tells_rankings_apart(measure: Measure, judgments: Judgments) -> BoolArray:
    """Tell for each query whether the measure has another value for another ranking.

    The best and the worst order by grade have one value where no document is relevant, or all are,
    and where the list is not longer than a cut-off that counts all alike. Queries of weight 0 tell
    nothing.

    Parameters
    ----------
    measure : Measure
        The measure.
    judgments : Judgments
        The documents by query.

    Returns
    -------
    ndarray of shape (n_queries,), bool
        Whether rankings are told apart.

    Examples
    --------
    >>> from skgraded import AP, Judgments
    >>> from skgraded.measures import tells_rankings_apart
    >>> tells_rankings_apart(AP(), Judgments([1, 0, 0, 0], qid=["a", "a", "b", "b"]))
    array([ True, False])
    """
    grades = judgments.graded
    if judgments.places is not None:
        grades = grades[judgments.places]

    best_values, _ = score_queries([measure], judgments.rank(grades))
    worst_values, _ = score_queries([measure], judgments.rank(-grades))
    # A query without a value has none for any ranking.
    with np.errstate(invalid="ignore"):
        tells = np.abs(best_values - worst_values)[0] > _ROUNDING

    if judgments.weights is not None:
        tells &= judgments.weights > 0
    return tells


def has_one_value(measure: Measure, judgments: Judgments) -> bool:
    """Whether the mean of a measure is the same for every ranking of all queries.

    Parameters
    ----------
    measure : Measure
        The measure.
    judgments : Judgments
        The documents by query.

    Returns
    -------
    bool
        Whether no query tells rankings apart; a few queries mostly say that one does.

    Examples
    --------
    >>> from skgraded import AP, Judgments, measure
    >>> from skgraded.measures import has_one_value
    >>> judgments = Judgments([1, 0, 1])
    >>> has_one_value(AP(), judgments), has_one_value(measure("P@5"), judgments)
    (False, True)
    """
    if judgments.n_queries > 2 * _SAMPLED:
        first_queries = _first_queries(judgments, _SAMPLED)
        if tells_rankings_apart(measure, first_queries).any():
            return False
    return not tells_rankings_apart(measure, judgments).any()


def warn_if_nothing_is_scored(
    measures: Iterable[Measure], judgments: Judgments
) -> None:
    """Warn where all measures have one value for every ranking of the scored queries.

    All models and all candidates of a search are equal then.

    Parameters
    ----------
    measures : iterable of Measure
        The measures.
    judgments : Judgments
        The documents by query.

    Warns
    -----
    ConstantValueWarning
        If no measure tells rankings of any query apart.

    Examples
    --------
    >>> from skgraded import AP, Judgments
    >>> from skgraded.measures import warn_if_nothing_is_scored
    >>> warn_if_nothing_is_scored([AP()], Judgments([1, 0, 1]))
    """
    # Where all queries have a single document, a warning about their ids says so.
    n_documents = judgments.n_documents
    if n_documents < _FEWEST_ROWS or n_documents == judgments.n_queries:
        return
    constant_measures = []
    for measure in measures:
        # Where no label reaches its threshold, another warning says so.
        is_out_of_reach = getattr(measure, "rel", 0) > judgments.top_grade > 0
        if is_out_of_reach or not has_one_value(measure, judgments):
            return
        constant_measures.append(str(measure))

    warn_once(
        f"{', '.join(constant_measures)} has one value for every ranking of the "
        f"{judgments.n_queries} scored queries, so that all models are equal by it. Score queries "
        "with documents that are relevant and others that are not, by a cut-off that is lower than "
        "their number.",
        ConstantValueWarning,
    )


def _first_queries(judgments: Judgments, n_queries: int) -> Judgments:
    """Take the first queries."""
    sizes = np.diff(judgments.indptr[: n_queries + 1])
    n_rows = int(sizes.sum())
    grades = judgments.graded[:n_rows]
    labels = np.where(grades < 0, np.nan, grades)

    weights = None
    if judgments.weights is not None:
        weights = np.repeat(judgments.weights[:n_queries], sizes)
    return Judgments.from_groups(labels, sizes, weights)
