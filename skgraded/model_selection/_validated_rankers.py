"""Rankers to cross-validate: what they are fitted on, and by which measures they are scored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray
from sklearn import get_config
from sklearn.pipeline import Pipeline

from skgraded.measures import Measure, Measures, measure, measures_by_name, resolve_all
from skgraded.model_selection._fitting import needs_queries
from skgraded.model_selection._query_ranker import QueryRanker
from skgraded.rankings import Judgments, query_series, query_target

__all__ = [
    "check_that_weights_arrive",
    "fitted_on_queries",
    "measure_of",
    "measures_for",
    "ranker_in",
    "target_for",
]


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
