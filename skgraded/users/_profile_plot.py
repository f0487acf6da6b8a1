"""Pictures of threshold profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skgraded._pictures import BETTER, COLOURS, GREY, MARKERS, WORSE, headline, plain
from skgraded._text import count, shorten
from skgraded.users._pair_profile import PairProfile
from skgraded.users._simplex import path

_UNDECIDED = GREY
_GRADES_OF_A_LINE = 2
_STEPS = 200
_MOST_NAMED = 12
_ROOM = 0.35  # of the larger side of zero, for the other side
SIZE = (7.0, 4.6)


def draw_pair(pair: PairProfile, ax: Any, queries: str) -> None:
    """Draw the differences of two rankers for users from the least to the most demanding ones."""
    n_grades = len(pair.differences)
    ax.axhline(0, color="black", linewidth=1)
    if n_grades > 1:
        _draw_band(pair, ax)
    _draw_corners(pair, ax)
    _name_axes(ax, n_grades)
    measure = "eGAP" if n_grades > 1 else "AP"
    ax.set_ylabel(f"{measure}: {shorten(pair.ranker)} - {shorten(pair.baseline)}")
    question = f"For which users is {pair.ranker} better than {pair.baseline}?"
    _name_sides(pair, ax)
    if n_grades > 1:
        _add_legend(ax, queries)
    headline(ax, question, pair.sentence)
    plain(ax)


def _add_legend(ax: Any, queries: str) -> None:
    """Name the lines and colours below the axes, where they cover nothing."""
    ax.legend(
        fontsize=8,
        frameon=False,
        ncols=5,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        title=queries,
        title_fontsize=8,
    )


def _draw_band(pair: PairProfile, ax: Any) -> None:
    """Draw the difference along the path of thresholds, coloured where it is established."""
    places, points = path(len(pair.differences), _STEPS)
    middle, low, high = pair.band(points)
    for chosen, colour, label in (
        (low > 0, BETTER, f"{pair.ranker} better"),
        (high < 0, WORSE, f"{pair.baseline} better"),
        ((low <= 0) & (high >= 0), _UNDECIDED, "not established"),
    ):
        if chosen.any():
            wider = chosen | np.append(chosen[1:], False)
            ax.fill_between(
                places, low, high, where=wider, color=colour, alpha=0.3, linewidth=0, label=label
            )
    ax.plot(places, middle, color="black", linewidth=1.5, label="eGAP")
    mean_threshold = pair.users @ np.arange(1, pair.users.shape[1] + 1)
    adjacent = _is_adjacent(pair.users)
    if adjacent.any():
        order = np.argsort(mean_threshold[adjacent])
        ax.plot(
            mean_threshold[adjacent][order],
            pair.xgap_differences[adjacent][order],
            color="black",
            linewidth=1.2,
            linestyle="--",
            label="xGAP",
        )


def _is_adjacent(users: Any) -> Any:
    """Whether all users have one of two neighbouring thresholds."""
    first = (users > 0).argmax(axis=1)
    last = users.shape[1] - 1 - (users > 0)[:, ::-1].argmax(axis=1)
    return last - first <= 1


def _draw_corners(pair: PairProfile, ax: Any) -> None:
    """Draw the differences in AP with their intervals, in a shape for each verdict."""
    reach = pair.intervals[:, 1] - pair.differences
    looks = {1: (BETTER, "^"), -1: (WORSE, "v"), 0: (_UNDECIDED, "o")}
    for place, (difference, sign) in enumerate(
        zip(pair.differences, pair.corners.tolist(), strict=True), start=1
    ):
        colour, marker = looks[sign]
        ax.errorbar(place, difference, yerr=reach[place - 1], fmt=marker, color=colour, capsize=4)


def _name_axes(ax: Any, n_grades: int) -> None:
    ax.set_xlim(0.85, n_grades + 0.15)
    if n_grades == _GRADES_OF_A_LINE:
        shares = np.linspace(0, 1, 6)
        ax.set_xticks(2 - shares, [f"{share:.0%}" for share in shares])
        ax.set_xlabel("users who accept grade 1 (g₁); the others accept only grade 2")
        return
    if n_grades == 1:
        ax.set_xticks([])
        return
    ticks = [
        f"grade {each}" + (" or better" if each < n_grades else "")
        for each in range(1, n_grades + 1)
    ]
    ax.set_xticks(range(1, n_grades + 1), ticks)
    ax.set_xlabel("what users accept (between two grades: mixtures of such users)")


def _name_sides(pair: PairProfile, ax: Any) -> None:
    """Name the ranker that is better above zero, and the one that is better below."""
    low, high = ax.get_ylim()
    most = max(abs(low), abs(high))
    ax.set_ylim(min(low, -_ROOM * most), max(high, _ROOM * most))
    for place, name, colour, side in (
        (1.0, pair.ranker, BETTER, "top"),
        (0.0, pair.baseline, WORSE, "bottom"),
    ):
        ax.text(
            1.02,
            place,
            f"{shorten(name)} better",
            transform=ax.transAxes,
            rotation=90,
            va=side,
            color=colour,
            fontsize=9,
        )


def draw_pairs(pairs: Sequence[PairProfile], ax: Any, queries: str) -> None:
    """Draw the differences of several rankers from the baseline, with a line for each of them."""
    n_grades = len(pairs[0].differences)
    ax.axhline(0, color="black", linewidth=1)
    shifts = np.linspace(-0.1, 0.1, len(pairs)) if len(pairs) > 1 else [0.0]
    for number, (pair, shift) in enumerate(zip(pairs, shifts, strict=True)):
        look = {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
        }
        places = np.arange(1, n_grades + 1) + shift
        reach = pair.intervals[:, 1] - pair.differences
        ax.errorbar(places, pair.differences, yerr=reach, capsize=3, label=pair.ranker, **look)
    _name_axes(ax, n_grades)
    ax.set_ylabel(f"eGAP: difference from {pairs[0].baseline}")
    question = f"For which users is another ranker better than {pairs[0].baseline}?"
    if len(pairs) <= _MOST_NAMED:
        _add_legend(ax, queries)
    headline(ax, question, _answer(pairs))
    plain(ax)


def _answer(pairs: Sequence[PairProfile]) -> str:
    """Say which rankers are better for every user, for some of them, and for none."""
    by_extent: dict[str, list[str]] = {"every user": [], "some users": [], "no user": []}
    for pair in pairs:
        if (pair.corners > 0).all():
            extent = "every user"
        else:
            extent = "some users" if pair.is_better_for_some else "no user"
        by_extent[extent].append(pair.ranker)
    found = [f"for {extent}: {_named(names)}" for extent, names in by_extent.items() if names]
    return f"Established {'; '.join(found)}."


def _named(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_NAMED else count(len(names), "ranker")
