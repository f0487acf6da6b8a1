"""Values of AP at every threshold and of xGAP for many users, by query, from any source."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.clustered import sums_by_cluster
from skgraded._intervals.paired import paired_differences
from skgraded._intervals.repeats import ModelPart, part_of_models
from skgraded._params import integer
from skgraded._text import first_few
from skgraded.measures import AP, Measure, evaluate, measure_or_none, xGAP
from skgraded.rankings import Judgments, Rankings, split_target
from skgraded.results import Scores, clusters_of
from skgraded.users._simplex import inner_points, path

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
    repeats : ndarray of shape (n_rankers, n_repeats, n_queries, n_grades + n_users) or None
        AP and xGAP in every repeat of a cross-validation, nan where it did not test a query; the
        values above are their means over the repeats.
    folds : ndarray of shape (n_repeats, n_queries), int64, or None
        The split that tested a query in a repeat.
    clusters : ndarray of shape (n_queries,), int64, or None
        The number of the cluster of each query.
    """

    rankers: tuple[str, ...]
    qid: NDArray[Any]
    ap: FloatArray
    users: FloatArray
    xgap: FloatArray
    weights: FloatArray | None
    n_left_out: int
    measure: AP
    repeats: FloatArray | None
    folds: NDArray[np.int64] | None
    clusters: NDArray[np.int64] | None

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters of queries, if there are any."""
        return None if self.clusters is None else len(np.unique(self.clusters))

    def units_with(self, has: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many queries, or clusters, have something, (n_queries, n_columns)."""
        of_units, _ = sums_by_cluster(has.T.astype(np.float64), self.clusters)
        n_units: NDArray[np.int64] = (of_units > 0).sum(axis=1)
        return n_units

    def models_of(self, one: int, base: int, columns: slice) -> ModelPart | None:
        """Return what training again adds to the covariance of the differences of a pair."""
        if self.repeats is None or self.folds is None:
            return None
        apart = paired_differences(
            self.repeats[one, ..., columns], self.repeats[base, ..., columns]
        )
        if apart.shape[2] == 0:  # xGAP was not scored
            return None
        return part_of_models(np.moveaxis(apart, 2, 0), self.folds, self.weights, self.clusters)


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


class Given(NamedTuple):
    """The arguments of `threshold_profile` that hold or score rankers."""

    y_true: Any
    y_score: Any
    X: Any
    qid: Any
    sample_weight: Any


def values_of_rankers(given: Given, fields: dict[str, Any], cluster: Any = None) -> Profiled:
    """Return the values of all rankers, whatever their source, and the clusters of queries."""
    named = given.y_true if given.y_score is None else given.y_score
    if _are_in_the_order_of_compare(given.y_true, given.y_score):
        raise TypeError(
            "threshold_profile takes the grades first, got fitted models: threshold_profile(y_true,"
            " models, X=X, qid=qid)."
        )
    if not isinstance(named, Mapping | Scores) and not hasattr(named, "columns"):
        raise TypeError(
            "y_score must map names of rankers to scores or fitted models; without grades, the "
            "only argument is a Scores of several systems or maps names to Rankings, Scores or "
            f"QueryValidation; got {type(named).__name__}."
        )
    scores = _scores_of(given, fields)
    systems = scores.systems or ()
    if len(systems) < _FEWEST:
        raise ValueError(f"There must be at least 2 rankers to compare, got {len(systems)}.")
    return _profiled(scores, clusters_of(cluster, scores))


def _are_in_the_order_of_compare(y_true: Any, y_score: Any) -> bool:
    is_mapping = isinstance(y_true, Mapping) and not isinstance(y_score, Mapping)
    return is_mapping and any(hasattr(each, "predict") for each in y_true.values())


def _scores_of(given: Given, fields: dict[str, Any]) -> Scores:
    """Return the scores of all rankers by the measures of a profile."""
    rankers, y_score = given.y_true, given.y_score
    if y_score is not None:
        measures = _measures_up_to(_top_of(rankers), fields)
        if isinstance(y_score, Mapping) and _are_models(y_score):
            return _scores_of_models(given, measures)
        if given.X is not None:
            raise TypeError("X must be None unless y_score holds fitted models, got features.")
        weight = given.sample_weight
        return evaluate(measures, rankers, y_score, qid=given.qid, sample_weight=weight)
    if any(each is not None for each in (given.X, given.qid, given.sample_weight)):
        raise TypeError("X, qid and sample_weight must be None without y_score.")
    if _are_rankings(rankers):
        return evaluate(_measures_up_to(_common_top(rankers), fields), rankers)
    _refuse_fields(fields)
    return Scores.of_systems(rankers)


def _scores_of_models(given: Given, measures: list[Measure]) -> Scores:
    if given.sample_weight is not None:
        raise TypeError("sample_weight must be None where y_score holds fitted models.")
    # Importing scikit-learn takes a second.
    from skgraded.model_selection._fitted_rankers import scores_of_models

    models = dict(given.y_score)
    return Scores.of_systems(scores_of_models(models, given.X, given.y_true, given.qid, measures))


def _top_of(y: Any) -> float:
    judgments = Judgments(split_target(y)[0])
    judgments.require_integer_grades("threshold_profile")
    return judgments.top_grade


def _are_models(rankers: Mapping[Any, Any]) -> bool:
    """Tell whether all rankers are models that predict, or none."""
    predict = [name for name, each in rankers.items() if hasattr(each, "predict")]
    if 0 < len(predict) < len(rankers):
        raise ValueError(
            f"y_score must hold fitted models alone or scores alone, got both: {predict[0]!r} is a "
            "model."
        )
    return bool(predict)


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
    for each in rankings.values():
        each.judgments.require_integer_grades("threshold_profile")
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


def _ap_by_threshold(measures: Mapping[str, Measure | None]) -> dict[AP, dict[int, str]]:
    """Return AP at threshold 1 of each group that differs in ``rel`` alone, and names by threshold.

    Of several names of one measure it is the first. Normalized AP is left out, because eGAP is not
    a mean of it.
    """
    found: dict[AP, dict[int, str]] = {}
    for name, each in measures.items():
        if type(each) is AP and isinstance(each.rel, int) and not each.normalize:
            found.setdefault(dataclasses.replace(each, rel=1), {}).setdefault(each.rel, name)
    return found


def profiled_measures(measures: Sequence[str]) -> tuple[dict[str, AP], dict[str, xGAP]]:
    """Return AP at the thresholds 1..c, and xGAP with a g for these and the same other fields."""
    parsed = {name: measure_or_none(name) for name in measures}
    families = _ap_by_threshold(parsed)
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


def _profiled(scores: Scores, clusters: NDArray[np.int64] | None) -> Profiled:
    """Leave out queries without a value at threshold 1; at others, no value is 0, as in eGAP."""
    aps, xgaps = profiled_measures(scores.measures)
    scores = scores[[*aps, *xgaps]]
    values = scores.over_repeats().values
    has_value = ~np.isnan(values[:, :, 0]).any(axis=0)
    kept_clusters = None if clusters is None else clusters[has_value]
    units = has_value.sum() if kept_clusters is None else len(np.unique(kept_clusters))
    if units < _FEWEST_QUERIES:
        what = "queries" if clusters is None else "clusters of queries"
        raise ValueError(
            f"There must be at least {_FEWEST_QUERIES} {what} for which every ranker has a value, "
            f"got {units}."
        )
    kept = np.nan_to_num(values[:, has_value], nan=0.0)
    users = [each.g for each in xgaps.values()]
    repeats = None
    if scores.folds is not None and len(scores.folds) > 1:
        tested = (scores.folds >= 0)[:, has_value, None]
        repeats = np.where(tested, np.nan_to_num(scores.values[:, :, has_value], nan=0.0), np.nan)
    return Profiled(
        rankers=scores.systems or (),
        qid=scores.qid[has_value],
        ap=kept[:, :, : len(aps)],
        users=np.array(users, dtype=float).reshape(len(xgaps), len(aps)),
        xgap=kept[:, :, len(aps) :],
        weights=None if scores.weights is None else scores.weights[has_value],
        n_left_out=int((~has_value).sum()),
        measure=next(iter(aps.values())),
        repeats=repeats,
        folds=None if scores.folds is None else scores.folds[:, has_value],
        clusters=kept_clusters,
    )
