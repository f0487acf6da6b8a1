"""Scores of fitted models, by the same measures on the same documents."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skgraded._guards import warn_about_scored_queries
from skgraded.measures import Measures, evaluate
from skgraded.model_selection._splitters import has_top_grade
from skgraded.model_selection._validated_rankers import measures_for, ranker_in
from skgraded.rankings import Judgments, features_for, read_columns
from skgraded.results import Scores
from skgraded.scoring import scores_of

__all__ = ["scores_of_models"]


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
    named, top = measures_for(own or models, measures, judgments), has_top_grade(judgments)
    parts = {}
    for name, each in models.items():
        warn_about_scored_queries(judgments, each)
        scores = evaluate(named, judgments.rank(scores_of(each, features_for(each, X))))
        parts[name] = dataclasses.replace(scores, has_top_grade=top)
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
