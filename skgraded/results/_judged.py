"""The values by a judge's labels beside those by human labels of fewer queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._text import count, first_few
from skgraded.results._names import column_of
from skgraded.results._scores import Scores

__all__ = ["Judged", "judged_scores"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FEWEST = 3  # queries with human labels, for a line and its residuals


class Judged(NamedTuple):
    """Human values, and the judge's laid out as they are.

    Attributes
    ----------
    human : Scores
        Values by human labels.
    values : ndarray of shape (n_systems, n_judged, n_measures)
        The values; the mean of several judges.
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

    def refuse_weights(self) -> None:
        """Refuse weights of queries, where they would be left out.

        Raises
        ------
        ValueError
            If queries have weights that vary.
        """
        if self.has_weights:
            raise ValueError(
                "Queries must have no weights with a judge: all would count alike. Score human and "
                "judge without sample_weight."
            )

    @property
    def human_values(self) -> FloatArray:
        """The human values, shape (n_systems, n_human, n_measures)."""
        return _cube(self.human)


def judged_scores(judge: Any, human: Scores) -> Judged:
    """Read the scores of one judge or several, and check that they go with the human ones.

    Parameters
    ----------
    judge : Scores, mapping of str to Scores, or list of either
        Values of the same systems by the same measures, for the queries with human labels and more.
        Of a list, the judges' mean is taken.
    human : Scores
        Values by human labels.

    Returns
    -------
    Judged
        Both, in the same order.

    Raises
    ------
    TypeError
        If a judge is neither a `Scores` nor a mapping of them.
    ValueError
        If the judge lacks systems, measures or queries of the human scores; if there are fewer than
        three queries with human labels; or if either comes with repeats, with clusters, or with
        queries without a value.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> from skgraded.results import judged_scores
    >>> y, score, qid = [1, 0] * 4, [2, 1, 1, 2] * 2, [1, 1, 2, 2, 3, 3, 4, 4]
    >>> judge = evaluate("AP", y, {"a": score}, qid=qid)
    >>> human = evaluate("AP", y[2:], {"a": score[2:]}, qid=qid[2:])
    >>> judged_scores(judge, human).places
    array([1, 2, 3])
    """
    _check_plain("human labels", human)
    if human.n_queries < _FEWEST:
        raise ValueError(
            f"judge= needs at least {_FEWEST} queries with human labels, got {human.n_queries}."
        )
    given = list(judge) if isinstance(judge, list | tuple) else [judge]
    if not given:
        raise ValueError("judge must hold the scores of at least one judge, got none.")
    judges = [_scores_of(each, human) for each in given]
    queries = judges[0].qid.tolist()
    place = {query: number for number, query in enumerate(queries)}
    missing = [query for query in human.qid.tolist() if query not in place]
    if missing:
        raise ValueError(
            "judge must hold scores of every query with human labels, and lacks "
            f"{count(len(missing), 'query', 'queries')} of {human.n_queries}: "
            f"{first_few(list(map(repr, missing)))}."
        )
    for each in judges[1:]:
        if set(each.qid.tolist()) != set(queries) or each.n_queries != len(queries):
            raise ValueError(
                "All judges must have labelled the same queries, got "
                f"{len(queries)} and {each.n_queries} that are not the same."
            )
    values = np.mean([_cube(each.select(query=queries)) for each in judges], axis=0)
    places = np.array([place[query] for query in human.qid.tolist()])
    weights = (each.weights for each in (human, *judges))
    has_weights = any(each is not None and np.ptp(each) > 0.0 for each in weights)
    return Judged(human, values, places, len(judges), has_weights)


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
    if (judge.systems is None) != (human.systems is None):
        of_judge, of_human = (
            "one system without a name" if each is None else first_few(list(map(repr, each)))
            for each in (judge.systems, human.systems)
        )
        raise ValueError(
            f"judge must hold the same systems as the scores by human labels, {of_human}, got "
            f"{of_judge}."
        )
    if human.systems is not None:
        lacking = [each for each in human.systems if each not in (judge.systems or ())]
        if lacking:
            raise ValueError(
                f"judge must hold scores of every system, and lacks {first_few(lacking)}."
            )
        judge = judge.select(system=list(human.systems))
    try:
        names = [judge.measures[column_of(judge.measures, each)] for each in human.measures]
    except KeyError as error:
        raise ValueError(f"judge must be scored by the same measures: {error.args[0]}") from error
    picked: Scores = judge[names]
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
