"""Pictures: which curves stand out, titles that do not touch, and what a training display draws."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from lightgbm import LGBMRanker

from skgraded import QueryRanker, nDCG
from skgraded._support.pictures import (
    COLOURS,
    Curve,
    draw_curves,
    headline,
    looks_of,
    plain,
)
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay
from skgraded.lightgbm import eval_metric


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
        ax,
        [
            Curve(rf"run{each}$\frac$", x, np.array([0.0, each]), each)
            for each in (0, 1)
        ],
    )
    plain(ax)
    headline(ax, r"$\frac$ is.")
    ax.figure.canvas.draw()  # which parses mathematics, and would raise
    powers = [each.get_text() for each in ax.get_xticklabels()]
    assert any("mathdefault" in each for each in powers) == (scale == "log")


@pytest.fixture(scope="module")
def ranker():
    X, y, qid = make_ranking(n_queries=40, docs_per_query=15, random_state=0)
    ranker = QueryRanker(
        LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1),
        measure="xGAP@10",
        validation_fraction=0.3,
        early_stopping_rounds=3,
        random_state=0,
    )
    return ranker.fit(X, y, qid=qid, eval_metric=eval_metric("nDCG@10"))


@pytest.mark.parametrize("measure", [None, "nDCG@10", nDCG(k=10)])
def test_training_display(ranker, measure):
    display = TrainingDisplay.from_estimator(ranker, measure=measure, label="mine")
    name = str(measure or "xGAP(max_grade=4)@10")
    values = ranker.evals_result_["valid_0"][name]
    np.testing.assert_array_equal(display.line_.get_ydata(), values)
    np.testing.assert_array_equal(
        display.line_.get_xdata(), np.arange(1, len(values) + 1)
    )
    assert display.best_.get_xdata()[0] == ranker.best_iteration_
    assert display.best_.get_ydata()[0] == values[ranker.best_iteration_ - 1]
    assert display.ax_.get_ylabel() == f"{name}\non validation queries"
    assert display.ax_.get_legend().get_texts()[0].get_text() == "mine"
    assert display.figure_ is display.ax_.figure


def test_training_display_on_given_axes_without_a_stop():
    ax = plt.subplots()[1]
    display = TrainingDisplay(values=np.array([0.1, 0.2])).plot(ax=ax, color="red")
    assert display.ax_ is ax
    assert display.best_ is None
    assert display.line_.get_color() == "red"
    assert ax.get_legend() is None


def test_training_display_of_what_was_not_seen(ranker):
    with pytest.raises(
        KeyError, match=r"AP is not among the measures scored: xGAP.*, nDCG@10"
    ):
        TrainingDisplay.from_estimator(ranker, measure="AP")
    with pytest.raises(ValueError, match="fitted with validation_fraction"):
        TrainingDisplay.from_estimator(QueryRanker(LGBMRanker(), measure="AP"))


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(
        ImportError, match=r"TrainingDisplay\.plot needs matplotlib: pip install"
    ):
        TrainingDisplay(values=np.array([0.1])).plot()
