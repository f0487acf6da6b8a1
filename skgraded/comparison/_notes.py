"""What the numbers of a comparison do not show, in sentences."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skgraded._guards import stacklevel_of_the_user
from skgraded._intervals.estimate import FEWEST_DIFFERENCES
from skgraded._text import count, first_few
from skgraded.exceptions import FewDifferencesWarning
from skgraded.results import Scores, told_in_clusters, told_queries, unit_in_words

if TYPE_CHECKING:
    from skgraded.comparison._comparison import Comparison
    from skgraded.comparison._judged_estimates import JudgedEstimates

# With fewer queries that hold the top grade, a note says so.
_FEW_TOP_QUERIES = 20
_ONE_TRAINING = (
    "One cross-validation: intervals hold for the models that were trained in it. In simulations "
    "they covered the mean of new splits and trainings in 90 to 95 % for trained learners, and in "
    "39 to 89 % where models vary much; cross_validate_queries(..., n_repeats=5) includes these."
)
_WEIGHTS = "Queries have weights, which a comparison ignores: each query counts once."
_TINY = 1e-300
_UNSEEN = 3.0  # over n: upper end of a share of which n units show none (rule of three)


def over_in_words(columns: Sequence[Any], judge: JudgedEstimates | None) -> str:
    """Say over what the systems were compared."""
    told = told_queries(tuple(each.values.shape[2] for each in columns))
    if judge is not None:
        told += f" with human labels and {judge.n_judged:,} with a judge's"
        told += " as all there are" if judge.population == "these" else ""
    has_clusters = columns[0].clusters is not None
    told = told_in_clusters(told, tuple(e.n_units for e in columns) if has_clusters else None)
    n_repeats = columns[0].values.shape[1]
    return told if n_repeats == 1 else f"{told} and {n_repeats} repeats"


def notes_on(
    found: Comparison, columns: Sequence[Any], scores: Scores, *, has_weights: bool
) -> list[str]:
    """Say what was left out, what rests on few queries, of which it warns, and what is open."""
    is_one_training = scores.folds is not None and len(scores.folds) == 1
    few = _note_on_few(found, columns)
    if few:
        warnings.warn(few, FewDifferencesWarning, stacklevel=stacklevel_of_the_user())
    notes = [
        _ONE_TRAINING if is_one_training else "",
        *_notes_on_left_out(columns, scores),
        few,
        _note_on_undecided(found),
        _note_on_top(columns, scores),
        _WEIGHTS if has_weights else "",
    ]
    return [note for note in notes if note]


def _notes_on_left_out(columns: Sequence[Any], scores: Scores) -> list[str]:
    n_left_out = [int((~each.is_compared).sum()) for each in columns]
    notes = []
    for number in sorted({*n_left_out} - {0}):
        names = [name for name, n in zip(scores, n_left_out, strict=True) if n == number]
        of = "" if len(names) == len(columns) else f" of {first_few(names)}"
        queries = count(number, "query", "queries")
        notes.append(f"{queries} without a value{of} for some system left out.")
    in_part = np.zeros(scores.n_queries, dtype=bool)
    for each in columns:
        in_part[each.is_compared] |= np.isnan(each.values).any(axis=(0, 1))
    if in_part.any():
        queries = count(int(in_part.sum()), "query", "queries")
        notes.append(f"{queries} not tested in every repeat.")
    return notes


def _note_on_few(found: Comparison, columns: Sequence[Any]) -> str:
    few = np.argwhere(found.n_differing < FEWEST_DIFFERENCES)
    if not len(few):
        return ""
    pair, column = few[0]
    n_units, has_clusters = columns[column].n_units, columns[column].clusters is not None
    one, other = (found.systems[each] for each in found.pairs[pair])
    differing = count(int(found.n_differing[pair, column]), *unit_in_words(has_clusters))
    units, others = unit_in_words(has_clusters)[1], len(few) - 1
    more = f", and {count(others, 'other difference')} like it" if others else ""
    by = f"{found.measures[column]}{more}"
    return (
        f"{one} - {other} differs from 0 in {differing} of {n_units} by {by}. "
        f"Up to {100.0 * min(_UNSEEN / n_units, 1.0):.2g} % of all {units} may differ in ways that "
        "none of these shows: intervals allow for it, but p-values err more often than they say."
    )


def _note_on_undecided(found: Comparison) -> str:
    """Say how many queries would decide what is undecided, of the first pair by name."""
    if found.decisions is None:
        p_value = next(iter(found.p_value.values()))
        effect, undecided = np.abs(found.difference), p_value >= found.level
        n_tests = 1 if found.correction == "none" else effect.size
        confidence = 1.0 - found.level / n_tests
    else:
        better = found.difference * np.array(found.directions)
        effect, undecided = np.abs(better + (found.margin or 0.0)), found.decisions == "undecided"
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
        f"{told}. If the true difference is the one seen, which is a guess, about "
        f"{needed[pair, column]:,.0f} queries decide {one} - {other} by {found.measures[column]}: "
        "queries_needed(effect=) plans by the smallest difference of interest."
    )


def _note_on_top(columns: Sequence[Any], scores: Scores) -> str:
    top = scores.has_top_grade
    if top is None:
        return ""
    kept = np.any([each.is_compared for each in columns], axis=0)
    n_top = int((top & kept).sum())
    if n_top >= min(_FEW_TOP_QUERIES, int(kept.sum())):
        return ""
    queries = count(n_top, "query", "queries")
    return f"Only {queries} with a document of the top grade, few to judge by."
