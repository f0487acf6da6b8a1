"""Smallest and largest values over all judgments of the unjudged documents."""

import itertools
import math

import numpy as np
import pytest
from facts import FACTS, FEW, TIES, has_mean_over_ties
from hypothesis import given, strategies as st
from pools import rankings_of_pools

from skgraded import RBP, catalogue, measure
from skgraded.measures import CG, GeneralizedP, P, bounds

TOLERANCE = 1e-12

BOUNDED = [example for facts in FACTS.values() for example in facts.bounds]


class TestBounds:
    @pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
    @pytest.mark.filterwarnings("ignore::skgraded.exceptions.SwappedArgumentsWarning")
    @pytest.mark.parametrize("name", BOUNDED)
    @FEW
    @given(st.data())
    def test_against_all_judgments_on_a_grid(self, name, data):
        known = data.draw(st.sampled_from([[0, 1, 2, 3], [0, 0.25, 1, 1.5, 2.75]]))
        label = st.sampled_from([*known, math.nan, math.nan])
        labels = data.draw(st.lists(label, min_size=1, max_size=4))
        kind = type(measure(name)).__name__
        ties = data.draw(
            st.sampled_from(TIES if has_mean_over_ties(kind) else TIES[1:])
        )
        scores = data.draw(
            st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels))
        )
        chosen = measure(name).replace(ties=ties).resolve(3)
        found = bounds(chosen, labels, scores, max_grade=3)
        grid = [0, 0.3, 1, 1.6, 2, 3]
        queries = list(
            itertools.product(
                *[grid if math.isnan(label) else [label] for label in labels]
            )
        )
        qid = np.repeat(range(len(queries)), len(labels))
        values = chosen.per_query(
            np.ravel(queries), scores * len(queries), qid=qid
        ).values
        assert found.smallest.values[0] == pytest.approx(min(values), abs=TOLERANCE)
        assert found.largest.values[0] == pytest.approx(max(values), abs=TOLERANCE)

    def test_the_highest_grade_by_default_is_the_largest_label_rounded_up(self):
        assert bounds(
            CG(), [0.5, 1.25, math.nan], [3, 2, 1]
        ).largest.values.tolist() == [3.75]

    @pytest.mark.parametrize("n_grades", range(250, 257))
    def test_of_about_as_many_grades_as_bytes_hold(self, n_grades):
        labels = [*np.linspace(0.125, 0.875, n_grades - 1), math.nan, math.nan]
        found = bounds(GeneralizedP(max_grade=2), labels, range(len(labels), 0, -1))
        known = sum(labels[:-2])
        assert found.smallest.values[0] == pytest.approx(known / 2 / len(labels))
        assert found.largest.values[0] == pytest.approx((known + 4) / 2 / len(labels))

    @pytest.mark.parametrize("name", sorted(FACTS))
    def test_all_measures_that_have_bounds_name_an_example(self, name):
        refused = FACTS[name].refuses
        plain = {} if "normalize" in refused else {"normalize": False}
        plain |= {} if "unjudged" in refused else {"unjudged": "nonrelevant"}
        chosen = catalogue()[name](**plain)
        if FACTS[name].bounds:
            assert {type(measure(example)) for example in FACTS[name].bounds} == {
                type(chosen)
            }
            assert bounds(chosen, [1, math.nan], [0.2, 0.1]).largest.values >= 0
        else:
            with pytest.raises(
                ValueError, match="its divisor changes with the judgments"
            ):
                bounds(chosen, [1, math.nan], [0.2, 0.1])

    def test_of_several_queries(self):
        nan = math.nan
        found = bounds(P(k=2), [1, nan, nan, 0], [2, 1, 2, 1], qid=["a", "a", "b", "b"])
        assert found.smallest.values.tolist() == [0.5, 0.0]
        assert found.largest.values.tolist() == [1.0, 0.5]
        assert list(found.largest.qid) == ["a", "b"]
        assert (float(found.smallest), float(found.largest)) == (0.25, 0.75)

    def test_the_scale_is_the_measures_or_the_datas_or_named(self):
        labels, scores = [2, math.nan], [1, 2]
        assert bounds(CG(), labels, scores).largest.values == [4]
        assert bounds(CG(), labels, scores, max_grade=4).largest.values == [6]
        assert bounds(CG(gain=(1, 2, 7)), labels, scores).largest.values == [9]
        assert bounds(GeneralizedP(max_grade=4), labels, scores).largest.values == [
            0.75
        ]
        assert bounds(P(rel=3), labels, scores).largest.values == [0.5]
        with pytest.raises(
            ValueError, match=r"max_grade must be an integer >= 1, got 0\.5"
        ):
            bounds(CG(), labels, scores, max_grade=0.5)

    def test_of_a_run_whose_pool_holds_more(self):
        rankings = rankings_of_pools([([None, 1], [1, 2, 0])])
        found = bounds(RBP(p=0.5), rankings)
        assert (found.smallest.values[0], found.largest.values[0]) == (0.25, 0.75)

    def test_rules_that_change_more_than_the_value(self):
        with pytest.raises(
            ValueError, match="the list itself changes with the judgments"
        ):
            bounds(P(unjudged="condense"), [1, math.nan], [2, 1])
        with pytest.raises(
            ValueError, match=r"empty must be 0\.0, the worst value, got 1\.0"
        ):
            bounds(P(empty=1), [1, math.nan], [2, 1])
        with pytest.raises(ValueError, match="its divisor changes"):
            bounds(P(normalize=True), [1, math.nan], [2, 1])
