"""The oracles against facts that the papers and other software state about the measures."""

import json
import math
from fractions import Fraction

import hypothesis.strategies as st
import pytest
import reference
import strategies
from hypothesis import given
from reference import average_precision, dcg, egap, gap, ndcg, precision, rbp, recall, xgap

GRADED = {"GAP": gap, "xGAP": xgap, "eGAP": egap}

UNIFORM = (Fraction(1, 3),) * 3
LINEAR = (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2))

# A topic with three documents of grade 3, three of 2, four of 1 and one judged non-relevant
# (the sample of NTCIREVAL), and two lists with unjudged documents in them.
POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
LIST_A = [0, 3, None, 2]
LIST_B = [1, 3, None, 2, None, 1]


# --- selection probabilities of Ferrante, Ferro and Maistro, sections 3 and 4 -------------------

TEN_AND_ONE = [1] * 10 + [2]


@pytest.mark.parametrize(
    ("g", "of_grade_1", "of_grade_2"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), Fraction(1, 12), Fraction(1, 6)),
        ((Fraction(1, 10), Fraction(9, 10)), Fraction(1, 20), Fraction(1, 2)),
    ],
)
def test_gap_selects_a_document_with_the_probability_of_the_paper(g, of_grade_1, of_grade_2):
    assert reference.gap_selection_probability(1, TEN_AND_ONE, g) == of_grade_1
    assert reference.gap_selection_probability(2, TEN_AND_ONE, g) == of_grade_2


@pytest.mark.parametrize(
    ("g", "of_grade_1", "of_grade_2"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), Fraction(1, 22), Fraction(12, 22)),
        ((Fraction(1, 10), Fraction(9, 10)), Fraction(1, 110), Fraction(100, 110)),
    ],
)
def test_a_user_drawn_first_selects_with_the_probability_of_the_paper(g, of_grade_1, of_grade_2):
    assert reference.user_selection_probability(1, TEN_AND_ONE, g) == of_grade_1
    assert reference.user_selection_probability(2, TEN_AND_ONE, g) == of_grade_2


@given(strategies.ranked_and_pool(unjudged=False), st.data())
def test_selection_probabilities_of_the_pool_sum_to_one(lists, data):
    _, pool, max_grade = lists
    pool = [*pool, max_grade]
    g = data.draw(strategies.exact_g(max_grade))
    for probability in (reference.gap_selection_probability, reference.user_selection_probability):
        assert sum(probability(grade, pool, g) for grade in pool) == 1


# --- limits: n documents of grade 1, then the only one of grade 2 ------------------------------


@pytest.mark.parametrize("g_2", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize(
    ("measure", "limit"),
    [
        (gap, lambda g_2: 1),
        (xgap, lambda g_2: 1 - g_2**2),
        (egap, lambda g_2: 1 - g_2),
    ],
)
def test_limit_of_a_long_list_with_its_best_document_last(measure, limit, g_2):
    def distance(n):
        return abs(measure([1] * n + [2], g=(1 - g_2, g_2)) - limit(g_2))

    assert distance(160) < Fraction(1, 16)
    # The distance shrinks like 1/n.
    assert distance(160) < Fraction(6, 10) * distance(80)


# --- AP at a threshold, ideal rankings ---------------------------------------------------------


@given(strategies.ranked_and_pool(), st.data())
def test_users_of_one_threshold_see_ap_at_that_threshold(lists, data):
    ranked, pool, max_grade = lists
    g = data.draw(strategies.one_hot_g(max_grade))
    parameters = {
        "k": data.draw(strategies.cutoffs()),
        "normalize": data.draw(st.booleans()),
        "condense": data.draw(st.booleans()),
    }
    expected = average_precision(ranked, pool, rel=g.index(1) + 1, **parameters)
    for measure in GRADED.values():
        assert measure(ranked, pool, g=g, **parameters) == expected


@given(strategies.ranked_and_pool(), st.data())
def test_values_of_an_ideal_ranking(lists, data):
    _, pool, max_grade = lists
    pool = [*pool, 1]
    g = data.draw(strategies.exact_g(max_grade))
    # tau: the highest threshold with a relevant document. Its mass bounds xGAP and eGAP.
    reached = sum(g[: max(pool)])
    best = reference.ideal(pool)
    assert gap(best, pool, g=g) == (1 if reached else 0)
    assert xgap(best, pool, g=g) == reached
    assert egap(best, pool, g=g) == reached


@given(strategies.ranked_and_pool(), st.data())
def test_no_ranking_beats_the_ideal_one(lists, data):
    ranked, pool, max_grade = lists
    k = data.draw(strategies.cutoffs())
    g = data.draw(strategies.exact_g(max_grade))
    for measure in GRADED.values():
        assert 0 <= measure(ranked, pool, g=g, k=k, normalize=True) <= 1


@given(strategies.ranked_and_pool(unjudged=False), st.data())
def test_egap_is_the_second_form_of_its_equation(lists, data):
    # Eq. 6: sum_n 1/n sum_{t<=tau} g_t / RB(t) sum_{m<=n} delta_{m,n}(t).
    ranked, pool, max_grade = lists
    g = data.draw(strategies.exact_g(max_grade))
    value = Fraction(0)
    for n in range(1, len(ranked) + 1):
        for t in range(1, max(pool) + 1):
            hits = sum(ranked[m - 1] >= t and ranked[n - 1] >= t for m in range(1, n + 1))
            value += Fraction(hits, n) * g[t - 1] / sum(grade >= t for grade in pool)
    assert egap(ranked, pool, g=g) == value


@given(strategies.ranked_and_pool(unjudged=False))
def test_ap_is_mean_precision_at_the_relevant_documents(lists):
    ranked, pool, _ = lists
    at_relevant = [
        precision(ranked, pool, k=n) for n, grade in enumerate(ranked, start=1) if grade >= 1
    ]
    n_relevant = sum(grade >= 1 for grade in pool)
    expected = sum(at_relevant) / n_relevant if n_relevant else 0
    assert average_precision(ranked, pool) == expected


def test_ap_of_the_ideal_ranking_at_a_cutoff_is_min_of_cutoff_and_recall_base_over_it():
    assert average_precision([1] * 3, [1] * 5, k=2) == Fraction(2, 5)
    assert average_precision([1] * 3, [1] * 5, k=2, normalize=True) == 1
    assert average_precision([0, 1, 1], [1, 1, 0], k=2, normalize=True) == Fraction(1, 4)


# --- exact values ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranked", "g", "values"),
    [
        (LIST_A, UNIFORM, (Fraction(5, 38), Fraction(13, 90), Fraction(13, 90))),
        (LIST_A, LINEAR, (Fraction(9, 62), Fraction(7, 45), Fraction(7, 45))),
        (LIST_A, (1, 0, 0), (Fraction(1, 10),) * 3),
        (LIST_B, UNIFORM, (Fraction(59, 228), Fraction(11, 45), Fraction(9, 40))),
        (LIST_B, LINEAR, (Fraction(83, 372), Fraction(113, 540), Fraction(47, 240))),
    ],
)
def test_graded_measures_of_the_two_lists(ranked, g, values):
    assert tuple(measure(ranked, POOL, g=g) for measure in GRADED.values()) == values


@pytest.mark.parametrize(
    ("ranked", "condense", "ap", "gap_linear"),
    [
        (LIST_A, False, 0.1000, 0.1452),
        (LIST_A, True, 0.1167, 0.1613),
        (LIST_B, False, 0.3417, 0.2231),
        (LIST_B, True, 0.4000, 0.2527),
    ],
)
def test_ap_and_gap_as_ntcireval_prints_them(ranked, condense, ap, gap_linear):
    assert round(float(average_precision(ranked, POOL, condense=condense)), 4) == ap
    assert round(float(gap(ranked, POOL, g=LINEAR, condense=condense)), 4) == gap_linear


@pytest.mark.parametrize(
    ("ranked", "condense", "jk", "microsoft"),
    [
        (LIST_A, False, 0.3380, 0.2760),
        (LIST_A, True, 0.3601, 0.2899),
        (LIST_B, False, 0.4552, 0.4119),
        (LIST_B, True, 0.4869, 0.4332),
    ],
)
def test_ndcg_as_ntcireval_prints_it(ranked, condense, jk, microsoft):
    assert round(ndcg(ranked, POOL, discount="jk", condense=condense), 4) == jk
    assert round(ndcg(ranked, POOL, condense=condense), 4) == microsoft


def test_values_trec_eval_prints():
    # qrels a=2, b=0, c=1 (d pooled but not judged); the run ranks x, a, b, d, c.
    ranked, pool = [None, 2, 0, None, 1], [2, 0, 1]
    assert average_precision(ranked, pool) == Fraction(45, 100)
    assert average_precision(ranked, pool, k=2) == Fraction(25, 100)
    assert round(ndcg(ranked, pool), 4) == 0.6267
    assert round(ndcg(ranked, pool, k=3), 4) == 0.4796
    assert round(float(average_precision(ranked, pool, condense=True)), 4) == 0.8333
    assert round(ndcg(ranked, pool, condense=True), 4) == 0.9502


# Unit tests of Infer.NET, there under the name of another measure.
@pytest.mark.parametrize(
    ("ranked", "value"),
    [([3, 1, 2, 2], Fraction(89, 96)), ([5, 1], 1), ([3, 4], Fraction(13, 14))],
)
def test_gap_of_short_lists_with_uniform_thresholds(ranked, value):
    c = max(ranked)
    assert gap(ranked, g=(Fraction(1, c),) * c) == value


def test_published_unit_values(data_dir):
    path = data_dir / "reference-values" / "published_unit_values.json"
    published = json.loads(path.read_text())
    entries = [entry for entry in published if entry["measure"].startswith("GAP")]
    assert len(entries) == 3
    for entry in entries:
        pool = entry["all_judged_grades"]
        g = (Fraction(1, max(pool)),) * max(pool)
        assert float(gap(entry["ranked_grades"], pool, g=g)) == pytest.approx(entry["numeric"])


# --- cumulated gain, precision, recall, RBP ----------------------------------------------------

EIGHT = [1, 0, 1, 0, 1, 1, 0, 1]
TEN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]


def test_precision_and_ap_of_eight_documents():
    exact = [Fraction(n_hits, n) for n, n_hits in enumerate([1, 1, 2, 2, 3, 4, 4, 5], start=1)]
    assert [precision(EIGHT, k=n) for n in range(1, 9)] == exact
    assert precision(EIGHT) == Fraction(5, 8)
    assert round(float(average_precision(EIGHT)), 3) == 0.712


def test_cumulated_gain_of_ten_documents():
    # 10.89 is a sum of rounded terms; the exact sum is 10.884.
    best = reference.ideal(TEN)
    assert best == [3, 3, 3, 2, 2, 2, 1, 0, 0, 0]
    assert sum(TEN) == 16
    assert dcg(TEN, discount="jk") == pytest.approx(9.61, abs=0.005)
    assert dcg(best, TEN, discount="jk") == pytest.approx(10.89, abs=0.006)
    assert round(ndcg(TEN, discount="jk"), 2) == 0.88


def test_dcg_by_hand():
    log2 = math.log2
    assert dcg([2, 0, 1]) == pytest.approx(2 + 1 / 2)
    assert dcg([2, 0, 1], gain="exp2") == pytest.approx(3 + 1 / 2)
    assert dcg([0, 2, 1], gain=(0.5, 4)) == pytest.approx(4 / log2(3) + 0.25)
    assert dcg([1, 1, 1, 1], discount="jk") == pytest.approx(2 + 1 / log2(3) + 1 / 2)
    assert dcg([1, 1, 1, 1], discount="jk", log_base=3) == pytest.approx(3 + math.log(3, 4))
    assert dcg([1, 1, 1, 1], discount="jk", k=2) == 2
    assert ndcg([0, 1], [1, 0], k=1) == 0
    assert ndcg([1, 2], gain=(0, 1)) == pytest.approx(1 / log2(3))
    assert dcg([0.5, 1.5]) == pytest.approx(0.5 + 1.5 / log2(3))


def test_precision_and_recall_by_hand():
    ranked, pool = [2, None, 1, 0], [2, 1, 1, 0]
    assert precision(ranked, pool) == Fraction(2, 4)
    assert precision(ranked, pool, condense=True) == Fraction(2, 3)
    assert precision(ranked, pool, k=10) == Fraction(2, 10)
    assert precision(ranked, pool, k=10, normalize=True) == Fraction(2, 3)
    assert precision(ranked, pool, rel=2) == Fraction(1, 4)
    assert precision(ranked, pool, rel=2, k=2, normalize=True) == 1
    assert precision([None], pool, condense=True) == 0
    assert recall(ranked, pool) == Fraction(2, 3)
    assert recall(ranked, pool, k=2) == Fraction(1, 3)
    assert recall(ranked, pool, k=2, normalize=True) == Fraction(1, 2)
    assert recall(ranked, pool, rel=2) == 1


def test_rbp_by_hand():
    half = Fraction(1, 2)
    assert rbp([1, 0, 2], p=half) == half + half**3
    assert rbp([1, 0, 2], p=half, rel=2) == half**3
    assert rbp([1, 0, 2], p=half, k=2) == half
    assert rbp([1, 0, 2], p=half, normalize=True) == (half + half**3) / (half + half**2)


# --- the frame: empty queries, ties, many queries ----------------------------------------------


@pytest.mark.parametrize("name", sorted(reference.REFERENCE))
def test_a_query_with_nothing_relevant_takes_the_value_of_empty(name):
    measure = reference.REFERENCE[name]
    parameters = {"g": (0.5, 0.5)} if name in GRADED else {}
    assert measure([0, None, 0], **parameters) == 0
    assert measure([0, None, 0], **parameters, empty=1.0, normalize=True) == 1.0
    assert math.isnan(measure([0, None, 0], **parameters, empty=math.nan, condense=True))
    assert measure([0, 0], [0, 0, 1], **parameters, empty=1.0) == 0


@pytest.mark.parametrize("name", sorted(GRADED))
def test_a_query_that_no_user_finds_relevant_takes_the_value_of_empty(name):
    assert GRADED[name]([1, 0, 1], g=(0, 1), empty=1.0) == 1.0
    assert GRADED[name]([1, 0, 1], [1, 1, 2], g=(0, 1), empty=1.0) == 0


def test_orders_of_tied_documents():
    grades, scores = [0, 2, None, 1], [0.0, 1.0, -0.0, 0.0]
    assert reference.row_order(grades, scores) == [2, 0, None, 1]
    assert reference.pessimistic(grades, scores) == [2, 0, None, 1]
    assert reference.optimistic(grades, scores) == [2, 1, 0, None]
    orders = reference.all_orders(grades, scores)
    assert len(orders) == 6
    assert len({tuple(order) for order in orders}) == 6
    assert {order[0] for order in orders} == {2}


def test_expected_value_of_two_tied_documents():
    # AP is 1 in one order and 1/2 in the other.
    assert reference.expected_under_ties(average_precision, [1, 0], [5, 5]) == Fraction(3, 4)
    assert reference.under_ties(average_precision, [1, 0], [5, 5], "row_order") == 1
    assert reference.under_ties(average_precision, [1, 0], [5, 5], "pessimistic") == Fraction(1, 2)
    assert reference.under_ties(average_precision, [0, 1], [5, 5], "optimistic") == 1
    assert reference.expected_under_ties(average_precision, [1, 0], [5, 6]) == Fraction(1, 2)


@given(strategies.small_data(), st.data())
def test_expected_value_lies_between_pessimistic_and_optimistic(rows, data):
    parameters = {
        "g": data.draw(strategies.exact_g(rows.max_grade)),
        "k": data.draw(strategies.cutoffs()),
        "condense": data.draw(st.booleans()),
    }
    for measure in (gap, egap):
        worst, mean, best = (
            reference.per_query(measure, *rows[:3], ties=ties, **parameters)
            for ties in ("pessimistic", "expected", "optimistic")
        )
        assert list(worst) == list(mean) == list(best)
        for query in mean:
            assert worst[query] <= mean[query] <= best[query]


def test_xgap_may_fall_where_the_better_of_two_documents_moves_up():
    # Far down the list the document of grade 2 draws most of its precision from the one of grade 1
    # above it: the order that is worst by grades is not the one with the least xGAP.
    half = Fraction(1, 2)
    assert xgap([0] * 3 + [1, 2], g=(half, half)) == xgap([0] * 3 + [2, 1], g=(half, half))
    assert xgap([0] * 4 + [1, 2], g=(half, half)) == Fraction(19, 80)
    assert xgap([0] * 4 + [2, 1], g=(half, half)) == Fraction(7, 30)


def test_values_and_mean_over_queries():
    y_true = [1.0, 0.0, math.nan, 1.0, 0.0]
    y_score = [0.0, 1.0, 0.5, 1.0, 0.0]
    qid = ["b", "a", "b", "a", "c"]
    values = reference.per_query(
        average_precision, y_true, y_score, qid, ties="row_order", empty=math.nan
    )
    assert list(values) == ["b", "a", "c"]
    assert values["b"] == values["a"] == Fraction(1, 2)
    assert math.isnan(values["c"])
    assert reference.mean_over_queries(values) == Fraction(1, 2)
    unequal = {"b": 1.0, "a": 0.0, "c": math.nan}
    assert reference.mean_over_queries(unequal, qid, [3.0, 1.0, 1.0, 2.0, 9.0]) == 2 / 3.5
    # Two rows of weight 1 and 2, one row of weight 6: queries of weight 1.5 and 6.
    sizes = {"p": 1.0, "q": 0.0}
    assert reference.mean_over_queries(sizes, ["p", "q", "p"], [1.0, 6.0, 2.0]) == 1.5 / 7.5
    assert list(reference.per_query(average_precision, y_true, y_score)) == [0]


# --- the strategies reach what they promise ----------------------------------------------------


@given(strategies.small_data())
def test_small_data_is_cheap_to_enumerate(rows):
    for numbers in reference.rows_by_query(rows.qid).values():
        assert len(reference.all_orders(rows.y_true[numbers], rows.y_score[numbers])) <= 48


@given(st.integers(1, 6).flatmap(strategies.exact_g))
def test_threshold_distributions_sum_to_one(g):
    assert sum(g) == 1
    assert min(g) >= 0
