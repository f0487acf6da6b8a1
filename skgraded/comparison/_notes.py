"""What the numbers of a comparison do not show, in sentences."""

from __future__ import annotations

import warnings

import numpy as np

from skgraded._guards import stacklevel_of_the_user
from skgraded._intervals.estimate import FEWEST_DIFFERENCES
from skgraded._support.text import count, first_few, told_queries, unit_in_words
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._given import Given
from skgraded.comparison._judge import notes_on_judge
from skgraded.comparison._plan import Plan
from skgraded.exceptions import FewDifferencesWarning

_ONE_TRAINING = (
    "One cross-validation: intervals hold for the models that were trained in it, and "
    "cross_validate_queries(..., n_repeats=5) includes how models vary."
)
_MOST = 3
_TINY = 1e-300


def notes_on(found: Comparison, given: Given, plan: Plan) -> list[str]:
    """Say in at most three sentences, the weightiest first, what limits a comparison.

    What rests on few queries is also warned of.
    """
    units = unit_in_words(given.clusters is not None)
    scores = given.scores
    few = _note_on_few(found, given, units)
    is_one_training = scores.folds is not None and len(scores.folds) == 1
    if few:
        warnings.warn(few, FewDifferencesWarning, stacklevel=stacklevel_of_the_user())
    notes = [
        _note_on_tests(given, plan, found.level, count(min(given.n_units), *units)),
        _note_on_left_out(given),
        *([] if found.judge is None else notes_on_judge(found.judge)),
        _ONE_TRAINING if is_one_training else "",
        few,
        _note_on_undecided(found),
    ]
    return [note for note in notes if note][:_MOST]


def _note_on_tests(given: Given, plan: Plan, level: float, units: str) -> str:
    """Say what is not decided, or cannot be significant."""
    if not plan.is_decided:
        return (
            f"Pairs are not decided: of {given.in_words} over {units}, some would be found to "
            "differ too often where none do; name a baseline=, or bound the share of false "
            'discoveries by correction="bh".'
        )
    smallest = plan.smallest(given)
    if smallest < level:
        return ""
    return (
        f"No difference can be significant: the smallest p-value over {units} is "
        f"{smallest:.2g} after the correction."
    )


def _note_on_left_out(given: Given) -> str:
    """Say which queries do not count, and that weights do not."""
    n_left_out = (~given.is_compared).sum(axis=1).tolist()
    some = {
        name: n for name, n in zip(given.scores.measures, n_left_out, strict=True) if n
    }
    weights = given.scores.weights
    told = []
    if some:
        queries = told_queries(tuple(some.values()))
        told.append(
            f"{queries} without a value of {first_few(list(some))} for some system left out"
        )
    if weights is not None and np.ptp(weights) > 0.0:
        told.append("weights ignored: each query counts once")
    sentence = "; ".join(told)
    return f"{sentence[0].upper()}{sentence[1:]}." if told else ""


def _note_on_few(found: Comparison, given: Given, units: tuple[str, str]) -> str:
    few = np.argwhere(found.n_differing < FEWEST_DIFFERENCES)
    if not len(few):
        return ""
    pair, column = few[0]
    n_units = given.n_units[column]
    one, other = (found.systems[each] for each in found.pairs[pair])
    differing = count(int(found.n_differing[pair, column]), *units)
    more = (
        f", and {count(len(few) - 1, 'other difference')} like it"
        if len(few) > 1
        else ""
    )
    share = min(
        300.0 / n_units, 100.0
    )  # the rule of three: the upper end where none shows
    return (
        f"{one} - {other} differs from 0 in {differing} of {n_units} by "
        f"{found.measures[column]}{more}: up to {share:.3g} % of all {units[1]} may differ in ways "
        "that none of these shows; intervals allow for it, p-values err more often than they say."
    )


def _note_on_undecided(found: Comparison) -> str:
    """Say how many queries would decide what is undecided, of the first pair by name."""
    if found.decisions is None:
        p_value = next(iter(found.p_value.values()))
        effect = np.abs(found.difference)
        level = found.level
        n_tests = 1 if found.correction == "none" else effect.size
        undecided = p_value >= level
        confidence = 1.0 - level / n_tests
    else:
        better = found.difference * np.array(found.directions)
        effect = np.abs(better + (found.margin or 0.0))
        undecided = found.decisions == "undecided"
        confidence = found.confidence
    if not undecided.any():
        return ""
    told = f"{count(int(undecided.sum()), 'difference')} undecided"
    can_tell = undecided & (found.n_differing >= FEWEST_DIFFERENCES) & (effect > 0.0)
    if not can_tell.any():
        return f"{told}."
    ratio = np.where(can_tell, effect / np.maximum(found.standard_error, _TINY), 0.0)
    pair, column = np.unravel_index(ratio.argmax(), ratio.shape)
    needed = found.queries_needed(float(effect[pair, column]), confidence=confidence)
    one, other = (found.systems[each] for each in found.pairs[pair])
    return (
        f"{told}: if the true difference is the one seen, which is a guess, about "
        f"{needed[pair, column]:,.0f} queries decide {one} - {other} by {found.measures[column]}."
    )
