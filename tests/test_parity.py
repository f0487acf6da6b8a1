"""Live parity: the same numbers as other libraries, run side by side."""

import lightgbm as lgb
import numpy as np
import pytest
import pytrec_eval
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import dcg_score, ndcg_score

from skgraded import AP, DCG, evaluate, nDCG
from skgraded.measures import P, R


def random_queries(seed, n_queries=60, longest=40, n_grades=5, n_scores=12):
    """Ragged queries with ties and a few queries with nothing relevant."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, n_queries)
    qid = np.repeat(np.arange(n_queries), sizes)
    y_true = rng.integers(0, n_grades, len(qid)) * (rng.random(n_queries) > 0.15)[qid]
    y_score = rng.integers(0, n_scores, len(qid)) / 4.0
    return y_true, y_score, qid, sizes


@pytest.fixture(params=["random 0", "random 1", "rank.test"])
def rows(request):
    """Labels, scores, ids and sizes: random ones, or a model's on LightGBM's ranking example."""
    if request.param != "rank.test":
        return random_queries(int(request.param.split()[1]))
    data_dir = request.getfixturevalue("data_dir") / "lightgbm-lambdarank"
    X, y, sizes = {}, {}, {}
    for part in ("train", "test"):
        X[part], y[part] = load_svmlight_file(str(data_dir / f"rank.{part}"), n_features=301)
        sizes[part] = np.loadtxt(data_dir / f"rank.{part}.query", dtype=int)
    model = lgb.LGBMRanker(n_estimators=5, verbose=-1, n_jobs=1)
    model.fit(X["train"], y["train"], group=sizes["train"])
    qid = np.repeat(np.arange(len(sizes["test"])), sizes["test"])
    return y["test"].astype(int), model.predict(X["test"]), qid, sizes["test"]


def of_each_query(function, rows, smallest=1):
    y_true, y_score, qid, sizes = rows
    return [
        function(y_true[None, qid == query], y_score[None, qid == query])
        for query in np.flatnonzero(sizes >= smallest)
    ]


@pytest.mark.parametrize("k", [None, 1, 3, 10])
def test_ndcg_is_that_of_scikit_learn(rows, k):
    # scikit-learn refuses queries of one document.
    y_true, y_score, qid, sizes = rows
    scores = evaluate([nDCG(k=k), DCG(k=k)], y_true, y_score, qid=qid)
    compared = scores.values[sizes > 1]
    theirs = of_each_query(lambda y, s: ndcg_score(y, s, k=k), rows, smallest=2)
    np.testing.assert_allclose(compared[:, 0], theirs, atol=1e-12)
    theirs = of_each_query(lambda y, s: dcg_score(y, s, k=k), rows, smallest=2)
    np.testing.assert_allclose(compared[:, 1], theirs, atol=1e-12)


def lightgbm_values(rows, metric, cutoffs):
    """Evaluate scores that do not come from a model: they are the data set's starting scores."""
    y_true, y_score, _, sizes = rows
    data = lgb.Dataset(
        np.zeros((len(y_true), 1)),
        y_true,
        group=sizes,
        init_score=y_score,
        params={"feature_pre_filter": False, "verbose": -1},
    )
    params = {
        "objective": "lambdarank",
        "metric": metric,
        "eval_at": cutoffs,
        "verbose": -1,
        "min_data_in_leaf": 1,
        "num_threads": 1,
    }
    booster = lgb.Booster(params, data)
    return [value for _, _, value, _ in booster.eval_train()]


@pytest.mark.parametrize("metric", ["ndcg", "map"])
def test_lightgbms_own_metrics(rows, metric):
    cutoffs = [1, 3, 5, 10, 100]
    y_true, y_score, qid, _ = rows
    if metric == "ndcg":
        ours = [nDCG(gain="exp2", ties="row_order", empty=1.0, k=k) for k in cutoffs]
    else:
        ours = [AP(ties="row_order", empty=1.0, normalize=True, k=k) for k in cutoffs]
    values = list(evaluate(ours, y_true, y_score, qid=qid).mean().values())
    np.testing.assert_allclose(values, lightgbm_values(rows, metric, cutoffs), atol=1e-12)


def test_a_constant_model_scores_one_in_lightgbm_where_rows_lie_best_first():
    y_true, _, qid, sizes = random_queries(3)
    rows = np.lexsort((-y_true, qid))
    constant = np.zeros(len(qid))
    assert lightgbm_values((y_true[rows], constant, qid, sizes), "ndcg", [10]) == [1.0]
    rows_reversed = np.lexsort((y_true, qid))
    expected = nDCG(gain="exp2", k=10, empty=1.0)
    best, worst = (expected(y_true[order], constant, qid=qid) for order in (rows, rows_reversed))
    assert best == pytest.approx(worst, abs=1e-15)
    assert best < 0.8


def test_measures_that_trec_eval_has(rows):
    y_true, y_score, qid, _ = rows
    # Without ties: trec_eval breaks them by document name, which arrays do not have.
    untied = y_score - np.arange(len(qid)) * 2.0**-20
    qrels, run = {}, {}
    for row, query in enumerate(qid):
        qrels.setdefault(str(query), {})[f"d{row}"] = int(y_true[row])
        run.setdefault(str(query), {})[f"d{row}"] = float(untied[row])
    names = {
        "map": AP(),
        "map_cut_5": AP(k=5),
        "ndcg": nDCG(),
        "ndcg_cut_10": nDCG(k=10),
        "P_5": P(k=5),
        "recall_5": R(k=5),
    }
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "map_cut", "ndcg", "ndcg_cut", "P", "recall"}
    )
    of_query = theirs.evaluate(run)
    scores = evaluate(list(names.values()), y_true, untied, qid=qid)
    expected = [[of_query[str(query)][name] for name in names] for query in scores.qid]
    np.testing.assert_allclose(scores.values, expected, atol=1e-12)


def test_average_precision_by_threshold_is_that_of_trec_eval(rows):
    y_true, y_score, qid, _ = rows
    untied = y_score - np.arange(len(qid)) * 2.0**-20
    for rel in (2, 3):
        qrels, run = {}, {}
        for row, query in enumerate(qid):
            qrels.setdefault(str(query), {})[f"d{row}"] = int(y_true[row])
            run.setdefault(str(query), {})[f"d{row}"] = float(untied[row])
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}, relevance_level=rel).evaluate(run)
        scores = AP(rel=rel).per_query(y_true, untied, qid=qid)
        expected = [theirs[str(query)]["map"] for query in scores.qid]
        np.testing.assert_allclose(scores.values, expected, atol=1e-12)
