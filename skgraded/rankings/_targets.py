"""Targets and ids that carry the sizes of queries: `query_target`, `query_series`, `query_ids`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import warn_if_grades_are_ids
from skgraded._support.optional import import_pandas
from skgraded.rankings._categories import grades_of_categories
from skgraded.rankings._checks import numeric, one_dimensional
from skgraded.rankings._gate import read_columns
from skgraded.rankings._grouping import count_rows
from skgraded.rankings._query_ids import FIELDS, GRADE, N_ROWS, QID

if TYPE_CHECKING:
    import pandas

IntArray = NDArray[np.int64]


def query_target(y: ArrayLike, qid: ArrayLike) -> NDArray[Any]:
    """Put grades, query ids and the queries' numbers of rows into one target array.

    Scikit-learn slices y in step with X everywhere, so the ids reach every estimator, scorer and
    splitter of skgraded without metadata routing. The numbers of rows let them warn wherever a
    tool has taken rows out of a query. Make the target from the whole data set, before it is
    split; where you leave rows out on purpose, make it from the rows that are left.

    Estimators that know nothing of skgraded cannot read such a target, for instance a supervised
    step like ``SelectKBest`` before a `QueryRanker` in a Pipeline, or the final estimator of a
    StackingRegressor: pass `query_series` instead, or put them inside a `QueryRanker`.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades; NaN = unjudged. Ordered categories of words are grades: the first is 0;
        categories that are numbers keep their values.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    ndarray of shape (n_documents,)
        Structured array with the fields ``"grade"`` (float64), ``"qid"`` and ``"n_rows"`` (int64),
        the number of rows of the query.

    Raises
    ------
    ValueError
        If y or qid is not one-dimensional, their lengths differ, an id is missing, or both are
        pandas objects with the same row labels in different orders.

    Warns
    -----
    SwappedArgumentsWarning
        If y looks like query ids and qid like grades.

    See Also
    --------
    query_series : The same for estimators that need a y of numbers.
    query_ids : The same for metadata routing.

    Examples
    --------
    >>> from skgraded import query_target
    >>> y = query_target([2, 0, 1], ["a", "a", "b"])
    >>> y["grade"], y["qid"], y["n_rows"]
    (array([2., 0., 1.]), array(['a', 'a', 'b'], dtype='<U1'), array([2, 2, 1]))
    """
    grades, (ids, sizes) = _checked(y, qid)
    kinds = (np.float64, ids.dtype, np.int64)
    # NumPy fills empty records that hold objects one by one, which takes ten times as long. Of the
    # 20 to 27 ns a row that text in objects or categories takes, zeros take 7, filling 3, an object
    # for each row 4 and its query's number of rows 2, all of them NumPy's.
    target = np.zeros(len(grades), dtype=list(zip(FIELDS, kinds, strict=True)))
    target[GRADE], target[QID], target[N_ROWS] = grades, ids, sizes
    return target


def query_series(y: ArrayLike, qid: ArrayLike) -> pandas.Series:
    """Make a pandas Series of grades whose index holds query ids and numbers of rows.

    It does what `query_target` does for estimators that need a y of numbers, such as ``Ridge``
    with ``scoring=make_ranking_scorer(...)``.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Grades; NaN = unjudged. Ordered categories of words are grades: the first is 0;
        categories that are numbers keep their values.
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    Series
        The grades; the levels ``"qid"`` and ``"n_rows"`` of its index hold the id and the number of
        rows of the query.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If y or qid is not one-dimensional, their lengths differ, an id is missing, or both are
        pandas objects with the same row labels in different orders.

    Warns
    -----
    SwappedArgumentsWarning
        If y looks like query ids and qid like grades.

    See Also
    --------
    query_target : The same without pandas, for estimators of skgraded.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import cross_val_score
    >>> from skgraded import QueryKFold, make_ranking_scorer, query_series
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=20, random_state=0)
    >>> scoring = make_ranking_scorer("nDCG@10")
    >>> scores = cross_val_score(
    ...     Ridge(), X, query_series(y, qid), cv=QueryKFold(4), scoring=scoring
    ... )
    >>> scores.shape
    (4,)
    """
    pd = import_pandas("query_target", needed_by="query_series")
    grades, (ids, sizes) = _checked(y, qid)
    index = pd.MultiIndex.from_arrays([ids, sizes], names=[QID, N_ROWS])
    series: pandas.Series = pd.Series(grades, index=index)
    return series


def query_ids(qid: ArrayLike) -> NDArray[Any]:
    """Put query ids and the queries' numbers of rows into one array, for metadata routing.

    Give it as ``qid=``, or to a splitter as ``groups=``: scikit-learn slices it in step with X, and
    skgraded warns wherever a tool has taken rows out of a query.

    Parameters
    ----------
    qid : array-like of shape (n_documents,)
        Query id of each row, of any type.

    Returns
    -------
    ndarray of shape (n_documents,)
        Structured array with the fields ``"qid"`` and ``"n_rows"`` (int64).

    Raises
    ------
    ValueError
        If qid is not one-dimensional, or an id is missing.

    See Also
    --------
    query_target : The same with the grades, for when metadata routing is off.

    Examples
    --------
    >>> from skgraded import query_ids
    >>> query_ids(["a", "b", "a"])["n_rows"]
    array([2, 1, 2])
    """
    ids, sizes = _counted(qid)
    column = np.zeros(len(ids), dtype=[(QID, ids.dtype), (N_ROWS, np.int64)])
    column[QID], column[N_ROWS] = ids, sizes
    return column


def _checked(y: ArrayLike, qid: ArrayLike) -> tuple[NDArray[Any], tuple[NDArray[Any], IntArray]]:
    """Return grades, ids and sizes, one per row."""
    if np.ma.is_masked(y):  # a masked grade is unjudged
        y = np.ma.filled(np.ma.asarray(y, dtype=np.float64), np.nan)
    grades = one_dimensional("y", grades_of_categories(y))
    if grades.dtype.names:
        raise ValueError("y must hold grades alone, got an array made by query_target.")
    read_columns(y, qid, named=("y", "qid"))
    if grades.dtype.kind not in "iuf":
        grades = numeric("y", y if grades.dtype.kind == "O" else grades)
    ids, sizes = _counted(qid)
    if len(grades) != len(ids):
        raise ValueError(
            f"qid must hold one query id per row of y ({len(grades)}), got {len(ids)}. "
            "Group sizes become ids by np.repeat(np.arange(len(sizes)), sizes)."
        )
    warn_if_grades_are_ids(grades, ids)
    return grades, (ids, sizes)


def _counted(qid: ArrayLike) -> tuple[NDArray[Any], IntArray]:
    """Return ids and, for each row, the number of rows with its id."""
    if getattr(getattr(qid, "dtype", None), "names", None):
        raise ValueError("qid must hold ids alone, got an array made by query_ids.")
    return count_rows(qid)
