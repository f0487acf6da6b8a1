"""Evaluation of Dask collections: partitions of whole queries, and exact sums over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skgraded._engines.rows import Columns, as_array, read_rows
from skgraded._engines.scan import EvaluationPlan, Total, combine, top_of
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
        Columns(label, score, qid, weight),
        per_query=per_query,
        whole_queries=whole_queries,
        n_threads=n_threads,
    )
    _require_columns(data, plan.columns)
    frame = _with_grades(data, label)
    plan = plan.with_top(lambda: _tops_of(frame[label].to_delayed()))
    return _evaluate_frame(plan, frame)


def _evaluate_frame(plan: EvaluationPlan, frame: Any) -> Means | Scores:
    parts, is_shuffled = _parts_of_whole_queries(frame, plan)
    totals, first_rows = zip(*_compute(partial(_total, plan), parts), strict=True)
    combined = combine(totals)
    if isinstance(combined, Scores) and is_shuffled:
        order = np.argsort(np.concatenate(first_rows))
        return combined.select(qid=combined.qid[order].tolist())
    return combined


def _total(plan: EvaluationPlan, part: pd.DataFrame) -> tuple[Total, NDArray[np.int64]]:
    """Score a partition; after a shuffle, also return the number of each query's first row."""
    first_rows = np.zeros(0, dtype=np.int64)
    if _ROW in part.columns:
        part = part.sort_values(_ROW, kind="stable")
        first_rows = part[_ROW].to_numpy()[
            ~part[plan.columns.qid].duplicated().to_numpy()
        ]
    return plan.total(plan.scan(read_rows([part], plan.columns))), first_rows


def _compute(function: Callable[[Any], Any], blocks: list[Any]) -> list[Any]:
    call = dask.delayed(function, pure=False)
    return list(dask.compute(*map(call, blocks)))


def _require_columns(data: Any, columns: Columns) -> None:
    if not (hasattr(data, "npartitions") and hasattr(data, "columns")):
        raise TypeError(
            f"data must be a Dask DataFrame, got {type(data).__name__}. Put Dask arrays side by "
            "side by dask.dataframe.concat, and pass rows in memory to skgraded.evaluate."
        )
    indexed = [columns.qid] if data.index.name == columns.qid else []
    columns.require([*data.columns, *indexed], "the DataFrame")


def _with_grades(frame: Any, label: str) -> Any:
    """Replace ordered categories by their grades, which all partitions must agree on."""
    labels = frame[label]
    if type(labels.dtype).__name__ != "CategoricalDtype":
        return frame
    words = words_of_grades(labels) if labels.cat.known else ()
    if labels.cat.known and not words:  # the categories are numbers
        return frame
    grades = labels.map_partitions(_grades_of_words, words, meta=(label, np.float64))
    return frame.assign(**{label: grades})


def _grades_of_words(labels: pd.Series, words: tuple[Any, ...]) -> pd.Series:
    require_same_words(
        words, "the data as Dask describes them", words_of_grades(labels), "a part"
    )
    return pd.Series(
        grades_of_categories(labels), labels.index, np.float64, labels.name
    )


def _tops_of(labels: list[Any]) -> list[tuple[float, bool]]:
    """Find the highest grade in each block of labels."""
    return _compute(_top, labels)


def _top(labels: Any) -> tuple[float, bool]:
    return top_of(as_array(labels))


def _parts_of_whole_queries(frame: Any, plan: EvaluationPlan) -> tuple[list[Any], bool]:
    """Return partitions that hold whole queries, and whether rows were moved for it."""
    is_index = plan.columns.qid not in frame.columns
    is_sorted = is_index and frame.known_divisions
    chosen = (frame.reset_index() if is_index else frame)[plan.columns.names]
    if plan.whole_queries or is_sorted or frame.npartitions == 1:
        return chosen.to_delayed(), False
    numbered = dd.from_delayed(
        [
            dask.delayed(_numbered)(part, place)
            for place, part in enumerate(chosen.to_delayed())
        ],
        meta=chosen._meta.assign(**{_ROW: np.zeros(0, dtype=np.int64)}),
        verify_meta=False,
    )
    return numbered.shuffle(on=plan.columns.qid).to_delayed(), True


def _numbered(part: pd.DataFrame, place: int) -> pd.DataFrame:
    # A shuffle does not keep the order of the rows, which decides between tied documents.
    return part.assign(**{_ROW: place * _ROWS_OF_A_PARTITION + np.arange(len(part))})


def _blocks_of(name: str, collection: Any, n_dimensions: int = 1) -> list[Any]:
    """Return the blocks or partitions of a collection, not computed; each holds whole rows."""
    if (
        not hasattr(collection, "to_delayed")
        or getattr(collection, "ndim", 0) != n_dimensions
    ):
        kinds = {
            1: "Dask array of one dimension or Series",
            2: "Dask array of rows or DataFrame",
        }
        raise TypeError(
            f"{name} must be a {kinds[n_dimensions]}, got {type(collection).__name__}."
        )
    if n_dimensions > 1 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    return np.ravel(collection.to_delayed()).tolist()


def _side_by_side(blocks: Mapping[str, list[Any]], dtypes: Mapping[str, Any]) -> Any:
    """Put blocks of columns and their types, by name, side by side in a DataFrame."""
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
        for name in id_columns(X)[:1] if qid is None else ():
            qid = X[name]
        if qid is None:
            raise ValueError("qid must hold a query id for each row, got None.")
        plan = EvaluationPlan.of(
            self._named,
            Columns(
                "y", "score", "qid", None if sample_weight is None else "sample_weight"
            ),
            per_query=per_query,
            whole_queries=whole_queries,
        )
        given = {"y": y, "qid": qid, "sample_weight": sample_weight}
        given = {name: each for name, each in given.items() if each is not None}
        blocks = {name: _blocks_of(name, each) for name, each in given.items()}
        # Who made the scorer was warned of continuous labels.
        plan = plan.with_top(lambda: [(top, False) for top, _ in _tops_of(blocks["y"])])
        dtypes = {name: each.dtype for name, each in given.items()}
        blocks["score"] = _predictions(estimator, X, self.response_method)
        dtypes["score"] = np.dtype(np.float64)
        return _evaluate_frame(plan, _side_by_side(blocks, dtypes))


def _predictions(estimator: Any, X: Any, response_method: ResponseMethod) -> list[Any]:
    """Predict the scores of each block, on the worker that holds it."""
    if hasattr(estimator, "to_local"):  # LightGBM's estimators
        estimator = estimator.to_local()
    elif hasattr(estimator, "client"):  # XGBoost's, which take whole collections
        return _blocks_of("predictions", estimator.predict(X))
    score = dask.delayed(_scores_of_block)
    model = dask.delayed(estimator)
    return [score(model, block, response_method) for block in _blocks_of("X", X, 2)]


def _scores_of_block(
    model: Any, X: Any, response_method: ResponseMethod
) -> NDArray[np.float64]:
    # Most estimators refuse to predict for no rows.
    return scores_of_rows(model, X, response_method) if len(X) else np.zeros(0)
