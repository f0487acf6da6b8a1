"""What the numbers of a comparison do not show, in sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skgraded._intervals.paired import CORRECTIONS
from skgraded._support.text import count, first_few, told_queries, unit_in_words
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._input import ComparisonInput
from skgraded.comparison._judge import notes_on_judge
from skgraded.comparison._tables import pair_names
from skgraded.comparison._test_plan import TestPlan

_ONE_TRAINING = (
    "One cross-validation: intervals hold for the models that were trained in it, and "
    "cross_validate_queries(..., n_repeats=5) includes how models vary."
)
_MOST = 3
_TINY = 1e-300
_MOST_OFF = 0.00005  # of what means with four digits show


def with_words(
    comparison: Comparison, data: ComparisonInput, plan: TestPlan
) -> Comparison:
    """Add what was tested, and in at most three sentences, the weightiest first, what limits it."""
    units = unit_in_words(data.clusters is not None)
    scores = data.scores
    is_one_training = scores.folds is not None and len(scores.folds) == 1

    notes = [
        _note_on_too_many(data, plan, count(min(data.n_units), *units)),
        _note_on_left_out(data),
        *([] if comparison.judge is None else notes_on_judge(comparison.judge)),
        _note_on_means(comparison),
        _ONE_TRAINING if is_one_training else "",
        _note_on_intervals(comparison),
        _note_on_identical(comparison),
        _note_on_undecided(comparison),
        _note_on_family(comparison),
    ]
    return replace(
        comparison,
        tested=_tested(comparison, data, plan, units[1]),
        notes=tuple([note for note in notes if note][:_MOST]),
    )


def _tested(
    comparison: Comparison, data: ComparisonInput, plan: TestPlan, units: str
) -> str:
    """Say what intervals and p-values are over, allow for, and are corrected for."""
    over = data.over if comparison.judge is None else comparison.judge._over
    level = f"level {comparison.level:g}"
    if plan.look_factor != 1.0:
        level_of_look = comparison.level / plan.look_factor
        level = f"{level} over all looks and {level_of_look:.2g} at this one"

    n_units = float(comparison._tail.n_units.min())
    parts = [
        f"{over}, {level}{plan.corrected_in_words(data)}",
        f"intervals and p-values allow for 3 in {n_units:.0f} {units} of a kind not seen, each "
        f"losing {_worst_in_words(comparison, plan)}",
        *(f"p-value, {test.name}: {test.title}" for test in plan.tests),
    ]
    return "; ".join(parts)


def _worst_in_words(comparison: Comparison, plan: TestPlan) -> str:
    """Say what each query of a kind not seen may lose, by which measures."""
    measures_of_text: dict[str, list[str]] = {}
    for place, name in enumerate(comparison.measures):
        share, *larger_shares = np.unique(comparison.worst[:, place])
        text = "everything"
        if share < 1.0:
            is_stated = plan.losses.are_stated[place]
            has_range = plan.losses.ranges[place] == 1.0
            amount = f"{share:g}" if is_stated else "half"
            text = amount if is_stated and has_range else f"{amount} of the range"
        text = f"{text} (worst={share:g})"
        if larger_shares:
            text = f"{text}, or everything where a query differs by more"
        measures_of_text.setdefault(text, []).append(name)

    if len(measures_of_text) == 1:
        return next(iter(measures_of_text))
    by_measures = [
        f"{text} by {first_few(names)}" for text, names in measures_of_text.items()
    ]
    return first_few(by_measures)


def _note_on_too_many(data: ComparisonInput, plan: TestPlan, units: str) -> str:
    """Say what is not decided."""
    if plan.is_decided:
        return ""
    return (
        f"Pairs are not decided: of {data.in_words} over {units}, some would be found to "
        "differ too often where none do; name a baseline=, or bound the share of false "
        'discoveries by correction="bh".'
    )


def _note_on_left_out(data: ComparisonInput) -> str:
    """Say which queries do not count."""
    n_left_out = (~data.is_compared).sum(axis=1).tolist()
    by_measure = zip(data.scores.measures, n_left_out, strict=True)
    lacking = {name: n for name, n in by_measure if n}
    if not lacking:
        return ""
    queries = told_queries(tuple(lacking.values()))
    what = "a value" if data.weights is None else "a weight or a value"
    return f"{queries} without {what} of {first_few(list(lacking))} for some system left out."


def _note_on_means(comparison: Comparison) -> str:
    """Say if the means of a judge do not subtract to the differences."""
    if comparison.judge is None:
        return ""
    first, second = comparison.pairs.T
    apart = comparison.means[first] - comparison.means[second]
    off = np.abs(apart - comparison.difference).max()
    if off < _MOST_OFF:
        return ""

    return (
        "With a judge each pair has a slope of its own: means subtract to the differences "
        f"within {off:.4f}."
    )


def _note_on_intervals(comparison: Comparison) -> str:
    """Say if a correction is of p-values alone."""
    is_alone = comparison.correction in ("holm", "bh")
    if not is_alone or comparison.difference.size == 1:
        return ""
    title = CORRECTIONS[comparison.correction].title
    return f"{title[0].upper()}{title[1:]}, but intervals are not corrected alike."


def _note_on_identical(comparison: Comparison) -> str:
    """Say which systems rank all queries alike, and what that shows."""
    identical = np.argwhere(comparison.n_differing == 0)
    if not len(identical):
        return ""
    pair, column = identical[0]
    first, second = (comparison.systems[place] for place in comparison.pairs[pair])
    n = comparison.n_queries[column]

    more = ""
    if len(identical) > 1:
        more = f" (and {count(len(identical) - 1, 'other row')} alike)"
    by = "" if len(comparison) == 1 else f" by {comparison.measures[column]}"
    sentence = f"{first} has the values of {second} in all {n} queries{by}{more}"
    if comparison._is_decided[pair, column]:
        return f"{sentence}."
    advice = _advice(comparison, pair, column)
    return f"{sentence}{advice and f': {advice}'}."


def _note_on_undecided(comparison: Comparison) -> str:
    """Say what would decide the nearest row, or the farthest one of those that must all hold."""
    is_undecided = ~comparison._is_decided & (comparison.n_differing > 0)
    n = int(is_undecided.sum())
    if not n or np.isnan(comparison.p_value["score"]).all():
        return ""
    counted = f"{count(n, 'difference')} undecided"
    distances = comparison._likely_truths - comparison._least
    can_tell = is_undecided & (distances > 0.0) & (comparison.standard_error > 0.0)
    if not can_tell.any():
        return f"{counted}: as seen, no number of queries decides for it."

    in_errors = np.where(can_tell, distances, 0.0) / np.maximum(
        comparison.standard_error, _TINY
    )
    place = in_errors.argmax()
    if comparison.margins is not None and len(comparison) > 1:
        place = np.where(can_tell, in_errors, np.inf).argmin()
    pair, column = np.unravel_index(place, distances.shape)
    name = pair_names(comparison)[pair]
    by = "" if len(comparison) == 1 else f" by {comparison.measures[column]}"
    return (
        f"{counted}; if the true difference is the one seen, which is a guess, {name}{by} is "
        f"{_advice(comparison, pair, column)}."
    )


def _advice(comparison: Comparison, pair: Any, column: Any) -> str:
    """Say which worst loss, or how many queries, would decide a row."""
    row = np.zeros(comparison.difference.shape, dtype=bool)
    row[pair, column] = True
    needed = comparison._queries_that_decide(row)[pair, column]
    worst = comparison.holds_to_worst[pair, column]
    question = "decided"
    if comparison.margins is not None:
        question = comparison._asked[column]

    ways = []
    if np.isfinite(worst) and worst < comparison.worst[pair, column]:
        ways.append(
            f"if no query loses more than {np.floor(100.0 * worst) / 100.0:.2f}"
        )
    if np.isfinite(needed):
        ways.append(f"with about {needed:,.0f} queries like these")
    return f"{question} {', or '.join(ways)}" if ways else ""


def _note_on_family(comparison: Comparison) -> str:
    """Say how many of several rows hold."""
    decisions = comparison.decisions
    if decisions is None or decisions.size == 1:
        return ""
    n_holding = int((decisions == "holds").sum())
    of_all = (
        f"{n_holding} of {decisions.size} rows {'holds' if n_holding == 1 else 'hold'}"
    )

    if len(comparison) > 1:
        return f"{of_all}: all must hold, so that measures need no correction."
    if n_holding:
        return f"{of_all}; the best of many looks better than it is: ask again on other queries."
    return f"{of_all}."
