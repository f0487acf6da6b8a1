"""What is compared: the scores of several systems, and those by the labels of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._text import count, first_few
from skgraded.measures import Measure, Measures
from skgraded.results import Scores, by_name

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEWEST = 2  # systems
_FEWEST_LABELLED = 3  # queries with human labels, for a line and its residuals


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


class Judged(NamedTuple):
    """Human values, and the judge's laid out as they are.

    Attributes
    ----------
    human : Scores
        Values by human labels.
    values : ndarray of shape (n_systems, n_judged, n_measures)
        The values; of each query the mean over the judges that labelled it.
    places : ndarray of shape (n_human,), int64
        The place of each query with human labels among those of the judge.
    n_judges : int
        Number of judges.
    has_weights : bool
        Whether queries have weights that vary, in the human scores or a judge's.
    """

    human: Scores
    values: FloatArray
    places: IntArray
    n_judges: int
    has_weights: bool

    @property
    def human_values(self) -> FloatArray:
        """The human values, shape (n_systems, n_human, n_measures)."""
        return _cube(self.human)


def judged_scores(judge: Any, human: Scores) -> Judged:
    """Read the scores of one judge or several, and check that they go with the human ones.

    Of a list, a query has the mean of those judges that labelled it: several judges, or folds of
    the queries with human labels, each by a judge that was made without these labels.
    """
    _check_plain("human labels", human)
    if human.n_queries < _FEWEST_LABELLED:
        raise ValueError(
            f"judge= needs at least {_FEWEST_LABELLED} queries with human labels, got "
            f"{human.n_queries}."
        )
    given = list(judge) if isinstance(judge, list | tuple) else [judge]
    if not given:
        raise ValueError("judge must hold the scores of at least one judge, got none.")
    judges = [_scores_of(each, human) for each in given]
    asked = [each.qid.tolist() for each in judges]
    _check_queries(asked, human.qid.tolist())
    place = {query: at for at, query in enumerate(dict.fromkeys(chain.from_iterable(asked)))}
    n_systems, _, n_measures = _cube(human).shape
    values = np.full((len(judges), n_systems, len(place), n_measures), np.nan)
    for of_judge, each, queries in zip(values, judges, asked, strict=True):
        of_judge[:, [place[query] for query in queries]] = _cube(each)
    weights = (each.weights for each in (human, *judges))
    return Judged(
        human,
        np.nanmean(values, axis=0),
        np.array([place[query] for query in human.qid.tolist()]),
        len(judges),
        any(each is not None and np.ptp(each) > 0.0 for each in weights),
    )


def _check_queries(asked: list[list[Any]], human: list[Any]) -> None:
    """Refuse queries with human labels that no judge has, and others that only some have."""
    by_any = set(chain.from_iterable(asked))
    if missing := [query for query in human if query not in by_any]:
        raise ValueError(
            "judge must hold scores of every query with human labels, and lacks "
            f"{count(len(missing), 'query', 'queries')} of {len(human)}: "
            f"{first_few(list(map(repr, missing)))}."
        )
    others = [set(each).difference(human) for each in asked]
    if any(each != others[0] for each in others):
        raise ValueError(
            "judge must hold the same queries without human labels from each judge, got "
            f"{' and '.join(str(len(each)) for each in others)} that are not the same. Judges in "
            "folds differ in the queries with human labels alone."
        )


def _scores_of(judge: Any, human: Scores) -> Scores:
    """Return a judge's scores of the same systems and measures, in the order of the human ones."""
    if isinstance(judge, Mapping) and all(isinstance(each, Scores) for each in judge.values()):
        judge = Scores.of_systems(judge)
    if not isinstance(judge, Scores):
        got = type(judge).__name__
        if isinstance(judge, Mapping):
            kinds = ((name, type(each)) for name, each in judge.items() if type(each) is not Scores)
            got = next(f"{kind.__name__} for {name!r}" for name, kind in kinds)
        raise TypeError(
            "judge must be Scores of the same systems by the labels of a judge, a mapping of "
            f"systems to such Scores, or a list of either, got {got}."
        )
    _check_plain("judge", judge)
    try:
        if human.systems is not None:
            judge = judge.select(system=list(human.systems))
        elif judge.systems is not None:
            raise ValueError(f"these are of one without a name, got {first_few(judge.systems)}.")
        picked: Scores = judge[list(human.measures)]
    except (KeyError, ValueError) as error:
        raise ValueError(
            f"judge must hold the systems and measures of the human scores: {error.args[0]}"
        ) from error
    return picked


def _check_plain(what: str, scores: Scores) -> None:
    """Refuse repeats, clusters, and queries without a value."""
    if scores.folds is not None:
        raise ValueError(
            f"The {what} must come without repeats where a judge= is given, got a "
            "cross-validation: scores.over_repeats() has the mean of each query."
        )
    if scores.clusters is not None:
        raise ValueError(
            f"The {what} must come without clusters where a judge= is given: the regression takes "
            "queries to vary independently."
        )
    n_without = int(np.isnan(_cube(scores)).any(axis=(0, 2)).sum())
    if n_without:
        raise ValueError(
            f"Every query must have a value where a judge= is given, but by the {what} "
            f"{count(n_without, 'query has', 'queries have')} none. Score with empty=0, since "
            "human labels and a judge's may leave out different queries."
        )


def _cube(scores: Scores) -> FloatArray:
    """Return the values by system, query and measure."""
    n_systems = 1 if scores.systems is None else len(scores.systems)
    return scores.values.reshape(n_systems, scores.n_queries, len(scores.measures))
