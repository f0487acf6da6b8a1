"""What is compared, in any of its forms, as the scores of several systems side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skgraded.measures import Measure, Measures, evaluate, measures_by_name
from skgraded.model_selection._splitters import has_top_grade
from skgraded.model_selection._validation import measure_of
from skgraded.rankings import (
    Judgments,
    QueryIds,
    features_for,
    refuse_other_order,
    resolve_rows,
    warn_if_ids_are_sizes,
)
from skgraded.results import Scores
from skgraded.scoring import scores_of, warn_if_scored_queries_are_parts

__all__ = ["scores_of_rankers"]

_FEWEST = 2


def scores_of_rankers(
    rankers: Any, X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> Scores:
    """Return the scores of all rankers, by the same measures and on the same queries."""
    if isinstance(rankers, Mapping):
        named = {str(name): each for name, each in rankers.items()}
        _check_number(len(named))
        return Scores.of_systems(_parts(named, X, y, qid, measures))
    if not isinstance(rankers, Scores) or rankers.systems is None:
        what = "Scores of one system" if isinstance(rankers, Scores) else type(rankers).__name__
        raise TypeError(
            "rankers must be Scores of several systems, or map names to fitted models, results of "
            f"cross_validate_queries or Scores, got {what}."
        )
    _check_number(len(rankers.systems))
    return rankers if measures is None else rankers[_names(measures)]


def _check_number(n_systems: int) -> None:
    if n_systems < _FEWEST:
        raise ValueError(f"rankers must hold at least 2 systems to compare, got {n_systems}.")


def _names(measures: Measures) -> list[str]:
    """Return the names by which results hold measures."""
    is_one = isinstance(measures, str | Measure)
    return list(map(str, [measures] if is_one else measures))


def _parts(
    named: dict[str, Any], X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> dict[str, Scores]:
    """Return the scores of each ranker; fitted models rank the documents first."""
    documents = None if X is None else _documents_of(X, y, qid)
    parts: dict[str, Scores] = {}
    for name, each in named.items():
        if isinstance(each, Scores):
            parts[name] = each if measures is None else _picked(name, each, _names(measures))
            continue
        _check_model(name, each)
        if documents is None:
            raise ValueError(
                f"X and y are needed to rank the queries with {name!r}, a fitted model."
            )
        asked = _measures_of(named) if measures is None else measures
        parts[name] = _ranked(each, documents, asked)
    return parts


def _measures_of(named: dict[str, Any]) -> Measures:
    """Return the measures of the first scores, or else that of the first model."""
    scored = [each for each in named.values() if isinstance(each, Scores)]
    return list(scored[0]) if scored else measure_of(next(iter(named.values())))


def _picked(name: str, scores: Scores, names: list[str]) -> Scores:
    try:
        return scores[names]
    except KeyError as error:
        missing = ", ".join(each for each in names if each not in scores)
        raise ValueError(
            f"rankers must be scored by the same measures: {name!r} was scored by "
            f"{', '.join(scores)}, not by {missing}."
        ) from error


class _Documents(NamedTuple):
    """Documents for fitted models to rank."""

    X: Any
    queries: QueryIds
    judgments: Judgments


def _documents_of(X: Any, y: Any, qid: ArrayLike | None) -> _Documents:
    if y is None:
        raise ValueError("y must hold the grades of the rows of X, got None.")
    refuse_other_order(X=X, y=y, qid=qid)
    grades, queries = resolve_rows(X, y, qid)
    judgments = Judgments.from_arrays(grades, queries.ids)
    warn_if_ids_are_sizes(judgments)
    return _Documents(X, queries, judgments)


def _ranked(model: Any, documents: _Documents, measures: Measures) -> Scores:
    """Return the scores of a fitted model on the documents."""
    X, queries, judgments = documents
    warn_if_scored_queries_are_parts(model, judgments, queries.sizes)
    ranking = judgments.rank(scores_of(model, features_for(model, X)))
    scores = evaluate(measures, ranking)
    return dataclasses.replace(scores, has_top_grade=has_top_grade(judgments))


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
