"""Cross-validation that keeps the value of every query."""

from __future__ import annotations

import copy
import dataclasses
import numbers
import time
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from skgraded._guards import warn_about_given_queries, warn_if_splits_take_parts
from skgraded._params import choice, integer, is_integer
from skgraded._text import Table, TableResult
from skgraded.measures import Measure, QueryScores, Scores, evaluate, measure, measures_of
from skgraded.model_selection._query_ranker import QueryRanker
from skgraded.model_selection._splitters import QueryKFold, has_top_grade, query_of_row
from skgraded.rankings import (
    Judgments,
    as_ids,
    query_series,
    query_target,
    read_columns,
    split_target,
    without_query_ids,
)
from skgraded.scoring import ResponseMethod, scores_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["QueryValidation", "cross_validate_queries", "is_once_resolved", "measure_of"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class QueryValidation(TableResult):
    """Results of a cross-validation, query by query.

    A query has one row for each split that tests it. The sign of the values is that of the measure,
    also where less is better.

    Attributes
    ----------
    measures : tuple of Measure
        The measures, one per column of ``values``.
    qid : ndarray of shape (n_rows,)
        Query of each row.
    split : ndarray of shape (n_rows,)
        Split that tested it: 0, 1, ...
    values : ndarray of shape (n_rows, n_measures)
        The values; nan = left out of the mean.
    weights : ndarray of shape (n_rows,) or None
        Weight of each query.
    fit_time : ndarray of shape (n_splits,)
        Seconds that each fit took.
    score_time : ndarray of shape (n_splits,)
        Seconds that each prediction and evaluation took.
    estimators : tuple of estimator or None
        The fitted estimators, where they were asked for.
    n_empty : tuple of int
        For each measure, the number of rows whose query has nothing relevant.
    has_top_grade : ndarray of shape (n_rows,)
        Whether a document of the query has the highest grade of all labels.
    """

    measures: tuple[Measure, ...]
    qid: NDArray[Any]
    split: IntArray
    values: FloatArray
    weights: FloatArray | None
    fit_time: FloatArray
    score_time: FloatArray
    estimators: tuple[Any, ...] | None
    n_empty: tuple[int, ...]
    has_top_grade: NDArray[np.bool_]

    @property
    def repeat(self) -> IntArray:
        """Repeat of each row: a new one begins where a split tests a query a second time.

        The folds of a cross-validation are one repeat; those of repeated ones are several. Random
        splits, which test some queries each, are mostly a repeat each.
        """
        query = query_of_row(Judgments.from_arrays(np.zeros(len(self.qid)), self.qid))
        is_tested = np.zeros(query.max(initial=-1) + 1, dtype=bool)
        repeat_of_split = np.zeros(len(self.fit_time), dtype=np.int64)
        for split in range(1, len(repeat_of_split)):
            is_tested[query[self.split == split - 1]] = True
            is_again = is_tested[query[self.split == split]].any()
            repeat_of_split[split] = repeat_of_split[split - 1] + is_again
            if is_again:
                is_tested[:] = False
        return repeat_of_split[self.split]

    def fold_means(self) -> FloatArray:
        """Return the mean over the queries of each split, as `cross_validate` does.

        Returns
        -------
        ndarray of shape (n_splits, n_measures)
            The means.
        """
        splits = [self._scores_at(self.split == each) for each in range(len(self.fit_time))]
        return np.array([list(each.mean().values()) for each in splits])

    def mean(self) -> dict[str, float]:
        """Return the mean over all queries, each counted once.

        Returns
        -------
        dict of str to float
            The mean of each measure, by its name.
        """
        return {str(each): self.per_query(each).mean() for each in self.measures}

    def per_query(self, name: str | Measure | None = None) -> QueryScores:
        """Return the values of one measure: for each query its mean over the splits that test it.

        Parameters
        ----------
        name : str or Measure, optional
            The measure; the first one by default. One that left the scale's top grade open is
            found by its open name too.

        Returns
        -------
        QueryScores
            Its values, in the order in which queries were first tested.

        Raises
        ------
        KeyError
            If the measure is not among those validated.
        """
        everything = self._scores_at(slice(None), self.n_empty)
        chosen = everything.per_query(self.measures[0] if name is None else self._validated(name))
        layout = Judgments.from_arrays(np.zeros(len(chosen)), self.qid)
        query = query_of_row(layout)
        times = np.diff(layout.indptr)
        values = np.bincount(query, chosen.values) / times
        weights = None if self.weights is None else np.bincount(query, self.weights) / times
        # The number is known by row only; all splits test a query equally often, or nearly so.
        n_empty = round(chosen.n_empty / times.mean())
        return QueryScores(chosen.measure, layout.qid, values, weights, n_empty)

    def _validated(self, name: str | Measure) -> str | Measure:
        """Return the resolved measure for an open one; any other as it is."""
        try:
            given = measure(name)
        except ValueError:  # no measure, so not among those validated
            return name
        return next((each for each in self.measures if is_once_resolved(given, each)), given)

    def _scores_at(self, rows: Any, n_empty: tuple[int, ...] = ()) -> Scores:
        weights = None if self.weights is None else self.weights[rows]
        return Scores(self.measures, self.qid[rows], self.values[rows], weights, n_empty)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per query and split.

        Returns
        -------
        DataFrame
            A column ``"split"`` and one column per measure; the index holds the query ids.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = self._scores_at(slice(None)).to_frame()
        frame.insert(0, "split", self.split)
        return frame

    def _table(self) -> Table:
        means = self.fold_means()
        columns = [
            ("mean", [f"{column.mean():.4f}" for column in means.T]),
            ("std", [f"{column.std():.4f}" for column in means.T]),
        ]
        n_queries = len(set(self.qid.tolist()))
        over = f"Over {len(means)} splits of {n_queries} queries."
        return Table(["measure", *map(str, self.measures)], columns, [over], widest_label=44)


def cross_validate_queries(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    cv: Any = 5,
    n_repeats: int = 1,
    response_method: ResponseMethod = "auto",
    n_jobs: int | None = None,
    return_estimator: bool = False,
) -> QueryValidation:
    """Cross-validate over whole queries and keep the value of every query.

    It works like scikit-learn's ``cross_validate``, with metadata routing on or off, and keeps the
    values that paired tests need: `compare_rankers` takes several results on the same queries. Give
    a search as ``estimator`` for nested cross-validation; the comparison then covers model
    selection itself.

    Parameters
    ----------
    estimator : estimator
        A `QueryRanker`, or a Pipeline or search around one, or an estimator that does not use
        queries and is fitted on features and grades alone. It is cloned, not changed. A search
        around the latter, such as ``GridSearchCV(Ridge(), grid, cv=QueryKFold(5),
        scoring=make_ranking_scorer("AP"))``, gets the result of `query_series` as y if pandas is
        installed.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        Features. A column ``"qid"`` of a DataFrame is not among them.
    y : array-like of shape (n_documents,)
        Grades, or what `query_target` makes.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them, where neither X nor y holds them.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row, for the fit and for the means.
    measures : str, Measure or list of them, optional
        The measures; by default that of the `QueryRanker`. Where one leaves the scale's top grade
        open, it is that of all labels, so that every fold is scored alike.
    cv : int, splitter or iterable of (train, test), default=5
        Number of folds of a `QueryKFold`, or a splitter, or the splits themselves.
    n_repeats : int, default=1
        How often a number of folds, or a splitter with a ``random_state``, splits the queries. The
        first time is that of the splitter itself; the others have the seeds 1, 2, ... after its
        own. The intervals of `compare_rankers` then carry the variation over splits.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        Where scores come from, as in `make_ranking_scorer`.
    n_jobs : int, optional
        Splits fitted at a time.
    return_estimator : bool, default=False
        Whether to keep the fitted estimators.

    Returns
    -------
    QueryValidation
        The values, query by query.

    Raises
    ------
    ValueError
        If query ids are missing, no measure is given nor found, cv or n_repeats is not as
        described, pandas objects hold the same row labels in different orders, or weights cannot
        reach the last step of a Pipeline.

    Warns
    -----
    GroupSizesWarning
        If the query ids are the sizes of the queries, row by row.
    QueryLeakWarning
        If ``cv`` cuts queries, so that training and test rows of a split share one.
    ThinnedQueriesWarning
        If ``cv`` leaves rows of tested queries out.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them; or if a `QueryRanker` is fitted on parts of queries.

    See Also
    --------
    compare_rankers : Tests whether rankers differ.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import cross_validate_queries
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    >>> found = cross_validate_queries(Ridge(), X, y, qid=qid, measures="nDCG@10", cv=4)
    >>> found.fold_means().shape, len(found.per_query("nDCG@10"))
    ((4, 1), 40)
    """
    choice("response_method", response_method, get_args(ResponseMethod))
    _check_that_weights_arrive(estimator, sample_weight)
    columns = read_columns(y, qid, named=("y", "qid"), X=X, sample_weight=sample_weight)
    judgments = Judgments.of_columns(columns.require_ids(), sample_weight)
    grades, ids = np.asarray(columns.labels), as_ids(columns.ids)
    warn_about_given_queries(judgments, rows="rows to cross-validate on")
    weight = None if sample_weight is None else np.asarray(sample_weight)
    task = _Task(
        X=without_query_ids(X),
        y=_target_for(estimator, grades, ids),
        grades=grades,
        ids=ids,
        weight=weight,
        measures=_measures_for(estimator, measures, judgments),
        response_method=response_method,
    )
    splits = [split for each in _repeated(cv, n_repeats) for split in _splits(each, X, y, ids)]
    warn_if_splits_take_parts(splits, query_of_row(judgments), np.diff(judgments.indptr))
    parts = Parallel(n_jobs=n_jobs)(
        delayed(_fit_and_score)(clone(estimator), task, train, test, return_estimator)
        for train, test in splits
    )
    top = set(judgments.qid[has_top_grade(judgments)].tolist())
    return _gather(task.measures, parts, return_estimator, top)


class _Task(NamedTuple):
    """Data and measures that all splits share."""

    X: Any
    y: Any
    grades: NDArray[Any]
    ids: NDArray[Any]
    weight: NDArray[Any] | None
    measures: tuple[Measure, ...]
    response_method: ResponseMethod


class _Part(NamedTuple):
    """Results of one split."""

    scores: Scores
    fit_time: float
    score_time: float
    estimator: Any


def _fit_and_score(
    estimator: Any, task: _Task, train: IntArray, test: IntArray, keeps_estimator: bool
) -> _Part:
    weighted = {} if task.weight is None else {"sample_weight": task.weight[train]}
    start = time.perf_counter()
    estimator.fit(_safe_indexing(task.X, train), _safe_indexing(task.y, train), **weighted)
    fitted = time.perf_counter()
    scores = evaluate(
        task.measures,
        task.grades[test],
        scores_of(estimator, _safe_indexing(task.X, test), task.response_method),
        qid=task.ids[test],
        sample_weight=None if task.weight is None else task.weight[test],
    )
    times = fitted - start, time.perf_counter() - fitted
    return _Part(scores, *times, estimator if keeps_estimator else None)


def _gather(
    measures: tuple[Measure, ...], parts: list[_Part], keeps_estimators: bool, top: set[Any]
) -> QueryValidation:
    scores = [each.scores for each in parts]
    qid = np.concatenate([each.qid for each in scores])
    weights = [each.weights for each in scores if each.weights is not None]
    return QueryValidation(
        measures=measures,
        qid=qid,
        split=np.repeat(np.arange(len(parts)), [each.n_queries for each in scores]),
        values=np.concatenate([each.values for each in scores]),
        weights=np.concatenate(weights) if weights else None,
        fit_time=np.array([each.fit_time for each in parts]),
        score_time=np.array([each.score_time for each in parts]),
        estimators=tuple(each.estimator for each in parts) if keeps_estimators else None,
        n_empty=tuple(np.sum([each.n_empty for each in scores], axis=0).tolist()),
        has_top_grade=np.array([query in top for query in qid.tolist()], dtype=bool),
    )


def _repeated(cv: Any, n_repeats: int) -> list[Any]:
    """Return a splitter for each repeat; seeds are those after its own."""
    integer("n_repeats", n_repeats, 1)
    if n_repeats == 1:
        return [cv]
    splitter = QueryKFold(int(cv)) if is_integer(cv) else cv
    if not hasattr(splitter, "random_state") or not getattr(splitter, "shuffle", True):
        raise ValueError(
            "n_repeats > 1 needs a cv that draws its splits, such as QueryKFold(5) or 5, got "
            f"{n_repeats} and {cv!r}."
        )
    seed = splitter.random_state
    if not isinstance(seed, numbers.Integral):  # None and a RandomState draw others in every call
        return [splitter] * n_repeats
    repeats = [copy.copy(splitter) for _ in range(n_repeats)]
    for number, each in enumerate(repeats):
        each.random_state = int(seed) + number
    return repeats


def _splits(cv: Any, X: Any, y: Any, ids: NDArray[Any]) -> list[tuple[IntArray, IntArray]]:
    if is_integer(cv):
        cv = QueryKFold(int(cv))
    if not hasattr(cv, "split"):
        return _listed(cv)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        return list(cv.split(np.zeros((_num_samples(X), 1)), split_target(y)[0], ids))


def _listed(cv: Any) -> list[tuple[IntArray, IntArray]]:
    if not isinstance(cv, Iterable):
        raise ValueError(
            "cv must be a number of folds, a splitter such as QueryKFold(5), or pairs of training "
            f"and test rows, got {cv!r}."
        )
    return list(cv)


def _check_that_weights_arrive(estimator: Any, sample_weight: Any) -> None:
    """Raise where scikit-learn's Pipeline does not hand weights to its last step."""
    routes = get_config()["enable_metadata_routing"]
    if sample_weight is not None and isinstance(estimator, Pipeline) and not routes:
        raise ValueError(
            "sample_weight does not reach the last step of a Pipeline, got one as the estimator: "
            "put the Pipeline inside, QueryRanker(make_pipeline(...), measure=...)."
        )


def _target_for(estimator: Any, grades: NDArray[Any], ids: NDArray[Any]) -> Any:
    """Return the grades for an estimator, with the query ids if it uses them.

    Every tool of scikit-learn hands on y and its index, with metadata routing on and off.
    """
    if _ranker_in(estimator) is not None:
        return query_target(grades, ids)
    if not _splits_rows(estimator):
        return grades
    try:
        return query_series(grades, ids)
    except ImportError:  # a splitter or scorer that needs ids says so
        return grades


def _splits_rows(estimator: Any) -> bool:
    """Whether an estimator cross-validates or holds one that does, such as a search."""
    params = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    return any(name.rpartition("__")[2] == "cv" for name in params)


def _ranker_in(estimator: Any) -> QueryRanker | None:
    """Find the `QueryRanker` that an estimator is or wraps."""
    if isinstance(estimator, QueryRanker):
        return estimator
    params = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    return next((each for each in params if isinstance(each, QueryRanker)), None)


def measure_of(estimator: Any) -> Measure:
    """Return the measure of the ranker that an estimator is or wraps."""
    ranker = _ranker_in(estimator)
    if ranker is None:
        raise ValueError(
            f"measure must be given for {type(estimator).__name__}, which is no QueryRanker and "
            "has no measure of its own."
        )
    return measure(ranker.measure)


def is_once_resolved(given: Measure, scored: Measure) -> bool:
    """Whether a measure is the one scored, after it takes the top grade of that one."""
    return scored in (given, given.resolve(getattr(scored, "max_grade", None) or 1))


def _measures_for(
    estimator: Any,
    measures: str | Measure | Iterable[str | Measure] | None,
    judgments: Judgments,
) -> tuple[Measure, ...]:
    """Return the measures with the scale of all labels."""
    given = measures_of(measure_of(estimator) if measures is None else measures)
    top_grade = int(judgments.top_grade)
    return tuple(dict.fromkeys(each.resolve(top_grade) for each in given))
