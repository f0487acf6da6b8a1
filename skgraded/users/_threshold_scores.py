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


class RankerArguments(NamedTuple):
    """The arguments of `threshold_profile` that hold or score rankers."""

    y_true: Any
    y_score: Any
    X: Any
    qid: Any
    sample_weight: Any


def scores_by_threshold(
    arguments: RankerArguments, fields: dict[str, Any]
) -> tuple[Scores, AP]:
    """Return scores of the rankers by AP at the thresholds 1..c, and AP at the first of them."""
    rankers = arguments.y_score
    if rankers is None:
        rankers = arguments.y_true
    if not isinstance(rankers, Mapping | Scores) and not hasattr(rankers, "columns"):
        raise TypeError(
            "threshold_profile takes the grades, then scores or fitted models by name; without "
            "grades, the only argument is a Scores of several systems or maps names to Rankings, "
            f"Scores or QueryValidation; got {type(rankers).__name__}: threshold_profile(y_true, "
            "models, X=X, qid=qid)."
        )

    scores = _scores_of(arguments, fields)
    names, measure = names_by_threshold(scores.measures)
    return scores[names], measure


def names_by_threshold(measures: Sequence[str]) -> tuple[list[str], AP]:
    """Return the names of AP at the thresholds 1..c, and AP at threshold 1.

    Of several names of one measure it is the first. Normalized AP is left out, because eGAP is not
    a mean of it.
    """
    # Names by threshold, for each AP that differs in other fields.
    families: dict[AP, dict[int, str]] = {}
    for name in measures:
        measure = measure_or_none(name)
        if type(measure) is not AP or measure.normalize:
            continue
        if isinstance(measure.rel, int):
            family = families.setdefault(measure.replace(rel=1), {})
            family.setdefault(measure.rel, name)

    first_measure, name_of = next(iter(families.items()), (AP(), {}))
    thresholds = sorted(name_of)
    n_grades = len(name_of)
    if thresholds != list(range(1, n_grades + 1)) or not name_of:
        raise ValueError(
            "Rankers must be scored by AP(rel=1), AP(rel=2) and so on up to the top grade, got "
            f"{first_few(measures)}."
        )
    if len(families) > 1:
        raise ValueError(
            f"AP must differ in rel alone, got {' and '.join(map(str, families))}."
        )
    _require_linear(first_measure, n_grades)
    return [name_of[rel] for rel in thresholds], first_measure


def _require_linear(measure: AP, n_grades: int) -> None:
    """Raise if eGAP is not the mean of AP over users, or there are too many grades."""
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


def _scores_of(arguments: RankerArguments, fields: dict[str, Any]) -> Scores:
    """Return scores of the rankers, which are computed unless they are passed."""
    if arguments.y_score is not None:
        return _scores_from_grades(arguments, fields)

    rankers = arguments.y_true
    only_with_y_score = (arguments.X, arguments.qid, arguments.sample_weight)
    if any(argument is not None for argument in only_with_y_score):
        raise TypeError("X, qid and sample_weight must be None without y_score.")
    if isinstance(rankers, Mapping) and _are_all(rankers, "judgments", "Rankings"):
        measures = _measures_of_all(rankers, fields)
        return evaluate(measures, rankers)
    if fields:
        raise TypeError(f"{', '.join(fields)} must be given where rankers are scored.")
    return side_by_side(rankers)


def _scores_from_grades(arguments: RankerArguments, fields: dict[str, Any]) -> Scores:
    """Return scores of fitted models, or of the scores that rankers gave, by the grades."""
    y_true = arguments.y_true
    y_score = arguments.y_score
    labels = split_target(y_true)[0]
    measures = _measures(Judgments(labels), fields)
    if isinstance(y_score, Mapping) and _are_all(y_score, "predict", "fitted models"):
        return _scores_of_models(arguments, measures)

    if arguments.X is not None:
        raise TypeError(
            "X must be None unless y_score holds fitted models, got features."
        )
    return evaluate(
        measures,
        y_true,
        y_score,
        qid=arguments.qid,
        sample_weight=arguments.sample_weight,
    )


def _scores_of_models(arguments: RankerArguments, measures: list[Measure]) -> Scores:
    """Return the scores of what fitted models predict."""
    if arguments.sample_weight is not None:
        raise TypeError("sample_weight must be None where y_score holds fitted models.")
    # Importing scikit-learn takes a second.
    from skgraded.model_selection._validation import scores_of_models

    scores = scores_of_models(
        dict(arguments.y_score), arguments.X, arguments.y_true, arguments.qid, measures
    )
    return side_by_side(scores)


def _measures(judgments: Judgments, fields: dict[str, Any]) -> list[Measure]:
    """Return AP at every threshold up to the top grade."""
    judgments.require_integer_grades("threshold_profile")
    n_grades = max(1, int(judgments.top_grade))
    _require_linear(AP(**fields), n_grades)
    return [AP(rel=rel, **fields) for rel in range(1, n_grades + 1)]


def _measures_of_all(
    rankings_of: Mapping[str, Rankings], fields: dict[str, Any]
) -> list[Measure]:
    """Return AP at every threshold of rankings that have the same top grade."""
    top_grades = {
        name: rankings.judgments.top_grade for name, rankings in rankings_of.items()
    }

    if len(set(top_grades.values())) > 1:
        listing = ", ".join(f"{top:g} for {name!r}" for name, top in top_grades.items())
        raise ValueError(
            "Rankers must be scored on the same judgments, got the highest grades "
            f"{listing}."
        )
    first_rankings = next(iter(rankings_of.values()))
    return _measures(first_rankings.judgments, fields)


def _are_all(rankers: Mapping[Any, Any], attribute: str, kind: str) -> bool:
    """Tell whether all rankers have an attribute, or none."""
    names = [name for name, ranker in rankers.items() if hasattr(ranker, attribute)]
    if 0 < len(names) < len(rankers):
        raise ValueError(
            f"Rankers must be all {kind} or none, got both: {names[0]!r} is one."
        )
    return bool(names)
