"""Grades between the whole ones: every measure against its literal oracle, and by identities."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from reference import REFERENCE
from reference.queries import per_query

from skgraded import (
    AP,
    GAP,
    Judgments,
    catalogue,
    eGAP,
    evaluate,
    make_ranking_scorer,
    measure,
    nDCG,
    xGAP,
)
from skgraded.exceptions import GradeScaleWarning
from skgraded.lightgbm import objective
from skgraded.measures import G, PairFactors, PairPart
from skgraded.measures._positions import RECIPROCAL
from skgraded.rankings._levels import go_by_own_levels

pytestmark = [
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.SwappedArgumentsWarning"),
]

TOLERANCE = 1e-12

# Measures that count pairs of grades.
PAIRS = (
    "AP",
    "GAP",
    "xGAP",
    "eGAP",
    "grAP",
    "QMeasure",
    "GeneralizedAP",
    "WeightedAP",
    "NCU",
)
PAIRS += (
    "SetAP",
    "BprefN",
    "BprefRelative",
    "RprefN",
    "RprefRelative",
    "RprefRelative2",
)


# --- Queries whose grades are whole keep their path, and no query depends on its company ----------


def mixed_queries(n_queries=40, n_documents=30, seed=0):
    """Queries of whole grades, of whole grades above 31, and of any grades, with tied scores."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), n_documents)
    y_true = rng.integers(0, 5, len(qid)).astype(float)
    y_true[qid % 3 == 1] += rng.random(np.count_nonzero(qid % 3 == 1)).round(2)
    y_true[qid % 3 == 2] *= 9.0
    y_true[rng.random(len(qid)) < 0.1] = np.nan
    return y_true, rng.integers(0, 12, len(qid)).astype(float), qid


def chosen_for(name):
    """A measure that counts pairs, with its scale named."""
    kind = catalogue()[name]
    fields = set(kind._fields)
    return kind(max_grade=45) if "max_grade" in fields else kind()


def long_scales(
    highest=(7, 8, 8, 30, 30, 31, 31, 32), sizes=(9, 26, 27, 30, 330, 341, 342, 900)
):
    """Queries of whole grades; 9 pairs of grades a document are too many, if 8 or more occur."""
    rng = np.random.default_rng(0)
    y_true = [
        np.append(rng.integers(0, h + 1, n - 1), h)
        for h, n in zip(highest, sizes, strict=True)
    ]
    qid = np.repeat(np.arange(len(sizes)), sizes)
    return np.concatenate(y_true), rng.integers(0, 40, len(qid)).astype(float), qid


def test_long_scales_are_shared_by_long_lists_alone():
    y_true, _, qid = long_scales()
    of_own = [1, 3, 5, 7]
    for labels in (y_true, y_true.astype(float)):
        parts = Judgments(labels, qid=qid).by_scale
        own = [
            part.queries.tolist()
            for part in parts
            if part.judgments.borders is not None
        ]
        assert own[0] in (of_own, list(range(8)))
        assert len(parts) == 1 or set(parts[1].queries) in ({1, 3, 5, 7}, {0, 2, 4, 6})
    unjudged = np.where(
        np.arange(len(qid)) == np.flatnonzero(qid == 2)[0], np.nan, y_true
    )
    marks = [go_by_own_levels(Judgments(each, qid=qid)) for each in (y_true, unjudged)]
    assert [np.flatnonzero(each).tolist() for each in marks] == [
        of_own,
        [1, 2, 3, 5, 7],
    ]


FEW_QUERIES = long_scales((30, 12, 3, 0, 8), (100, 20, 9, 4, 60))
MANY_QUERIES = long_scales((30, *(12,) * 12, 3, 0), (100, *(20,) * 12, 9, 4))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        (mixed_queries(), {}),
        (mixed_queries(), {"k": 7, "normalize": True}),
        (mixed_queries(), {"ties": "optimistic"}),
        (FEW_QUERIES, {}),
        (MANY_QUERIES, {}),
    ],
)
def test_no_bit_of_a_query_depends_on_the_other_queries(name, rows, fields):
    chosen = chosen_for(name).replace(**fields)
    y_true, y_score, qid = rows
    together = chosen.per_query(y_true, y_score, qid=qid)
    own = [np.flatnonzero(qid == q) for q in together.qid]
    alone = [chosen.per_query(y_true[each], y_score[each]) for each in own]
    np.testing.assert_array_equal(together.values, [each.values[0] for each in alone])
    assert together.n_empty == tuple(np.sum([each.n_empty for each in alone], axis=0))


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("rows", [FEW_QUERIES, MANY_QUERIES])
def test_values_of_long_scales(name, rows):
    chosen = chosen_for(name).replace(ties="row_order")
    arguments = {"max_grade": 45} if "max_grade" in vars(chosen) else {}
    if "g" in vars(chosen):
        arguments = {"g": (1 / 45,) * 45}
    y_true, y_score, qid = rows
    expected = per_query(
        REFERENCE[name], y_true, y_score, qid, "row_order", **arguments
    )
    values = chosen.per_query(y_true, y_score, qid=qid).values
    np.testing.assert_allclose(
        values, list(map(float, expected.values())), rtol=0, atol=TOLERANCE
    )


@pytest.mark.parametrize("top", [8, 20, 31])
def test_pairs_of_long_scales_in_ties(top):
    rng = np.random.default_rng(top)
    y_true = np.append(top, rng.integers(0, top + 1, (top + 1) ** 2))
    y_score = rng.integers(0, 40, len(y_true))
    thresholds = [AP(rel=rel)(y_true, y_score) for rel in range(1, top + 1)]
    assert eGAP(max_grade=top)(y_true, y_score) == pytest.approx(
        np.mean(thresholds), abs=TOLERANCE
    )
    assert thresholds[0] == pytest.approx(
        AP()(np.minimum(y_true, 1), y_score), abs=TOLERANCE
    )


def test_the_scale_of_all_queries_is_made_when_it_is_read():
    y_true, y_score, qid = mixed_queries()
    y_true[:2] = -0.0, 33.5
    judgments = Judgments(y_true.astype(np.float32), qid=qid)
    evaluate([chosen_for("xGAP"), "AP", "QMeasure"], judgments.rank(y_score))
    assert "_scale" not in vars(judgments)
    grades = np.unique(np.nan_to_num(y_true.astype(np.float32)))
    np.testing.assert_array_equal(judgments.grades, grades)
    assert not np.signbit(judgments.grades[0])
    read = np.append(judgments.grades, np.nan)[judgments.levels]
    np.testing.assert_array_equal(read, y_true.astype(np.float32))
    again = pickle.loads(pickle.dumps(judgments))
    chosen = chosen_for("eGAP")
    assert chosen(again, y_score) == chosen(judgments, y_score)
    assert again.has_unjudged == judgments.has_unjudged


def test_many_queries_of_two_scales_have_an_ideal():
    # So many that those of the shared scale, which has 32 grades, are scored in slices.
    y_true = np.append(np.arange(3000) % 32, [0.5, np.nan, 40.0])
    qid = np.arange(3003) // 3
    scores = evaluate(PAIRS, y_true, -np.nan_to_num(y_true), qid=qid)
    best = evaluate(PAIRS, y_true, np.nan_to_num(y_true), qid=qid)
    assert scores.ideal() == best.ideal() == pytest.approx(best.mean(), abs=TOLERANCE)
    assert f"{scores.ideal()['AP']:.4f}" in str(scores)


class PairsOfAnyKind(AP):
    """xGAP for a uniform g, by a full matrix that says nothing about its factors."""

    shares_levels = True

    def relevant(self, judgments):
        return judgments.grades > 0

    def pair_part(self, judgments):
        grades = judgments.grades
        counts = judgments.counts
        steps = np.diff(np.append(0.0, grades)) / 4
        share = np.cumsum(
            steps / np.maximum(np.cumsum(counts[:, ::-1], axis=1)[:, ::-1], 1), axis=1
        )
        factor = np.divide(
            share, grades / 4, out=np.zeros_like(share), where=grades > 0
        )
        lower = np.minimum(grades[:, None], grades) / 4
        return PairPart(RECIPROCAL, lower * factor[:, None, :])


def test_a_full_matrix_of_any_grades_is_that_of_its_factors():
    rng = np.random.default_rng(3)
    y_true, y_score = rng.random(60).round(2) * 4, rng.integers(0, 9, 60)
    ours = xGAP(max_grade=4)(y_true, y_score)
    assert PairsOfAnyKind()(y_true, y_score) == pytest.approx(ours, abs=TOLERANCE)


def test_a_long_list_of_distinct_grades_is_the_literal_sum():
    rng = np.random.default_rng(4)
    y_true, y_score = rng.random(3000) * 4, rng.permutation(3000)
    up_to = np.interp(y_true[np.argsort(-y_score)], range(5), [0, 0.1, 0.3, 0.6, 1.0])
    levels, level = np.unique(up_to, return_inverse=True)
    share = np.cumsum(np.diff(levels, prepend=0.0) / np.arange(3000, 0, -1))[level]
    seen = np.array(
        [np.minimum(up_to[: n + 1], own).sum() for n, own in enumerate(up_to)]
    )
    seen /= np.arange(1, 3001)
    g = (0.1, 0.2, 0.3, 0.4)
    assert xGAP(g=g)(y_true, y_score) == pytest.approx(
        (share / up_to * seen).sum(), abs=TOLERANCE
    )
    lower = np.minimum.outer(np.arange(3000), np.arange(3000))[level[:, None], level]
    by_level = np.sort(share)
    literal = (np.tril(by_level[lower]).sum(axis=1) / np.arange(1, 3001)).sum()
    assert eGAP(g=g)(y_true, y_score) == pytest.approx(literal, abs=TOLERANCE)


# --- Thresholds, gains and scales -----------------------------------------------------------------


def test_the_top_of_a_scale_is_rounded_up():
    y_true, y_score = [2.5, 0.0, 1.0], [1, 2, 3]
    for name in ("ERR", "xGAP", "RprefN", "RBP(gain=linear)"):
        inferred = measure(name)
        assert inferred(y_true, y_score) == inferred.resolve(3)(y_true, y_score)
        assert inferred.resolve(2.5) == inferred.resolve(3)


@pytest.mark.filterwarnings("default::skgraded.exceptions.GradeScaleWarning")
def test_the_warning_of_an_inferred_top_says_that_it_is_rounded_up():
    with pytest.warns(
        GradeScaleWarning, match=r"the largest label rounded up: 3, of 2\.25\."
    ):
        xGAP()([2.25, 0.0, 1.0], [1, 2, 3])
    with pytest.warns(GradeScaleWarning) as caught:
        xGAP()([2.0, 0.5, 1.0], [1, 2, 3])
    assert "rounded" not in str(caught[0].message)
    with pytest.warns(
        GradeScaleWarning, match=r"the largest label, rounded up\. Set max_"
    ):
        make_ranking_scorer("xGAP")  # of labels that are not known yet


def test_a_threshold_may_be_any_number():
    y_true, y_score = [0.2, 0.9, 0.6], [3, 2, 1]
    assert AP(rel=0.6)(y_true, y_score) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert str(AP(rel=0.6, k=5)) == "AP(rel=0.6)@5"
    assert measure("AP(rel=0.6)@5") == AP(rel=0.6, k=5)
    assert str(AP(rel=2.0)) == "AP(rel=2)"
    assert isinstance(AP(rel=2.0).rel, int)


@pytest.mark.filterwarnings("error")
def test_a_threshold_that_no_label_reaches_is_warned_of_once():
    with pytest.warns(GradeScaleWarning, match=r"which is 0\.9, .* got 1 in AP\."):
        assert AP()([0.2, 0.9, 0.6], [3, 2, 1]) == 0.0
    judgments = Judgments([0.2, 0.9])
    with pytest.warns(GradeScaleWarning):
        evaluate(["AP", nDCG(k=2)], judgments.rank([1, 2]))
    AP()(judgments.rank([1, 2]))
    AP()([0, 0], [1, 2])  # nothing is relevant for anybody


def test_the_newest_forms_of_grades_between_whole_ones_are_kept():
    y_true, y_score, qid = mixed_queries()
    judgments = Judgments(y_true, qid=qid)
    chosen = [xGAP(max_grade=top) for top in range(36, 45)]
    assert chosen[0](judgments, y_score) == chosen[0](y_true, y_score, qid=qid)
    own = next(
        part.judgments
        for part in judgments.by_scale
        if part.judgments.borders is not None
    )
    first, *_ = [each.prefix_form(own) for each in chosen[:8]]
    assert chosen[0].prefix_form(own) is first
    assert chosen[8].prefix_form(own) is chosen[8].prefix_form(own)
    assert chosen[0].prefix_form(own) is not first


class FactorsOf(AP):
    """A measure of the factors that a function makes of the labels."""

    def relevant(self, judgments):
        return judgments.grades > 0

    def pair_part(self, judgments):
        return PairPart(RECIPROCAL, PairFactors(**self.make(judgments)))


def factors(make):
    return type("FactorsOfThis", (FactorsOf,), {"make": staticmethod(make)})()


WHOLE, BETWEEN = [1, 0, 2], [1, 0, 2.5]


@pytest.mark.parametrize("labels", [WHOLE, BETWEEN])
@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda _: {"u": np.ones(2), "w": np.ones(3)},
            r"u .* must have shape \(3,\), got \(2,\)",
        ),
        (
            lambda _: {"u": np.ones(3), "w": np.ones(4)},
            r"w .* must have shape \(3,\), got \(4,\)",
        ),
        (lambda j: {"f": j.grades[3:]}, r"f .* must have shape \(3,\), got \(0,\)"),
        (
            lambda j: {"f": j.grades, "h": np.ones((1, 0))},
            r"h .* have shape .*, got \(1, 0\)",
        ),
        (lambda j: {"f": j.grades, "h": 1.0}, r"h .* must have shape \(3,\), got \(\)"),
        (
            lambda j: {"f": j.grades, "scale": []},
            r"scale .* must have shape \(1,\), got \(0,\)",
        ),
        (
            lambda j: {"f": np.ones((2, len(j.grades)))},
            r"f .* must have shape .*, got \(2, 3\)",
        ),
    ],
)
def test_factors_of_other_shapes_are_refused(labels, make, told):
    with pytest.raises(ValueError, match=told):
        factors(make)(labels, [3, 2, 1])


def test_factors_that_say_something_else_than_documented_are_refused():
    with pytest.raises(
        ValueError, match=r"f of PairFactors must be 0 at level 0, got 1\.0"
    ):
        factors(lambda j: {"f": 1 + j.grades})(BETWEEN, [3, 2, 1])
    with pytest.raises(ValueError, match=r"f .* must not fall .*, got 2\.5 after 4\.0"):
        factors(lambda j: {"f": np.where(j.grades > 0, 5 - j.grades, 0)})(
            BETWEEN, [3, 2, 1]
        )
    for name in ("f", "h"):
        both = {
            "f": np.arange(3.0),
            "u": np.ones(3),
            "w": np.ones(3),
            name: np.ones((1, 3)),
        }
        with pytest.raises(
            ValueError, match=f"{name} .* must be the same for .* beside u and w"
        ):
            factors(lambda _, both=both: both)(WHOLE, [3, 2, 1])


def test_pairs_without_a_product_have_no_gradient():
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 3, 60).astype(np.float32), rng.normal(size=60)
    for make in (
        lambda _: {},
        lambda _: {"u": np.ones(3)},
        lambda _: {"h": np.ones(3)},
    ):
        for _ in range(3):
            objective("xGAP(max_grade=2)")(
                grades, scores, None, [10] * 6
            )  # which fills the memory
            first, _ = objective(factors(make))(grades, scores, None, [10] * 6)
            assert not first.any()


def test_factors_of_any_numbers_are_read_as_doubles():
    expected = factors(lambda j: {"f": j.grades, "h": j.grades})
    others = factors(
        lambda j: {"f": [*j.grades], "h": np.float32(j.grades).repeat(2)[::2]}
    )
    for labels in (WHOLE, BETWEEN, [4, 0, 8]):
        assert others(labels, [3, 2, 1]) == expected(labels, [3, 2, 1])
    taken = np.float32(WHOLE), np.arange(3.0), None, [3]
    np.testing.assert_array_equal(
        objective(others)(*taken), objective(expected)(*taken)
    )
    # A query's levels begin anew: the order of 2.5, and of 1.5 of the next query, is none.
    assert expected([0.5, 2.5, 1.5, 0], [4, 3, 2, 1], qid=[0, 0, 1, 1]) > 0


def test_a_grade_above_the_scale_is_named_as_it_is():
    for grade, said in ((2.5, r"2\.5"), (3, "3")):
        with pytest.raises(
            ValueError, match=rf"must hold grades 0\.\.2 .*, got {said}\.$"
        ):
            xGAP(g=(0.5, 0.5))([0.5, grade], [1, 2])
        with pytest.raises(
            ValueError,
            match=rf"grades up to 10000 .*, got a top grade of 2000{said}\.$",
        ):
            xGAP()([0.5, 20_000 + grade], [1, 2])


def test_an_array_for_levels_of_each_query_is_refused():
    own = type("Own", (PairsOfAnyKind,), {"shares_levels": False})
    assert own()([1, 0, 3], [3, 2, 1]) == PairsOfAnyKind()([1, 0, 3], [3, 2, 1])
    with pytest.raises(
        ValueError, match=r"K of Own must be PairFactors .* shares_levels = True"
    ):
        own()([1, 0, 2.5], [3, 2, 1])


@pytest.mark.parametrize("base", [xGAP, eGAP])
def test_thresholds_between_whole_grades_are_not_left_out_of_a_shared_scale(base):
    own = type("Own", (base,), {"shares_levels": True})
    chosen, theirs = own(max_grade=3), base(max_grade=3)
    assert chosen([1, 0, 3], [3, 2, 1]) == theirs([1, 0, 3], [3, 2, 1])
    with pytest.raises(
        ValueError, match=r"integer grades for .* that states shares_levels"
    ):
        chosen([1, 0, 2.5], [3, 2, 1])


# --- Very small and very large numbers, against exact fractions -----------------------------------


def exact_gap(labels, g):
    """GAP of a list in rank order, whose grades are at most 1."""
    G = [Fraction(g[0]) * Fraction(label) for label in labels]
    above = [
        sum(min(G[m], own) for m in range(n + 1)) / (n + 1) for n, own in enumerate(G)
    ]
    return float(sum(above) / sum(G))


@pytest.mark.parametrize(
    ("labels", "g"),
    [
        ([1, 0, 1], (1e-299, 1 - 1e-299)),
        ([1e-280, 0, 3e-280, 2e-280], (1e-10, 1 - 1e-10)),
        ([3e-298, 0, 5e-298, 1e-200], (1.0,)),
    ],
)
def test_very_small_probabilities_keep_their_ratios(labels, g):
    chosen = GAP(g=g)
    scores = range(len(labels), 0, -1)
    assert chosen(labels, scores) == pytest.approx(exact_gap(labels, g), rel=1e-9)
    for small in (xGAP(g=g), eGAP(g=g)):
        assert 0 <= small(labels, scores) <= 1
        assert 0 <= small.replace(normalize=True)(labels, scores) <= 1


@pytest.mark.parametrize(
    ("labels", "g"), [([1, 0, 1], (5e-324, 1.0)), ([1e-300, 0], (1e-10, 1 - 1e-10))]
)
@pytest.mark.parametrize("kind", [GAP, xGAP, eGAP])
def test_grades_that_hardly_a_user_wants_are_not_relevant(kind, labels, g):
    assert kind(g=g, empty=0.25)(labels, range(len(labels), 0, -1)) == 0.25


@pytest.mark.parametrize("grade", [1e-300, 1e-17, 1e-9, 0.25, 0.75])
def test_exponential_gains_of_small_grades_keep_their_digits(grade):
    # 2^r - 1 = sum over i of (r ln 2)^i / i!
    ln2 = Fraction(math.log(2))
    series = sum((ln2 * Fraction(grade)) ** i / math.factorial(i) for i in range(1, 30))
    assert measure("CG(gain=exp2)")([grade], [1]) == pytest.approx(
        float(series), rel=1e-14
    )


def exact_G(gains):
    """G by the formula; sums are exact."""
    ideal = sorted(map(Fraction, gains), reverse=True)
    best = itertools.accumulate(max(Fraction(1), each) for each in ideal)
    found = itertools.accumulate(map(Fraction, gains))
    logs = [Fraction(math.log2(2 + c - g)) for c, g in zip(best, found, strict=True)]
    total = sum(Fraction(gain) / each for gain, each in zip(gains, logs, strict=True))
    return float(total / sum(map(Fraction, gains)))


@pytest.mark.parametrize("highest", [10, 41, 60, 90])
def test_gains_that_differ_by_many_powers_of_two_leave_G_its_digits(highest):
    rng = np.random.default_rng(highest)
    for _ in range(40):
        gain = tuple(sorted([0.3, *2.0 ** rng.integers(1, highest, 3)]))
        grades = rng.integers(0, 5, rng.integers(2, 6))
        grades[0] = 4
        literal = exact_G([(0.0, *gain)[grade] for grade in grades])
        assert G(gain=gain)(grades, -np.arange(len(grades))) == pytest.approx(
            literal, rel=1e-13
        )
