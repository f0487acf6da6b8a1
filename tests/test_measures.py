"""Every measure against its literal oracle: random rankings, all rules, all cut-offs."""

import dataclasses
import itertools
import math
import pickle
import re
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import reference
import reference_more
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import skgraded
from skgraded import (
    ADM,
    AP,
    CG,
    DCG,
    ERR,
    FDR,
    GAP,
    RBP,
    RR,
    Bpref,
    BprefN,
    BprefR,
    BprefTen,
    F,
    Fallout,
    GeneralizedAP,
    GeneralizedP,
    Judgments,
    Measure,
    ModifiedSlidingRatio,
    NormalizedRecall,
    P,
    QMeasure,
    R,
    RankedHalfLife,
    Rankings,
    RPrecision,
    RprefN,
    RprefRelative2,
    SlidingRatio,
    Success,
    WeightedAP,
    catalogue,
    eGAP,
    evaluate,
    infAP,
    measure,
    nDCG,
    xGAP,
)
from skgraded.rankings import RankedList

TOLERANCE = 1e-12

TIES = ("expected", "row_order", "pessimistic", "optimistic")
GRADES = st.integers(1, 6)


def only(**fields):
    return lambda max_grade: st.fixed_dictionaries(
        {name: make(max_grade) for name, make in fields.items()}
    )


def rels(max_grade):
    return st.integers(1, max_grade)


def betas(_):
    return st.sampled_from([0.0, 0.5, 1.0, 10.0])


def discounted_fields(max_grade):
    return st.fixed_dictionaries(
        {"gain": strategies.gains(max_grade)},
        optional={"discount": st.just("jk"), "log_base": st.sampled_from([1.5, 2.0, 3.0, 10.0])},
    ).map(lambda fields: fields if "discount" in fields else {"gain": fields["gain"]})


@st.composite
def scale_fields(draw, max_grade):
    """Draw a gain and the top of the scale, which a gain by name may set above all grades."""
    gain = draw(strategies.gains(max_grade))
    above = draw(st.integers(0, 2)) if isinstance(gain, str) else 0
    return {"gain": gain, "max_grade": max_grade + above}


@st.composite
def rbp_fields(draw, max_grade):
    p = draw(st.sampled_from([0.1, 0.5, 0.8, 0.95]))
    relevance = st.one_of(st.fixed_dictionaries({"rel": GRADES}), scale_fields(max_grade))
    return {"p": p, **draw(relevance)}


def rbp(*lists, **parameters):
    graded = "gain" in parameters
    return (reference_more.graded_rbp if graded else reference.rbp)(*lists, **parameters)


def precision(ranked, pool, *, fill=True, k=None, condense=False, **parameters):
    length = len(reference.judged(ranked) if condense else ranked)
    k = k if k is None or fill else min(k, length)
    return reference.precision(ranked, pool, k=k, condense=condense, **parameters)


REFERENCE = {**reference.REFERENCE, **reference_more.REFERENCE_MORE, "P": precision, "RBP": rbp}
del REFERENCE["graded RBP"]

binary = only(rel=rels)
threshold = only(g=strategies.g_vectors)
gain = only(gain=strategies.gains)

# What fields each measure has, as far as they are its own; a measure without an entry fails a test.
FIELDS = {
    "ADM": scale_fields,
    "AP": binary,
    "Accuracy": binary,
    "AveragedNDCG": discounted_fields,
    "Bpref": binary,
    "BprefN": binary,
    "BprefR": binary,
    "BprefRelative": binary,
    "BprefTen": binary,
    "CG": gain,
    "DCG": discounted_fields,
    "ERR": scale_fields,
    "F": only(rel=rels, beta=betas),
    "FDR": binary,
    "Fallout": binary,
    "GAP": threshold,
    "GeneralizedAP": gain,
    "GeneralizedP": scale_fields,
    "GeneralizedR": gain,
    "ModifiedSlidingRatio": gain,
    "NPV": binary,
    "NormalizedPrecision": binary,
    "NormalizedRecall": binary,
    "OldBpref": binary,
    "P": only(rel=rels, fill=lambda _: st.booleans()),
    "QMeasure": only(gain=strategies.gains, beta=betas),
    "R": binary,
    "RBP": rbp_fields,
    "RPrecision": binary,
    "RR": binary,
    "RankedHalfLife": gain,
    "RprefN": scale_fields,
    "RprefRelative": gain,
    "RprefRelative2": gain,
    "SlidingRatio": gain,
    "Specificity": binary,
    "Success": binary,
    "WeightedAP": gain,
    "eGAP": threshold,
    "infAP": only(rel=rels, epsilon=lambda _: st.sampled_from([1e-5, 0.5])),
    "nDCG": discounted_fields,
    "xGAP": threshold,
}

# What shared fields a measure has no use for.
ALWAYS_NORMALIZED = {"ModifiedSlidingRatio", "SlidingRatio", "nDCG"}
WITHOUT_CUTOFF = {"ADM", "NormalizedPrecision", "NormalizedRecall"}
WITHOUT_NORMALIZATION = WITHOUT_CUTOFF | {
    "Accuracy", "FDR", "Fallout", "NPV", "RankedHalfLife", "Specificity",
}  # fmt: skip
ALWAYS_CONDENSED = {"Bpref", "BprefN", "OldBpref", "RprefN"}
WITHOUT_MEAN_OVER_TIES = {"RankedHalfLife", "infAP"}

RANKED = sorted(set(FIELDS) - {"ADM"})  # which looks at scores
EACH = pytest.mark.parametrize("name", RANKED)
FEW = settings(max_examples=min(settings().max_examples // 5, 30))  # of each measure


@st.composite
def fields_of(draw, name, max_grade, top=None):
    """Draw fields of a measure, and the oracle's arguments that mean the same.

    No document of the data has a grade above top, which a threshold must not be either.
    """
    fields = draw(FIELDS[name](max_grade))
    if "rel" in fields and top is not None:
        fields["rel"] = min(fields["rel"], max(1, top))
    if name not in WITHOUT_CUTOFF:
        fields["k"] = draw(strategies.cutoffs())
    if name not in WITHOUT_NORMALIZATION | ALWAYS_NORMALIZED:
        fields["normalize"] = draw(st.booleans())
    condense = name in ALWAYS_CONDENSED or draw(st.booleans())
    empty = draw(st.sampled_from([0.0, 1.0, 0.25]))
    arguments = {**fields, "condense": condense, "empty": empty}
    unjudged = "condense" if condense else "nonrelevant"
    ties = "row_order" if name in WITHOUT_MEAN_OVER_TIES else "expected"
    return catalogue()[name](**fields, unjudged=unjudged, empty=empty, ties=ties), arguments


@st.composite
def cases(draw, data, name):
    """Draw rows, a measure and the oracle's arguments that mean the same."""
    rows = draw(data)
    return rows, *draw(fields_of(name, rows.max_grade, top_grade(rows)))


def top_grade(rows):
    return int(max(np.nan_to_num(rows.y_true)))


def assert_same(rows, chosen, arguments, ties):
    expected = reference.per_query(
        REFERENCE[type(chosen).__name__],
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


@pytest.mark.parametrize("name", sorted(set(RANKED) - WITHOUT_MEAN_OVER_TIES))
@FEW
@given(data=st.data())
def test_expected_value_is_the_mean_over_all_orders_of_tied_documents(name, data):
    assert_same(*data.draw(cases(strategies.small_data(), name)), ties="expected")


@EACH
@FEW
@given(data=st.data())
def test_value_of_long_lists_under_the_other_tie_rules(name, data):
    ties = data.draw(st.sampled_from(TIES[1:]))
    assert_same(*data.draw(cases(strategies.long_data(), name)), ties=ties)


@EACH
@FEW
@given(data=st.data())
def test_value_of_long_lists_without_ties(name, data):
    ties = "row_order" if name in WITHOUT_MEAN_OVER_TIES else "expected"
    assert_same(*data.draw(cases(strategies.long_data(ties=False), name)), ties=ties)


def rankings_of_pools(queries, unsampled=False):
    """Rank lists whose pools hold documents that they lack; None is outside the pool."""
    grades = sorted({0, *(grade for _, pool in queries for grade in pool)})
    level = {grade: i for i, grade in enumerate(grades)}
    level |= {None: len(grades), reference_more.UNSAMPLED: len(grades) + 1}
    listed = [[level[grade] for grade in ranked] for ranked, _ in queries]
    pooled = [[level[grade] for grade in reference.ideal(pool)] for _, pool in queries]
    judgments = Judgments(
        qid=np.arange(len(queries)),
        indptr=borders(listed),
        row_order=None,
        grades=np.array(grades, dtype=float),
        levels=np.array(list(itertools.chain(*listed)), dtype=np.uint8),
        pool=RankedList(
            np.array(list(itertools.chain(*pooled)), dtype=np.uint8),
            np.zeros(sum(map(len, pooled)), dtype=np.uint8),
            borders(pooled),
        ),
    )
    return judgments.rank(-np.arange(float(judgments.n_documents)))


def borders(lists):
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


@EACH
@FEW
@given(data=st.data())
def test_value_where_the_pool_holds_documents_that_the_list_lacks(name, data):
    max_grade = data.draw(strategies.MAX_GRADES)
    queries = data.draw(st.lists(strategies.list_and_pool(max_grade), min_size=1, max_size=3))
    top = max([0, *(grade for _, pool in queries for grade in pool)])
    chosen, arguments = data.draw(fields_of(name, max_grade, top))
    if name == "infAP" and not arguments["condense"]:
        queries = [
            (data.draw(strategies.partly_unsampled(ranked)), pool) for ranked, pool in queries
        ]
    values = chosen.per_query(rankings_of_pools(queries)).values
    expected = [float(REFERENCE[name](*query, **arguments)) for query in queries]
    np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)


def what_is_missing(name, kind):
    """List what a measure still needs: adding one costs its class and no more than this."""
    places = {
        "an oracle": name in REFERENCE,
        "fields to draw": name in FIELDS,
        "a place in the catalogue": catalogue().get(name) is kind,
        "an export": getattr(skgraded, name, None) is kind and name in skgraded.__all__,
        # A default that a class changes counts only where the class is made a dataclass.
        "the dataclass decorator": all(
            repr(getattr(kind, field.name)) == repr(field.default)
            for field in dataclasses.fields(kind)
        ),
    }
    sections = (".. math::", "Parameters\n", "See Also\n", "References\n", "Examples\n")
    places |= {f"the section {each.strip()}": each in kind.__doc__ for each in sections}
    return [place for place, found in places.items() if not found]


def test_every_measure_has_an_oracle_fields_and_a_documented_formula():
    assert {name: what_is_missing(name, kind) for name, kind in catalogue().items()} == {
        name: [] for name in catalogue()
    }
    assert set(FIELDS) == set(REFERENCE) == set(catalogue())


def test_a_measure_that_is_a_class_alone_is_told_what_it_lacks():
    class _Bare(Measure):
        """A measure without anything."""

        k = 3

    assert what_is_missing("Bare", _Bare) == [
        "an oracle",
        "fields to draw",
        "a place in the catalogue",
        "an export",
        "the dataclass decorator",
        "the section .. math::",
        "the section Parameters",
        "the section See Also",
        "the section References",
        "the section Examples",
    ]


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


@FEW
@given(strategies.long_data(), st.integers(1, 4))
def test_scoring_a_few_queries_at_a_time_changes_no_bit(rows, at_a_time):
    from skgraded.measures import _measure

    rankings = Rankings.from_arrays(rows.y_true, rows.y_score, rows.qid)
    names = [
        "AP",
        "GAP",
        "nDCG",
        "AP(unjudged=condense)",
        "QMeasure",
        "WeightedAP",
        "AveragedNDCG@5",
    ]
    names += ["RprefN", "BprefRelative", "Bpref", "ERR", "infAP", "RPrecision", "NormalizedRecall"]
    whole = [measure(name).per_query(rankings).values for name in names]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_measure, "_DOUBLES_AT_A_TIME", at_a_time * rankings.judgments.n_levels**2)
        parts = [measure(name).per_query(rankings).values for name in names]
    np.testing.assert_array_equal(whole, parts)


@given(strategies.long_data(), st.integers(2, 4))
def test_threads_change_no_bit(rows, n_threads):
    names = ["AP", "GAP", "xGAP@5", "nDCG@3", "AP(ties=optimistic)", "QMeasure", "Bpref@7", "ERR@6"]
    one = evaluate(names, rows.y_true, rows.y_score, qid=rows.qid)
    many = evaluate(names, rows.y_true, rows.y_score, qid=rows.qid, n_threads=n_threads)
    np.testing.assert_array_equal(one.values, many.values)


@given(strategies.long_data(), st.data())
def test_a_query_has_the_same_value_in_any_company(rows, data):
    name = data.draw(st.sampled_from(RANKED))
    chosen, _ = data.draw(fields_of(name, rows.max_grade, 1))
    together = chosen.per_query(rows.y_true, rows.y_score, qid=rows.qid)
    for query, value in zip(together.qid, together.values, strict=True):
        own = rows.qid == query
        alone = chosen.per_query(rows.y_true[own], rows.y_score[own]).values
        np.testing.assert_array_equal(alone, [value])  # to the last bit


def test_threads_share_out_the_kernels_of_cascades_and_preferences():
    rng = np.random.default_rng(3)
    qid = np.repeat(np.arange(900), 60)  # enough documents for three threads
    y_true, y_score = rng.integers(0, 4, len(qid)), rng.integers(0, 9, len(qid))
    names = ["Bpref", "BprefTen@40", "RR", "ERR@50", "Success@2"]
    one = evaluate(names, y_true, y_score, qid=qid)
    many = evaluate(names, y_true, y_score, qid=qid, n_threads=3)
    np.testing.assert_array_equal(one.values, many.values)


def test_cascades_and_preferences_of_many_grades():
    rng = np.random.default_rng(4)
    y_true, y_score = rng.integers(0, 400, 90), rng.integers(0, 40, 90)
    binary_labels = (y_true >= 200).astype(int)
    for kind in (Bpref, BprefTen, RR):
        assert kind(rel=200)(y_true, y_score) == pytest.approx(kind()(binary_labels, y_score))
    assert ERR(gain="linear")(y_true, y_score) == pytest.approx(
        ERR(gain=tuple(range(1, 400)))(y_true, y_score), abs=2e-3
    )


class TestIdentities:
    """What the papers say about how measures relate, from the public API."""

    @given(strategies.small_data(), strategies.cutoffs(), st.data())
    def test_rpref_relative2_is_gap_on_condensed_lists(self, rows, k, data):
        g = data.draw(strategies.g_vectors(rows.max_grade))
        gap = GAP(g=g, k=k, unjudged="condense")
        rpref = RprefRelative2(gain=tuple(np.cumsum(g)), k=k)
        assert_equal_measures(rows, rpref, gap)

    @given(strategies.small_data(), strategies.cutoffs())
    def test_bpref_relative2_is_ap_on_condensed_lists(self, rows, k):
        # Sakai, Eq. 20: 1 - (n - count(n)) / n in place of n - 1; the penalty as rpref has it.
        binary_rows = rows._replace(y_true=np.minimum(rows.y_true, 1))
        assert_equal_measures(binary_rows, RprefRelative2(k=k), AP(unjudged="condense", k=k))

    @given(strategies.small_data(), strategies.cutoffs(), st.booleans())
    def test_q_measure_without_gains_is_ap(self, rows, k, condense):
        rules = {"k": k, "unjudged": "condense" if condense else "nonrelevant"}
        assert_equal_measures(rows, QMeasure(beta=0, **rules), AP(**rules))

    @given(strategies.long_data(unjudged=False, ties=False), st.data())
    def test_inferred_ap_of_complete_judgments_is_ap(self, rows, data):
        rel = data.draw(st.integers(1, max(1, top_grade(rows))))
        inferred = infAP(rel=rel, epsilon=1e-12)
        assert_equal_measures(rows, inferred, AP(rel=rel), tolerance=1e-9)

    @given(strategies.small_data(), strategies.cutoffs(), st.data())
    def test_egap_is_the_mean_of_ap_over_the_thresholds(self, rows, k, data):
        g = data.draw(strategies.g_vectors(rows.max_grade))
        by_threshold = [
            share * AP(rel=grade, k=k).per_query(*rows[:2], qid=rows.qid).values
            for grade, share in enumerate(g, start=1)
            if grade <= max(1, top_grade(rows))  # AP above all grades is 0
        ]
        egap = eGAP(g=g, k=k).per_query(*rows[:2], qid=rows.qid).values
        np.testing.assert_allclose(egap, np.sum(by_threshold, axis=0), rtol=0, atol=TOLERANCE)

    @given(strategies.small_data(), strategies.cutoffs())
    def test_graded_measures_of_binary_grades_are_ap(self, rows, k):
        binary_rows = rows._replace(y_true=np.minimum(rows.y_true, 1))
        for kind in (GAP, xGAP, eGAP, GeneralizedAP):
            assert_equal_measures(binary_rows, kind(k=k), AP(k=k))

    @given(st.lists(st.booleans(), min_size=1, max_size=12))
    def test_weighted_ap_of_binary_grades_is_ap_down_to_rank_r(self, relevant):
        # Its denominator is min(n, R), not n: the two agree where all relevant ones are that high.
        n_relevant = sum(relevant)
        y_true, y_score = np.array(relevant, dtype=int), -np.arange(float(len(relevant)))
        weighted, ap = WeightedAP()(y_true, y_score), AP()(y_true, y_score)
        assert weighted >= ap - TOLERANCE
        cut = {"k": max(n_relevant, 1)}
        assert WeightedAP(**cut)(y_true, y_score) == pytest.approx(AP(**cut)(y_true, y_score))

    @given(strategies.small_data())
    def test_bpref_is_one_of_two_measures(self, rows):
        judged = rows.y_true[~np.isnan(rows.y_true)]
        of_query = [rows.y_true[rows.qid == query] for query in np.unique(rows.qid)]
        if all(np.sum(labels >= 1) <= np.sum(labels == 0) for labels in of_query):
            assert_equal_measures(rows, Bpref(), BprefR())
        nonzero = rows._replace(y_true=np.where(rows.y_true == 0, 1, rows.y_true))
        assert len(judged) == 0 or Bpref()(*nonzero[:2]) == BprefN()(*nonzero[:2])


def assert_equal_measures(rows, one, other, tolerance=TOLERANCE):
    values = [each.per_query(*rows[:2], qid=rows.qid).values for each in (one, other)]
    np.testing.assert_allclose(*values, rtol=0, atol=tolerance)


class TestADM:
    @given(strategies.small_data(), st.data())
    def test_against_the_oracle(self, rows, data):
        scores = data.draw(
            st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=len(rows.qid)).map(
                lambda drawn: np.array(drawn[: len(rows.qid)])
            )
        )
        fields, condense = data.draw(scale_fields(rows.max_grade)), data.draw(st.booleans())
        chosen = ADM(**fields, unjudged="condense" if condense else "nonrelevant", empty=0.25)
        ours = chosen.per_query(rows.y_true, scores, qid=rows.qid)
        for query, own in reference.rows_by_query(rows.qid).items():
            grades = [reference.plain(rows.y_true[row]) for row in own]
            expected = reference_more.adm(
                grades, [scores[row] for row in own], **fields, condense=condense, empty=0.25
            )
            value = ours.values[list(ours.qid).index(query)]
            assert value == pytest.approx(float(expected), abs=TOLERANCE)

    def test_among_other_measures(self):
        rows, qid = ([2, 0, 1, 0], [1.0, 0.5, 0.25, 0.75]), ["a", "a", "b", "b"]
        scores = evaluate(["AP", "ADM", "nDCG"], *rows, qid=qid, sample_weight=[1, 1, 3, 3])
        assert scores.per_query("ADM").values.tolist() == [0.75, 0.5]
        assert scores["ADM"] == (0.75 + 3 * 0.5) / 4
        rankings = Rankings.from_arrays(*rows, qid)
        assert ADM().per_query(rankings).values.tolist() == [0.75, 0.5]
        assert ADM().per_query(rankings.of_queries(slice(1, 2))).values.tolist() == [0.5]

    def test_scores_that_are_no_degrees_of_relevance(self):
        with pytest.raises(
            ValueError, match=r"y_score must lie in \[0, 1\] for ADM.* 1\.5 in row 1"
        ):
            ADM()([1, 0], [0.5, 1.5])
        with pytest.raises(ValueError, match=r"got -0\.1 in row 1\.$"):
            ADM()([1, 0, 1, 0], [0.5, -0.1, 0.5, 9.0], qid=[1, 2, 2, 1])
        retrieved = Rankings.from_trec({"q": {"d": 1}}, {"q": {"d": 0.5}})
        with pytest.raises(TypeError, match="these rankings have no scores"):
            ADM()(retrieved)


BOUNDED = {
    "CG": CG(),
    "DCG": DCG(gain="exp2", k=3),
    "ERR": ERR(),
    "ERR linear": ERR(gain="linear", max_grade=4, k=2),
    "FDR": FDR(k=2),
    "GeneralizedP": GeneralizedP(),
    "ModifiedSlidingRatio": ModifiedSlidingRatio(normalize=False),
    "P": P(k=2),
    "P of relevant grade 2": P(rel=2),
    "RBP": RBP(p=0.5),
    "RBP graded": RBP(gain=(0, 1, 5), k=4),
    "RR": RR(),
    "SlidingRatio": SlidingRatio(k=2, normalize=False),
    "Success": Success(k=2),
    "nDCG": nDCG(normalize=False),
}


class TestBounds:
    @pytest.mark.parametrize("name", sorted(BOUNDED))
    @FEW
    @given(
        st.lists(st.sampled_from([0, 1, 2, 3, math.nan, math.nan]), min_size=1, max_size=5),
        st.sampled_from(TIES),
        st.data(),
    )
    def test_against_all_judgments(self, name, labels, ties, data):
        scores = data.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
        chosen = dataclasses.replace(BOUNDED[name], ties=ties)
        bounds = chosen.bounds(labels, scores, max_grade=3)
        query = [0] * len(labels) + [1]
        # A second query has the top grade, so that all judgments are on one scale.
        values = [
            chosen.resolve(3).per_query([*judged, 3], [*scores, 0], qid=query).values[0]
            for judged in itertools.product(
                *[range(4) if math.isnan(label) else [label] for label in labels]
            )
        ]
        assert bounds.smallest.values[0] == pytest.approx(min(values), abs=TOLERANCE)
        assert bounds.largest.values[0] == pytest.approx(max(values), abs=TOLERANCE)

    def test_bounded_are_all_that_change_one_way(self):
        named = {type(chosen).__name__ for chosen in BOUNDED.values()}
        assert named == {name for name, kind in catalogue().items() if kind._changes_with_grades}

    def test_of_several_queries(self):
        nan = math.nan
        bounds = P(k=2).bounds([1, nan, nan, 0], [2, 1, 2, 1], qid=["a", "a", "b", "b"])
        assert bounds.smallest.values.tolist() == [0.5, 0.0]
        assert bounds.largest.values.tolist() == [1.0, 0.5]
        assert list(bounds.largest.qid) == ["a", "b"]
        assert (bounds.smallest.mean(), bounds.largest.mean()) == (0.25, 0.75)

    def test_the_scale_is_the_measures_or_the_datas_or_named(self):
        labels, scores = [2, math.nan], [1, 2]
        assert CG().bounds(labels, scores).largest.values == [4]
        assert CG().bounds(labels, scores, max_grade=4).largest.values == [6]
        assert CG(gain=(1, 2, 7)).bounds(labels, scores).largest.values == [9]
        assert GeneralizedP(max_grade=4).bounds(labels, scores).largest.values == [0.75]
        assert P(rel=3).bounds(labels, scores).largest.values == [0.5]
        with pytest.raises(ValueError, match=r"max_grade must be an integer >= 1, got 0\.5"):
            CG().bounds(labels, scores, max_grade=0.5)

    def test_of_a_run_whose_pool_holds_more(self):
        rankings = rankings_of_pools([([None, 1], [1, 2, 0])])
        bounds = RBP(p=0.5).bounds(rankings)
        assert (bounds.smallest.values[0], bounds.largest.values[0]) == (0.25, 0.75)

    @pytest.mark.parametrize("chosen", [AP(), R(k=3), nDCG(), QMeasure(), GAP(), Bpref(), infAP()])
    def test_what_divides_by_the_pool(self, chosen):
        with pytest.raises(ValueError, match="no bounds over judgments: its divisor changes"):
            chosen.bounds([1, math.nan], [2, 1])

    def test_a_relevant_document_found_late_can_lower_average_precision_and_recall(self):
        scores = [3, 2, 1]
        for chosen in (AP(), R(k=1), nDCG(), RPrecision()):
            assert chosen([1, 0, 1], scores) < chosen([1, 0, 0], scores)
            assert chosen([1, 0, 0], scores) > chosen([0, 0, 0], scores)

    def test_rules_that_change_more_than_the_value(self):
        with pytest.raises(ValueError, match="the list itself changes with the judgments"):
            P(unjudged="condense").bounds([1, math.nan], [2, 1])
        with pytest.raises(ValueError, match=r"empty must be 0\.0, the worst value, got 1\.0"):
            P(empty=1).bounds([1, math.nan], [2, 1])
        with pytest.raises(ValueError, match="its divisor changes"):
            P(normalize=True).bounds([1, math.nan], [2, 1])


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
        threshold = g.index(1.0) + 1
        ap = 0.0
        if threshold <= max(1, top_grade(rows)):
            ap = AP(rel=threshold).per_query(rows.y_true, rows.y_score, qid=rows.qid).values
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

    def test_xgap_is_not_monotone(self):
        # Not in the paper: moving the better document up can lower xGAP.
        for y_true, value in (([0, 0, 0, 0, 1, 2], 19 / 80), ([0, 0, 0, 0, 2, 1], 7 / 30)):
            assert xGAP(g=(0.5, 0.5))(y_true, np.arange(6, 0, -1)) == pytest.approx(value)

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
    @pytest.mark.parametrize("name", sorted(FIELDS))
    @FEW
    @given(data=st.data())
    def test_str_and_measure_are_inverse(self, name, data):
        chosen, _ = data.draw(fields_of(name, data.draw(strategies.MAX_GRADES)))
        if name != "ADM":
            chosen = dataclasses.replace(chosen, ties=data.draw(st.sampled_from(TIES[1:])))
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
            ("AP(k=2)@3", "k can be given only once"),
            ("AP(2)", "written field=value"),
            ("AP(rel=1,rel=2)", "rel can be given only once"),
            ("xGAP(g=[0.1,0.9])(k=10)", "written field=value"),
            ("AP()()", "written field=value"),
            ("AP@1_0", "k must be an integer >= 1, got '1_0'"),
            ("AP@99999999999999999999", r"k must be below 2\*\*63"),
            ("Precision@5", "Did you mean 'P'"),
            ("recall@10", "Did you mean 'R'"),
            ("Rprec", "Did you mean 'RPrecision'"),
            (
                "num_rel_ret",
                r"catalogue\(\) lists .*measure_as accepts the names that other tools use",
            ),
            ("AP(rel=1+1)", "The value of a field must be a number, a word or a list"),
            ("AP(", "A measure must be written Name"),
            ("", "A measure must be written Name"),
        ],
    )
    def test_a_string_that_is_no_measure(self, spec, message):
        with pytest.raises(ValueError, match=message):
            measure(spec)

    def test_something_else_than_a_string(self):
        with pytest.raises(TypeError, match="a Measure or a string, got 3"):
            measure(3)
        with pytest.raises(TypeError, match=r"got the class AP: write AP\(\)"):
            evaluate(AP, [1, 0], [1, 2])
        with pytest.raises(TypeError, match="a measure or a sequence of measures, got None"):
            evaluate(None, [1, 0], [1, 2])

    @pytest.mark.parametrize("arguments", [(10,), ([1, 0], [1, 2])])
    def test_a_class_called_like_a_function(self, arguments):
        with pytest.raises(TypeError, match=r"AP\(k=10\).*call an instance: AP\(\)\(y_true, y_s"):
            AP(*arguments)


class TestFields:
    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: AP(k=0), "k must be an integer >= 1, or None for the whole list, got 0"),
            (lambda: AP(k=2.5), r"k must be an integer >= 1.*got 2\.5"),
            (lambda: AP(k=True), "k must be an integer >= 1.*got True"),
            (lambda: AP(rel=0), "rel must be an integer >= 1, got 0"),
            (lambda: AP(empty="zero"), "empty must be a finite number.*got 'zero'"),
            (lambda: AP(empty=math.inf), "empty must be a finite number.*got inf"),
            (lambda: AP(normalize=2), "normalize must be True or False, got 2"),
            (lambda: P(fill=None), "fill must be True or False, got None"),
            (
                lambda: xGAP(g=(0.5, 0.4)),
                r"g must sum to 1, got \(0\.5, 0\.4\), which sums to 0\.9",
            ),
            (lambda: xGAP(g=(1.5, -0.5)), "g must hold probabilities >= 0, got -0.5"),
            (lambda: xGAP(g=()), "g must hold one number per grade 1, 2, "),
            (lambda: xGAP(g=0.5), "g must hold one number per grade 1, 2, "),
            (lambda: xGAP(g=(math.nan, 1.0)), "g must hold finite numbers"),
            (lambda: xGAP(g="unifrom"), "g must be one of .*Did you mean 'uniform'"),
            (
                lambda: xGAP(g=(1.0,), max_grade=2),
                "max_grade must equal the number of entries of g",
            ),
            (lambda: xGAP(max_grade=0), "max_grade must be an integer >= 1, got 0"),
            (lambda: DCG(gain="exp"), "gain must be one of .*Did you mean 'exp2'"),
            (lambda: DCG(gain=(2, 1)), "gain must not decrease from grade to grade"),
            (lambda: DCG(gain=(-1, 1)), "gain must not decrease from grade to grade"),
            (lambda: DCG(discount="log"), "discount must be one of .*Did you mean 'log2'"),
            (lambda: DCG(discount="jk", log_base=1), "log_base must be a finite number > 1, got 1"),
            (lambda: DCG(log_base=3), 'log_base must be 2 unless discount="jk"'),
            (lambda: RBP(p=1), "p must lie strictly between 0 and 1, got 1"),
            (lambda: RBP(gain="log"), "gain must be one of 'binary', 'linear', 'exp2', got 'log'"),
            (lambda: RBP(max_grade=2), "max_grade must be None unless gain is graded"),
            (lambda: RBP(gain="linear", rel=2), 'rel must be 1 unless gain="binary", got 2'),
            (lambda: ERR(gain=(3, 1)), "gain must not decrease from grade to grade"),
            (lambda: ERR(gain=(1, 3), max_grade=3), r"number of entries of gain \(2\).*got 3"),
            (lambda: RprefN(max_grade=0), "max_grade must be an integer >= 1, got 0"),
            (lambda: QMeasure(beta=-1), "beta must be a finite number >= 0, got -1"),
            (lambda: F(beta=math.inf), "beta must be a finite number >= 0, got inf"),
            (lambda: infAP(epsilon=0), "epsilon must be a finite number > 0, got 0"),
            (lambda: infAP(ties="expected"), "ties must be 'row_order'.* no closed form"),
            (lambda: RankedHalfLife(ties="expected"), "RankedHalfLife, got 'expected'"),
            (
                lambda: NormalizedRecall(k=5),
                "k must be None for NormalizedRecall, .* count, got 5",
            ),
            (lambda: ADM(ties="row_order"), "ties must be 'expected' for ADM, because it compares"),
            (lambda: Fallout(normalize=True), "normalize must be False for Fallout, .* got True"),
            (
                lambda: Bpref(unjudged="nonrelevant"),
                "unjudged must be 'condense' for Bpref, because it counts judged documents",
            ),
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
        with pytest.raises(
            ValueError, match=r"grades 0\.\.2 for xGAP.*\(g has as many entries\), got 3"
        ):
            xGAP(g=(0.5, 0.5))([3, 0], [1, 2])
        with pytest.raises(
            ValueError, match=r"grades 0\.\.2 for xGAP.*\(that is max_grade\), got 3"
        ):
            xGAP(max_grade=2)([3, 0], [1, 2])

    def test_g_longer_than_the_top_grade(self):
        assert eGAP(g=(0.25, 0.25, 0.5))([2, 1], [2, 1]) == pytest.approx(0.5)
        assert eGAP(max_grade=4)([2, 1], [2, 1]) == pytest.approx(0.5)

    @pytest.mark.parametrize("kind", [ERR, GeneralizedP, RprefN, ADM])
    def test_a_grade_above_the_scale(self, kind):
        with pytest.raises(ValueError, match=rf"grades 0\.\.2 for {kind.__name__}.*got 3"):
            kind(max_grade=2)([3, 0], [1, 0])
        with pytest.raises(ValueError, match=r"for every grade 1\.\.3 in y_true, got 2 entries"):
            kind(gain=(1, 2))([3, 0], [1, 0])

    @pytest.mark.parametrize("chosen", [AP(rel=3), RBP(rel=3), Bpref(rel=3), infAP(rel=3)])
    def test_a_threshold_above_the_scale(self, chosen):
        with pytest.raises(ValueError, match=r"rel must not exceed .*is 2; got 3"):
            chosen([2, 0], [1, 0])
        assert chosen([3, 1], [1, 0], qid=[0, 1]) == chosen([3], [1]) / 2  # one of two is empty
        assert dataclasses.replace(chosen, rel=1)([0, 0], [1, 0]) == 0.0

    def test_the_top_of_the_scale_is_the_datas_until_named(self):
        for kind in (ERR, GeneralizedP, RprefN):
            assert kind().is_open
            assert not kind(gain=(1, 2)).is_open
            assert kind().resolve(4) == kind(max_grade=4)
        assert RBP(gain="exp2").resolve(3) == RBP(gain="exp2", max_grade=3)
        assert not RBP().is_open
        y_true, y_score = [2, 0, 1, 1], [4, 3, 2, 1]
        for kind in (ERR, GeneralizedP, RprefN):
            assert kind()(y_true, y_score) == kind(max_grade=2)(y_true, y_score)
            assert kind(max_grade=3)(y_true, y_score) != kind()(y_true, y_score)

    def test_gain_shorter_than_the_top_grade(self):
        with pytest.raises(ValueError, match=r"gain must have one entry for every grade 1\.\.3"):
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

    def test_thresholds_of_few_digits_are_made_to_sum_to_one(self):
        assert xGAP(g=np.full(3, 1 / 3, np.float32)) == xGAP(g=(1 / 3, 1 / 3, 1 / 3))
        assert xGAP(g=(0.1, 0.2, 0.7)).g == (0.1, 0.2, 0.7)

    @pytest.mark.parametrize("kind", [nDCG, ERR, RBP, QMeasure])
    def test_gains_beyond_floats_are_refused(self, kind):
        chosen = kind(gain="exp2")
        assert np.isfinite(chosen([1000, 0, 1], [1, 2, 3]))
        with pytest.raises(ValueError, match=r"grades below 102\d for the gain 2\^r - 1.*got 1023"):
            chosen([1023, 0, 1023, 1023], [1, 2, 3, 4])

    def test_a_high_top_grade_takes_no_room(self):
        y_true, y_score = np.tile([0, 0, 0, 0, 2000], 5000), np.tile(np.arange(5.0), 5000)
        rankings = Rankings.from_arrays(y_true, y_score, np.repeat(np.arange(5000), 5))
        tracemalloc.start()
        value = eGAP(g="linear")(rankings)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert value == pytest.approx(1.0)
        assert peak < 20e6

    @pytest.mark.parametrize("g", ["uniform", "linear"])
    def test_numbers_that_are_no_grades_are_refused(self, g):
        with pytest.raises(
            ValueError, match=r"grades up to 10000 for xGAP.*got a top grade of 300000000"
        ):
            xGAP(g=g)([3 * 10**8, 0, 1], [3, 2, 1])

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

    @pytest.mark.parametrize(
        "mean",
        [
            lambda chosen, rows: chosen(*rows),
            lambda chosen, rows: chosen.per_query(*rows).mean(),
            lambda chosen, rows: evaluate(chosen, *rows).mean(),
            lambda chosen, rows: evaluate(chosen, *rows)[chosen],
        ],
    )
    def test_a_warning_names_the_line_of_the_user(self, mean):
        with pytest.warns(skgraded.UndefinedMeanWarning) as found:
            mean(AP(empty=float("nan")), ([0, 0], [1, 2]))
        assert [each.filename for each in found] == [__file__]

    @given(st.lists(st.integers(0, 4), min_size=1), st.sampled_from([None, 1, 3]))
    def test_a_perfect_ranking_has_the_bits_of_the_ideal_one(self, y_true, k):
        assert nDCG(k=k, empty=1.0)(y_true, y_true) == 1.0

    def test_scores_hold_measures_and_queries(self):
        scores = evaluate(["AP", "nDCG@10"], [1, 0], [1, 2])
        assert "AP" in scores
        assert nDCG(k=10) in scores
        assert "nDCG(k=10)" in scores
        assert "nDCG" not in scores
        assert "no measure" not in scores
        assert np.zeros(2) not in scores
        with pytest.raises(TypeError, match="not iterable"):
            list(scores)

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
        with pytest.raises(TypeError, match="must be None with a Rankings"):
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


def test_the_readme_lists_every_measure():
    readme = Path(__file__).resolve().parents[1] / "README.md"
    if not readme.exists():
        pytest.skip("no README beside the tests")
    section = readme.read_text(encoding="utf-8").split("## Measures")[1].split("GAP is biased")[0]
    assert set(re.findall(r"`(\w+)`", section)) == set(catalogue())


def test_mean_with_an_infinite_value():
    # Half of the gain of a list without gain is found nowhere.
    scores = evaluate("RankedHalfLife@1", [0, 1, 1, 0], [2, 1, 2, 1], qid=[1, 1, 2, 2])
    assert scores.values[:, 0].tolist() == [math.inf, 0.5]
    assert scores["RankedHalfLife@1"] == math.inf
    assert "inf" in repr(scores)
