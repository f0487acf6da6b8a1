"""The studies of model choice: a search, or a training with early stopping, by each measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import delayed

from skgraded._guards import warn_about_given_queries
from skgraded._params import integer
from skgraded._progress import ProgressBar
from skgraded.measures import Measure, Measures, measures_by_name, resolve_all
from skgraded.measures import evaluate as evaluate_arrays
from skgraded.model_selection import QueryKFold, QueryRanker
from skgraded.model_selection._parallel import in_parallel
from skgraded.rankings import (
    Judgments,
    as_ids,
    read_columns,
)
from skgraded.studies._model_choice import ModelChoice

__all__ = ["choose_by_search", "choose_by_stopping"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
_Run = Callable[[Iterable[Any]], list[Any]]


def choose_by_search(
    estimator: Any,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    X: Any,
    y: ArrayLike,
    *,
    measures: Measures,
    qid: ArrayLike | None = None,
    n_folds: int = 4,
    n_inner_folds: int = 3,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ModelChoice:
    """Select a model by each measure, and judge all selected models by all measures.

    This is a nested cross-validation over queries. In each fold, every candidate is fitted and
    scored by all measures on parts of the training queries. Each measure selects its best
    candidate, which is fitted to all training queries and judged on the held-out queries.

    Parameters
    ----------
    estimator : estimator
        A ranker, regressor or classifier, as for `QueryRanker`.
    param_grid : mapping or sequence of mappings
        Values of its parameters, as for scikit-learn's ``ParameterGrid``.
    X : array-like of shape (n_documents, n_features)
        Features.
    y : array-like of shape (n_documents,)
        Grades.
    measures : sequence of str or Measure, or mapping of str to them
        The measures, at least two, perhaps with names of their own.
    qid : array-like of shape (n_documents,), optional
        Query ids; by default they are found as in `QueryRanker`.
    n_folds, n_inner_folds : int
        Numbers of folds of all queries, and of the training queries for the search.
    n_repeats : int, default=1
        How often all queries are split into folds. With several repeats, intervals and p-values
        carry the variation over splits; with one they take the chosen models as given, and a
        significant difference may be gone under another seed.
    n_jobs : int, optional
        Models fitted at a time; -1 is one per processor. The results are the same for any number.
        Leave the estimator's own threads at one.
    random_state : int, default=0
        Seed of the folds; the next repeats have the seeds after it.

    Returns
    -------
    ModelChoice
        The choices, and the values of the chosen models.

    Raises
    ------
    ValueError
        If there are fewer than two measures, or n_repeats is below 1.

    See Also
    --------
    choose_by_stopping : The same for the number of iterations.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.studies import choose_by_search
    >>> X, y, qid = make_ranking(n_queries=24, docs_per_query=20, random_state=0)
    >>> tree, grid = DecisionTreeRegressor(random_state=0), {"max_depth": [1, 4, 8]}
    >>> found = choose_by_search(tree, grid, X, y, measures=["nDCG@10", "RR"], qid=qid, n_folds=2)
    >>> found.values.shape
    (2, 24, 2)
    """
    integer("n_repeats", n_repeats, 1)
    integer("random_state", random_state, 0)
    data = _Data.read(X, y, qid, measures)
    candidates = [dict(each) for each in ParameterGrid(param_grid)]
    folds = list(data.repeated_folds(n_folds, n_repeats, random_state))
    search = _Search(data, estimator, candidates, folds, n_inner_folds)
    n_steps = len(folds) * (n_inner_folds * len(candidates) + len(data.measures))
    with ProgressBar(n_steps, "models") as bar:
        run = partial(in_parallel, n_jobs=n_jobs, bar=bar)
        scores = search.scores(run)
        best = np.argmax(scores * data.directions, axis=1)
        judged = search.judged(best, run)
        bar.step(bar.total - bar.done)  # measures that chose the same model
    return data.result(
        judged,
        folds,
        by="search",
        choices=tuple(tuple(candidates[number] for number in row) for row in best.tolist()),
        candidate_scores=scores,
        n_top=min(data.n_top(data.ids[fold.training]) for fold in folds),
    )


def choose_by_stopping(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    measures: Measures,
    qid: ArrayLike | None = None,
    n_folds: int = 4,
    validation_fraction: float = 0.25,
    early_stopping_rounds: int = 20,
    n_repeats: int = 1,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ModelChoice:
    """Stop the training of a booster by each measure, and judge all models by all measures.

    Parameters
    ----------
    estimator : estimator
        LGBMRanker, XGBRanker or CatBoostRanker, as for `QueryRanker`.
    X : array-like of shape (n_documents, n_features)
        Features.
    y : array-like of shape (n_documents,)
        Grades.
    measures : sequence of str or Measure, or mapping of str to them
        The measures, at least two, perhaps with names of their own.
    qid : array-like of shape (n_documents,), optional
        Query ids; by default they are found as in `QueryRanker`.
    n_folds : int, default=4
        Number of folds of queries.
    validation_fraction : float, default=0.25
        Share of the training queries that is held out, the same for all measures.
    early_stopping_rounds : int, default=20
        Stop when the measure on the held-out queries has not improved for that many iterations.
    n_repeats : int, default=1
        How often all queries are split into folds. With several repeats, intervals and p-values
        carry the variation over splits; with one they take the chosen models as given, and a
        significant difference may be gone under another seed.
    n_jobs : int, optional
        Models fitted at a time; -1 is one per processor. The results are the same for any number.
        Leave the estimator's own threads at one.
    random_state : int, default=0
        Seed of the folds and of the validation queries; the next repeats have the seeds after it.

    Returns
    -------
    ModelChoice
        The numbers of iterations, and the values of the models.

    Raises
    ------
    ValueError
        If there are fewer than two measures, or n_repeats is below 1.

    See Also
    --------
    choose_by_search : The same for the parameters of a model.

    Examples
    --------
    >>> from lightgbm import LGBMRanker
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.studies import choose_by_stopping
    >>> X, y, qid = make_ranking(n_queries=24, docs_per_query=20, random_state=0)
    >>> ranker = LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1)
    >>> found = choose_by_stopping(ranker, X, y, measures=["nDCG@10", "RR"], qid=qid, n_folds=2)
    >>> len(found.choices)
    2
    """
    integer("n_repeats", n_repeats, 1)
    integer("random_state", random_state, 0)
    data = _Data.read(X, y, qid, measures)
    folds = list(data.repeated_folds(n_folds, n_repeats, random_state))
    options = {
        "validation_fraction": validation_fraction,
        "early_stopping_rounds": early_stopping_rounds,
    }
    fits = (
        delayed(_stopped)(data, estimator, fold, {**options, "measure": each})
        for fold in folds
        for each in data.measures
    )
    n_measures = len(data.measures)
    with ProgressBar(len(folds) * n_measures, "models") as bar:
        found = in_parallel(fits, n_jobs, bar)
    of_folds = [found[at : at + n_measures] for at in range(0, len(found), n_measures)]
    return data.result(
        [[each.values for each in models] for models in of_folds],
        folds,
        by="stopping",
        choices=tuple(tuple(each.iteration for each in models) for models in of_folds),
        n_top=min(each.n_top for each in found),
    )


class _Search(NamedTuple):
    """Candidates, and the folds in which each measure selects one of them."""

    data: _Data
    estimator: Any
    candidates: list[dict[str, Any]]
    folds: list[_Fold]
    n_inner_folds: int

    def scores(self, run: _Run) -> FloatArray:
        """Return the means of all candidates by fold, candidate and measure."""
        data = self.data
        fits = (
            delayed(_means)(data, self.estimator, own, other, params)
            for fold in self.folds
            for own, other in data.folds(self.n_inner_folds, fold.seed, fold.training)
            for params in self.candidates
        )
        shape = len(self.folds), self.n_inner_folds, len(self.candidates), len(data.measures)
        return np.array([np.mean(each, axis=0) for each in np.reshape(run(fits), shape)])

    def judged(self, best: IntArray, run: _Run) -> list[list[FloatArray]]:
        """Return the values of the models that the measures selected, fold by fold."""
        chosen = [(at, number) for at, row in enumerate(best) for number in np.unique(row).tolist()]
        fits = (
            delayed(_values)(
                self.data,
                self.estimator,
                self.folds[at].training,
                self.folds[at].held_out,
                self.candidates[number],
            )
            for at, number in chosen
        )
        values = dict(zip(chosen, run(fits), strict=True))
        return [[values[at, number] for number in row] for at, row in enumerate(best.tolist())]


def _means(
    data: _Data, estimator: Any, own: IntArray, other: IntArray, params: dict[str, Any]
) -> FloatArray:
    """Fit a candidate to some rows, and return its means by all measures on others."""
    means: FloatArray = np.nanmean(_values(data, estimator, own, other, params), axis=0)
    return means


def _values(
    data: _Data, estimator: Any, own: IntArray, other: IntArray, params: dict[str, Any]
) -> FloatArray:
    model = data.fit(clone(estimator).set_params(**_clone_params(params)), own)
    return data.score(model, other)


class _Stopped(NamedTuple):
    """A model whose training was stopped by a measure."""

    values: FloatArray
    iteration: int
    n_top: int


def _stopped(data: _Data, estimator: Any, fold: _Fold, options: dict[str, Any]) -> _Stopped:
    model = data.fit(clone(estimator), fold.training, random_state=fold.seed, **options)
    is_validated = model.validation_queries_.contains(data.queries)
    return _Stopped(
        data.score(model, fold.held_out),
        int(model.best_iteration_),
        data.n_top(data.queries[is_validated]),
    )


def _clone_params(params: dict[str, Any]) -> dict[str, Any]:
    """Copy the parameters, since a fit would change those that are estimators."""
    return {name: clone(each, safe=False) for name, each in params.items()}


class _Fold(NamedTuple):
    """Rows to train on and to judge by, and the seed of the repeat."""

    training: IntArray
    held_out: IntArray
    seed: int


class _Data(NamedTuple):
    """The rows with their query ids, and the measures with the scale of the grades filled in."""

    X: Any
    grades: NDArray[Any]
    ids: NDArray[Any]
    queries: NDArray[Any]
    measures: tuple[Measure, ...]
    names: tuple[str, ...]

    @classmethod
    def read(cls, X: Any, y: ArrayLike, qid: ArrayLike | None, measures: Measures) -> _Data:
        named = measures_by_name(measures)
        if len(named) < 2:  # noqa: PLR2004 - one cannot differ
            raise ValueError(f"measures must hold at least 2 measures, got {len(named)}.")
        columns = read_columns(y, qid, named=("y", "qid"), X=X).require_ids()
        grades, ids = np.asarray(columns.labels), as_ids(columns.ids)
        layout = Judgments.of_columns(columns)
        warn_about_given_queries(layout, rows="rows to choose by")
        are_fractional = layout.has_fractional_grades
        resolved = resolve_all(named, layout.top_grade, are_fractional=are_fractional)
        first = np.unique(ids, return_index=True)[1]
        return cls(
            X=X,
            grades=grades,
            ids=ids,
            queries=ids[np.sort(first)],
            measures=tuple(resolved.values()),
            names=tuple(named),
        )

    @property
    def directions(self) -> FloatArray:
        """1 if a higher value is better, -1 if a lower one is."""
        return np.array([1.0 if each.greater_is_better else -1.0 for each in self.measures])

    def folds(
        self, n_folds: int, random_state: int, rows: IntArray | None = None
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Split rows, by default all, into folds of complete queries."""
        rows = np.arange(len(self.ids)) if rows is None else rows
        splitter = QueryKFold(n_folds, random_state=random_state)
        for own, other in splitter.split(rows, groups=self.ids[rows]):
            yield rows[own], rows[other]

    def repeated_folds(self, n_folds: int, n_repeats: int, random_state: int) -> Iterator[_Fold]:
        """Split all rows into folds several times, with one seed after the other."""
        for seed in range(random_state, random_state + n_repeats):
            for training, held_out in self.folds(n_folds, seed):
                yield _Fold(training, held_out, seed)

    def n_top(self, ids: Iterable[Any]) -> int:
        """Count the queries among the ids that have a document of the top grade."""
        top = set(self.ids[self.grades == np.nanmax(self.grades)].tolist())
        return len(top & set(np.asarray(ids).tolist()))

    def fit(self, estimator: Any, rows: IntArray, **options: Any) -> Any:
        """Fit a ranker to some rows."""
        ranker = QueryRanker(estimator, **{"measure": self.measures[0], **options})
        return ranker.fit(_safe_indexing(self.X, rows), self.grades[rows], qid=self.ids[rows])

    def score(self, model: Any, rows: IntArray) -> FloatArray:
        """Return the values of a model by query and measure, in the order of the rows."""
        predicted = model.predict(_safe_indexing(self.X, rows))
        named = dict(zip(self.names, self.measures, strict=True))
        scores = evaluate_arrays(named, self.grades[rows], predicted, qid=self.ids[rows])
        return scores.values

    def result(
        self, judged: list[list[FloatArray]], folds: list[_Fold], **facts: Any
    ) -> ModelChoice:
        """Combine the values of the queries of all folds."""
        number_of = {query: number for number, query in enumerate(self.queries.tolist())}
        seeds = list(dict.fromkeys(fold.seed for fold in folds))
        n = len(self.measures)
        values = np.full((len(seeds), n, len(self.queries), n), np.nan)
        fold_of = np.full((len(seeds), len(self.queries)), -1)
        for number, (fold, of_models) in enumerate(zip(folds, judged, strict=True)):
            ids = self.ids[fold.held_out]
            in_fold = ids[np.sort(np.unique(ids, return_index=True)[1])]
            repeat, places = seeds.index(fold.seed), [number_of[each] for each in in_fold.tolist()]
            values[repeat][:, places] = np.stack(of_models)
            fold_of[repeat, places] = number
        is_one = len(seeds) == 1
        return ModelChoice(
            measures=self.names,
            qid=self.queries,
            values=values[0] if is_one else values.mean(axis=0),
            repeats=None if is_one else values,
            folds=fold_of,
            directions=self.directions,
            **facts,
        )
