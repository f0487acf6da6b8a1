"""Ties: the order of rows decides nothing, not even the last bit."""

import itertools
import time

import numpy as np
import pytest
from facts import EACH, FACTS, RANKED, has_mean_over_ties
from hypothesis import given, strategies as st
from scipy.stats import hypergeom

from skgraded import ERR, catalogue, evaluate
from skgraded.datasets import make_ranking
from skgraded.measures import ADM, BinG, Judged, RankBiasedNCU, infAP

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

RULES = ("expected", "pessimistic", "optimistic")


@EACH
def test_the_order_of_rows_changes_no_bit(name):
    rng = np.random.default_rng(0)
    plain = catalogue()[name]().resolve(4)
    rules = RULES if plain.ties == "expected" else RULES[1:]
    for _ in range(20):
        n = rng.integers(2, 60)
        labels = rng.choice([np.nan, 0, 0, 1, 2, 3, 4], n)
        labels[0] = 1  # a threshold must not exceed all grades
        scores, rows = rng.integers(0, 3, n), rng.permutation(n)
        for rule in rules:
            chosen = plain.replace(ties=rule)
            if "k" not in FACTS[name].refuses:
                chosen = chosen.replace(k=rng.choice([None, 1, 7, 30]))
            value = chosen(labels, scores)
            assert chosen(labels[rows], scores[rows]) == value, chosen


@pytest.mark.parametrize("gain", ["linear", (0.1, 0.7, 1.9)])
@pytest.mark.parametrize(
    "name", ["GeneralizedP", "INSQ", "RBP", "SDCG", "RNDCG", "EBR", "ERR"]
)
def test_sums_over_ties_are_added_in_one_order(name, gain):
    rng = np.random.default_rng(0)
    chosen = catalogue()[name](gain=gain)
    if chosen.is_open:
        chosen = chosen.resolve(3)
    labels = (
        rng.choice([0.1, 0.3, 0.7, 2.9], 99)
        if gain == "linear"
        else rng.integers(0, 4, 99)
    )
    values = {chosen(labels[rng.permutation(99)], np.zeros(99)) for _ in range(50)}
    assert len(values) == 1


@pytest.mark.parametrize("name", list(filter(has_mean_over_ties, RANKED)))
def test_one_tie_of_seven_documents_is_the_mean_over_its_5040_orders(name):
    rng = np.random.default_rng(1)
    orders = np.array(list(itertools.permutations(range(7))))
    qid, falling = (
        np.repeat(np.arange(len(orders)), 7),
        np.tile(np.arange(7.0)[::-1], len(orders)),
    )
    for k in (None, 1, 3, 6):
        labels = rng.choice([np.nan, 0, 0, 1, 1, 2, 3], 7)
        labels[0] = 2
        chosen = catalogue()[name]().resolve(3)
        if "k" not in FACTS[name].refuses:
            chosen = chosen.replace(k=k)
        in_order = chosen.replace(ties="row_order")
        values = in_order.per_query(labels[orders].ravel(), falling, qid=qid).values
        assert chosen(labels, np.zeros(7)) == pytest.approx(values.mean(), abs=1e-12)


def test_a_model_that_has_learned_nothing_is_not_first_where_rows_stand_best_first():
    _, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    best_first = np.lexsort((-y, qid))
    y, qid = y[best_first], qid[best_first]
    measures = {}
    for name in sorted(set(RANKED) - {"Judged"}):  # which rates no grades
        # With the whole list, measures of sets of documents are equal for all models.
        k = {} if "k" in FACTS[name].refuses else {"k": 5}
        measures[name] = catalogue()[name](**k).resolve(4)
    noisy = y + np.random.default_rng(0).normal(size=len(y))
    noisy, nothing = (
        evaluate(measures, y, each, qid=qid).mean() for each in (noisy, 0 * y)
    )
    for name, each in measures.items():
        one, other = (noisy, nothing) if each.greater_is_better else (nothing, noisy)
        assert one[name] > other[name], name


def test_distances_are_added_in_one_order():
    rng = np.random.default_rng(0)
    labels, scores, qid = (
        rng.integers(0, 4, 99),
        rng.random(99).round(1),
        rng.integers(0, 2, 99),
    )
    values = set()
    for _ in range(50):
        rows = rng.permutation(99)
        each = ADM(max_grade=3).per_query(labels[rows], scores[rows], qid=qid[rows])
        values.add(tuple(each.values[np.argsort(each.qid)]))
    assert len(values) == 1


LONG = 200


def drawn(n_marked, j):
    """Probabilities that 0, 1, ... of the marked documents among LONG - 1 others are in the j."""
    return hypergeom(LONG - 1, n_marked, j).pmf(np.arange(LONG))


@pytest.mark.parametrize("k", [None, 50, 190])
@pytest.mark.parametrize("n_relevant", [1, 20, 199])
def test_long_ties_against_the_hypergeometric_distribution(n_relevant, k):
    labels = (np.arange(LONG) < n_relevant).astype(float)
    labels[::3] = np.where(labels[::3] > 0, 1.0, np.nan)
    n_sampled, counts = np.sum(~np.isnan(labels)), np.arange(LONG)
    expected = np.zeros(3)
    for j in range(k or LONG):
        above, sampled = drawn(n_relevant - 1, j), drawn(n_sampled - 1, j)
        relevant = counts * (n_relevant - 1) / max(n_sampled - 1, 1)
        precision = (relevant + 1e-5) / (counts + 2e-5)
        expected += [
            drawn(LONG - n_relevant, j) @ (1 / np.log2(counts + 2.0)),
            above
            @ (0.9**counts * (counts + 1))
            / (j + 1)
            * (1 - 0.9)
            / (1 - 0.9**n_relevant),
            (1 + (sampled * counts) @ precision) / (j + 1),
        ]
    expected *= [1 / LONG, n_relevant / LONG, 1 / LONG]
    chosen = [BinG(k=k), RankBiasedNCU(k=k, p=0.9, beta=0), infAP(k=k)]
    values = [each(labels, np.zeros(LONG)) for each in chosen]
    np.testing.assert_allclose(values, expected, rtol=1e-11)


@pytest.mark.parametrize("rows", [[0, np.nan], [np.nan, 0]])
def test_an_unjudged_document_is_worse_than_one_judged_not_relevant(rows):
    assert Judged(k=1, ties="optimistic")(rows, [1, 1]) == 1
    assert Judged(k=1, ties="pessimistic")(rows, [1, 1]) == 0
    assert Judged(k=1)(rows, [1, 1]) == 0.5


# ERR, in linear time


def mean_over_orders(stop: np.ndarray, k: int | None) -> float:
    """ERR of one tied block by the recursion over its documents, in quadratic time."""
    passed = np.zeros(len(stop) + 1)
    passed[0] = 1.0
    for n, s in enumerate(stop, start=1):
        drawn = np.arange(1, n + 1) / n
        passed[1 : n + 1] = (1 - drawn) * passed[1 : n + 1] + drawn * (1 - s) * passed[
            :n
        ]
    stopped = -np.diff(passed) / np.arange(1, len(stop) + 1)
    return float(stopped[:k].sum())


@given(
    grades=st.lists(st.integers(0, 4), min_size=2, max_size=300).filter(any),
    max_grade=st.integers(4, 30),
    k=st.none() | st.integers(1, 350),
)
def test_a_tied_list_is_the_mean_over_its_orders(
    grades: list[int], max_grade: int, k: int | None
) -> None:
    labels = np.array(grades)
    expected = mean_over_orders((2.0**labels - 1) / 2.0**max_grade, k)
    value = ERR(max_grade=max_grade, k=k)(labels, np.zeros(len(grades)))
    np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)


@given(grade=st.integers(1, 4), n=st.integers(1, 100))
def test_ties_of_one_grade_have_the_bits_of_documents_that_do_not_tie(
    grade: int, n: int
) -> None:
    labels = np.full(n, grade)
    assert ERR(max_grade=4)(labels, np.zeros(n)) == ERR(max_grade=4)(
        labels, np.arange(n)
    )


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning")
@pytest.mark.parametrize("max_grade", [4, 10, 30])
def test_time_grows_with_the_length_of_a_tie(max_grade: int) -> None:
    def seconds(n: int) -> float:
        labels, scores = np.random.default_rng(0).integers(0, 5, n), np.zeros(n)
        err, best = ERR(max_grade=max_grade), np.inf
        for _ in range(3):
            start = time.process_time()
            err(labels, scores)
            best = min(best, time.process_time() - start)
        return best

    # Sixteen times the documents take some sixteen times as long, where the square would take 256.
    assert seconds(80_000) < 80 * seconds(5_000)
