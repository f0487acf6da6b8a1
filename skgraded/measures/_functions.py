"""Functions in scikit-learn's manner: `evaluate`, and one per measure of the GAP family."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from skgraded.measures._base import Measure, as_rankings, score_queries
from skgraded.measures._parse import measures_of
from skgraded.measures._scores import Scores
from skgraded.measures.average_precision import GAP, eGAP, xGAP
from skgraded.rankings import Rankings, Ties

__all__ = ["egap_score", "evaluate", "gap_score", "xgap_score"]


def evaluate(
    measures: str | Measure | Sequence[str | Measure],
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int = 1,
) -> Scores:
    """Score rankings by several measures, with one sort for all of them.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures, such as ``["xGAP(g=[0.1,0.9])@10", nDCG(k=10)]``.
    y_true : array-like of shape (n_documents,) or Rankings
        Grades, 0 = judged not relevant, NaN = unjudged; or rankings, which need nothing else.
    y_score : array-like of shape (n_documents,)
        Scores; the highest comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows are one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.
    n_threads : int, default=1
        Threads; results do not depend on it.

    Returns
    -------
    Scores
        Values query by query, and their means.

    Raises
    ------
    ValueError
        If an array or a measure is not as described; the message names the argument, the rule
        and the value.

    See Also
    --------
    measure : How a measure is written as a string.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> y_true, qid = [2, 0, 1, 0, 1, 0], ["a", "a", "a", "b", "b", "b"]
    >>> evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], y_true, [3, 2, 1, 3, 2, 1], qid=qid)
    measure              mean  over 2 queries
    eGAP(g=[0.1,0.9])  0.5167
    nDCG@2             0.6956
    """
    parsed = measures_of(measures)
    rankings = as_rankings(y_true, y_score, qid, sample_weight, n_threads)
    values, n_empty = zip(*score_queries(parsed, rankings), strict=True)
    judgments = rankings.judgments
    return Scores(
        measures=parsed,
        qid=judgments.qid,
        values=np.column_stack(values),
        weights=judgments.weights,
        n_empty=n_empty,
    )


def gap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    g: Sequence[float] | str | None = None,
    k: int | None = None,
    ties: Ties = "expected",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean graded average precision (Robertson, Kanoulas and Yilmaz 2010).

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant, NaN = unjudged.
    y_score : array-like of shape (n_documents,)
        Scores; the highest comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows are one query.
    g : sequence of float, {"uniform", "linear"}, optional
        Probability of each threshold 1..c; None is uniform over the grades up to the highest.
    k : int, optional
        Cut-off: only the ranks n <= k count.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Value of tied documents.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.

    Returns
    -------
    float
        The mean over queries.

    See Also
    --------
    GAP : The formula, and all options.

    Examples
    --------
    >>> from skgraded import gap_score
    >>> round(gap_score([1, 2, 0], [.9, .8, .7], g=(.1, .9)), 4)  # its bias: a low grade came first
    0.5909
    """
    chosen = GAP(g="uniform" if g is None else g, k=k, ties=ties)
    return chosen(y_true, y_score, qid=qid, sample_weight=sample_weight)


def xgap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    g: Sequence[float] | str | None = None,
    k: int | None = None,
    ties: Ties = "expected",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean extended graded average precision (Ferrante, Ferro and Maistro 2014, Eq. 5).

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant, NaN = unjudged.
    y_score : array-like of shape (n_documents,)
        Scores; the highest comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows are one query.
    g : sequence of float, {"uniform", "linear"}, optional
        Probability of each threshold 1..c; None is uniform over the grades up to the highest.
    k : int, optional
        Cut-off: only the ranks n <= k count.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Value of tied documents.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.

    Returns
    -------
    float
        The mean over queries.

    See Also
    --------
    xGAP : The formula, and all options.

    Examples
    --------
    >>> from skgraded import xgap_score
    >>> round(xgap_score([1, 2, 0], [.9, .8, .7], g=(.1, .9)), 4)
    0.5725
    """
    chosen = xGAP(g="uniform" if g is None else g, k=k, ties=ties)
    return chosen(y_true, y_score, qid=qid, sample_weight=sample_weight)


def egap_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    g: Sequence[float] | str | None = None,
    k: int | None = None,
    ties: Ties = "expected",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean expected graded average precision (Ferrante, Ferro and Maistro 2014, Eq. 6).

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades, 0 = judged not relevant, NaN = unjudged.
    y_score : array-like of shape (n_documents,)
        Scores; the highest comes first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows are one query.
    g : sequence of float, {"uniform", "linear"}, optional
        Probability of each threshold 1..c; None is uniform over the grades up to the highest.
    k : int, optional
        Cut-off: only the ranks n <= k count.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Value of tied documents.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; a query weighs the mean of its rows.

    Returns
    -------
    float
        The mean over queries.

    See Also
    --------
    eGAP : The formula, and all options.

    Examples
    --------
    >>> from skgraded import egap_score
    >>> egap_score([1, 2, 0], [.9, .8, .7], g=(.1, .9))
    0.55
    """
    chosen = eGAP(g="uniform" if g is None else g, k=k, ties=ties)
    return chosen(y_true, y_score, qid=qid, sample_weight=sample_weight)
