"""Rankers to validate or compare: on what they are fitted, and by what they are scored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from skgraded._guards import warn_about_scored_queries
from skgraded.measures import Measure, Measures, evaluate, measure, measures_by_name, resolve_all
from skgraded.model_selection._fitting import needs_queries
from skgraded.model_selection._query_ranker import QueryRanker
from skgraded.rankings import Judgments, features_for, query_series, query_target, read_columns
from skgraded.results import Scores
from skgraded.scoring import scores_of


def scores_of_models(
    models: dict[str, Any], X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> dict[str, Scores]:
    """Return the scores of fitted models on documents, by default by their own measure."""
    for name, each in models.items():
        _check_model(name, each)
    if X is None:
        first = next(iter(models))
        raise ValueError(f"X and y are needed to rank the queries with {first!r}, a fitted model.")
    if y is None:
        raise ValueError("y must hold the grades of the rows of X, got None.")
    columns = read_columns(y, qid, named=("y", "qid"), X=X).require_ids()
    judgments = Judgments.of_columns(columns)
    own = {name: each for name, each in models.items() if ranker_in(each) is not None}
    named = measures_for(own or models, measures, judgments)
    parts = {}
    for name, each in models.items():
        warn_about_scored_queries(judgments, each)
        parts[name] = evaluate(named, judgments.rank(scores_of(each, features_for(each, X))))
    return parts


def _check_model(name: str, ranker: Any) -> None:
    """Raise an error unless a ranker is a fitted model."""
    if not hasattr(ranker, "predict"):
        raise TypeError(
            "rankers must be fitted models, results of cross_validate_queries or of "
            f"nDCG(k=10).per_query(y, scores, qid=qid), got {type(ranker).__name__} for {name!r}."
        )
    try:
        check_is_fitted(ranker)
    except NotFittedError as error:
        raise NotFittedError(
            f"rankers must be fitted, got {name!r}, {type(ranker).__name__}, which is not: call "
            "its fit before, or compare results of cross_validate_queries, which fits it in every "
            "fold."
        ) from error
    except TypeError:  # a model of another kind, which scikit-learn cannot tell about
        pass


def check_that_weights_arrive(rankers: Iterable[Any], sample_weight: Any) -> None:
    """Raise where scikit-learn's Pipeline does not hand weights to its last step."""
    if sample_weight is None or get_config()["enable_metadata_routing"]:
        return
    if any(isinstance(each, Pipeline) for each in rankers):
        raise ValueError(
            "sample_weight does not reach the last step of a Pipeline, got one as the estimator: "
            "put the Pipeline inside, QueryRanker(make_pipeline(...), measure=...)."
        )


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
    params = estimator.get_params(deep=True) if hasattr(estimator, "get_params") else {}
    return any(name.rpartition("__")[2] == "cv" for name in params)


def ranker_in(estimator: Any) -> QueryRanker | None:
    """Find the `QueryRanker` that an estimator is or wraps."""
    if isinstance(estimator, QueryRanker):
        return estimator
    params = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    return next((each for each in params if isinstance(each, QueryRanker)), None)


def measure_of(estimator: Any, argument: str = "measures") -> Measure:
    """Return the measure of the ranker that an estimator is or wraps."""
    ranker = ranker_in(estimator)
    if ranker is None:
        name = type(estimator).__name__
        raise ValueError(
            f"{argument} must be given for {name}, which has no measure of its own: "
            f'{argument}="nDCG@10", or QueryRanker({name}(...), measure="nDCG@10").'
        )
    return measure(ranker.measure)


def measures_for(
    rankers: dict[str, Any], measures: Measures | None, judgments: Judgments
) -> dict[str, Measure]:
    """Return the measures by name, with the scale of all labels where one leaves it open."""
    if measures is None:
        given = measures_by_name([measure_of(each) for each in rankers.values()])
        if len(given) > 1:
            raise ValueError(
                "measures must be given where rankers have different measures of their own, got "
                f"{', '.join(given)}."
            )
    else:
        given = measures_by_name(measures)
    are_fractional = judgments.has_fractional_grades
    resolved = resolve_all(given, judgments.top_grade, are_fractional=are_fractional)
    return {
        str(each) if name == str(given[name]) else name: each for name, each in resolved.items()
    }


def fitted_on_queries(estimator: Any, chosen: Measure) -> Any:
    """Return an estimator that can be fitted on a target with query ids, if it is a ranker."""
    return QueryRanker(estimator, measure=chosen) if needs_queries(estimator) else estimator
