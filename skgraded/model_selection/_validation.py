"""Cross-validation that keeps the value of every query, and its splits, repeated or not."""

from __future__ import annotations

import copy
import dataclasses
import time
import warnings
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _num_samples

from skgraded._guards import (
    warn_about_queries,
    warn_if_rows_are_held_out,
    warn_if_splits_cut_queries,
)
from skgraded._support.arguments import choice, integer, is_integer
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.keywords import suggests_keywords
from skgraded._support.progress import ProgressBar
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import (
    Measure,
    Measures,
    evaluate,
    measure,
    measures_by_name,
    resolve_all,
    warn_if_nothing_is_scored,
)
from skgraded.model_selection._boosters import booster_of
from skgraded.model_selection._ranker import QueryRanker
from skgraded.model_selection._splitters import QueryKFold, query_of_row
from skgraded.rankings import (
    Judgments,
    as_ids,
    query_series,
    query_target,
    read_columns,
    read_grades,
    split_target,
    without_query_ids,
)
from skgraded.results import Scores, by_name
from skgraded.scoring import ResponseMethod, scores_of, scores_of_rows

_SECONDS_WITHOUT_A_BAR = 2.0


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryValidation(Scores):
    """Results of a cross-validation: `Scores` with an axis of repeats, and times.

    The sign of the values is that of the measure, also where less is better. A measure that is
    picked, or queries that are selected, are a plain `Scores`.

    Attributes
    ----------
    fit_time : ndarray of shape ([n_systems,] n_splits)
        Seconds that each fit took.
    score_time : ndarray of shape ([n_systems,] n_splits)
        Seconds that each prediction and evaluation took.
    estimators : tuple of estimator, or tuple of them for each system, or None
        The fitted estimators, split by split, where they were asked for.

    See Also
    --------
    skgraded.results.Scores : The other attributes, and all methods.

    Notes
    -----
    ``mean`` is over queries: each counts once, by its mean over the repeats that tested it.
    ``fold_means`` has the mean over the queries of each split, as `cross_validate` of scikit-learn
    does; the mean of these gives queries in small folds more weight.
    """

    fit_time: FloatArray
    score_time: FloatArray
    estimators: tuple[Any, ...] | None = None


@suggests_keywords
def cross_validate_queries(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    measures: Measures | None = None,
    cv: Any = 5,
    n_repeats: int = 1,
    response_method: ResponseMethod = "auto",
    n_jobs: int | None = None,
    return_estimator: bool = False,
) -> QueryValidation:
    """Cross-validate over whole queries and keep the value of every query.

    It works like scikit-learn's ``cross_validate``, with metadata routing on or off, and keeps the
    values that paired tests need: `skgraded.compare` takes several results on the same queries.
    Give a search as ``estimator`` for nested cross-validation; the comparison then covers model
    selection itself.

    Parameters
    ----------
    estimator : estimator, or mapping of str to estimator
        A `QueryRanker`, or a Pipeline or search around one; an LGBMRanker, XGBRanker or
        CatBoostRanker, which is wrapped in a `QueryRanker`; or an estimator that does not use
        queries and is fitted on features and grades alone. Or several of them by name, which are
        tested on the same splits. They are cloned, not changed. A search around an estimator that
        does not use queries, such as ``GridSearchCV(Ridge(), grid, cv=QueryKFold(5),
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
    measures : str, Measure, sequence of them, or mapping of str to them, optional
        The measures; by default that of the `QueryRanker`. Where one leaves the scale's top grade
        open, it is that of all labels, so that every fold is scored alike.
    cv : int, splitter or iterable of (train, test), default=5
        Number of folds of a `QueryKFold`, or a splitter, or the splits themselves.
    n_repeats : int, default=1
        How often a number of folds, or a splitter with a ``random_state``, splits the queries. The
        first time is that of the splitter itself; the others have the seeds 1, 2, ... after its
        own. The intervals of `skgraded.compare` then carry the variation over splits.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        Where scores come from, as in `make_ranking_scorer`.
    n_jobs : int, optional
        Fits at a time, of all rankers and splits together. Long work shows a progress bar if
        standard error is a terminal.
    return_estimator : bool, default=False
        Whether to keep the fitted estimators.

    Returns
    -------
    QueryValidation
        The values by repeat and query; for a mapping of rankers, also if it is only one, by system,
        repeat and query. Queries stand in the order in which they were first tested.

    Raises
    ------
    ValueError
        If query ids are missing, no measure is given nor found, cv or n_repeats is not as
        described, or pandas objects hold the same row labels in different orders.

    Warns
    -----
    QueryIdsWarning
        If the query ids are the sizes of the queries, row by row.
    GradeScaleWarning
        If no document reaches the ``rel`` of a measure, in all folds together.
    ConstantValueWarning
        If all measures have one value for every ranking of the queries.
    QueryLeakWarning
        If ``cv`` cuts queries, so that training and test rows of a split share one.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them; or if a `QueryRanker` is fitted on parts of queries.

    See Also
    --------
    skgraded.compare : Tests whether rankers differ.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import cross_validate_queries
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=40, docs_per_query=20, random_state=0)
    >>> found = cross_validate_queries(Ridge(), X, y, qid=qid, measures="nDCG@10", cv=4)
    >>> found.fold_means().shape, found.n_queries
    ((4, 1), 40)
    """
    choice("response_method", response_method, get_args(ResponseMethod))
    is_several = isinstance(estimator, Mapping)
    estimators = by_name(estimator) if is_several else {"": estimator}

    columns = read_columns(y, qid, named=("y", "qid"), X=X, sample_weight=sample_weight)
    columns = columns.require_ids()._replace(labels=read_grades("y", columns.labels))
    judgments = Judgments(columns)
    ids = as_ids(columns.ids)
    warn_about_queries(judgments, "rows to cross-validate on")

    resolved = measures_for(estimators, measures, judgments)
    warn_if_nothing_is_scored(resolved.values(), judgments)
    first_measure = next(iter(resolved.values()))
    rankers = {
        name: ranker_for(estimator, first_measure)
        for name, estimator in estimators.items()
    }

    weight = None
    if sample_weight is not None:
        weight = np.asarray(sample_weight)
    # Rows cannot be taken from every sparse format.
    features = X.tocsr() if hasattr(X, "tocsr") else without_query_ids(X)
    task = _Task(features, columns.labels, ids, weight, resolved, response_method)

    splits = splits_of(cv, n_repeats, X, y, ids)
    warn_if_splits_cut_queries(splits, query_of_row(judgments), judgments.n_queries)
    scores_of_labels = _scores_of_labels(task, splits)
    results = _fit_and_score_all(rankers, task, splits, n_jobs, return_estimator)
    systems = tuple(rankers) if is_several else None
    return _as_validation(scores_of_labels, results, systems)


class _Task(NamedTuple):
    """Data and measures that all fits share."""

    X: Any
    grades: NDArray[Any]
    ids: NDArray[Any]
    weight: NDArray[Any] | None
    measures: dict[str, Measure]
    response_method: ResponseMethod


class _Result(NamedTuple):
    """Results of one ranker on one split."""

    qid: NDArray[Any]
    values: FloatArray
    fit_time: float
    score_time: float
    estimator: Any


def _fit_and_score_all(
    rankers: dict[str, Any],
    task: _Task,
    splits: list[tuple[IntArray, IntArray]],
    n_jobs: int | None,
    keeps_estimators: bool,
) -> list[list[_Result]]:
    """Fit and score every ranker on every split; return the results by ranker and split."""
    targets = (target_for(ranker, task.grades, task.ids) for ranker in rankers.values())
    calls = (
        delayed(_fit_and_score)(clone(ranker), target, task, split, keeps_estimators)
        for ranker, target in zip(rankers.values(), targets, strict=True)
        for split in splits
    )
    n_splits = len(splits)
    n_fits = len(rankers) * n_splits

    results: list[_Result] = []
    with ProgressBar(n_fits, "fits", delay=_SECONDS_WITHOUT_A_BAR) as bar:
        for result in Parallel(n_jobs=n_jobs, return_as="generator")(calls):
            results.append(result)
            bar.step()
    return [results[first : first + n_splits] for first in range(0, n_fits, n_splits)]


def _fit_and_score(
    ranker: Any,
    target: Any,
    task: _Task,
    split: tuple[IntArray, IntArray],
    keeps_estimator: bool,
) -> _Result:
    """Fit a ranker on the training rows, and score the queries of the test rows."""
    train, test = split
    weights = {}
    if task.weight is not None:
        weights["sample_weight"] = task.weight[train]

    if ranker_in(ranker) is None:
        warn_if_rows_are_held_out(ranker, len(train))
    start = time.perf_counter()
    ranker.fit(_safe_indexing(task.X, train), _safe_indexing(target, train), **weights)
    end_of_fit = time.perf_counter()

    predicted = scores_of(ranker, _safe_indexing(task.X, test), task.response_method)
    with warnings.catch_warnings():
        # A fold may lack grades that the labels have, which were scored as a whole before.
        warnings.simplefilter("ignore", GradeScaleWarning)
        scores = evaluate(
            task.measures, task.grades[test], predicted, qid=task.ids[test]
        )
    return _Result(
        qid=scores.qid,
        values=scores.values,
        fit_time=end_of_fit - start,
        score_time=time.perf_counter() - end_of_fit,
        estimator=ranker if keeps_estimator else None,
    )


def _as_validation(
    scores_of_labels: Scores,
    results: list[list[_Result]],
    systems: tuple[str, ...] | None,
) -> QueryValidation:
    """Put the results of all rankers and splits side by side."""
    qid, folds, values = _lay_out(results, len(scores_of_labels))

    # What does not depend on scores is that of the labels.
    selected = scores_of_labels.select(qid=qid)
    fields = {
        field.name: getattr(selected, field.name)
        for field in dataclasses.fields(Scores)
    }
    fields["values"] = values
    fields["folds"] = folds
    fields["systems"] = systems
    if isinstance(selected.judged_share, np.ndarray):
        fields["judged_share"] = None

    # What is known of each split.
    for name in ("fit_time", "score_time"):
        fields[name] = np.array(
            [[getattr(result, name) for result in by_split] for by_split in results]
        )
    if results[0][0].estimator is not None:
        fields["estimators"] = tuple(
            tuple(result.estimator for result in by_split) for by_split in results
        )

    # One ranker without a name has no axis.
    if systems is None:
        names = fields.keys() & {"values", "fit_time", "score_time", "estimators"}
        for name in names:
            fields[name] = fields[name][0]
    return QueryValidation(**fields)


def _lay_out(
    results: list[list[_Result]], n_measures: int
) -> tuple[list[Any], IntArray, FloatArray]:
    """Return queries, the split of each by repeat, and values by ranker, repeat and query."""
    tested = [result.qid for result in results[0]]
    repeats = repeats_of(tested)
    qid = list(dict.fromkeys(chain.from_iterable(ids.tolist() for ids in tested)))
    number_of_query = {query: number for number, query in enumerate(qid)}

    n_repeats = repeats[-1] + 1
    folds = np.full((n_repeats, len(qid)), -1)
    values = np.full((len(results), *folds.shape, n_measures), np.nan)
    for split, ids in enumerate(tested):
        repeat = repeats[split]
        queries = [number_of_query[query] for query in ids.tolist()]
        folds[repeat, queries] = split
        for ranker, by_split in enumerate(results):
            values[ranker, repeat, queries] = by_split[split].values
    return qid, folds, values


def _scores_of_labels(task: _Task, splits: list[tuple[IntArray, IntArray]]) -> Scores:
    """Score equal scores for all tested documents, for what does not depend on scores."""
    is_tested = np.zeros(len(task.ids), dtype=bool)
    for _, test in splits:
        is_tested[test] = True
    rows = np.flatnonzero(is_tested)

    weight = None
    if task.weight is not None:
        weight = task.weight[rows]
    judgments = Judgments(task.grades[rows], qid=task.ids[rows], sample_weight=weight)
    return evaluate(task.measures, judgments.rank(np.zeros(len(rows))))


def splits_of(
    cv: Any, n_repeats: int, X: Any, y: Any, ids: NDArray[Any]
) -> list[tuple[IntArray, IntArray]]:
    """Return training and test rows of all splits of all repeats."""
    splits = [
        split
        for splitter in _splitters_of_repeats(cv, n_repeats)
        for split in _splits(splitter, X, y, ids)
    ]
    if not splits:
        raise ValueError(f"cv must give at least one split, got none from {cv!r}.")
    return splits


def repeats_of(tested: list[NDArray[Any]]) -> IntArray:
    """Return the number of the repeat of each split, from the queries that it tests.

    A new repeat begins where a split tests a query a second time. The folds of a cross-validation
    are one repeat. Random splits, which test some queries each, are mostly a repeat each.
    """
    repeats = [0]
    queries_of_repeat = set(tested[0].tolist())
    for ids in tested[1:]:
        queries = set(ids.tolist())
        if queries_of_repeat.isdisjoint(queries):
            repeats.append(repeats[-1])
            queries_of_repeat |= queries
        else:
            repeats.append(repeats[-1] + 1)
            queries_of_repeat = queries
    return np.array(repeats)


def _splitters_of_repeats(cv: Any, n_repeats: int) -> list[Any]:
    """Return a splitter for each repeat; seeds are those after its own."""
    integer("n_repeats", n_repeats, 1)
    splitter = QueryKFold(cv) if is_integer(cv) else cv
    if n_repeats == 1:
        return [splitter]
    if not hasattr(splitter, "random_state") or not getattr(splitter, "shuffle", True):
        raise ValueError(
            "n_repeats > 1 needs a cv that draws its splits, such as QueryKFold(5) or 5, got "
            f"{n_repeats} and {cv!r}."
        )

    seed: Any = splitter.random_state
    if not is_integer(seed):  # None and a RandomState draw others in every call
        return [splitter] * n_repeats
    splitters = [copy.copy(splitter) for _ in range(n_repeats)]
    for number, splitter_of_repeat in enumerate(splitters, int(seed)):
        splitter_of_repeat.random_state = number
    return splitters


def _splits(
    cv: Any, X: Any, y: Any, ids: NDArray[Any]
) -> list[tuple[IntArray, IntArray]]:
    if not hasattr(cv, "split"):
        if isinstance(cv, Iterable):
            return list(cv)
        raise ValueError(
            "cv must be a number of folds, a splitter such as QueryKFold(5), or pairs of training "
            f"and test rows, got {cv!r}."
        )

    features = np.zeros((_num_samples(X), 1))
    if getattr(cv, "times", None) is not None:  # which names a column
        features = X
    grades, _ = split_target(y)
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "The groups parameter is ignored", UserWarning
        )
        return list(cv.split(features, grades, ids))


def scores_of_models(
    models: dict[str, Any],
    X: Any,
    y: Any,
    qid: ArrayLike | None,
    measures: Measures | None,
) -> dict[str, Scores]:
    """Return the scores of fitted models on documents, by default by their own measure."""
    for name, model in models.items():
        if not hasattr(model, "predict"):
            raise TypeError(
                "rankers must be fitted models, results of cross_validate_queries or of "
                f"nDCG(k=10).per_query(y, scores, qid=qid), got {type(model).__name__} for "
                f"{name!r}."
            )
    if X is None:
        first_name = next(iter(models))
        raise ValueError(
            f"X and y are needed to rank the queries with {first_name!r}, a fitted model."
        )
    if y is None:
        raise ValueError("y must hold the grades of the rows of X, got None.")

    columns = read_columns(y, qid, named=("y", "qid"), X=X).require_ids()
    judgments = Judgments(columns)
    rankers = {
        name: model for name, model in models.items() if ranker_in(model) is not None
    }
    resolved = measures_for(rankers or models, measures, judgments)

    scores = {}
    for name, model in models.items():
        warn_about_queries(judgments, estimator=model)
        rankings = judgments.rank(scores_of_rows(model, X))
        scores[name] = evaluate(resolved, rankings)
    return scores


def target_for(estimator: Any, grades: NDArray[Any], ids: NDArray[Any]) -> Any:
    """Return the grades for an estimator, with the query ids if it uses them.

    Every tool of scikit-learn hands on y and its index, with metadata routing on and off.
    """
    if ranker_in(estimator) is not None:
        return query_target(grades, ids)
    if not _splits_rows(estimator):
        return grades
    try:
        return query_series(grades, ids)
    except ImportError:  # a splitter or scorer that needs ids says so
        return grades


def _splits_rows(estimator: Any) -> bool:
    """Whether an estimator cross-validates or holds one that does, such as a search."""
    names = (name.rpartition("__")[2] for name in _params_in(estimator))
    return "cv" in names


def ranker_in(estimator: Any) -> QueryRanker | None:
    """Find the `QueryRanker` that an estimator is or wraps."""
    if isinstance(estimator, QueryRanker):
        return estimator
    for value in _params_in(estimator).values():
        if isinstance(value, QueryRanker):
            return value
    return None


def _params_in(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator and of those in it, or none of another object."""
    if not hasattr(estimator, "get_params"):
        return {}
    params: dict[str, Any] = estimator.get_params(deep=True)
    return params


def _measure_of(estimator: Any) -> Measure:
    """Return the measure of the ranker that an estimator is or wraps."""
    ranker = ranker_in(estimator)
    if ranker is None:
        name = type(estimator).__name__
        raise ValueError(
            f"measures must be given for {name}, which has no measure of its own: "
            f'measures="nDCG@10", or QueryRanker({name}(...), measure="nDCG@10").'
        )
    return measure(ranker.measure)


def measures_for(
    rankers: dict[str, Any], measures: Measures | None, judgments: Judgments
) -> dict[str, Measure]:
    """Return the measures by name, with the scale of all labels where one leaves it open."""
    if measures is not None:
        unresolved = measures_by_name(measures)
    else:
        unresolved = measures_by_name(list(map(_measure_of, rankers.values())))
        if len(unresolved) > 1:
            raise ValueError(
                "measures must be given where rankers have different measures of their own, got "
                f"{', '.join(unresolved)}."
            )

    are_fractional = judgments.has_fractional_grades
    resolved = resolve_all(
        unresolved, judgments.top_grade, are_fractional=are_fractional
    )
    # A name that is the string of its measure follows it.
    return {
        str(measure) if name == str(unresolved[name]) else name: measure
        for name, measure in resolved.items()
    }


def ranker_for(estimator: Any, measure: Measure) -> Any:
    """Return an estimator that can be fitted on a target with query ids, if it is a ranker."""
    if booster_of(estimator).needs_queries:
        return QueryRanker(estimator, measure=measure)
    return estimator
