"""The style of pictures: which curves stand out, and titles that do not touch."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skgraded._support.pictures import (
    COLOURS,
    Curve,
    draw_curves,
    headline,
    looks_of,
    plain,
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_ends_of_many_stand_out_and_all_of_a_few():
    assert looks_of([3.0, 1.0, np.nan]) == [0, 1, 2]
    assert looks_of([5, 1, 4, 2, 3, np.nan, 6]) == [0, 1, None, 2, None, None, 3]
    assert looks_of([np.nan] * 7) == [None] * 7


def test_curves_in_the_background_are_named_together():
    _, ax = plt.subplots()
    x = np.array([0.0, 1.0])
    looks = {"b": None, "a": 0, "c": 1, "d": None}
    draw_curves(ax, [Curve(name, x, x, look) for name, look in looks.items()])
    names = [each.get_text() for each in ax.get_legend().get_texts()]
    colours = [each.get_color() for each in ax.get_legend().get_lines()]
    assert names == ["a", "c", "others"]
    assert colours[:2] == list(COLOURS[:2]) != [colours[2]] * 2


def test_a_long_verdict_stands_above_the_axes_and_inside_the_figure():
    _, ax = plt.subplots(layout="constrained", figsize=(5, 3))
    headline(ax, "The verdict is longer than a line. " * 3)
    ax.figure.canvas.draw()
    verdict = ax._left_title.get_window_extent()
    assert ax.get_window_extent().y1 < verdict.y0 < verdict.y1 <= ax.figure.bbox.y1
    assert verdict.x1 <= ax.figure.bbox.x1


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_dollar_signs_in_names_are_drawn_as_such(scale):
    _, ax = plt.subplots(layout="constrained")
    x = np.array([1.0, 100.0])
    ax.set_xscale(scale)
    ax.set_xlabel(r"of $\frac$")
    draw_curves(
        ax, [Curve(rf"run{each}$\frac$", x, np.array([0.0, each]), each) for each in (0, 1)]
    )
    plain(ax)
    headline(ax, r"$\frac$ is.")
    ax.figure.canvas.draw()  # which parses mathematics, and would raise
    powers = [each.get_text() for each in ax.get_xticklabels()]
    assert any("mathdefault" in each for each in powers) == (scale == "log")
