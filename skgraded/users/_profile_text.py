"""Threshold profiles as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skgraded._text import count, text_table, wrap
from skgraded.users._pair_profile import PairProfile, UserShares

if TYPE_CHECKING:
    from skgraded.users._profile import ThresholdProfile

__all__ = ["profile_as_text"]

# Fewer queries than this with documents of a grade say little about the users who want it.
_FEW_QUERIES = 20
_LONGEST_HEADING = 12
_GRADES_OF_A_LINE = 2


def profile_as_text(profile: ThresholdProfile, width: int) -> str:
    """Draw tables of the thresholds and of the shares, with the conclusions in words."""
    if len(profile.pairs) == 1:
        parts = [_thresholds(profile, width), _conclusions(profile, width)]
    else:
        parts = [_rankers(profile, width), _conclusions(profile, width)]
    shares = _shares(profile, width)
    if shares:
        parts.append(shares)
    return "\n\n".join([*parts, "\n".join(wrap(each, width) for each in _notes(profile))])


def _thresholds(profile: ThresholdProfile, width: int) -> str:
    """Draw the table of one pair: a row for each threshold."""
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
        ("queries", [str(each) for each in profile.n_found]),
    ]
    labels = [str(profile.measure), *(f"rel={each}" for each in thresholds)]
    question = f"For which users is {pair.ranker} better than {pair.baseline}?"
    return f"{wrap(question, width)}\n{text_table(labels, columns, width)}"


def _headings(pair: PairProfile) -> tuple[str, str]:
    """Return the names of the two rankers, or what they are where the names are long."""
    if max(len(pair.ranker), len(pair.baseline)) <= _LONGEST_HEADING:
        return pair.ranker, pair.baseline
    return "ranker", "baseline"


def _rankers(profile: ThresholdProfile, width: int) -> str:
    """Draw the table of several rankers: a row for each of them."""
    columns = [
        (f"rel={threshold}", [f"{value:.4f}" for value in means])
        for threshold, means in enumerate(profile.means.T, start=1)
    ]
    return text_table([str(profile.measure), *profile.rankers], columns, width)


def _conclusions(profile: ThresholdProfile, width: int) -> str:
    lines = []
    for pair in profile.pairs:
        lines.append(wrap(pair.sentence, width))
        if len(profile.pairs) == 1:
            lines += [wrap(each, width) for each in _break_even(pair)]
    return "\n".join(lines)


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


def _shares(profile: ThresholdProfile, width: int) -> str:
    """Draw the table of the shares of the users, by eGAP and xGAP."""
    if len(profile.n_found) == 1:
        return ""
    rows: list[tuple[str, UserShares]] = []
    for pair in profile.pairs:
        name = f"{pair.ranker}, " if len(profile.pairs) > 1 else ""
        rows.append((f"{name}eGAP", pair.shares))
        if pair.xgap_shares is not None:
            rows.append((f"{name}xGAP", pair.xgap_shares))
    alone = len(profile.pairs) == 1
    ours, base = _headings(profile.pairs[0]) if alone else ("ranker", "baseline")
    columns = [
        (f"{ours} higher", [f"{each.above:.0%}" for _, each in rows]),
        ("better", [f"{each.better:.0%}" for _, each in rows]),
        ("undecided", [f"{each.undecided:.0%}" for _, each in rows]),
        (f"{base} better", [f"{each.worse:.0%}" for _, each in rows]),
    ]
    return text_table(["share of users", *(label for label, _ in rows)], columns, width)


def _notes(profile: ThresholdProfile) -> list[str]:
    n_grades = len(profile.n_found)
    notes = []
    if n_grades > 1:
        notes.append(
            "A user with threshold k accepts grade k or better (rel=k); g_k is the share of these "
            "users. Shares of users count all g alike."
        )
        notes.append(
            "'higher' compares means; 'better' is established: all intervals hold jointly, by a "
            f"bootstrap over {count(len(profile.qid), 'query', 'queries')}."
        )
    else:
        queries = count(len(profile.qid), "query", "queries")
        notes.append(f"Intervals by a bootstrap over {queries}.")
    if len(profile.pairs) == 1:
        notes.append("'queries' have a document of that grade or above in one of the rankings.")
    few = [
        f"{found} for rel={threshold}"
        for threshold, found in enumerate(profile.n_found.tolist(), start=1)
        if found < min(_FEW_QUERIES, len(profile.qid))
    ]
    if few:
        notes.append(
            f"Few queries have a document of the grade in any ranking: {', '.join(few)}. They say "
            "little about its users."
        )
    if profile.n_left_out:
        left_out = count(profile.n_left_out, "query", "queries")
        notes.append(f"{left_out} without a value for some ranker left out.")
    return notes
