"""What is compared, in any of its forms, as the scores of several systems side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from skgraded.measures import Measure, Measures
from skgraded.results import Scores, by_name

__all__ = ["scores_of_rankers"]

_FEWEST = 2


def scores_of_rankers(
    rankers: Any, X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> Scores:
    """Return the scores of all rankers, by the same measures and on the same queries."""
    if isinstance(rankers, Mapping):
        _check_number(len(rankers))
        named = by_name(rankers)
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
    return list(map(str, [measures] if isinstance(measures, str | Measure) else measures))


def _parts(
    named: dict[str, Any], X: Any, y: Any, qid: ArrayLike | None, measures: Measures | None
) -> dict[str, Scores]:
    """Return the scores of each ranker; fitted models rank the documents first."""
    scored = {name: each for name, each in named.items() if isinstance(each, Scores)}
    models = {name: each for name, each in named.items() if name not in scored}
    if measures is not None:
        scored = {name: _picked(name, each, measures) for name, each in scored.items()}
    if models:
        # Importing scikit-learn takes a second.
        from skgraded.model_selection._fitted_rankers import scores_of_models

        given = list(next(iter(scored.values()))) if scored and measures is None else measures
        scored |= scores_of_models(models, X, y, qid, given)
    return {name: scored[name] for name in named}


def _picked(name: str, scores: Scores, measures: Measures) -> Scores:
    names = _names(measures)
    try:
        return scores[names]
    except KeyError as error:
        missing = ", ".join(each for each in names if each not in scores)
        raise ValueError(
            f"rankers must be scored by the same measures: {name!r} was scored by "
            f"{', '.join(scores)}, not by {missing}."
        ) from error
