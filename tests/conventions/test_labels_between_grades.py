"""Labels between whole grades under other tools' names, and names that mean a family there."""

import numpy as np
import pytest

from skgraded.conventions import measure_as
from skgraded.conventions._tools import above

LABELS = [0, 0.1, 0.3, 0.5, 0.50000001, 0.5000001, 0.7, 1, 1.1, 1.5, 2, 2.25, 3]
BORDERS = [0.1, 0.3, 0.5, 0.7, 1, 1.1, 1.5, 2, 2.2]
QUIET = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")


def random_rows(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, rng.integers(1, 5))
    qid = np.repeat(np.arange(len(sizes)), sizes)
    labels = rng.choice(LABELS, len(qid))
    return labels, rng.permutation(len(qid)).astype(float), qid, sizes


@QUIET
@pytest.mark.parametrize("metric", ["MRR", "MAP", "PrecisionAt", "RecallAt"])
def test_catboost_calls_a_label_above_the_border_relevant(metric):
    utils = pytest.importorskip("catboost.utils")
    rng = np.random.default_rng(7)
    for seed in range(40):
        labels, scores, qid, _ = random_rows(seed)
        border, top = rng.choice(BORDERS), rng.integers(1, 6)
        both = f":border={border};top={top}"
        for params in ("", f":top={top}", f":border={border}", both):
            name = metric + params
            (theirs,) = utils.eval_metric(labels, scores, name, group_id=qid)
            ours = measure_as("catboost", name)(labels, scores, qid=qid)
            assert ours == pytest.approx(theirs, abs=1e-12), name


@QUIET
def test_lightgbm_calls_a_label_above_a_half_relevant():
    lightgbm = pytest.importorskip("lightgbm")
    for seed in range(40):
        labels, scores, qid, sizes = random_rows(seed)
        data = lightgbm.Dataset(
            np.zeros((len(qid), 1)),
            labels,
            group=sizes,
            init_score=scores,
            params={"feature_pre_filter": False, "verbose": -1},
        )
        options = {"objective": "regression", "metric": "map", "eval_at": [1, 3, 8]}
        options |= {"min_data_in_leaf": 1, "num_threads": 1, "verbose": -1}
        values = lightgbm.Booster(options, data).eval_train()
        for _, name, theirs, _ in values:
            ours = measure_as("lightgbm", name)(labels, scores, qid=qid)
            assert ours == pytest.approx(theirs, abs=1e-12), name


def test_the_next_label_above_a_border():
    for border in BORDERS:
        lowest = above(border)
        assert np.float32(lowest) > np.float32(border)
        assert np.float32(np.nextafter(lowest, 0.0)) == np.float32(border)


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("trec_eval", "P"),
        ("trec_eval", "success"),
        ("trec_eval", "recall"),
        ("trec_eval", "ndcg_cut"),
        ("trec_eval", "map_cut"),
        ("trec_eval", "relative_P"),
        ("trec_eval", "iprec_at_recall"),
        ("trec_eval", "Rprec_mult"),
        ("pytrec_eval", "P"),
        ("pytrec_eval", "success"),
        ("lightgbm", "ndcg"),
        ("lightgbm", "map"),
        ("ir_measures", "P"),
        ("ir_measures", "Success"),
    ],
)
def test_a_name_that_means_a_family_needs_a_number(tool, name):
    with pytest.raises(ValueError, match="needs a number, as in"):
        measure_as(tool, name)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("ndcg_cut.3", "nDCG@3"),
        ("map_cut.7", "AP@7"),
        ("P.5", "P@5"),
        ("recall.100", "R@100"),
        ("success.1", "Success@1"),
    ],
)
def test_names_with_a_dot_are_those_of_trec_eval(name, ours):
    for tool in ("trec_eval", "pytrec_eval"):
        assert measure_as(tool, name) == measure_as(tool, ours)
