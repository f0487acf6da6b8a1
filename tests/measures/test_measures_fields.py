"""Fields of measures: what is refused, and what the data decide."""

import dataclasses
import inspect
import math
import subprocess
import sys

import numpy as np
import pytest
from numpydoc.docscrape import ClassDoc

from skgraded import (
    AP,
    DCG,
    ERR,
    GAP,
    RBP,
    Blend,
    Bpref,
    QMeasure,
    catalogue,
    eGAP,
    evaluate,
    infAP,
    nDCG,
    xGAP,
)
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import (
    ADM,
    CWL,
    GeneralizedP,
    Measure,
    P,
    PrefixCWL,
    PrefixMeasure,
    RprefN,
)

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")


class TestClasses:
    def test_annotations_and_values_make_fields_without_a_decorator(self):
        class Deep(P):
            depth: int = 3
            rel = 2

        assert repr(Deep()) == "Deep()"
        assert (Deep().depth, Deep().rel, P().rel) == (3, 2, 1)
        assert str(Deep(rel=1, depth=4, k=2)) == "Deep(rel=1,depth=4)@2"
        assert Deep()([2, 1], [2, 1]) == P(rel=2)([2, 1], [2, 1]) == 0.5
        with pytest.raises(dataclasses.FrozenInstanceError):
            Deep().depth = 1
        with pytest.raises(
            TypeError, match=r"Deep has no field 'dept'.*Did you mean 'depth'"
        ):
            Deep(dept=3)

    def test_a_part_that_the_class_gets_later_counts(self):
        class Late(PrefixMeasure):
            def relevant(self, judgments):
                return judgments.grades > 0

        Late.pair_part = lambda self, judgments: GAP(max_grade=3).pair_part(judgments)
        y_true, y_score = [0, 1, 2, 0, 3, 1], [1, 3, 2, 0, 5, 4]
        assert Late()(y_true, y_score) == GAP(max_grade=3)(y_true, y_score) > 0.0

    @pytest.mark.parametrize(
        ("base", "needed"),
        [
            (Measure, ["relevant", "raw_values"]),
            (PrefixMeasure, ["relevant", "linear_part or pair_part"]),
            (CWL, ["gain_by_level", "continuation"]),
            (PrefixCWL, ["gain_by_level", "continuation"]),
        ],
    )
    def test_a_class_has_instances_once_it_defines_what_its_base_class_needs(
        self, base, needed
    ):
        kind = type("Mixin", (base,), {})
        for names in needed:
            with pytest.raises(
                TypeError, match=f"^A measure must define {names} before .* Mixin"
            ):
                kind()
            # By a mixin of no measure, as well.
            mixin = type("Other", (), {names.split()[-1]: lambda *_: None})
            kind = type("Mixin", (mixin, kind), {})
        assert kind() == kind()

    @pytest.mark.parametrize("base", [Measure, P, RBP])
    @pytest.mark.parametrize(
        "name",
        [
            "relevant",
            "linear_part",
            "pair_part",
            "gain_by_level",
            "continuation",
            "ranks_from",
            "raw_values",
        ],
    )
    def test_a_method_of_a_former_name_is_refused(self, base, name):
        kind = type("Own", (base,), {f"_{name}": lambda *_: None})
        message = f"^_{name} of the class Own must be called {name}, "
        with pytest.raises(TypeError, match=message):
            kind()

    @pytest.mark.parametrize("value", [property(lambda _: 3), lambda _: 3])
    def test_a_method_cannot_take_the_name_of_a_field(self, value):
        with pytest.raises(
            TypeError, match=r"^rel must be a value in Wrong, .* got a method"
        ):
            type("Wrong", (P,), {"rel": value})

    def test_a_list_as_a_default_is_refused(self):
        with pytest.raises(
            ValueError, match="mutable default <class 'list'> for field gain"
        ):
            type("Wrong", (DCG,), {"gain": [1, 2]})


class TestFields:
    def test_numpy_numbers_are_numbers(self):
        chosen = xGAP(g=np.array([0.25, 0.75]), k=np.int64(3), empty=np.float64(1))
        assert chosen == xGAP(g=(0.25, 0.75), k=3, empty=1.0)
        assert str(chosen) == "xGAP(g=[0.25,0.75],empty=1)@3"

    @pytest.mark.parametrize("kind", [GAP, xGAP, eGAP])
    def test_g_shorter_than_the_top_grade(self, kind):
        beyond = rf"grades 0\.\.2 for {kind.__name__}"
        with pytest.raises(
            ValueError, match=rf"{beyond}.*\(g has as many entries\), got 3"
        ):
            kind(g=(0.5, 0.5))([3, 0], [1, 2])
        with pytest.raises(
            ValueError, match=rf"{beyond}.*\(that is max_grade\), got 3"
        ):
            kind(max_grade=2)([3, 0], [1, 2])

    @pytest.mark.parametrize("kind", [ERR, GeneralizedP, RprefN, ADM])
    def test_a_grade_above_the_scale(self, kind):
        with pytest.raises(
            ValueError, match=rf"grades 0\.\.2 for {kind.__name__}.*got 3"
        ):
            kind(max_grade=2)([3, 0], [1, 0])
        with pytest.raises(
            ValueError, match=r"for every grade 1\.\.3 in y_true, got 2 entries"
        ):
            kind(gain=(1, 2))([3, 0], [1, 0])

    @pytest.mark.parametrize(
        "chosen", [AP(rel=3), RBP(rel=3), Bpref(rel=3), infAP(rel=3)]
    )
    def test_a_threshold_above_the_scale(self, chosen):
        with pytest.warns(
            GradeScaleWarning, match=r"in y_true, which is 2, .* got 3 in "
        ):
            assert chosen([2, 0], [1, 0]) == 0.0
        assert (
            chosen([3, 1], [1, 0], qid=[0, 1]) == chosen([3], [1]) / 2
        )  # one of two is empty
        assert chosen.replace(rel=1)([0, 0], [1, 0]) == 0.0

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

    def test_thresholds_of_few_digits_are_made_to_sum_to_one(self):
        assert xGAP(g=np.full(3, 1 / 3, np.float32)) == xGAP(g=(1 / 3, 1 / 3, 1 / 3))
        assert xGAP(g=(0.1, 0.2, 0.7)).g == (0.1, 0.2, 0.7)

    @pytest.mark.parametrize("kind", [nDCG, ERR, RBP, QMeasure])
    def test_gains_beyond_floats_are_refused(self, kind):
        chosen = kind(gain="exp2")
        assert np.isfinite(chosen([1000, 0, 1], [1, 2, 3]))
        with pytest.raises(
            ValueError, match=r"grades below 102\d for the gain 2\^r - 1.*got 1023"
        ):
            chosen([1023, 0, 1023, 1023], [1, 2, 3, 4])


class TestConstructors:
    def test_the_signature_names_the_fields(self):
        class Deep(AP):
            depth: int

        assert str(inspect.signature(Deep)).startswith(
            "(*, k: 'int | None' = None, ties: 'Ties' = "
        )
        assert str(inspect.signature(Deep)).endswith(", rel: 'float' = 1, depth: int)")
        assert list(inspect.signature(Blend).parameters) == ["parts", "shared"]
        assert list(inspect.signature(Deep(depth=1)).parameters)[:2] == [
            "y_true",
            "y_score",
        ]
        with pytest.raises(TypeError, match="Deep needs the field 'depth'"):
            Deep()

    def test_a_class_names_its_measures_alone_and_in_a_list(self):
        class Marked(AP):
            def __str__(self):
                return "marked"

        for measures in (Marked(), [Marked()], (Marked(), "nDCG")):
            assert evaluate(measures, [1, 0], [1, 2]).measures[0] == "marked"

    def test_replaced_fields_are_checked_and_the_others_stay(self):
        chosen = xGAP(g=(0.25, 0.75), k=3)
        assert chosen.replace(k=5) == xGAP(g=(0.25, 0.75), k=5)
        assert chosen.replace(k=5).__replace__(k=3) == chosen.replace() == chosen
        assert chosen.k == 3
        assert Blend({"AP": 1, "nDCG": 2}).replace(k=3) == Blend(
            {"AP@3": 1, "nDCG@3": 2}
        )
        with pytest.raises(ValueError, match=r"^k must be an integer >= 1"):
            chosen.replace(k=0)
        with pytest.raises(TypeError, match=r"^xGAP has no field 'rel'; "):
            chosen.replace(rel=1)

    def test_fields_cannot_be_deleted(self):
        with pytest.raises(
            dataclasses.FrozenInstanceError, match="cannot delete field 'k'"
        ):
            del AP().k


def documented(kind):
    """Type and text by field, from the section Parameters."""
    section = ClassDoc(kind, config={"show_class_members": False})["Parameters"]
    return {each.name: (each.type, " ".join(each.desc)) for each in section}


CLASSES = [Measure, PrefixMeasure, CWL, PrefixCWL, *catalogue().values()]


class TestDocstrings:
    @pytest.mark.parametrize("kind", CLASSES)
    def test_the_docstring_has_all_fields_with_their_defaults(self, kind):
        entries = documented(kind)
        assert entries.keys() == kind._fields.keys()
        for name, (typed, text) in entries.items():
            default, stated = (
                kind._fields[name].default,
                typed.partition(", default=")[2],
            )
            assert text.endswith(".")
            if default is None:
                assert typed.endswith(", optional")
            elif "..." not in stated:
                np.testing.assert_equal(eval(stated, {"nan": math.nan}), default)

    @pytest.mark.parametrize("kind", catalogue().values())
    def test_the_docstring_lists_the_values_that_the_class_takes(self, kind):
        def takes(field, value):
            try:
                return bool(kind(**{field: value}))
            except ValueError:
                return False

        choices = {
            "ties": ["expected", "row_order", "pessimistic", "optimistic"],
            "unjudged": ["nonrelevant", "condense"],
            "normalize": [False, True],
            "k": [None, 10],
        }
        entries = documented(kind)
        for field, values in choices.items():
            typed, _ = entries[field]
            taken = [str(each) for each in values if takes(field, each)]
            if typed.startswith("{"):
                assert typed[1 : typed.index("}")].replace('"', "").split(", ") == taken
            else:
                assert len(taken) == len(values)

    def test_entries_of_base_classes_follow_those_of_the_class(self):
        class Deep(RBP):
            """Deeper.

            Parameters
            ----------
            x, p : float
                Both.

                A paragraph.

            Notes
            -----
            None.
            """

            x: float = 2.0
            normalize = True

        paragraphs = "x, p : float\n    Both.\n\n    A paragraph.\n"
        assert Deep.__doc__.startswith(
            f"Deeper.\n\nParameters\n----------\n{paragraphs}gain : "
        )
        assert Deep.__doc__.endswith("\n\nNotes\n-----\nNone.\n")
        entries = documented(Deep)
        assert entries["normalize"] == (
            "bool, default=True",
            documented(RBP)["normalize"][1],
        )
        assert entries["rel"] == documented(RBP)["rel"]
        assert Deep().__doc__ == Deep.__doc__

    def test_without_docstrings_measures_score(self):
        code = "from skgraded import AP; print(AP.__doc__, AP()([1, 0], [2, 1]))"
        command = [sys.executable, "-OO", "-c", code]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert done.stdout == "None 1.0\n"
