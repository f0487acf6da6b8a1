"""AP at every threshold: the measures, and the scores by them from any source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skgraded._support.text import first_few
from skgraded.measures import AP, Measure, evaluate, measure_or_none
from skgraded.rankings import Judgments, Rankings, split_target
from skgraded.results import Scores, side_by_side

_MOST_GRADES = 8


class Given(NamedTuple):
    """The arguments of `threshold_profile` that hold or score rankers."""

    y_true: Any
    y_score: Any
    X: Any
    qid: Any
    sample_weight: Any


def scores_by_threshold(given: Given, fields: dict[str, Any]) -> tuple[Scores, AP]:
    """Return scores of the rankers by AP at the thresholds 1..c, and AP at the first of them."""
    named = given.y_true if given.y_score is None else given.y_score
    if not isinstance(named, Mapping | Scores) and not hasattr(named, "columns"):
        raise TypeError(
            "threshold_profile takes the grades, then scores or fitted models by name; without "
            "grades, the only argument is a Scores of several systems or maps names to Rankings, "
            f"Scores or QueryValidation; got {type(named).__name__}: threshold_profile(y_true, "
            "models, X=X, qid=qid)."
        )
    scores = _scores_of(given, fields)
    names, measure = names_by_threshold(scores.measures)
    return scores[names], measure


def names_by_threshold(measures: Sequence[str]) -> tuple[list[str], AP]:
    """Return the names of AP at the thresholds 1..c, and AP at threshold 1.

    Of several names of one measure it is the first. Normalized AP is left out, because eGAP is not
    a mean of it.
    """
    families: dict[AP, dict[int, str]] = {}
    for name in measures:
        each = measure_or_none(name)
        if type(each) is AP and isinstance(each.rel, int) and not each.normalize:
            family = families.setdefault(each.replace(rel=1), {})
            family.setdefault(each.rel, name)
    first, by_rel = next(iter(families.items()), (AP(), {}))
    if sorted(by_rel) != list(range(1, len(by_rel) + 1)) or not by_rel:
        raise ValueError(
            "Rankers must be scored by AP(rel=1), AP(rel=2) and so on up to the top grade, got "
            f"{first_few(measures)}."
        )
    if len(families) > 1:
        raise ValueError(
            f"AP must differ in rel alone, got {' and '.join(map(str, families))}."
        )
    _check(first, len(by_rel))
    return [by_rel[rel] for rel in sorted(by_rel)], first


def _check(measure: AP, n_grades: int) -> None:
    if n_grades > _MOST_GRADES:
        raise ValueError(
            f"There must be at most {_MOST_GRADES} grades above 0, got {n_grades}. Merge grades "
            "that your users cannot tell apart."
        )
    if measure.normalize:
        raise ValueError(
            "normalize must be False: only then is eGAP the mean of AP over users."
        )
    if not (measure.empty == 0 or np.isnan(measure.empty)):
        raise ValueError(f"empty must be 0 or nan, got {measure.empty!r} in {measure}.")


def _scores_of(given: Given, fields: dict[str, Any]) -> Scores:
    rankers = given.y_true
    y_score = given.y_score
    if y_score is not None:
        measures = _measures(Judgments(split_target(rankers)[0]), fields)
        if isinstance(y_score, Mapping) and _are_all(
            y_score, "predict", "fitted models"
        ):
            return _scores_of_models(given, measures)
        if given.X is not None:
            raise TypeError(
                "X must be None unless y_score holds fitted models, got features."
            )
        weight = given.sample_weight
        return evaluate(measures, rankers, y_score, qid=given.qid, sample_weight=weight)
    if any(each is not None for each in (given.X, given.qid, given.sample_weight)):
        raise TypeError("X, qid and sample_weight must be None without y_score.")
    if isinstance(rankers, Mapping) and _are_all(rankers, "judgments", "Rankings"):
        return evaluate(_measures_of_all(rankers, fields), rankers)
    if fields:
        raise TypeError(f"{', '.join(fields)} must be given where rankers are scored.")
    return side_by_side(rankers)


def _scores_of_models(given: Given, measures: list[Measure]) -> Scores:
    if given.sample_weight is not None:
        raise TypeError("sample_weight must be None where y_score holds fitted models.")
    # Importing scikit-learn takes a second.
    from skgraded.model_selection._validation import scores_of_models

    models = dict(given.y_score)
    return side_by_side(
        scores_of_models(models, given.X, given.y_true, given.qid, measures)
    )


def _measures(judgments: Judgments, fields: dict[str, Any]) -> list[Measure]:
    judgments.require_integer_grades("threshold_profile")
    n_grades = max(1, int(judgments.top_grade))
    _check(AP(**fields), n_grades)
    return [AP(rel=rel, **fields) for rel in range(1, n_grades + 1)]


def _measures_of_all(
    rankings: Mapping[str, Rankings], fields: dict[str, Any]
) -> list[Measure]:
    tops = {name: each.judgments.top_grade for name, each in rankings.items()}
    if len(set(tops.values())) > 1:
        raise ValueError(
            "Rankers must be scored on the same judgments, got the highest grades "
            f"{', '.join(f'{top:g} for {name!r}' for name, top in tops.items())}."
        )
    return _measures(next(iter(rankings.values())).judgments, fields)


def _are_all(rankers: Mapping[Any, Any], attribute: str, what: str) -> bool:
    """Tell whether all rankers have an attribute, or none."""
    having = [name for name, each in rankers.items() if hasattr(each, attribute)]
    if 0 < len(having) < len(rankers):
        raise ValueError(
            f"Rankers must be all {what} or none, got both: {having[0]!r} is one."
        )
    return bool(having)
