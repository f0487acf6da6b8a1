"""The style of pictures: which curves stand out, and labels that do not touch."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text

from skgraded._support.pictures import (
    COLOURS,
    GREY,
    Curve,
    _apart,
    draw_curves,
    headline,
    label_ends,
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


def drawn_labels(heights):
    """Texts of the labels of horizontal curves, drawn."""
    _, ax = plt.subplots(layout="constrained", figsize=(7.2, 4.6))
    x = np.array([0.0, 1.0])
    curves = [Curve(f"curve {row}", x, np.full(2, y)) for row, y in enumerate(heights)]
    lines = draw_curves(ax, curves)
    label_ends(ax, lines, curves)
    ax.figure.canvas.draw()
    return ax.texts


@given(wanted=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_heights_are_moved_apart_in_their_order(wanted):
    places = _apart(np.array(wanted), 0.08)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(places[order]) >= 0.08 - 1e-9).all()
    assert places.min() >= -1e-9
    assert places.max() <= 1.0 + 1e-9
    if len(wanted) == 1 or np.diff(np.sort(wanted)).min() >= 0.08:
        np.testing.assert_allclose(places, wanted, atol=1e-9)


def test_labels_beside_the_ends_do_not_touch():
    texts = drawn_labels([0.0, 0.0, 0.01, 0.9, 1.0, 1.0])
    boxes = sorted((Text.get_window_extent(each) for each in texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 for low, high in pairwise(boxes))


def test_a_curve_in_the_background_has_a_grey_label_and_a_gap_none():
    _, ax = plt.subplots()
    x = np.array([0.0, 1.0])
    curves = [Curve("a", x, x), Curve("b", x, 1 - x, stands_out=False), Curve("c", x, x * np.nan)]
    label_ends(ax, draw_curves(ax, curves), curves)
    assert [(each.get_text(), each.get_color()) for each in ax.texts] == [
        ("a", COLOURS[0]),
        ("b", GREY),
    ]


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
    ax.legend(title=r"$\frac$")
    headline(ax, r"Is $\frac$ better?", r"$\frac$ is.")
    label_ends(ax, lines, curves)
    ax.figure.canvas.draw()  # which parses mathematics, and would raise
    powers = [each.get_text() for each in ax.get_xticklabels()]
    assert any("mathdefault" in each for each in powers) == (scale == "log")
