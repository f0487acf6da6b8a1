"""Objectives: for which one a booster should be trained, by the measures that one judges by."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.parallel import Parallel, delayed

from skgraded._guards import warn_if_ids_are_sizes
from skgraded._params import choice, fraction, integer, is_integer
from skgraded._progress import ProgressBar
from skgraded.measures import Measure, measure
from skgraded.model_selection import QueryKFold, QueryRanker, QueryShuffleSplit
from skgraded.model_selection._splitters import query_of_row
from skgraded.rankings import (
    Judgments,
    read_columns,
    without_query_ids,
)
from skgraded.studies._objective_comparison import ObjectiveComparison, compare_trainings
from skgraded.studies._objective_trainings import (
    Cell,
    Fold,
    Rows,
    Training,
    estimator_for,
    train,
)
from skgraded.studies._training_store import (
    DATA,
    TrainingStore,
    settings_of_estimator,
    settings_of_values,
)

__all__ = ["compare_objectives"]

IntArray = NDArray[np.int64]


def compare_objectives(
    estimator: Any,
    objectives: Mapping[str, Any],
    judges: Mapping[str, str | Measure] | Iterable[str | Measure],
    X: Any,
    y: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    baseline: str = "lambdarank",
    cv: Any = 5,
    n_repeats: int = 5,
    validation_fraction: float = 0.25,
    random_state: int = 0,
    confidence: float = 0.95,
    n_jobs: int | None = None,
    path: str | os.PathLike[str] | None = None,
) -> ObjectiveComparison:
    """Train with several objectives, and compare them with one of them by several measures.

    In every repeat the queries are split into folds, and in every fold each objective is trained
    with all its iterations on one part of the other queries. The rest of them, the validation
    queries, are for the choice of the number of iterations: each judge chooses its own. The model
    with that many iterations is judged on the queries of the fold. All objectives see the same
    queries, so that differences are paired.

    Parameters
    ----------
    estimator : estimator
        LGBMRanker or any other estimator of `skgraded.QueryRanker`, with all other parameters. If
        it leaves the number of threads open, it trains on one, so that the models do not depend on
        the machine or on `n_jobs`.
    objectives : mapping of str to objective
        What is compared, by name. A name of the library, such as ``"rank_xendcg"``, or an objective
        of `skgraded.lightgbm.objective` is set as the estimator's parameter ``objective``; of a
        dict, all parameters are set; another estimator is taken as it is, also one of another
        library, such as ``XGBRanker(objective="rank:map")``. An estimator that is no booster
        counts as one iteration.
    judges : mapping of str to measure, or iterable of measures
        The measures to judge by, with names if you like. Where a measure leaves the scale's top
        grade open, it is that of all labels.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        Features. A column ``"qid"`` of a DataFrame is not among them.
    y : array-like of shape (n_documents,)
        Grades, or what `query_target` makes.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them, where neither X nor y holds them.
    baseline : str, default="lambdarank"
        The objective that all others are compared with, by its name in `objectives`.
    cv : int or splitter, default=5
        Number of folds of a `QueryKFold`, or a splitter of queries, such as `StratifiedQueryKFold`.
        Its ``random_state`` is replaced in every repeat.
    n_repeats : int, default=5
        Number of repeats, each with folds and validation queries of its own. The intervals of a
        single repeat hold for its splits alone; the widths of those of two to four repeats depend
        on chance, as the notes of `skgraded.compare_rankers` tell.
    validation_fraction : float, default=0.25
        Share of the queries outside of a fold that are validation queries.
    random_state : int, default=0
        Seed of the first repeat's splits; the next repeats take the next numbers.
    confidence : float, default=0.95
        Confidence of the intervals.
    n_jobs : int, optional
        Trainings at a time. The result does not depend on it.
    path : str or path-like, optional
        Folder that keeps every finished training, which is made if it does not exist. A study that
        was stopped goes on from there when it is called again. Objectives and repeats can be added;
        a difference in anything else that decides over a training is an error. A function of yours
        is known by its name alone: change the folder when you change its code.

    Returns
    -------
    ObjectiveComparison
        Differences to the baseline with intervals and p-values, and all values of all iterations.

    Raises
    ------
    ValueError
        If `baseline` is not among the objectives, an argument is not as described, `cv` cannot be
        repeated, or `path` holds a study with other settings or data.

    Warns
    -----
    GroupSizesWarning
        If the query ids are the sizes of the queries, row by row.

    See Also
    --------
    combine_objectives : The results of several data sets as one, with a pooled difference.
    choose_by_stopping : Which measure should stop a training.

    Notes
    -----
    All values are kept in memory: 8 bytes for every query, iteration, judge, objective and repeat,
    and once more for validation queries.

    Examples
    --------
    >>> from lightgbm import LGBMRanker
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.lightgbm import objective
    >>> from skgraded.studies import compare_objectives
    >>> X, y, qid = make_ranking(n_queries=30, docs_per_query=20, random_state=0)
    >>> found = compare_objectives(
    ...     LGBMRanker(n_estimators=20, verbose=-1),
    ...     {"lambdarank": "lambdarank", "xGAP": objective("xGAP(max_grade=4)")},
    ...     ["xGAP", "nDCG@10"],
    ...     X,
    ...     y,
    ...     qid=qid,
    ...     cv=3,
    ...     n_repeats=1,
    ... )
    >>> found.compared, found.differences.shape, len(found.trainings)
    (('xGAP',), (1, 2), 6)
    """
    _refuse_query_ranker("estimator", estimator)
    known = _check_objectives(objectives)
    choice("baseline", baseline, known)
    fraction("confidence", confidence)
    data = _Data.read(X, y, qid, judges)
    plan = _Plan(cv, n_repeats, validation_fraction, random_state)
    splits = _splits(data, plan, X, y, qid)
    estimators = {name: estimator_for(estimator, each) for name, each in known.items()}
    store = None
    if path is not None:
        store = TrainingStore(path, _settings(data, estimators, plan))
    trainings = _run(data, estimators, splits, store, n_jobs)
    return compare_trainings(
        trainings,
        measures=data.judges,
        qid=data.layout.qid,
        top_graded=data.top_graded,
        baseline=baseline,
        confidence=confidence,
    )


class _Data(NamedTuple):
    """The rows, and the judges with the scale of all grades filled in."""

    rows: Rows
    ids: NDArray[Any]
    layout: Judgments
    judges: dict[str, Measure]

    @classmethod
    def read(
        cls,
        X: Any,
        y: Any,
        qid: ArrayLike | None,
        judges: Mapping[str, str | Measure] | Iterable[str | Measure],
    ) -> _Data:
        columns = read_columns(y, qid, named=("y", "qid"), X=X).require_ids()
        grades, ids = np.asarray(columns.labels), columns.ids
        layout = Judgments.of_columns(columns)
        warn_if_ids_are_sizes(layout.row_counts)
        features = X.tocsr() if hasattr(X, "tocsr") else without_query_ids(X)
        rows = Rows(features, grades, query_of_row(layout))
        return cls(rows, np.asarray(ids), layout, _check_judges(judges, int(layout.top_grade)))

    @property
    def top_graded(self) -> NDArray[np.bool_]:
        """Whether each query has a document of the top grade."""
        has: NDArray[np.bool_] = self.layout.counts[:, -1] > 0
        return has


def _check_objectives(objectives: Any) -> dict[str, Any]:
    if not isinstance(objectives, Mapping) or len(objectives) < 2:  # noqa: PLR2004
        raise ValueError(
            "objectives must be a mapping of at least 2 names, such as {'lambdarank': "
            f"'lambdarank', 'xGAP': objective('xGAP(max_grade=4)')}}, got {objectives!r}."
        )
    for name, each in objectives.items():
        _refuse_query_ranker(f"objectives[{name!r}]", each)
        is_known = isinstance(each, str | Mapping) or callable(each) or hasattr(each, "fit")
        if not is_known or isinstance(each, type):
            raise ValueError(
                f"objectives[{name!r}] must be a name of the library, an objective, a dict of "
                f"parameters or an estimator, got {each!r}."
            )
    return {str(name): each for name, each in objectives.items()}


def _refuse_query_ranker(argument: str, given: Any) -> None:
    if isinstance(given, QueryRanker):
        raise ValueError(
            f"{argument} must be the ranker that a QueryRanker wraps, got {type(given).__name__}: "
            "validation queries and the measures that choose the iteration are the study's."
        )


def _check_judges(judges: Any, top_grade: int) -> dict[str, Measure]:
    if isinstance(judges, str | Measure):
        judges = [judges]
    named = judges if isinstance(judges, Mapping) else {str(each): each for each in judges}
    if not named:
        raise ValueError("judges must hold at least one measure, got none.")
    return {str(name): measure(each).resolve(top_grade) for name, each in named.items()}


class _Plan(NamedTuple):
    """How the queries are split."""

    cv: Any
    n_repeats: int
    validation_fraction: float
    random_state: int

    def settings(self) -> dict[str, str]:
        """Describe what decides over the splits of a repeat."""
        return {
            "cv": _text_of_splitter(self.cv),
            "validation_fraction": repr(self.validation_fraction),
            "random_state": repr(self.random_state),
        }


def _splits(
    data: _Data, plan: _Plan, X: Any, y: Any, qid: ArrayLike | None
) -> dict[tuple[int, int], Fold]:
    """Return the folds of all repeats, with validation queries drawn from the other queries."""
    share = fraction("validation_fraction", plan.validation_fraction)
    first = integer("random_state", plan.random_state, 0)
    splits = {}
    for repeat in range(integer("n_repeats", plan.n_repeats, 1)):
        seed = first + repeat
        splitter = _splitter(plan.cv, seed, is_repeated=plan.n_repeats > 1)
        drawn = QueryShuffleSplit(1, test_size=share, random_state=seed)
        tested = np.zeros(data.layout.n_queries, dtype=bool)
        for fold, (rest, test) in enumerate(splitter.split(X, y, qid)):
            _mark_tested(tested, np.unique(data.rows.query[test]))
            ((own, held_out),) = drawn.split(rest, groups=data.ids[rest])
            splits[repeat, fold] = Fold(rest[own], rest[held_out], test)
    return splits


def _mark_tested(tested: NDArray[np.bool_], queries: IntArray) -> None:
    if tested[queries].any():
        raise ValueError(
            "cv must test every query once, got a splitter that tests a query twice: use folds, "
            "such as StratifiedQueryKFold(5), and n_repeats."
        )
    tested[queries] = True


def _splitter(cv: Any, seed: int, *, is_repeated: bool) -> Any:
    if is_integer(cv):
        return QueryKFold(int(cv), random_state=seed)
    if not hasattr(cv, "split"):
        raise ValueError(
            "cv must be a number of folds or a splitter of queries, such as "
            f"StratifiedQueryKFold(5), got {cv!r}."
        )
    splitter = copy.copy(cv)
    draws = hasattr(cv, "random_state") and getattr(cv, "shuffle", True)
    if is_repeated and not draws:
        raise ValueError(
            "cv must draw its folds by a random_state where n_repeats is above 1, or all repeats "
            f"are the same, got {_text_of_splitter(cv)}."
        )
    if draws:
        splitter.random_state = seed
    return splitter


def _text_of_splitter(cv: Any) -> str:
    if is_integer(cv):
        cv = QueryKFold(int(cv))
    params = {name: each for name, each in sorted(vars(cv).items()) if name != "random_state"}
    return f"{type(cv).__name__}({', '.join(f'{name}={each!r}' for name, each in params.items())})"


def _settings(data: _Data, estimators: dict[str, Any], plan: _Plan) -> dict[str, dict[str, str]]:
    of_data = settings_of_values(X=data.rows.X, y=data.rows.grades, qid=data.ids)
    of_judges = {f"judge {name!r}": str(each) for name, each in data.judges.items()}
    of_objectives = {
        f"objectives[{name!r}]": settings_of_estimator(each) for name, each in estimators.items()
    }
    return {DATA: of_data, "judges": of_judges, "splits": plan.settings(), **of_objectives}


def _run(
    data: _Data,
    estimators: dict[str, Any],
    splits: dict[tuple[int, int], Fold],
    store: TrainingStore | None,
    n_jobs: int | None,
) -> list[Training]:
    """Return the trainings by repeat, fold and objective; those that are stored are read."""
    cells = [Cell(name, *place) for place in splits for name in estimators]
    found = {cell: None if store is None else store.find(cell) for cell in cells}
    missing = [cell for cell in cells if found[cell] is None]
    judges = tuple(data.judges.values())
    tasks = (
        delayed(_train_and_keep)(
            store, estimators[cell.objective], cell, data.rows, splits[cell[1:]], judges
        )
        for cell in missing
    )
    with ProgressBar(len(cells), "trainings") as bar:
        bar.step(len(cells) - len(missing))
        made = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
        for cell, training in zip(missing, made, strict=True):
            found[cell] = training
            bar.step()
    return [training for training in found.values() if training is not None]


def _train_and_keep(store: TrainingStore | None, *task: Any) -> Training:
    """Train in a worker process, which stores the training itself."""
    training = train(*task)
    if store is not None:
        store.keep(training)
    return training
