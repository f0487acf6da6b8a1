"""Training for a measure: derivatives against a literal loop, and LightGBM's own lambdarank."""

import dataclasses
import itertools

import lightgbm as lgb
import numpy as np
import pytest
import strategies
from facts import FACTS, RANKED, fields_of, has_mean_over_ties
from hypothesis import assume, given, settings, strategies as st
from pools import rankings_of_pools
from reference import lambdas
from sklearn.datasets import load_svmlight_file

from skgraded import (
    AP,
    RBP,
    Blend,
    Judgments,
    QMeasure,
    catalogue,
    eGAP,
    measure,
    nDCG,
    xGAP,
)
from skgraded._boosting._lambdamart import LambdaMART, noise_or_none
from skgraded.datasets import make_ranking
from skgraded.lightgbm import objective
from skgraded.measures import RprefN

TRAINABLE = [name for name in RANKED if FACTS[name].prefix_form]
FEW = settings(max_examples=max(5, settings().max_examples // 10))
QUIET = {"verbose": -1, "num_threads": 1, "metric": "None"}
G = (0.1, 0.2, 0.3, 0.4)


def derivatives(cost, y_true, y_score):
    return np.array(cost.derivatives(Judgments(y_true), y_score))


# --- derivatives ----------------------------------------------------------------------------------


@st.composite
def measures(draw, name, max_grade):
    """Draw a measure that accepts labels up to a grade."""
    chosen, _ = draw(fields_of(name, max_grade))
    assume(getattr(chosen, "rel", 1) <= max_grade)
    return chosen


@st.composite
def costs(draw, name, max_grade, max_documents):
    """Draw a measure and the cost of training for it."""
    chosen = draw(measures(name, max_grade))
    return LambdaMART(
        chosen,
        sigmoid=draw(st.sampled_from([0.5, 1.0, 2.0])),
        # Where the normalizer has no cut-off it takes the truncation level's, tested elsewhere.
        truncation_level=draw(
            st.none()
            if chosen.k is None and chosen.normalize
            else st.integers(1, max_documents)
        ),
        norm=draw(st.booleans()),
    )


def literal(cost, y_true, y_score, order=None):
    """Derivatives by the literal loop, in the order of the scores unless another is given."""
    order = np.argsort(-y_score) if order is None else order
    names = ("sigmoid", "truncation_level", "norm")
    options = {name: getattr(cost, name) for name in names}
    return lambdas.by_row(
        y_true, y_score, lambdas.value_of(cost.measure), order, **options
    )


def top_of(y_true):
    """Top of a scale that ends where the labels do."""
    return max(1, int(y_true.max()))


@st.composite
def one_query(draw, scores, max_documents=7):
    n = draw(st.integers(1, max_documents))
    max_grade = draw(strategies.MAX_GRADES)
    y_true = np.array(draw(strategies.labels(max_grade, n, unjudged=False)))
    return y_true, np.array(draw(scores(n)), dtype=float), top_of(y_true)


def moderate_scores(n):
    """Scores whose differences the sigmoid tells apart."""
    return st.lists(
        st.sampled_from([-3.5, -1.0, 0.0, 0.25, 0.5, 7.25]), min_size=n, max_size=n
    )


@st.composite
def fractional_query(draw, scores, max_documents=12):
    """One query whose grades lie between whole ones, some of them equal."""
    y_true, y_score, max_grade = draw(one_query(scores, max_documents=max_documents))
    below = st.lists(
        st.sampled_from([0, 0.25, 0.5, 0.75]),
        min_size=len(y_true),
        max_size=len(y_true),
    )
    shift = np.array(draw(below))
    return np.maximum(y_true - shift, 0.0), y_score, max_grade


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
@pytest.mark.parametrize("name", TRAINABLE)
@FEW
@given(data=st.data())
def test_derivatives_are_those_of_a_literal_loop(name, data):
    kinds = [one_query, fractional_query]
    if name == "PairAccuracy":  # its K has no factors
        kinds = [one_query]
    kind = data.draw(st.sampled_from(kinds))
    y_true, y_score, max_grade = data.draw(kind(strategies.distinct_scores))
    cost = data.draw(costs(name, max_grade, len(y_true)))
    expected = literal(cost, y_true, y_score)
    np.testing.assert_allclose(
        derivatives(cost, y_true, y_score), expected, rtol=1e-9, atol=1e-12
    )


BLENDS = [
    ({eGAP(g=G): 0.5, nDCG(k=3): 0.5}, 5),
    ({nDCG(k=2): 1.0, nDCG(k=5, gain="exp2"): 3.0}, 5),  # no pairs at all
    ({AP(k=4): 1.0, xGAP(g=G, k=2): 0.5, RBP(p=0.5): 2.0, "QMeasure": 0.1}, 5),
    ({"P@1": 1.0, "SDCG(max_grade=4)": 1.0, "INSQ(max_grade=4)@3": 1.0}, 5),
    ({eGAP(g=(1 / 12,) * 12): 0.5, nDCG(k=7): 1.0}, 12),  # too many levels for lanes
]


@pytest.mark.parametrize(("parts", "n_grades"), BLENDS)
@pytest.mark.parametrize("n", [2, 6, 50])
@pytest.mark.parametrize("norm", [True, False])
def test_derivatives_of_a_blend_are_those_of_a_literal_loop(parts, n_grades, n, norm):
    rng = np.random.default_rng(n)
    for top in (2, n_grades):
        y_true, y_score = rng.integers(0, top, n), rng.permutation(n) / 3.0
        cost = LambdaMART(Blend(parts), sigmoid=1.5, truncation_level=4, norm=norm)
        found = derivatives(cost, y_true, y_score)
        expected = literal(cost, y_true, y_score)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [3, 40])
def test_a_part_has_no_weight_in_queries_that_are_empty_for_it(n):
    rng = np.random.default_rng(1)
    y, score = (
        np.append(rng.integers(0, 2, n), rng.integers(0, 3, n)),
        rng.random(2 * n),
    )
    y[:2], y[-1] = (0, 1), 2
    judgments = Judgments(y, qid=np.repeat([0, 1], n))
    empty, other = AP(rel=2, empty=1.0), measure("R@3")
    found, alone, of_both = (
        np.array(LambdaMART(each, 1.0, 30, False).derivatives(judgments, score))
        for each in (Blend({empty: 1.0, other: 0.5}), other, empty)
    )
    np.testing.assert_allclose(found[:, :n], alone[:, :n] / 2, rtol=1e-12)
    assert np.all(of_both[:, :n] == 0)
    assert not np.allclose(found[:, n:], alone[:, n:] / 2)


@given(name=st.sampled_from(TRAINABLE), data=st.data())
def test_tied_documents_of_one_grade_share_the_derivatives_of_some_order(name, data):
    y_true, y_score, max_grade = data.draw(one_query(moderate_scores, max_documents=5))
    cost = data.draw(costs(name, max_grade, len(y_true)))
    found = derivatives(cost, y_true, y_score)
    orders = [
        order
        for order in itertools.permutations(range(len(y_true)))
        if all(y_score[i] >= y_score[j] for i, j in itertools.pairwise(order))
    ]
    shared = (
        lambdas.share_among_equals(
            y_true, y_score, literal(cost, y_true, y_score, order)
        )
        for order in orders
    )
    assert any(np.allclose(found, each, rtol=1e-9, atol=1e-12) for each in shared)


@pytest.mark.parametrize(
    ("ties", "sign"), [("pessimistic", 1), ("optimistic", -1), ("row_order", 0)]
)
@pytest.mark.parametrize("kind", [one_query, fractional_query])
@FEW
@given(data=st.data())
def test_worst_or_best_grade_or_the_first_row_first_in_a_tie(kind, ties, sign, data):
    y_true, y_score, max_grade = data.draw(kind(moderate_scores))
    g = tuple(np.ones(max_grade) / max_grade)
    blend = Blend({eGAP(g=g, ties=ties): 0.5, nDCG(k=3, ties=ties): 2.0})
    for chosen in (xGAP(g=g, ties=ties), blend):
        cost = LambdaMART(chosen, 1.0, 4, True)
        expected = literal(cost, y_true, y_score, np.lexsort((sign * y_true, -y_score)))
        if sign:
            expected = lambdas.share_among_equals(y_true, y_score, expected)
        found = derivatives(cost, y_true, y_score)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.ConstantValueWarning")
@given(
    rows=strategies.long_data(unjudged=False),
    name=st.sampled_from(list(filter(has_mean_over_ties, TRAINABLE))),
    data=st.data(),
)
def test_order_of_the_rows_does_not_matter_by_default(rows, name, data):
    cost = data.draw(costs(name, top_of(rows.y_true), 40))
    scores = np.round(np.tanh(rows.y_score), 1)
    first = np.array(cost.derivatives(Judgments(rows.y_true, qid=rows.qid), scores))
    shuffle = np.array(data.draw(st.permutations(range(len(scores)))))
    judgments = Judgments(rows.y_true[shuffle], qid=rows.qid[shuffle])
    second = np.array(cost.derivatives(judgments, scores[shuffle]))
    assert np.array_equal(first[:, shuffle], second)


def test_normalizer_without_a_cutoff_counts_down_to_the_truncation_level():
    y_true, y_score = [2, 0, 1, 1, 2], [1.0, 5.0, 4.0, 3.0, 2.0]
    chosen = nDCG(gain="exp2")
    found = derivatives(LambdaMART(chosen, 1.0, 2, False), y_true, y_score)
    by_whole_list = derivatives(LambdaMART(chosen, 1.0, None, False), y_true, y_score)
    plain = measure("DCG(gain=exp2)")
    whole, two = (plain(y_true, y_true), measure("DCG(gain=exp2)@2")(y_true, y_true))
    first_ranks = derivatives(LambdaMART(plain, 1.0, 2, False), y_true, y_score)
    np.testing.assert_allclose(found, first_ranks / two, rtol=1e-12)
    all_pairs = derivatives(LambdaMART(plain, 1.0, None, False), y_true, y_score)
    np.testing.assert_allclose(by_whole_list, all_pairs / whole, rtol=1e-12)


# --- LightGBM's lambdarank ------------------------------------------------------------------------


def real_rows(data_dir):
    folder = data_dir / "lightgbm-lambdarank"
    X, y = load_svmlight_file(str(folder / "rank.train"))
    return X.toarray(), y, {"group": np.loadtxt(folder / "rank.train.query", dtype=int)}


def made_up_rows(_):
    X, y, qid = make_ranking(n_queries=200, random_state=0)
    untied = 1e-3 * np.random.default_rng(0).standard_normal(len(y))
    return X, y, {"group": np.bincount(qid), "init_score": untied}


def weighted_rows(_):
    X, y, given = made_up_rows(_)
    return X, y, {**given, "weight": np.random.default_rng(1).uniform(0.5, 2.0, len(y))}


def trees(rows, chosen, n_rounds, **params):
    pytest.importorskip("pandas", reason="LightGBM shows trees in a data frame")
    X, y, given = rows
    params = {**QUIET, "deterministic": True, "force_row_wise": True, **params}
    data = lgb.Dataset(X, y, params=params, **given)
    return lgb.train(
        {**params, "objective": chosen}, data, n_rounds
    ).trees_to_dataframe()


@pytest.mark.parametrize(
    ("load", "norm", "n_rounds"),
    [
        (real_rows, True, 10),
        (real_rows, False, 10),
        (made_up_rows, True, 10),
        (weighted_rows, False, 10),
    ],
)
def test_ndcg_gives_the_trees_of_lambdarank(data_dir, load, norm, n_rounds):
    rows = load(data_dir)
    params = {"lambdarank_norm": norm, "lambdarank_truncation_level": 30}
    theirs = trees(rows, "lambdarank", n_rounds, **params)
    ours = objective(
        nDCG(gain="exp2", ties="row_order"), truncation_level=30, norm=norm
    )
    found = trees(rows, ours, n_rounds, **params)
    for column in ("tree_index", "split_feature", "threshold", "count"):
        assert found[column].equals(theirs[column])
    # LightGBM sums a document's pairs in single precision, ours are rounded once.
    np.testing.assert_allclose(found["value"], theirs["value"], rtol=0, atol=1e-5)


# --- the callable ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    return make_ranking(n_queries=60, docs_per_query=(5, 40), random_state=0)


@pytest.mark.parametrize("truncation_level", [30, None])
def test_a_long_query_of_distinct_grades_is_that_of_the_literal_loop(truncation_level):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.uniform(0, 3, 40), rng.standard_normal(40)
    for chosen in (nDCG(k=20), xGAP(max_grade=3), QMeasure(k=25), RprefN(max_grade=3)):
        cost = LambdaMART(chosen, 1.0, truncation_level, True)
        expected = literal(cost, y_true, y_score)
        found = derivatives(cost, y_true, y_score)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


def test_whole_and_fractional_queries_have_the_derivatives_that_they_have_alone():
    rng = np.random.default_rng(1)
    qid = rng.permutation(np.repeat(np.arange(30), 20))
    y_true = rng.integers(0, 4, len(qid)) + 0.5 * (qid % 2)
    y_score = rng.integers(0, 12, len(qid)).astype(float)
    for name in ("xGAP(max_grade=4)", "QMeasure", "AP(rel=1.5)"):
        cost = LambdaMART(measure(name), 1.0, 30, True)
        averaged = dataclasses.replace(cost, noise=noise_or_none("gumbel", 1.0, 3, 0))
        judgments = Judgments(y_true, qid=qid)
        together = np.array(cost.derivatives(judgments, y_score))
        noisy = np.array(averaged.derivatives(judgments, y_score))
        for q in range(30):
            own = qid == q
            alone = Judgments(y_true[own])
            found = cost.derivatives(alone, y_score[own])
            np.testing.assert_array_equal(together[:, own], found)
            found = averaged.derivatives(alone, y_score[own])
            np.testing.assert_array_equal(noisy[:, own], found)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(FACTS) - set(TRAINABLE)))
def test_a_measure_outside_the_form_is_named_with_some_that_work(name):
    chosen = catalogue()[name]().resolve(4)
    with pytest.raises(ValueError, match=rf"prefix form.*got {name}.*nDCG, xGAP, eGAP"):
        objective(chosen)


@pytest.mark.skipif(not hasattr(lgb.Dataset, "get_position"), reason="LightGBM < 4.1")
def test_positions_are_refused_and_those_of_lambdarank_are_not(rows):
    X, y, qid = rows
    sizes = np.unique(qid, return_counts=True)[1]
    position = np.concatenate([np.arange(each) for each in sizes])
    params = {"num_leaves": 7, "verbose": -1, "num_threads": 1}
    shown = lgb.Dataset(X, y, group=sizes, position=position)
    with pytest.raises(
        ValueError, match=r"^position must be left out of lightgbm\.Datas"
    ):
        lgb.train({**params, "objective": objective("nDCG")}, shown, 2)
    shown = lgb.Dataset(X, y, group=sizes, position=position)
    assert lgb.train({**params, "objective": "lambdarank"}, shown, 2).num_trees() == 2


@pytest.mark.parametrize("name", TRAINABLE)
def test_price_of_a_swap_where_the_pool_exceeds_the_lists(name):
    rng = np.random.default_rng(0)
    chosen = catalogue()[name]().resolve(3)
    lists = [rng.permutation(4)[:2].tolist() for _ in range(12)]
    pools = [[*each, *rng.integers(0, 4, rng.integers(0, 4))] for each in lists]
    rankings = rankings_of_pools(list(zip(lists, pools, strict=True)))
    swapped = rankings_of_pools(
        [(each[::-1], pool) for each, pool in zip(lists, pools, strict=True)]
    )
    price = np.abs(
        chosen.per_query(rankings).values - chosen.per_query(swapped).values
    ).ravel()
    cost = LambdaMART(chosen, sigmoid=1.0, truncation_level=None, norm=False)
    gradient, _ = cost.derivatives(rankings.judgments, rankings.scores)
    wrong = np.array([one < other for one, other in lists])
    expected = price / (1 + np.exp(np.where(wrong, -1.0, 1.0)))
    # The sigmoid is a table.
    np.testing.assert_allclose(np.abs(gradient[::2]), expected, rtol=1e-4, atol=1e-6)
