"""Gains of changed documents: equal to Kishida's closed forms, and to scoring the changed list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skgraded import AP, Rankings, evaluate
from skgraded.rankings import as_rankings
from skgraded.studies import change_by_discovery, sensitivity

grades = st.lists(st.integers(0, 3), min_size=2, max_size=12).filter(any)
binary = st.lists(st.integers(0, 1), min_size=2, max_size=12).filter(any)


def gains(name, x, **options):
    """Gains at every rank of one list, without its own documents elsewhere."""
    scores = -np.arange(len(x), dtype=float)
    return sensitivity(name, x, scores, **options).gains[0, :, 0]


def ideal(x):
    return np.sort(np.asarray(x, float))[::-1]


@pytest.mark.parametrize(
    ("n_relevant", "row"),
    [
        (10, ("0.00081", "-0.01737", "-0.03555")),
        (50, ("0.00794", "0.00402", "0.00010")),
        (100, ("0.00891", "0.00693", "0.00495")),
    ],
)
def test_table_1_to_every_digit(n_relevant, row):
    found = change_by_discovery([0.1, 0.3, 0.5], n_relevant, 101)
    assert tuple(f"{value:.5f}" for value in found) == row


@given(binary)
def test_equations_10_and_16_average_precision(x):
    changed, discovered = gains("AP", x), gains("AP", x, pool="grows")
    n_relevant, v = sum(x), AP()(x, -np.arange(len(x)))
    for j in range(1, len(x) + 1):
        if x[j - 1]:
            assert np.isnan(changed[j - 1])
            continue
        above = sum(x[:j]) + 1
        below = sum(x[t - 1] / t for t in range(j + 1, len(x) + 1))
        assert changed[j - 1] == pytest.approx((above / j + below) / n_relevant)
        expected = (above / j + below - v) / (n_relevant + 1)
        assert discovered[j - 1] == pytest.approx(expected, abs=1e-12)


@given(grades)
def test_equation_28_modified_sliding_ratio(x):
    found = gains("ModifiedSlidingRatio", x, change="one_grade", max_grade=4)
    rank = np.arange(1, len(x) + 1)
    np.testing.assert_allclose(found, 1 / rank / (ideal(x) / rank).sum(), rtol=1e-10)


@given(grades)
def test_equations_43_and_44_generalized_average_precision(x):
    rank, relevant, y = np.arange(1, len(x) + 1), np.asarray(x) > 0, ideal(x)
    best = ((y > 0) * np.cumsum(y) / rank).sum()
    rising = gains("GeneralizedAP", x, change="one_grade", max_grade=4)
    turning = gains("GeneralizedAP", x, change="relevant", grade=3)
    for j in rank:
        if relevant[j - 1]:
            assert rising[j - 1] == pytest.approx((relevant / rank)[j - 1 :].sum() / best)
            continue
        expected = (sum(x[:j]) + 3) / j + (relevant * 3 / rank)[j:].sum()
        assert turning[j - 1] == pytest.approx(expected / best)


MEASURES = ("xGAP(g=[0.1,0.2,0.7])", "nDCG@3", "Bpref", "ERR(max_grade=3)", "RPrecision", "infAP")


@pytest.mark.parametrize("name", MEASURES)
def test_a_growing_pool_is_that_of_the_changed_labels(name):
    rng = np.random.default_rng(1)
    labels = rng.choice([0.0, 1.0, 2.0, 3.0, np.nan], p=[0.4, 0.2, 0.1, 0.1, 0.2], size=60)
    scores, qid = rng.integers(0, 9, size=60).astype(float) + 0.0, np.repeat([3, 1, 2], 20)
    scores += np.where(qid == 1, rng.random(60), 0.0)  # ties in two queries
    found = sensitivity([name], labels, scores, qid=qid, change="one_grade", pool="grows")
    rankings = as_rankings(labels, scores, qid)
    before = evaluate([name], rankings).values[:, 0]
    for number, query in enumerate([3, 1, 2]):
        rows = np.flatnonzero(qid == query)
        by_rank = rows[np.argsort(-scores[rows], kind="stable")]
        for j, row in enumerate(by_rank):
            changed = labels.copy()
            changed[row] = np.nan_to_num(changed[row]) + 1
            gain = found.gains[number, j, 0]
            if changed[row] > 3:
                assert np.isnan(gain)
                continue
            after = evaluate([name], changed, scores, qid=qid).values[number, 0]
            assert gain == pytest.approx(after - before[number], abs=1e-12)


def test_retrieved_lists_keep_the_pool_of_the_qrels():
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "missed": 2}}
    run = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}}
    found = sensitivity("AP", Rankings.from_trec(qrels, run))
    v = (1 + 2 / 4) / 3
    assert found.values[0, 0] == pytest.approx(v)
    np.testing.assert_allclose(
        found.gains[0, :, 0], [np.nan, (2 / 2 + 1 / 4) / 3, (2 / 3 + 1 / 4) / 3, np.nan]
    )
    grown = sensitivity("AP", Rankings.from_trec(qrels, run), pool="grows")
    assert grown.gains[0, 1, 0] == pytest.approx((1 + 1 + 3 / 4) / 4 - v)


def test_means_leave_out_documents_that_cannot_change():
    labels, scores, qid = [1, 0, 0, 0], [2, 1, 2, 1], [1, 1, 2, 2]
    found = sensitivity("P@1", labels, scores, qid=qid)
    np.testing.assert_array_equal(found.mean()[:, 0], [0.0, 0.0])  # query 2 has nothing relevant
    assert "means over 2 queries" in repr(found)


def test_discovery_checks_its_numbers():
    assert change_by_discovery(0.0, 0, 1) == 1.0 == AP()([1], [1.0])  # the only relevant document
    with pytest.raises(ValueError, match="rank must be >= 1, got 0"):
        change_by_discovery(0.5, 3, 0)
    with pytest.raises(ValueError, match="n_relevant must be >= 0, got -1"):
        change_by_discovery(0.5, -1, 3)
