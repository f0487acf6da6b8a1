"""Scorers of models on Dask collections."""

from __future__ import annotations

from typing import Any, cast

import dask
import numpy as np
from numpy.typing import NDArray

from skgraded.dask._collections import blocks_of, side_by_side
from skgraded.dask._evaluate import evaluate, grades_of
from skgraded.measures import Measures, resolve_all
from skgraded.rankings import QID, features_for, has_id_column
from skgraded.results import Means, Scores
from skgraded.scoring import RankingScorer, ResponseMethod, scores_of
from skgraded.scoring import make_ranking_scorer as make_local_scorer


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
    InferredGradesWarning
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
    return scores_of(model, features_for(model, X), response_method) if len(X) else np.zeros(0)
