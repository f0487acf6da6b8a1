"""Threshold profiles in words and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skgraded._text import count, shorten
from skgraded._writers import Table
from skgraded.results import told_in_clusters, unit_in_words
from skgraded.users._pair_profile import LEAST_SHARE, PairProfile, UserShares

if TYPE_CHECKING:
    from skgraded.users._profile import ThresholdProfile

# Fewer queries than this with documents of a grade say little about the users who want it.
_FEW_QUERIES = 20
_LONGEST_HEADING = 12
_LONGEST_NAME = 22  # of a ranker before the name of a measure: four columns then fit beside it
_GRADES_OF_A_LINE = 2


def tables_of_profile(profile: ThresholdProfile, n_pairs: int | None = None) -> list[Table]:
    """Return tables of the thresholds and of the shares, with the conclusions in words."""
    shown = profile.pairs[:n_pairs]
    first = _thresholds(profile) if len(profile.pairs) == 1 else _rankers(profile, shown)
    conclusions, notes = _conclusions(profile, shown), _notes(profile, shown)
    if len(profile.n_found) == 1:
        return [first._replace(notes=[*conclusions, *notes])]
    return [first._replace(notes=conclusions), _shares(profile, shown)._replace(notes=notes)]


def _thresholds(profile: ThresholdProfile) -> Table:
    """Return the table of one pair: a row for each threshold."""
    (pair,) = profile.pairs
    names = _headings(pair)
    thresholds = range(1, len(pair.differences) + 1)
    columns = [
        (heading, [f"{value:.4f}" for value in profile.means[profile.rankers.index(name)]])
        for heading, name in zip(names, (pair.ranker, pair.baseline), strict=True)
    ]
    columns += [
        ("difference", [f"{each:+.4f}" for each in pair.differences]),
        (
            f"{profile.confidence:.0%} interval",
            [f"[{low:+.4f}, {high:+.4f}]" for low, high in pair.intervals],
        ),
        (_units(profile)[1], [str(each) for each in profile.n_found]),
    ]
    labels = [str(profile.measure), *(f"rel={each}" for each in thresholds)]
    question = f"For which users is {pair.ranker} better than {pair.baseline}?"
    return Table(labels, columns, title=question)


def _headings(pair: PairProfile) -> tuple[str, str]:
    """Return the names of the two rankers, or what they are where the names are long."""
    if max(len(pair.ranker), len(pair.baseline)) <= _LONGEST_HEADING:
        return pair.ranker, pair.baseline
    return "ranker", "baseline"


def _rankers(profile: ThresholdProfile, shown: Sequence[PairProfile]) -> Table:
    """Return the table of several rankers: a row for each of them."""
    compared = {profile.baseline, *(each.ranker for each in shown)}
    rows = [row for row, name in enumerate(profile.rankers) if name in compared]
    columns = [
        (f"rel={threshold}", [f"{value:.4f}" for value in means])
        for threshold, means in enumerate(profile.means[rows].T, start=1)
    ]
    return Table([str(profile.measure), *(profile.rankers[row] for row in rows)], columns)


def _conclusions(profile: ThresholdProfile, shown: Sequence[PairProfile]) -> list[str]:
    sentences = [pair.sentence for pair in shown]
    if len(profile.pairs) == 1:
        sentences += _break_even(profile.pairs[0])
    return sentences


def _break_even(pair: PairProfile) -> list[str]:
    """Say at which mixtures of users the means are equal."""
    points = pair.break_even
    if not points:
        return []
    if len(pair.differences) == _GRADES_OF_A_LINE:
        return [f"The means are equal at g_1 = {points[0].share:.2f}."]
    listed = ", ".join(
        f"{each.threshold} and {each.other} ({each.share:.0%} and {1 - each.share:.0%})"
        for each in points
    )
    return [f"The means are equal for mixtures of users with two thresholds: {listed}."]


def _shares(profile: ThresholdProfile, shown: Sequence[PairProfile]) -> Table:
    """Return the table of the shares of the users, by eGAP and xGAP."""
    rows: list[tuple[str, UserShares]] = []
    for pair in shown:
        name = f"{shorten(pair.ranker, _LONGEST_NAME)}, " if len(profile.pairs) > 1 else ""
        rows.append((f"{name}eGAP", pair.shares))
        if pair.xgap_shares is not None:
            rows.append((f"{name}xGAP", pair.xgap_shares))
    alone = len(profile.pairs) == 1
    ours, base = _headings(profile.pairs[0]) if alone else ("ranker", "baseline")
    columns = [
        (f"{ours} higher", [_percent(each.above) for _, each in rows]),
        ("better", [_percent(each.better) for _, each in rows]),
        ("undecided", [_percent(each.undecided) for _, each in rows]),
        (f"{base} better", [_percent(each.worse) for _, each in rows]),
    ]
    return Table(["share of users", *(label for label, _ in rows)], columns)


def _percent(share: float) -> str:
    """Write 0 and 100 percent only where no user, or every user, is meant."""
    if 0.0 < share < LEAST_SHARE:
        return "<1%"
    return f"{share:.0%}" if share <= 1.0 - LEAST_SHARE or share == 1.0 else ">99%"


def _notes(profile: ThresholdProfile, shown: Sequence[PairProfile]) -> list[str]:
    n_grades, n_pairs = len(profile.n_found), len(profile.pairs)
    queries, notes = count(len(profile.qid), "query", "queries"), []
    if len(shown) < n_pairs:
        notes.append(
            f"{n_pairs} rankers are compared with {profile.baseline}, of which the first "
            f"{len(shown)} are shown; to_text() shows all."
        )
    if n_grades > 1:
        notes.append(
            "A user with threshold k accepts grade k or better (rel=k); g_k is the share of these "
            "users. A share of users is a share of all possible g."
        )
        notes.append(
            "'higher' compares means; 'better' is established: all intervals hold jointly, by a "
            f"bootstrap over {told_in_clusters(queries, profile.n_clusters)}."
        )
    else:
        units = told_in_clusters(queries, profile.n_clusters)
        notes.append(f"Intervals by a bootstrap over {units}.")
    many = _units(profile)[1]
    if len(profile.pairs) == 1:
        notes.append(f"'{many}' have a document of that grade or above in one of the rankings.")
    notes += _of_trainings(profile)
    if _n_units(profile) < _FEW_QUERIES:
        notes.append(
            f"These are few {many}. With {_FEW_QUERIES} or more, the intervals are much narrower."
        )
    notes += _of_few_queries(profile)
    if profile.n_left_out:
        left_out = count(profile.n_left_out, "query", "queries")
        notes.append(f"{left_out} without a value for some ranker left out.")
    return notes


def _of_trainings(profile: ThresholdProfile) -> list[str]:
    """Say what the intervals hold for, where the values are those of a cross-validation."""
    if profile.n_repeats == 0:
        return []
    if profile.n_repeats == 1:
        return [
            "The intervals hold for the models that were trained in this one cross-validation; "
            "n_repeats=5 shows how much models vary, too."
        ]
    return [
        f"The intervals carry the variation of splits and fits, from {profile.n_repeats} repeats."
    ]


def _of_few_queries(profile: ThresholdProfile) -> list[str]:
    """Say for which thresholds few queries tell anything."""
    few = [
        f"{found} for rel={threshold}"
        for threshold, found in enumerate(profile.n_found.tolist(), start=1)
        if found < min(_FEW_QUERIES, _n_units(profile))
    ]
    if not few:
        return []
    return [
        f"Few {_units(profile)[1]} have a document of the grade in any ranking: {', '.join(few)}. "
        "They say little about its users."
    ]


def _n_units(profile: ThresholdProfile) -> int:
    return len(profile.qid) if profile.n_clusters is None else profile.n_clusters


def _units(profile: ThresholdProfile) -> tuple[str, str]:
    return unit_in_words(profile.n_clusters is not None)
