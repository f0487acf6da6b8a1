"""Measures as strings, and back."""

import math
import pickle

import pytest
import strategies
from facts import FACTS, FEW, TIES, fields_of
from hypothesis import given, strategies as st

from skgraded import AP, Blend, catalogue, evaluate, measure, nDCG
from skgraded.measures import P, register


class TestStrings:
    @pytest.mark.parametrize("name", sorted(FACTS))
    @FEW
    @given(data=st.data())
    def test_str_and_measure_are_inverse(self, name, data):
        chosen, _ = data.draw(fields_of(name, data.draw(strategies.MAX_GRADES)))
        if "ties" not in FACTS[name].refuses:
            chosen = chosen.replace(ties=data.draw(st.sampled_from(TIES[1:])))
        blend = Blend({chosen: data.draw(st.floats(1e-9, 1e9))})
        for each in (chosen, blend):
            for other in (measure(str(each)), pickle.loads(pickle.dumps(each))):
                assert other == each
                assert hash(other) == hash(each)
            names = {**catalogue(), "Blend": Blend, "float": float}
            assert eval(repr(each), names) == each
            assert " " not in str(each)

    def test_nan_survives_equality_pickling_and_strings(self):
        chosen = AP(empty=float("nan"))
        for other in (
            measure(str(chosen)),
            pickle.loads(pickle.dumps(chosen)),
            AP(empty=math.nan),
        ):
            assert other == chosen
            assert hash(other) == hash(chosen)
        assert str(chosen) == "AP(empty=nan)"

    def test_cutoff_may_be_a_field_or_follow_the_at_sign(self):
        assert measure("nDCG(k=5)") == measure(" nDCG @ 5 ") == nDCG(k=5)

    def test_something_else_than_a_string(self):
        with pytest.raises(TypeError, match="a Measure or a string, got 3"):
            measure(3)
        with pytest.raises(TypeError, match=r"got the class AP: write AP\(\)"):
            evaluate(AP, [1, 0], [1, 2])
        with pytest.raises(
            TypeError, match="a measure or a sequence of measures, got None"
        ):
            evaluate(None, [1, 0], [1, 2])

    @pytest.mark.parametrize("arguments", [(10,), ([1, 0], [1, 2])])
    def test_a_class_called_like_a_function(self, arguments):
        with pytest.raises(
            TypeError, match=r"AP\(k=10\).*call an instance: AP\(\)\(y_true, y_s"
        ):
            AP(*arguments)


class TestRegister:
    def test_an_unregistered_subclass_changes_nothing(self):
        known = catalogue()

        class nDCG(known["nDCG"]):
            gain = "exp2"

        assert catalogue() == known
        assert type(measure("nDCG@3")) is known["nDCG"]
        of_string = measure("nDCG@3")([0, 1, 3], [3, 2, 1])
        assert of_string == pytest.approx(
            (1 / math.log2(3) + 3 / 2) / (3 + 1 / math.log2(3))
        )
        of_class = nDCG(k=3)([0, 1, 3], [3, 2, 1])
        assert of_class == pytest.approx(
            (1 / math.log2(3) + 7 / 2) / (7 + 1 / math.log2(3))
        )

    @pytest.mark.parametrize(
        ("name", "means"),
        [
            ("nDCG", "<class 'skgraded.measures.ndcg.nDCG'>"),
            ("N_DCG", "<class 'skgraded.measures.ndcg.nDCG'>"),
            ("MAP", "<class 'skgraded.measures.average_precision.AP'>"),
            ("P_10", "a measure of P"),
            ("f1", "a measure of F"),
        ],
    )
    def test_a_name_that_means_something_is_refused(self, name, means):
        before, known = measure("P@3"), catalogue()
        with pytest.raises(
            ValueError, match=f"must be a new name; {name!r} means {means}, got "
        ):
            register(type(name, (P,), {}))
        assert measure("P@3") == before
        assert catalogue() == known

    def test_what_is_no_measure_is_refused(self):
        for wrong in (P(), int, "P"):
            with pytest.raises(
                TypeError, match="kind must be a subclass of Measure, got "
            ):
                register(wrong)
        with pytest.raises(
            ValueError, match=r"must be a word, got <class '.*two words'>"
        ):
            register(type("two words", (P,), {}))

    def test_a_registered_class_is_known_by_its_name(self):
        with pytest.raises(ValueError, match="Unknown measure 'Early'"):
            measure("Early@2")

        @register
        class Early(P):
            reader: str = "a skimmer"
            weights: tuple[float, ...] = (0.5, 1.0)

        assert list(catalogue()) == sorted(catalogue(), key=str.lower)
        assert catalogue()["Early"] is Early
        assert measure("Early@2") == measure("early@2") == Early(k=2)
        for reader in ("a reader", "nan", "None", "it's", "skims", "3", "a,b)=\n"):
            chosen = Early(reader=reader, weights=(1.0, 2.0))
            assert measure(str(chosen)) == chosen
        with pytest.raises(ValueError, match="Did you mean 'Early@2'"):
            measure("Erly@2")

    def test_a_class_that_is_defined_again_takes_the_place_of_the_old_one(self):
        def cell(default):
            @register
            class OfANotebook(P):
                rel = default

            return OfANotebook

        cell(1)
        assert measure("OfANotebook").rel == 1
        again = cell(2)
        assert measure("OfANotebook") == again()
        assert measure("OfANotebook").rel == 2

    def test_a_string_is_parsed_once(self):
        assert measure("AP(rel=2)@7") is measure("AP(rel=2)@7")
        assert measure("AP(rel=2)@7") == AP(rel=2, k=7)
