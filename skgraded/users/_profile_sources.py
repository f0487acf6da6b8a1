"""Values of AP at every threshold and of xGAP for many users, by query, from any source."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import integer
from skgraded._text import first_few
from skgraded.measures import AP, Measure, evaluate, xGAP
from skgraded.rankings import Rankings, as_rankings, read_columns, without_query_ids
from skgraded.users._simplex import inner_points, path

__all__ = ["Profiled", "profile_measures", "values_of_rankers"]

FloatArray = NDArray[np.float64]

_MOST_GRADES = 8  # a band takes time in proportion to 2**c
_GRADES_OF_A_LINE = 2  # with two grades, the path from corner to corner is the whole simplex
_STEPS_OF_A_LINE, _STEPS = 20, 5
_INNER_POINTS = 100
_FEWEST = 2  # rankers
_FEWEST_QUERIES = 3  # two have no resample that varies


class Profiled(NamedTuple):
    """Values of all rankers on the same queries.

    Attributes
    ----------
    rankers : tuple of str
        Names of the rankers.
    qid : ndarray of shape (n_queries,)
        Queries for which every ranker has values.
    ap : ndarray of shape (n_rankers, n_queries, n_grades)
        AP at the thresholds 1..c.
    users : ndarray of shape (n_users, n_grades)
        Distributions g by which xGAP was scored.
    xgap : ndarray of shape (n_rankers, n_queries, n_users)
        xGAP with these g.
    weights : ndarray of shape (n_queries,) or None
        Weights of the queries.
    n_left_out : int
        Number of queries that some ranker has no value for.
    measure : AP
        AP at threshold 1, which shows the cut-off and the rules for ties and unjudged documents.
    """

    rankers: tuple[str, ...]
    qid: NDArray[Any]
    ap: FloatArray
    users: FloatArray
    xgap: FloatArray
    weights: FloatArray | None
    n_left_out: int
    measure: AP


def profile_measures(n_grades: int, **fields: Any) -> list[Measure]:
    """Make the measures that `threshold_profile` needs of runs or cross-validations.

    Parameters
    ----------
    n_grades : int
        Number c of grades above 0.
    **fields : object
        Other fields of the measures: ``k``, ``ties``, ``unjudged`` and ``empty``, which is 0 or
        nan.

    Returns
    -------
    list of Measure
        AP at the thresholds 1..c, and xGAP for users all over the simplex.

    Raises
    ------
    ValueError
        If there are more than 8 grades, or a field is not as described.

    See Also
    --------
    threshold_profile : Takes runs and cross-validations that are scored by these measures.

    Examples
    --------
    >>> from skgraded.users import profile_measures
    >>> [str(each) for each in profile_measures(2, k=10)[:4]]
    ['AP@10', 'AP(rel=2)@10', 'xGAP(g=[0,1])@10', 'xGAP(g=[0.05,0.95])@10']
    """
    integer("n_grades", n_grades, 1)
    if n_grades > _MOST_GRADES:
        raise ValueError(
            f"n_grades must be at most {_MOST_GRADES}, got {n_grades}. Merge grades that your "
            "users cannot tell apart."
        )
    if fields.get("normalize"):
        raise ValueError("normalize must be False: only then is eGAP the mean of AP over users.")
    aps = [AP(rel=rel, **fields) for rel in range(1, n_grades + 1)]
    _check_empty(aps[0])
    return [*aps, *(xGAP(g=tuple(g), **fields) for g in _grid(n_grades).tolist())]


def _check_empty(measure: Measure) -> None:
    if not (measure.empty == 0 or np.isnan(measure.empty)):
        raise ValueError(f"empty must be 0 or nan, got {measure.empty!r} in {measure}.")


def _grid(n_grades: int) -> FloatArray:
    """Return users along the path of thresholds and, with three grades or more, inside."""
    if n_grades == 1:
        return np.empty((0, 1))
    _, points = path(n_grades, _STEPS_OF_A_LINE if n_grades == _GRADES_OF_A_LINE else _STEPS)
    if n_grades > _GRADES_OF_A_LINE:
        points = np.concatenate((points, inner_points(n_grades, _INNER_POINTS)))
    # Few digits make short names.
    first = np.round(points[:, :-1], 3)
    rounded = np.column_stack((first, np.round(1.0 - first.sum(axis=1), 3)))
    return np.unique(np.abs(rounded[rounded[:, -1] >= 0]), axis=0)


def values_of_rankers(
    y_true: Any, y_score: Any, qid: Any, sample_weight: Any, fields: dict[str, Any]
) -> Profiled:
    """Return the values of all rankers, whatever their source."""
    sources: dict[str, Any]
    if y_score is not None:
        sources = _ranked(y_true, y_score, qid, sample_weight)
    else:
        if qid is not None or sample_weight is not None:
            raise TypeError("qid and sample_weight must be None without y_score.")
        if hasattr(y_true, "systems"):
            return _of_runs(y_true, fields)
        sources = _named(y_true)
    scored = {name: each for name, each in sources.items() if not isinstance(each, Rankings)}
    if len(scored) < len(sources):
        if scored:
            raise ValueError(
                f"Rankers must be all Rankings or all scored, got both: {next(iter(scored))!r} is "
                "scored."
            )
        sources, fields = _evaluated(sources, fields), {}
    _refuse_fields(fields)
    return _of_scores(sources)


def _refuse_fields(fields: dict[str, Any]) -> None:
    if fields:
        raise TypeError(
            f"{', '.join(fields)} must be given where rankers are scored: "
            "profile_measures(n_grades, ...) makes the measures."
        )


def _named(rankers: Any) -> dict[str, Any]:
    if not isinstance(rankers, Mapping):
        raise TypeError(
            "y_score must map names of rankers to their scores; without grades, the only argument "
            "is a RunScores or maps names to Rankings, Scores or QueryValidation; got "
            f"{type(rankers).__name__}."
        )
    named = {str(name): each for name, each in rankers.items()}
    if len(named) < _FEWEST:
        raise ValueError(f"There must be at least 2 rankers to compare, got {len(named)}.")
    return named


def _ranked(y_true: Any, y_score: Any, qid: Any, sample_weight: Any) -> dict[str, Rankings]:
    """Rank the same documents by the scores of all rankers."""
    is_frame = hasattr(y_score, "columns") and hasattr(y_score, "items")
    named = _named(dict(without_query_ids(y_score).items()) if is_frame else y_score)
    given = (
        {"y_score": y_score}
        if is_frame
        else {f"y_score[{name!r}]": scores for name, scores in named.items()}
    )
    columns = read_columns(y_true, qid, **given, sample_weight=sample_weight)
    if qid is None:
        qid = columns.ids
    (first, scores), *others = named.items()
    rankings = as_rankings(y_true, scores, qid, sample_weight)
    return {first: rankings} | {name: rankings.judgments.rank(each) for name, each in others}


def _evaluated(sources: dict[str, Rankings], fields: dict[str, Any]) -> dict[str, Any]:
    tops = {name: int(each.judgments.top_grade) for name, each in sources.items()}
    if len(set(tops.values())) > 1:
        raise ValueError(
            "Rankers must be scored on the same judgments, got the highest grades "
            f"{', '.join(f'{top} for {name!r}' for name, top in tops.items())}."
        )
    measures = profile_measures(max(1, *tops.values()), **fields)
    return {name: evaluate(measures, each) for name, each in sources.items()}


def _of_scores(sources: dict[str, Any]) -> Profiled:
    """Return the values in `Scores` or results of cross-validations."""
    first = next(iter(sources))
    for name, each in sources.items():
        if not (hasattr(each, "measures") and hasattr(each, "per_query")):
            raise TypeError(
                f"{name!r} must be Rankings, Scores or a QueryValidation, got "
                f"{type(each).__name__}."
            )
    aps, xgaps = _chosen(sources[first].measures)
    tables = {name: _table(name, each, [*aps, *xgaps]) for name, each in sources.items()}
    qid, _, weights = tables[first]
    values = []
    for name, each in tables.items():
        rows = _rows_of(name, each[0], first, qid)
        values.append(each[1][rows])
        theirs = None if each[2] is None else each[2][rows]
        if (theirs is None) != (weights is None) or not np.array_equal(
            np.zeros(0) if theirs is None else theirs, np.zeros(0) if weights is None else weights
        ):
            raise ValueError(f"Rankers must weight queries alike: {name!r} and {first!r} do not.")
    return _profiled(tuple(sources), qid, np.array(values), (aps, xgaps), weights)


def _table(
    name: str, source: Any, measures: Sequence[Measure]
) -> tuple[NDArray[Any], FloatArray, FloatArray | None]:
    """Return queries, values by query and measure, and weights of one ranker."""
    try:
        found = [source.per_query(each) for each in measures]
    except KeyError as error:
        raise ValueError(
            f"Rankers must be scored by the same measures: {name!r} {error.args[0]}"
        ) from error
    return found[0].qid, np.column_stack([each.values for each in found]), found[0].weights


def _rows_of(name: str, qid: NDArray[Any], first: str, queries: NDArray[Any]) -> list[int]:
    """Return the rows of a ranker in the order of the first one's queries."""
    place = {query: row for row, query in enumerate(qid.tolist())}
    wanted = queries.tolist()
    n_same = len(place.keys() & set(wanted))
    if not len(place) == len(wanted) == n_same:
        raise ValueError(
            f"Rankers must be scored on the same queries: {name!r} has {len(place)}, {first!r} has "
            f"{len(wanted)}, and {n_same} of them are the same."
        )
    return [place[query] for query in wanted]


def _of_runs(scores: Any, fields: dict[str, Any]) -> Profiled:
    """Return the values in a `RunScores`."""
    _refuse_fields(fields)
    if len(scores.systems) < _FEWEST:
        raise ValueError(f"There must be at least 2 rankers to compare, got {len(scores.systems)}.")
    aps, xgaps = _chosen(scores.measures)
    columns = [scores.measures.index(each) for each in (*aps, *xgaps)]
    return _profiled(
        scores.systems, scores.topics, scores.values[:, :, columns], (aps, xgaps), None
    )


def _chosen(measures: Sequence[Measure]) -> tuple[list[AP], list[xGAP]]:
    """Return AP at the thresholds 1..c, and xGAP with a g for these and the same other fields."""
    aps: dict[int, AP] = {}
    for each in measures:
        if type(each) is AP and not each.normalize:
            aps.setdefault(each.rel, each)
    if sorted(aps) != list(range(1, len(aps) + 1)) or not aps:
        raise ValueError(
            "Rankers must be scored by AP(rel=1), AP(rel=2) and so on up to the top grade, got "
            f"{first_few([str(each) for each in measures])}. profile_measures makes these measures."
        )
    chosen = [aps[rel] for rel in sorted(aps)]
    _check_empty(chosen[0])
    for each in chosen:
        if dataclasses.replace(each, rel=1) != chosen[0]:
            raise ValueError(f"AP must differ in rel alone, got {chosen[0]} and {each}.")
    shared = {name: getattr(chosen[0], name) for name in ("k", "ties", "unjudged")}
    return chosen, [
        each
        for each in measures
        if type(each) is xGAP
        and not each.normalize
        and not isinstance(each.g, str)
        and len(each.g) == len(chosen)
        and {name: getattr(each, name) for name in shared} == shared
    ]


def _profiled(
    rankers: tuple[str, ...],
    qid: NDArray[Any],
    values: FloatArray,
    chosen: tuple[list[AP], list[xGAP]],
    weights: FloatArray | None,
) -> Profiled:
    """Leave out queries without a value at threshold 1; at others, no value is 0, as in eGAP."""
    aps, xgaps = chosen
    has_value = ~np.isnan(values[:, :, 0]).any(axis=0)
    if has_value.sum() < _FEWEST_QUERIES:
        raise ValueError(
            f"There must be at least {_FEWEST_QUERIES} queries for which every ranker has a value, "
            f"got {has_value.sum()}."
        )
    kept = np.nan_to_num(values[:, has_value], nan=0.0)
    return Profiled(
        rankers=rankers,
        qid=qid[has_value],
        ap=kept[:, :, : len(aps)],
        users=np.array([each.g for each in xgaps], dtype=float).reshape(len(xgaps), len(aps)),
        xgap=kept[:, :, len(aps) :],
        weights=None if weights is None else weights[has_value],
        n_left_out=int((~has_value).sum()),
        measure=aps[0],
    )
