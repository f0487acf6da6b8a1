"""Pictures: what is drawn, not its pixels."""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from lightgbm import LGBMRanker

from skgraded import QueryRanker, nDCG
from skgraded.datasets import make_ranking
from skgraded.displays import TrainingDisplay
from skgraded.lightgbm import eval_metric


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
    np.testing.assert_array_equal(display.line_.get_xdata(), np.arange(1, len(values) + 1))
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
    with pytest.raises(KeyError, match=r"AP is not among the measures scored: xGAP.*, nDCG@10"):
        TrainingDisplay.from_estimator(ranker, measure="AP")
    with pytest.raises(ValueError, match="fitted with validation_fraction"):
        TrainingDisplay.from_estimator(QueryRanker(LGBMRanker(), measure="AP"))


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"TrainingDisplay\.plot needs matplotlib: pip install"):
        TrainingDisplay(values=np.array([0.1])).plot()
