"""Evaluation of Dask collections: partitions of whole queries, and exact sums over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from skgraded._engines.rows import ColumnNames, as_array, read_rows
from skgraded._engines.scan import EvaluationPlan, TopGrade, Total, combine, top_of
from skgraded._support.array_types import FloatArray, IntArray
from skgraded.measures import Measures
from skgraded.rankings import (
    grades_of_categories,
    id_columns,
    require_same_words,
    words_of_grades,
)
from skgraded.results import Means, Scores
from skgraded.scoring import (
    RankingScorer,
    ResponseMethod,
    make_ranking_scorer as make_local_scorer,
    scores_of_rows,
)

_ALIKE = "The collections must have blocks of the same rows"
_ROW = "__row__"
_ROWS_OF_A_PARTITION = 2**40


def evaluate(
    measures: Measures,
    data: Any,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    per_query: bool = False,
    whole_queries: bool = False,
    n_threads: int | None = None,
) -> Means | Scores:
    """Score a Dask DataFrame.

    Means are the same to the last bit as those of `skgraded.evaluate` on all rows in memory, on
    any number of partitions and workers; so are the values of the queries.

    Rows are shuffled by query, unless there is one partition, the index is the query id and its
    divisions are known, or `whole_queries` promises that no query is in two partitions.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own. If one takes the top of the scale from the
        data, all labels are read first.
    data : dask DataFrame
        The rows. ``dask.dataframe.concat(..., axis=1)`` makes one of collections side by side.
    label, score, qid : str
        Columns of grades, scores and query ids; `qid` may be the name of the index.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    per_query : bool, default=False
        Whether to bring the values of all queries together, in the order of the data: 8 bytes for
        each query and measure.
    whole_queries : bool, default=False
        Promise that no query is in two partitions. A promise that does not hold is an error: all
        ids are brought together to find that out.
    n_threads : int, optional
        Threads of each task; results do not depend on it. None is one, -1 all processors.

    Returns
    -------
    Means or Scores
        The means; with `per_query`, a `Scores`, which also holds the value of each query.

    Raises
    ------
    ValueError
        If a query is in two partitions against the promise, or a column, grade or argument is not
        as described.

    See Also
    --------
    skgraded.chunks.evaluate : One machine, without Dask.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from skgraded.dask import evaluate
    >>> rows = pd.DataFrame({
    ...     "qid": ["a", "a", "a", "b", "b", "b"],
    ...     "label": [2, 0, 1, 0, 1, 0],
    ...     "score": [3, 2, 1, 3, 2, 1],
    ... })
    >>> evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], dd.from_pandas(rows, npartitions=2))
    measure              mean
    eGAP(g=[0.1,0.9])  0.5167
    nDCG@2             0.6956
    Means over 2 queries.
    """
    plan = EvaluationPlan.of(
        measures,
        ColumnNames(label, score, qid, weight),
        per_query=per_query,
        whole_queries=whole_queries,
        n_threads=n_threads,
    )
    _require_columns(data, plan.columns)
    frame = _with_grades(data, label)
    plan = plan.with_top(lambda: _highest_grades(frame[label].to_delayed()))
    return _evaluate_frame(plan, frame)


def _evaluate_frame(plan: EvaluationPlan, frame: Any) -> Means | Scores:
    partitions, is_shuffled = _partitions_of_whole_queries(frame, plan)
    results = _compute(partial(_total, plan), partitions)
    totals, first_rows = zip(*results, strict=True)

    result = combine(totals)
    if isinstance(result, Scores) and is_shuffled:
        order = np.argsort(np.concatenate(first_rows))
        return result.select(qid=result.qid[order].tolist())
    return result


def _total(plan: EvaluationPlan, partition: pd.DataFrame) -> tuple[Total, IntArray]:
    """Score a partition; after a shuffle, also return the number of each query's first row."""
    first_rows = np.zeros(0, dtype=np.int64)
    if _ROW in partition.columns:
        partition = partition.sort_values(_ROW, kind="stable")
        comes_back = partition[plan.columns.qid].duplicated().to_numpy()
        first_rows = partition[_ROW].to_numpy()[~comes_back]

    blocks = plan.scan(read_rows([partition], plan.columns))
    return plan.total(blocks), first_rows


def _compute(function: Callable[..., Any], blocks: list[Any]) -> list[Any]:
    call = dask.delayed(function, pure=False)
    return list(dask.compute(*map(call, blocks)))


def _require_columns(data: Any, columns: ColumnNames) -> None:
    if not (hasattr(data, "npartitions") and hasattr(data, "columns")):
        raise TypeError(
            f"data must be a Dask DataFrame, got {type(data).__name__}. Put Dask arrays side by "
            "side by dask.dataframe.concat, and pass rows in memory to skgraded.evaluate."
        )

    names = list(data.columns)
    if data.index.name == columns.qid:
        names.append(columns.qid)
    columns.require(names, "the DataFrame")


def _with_grades(frame: Any, label: str) -> Any:
    """Replace ordered categories by their grades, which all partitions must agree on."""
    labels = frame[label]
    if type(labels.dtype).__name__ != "CategoricalDtype":
        return frame

    words: tuple[Any, ...] = ()
    if labels.cat.known:
        words = words_of_grades(labels)
        if not words:
            # The categories are numbers.
            return frame
    grades = labels.map_partitions(_grades_of_words, words, meta=(label, np.float64))
    return frame.assign(**{label: grades})


def _grades_of_words(labels: pd.Series, words: tuple[Any, ...]) -> pd.Series:
    words_here = words_of_grades(labels)
    require_same_words(words, "the data as Dask describes them", words_here, "a part")
    grades = grades_of_categories(labels)
    return pd.Series(grades, labels.index, np.float64, labels.name)


def _highest_grades(blocks: list[Any]) -> list[TopGrade]:
    """Find the highest grade in each block of labels, and whether any is not a whole number."""
    return _compute(_highest_grade, blocks)


def _highest_grade(labels: Any) -> TopGrade:
    return top_of(as_array(labels))


def _partitions_of_whole_queries(
    frame: Any, plan: EvaluationPlan
) -> tuple[list[Any], bool]:
    """Return partitions that hold whole queries, and whether rows were moved for it."""
    n_partitions = frame.npartitions
    is_sorted = False
    if plan.columns.qid not in frame.columns:
        is_sorted = frame.known_divisions
        frame = frame.reset_index()
    frame = frame[plan.columns.distinct]
    if plan.whole_queries or is_sorted or n_partitions == 1:
        return frame.to_delayed(), False

    # A shuffle does not keep the order of the rows, which decides between tied documents.
    number_rows = dask.delayed(_with_row_numbers)
    partitions = enumerate(frame.to_delayed())
    no_rows = np.zeros(0, dtype=np.int64)
    numbered_frame = dd.from_delayed(
        [number_rows(partition, number) for number, partition in partitions],
        meta=frame._meta.assign(**{_ROW: no_rows}),
        verify_meta=False,
    )
    return numbered_frame.shuffle(on=plan.columns.qid).to_delayed(), True


def _with_row_numbers(partition: pd.DataFrame, number: int) -> pd.DataFrame:
    rows = number * _ROWS_OF_A_PARTITION + np.arange(len(partition))
    return partition.assign(**{_ROW: rows})


def _blocks_of(name: str, collection: Any, n_dimensions: int = 1) -> list[Any]:
    """Return the blocks or partitions of a collection, not computed; each holds whole rows."""
    is_collection = hasattr(collection, "to_delayed")
    if not is_collection or getattr(collection, "ndim", 0) != n_dimensions:
        kinds = {
            1: "Dask array of one dimension or Series",
            2: "Dask array of rows or DataFrame",
        }
        raise TypeError(
            f"{name} must be a {kinds[n_dimensions]}, got {type(collection).__name__}."
        )

    # A block then holds all columns of its rows.
    if n_dimensions > 1 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    return np.ravel(collection.to_delayed()).tolist()


def _side_by_side(blocks: Mapping[str, list[Any]], dtypes: Mapping[str, Any]) -> Any:
    """Put blocks of columns and their types, by name, side by side in a DataFrame."""
    if _lengths_differ(blocks):
        raise ValueError(
            f"{_ALIKE}, got {_list_lengths(blocks)} blocks: rechunk them alike."
        )

    names = list(blocks)
    empty_columns = {name: pd.Series(dtype=dtypes[name]) for name in names}
    join = dask.delayed(_join_columns)
    rows_of_blocks = zip(*blocks.values(), strict=True)
    partitions = [join(names, *columns) for columns in rows_of_blocks]
    return dd.from_delayed(
        partitions, meta=pd.DataFrame(empty_columns), verify_meta=False
    )


def _join_columns(names: list[str], *columns: Any) -> pd.DataFrame:
    arrays = map(as_array, columns)
    frame = dict(zip(names, arrays, strict=True))
    if _lengths_differ(frame):
        raise ValueError(f"{_ALIKE}, got a block with {_list_lengths(frame)} rows.")
    return pd.DataFrame(frame)


def _lengths_differ(columns: Mapping[str, Any]) -> bool:
    lengths = {len(column) for column in columns.values()}
    return len(lengths) > 1


def _list_lengths(columns: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {len(column)}" for name, column in columns.items())


def make_ranking_scorer(
    measures: Measures, *, response_method: ResponseMethod = "auto"
) -> _DaskRankingScorer:
    """Make a scorer of models on Dask collections from one measure or several.

    It scores ``DaskLGBMRanker``, other estimators of Dask whose ``predict`` takes collections, and
    any fitted estimator of one machine, which is sent to the workers. Documents are scored where
    they are; only sums come back, and the means are the same to the last bit as those of
    `skgraded.make_ranking_scorer` on all rows in memory with the same predictions.

    Parameters
    ----------
    measures : str, Measure, list or dict of them
        As in `skgraded.make_ranking_scorer`.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        Where the scores of the documents come from, as in `skgraded.make_ranking_scorer`.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, qid=None, sample_weight=None, *, whole_queries=False)`` returns a
        number or dict of them. ``scorer.per_query`` takes the same arguments and returns the
        `Scores`, with the value of each query. Queries are given by ``qid``, an id for each row, or
        by a column ``"qid"`` of a DataFrame X. All collections have the same partitions.
        ``whole_queries`` promises that no query is in two of them, which saves a shuffle.

    Raises
    ------
    ValueError
        If no measure is given or one is unknown. In a call: if there are no query ids, or
        partitions do not match.

    Warns
    -----
    GradeScaleWarning
        If a measure has g by name but no ``max_grade``: g would change with the data.

    See Also
    --------
    global_evaluation : The same values in each iteration of a training.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import nDCG
    >>> from skgraded.dask import make_ranking_scorer
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=20, random_state=0)
    >>> ridge = Ridge().fit(X, y)
    >>> far = [da.from_array(each, chunks=(100, *each.shape[1:])) for each in (X, y, qid)]
    >>> value = make_ranking_scorer("nDCG@10")(ridge, *far)
    >>> abs(value - nDCG(k=10)(y, ridge.predict(X), qid=qid)) < 1e-12
    True
    """
    local = make_local_scorer(measures, response_method=response_method)
    return _DaskRankingScorer(local.measures, local.is_single, local.response_method)


class _DaskRankingScorer(RankingScorer):
    """A scorer that leaves rows and predictions on the cluster."""

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        *,
        whole_queries: bool = False,
    ) -> float | dict[str, float]:
        means = self._evaluate(
            estimator,
            X,
            y,
            qid=qid,
            sample_weight=sample_weight,
            whole_queries=whole_queries,
            per_query=False,
        )
        return self._signed_means(means)

    def per_query(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        *,
        whole_queries: bool = False,
    ) -> Scores:
        """Values of the measures query by query, with the sign that they have by themselves."""
        scores = self._evaluate(
            estimator,
            X,
            y,
            qid=qid,
            sample_weight=sample_weight,
            whole_queries=whole_queries,
            per_query=True,
        )
        return cast(Scores, scores)

    def _evaluate(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        qid: Any,
        sample_weight: Any,
        whole_queries: bool,
        per_query: bool,
    ) -> Means | Scores:
        """Predict the scores and put them side by side with the other columns."""
        names_of_ids = id_columns(X) if qid is None else []
        if names_of_ids:
            qid = X[names_of_ids[0]]
        if qid is None:
            raise ValueError("qid must hold a query id for each row, got None.")

        weight_name = None if sample_weight is None else "sample_weight"
        plan = EvaluationPlan.of(
            self._named,
            ColumnNames("y", "score", "qid", weight_name),
            per_query=per_query,
            whole_queries=whole_queries,
        )

        blocks = {}
        dtypes = {}
        collections = {"y": y, "qid": qid, "sample_weight": sample_weight}
        for name, collection in collections.items():
            if collection is not None:
                blocks[name] = _blocks_of(name, collection)
                dtypes[name] = collection.dtype

        # Who made the scorer was warned of continuous labels.
        plan = plan.with_top(
            lambda: [(top, False) for top, _ in _highest_grades(blocks["y"])]
        )

        blocks["score"] = _predictions(estimator, X, self.response_method)
        dtypes["score"] = np.dtype(np.float64)
        return _evaluate_frame(plan, _side_by_side(blocks, dtypes))


def _predictions(estimator: Any, X: Any, response_method: ResponseMethod) -> list[Any]:
    """Predict the scores of each block, on the worker that holds it."""
    if hasattr(estimator, "to_local"):
        # LightGBM's estimators.
        estimator = estimator.to_local()
    elif hasattr(estimator, "client"):
        # XGBoost's estimators, which take whole collections.
        return _blocks_of("predictions", estimator.predict(X))

    score = dask.delayed(_scores_of_block)
    model = dask.delayed(estimator)
    blocks = _blocks_of("X", X, n_dimensions=2)
    return [score(model, block, response_method) for block in blocks]


def _scores_of_block(model: Any, X: Any, response_method: ResponseMethod) -> FloatArray:
    # Most estimators refuse to predict for no rows.
    if not len(X):
        return np.zeros(0)
    return scores_of_rows(model, X, response_method)
