"""Values of AP at every threshold and of xGAP for many users, by query, from any source."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import integer
from skgraded._text import first_few
from skgraded.measures import AP, Measure, ap_by_threshold, evaluate, measure_or_none, xGAP
from skgraded.rankings import Judgments, Rankings, split_target
from skgraded.results import Scores
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
    named = y_true if y_score is None else y_score
    if not isinstance(named, Mapping | Scores) and not hasattr(named, "columns"):
        raise TypeError(
            "y_score must map names of rankers to their scores; without grades, the only argument "
            "is a Scores of several systems or maps names to Rankings, Scores or QueryValidation; "
            f"got {type(named).__name__}."
        )
    if y_score is not None:
        top = Judgments(split_target(y_true)[0]).top_grade
        measures = _measures_up_to(top, fields)
        scores = evaluate(measures, y_true, y_score, qid=qid, sample_weight=sample_weight)
    elif qid is not None or sample_weight is not None:
        raise TypeError("qid and sample_weight must be None without y_score.")
    elif _are_rankings(y_true):
        scores = evaluate(_measures_up_to(_common_top(y_true), fields), y_true)
    else:
        _refuse_fields(fields)
        scores = Scores.of_systems(y_true)
    systems = scores.systems or ()
    if len(systems) < _FEWEST:
        raise ValueError(f"There must be at least 2 rankers to compare, got {len(systems)}.")
    return _profiled(scores.over_repeats())


def _measures_up_to(top: float, fields: dict[str, Any]) -> list[Measure]:
    return profile_measures(max(1, int(top)), **fields)


def _are_rankings(rankers: Any) -> bool:
    if not isinstance(rankers, Mapping):
        return False
    are_scored = [name for name, each in rankers.items() if not isinstance(each, Rankings)]
    if 0 < len(are_scored) < len(rankers):
        raise ValueError(
            f"Rankers must be all Rankings or all scored, got both: {are_scored[0]!r} is scored."
        )
    return not are_scored


def _common_top(rankings: Mapping[Any, Rankings]) -> float:
    """Return the highest grade, which must be the same for all rankers."""
    tops = {name: int(each.judgments.top_grade) for name, each in rankings.items()}
    if len(set(tops.values())) > 1:
        raise ValueError(
            "Rankers must be scored on the same judgments, got the highest grades "
            f"{', '.join(f'{top} for {name!r}' for name, top in tops.items())}."
        )
    return max(tops.values(), default=1)


def _refuse_fields(fields: dict[str, Any]) -> None:
    if fields:
        raise TypeError(
            f"{', '.join(fields)} must be given where rankers are scored: "
            "profile_measures(n_grades, ...) makes the measures."
        )


def _chosen(measures: Sequence[str]) -> tuple[dict[str, AP], dict[str, xGAP]]:
    """Return AP at the thresholds 1..c, and xGAP with a g for these and the same other fields."""
    families = ap_by_threshold(measures)
    first, by_rel = next(iter(families.items()), (AP(), {}))
    if sorted(by_rel) != list(range(1, len(by_rel) + 1)) or not by_rel:
        raise ValueError(
            "Rankers must be scored by AP(rel=1), AP(rel=2) and so on up to the top grade, got "
            f"{first_few(measures)}. profile_measures makes these measures."
        )
    _check_empty(first)
    if len(families) > 1:
        raise ValueError(f"AP must differ in rel alone, got {' and '.join(map(str, families))}.")
    aps = {by_rel[rel]: dataclasses.replace(first, rel=rel) for rel in sorted(by_rel)}
    parsed = {name: measure_or_none(name) for name in measures}
    shared = {name: getattr(first, name) for name in ("k", "ties", "unjudged")}
    return aps, {
        name: each
        for name, each in parsed.items()
        if type(each) is xGAP
        and not each.normalize
        and not isinstance(each.g, str)
        and len(each.g) == len(aps)
        and {name: getattr(each, name) for name in shared} == shared
    }


def _profiled(scores: Scores) -> Profiled:
    """Leave out queries without a value at threshold 1; at others, no value is 0, as in eGAP."""
    aps, xgaps = _chosen(scores.measures)
    values = scores[[*aps, *xgaps]].values
    has_value = ~np.isnan(values[:, :, 0]).any(axis=0)
    if has_value.sum() < _FEWEST_QUERIES:
        raise ValueError(
            f"There must be at least {_FEWEST_QUERIES} queries for which every ranker has a value, "
            f"got {has_value.sum()}."
        )
    kept = np.nan_to_num(values[:, has_value], nan=0.0)
    users = [each.g for each in xgaps.values()]
    return Profiled(
        rankers=scores.systems or (),
        qid=scores.qid[has_value],
        ap=kept[:, :, : len(aps)],
        users=np.array(users, dtype=float).reshape(len(xgaps), len(aps)),
        xgap=kept[:, :, len(aps) :],
        weights=None if scores.weights is None else scores.weights[has_value],
        n_left_out=int((~has_value).sum()),
        measure=next(iter(aps.values())),
    )
