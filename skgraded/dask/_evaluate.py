"""Evaluation of Dask collections: partitions of whole queries, and exact sums over them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skgraded._engines.rows import Columns, as_array
from skgraded._engines.scan import (
    EvaluationPlan,
    QueryRange,
    distinct_grades,
    refuse_cut_query,
    reordered,
)
from skgraded._support.arguments import flag
from skgraded.measures import Measures, resolve_all
from skgraded.rankings import (
    QID,
    grades_of_categories,
    has_id_column,
    require_same_words,
    words_of_grades,
)
from skgraded.results import Means, Scores
from skgraded.scoring import RankingScorer, ResponseMethod, scores_of_rows
from skgraded.scoring import make_ranking_scorer as make_local_scorer

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
    grades: Sequence[float] | None = None,
    per_query: bool = False,
    whole_queries: bool = False,
    n_threads: int | None = None,
) -> Means | Scores:
    """Score a Dask collection.

    Means are the same to the last bit as those of `skgraded.evaluate` on all rows in memory, on
    any number of partitions and workers; so are the values of the queries.

    Rows are shuffled by query, unless there is one partition, the index is the query id and its
    divisions are known, or `whole_queries` promises that no query is in two partitions.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    data : dask DataFrame, or tuple of dask arrays or Series
        The rows; or the arrays (y_true, y_score, qid) or (y_true, y_score, qid, weight), in blocks
        of the same rows.
    label, score, qid : str
        Columns of grades, scores and query ids; `qid` may be the name of the index.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    grades : sequence of float, optional
        The grades that may occur, such as ``range(5)``. Without them, all labels are read first
        if a measure takes the top of the scale from the data.
    per_query : bool, default=False
        Whether to bring the values of all queries together, in the order of the data: 8 bytes for
        each query and measure.
    whole_queries : bool, default=False
        Promise that no query is in two partitions. A promise that does not hold is an error.
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
        Columns(label, score, qid, weight),
        per_query=per_query,
        grades=grades,
        n_threads=n_threads,
    )
    frame = data
    if isinstance(data, tuple | list):
        plan = dataclasses.replace(plan, columns=_columns_of_arrays(data, plan.columns))
        frame = _frame_of_arrays(data, plan.columns)
    _require_columns(frame, plan.columns)
    frame = _with_grades(frame, plan.columns.label)
    plan = plan.with_scale(lambda: grades_of(frame[plan.columns.label].to_delayed()))
    parts, is_shuffled = _parts_of_whole_queries(frame, plan.columns, whole_queries)
    found = _compute(partial(_score, plan), parts)
    scored = [each for each in found if each is not None]
    if not is_shuffled:
        _require_whole_queries([each.queries for each in scored], parts, plan.columns.qid)
    combined = plan.combine(each.result for each in scored)
    if isinstance(combined, Scores) and is_shuffled:
        first_rows = [each.first_rows for each in scored if each.first_rows is not None]
        return reordered(combined, np.argsort(np.concatenate(first_rows)))
    return combined


class _Scored(NamedTuple):
    """Result of a partition, and after a shuffle the number of the first row of each query."""

    result: Scores | Means
    queries: QueryRange
    first_rows: NDArray[np.int64] | None


def _score(plan: EvaluationPlan, part: pd.DataFrame) -> _Scored | None:
    if not len(part):
        return None
    first_rows = None
    if _ROW in part.columns:
        part = part.sort_values(_ROW, kind="stable")
        first_rows = part[_ROW].to_numpy()[~part[plan.columns.qid].duplicated().to_numpy()]
    scores = plan.score(part)
    return _Scored(plan.result(scores, len(part)), QueryRange.of(scores.qid), first_rows)


def _compute(function: Callable[[Any], Any], blocks: list[Any]) -> list[Any]:
    call = dask.delayed(function, pure=False)
    return list(dask.compute(*map(call, blocks)))


def _require_columns(data: Any, columns: Columns) -> None:
    if not (hasattr(data, "npartitions") and hasattr(data, "columns")):
        raise TypeError(
            "data must be a Dask DataFrame or a tuple of Dask arrays, got "
            f"{type(data).__name__}. Pass rows in memory to skgraded.evaluate."
        )
    indexed = [columns.qid] if data.index.name == columns.qid else []
    columns.require([*data.columns, *indexed], "the DataFrame")


def _columns_of_arrays(arrays: Any, columns: Columns) -> Columns:
    """Name the columns that arrays become; the fourth array holds the weights."""
    if len(arrays) not in (3, 4):
        raise ValueError(
            "data must hold the arrays (y_true, y_score, qid) or (y_true, y_score, qid, weight), "
            f"got {len(arrays)}."
        )
    if len(arrays) == len(columns) and columns.weight is None:
        return columns._replace(weight="weight")
    return columns


def _frame_of_arrays(arrays: Any, columns: Columns) -> Any:
    named = dict(zip(columns.names, arrays, strict=False))
    blocks = {name: blocks_of(name, each) for name, each in named.items()}
    return side_by_side(blocks, {name: each.dtype for name, each in named.items()})


def _with_grades(frame: Any, label: str) -> Any:
    """Replace ordered categories by their grades, which all partitions must agree on."""
    labels = frame[label]
    if type(labels.dtype).__name__ != "CategoricalDtype":
        return frame
    if not labels.cat.known:
        return frame.assign(**{label: labels.map_partitions(_checked_numbers, meta=labels._meta)})
    words = words_of_grades(labels)
    if not words:
        return frame
    grades = labels.map_partitions(_grades_of_words, words, meta=(label, np.float64))
    return frame.assign(**{label: grades})


def _checked_numbers(labels: pd.Series) -> pd.Series:
    if words_of_grades(labels):
        raise ValueError(
            f"{labels.name} must have categories that Dask knows, since the order of its "
            "categories may be another one in each partition, got unknown ones. Give all "
            f"partitions one type: data[{labels.name!r}].astype(pd.CategoricalDtype("
            "['bad', ..., 'good'], ordered=True))."
        )
    return labels


def _grades_of_words(labels: pd.Series, words: tuple[Any, ...]) -> pd.Series:
    require_same_words(words, "the data as Dask describes them", words_of_grades(labels), "a part")
    return pd.Series(grades_of_categories(labels), labels.index, np.float64, labels.name)


def grades_of(labels: list[Any]) -> NDArray[np.float64]:
    """Return the distinct grades in blocks of labels."""
    return distinct_grades(_compute(_distinct, labels))


def _distinct(labels: Any) -> NDArray[np.float64]:
    return distinct_grades([as_array(labels)])


def _parts_of_whole_queries(
    frame: Any, columns: Columns, whole_queries: bool
) -> tuple[list[Any], bool]:
    """Return partitions that hold whole queries, and whether rows were moved for it."""
    is_index = columns.qid not in frame.columns
    names = [name for name in columns.names if not (is_index and name == columns.qid)]
    chosen, is_sorted = frame[names], is_index and frame.known_divisions
    if is_index:
        chosen = chosen.map_partitions(_index_as_column, meta=chosen._meta.reset_index())
    if flag("whole_queries", whole_queries) or is_sorted or frame.npartitions == 1:
        return chosen.to_delayed(), False
    numbered = dd.from_delayed(
        [dask.delayed(_numbered)(part, place) for place, part in enumerate(chosen.to_delayed())],
        meta=chosen._meta.assign(**{_ROW: np.zeros(0, dtype=np.int64)}),
        verify_meta=False,
    )
    return numbered.shuffle(on=columns.qid).to_delayed(), True


def _index_as_column(part: pd.DataFrame) -> pd.DataFrame:
    return part.reset_index()


def _numbered(part: pd.DataFrame, place: int) -> pd.DataFrame:
    # A shuffle does not keep the order of the rows, which decides between tied documents.
    return part.assign(**{_ROW: place * _ROWS_OF_A_PARTITION + np.arange(len(part))})


def _require_whole_queries(ranges: list[QueryRange], parts: list[Any], qid: str) -> None:
    """Raise if a query is in two partitions; ids are only brought together if ranges meet."""
    if QueryRange.are_apart(ranges):
        return
    ids = [dask.delayed(_distinct_ids)(part, qid) for part in parts]
    (again,) = dask.compute(dask.delayed(_first_in_two)(ids))
    if again is not None:
        query, one, two = again
        refuse_cut_query(f"query {query!r} is in partitions {one} and {two}")


def _distinct_ids(part: pd.DataFrame, qid: str) -> list[Any]:
    return part[qid].drop_duplicates().tolist()


def _first_in_two(ids: list[list[Any]]) -> tuple[Any, int, int] | None:
    """Find an id that is in two lists, and the numbers of the lists."""
    place_of: dict[Any, int] = {}
    for place, each in enumerate(ids):
        for query in each:
            if place_of.setdefault(query, place) != place:
                return query, place_of[query], place
    return None


def blocks_of(name: str, collection: Any, n_dimensions: int = 1) -> list[Any]:
    """Return the blocks or partitions of a collection, not computed; each holds whole rows."""
    if not hasattr(collection, "to_delayed") or getattr(collection, "ndim", 0) != n_dimensions:
        kinds = {1: "Dask array of one dimension or Series", 2: "Dask array of rows or DataFrame"}
        raise TypeError(f"{name} must be a {kinds[n_dimensions]}, got {type(collection).__name__}.")
    if n_dimensions > 1 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    return np.ravel(collection.to_delayed()).tolist()


def side_by_side(blocks: Mapping[str, list[Any]], dtypes: Mapping[str, Any]) -> Any:
    """Put collections side by side as the columns of a DataFrame.

    Parameters
    ----------
    blocks : mapping of str to list of delayed
        Blocks of each column, by its name.
    dtypes : mapping of str to dtype
        Type of each column.

    Returns
    -------
    dask DataFrame
        The columns.
    """
    if len({len(each) for each in blocks.values()}) > 1:
        raise ValueError(f"{_ALIKE}, got {_said(blocks)} blocks: rechunk them alike.")
    meta = pd.DataFrame({name: pd.Series(dtype=dtypes[name]) for name in blocks})
    join = dask.delayed(_joined)
    parts = [join(list(blocks), *each) for each in zip(*blocks.values(), strict=True)]
    return dd.from_delayed(parts, meta=meta, verify_meta=False)


def _said(named: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {len(each)}" for name, each in named.items())


def _joined(names: list[str], *blocks: Any) -> pd.DataFrame:
    named = {name: as_array(each) for name, each in zip(names, blocks, strict=True)}
    if len({len(each) for each in named.values()}) > 1:
        raise ValueError(f"{_ALIKE}, got a block with {_said(named)} rows.")
    return pd.DataFrame(named)


def make_ranking_scorer(
    measures: Measures,
    *,
    response_method: ResponseMethod = "auto",
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
        rows = (estimator, X, y, qid, sample_weight)
        means = self._evaluate(rows, whole_queries, per_query=False)
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
        rows = (estimator, X, y, qid, sample_weight)
        return cast(Scores, self._evaluate(rows, whole_queries, per_query=True))

    def _evaluate(
        self, rows: tuple[Any, ...], whole_queries: bool, *, per_query: bool
    ) -> Means | Scores:
        estimator, X, y, qid, sample_weight = rows
        if qid is None and has_id_column(X):
            qid = X[QID]
        if qid is None:
            raise ValueError("qid must hold a query id for each row, got None.")
        given = {"y": y, "qid": qid, "sample_weight": sample_weight}
        given = {name: each for name, each in given.items() if each is not None}
        blocks = {name: blocks_of(name, each) for name, each in given.items()}
        dtypes = {name: each.dtype for name, each in given.items()}
        blocks["score"] = _predictions(estimator, X, self.response_method)
        dtypes["score"] = np.dtype(np.float64)
        named, grades = self._named, None
        if any(each.is_open for _, each in self.measures):
            grades = grades_of(blocks["y"])
            # Who made the scorer was warned.
            named = resolve_all(named, grades[-1], are_fractional=False)
        return evaluate(
            named,
            side_by_side(blocks, dtypes),
            label="y",
            grades=grades,  # type: ignore[arg-type]
            weight=None if sample_weight is None else "sample_weight",
            per_query=per_query,
            whole_queries=whole_queries,
        )


def _predictions(estimator: Any, X: Any, response_method: ResponseMethod) -> list[Any]:
    """Predict the scores of each block, on the worker that holds it."""
    if hasattr(estimator, "to_local"):  # LightGBM's estimators
        estimator = estimator.to_local()
    elif hasattr(estimator, "client"):  # XGBoost's, which take whole collections
        return blocks_of("predictions", estimator.predict(X))
    score, model = dask.delayed(_scores_of_block), dask.delayed(estimator)
    return [score(model, block, response_method) for block in blocks_of("X", X, 2)]


def _scores_of_block(model: Any, X: Any, response_method: ResponseMethod) -> NDArray[np.float64]:
    # Most estimators refuse to predict for no rows.
    return scores_of_rows(model, X, response_method) if len(X) else np.zeros(0)
