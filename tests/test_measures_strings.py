"""Measures as strings, and back."""

import dataclasses
import math
import pickle

import pytest
import strategies
from facts import FACTS, FEW, TIES, fields_of
from hypothesis import given
from hypothesis import strategies as st

from skgraded import AP, catalogue, evaluate, measure, nDCG


class TestStrings:
    @pytest.mark.parametrize("name", sorted(FACTS))
    @FEW
    @given(data=st.data())
    def test_str_and_measure_are_inverse(self, name, data):
        chosen, _ = data.draw(fields_of(name, data.draw(strategies.MAX_GRADES)))
        if "ties" not in FACTS[name].refuses:
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
            ("nDGC@10", "Unknown measure 'nDGC' in 'nDGC@10'. Did you mean 'nDCG@10'"),
            ("AP(rell=2)", r"AP has no field 'rell'.*Did you mean 'AP\(rel=2\)'"),
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
