"""What the numbers of a comparison do not show, in sentences."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from skgraded._guards import stacklevel_of_the_user
from skgraded._intervals.paired import CORRECTIONS
from skgraded._support.text import count, first_few, told_queries, unit_in_words
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._input import ComparisonInput
from skgraded.comparison._judge import notes_on_judge
from skgraded.comparison._tables import pair_names
from skgraded.comparison._test_plan import TestPlan
from skgraded.exceptions import UnjudgedDocumentsWarning

_ONE_TRAINING = (
    "One cross-validation: intervals hold for the models that were trained in it, and "
    "cross_validate_queries(..., n_repeats=5) includes how models vary."
)
_MOST = 3
_TINY = 1e-300


def with_words(
    comparison: Comparison, data: ComparisonInput, plan: TestPlan
) -> Comparison:
    """Add what was tested, and in at most three sentences, the weightiest first, what limits it."""
    units = unit_in_words(data.clusters is not None)
    scores = data.scores
    is_one_training = scores.folds is not None and len(scores.folds) == 1

    on_judged = _note_on_judged(comparison)
    if comparison._is_withheld.any():
        warnings.warn(
            on_judged, UnjudgedDocumentsWarning, stacklevel=stacklevel_of_the_user()
        )
    notes = [
        on_judged,
        _note_on_too_many(data, plan, count(min(data.n_units), *units)),
        _note_on_left_out(data),
        *([] if comparison.judge is None else notes_on_judge(comparison.judge)),
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
    over = data.over
    if comparison.judge is not None:
        over = comparison.judge._over
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
        is_stated = plan.losses.are_stated[place]
        if share == 1.0:
            text = "everything"
        elif not is_stated:
            text = "half of the range"
        elif plan.losses.ranges[place] == 1.0:
            text = f"{share:g}"
        else:
            text = f"{share:g} of the range"

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


def _note_on_judged(comparison: Comparison) -> str:
    """Say which system is judged more, and whether a verdict in its favour is not taken."""
    shares = comparison.judged_share
    if shares is None or not comparison._judged_more.any():
        return ""

    # The largest gap, of those that count.
    first, second = comparison.pairs.T
    gaps = np.abs(shares[first] - shares[second])
    is_withheld = comparison._is_withheld
    if is_withheld.any():
        gaps = np.where(is_withheld, gaps, 0.0)
    pair, column = np.unravel_index(gaps.argmax(), gaps.shape)

    systems = comparison.pairs[pair]
    less, more = systems[np.argsort(shares[systems, column])]
    by = "" if len(comparison) == 1 else f" (for {comparison.measures[column]})"
    favoured = comparison.systems[more]
    sentence = (
        f"Of the first documents of {comparison.systems[less]}, {shares[less, column]:.0%} are "
        f"judged, and {shares[more, column]:.0%} of those of {favoured}{by}, which favours "
        f"{favoured}"
    )

    n_withheld = int(is_withheld.sum())
    if n_withheld == 1:
        return f"{sentence}: no verdict for it is taken."
    if n_withheld:
        return f"{sentence}: {n_withheld} verdicts for systems that are judged more are not taken."
    return f"{sentence}."


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
    missing = "a value"
    if data.weights is not None:
        missing = "a weight or a value"
    names = first_few(list(lacking))
    return f"{queries} without {missing} of {names} for some system left out."


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

    by = _by(comparison, column)
    sentence = f"{first} has the values of {second} in all {n} queries{by}"
    if len(identical) > 1:
        other_rows = count(len(identical) - 1, "other row")
        sentence = f"{sentence} (and {other_rows} alike)"

    if not comparison._is_decided[pair, column]:
        advice = _advice(comparison, pair, column)
        sentence = ": ".join(filter(None, [sentence, advice]))
    return f"{sentence}."


def _note_on_undecided(comparison: Comparison) -> str:
    """Say what would decide the nearest row, or the farthest one of those that must all hold."""
    is_open = ~comparison._is_decided & ~comparison._is_withheld
    is_undecided = is_open & (comparison.n_differing > 0)
    n = int(is_undecided.sum())
    if not n or np.isnan(comparison.p_value["score"]).all():
        return ""
    counted = f"{count(n, 'difference')} undecided"
    distances = comparison._likely_truths - comparison._least
    can_tell = is_undecided & (distances > 0.0) & (comparison.standard_error > 0.0)
    if not can_tell.any():
        return f"{counted}: as seen, no number of queries decides for it."

    errors = np.maximum(comparison.standard_error, _TINY)
    in_errors = np.where(can_tell, distances, 0.0) / errors
    place = in_errors.argmax()
    if comparison.margins is not None and len(comparison) > 1:
        place = np.where(can_tell, in_errors, np.inf).argmin()

    pair, column = np.unravel_index(place, distances.shape)
    name = pair_names(comparison)[pair]
    by = _by(comparison, column)
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
        rounded_worst = np.floor(100.0 * worst) / 100.0
        ways.append(f"if no query loses more than {rounded_worst:.2f}")
    if np.isfinite(needed):
        ways.append(f"with about {needed:,.0f} queries like these")
    if not ways:
        return ""
    return f"{question} {', or '.join(ways)}"


def _by(comparison: Comparison, column: Any) -> str:
    """Name the measure, if there are several."""
    if len(comparison) == 1:
        return ""
    return f" by {comparison.measures[column]}"


def _note_on_family(comparison: Comparison) -> str:
    """Say how many of several rows hold."""
    decisions = comparison.decisions
    if decisions is None or decisions.size == 1:
        return ""
    n_holding = int((decisions == "holds").sum())
    verb = "holds" if n_holding == 1 else "hold"
    of_all = f"{n_holding} of {decisions.size} rows {verb}"

    if len(comparison) > 1:
        return f"{of_all}: all must hold, so that measures need no correction."
    if n_holding:
        return f"{of_all}; the best of many looks better than it is: ask again on other queries."
    return f"{of_all}."
