"""Evaluation by several measures at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from skgraded._guards import warn_about_scales
from skgraded.measures._catalogue import measures_of
from skgraded.measures._measure import Measure, score_queries
from skgraded.measures._scores import Scores
from skgraded.rankings import Rankings, as_rankings

__all__ = ["evaluate"]


def evaluate(
    measures: str | Measure | Sequence[str | Measure],
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Scores:
    """Score rankings by several measures; the documents are sorted only once.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures, such as ``["xGAP(g=[0.1,0.9])@10", nDCG(k=10)]``.
    y_true : array-like of shape (n_documents,) or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or a `Rankings`, without `y_score`,
        `qid` and `sample_weight`.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order. Without it all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    n_threads : int, optional
        Number of threads, which does not change the results. None is one thread, and -1 one per
        processor.

    Returns
    -------
    Scores
        The value of every measure for every query, and the means.

    Raises
    ------
    TypeError
        If the first argument holds no measures.
    ValueError
        If an array or a measure is invalid; the message names the argument, the rule and the
        value.

    See Also
    --------
    measure : The string form of measures.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> y_true, qid = [2, 0, 1, 0, 1, 0], ["a", "a", "a", "b", "b", "b"]
    >>> evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], y_true, [3, 2, 1, 3, 2, 1], qid=qid)
    measure                mean     ideal  over 2 queries
    eGAP(g=[0.1,0.9])    0.5167    0.5500
    nDCG@2               0.6956    1.0000
    """
    _refuse_other_order(measures, y_score)
    parsed = measures_of(measures)
    rankings = as_rankings(y_true, y_score, qid, sample_weight, n_threads)
    judgments = rankings.judgments
    if rankings is not y_true:
        warn_about_scales(parsed, judgments)
    values, n_empty = zip(*score_queries(parsed, rankings), strict=True)
    return Scores(
        measures=parsed,
        qid=judgments.qid,
        values=np.column_stack(values),
        weights=judgments.weights,
        n_empty=n_empty,
        judgments=judgments,
    )


def _refuse_other_order(measures: object, third: object) -> None:
    """Raise where the measures come last, as in other packages, and not first."""
    if isinstance(measures, str | Measure) or not _holds_measures(third):
        return
    raise TypeError(
        "The measures must come first, got them as y_score: "
        f"evaluate({third!r}, y_true, y_score, qid=qid)."
    )


def _holds_measures(value: object) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(each, str | Measure) for each in value)
    return isinstance(value, str | Measure)
