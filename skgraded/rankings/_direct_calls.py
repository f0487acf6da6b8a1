"""Arrays as users pass them to metric functions, read with care for what is easily forgotten."""

from __future__ import annotations

from numpy.typing import ArrayLike

from skgraded.rankings._judgments import Judgments, Rankings


def as_rankings(
    y_true: ArrayLike | Judgments | Rankings,
    y_score: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Rankings:
    """Rank documents given as arrays, or return a `Rankings` unchanged.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,), Judgments or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or `Judgments`, without `qid` and
        `sample_weight`, or a `Rankings`, without `y_score`, either.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them. Without it they are read from
        `y_true`, where that is made by `query_target` or is a Series with an index level ``"qid"``;
        else all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    n_threads : int, optional
        Number of threads, which does not change the results. None is one thread, and -1 one per
        processor.

    Returns
    -------
    Rankings
        The ranked documents.

    Raises
    ------
    TypeError
        If `y_score` is missing, or other arguments are passed together with a `Rankings`.
    ValueError
        If two pandas objects have the same index in different orders, or ids in two places
        contradict each other.

    Warns
    -----
    MissingQueryIdsWarning
        If there are no query ids and more than 1,000 rows, or scikit-learn's scorer asks.
    GroupSizesWarning
        If the query ids look like group sizes.
    ThinnedQueriesWarning
        If queries lack rows, as `query_target`, `query_series` or `query_ids` has counted them.
    CutQueriesWarning
        If queries have rows twice.
    SwappedArgumentsWarning
        If the grades look like scores, and the scores like grades.

    Examples
    --------
    >>> from skgraded.rankings import as_rankings
    >>> as_rankings([1, 0], [0.5, 0.7])
    <Rankings of 2 documents in 1 queries>
    """
    if isinstance(y_true, Rankings):
        if any(given is not None for given in (y_score, qid, sample_weight)):
            raise TypeError("y_score, qid and sample_weight must be None with a Rankings.")
        return y_true
    if y_score is None:
        raise TypeError("y_score is missing: pass y_true and y_score, or a Rankings.")
    if isinstance(y_true, Judgments):
        if qid is not None or sample_weight is not None:
            raise TypeError("qid and sample_weight must be None with Judgments, which hold them.")
        return y_true.rank(y_score, n_threads)
    return Rankings.from_arrays(y_true, y_score, qid, sample_weight, n_threads)
