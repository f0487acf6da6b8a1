"""The style of pictures: which curves stand out, and labels that do not touch."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skgraded._support.pictures import (
    COLOURS,
    Curve,
    draw_curves,
    headline,
    name_curves,
    plain,
    standing_out,
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_ends_of_many_stand_out_and_all_of_a_few():
    assert standing_out([3.0, 1.0, 2.0]).all()
    assert np.flatnonzero(standing_out([5, 1, 4, 2, 3, np.nan, 6])).tolist() == [0, 1, 3, 6]
    assert standing_out([np.nan] * 7).sum() == 0


def test_curves_in_the_background_are_named_together():
    _, ax = plt.subplots()
    x = np.array([0.0, 1.0])
    curves = [Curve(name, x, x, stands_out=name in "ac") for name in "abcd"]
    name_curves(ax, draw_curves(ax, curves), curves)
    names = [each.get_text() for each in ax.get_legend().get_texts()]
    colours = [each.get_color() for each in ax.get_legend().get_lines()]
    assert names == ["a", "c", "others"]
    assert colours[:2] == list(COLOURS[:2]) != [colours[2]] * 2


def test_a_headline_stands_above_its_answer_and_inside_the_figure():
    _, ax = plt.subplots(layout="constrained", figsize=(5, 3))
    headline(ax, "Is this a question of several words?", "The answer is longer than a line. " * 3)
    ax.figure.canvas.draw()
    question = ax._left_title.get_window_extent()
    answer = ax.texts[0].get_window_extent()
    assert ax.get_window_extent().y1 < answer.y0 < answer.y1 < question.y0 + 2
    assert question.y1 <= ax.figure.bbox.y1
    assert max(answer.x1, question.x1) <= ax.figure.bbox.x1


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_dollar_signs_in_names_are_drawn_as_such(scale):
    _, ax = plt.subplots(layout="constrained")
    x = np.array([1.0, 100.0])
    curves = [Curve(rf"run{each}$\frac$", x, np.array([0.0, each])) for each in range(2)]
    ax.set_xscale(scale)
    ax.set_xlabel(r"of $\frac$")
    lines = draw_curves(ax, curves)
    plain(ax)
    name_curves(ax, lines, curves)
    headline(ax, r"Is $\frac$ better?", r"$\frac$ is.")
    ax.figure.canvas.draw()  # which parses mathematics, and would raise
    powers = [each.get_text() for each in ax.get_xticklabels()]
    assert any("mathdefault" in each for each in powers) == (scale == "log")
