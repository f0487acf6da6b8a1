"""Blends: weighted sums of measures, as values, in scoring and in training."""

import dataclasses

import numpy as np
import pytest

from skgraded import (
    AP,
    ERR,
    Blend,
    catalogue,
    chunks,
    eGAP,
    evaluate,
    measure,
    nDCG,
    xGAP,
)
from skgraded.cli._inputs import with_fields
from skgraded.conventions import measure_as
from skgraded.measures import FDR, P, bounds, register

G = (0.1, 0.2, 0.3, 0.4)
HALF = Blend({eGAP(g=G): 0.5, nDCG(k=10): 0.5})


def some_rows():
    rng = np.random.default_rng(7)
    qid = np.repeat(np.arange(12), rng.integers(1, 15, 12))
    return (
        rng.integers(0, 5, len(qid)).astype(float),
        rng.integers(0, 6, len(qid)) / 2,
        qid,
    )


class TestValue:
    def test_it_is_the_weighted_sum_of_the_values_of_its_parts(self):
        y, score, qid = some_rows()
        y[::9] = np.nan
        parts = {
            "eGAP(g=[0.1,0.2,0.3,0.4])": 0.5,
            "nDCG(gain=exp2,ties=pessimistic)@3": 2.0,
            "ERR(max_grade=4,unjudged=condense)": 0.25,
        }
        found = Blend(parts).per_query(y, score, qid=qid).values
        each = {
            name: measure(name).per_query(y, score, qid=qid).values for name in parts
        }
        expected = sum(weight * each[name] for name, weight in parts.items())
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        mean = Blend(parts)(y, score, qid=qid)
        assert mean == pytest.approx(np.mean(expected), rel=1e-14)

    @pytest.mark.parametrize(
        "name", ["AP", "ERR", "FDR", "INST", "RprefN", "infAP", "nDCG"]
    )
    def test_a_blend_of_one_part_has_its_bits(self, name):
        y, score, qid = some_rows()
        part = catalogue()[name]().resolve(4)
        blend = Blend({part: 1})
        of_blend, of_part = (
            each.per_query(y, score, qid=qid) for each in (blend, part)
        )
        np.testing.assert_array_equal(of_blend.values, of_part.values)
        assert of_blend.n_empty == of_part.n_empty
        assert blend.greater_is_better == part.greater_is_better

    def test_empty_queries_are_those_of_the_parts(self):
        given = [0, 1, 2, 0], [1, 2, 1, 1]
        for empty, values, told in (
            (1.0, [0.5, 1.5, 1.125], "1 query with nothing relevant, counted as 0.5"),
            (np.nan, [np.nan, np.nan, 1.125], "2 queries"),
        ):
            blend = Blend({AP(): 1.0, AP(rel=2, empty=empty): 0.5})
            found = evaluate(blend, *given, qid=[0, 1, 2, 2])
            np.testing.assert_array_equal(found.values[:, 0], values)
            assert blend(*given, qid=[0, 1, 2, 2]) == np.nanmean(values)
            assert told in str(found)
        assert Blend({AP(): 1.0, AP(rel=2, empty=1.0): 0.5}).empty == 0.5

    def test_the_ideal_ranking(self):
        y, score, qid = some_rows()
        table = evaluate([HALF, eGAP(g=G), "nDCG@10"], y, score, qid=qid)
        blend, *parts = table.ideals
        assert blend == pytest.approx(0.5 * parts[0] + 0.5 * parts[1])
        assert evaluate(
            Blend({ERR(max_grade=4): 1, "R@3": 1}), y, score, qid=qid
        ).ideals[0]

    def test_an_open_scale_is_that_of_the_parts(self):
        is_open = Blend({xGAP(): 1.0, AP(): 1.0})
        assert is_open.is_open
        assert is_open.resolve(4) == Blend({xGAP(max_grade=4): 1.0, AP(): 1.0})
        assert not is_open.resolve(4).is_open
        assert HALF.resolve(9) is HALF

    def test_bounds_are_the_sums_of_those_of_the_parts(self):
        y, score = [np.nan, 0, 2, np.nan], [4, 3, 2, 1]
        parts = {"P@2": 1.0, "RBP(gain=linear,max_grade=4)": 0.5}
        found = bounds(Blend(parts), y, score)
        each = {name: bounds(measure(name), y, score, max_grade=4) for name in parts}
        for end in ("smallest", "largest"):
            sums = sum(
                weight * getattr(each[name], end).values
                for name, weight in parts.items()
            )
            np.testing.assert_allclose(getattr(found, end).values, sums)
        with pytest.raises(
            ValueError, match=r"^nDCG@10 has no bounds over judgments: its divisor"
        ):
            bounds(Blend({"P": 1, "nDCG@10": 1}), y, score)

    def test_in_chunks(self):
        y, score, qid = some_rows()
        blocks = (
            (y[part], score[part], qid[part])
            for part in (slice(0, 30), slice(30, None))
        )
        found = chunks.evaluate([HALF], blocks)
        assert float(found[str(HALF)]) == HALF(y, score, qid=qid)


class TestAsAValue:
    def test_strings(self):
        assert str(HALF) == "Blend({eGAP(g=[0.1,0.2,0.3,0.4]):0.5,nDCG@10:0.5})"
        assert repr(Blend({nDCG(k=10): 1})) == "Blend({nDCG(k=10): 1.0})"
        parts = {"QMeasure": 0.5, "nDCG@10": 2}
        assert measure("blend({Q-measure: .5, ndcg_cut_10: 2})") == Blend(parts)
        assert "Blend" not in catalogue()
        ruled = with_fields(
            measure("Blend({AP:1,nDCG(ties=optimistic):1})"), ties="row_order"
        )
        assert str(ruled) == "Blend({AP(ties=row_order):1,nDCG(ties=optimistic):1})"

    def test_the_order_of_the_parts_and_nesting_do_not_matter(self):
        assert Blend({nDCG(k=10): 0.5, eGAP(g=G): 0.5}) == HALF == HALF.replace()
        assert Blend({HALF: 2, nDCG(k=10): 1}) == Blend({eGAP(g=G): 1, nDCG(k=10): 2})
        assert Blend({"AP": 1, AP(): 2}) == Blend({AP(): 3})
        assert Blend({AP(): 1}) != Blend({AP(): 2})
        assert nDCG(k=10) != HALF
        with pytest.raises(dataclasses.FrozenInstanceError):
            HALF.parts = ()
        assert not Blend({FDR(k=2): 1, "FDR@5": 1}).greater_is_better


def test_what_is_refused():
    with pytest.raises(
        ValueError, match=r"'BLEND' means <class 'skgraded.measures.blend.Blend'"
    ):
        register(type("BLEND", (P,), {}))
    with pytest.raises(ValueError, match="the value of lightgbm's 'Blend"):
        measure_as("lightgbm", HALF)
