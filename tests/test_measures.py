"""Every measure against its literal oracle: random rankings, all rules, all cut-offs."""

import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import reference
import strategies
from hypothesis import given
from hypothesis import strategies as st

import skgraded
from skgraded import (
    AP,
    DCG,
    GAP,
    RBP,
    P,
    Rankings,
    catalogue,
    eGAP,
    evaluate,
    measure,
    nDCG,
    xGAP,
)

TOLERANCE = 1e-12

TIES = ("expected", "row_order", "pessimistic", "optimistic")
GRADES = st.integers(1, 6)


def gain_fields(max_grade):
    return st.fixed_dictionaries(
        {"gain": strategies.gains(max_grade)},
        optional={"discount": st.just("jk"), "log_base": st.sampled_from([1.5, 2.0, 3.0, 10.0])},
    ).map(lambda fields: fields if "discount" in fields else {"gain": fields["gain"]})


def threshold_fields(max_grade):
    return st.fixed_dictionaries({"g": strategies.g_vectors(max_grade)})


def rel_fields(max_grade):
    return st.fixed_dictionaries({"rel": st.integers(1, max_grade)})


def rbp_fields(max_grade):
    return st.fixed_dictionaries({"rel": GRADES, "p": st.sampled_from([0.1, 0.5, 0.8, 0.95])})


# What fields each measure has, as far as they are its own; a measure without an entry fails a test.
FIELDS = {
    "AP": rel_fields,
    "GAP": threshold_fields,
    "xGAP": threshold_fields,
    "eGAP": threshold_fields,
    "DCG": gain_fields,
    "nDCG": gain_fields,
    "P": rel_fields,
    "R": rel_fields,
    "RBP": rbp_fields,
}


@st.composite
def cases(draw, data):
    """Draw rows, a measure and the oracle's arguments that mean the same."""
    rows = draw(data)
    name = draw(st.sampled_from(sorted(FIELDS)))
    fields = draw(FIELDS[name](rows.max_grade))
    fields["k"] = draw(strategies.cutoffs())
    condense = draw(st.booleans())
    if name != "nDCG":
        fields["normalize"] = draw(st.booleans())
    empty = draw(st.sampled_from([0.0, 1.0, 0.25]))
    unjudged = "condense" if condense else "nonrelevant"
    chosen = catalogue()[name](**fields, unjudged=unjudged, empty=empty)
    return rows, chosen, {**fields, "condense": condense, "empty": empty}


def assert_same(rows, chosen, arguments, ties):
    expected = reference.per_query(
        reference.REFERENCE[type(chosen).__name__],
        rows.y_true,
        rows.y_score,
        rows.qid,
        ties,
        **arguments,
    )
    scores = dataclasses.replace(chosen, ties=ties).per_query(
        rows.y_true, rows.y_score, qid=rows.qid
    )
    assert list(scores.qid) == list(expected)
    np.testing.assert_allclose(
        scores.values, [float(value) for value in expected.values()], rtol=0, atol=TOLERANCE
    )


@given(cases(strategies.small_data()))
def test_expected_value_is_the_mean_over_all_orders_of_tied_documents(case):
    assert_same(*case, ties="expected")


@given(cases(strategies.long_data()), st.sampled_from(TIES[1:]))
def test_value_of_long_lists_under_the_other_tie_rules(case, ties):
    assert_same(*case, ties=ties)


@given(cases(strategies.long_data(ties=False)))
def test_value_of_long_lists_without_ties(case):
    assert_same(*case, ties="expected")


def test_every_measure_has_an_oracle_fields_and_a_documented_formula():
    assert set(FIELDS) == set(catalogue()) == set(reference.REFERENCE)
    for name, kind in catalogue().items():
        assert getattr(skgraded, name) is kind
        assert name in skgraded.__all__
        for section in (".. math::", "References\n", "Examples\n", "See Also\n"):
            assert section in kind.__doc__, f"{name} lacks {section}"


@given(strategies.small_data(), st.data())
def test_order_of_rows_inside_and_across_queries_does_not_matter(rows, data):
    g = data.draw(strategies.g_vectors(rows.max_grade))
    shuffle = data.draw(st.permutations(range(len(rows.qid))))
    shuffled = [column[shuffle] for column in rows[:3]]
    for chosen in (AP(), GAP(g=g), xGAP(g=g), eGAP(g=g), nDCG(k=2), P(k=3), RBP(k=2)):
        first = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
        second = chosen.per_query(*shuffled[:2], qid=shuffled[2])
        by_id = dict(zip(first.qid.tolist(), first.values, strict=True))
        for query, value in zip(second.qid.tolist(), second.values, strict=True):
            assert value == pytest.approx(by_id[query], abs=TOLERANCE)


@given(strategies.long_data(), st.data())
def test_mean_weighs_a_query_by_the_mean_of_its_rows(rows, data):
    weights = data.draw(strategies.row_weights(len(rows.qid)))
    for empty in (0.0, float("nan")):
        values = reference.per_query(
            reference.average_precision,
            rows.y_true,
            rows.y_score,
            rows.qid,
            "row_order",
            empty=empty,
        )
        counted = [query for query, value in values.items() if not math.isnan(value)]
        weight = {
            query: np.mean([weights[row] for row in own])
            for query, own in reference.rows_by_query(rows.qid).items()
        }
        chosen = AP(ties="row_order", empty=empty)
        if sum(weight[query] for query in counted) == 0:
            with pytest.warns(skgraded.UndefinedMeanWarning, match="undefined"):
                assert math.isnan(
                    chosen(rows.y_true, rows.y_score, qid=rows.qid, sample_weight=weights)
                )
        else:
            mean = reference.mean_over_queries(values, rows.qid, weights)
            ours = chosen(rows.y_true, rows.y_score, qid=rows.qid, sample_weight=weights)
            assert ours == pytest.approx(float(mean), abs=TOLERANCE)


@given(strategies.long_data(), st.integers(1, 4))
def test_scoring_a_few_queries_at_a_time_changes_no_bit(rows, at_a_time):
    from skgraded.measures import _base

    rankings = Rankings.from_arrays(rows.y_true, rows.y_score, rows.qid)
    whole = [
        chosen.per_query(rankings).values
        for chosen in (AP(), GAP(), nDCG(), AP(unjudged="condense"))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_base, "_MOMENTS_AT_A_TIME", at_a_time * rankings.judgments.n_levels**2)
        parts = [
            chosen.per_query(rankings).values
            for chosen in (AP(), GAP(), nDCG(), AP(unjudged="condense"))
        ]
    np.testing.assert_array_equal(whole, parts)


@given(strategies.long_data(), st.integers(2, 4))
def test_threads_change_no_bit(rows, n_threads):
    names = ["AP", "GAP", "xGAP@5", "nDCG@3", "AP(ties=optimistic)"]
    one = evaluate(names, rows.y_true, rows.y_score, qid=rows.qid)
    many = evaluate(names, rows.y_true, rows.y_score, qid=rows.qid, n_threads=n_threads)
    np.testing.assert_array_equal(one.values, many.values)


class TestPaperFacts:
    """Facts that Ferrante, Ferro and Maistro (2014) state, from the public API."""

    @pytest.mark.parametrize("g2", [0.1, 0.5, 0.9, 0.99])
    def test_limit_of_many_low_grades_before_one_high(self, g2):
        g, n = (1 - g2, g2), 200_000
        y_true = np.append(np.ones(n, dtype=int), 2)
        y_score = -np.arange(n + 1.0)
        rankings = Rankings.from_arrays(y_true, y_score)
        assert GAP(g=g)(rankings) == pytest.approx(1.0, abs=1e-3)
        assert xGAP(g=g)(rankings) == pytest.approx(1 - g2**2, abs=1e-3)
        assert eGAP(g=g)(rankings) == pytest.approx(1 - g2, abs=1e-3)

    @given(strategies.long_data(ties=False), st.data())
    def test_one_threshold_for_all_users_is_average_precision(self, rows, data):
        g = tuple(float(each) for each in data.draw(strategies.one_hot_g(rows.max_grade)))
        ap = AP(rel=g.index(1.0) + 1).per_query(rows.y_true, rows.y_score, qid=rows.qid).values
        for kind in (GAP, xGAP, eGAP):
            values = kind(g=g).per_query(rows.y_true, rows.y_score, qid=rows.qid).values
            np.testing.assert_allclose(values, ap, rtol=0, atol=TOLERANCE)

    @given(strategies.long_data(unjudged=False), st.data())
    def test_ideal_ranking_scores_the_users_who_find_a_document(self, rows, data):
        g = data.draw(strategies.g_vectors(rows.max_grade))
        rankings = Rankings.from_arrays(rows.y_true, rows.y_true, rows.qid)
        tau = [max(rows.y_true[own]) for own in reference.rows_by_query(rows.qid).values()]
        reached = np.array([sum(g[: int(top)]) for top in tau])
        for kind in (xGAP, eGAP):
            np.testing.assert_allclose(
                kind(g=g).per_query(rankings).values, reached, atol=TOLERANCE
            )
            normalized = kind(g=g, normalize=True).per_query(rankings).values
            np.testing.assert_allclose(normalized, reached > 0, atol=TOLERANCE)
        np.testing.assert_allclose(GAP(g=g).per_query(rankings).values, reached > 0, atol=TOLERANCE)

    def test_probability_to_select_a_document(self):
        # 10 documents of grade 1, one of grade 2. With the cut-off at rank 1 a measure's value is
        # the probability to select the document there: it is then surely relevant in step 3.
        pool = [1] * 10 + [2]

        def selected(kind, g, grade):
            scores = [-1.0] * 11
            scores[pool.index(grade)] = 1.0
            return kind(g=g, k=1)(pool, scores)

        half, top_heavy = (0.5, 0.5), (0.1, 0.9)
        assert selected(GAP, half, 1) == pytest.approx(1 / 12, abs=TOLERANCE)
        assert selected(GAP, half, 2) == pytest.approx(1 / 6, abs=TOLERANCE)
        assert selected(GAP, top_heavy, 2) == pytest.approx(1 / 2, abs=TOLERANCE)
        for kind in (xGAP, eGAP):
            assert selected(kind, half, 1) == pytest.approx(1 / 22, abs=TOLERANCE)
            assert selected(kind, half, 2) == pytest.approx(12 / 22, abs=TOLERANCE)
            assert selected(kind, top_heavy, 2) == pytest.approx(100 / 110, abs=TOLERANCE)


# peers.md 5.8: fixtures A and B, exact fractions. Documents 01-03 have grade 3, 04-06 grade 2,
# 07-10 grade 1, 11 grade 0; 12 and 13 are unjudged.
POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
RUN_A = [0, 3, None, 2]
RUN_B = [1, 3, None, 2, None, 1]
THIRDS = (1 / 3, 1 / 3, 1 / 3)
LINEAR = (1 / 6, 1 / 3, 1 / 2)


def rankings_of(run, pool):
    """Rank the run's documents and put the pool's others beyond a cut-off of len(run)."""
    rest = list(pool)
    for grade in run:
        if grade is not None:
            rest.remove(grade)
    y_true = [math.nan if grade is None else grade for grade in run] + rest
    return Rankings.from_arrays(y_true, -np.arange(float(len(y_true))))


@pytest.mark.parametrize(
    ("run", "chosen", "value"),
    [
        (RUN_A, AP(), Fraction(1, 10)),
        (RUN_A, GAP(g=THIRDS), Fraction(5, 38)),
        (RUN_A, xGAP(g=THIRDS), Fraction(13, 90)),
        (RUN_A, eGAP(g=THIRDS), Fraction(13, 90)),
        (RUN_A, GAP(g=LINEAR), Fraction(9, 62)),
        (RUN_A, xGAP(g=LINEAR), Fraction(7, 45)),
        (RUN_A, eGAP(g=LINEAR), Fraction(7, 45)),
        (RUN_A, GAP(g=(1, 0, 0)), Fraction(1, 10)),
        (RUN_A, xGAP(g=(1, 0, 0)), Fraction(1, 10)),
        (RUN_A, eGAP(g=(1, 0, 0)), Fraction(1, 10)),
        (RUN_B, GAP(g=THIRDS), Fraction(59, 228)),
        (RUN_B, xGAP(g=THIRDS), Fraction(11, 45)),
        (RUN_B, eGAP(g=THIRDS), Fraction(9, 40)),
        (RUN_B, GAP(g=LINEAR), Fraction(83, 372)),
        (RUN_B, xGAP(g=LINEAR), Fraction(113, 540)),
        (RUN_B, eGAP(g=LINEAR), Fraction(47, 240)),
        (RUN_B, GAP(g="linear"), Fraction(83, 372)),
        (RUN_B, GAP(g="uniform"), Fraction(59, 228)),
    ],
)
def test_fixtures_a_and_b(run, chosen, value):
    at_the_end_of_the_run = dataclasses.replace(chosen, k=len(run))
    assert at_the_end_of_the_run(rankings_of(run, POOL)) == pytest.approx(
        float(value), abs=TOLERANCE
    )


@pytest.mark.parametrize(
    ("run", "chosen", "value"),
    [
        (RUN_A, AP(), 0.1167),
        (RUN_A, GAP(g="linear"), 0.1613),
        (RUN_A, nDCG(discount="jk"), 0.3601),
        (RUN_A, nDCG(), 0.2899),
        (RUN_B, AP(), 0.4),
        (RUN_B, GAP(g="linear"), 0.2527),
        (RUN_B, nDCG(discount="jk"), 0.4869),
        (RUN_B, nDCG(), 0.4332),
    ],
)
def test_fixtures_a_and_b_on_condensed_lists(run, chosen, value):
    # Only the numerator is cut: nDCG's ideal list is the whole pool.
    length = len([grade for grade in run if grade is not None])
    rankings = rankings_of(run, POOL)
    cut = dataclasses.replace(chosen, k=length, unjudged="condense", normalize=False)
    ideal = 1.0
    if isinstance(chosen, nDCG):
        ideal = dataclasses.replace(chosen, normalize=False)(sorted(POOL), np.arange(len(POOL)))
    assert cut(rankings) / ideal == pytest.approx(value, abs=5e-5)


def test_normalized_average_precision_divides_by_the_smaller_of_recall_base_and_cutoff():
    y_true, y_score = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    assert AP(k=2)(y_true, y_score) == pytest.approx(1 / 3)
    assert AP(k=2, normalize=True)(y_true, y_score) == pytest.approx(1 / 2)


def test_unjudged_documents_are_not_in_the_pool():
    y_true, y_score = [math.nan, 1.0, 0.0], [3, 2, 1]
    assert AP()(y_true, y_score) == pytest.approx(1 / 2)
    assert AP(unjudged="condense")(y_true, y_score) == pytest.approx(1.0)
    assert P()(y_true, y_score) == pytest.approx(1 / 3)
    assert P(unjudged="condense")(y_true, y_score) == pytest.approx(1 / 2)


def test_query_whose_documents_are_all_unjudged_is_empty():
    nan = math.nan
    scores = evaluate(
        ["AP", "AP(unjudged=condense)", "nDCG(empty=1)"], [nan, nan, 1], [1, 2, 3], qid=[7, 7, 8]
    )
    np.testing.assert_array_equal(scores.values, [[0, 0, 1], [1, 1, 1]])
    assert scores.n_empty == (1, 1, 1)


def test_measures_of_gain_and_discount_take_fractional_labels():
    y_true, y_score = [0.25, 1.5, 0.0, 0.7], [4, 3, 2, 1]
    expected = (0.25 + 1.5 / math.log2(3) + 0.7 / math.log2(5)) / (
        1.5 + 0.7 / math.log2(3) + 0.25 / 2
    )
    assert nDCG()(y_true, y_score) == pytest.approx(expected, abs=TOLERANCE)
    assert P(k=2)(y_true, y_score) == 0.5
    assert DCG(gain="exp2", k=1)(y_true, y_score) == pytest.approx(2**0.25 - 1)


def test_many_fractional_labels_and_many_grades():
    rng = np.random.default_rng(0)
    labels, scores, qid = rng.random(3000), rng.random(3000), np.arange(3000) % 7
    ours = nDCG().per_query(labels, scores, qid=qid)
    theirs = reference.per_query(reference.ndcg, labels, scores, qid, ties="row_order")
    np.testing.assert_allclose(ours.values, list(theirs.values()), atol=TOLERANCE)
    grades = rng.integers(0, 400, 900)
    ours = eGAP(g="linear").per_query(grades, scores[:900], qid=qid[:900])
    g = [Fraction(j, 399 * 400 // 2) for j in range(1, 400)]
    own = reference.rows_by_query(qid[:900])[0]
    ranked = [int(grades[row]) for row in sorted(own, key=lambda row: -scores[row])]
    by_threshold = [
        float(g[t - 1] * reference.average_precision(ranked, rel=t)) for t in range(1, 400)
    ]
    assert ours.values[0] == pytest.approx(math.fsum(by_threshold), abs=TOLERANCE)


def test_a_query_of_a_million_documents():
    n = 1_000_000
    rng = np.random.default_rng(1)
    y_true, y_score = rng.integers(0, 5, n), rng.integers(0, 1000, n).astype(float)
    rows = np.lexsort((np.arange(n), -y_score))
    relevant = y_true[rows] >= 1
    by_hand = np.sum(relevant * np.cumsum(relevant) / np.arange(1, n + 1)) / relevant.sum()
    assert AP(ties="row_order")(y_true, y_score) == pytest.approx(by_hand, rel=1e-12)


class TestStrings:
    @given(cases(strategies.small_data(max_queries=1, max_documents=1)), st.sampled_from(TIES))
    def test_str_and_measure_are_inverse(self, case, ties):
        chosen = dataclasses.replace(case[1], ties=ties)
        assert measure(str(chosen)) == chosen
        assert hash(measure(str(chosen))) == hash(chosen)
        assert eval(repr(chosen), {**catalogue(), "float": float}) == chosen
        assert " " not in str(chosen)

    def test_default_measures_are_their_names(self):
        assert [str(kind()) for kind in catalogue().values()] == list(catalogue())

    def test_nan_survives_equality_pickling_and_strings(self):
        chosen = AP(empty=float("nan"))
        for other in (measure(str(chosen)), pickle.loads(pickle.dumps(chosen)), AP(empty=math.nan)):
            assert other == chosen
            assert hash(other) == hash(chosen)
        assert str(chosen) == "AP(empty=nan)"

    def test_cutoff_may_be_a_field_or_follow_the_at_sign(self):
        assert measure("nDCG(k=5)") == measure(" nDCG @ 5 ") == nDCG(k=5)

    def test_measures_are_immutable(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            AP().k = 3

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("nDGC@10", "Unknown measure 'nDGC' in 'nDGC@10'. Did you mean 'nDCG'"),
            ("ndcg", "Did you mean 'nDCG'"),
            ("AP(rell=2)", "AP has no field 'rell'.*Did you mean 'rel'"),
            ("AP(g=[1])", "AP has no field 'g'"),
            ("AP(ties=expectd)", "ties must be one of .*got 'expectd'. Did you mean 'expected'"),
            ("AP(unjudged=drop)", "unjudged must be one of 'nonrelevant', 'condense', got 'drop'"),
            ("AP@0", "k must be an integer >= 1, or None for the whole list, got 0"),
            ("AP@ten", "k must be an integer >= 1, got 'ten'"),
            ("AP@1.5", "k must be an integer >= 1, got '1.5'"),
            ("AP(k=2)@3", "k is given twice"),
            ("AP(2)", "written field=value"),
            ("AP(rel=1,rel=2)", "rel is given twice"),
            ("AP(rel=1+1)", "A field's value is a number, a word or a list"),
            ("AP(", "A measure is written Name"),
            ("", "A measure is written Name"),
        ],
    )
    def test_a_string_that_is_no_measure(self, spec, message):
        with pytest.raises(ValueError, match=message):
            measure(spec)

    def test_something_else_than_a_string(self):
        with pytest.raises(TypeError, match="a Measure or a string, got 3"):
            measure(3)


class TestFields:
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: AP(k=0), "k must be an integer >= 1, or None for the whole list, got 0"),
            (lambda: AP(k=2.5), r"k must be an integer >= 1.*got 2\.5"),
            (lambda: AP(k=True), "k must be an integer >= 1.*got True"),
            (lambda: AP(rel=0), "rel must be an integer grade >= 1, got 0"),
            (lambda: AP(empty="zero"), "empty must be the value.*got 'zero'"),
            (lambda: AP(empty=math.inf), "empty must be the value.*got inf"),
            (lambda: AP(normalize=2), "normalize must be True or False, got 2"),
            (
                lambda: xGAP(g=(0.5, 0.4)),
                r"g must sum to 1, got \(0\.5, 0\.4\), which sums to 0\.9",
            ),
            (lambda: xGAP(g=(1.5, -0.5)), "g must hold probabilities >= 0, got -0.5"),
            (lambda: xGAP(g=()), "g must hold one number for each of the grades"),
            (lambda: xGAP(g=0.5), "g must hold one number for each of the grades"),
            (lambda: xGAP(g=(math.nan, 1.0)), "g must hold finite numbers"),
            (lambda: xGAP(g="unifrom"), "g must be one of .*Did you mean 'uniform'"),
            (
                lambda: xGAP(g=(1.0,), max_grade=2),
                "max_grade must equal the number of entries of g",
            ),
            (lambda: xGAP(max_grade=0), "max_grade must be an integer grade >= 1, got 0"),
            (lambda: DCG(gain="exp"), "gain must be one of .*Did you mean 'exp2'"),
            (lambda: DCG(gain=(2, 1)), "gain must not decrease with the grade"),
            (lambda: DCG(gain=(-1, 1)), "gain must not decrease with the grade"),
            (lambda: DCG(discount="log"), "discount must be one of .*Did you mean 'log2'"),
            (lambda: DCG(discount="jk", log_base=1), "log_base must be a number > 1, got 1"),
            (lambda: DCG(log_base=3), 'log_base belongs to discount="jk"'),
            (lambda: RBP(p=1), "p must lie strictly between 0 and 1, got 1"),
        ],
    )
    def test_bad_field(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()

    def test_numpy_numbers_are_numbers(self):
        chosen = xGAP(g=np.array([0.25, 0.75]), k=np.int64(3), empty=np.float64(1))
        assert chosen == xGAP(g=(0.25, 0.75), k=3, empty=1.0)
        assert str(chosen) == "xGAP(g=[0.25,0.75],empty=1)@3"

    def test_g_shorter_than_the_top_grade(self):
        with pytest.raises(ValueError, match=r"grades 0\.\.2 for xGAP.*\(g ends there\), got 3"):
            xGAP(g=(0.5, 0.5))([3, 0], [1, 2])
        with pytest.raises(
            ValueError, match=r"grades 0\.\.2 for xGAP.*\(max_grade says so\), got 3"
        ):
            xGAP(max_grade=2)([3, 0], [1, 2])

    def test_g_longer_than_the_top_grade(self):
        assert eGAP(g=(0.25, 0.25, 0.5))([2, 1], [2, 1]) == pytest.approx(0.5)
        assert eGAP(max_grade=4)([2, 1], [2, 1]) == pytest.approx(0.5)

    def test_gain_shorter_than_the_top_grade(self):
        with pytest.raises(
            ValueError, match=r"gain must have an entry for each of the grades 1\.\.3"
        ):
            DCG(gain=(1, 2))([3, 0], [1, 2])
        with pytest.raises(ValueError, match="integer grades"):
            DCG(gain=(1, 2))([0.5, 0], [1, 2])

    @pytest.mark.parametrize("chosen", [AP(), GAP(), xGAP(), eGAP()])
    def test_fractional_grade(self, chosen):
        with pytest.raises(ValueError, match=r"y_true must hold integer grades for .*got 0\.5"):
            chosen([0.5, 1], [1, 2])

    def test_resolve_fixes_the_top_grade_once(self):
        assert xGAP().is_open
        assert xGAP().resolve(4) == xGAP(max_grade=4)
        assert not xGAP(max_grade=4).is_open
        assert xGAP(g=(0.5, 0.5)).resolve(4) == xGAP(g=(0.5, 0.5))
        assert nDCG().resolve(4) == nDCG()
        assert not nDCG().is_open


class TestResults:
    rows = ([2, 0, 0, 0], [4, 3, 2, 1])
    qid = ("a", "a", "b", "b")

    def test_query_scores(self):
        scores = AP().per_query(*self.rows, qid=self.qid)
        assert list(scores.qid) == ["a", "b"]
        assert scores.values.tolist() == [1.0, 0.0]
        assert scores.mean() == 0.5 == AP()(*self.rows, qid=self.qid)
        assert len(scores) == 2
        frame = scores.to_frame()
        assert frame["AP"].to_dict() == {"a": 1.0, "b": 0.0}
        assert frame.index.name == "qid"
        assert "counted as 0" in repr(scores)

    def test_scores(self):
        scores = evaluate(["AP", nDCG(k=1, empty=math.nan)], *self.rows, qid=self.qid)
        assert scores.mean() == {"AP": 0.5, "nDCG(empty=nan)@1": 1.0}
        assert scores["AP"] == scores[AP()] == 0.5
        assert scores.per_query("AP").values.tolist() == [1.0, 0.0]
        assert scores.to_frame().columns.tolist() == ["AP", "nDCG(empty=nan)@1"]
        assert scores.values.shape == (2, 2)
        assert repr(scores).splitlines() == [
            "measure                mean  over 2 queries",
            "AP                   0.5000  (1 with nothing relevant, counted as 0)",
            "nDCG(empty=nan)@1    1.0000  (1 with nothing relevant, left out)",
        ]
        with pytest.raises(KeyError, match="GAP is not among the measures scored: AP, nDCG"):
            scores["GAP"]

    def test_a_single_measure_may_stand_alone(self):
        assert evaluate("AP", *self.rows).mean() == evaluate([AP()], *self.rows).mean()

    def test_no_measure(self):
        with pytest.raises(ValueError, match="measures must name at least one measure"):
            evaluate([], *self.rows)

    def test_rankings_need_nothing_beside_them(self):
        rankings = Rankings.from_arrays(*self.rows, self.qid)
        assert AP()(rankings) == 0.5
        with pytest.raises(TypeError, match="pass nothing beside it"):
            AP()(rankings, [1, 2, 3, 4])
        with pytest.raises(TypeError, match="y_score is missing"):
            AP()([1, 0])

    def test_mean_without_any_query(self):
        scores = AP(empty=math.nan).per_query([0, 0], [1, 2])
        with pytest.warns(skgraded.UndefinedMeanWarning, match="1 of 1 have nothing relevant"):
            assert math.isnan(scores.mean())
        assert "left out" in repr(scores)

    def test_score_functions(self):
        from skgraded import egap_score, gap_score, xgap_score

        functions = {GAP: gap_score, xGAP: xgap_score, eGAP: egap_score}
        arrays = ([2, 1, 0, 1], [1, 1, 2, 3])
        for kind, function in functions.items():
            options = {"k": 3, "ties": "pessimistic"}
            ours = function(
                *arrays, qid=[1, 1, 1, 2], g=(0.3, 0.7), sample_weight=[1, 1, 1, 5], **options
            )
            assert ours == kind(g=(0.3, 0.7), **options)(
                *arrays, qid=[1, 1, 1, 2], sample_weight=[1, 1, 1, 5]
            )
            assert function(*arrays) == kind()(*arrays)
