"""Trainings of one objective on one fold: the value of every query after every iteration."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from skgraded.measures import Measure, evaluate
from skgraded.model_selection import QueryRanker
from skgraded.model_selection._fitting import clone_estimator, final_step, staged_scores
from skgraded.rankings import Judgments

__all__ = ["Cell", "Fold", "Rows", "Training", "estimator_for", "train"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Names under which the boosters take a number of threads, where they do not show it as None.
_THREADS = {"n_jobs", "nthread", "nthreads", "num_thread", "num_threads", "thread_count"}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Training:
    """One training: the value of every query by every judge after every iteration.

    Attributes
    ----------
    objective : str
        Name of the objective.
    repeat, fold : int
        Number of the repeat and of its fold, from 0.
    validation_queries, test_queries : ndarray of int64
        Places of the validation and of the test queries among all queries.
    validation, test : ndarray of shape (n_iterations, n_queries, n_judges)
        Values of these queries; nan where a judge has no value for a query.
    """

    objective: str
    repeat: int
    fold: int
    validation_queries: IntArray
    test_queries: IntArray
    validation: FloatArray
    test: FloatArray

    def means(self, part: str = "test") -> FloatArray:
        """Return the mean over the queries after every iteration.

        Parameters
        ----------
        part : {"test", "validation"}
            The queries.

        Returns
        -------
        ndarray of shape (n_iterations, n_judges)
            The means over the queries that have a value; nan where none has.
        """
        values = self.test if part == "test" else self.validation
        has_value = ~np.isnan(values)
        sums = np.where(has_value, values, 0.0).sum(axis=1)
        n_values = has_value.sum(axis=1)
        means: FloatArray = np.divide(
            sums, n_values, out=np.full(sums.shape, np.nan), where=n_values > 0
        )
        return means

    def chosen(self, directions: FloatArray) -> IntArray:
        """Return the iteration, from 0, that is best on the validation queries, for each judge.

        Parameters
        ----------
        directions : ndarray of shape (n_judges,)
            1 where a higher value is better, -1 where a lower one is.

        Returns
        -------
        ndarray of shape (n_judges,), int64
            The first of the best iterations.

        Raises
        ------
        ValueError
            If a judge has no value for any validation query.
        """
        means = self.means("validation")
        if np.isnan(means).any():
            raise ValueError(
                "judges must have a value for some validation query of every fold, got none in "
                f"{self!r}: raise validation_fraction, or give the judges another rule for empty "
                "queries."
            )
        best: IntArray = np.argmax(means * directions, axis=0)
        return best

    def __repr__(self) -> str:
        return (
            f"Training({self.objective!r}, repeat={self.repeat}, fold={self.fold}, "
            f"{len(self.test)} iterations, {len(self.test_queries)} test queries)"
        )


class Cell(NamedTuple):
    """What is trained and stored at a time."""

    objective: str
    repeat: int
    fold: int


class Fold(NamedTuple):
    """Rows to train on, to choose the iteration on, and to test on."""

    training: IntArray
    validation: IntArray
    test: IntArray


class Rows(NamedTuple):
    """The rows with the number of each row's query."""

    X: Any
    grades: NDArray[Any]
    query: IntArray

    def judge(self, rows: IntArray) -> Judgments:
        """Lay out the grades of some rows."""
        return Judgments.from_arrays(self.grades[rows], self.query[rows])


def estimator_for(estimator: Any, objective: Any) -> Any:
    """Return an unfitted copy of the estimator with the objective set.

    The copy trains on one thread where the number of threads is left open: some boosters' models
    depend on that number in the last bits, and joblib changes it with its own number of workers.
    """
    if hasattr(objective, "fit"):
        made = clone_estimator(objective)
    elif isinstance(objective, Mapping):
        made = clone_estimator(estimator).set_params(**objective)
    else:
        made = clone_estimator(estimator)
        final_step(made).set_params(objective=objective)
    booster = final_step(made)
    params = booster.get_params()
    if not any(params.get(name) is not None for name in _THREADS):
        if "n_jobs" in params:
            booster.set_params(n_jobs=1)
        elif type(booster).__module__.partition(".")[0] == "catboost":
            booster.set_params(thread_count=1)
    return made


def train(
    estimator: Any, cell: Cell, rows: Rows, fold: Fold, judges: tuple[Measure, ...]
) -> Training:
    """Train on a fold, and score the validation and test queries after every iteration."""
    ranker = QueryRanker(estimator, measure=judges[0], remember_queries=False)
    features = _safe_indexing(rows.X, fold.training)
    try:
        ranker.fit(features, rows.grades[fold.training], qid=rows.query[fold.training])
        validation, test = (
            np.stack(list(_values(ranker.estimator_, rows, each, judges)))
            for each in (fold.validation, fold.test)
        )
    except Exception as error:
        where = f"repeat {cell.repeat}, fold {cell.fold}"
        error.add_note(f"This is objectives[{cell.objective!r}] in {where}.")
        raise
    return Training(
        *cell,
        validation_queries=_queries_of(rows, fold.validation),
        test_queries=_queries_of(rows, fold.test),
        validation=validation,
        test=test,
    )


def _values(
    model: Any, rows: Rows, chosen: IntArray, judges: tuple[Measure, ...]
) -> Iterator[FloatArray]:
    judgments, features = rows.judge(chosen), _safe_indexing(rows.X, chosen)
    for scores in staged_scores(model, features):
        yield evaluate(judges, judgments.rank(scores)).values


def _queries_of(rows: Rows, chosen: IntArray) -> IntArray:
    queries: IntArray = rows.judge(chosen).qid.astype(np.int64)
    return queries
