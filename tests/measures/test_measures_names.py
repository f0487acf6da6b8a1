"""Names that measures have in other tools, and suggestions of strings to paste."""

import re

import pytest
from hypothesis import given, strategies as st

from skgraded import catalogue, measure
from skgraded._support.measure_names import (
    OTHER_NAMES,
    PATTERNS,
    SUGGESTED,
    measure_key,
)
from skgraded.conventions import conventions_of, measure_as

NAMES = list(catalogue())

# Measures of trec_eval that are sums over all queries or geometric means; here they would be means.
SUMS = {
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "num_nonrel_judged_ret",
    "gm_map",
    "gm_bpref",
}


def of_trec_eval():
    # Names with several numbers, such as utility_1,-1,0,0, are those of values alone.
    names = [
        each.example for each in conventions_of("trec_eval") if "s}" not in each.theirs
    ]
    return [name for name in names if name not in (*SUMS, "set_F_4")]


class TestOwnNames:
    def test_they_differ_by_more_than_capitals(self):
        assert len({measure_key(name) for name in NAMES}) == len(NAMES)

    @given(st.sampled_from(NAMES), st.data())
    def test_capitals_do_not_matter(self, name, data):
        upper = data.draw(
            st.lists(st.booleans(), min_size=len(name), max_size=len(name))
        )
        pairs = zip(name, upper, strict=True)
        spelled = "".join(char.upper() if up else char.lower() for char, up in pairs)
        assert measure(spelled) == catalogue()[name]()
        assert str(measure(spelled)) == name


class TestOtherNames:
    @pytest.mark.parametrize(
        ("spec", "ours"),
        [
            ("NDCG(gain=exp2)@5", "nDCG(gain=exp2)@5"),
            ("xgap(g=[.1,.9])@10", "xGAP(g=[0.1,0.9])@10"),
            ("Q-measure", "QMeasure"),
            ("r_precision", "RPrecision"),
            ("map", "AP"),
            ("MRR", "RR"),
            ("recall@10", "R@10"),
            ("hit_rate@5", "Success@5"),
            ("f1@5", "F@5"),
            ("ndcg_cut_10", "nDCG@10"),
            ("P_10(rel=2)", "P(rel=2)@10"),
            ("success_1", "Success@1"),
            ("relative_P_5", "P(normalize=True)@5"),
            ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
            ("rbp.95", "RBP(p=0.95)"),
            ("ndcg_burges@10", "nDCG(gain=exp2)@10"),
            ("Rprec", "RPrecision"),
            ("Rprec_mult_0.20", "RPrecision(multiple=0.2)"),
        ],
    )
    def test_examples(self, spec, ours):
        assert str(measure(spec)) == ours

    def test_none_hides_behind_a_name_of_ours_or_twice(self):
        own = {measure_key(name) for name in NAMES}
        others = [measure_key(name) for name in OTHER_NAMES]
        assert own.isdisjoint(others)
        assert (own | set(others)).isdisjoint(SUGGESTED)
        assert len(set(others)) == len(others)
        assert {name for name, _ in OTHER_NAMES.values()} <= set(NAMES)
        assert {name for _, name, _, _ in PATTERNS} | set(SUGGESTED.values()) <= set(
            NAMES
        )

    @pytest.mark.parametrize("theirs", of_trec_eval())
    def test_a_name_of_trec_eval_means_its_measure_with_our_ties(self, theirs):
        ours, exact = measure(theirs), measure_as("trec_eval", theirs)
        if theirs == "rbp":  # whose p is another one here
            exact = exact.replace(p=ours.p)
        assert ours.replace(ties="row_order") == exact

    @pytest.mark.parametrize("theirs", sorted(SUMS))
    def test_sums_and_geometric_means_are_not_understood(self, theirs):
        with pytest.raises(ValueError, match=f"Unknown measure '{theirs}'"):
            measure(theirs)


class TestSuggestions:
    @pytest.mark.parametrize(
        ("spec", "to_paste"),
        [
            ("nDGC@10", "nDCG@10"),
            ("nDGC(gain=exp2)@10", "nDCG(gain=exp2)@10"),
            ("xGAPP(g=[0.1,0.9])@10", "xGAP(g=[0.1,0.9])@10"),
            ("hr(colour=2)@10", "Success@10"),
            ("PrecisionAt@5", "P@5"),
            ("Q@10", "QMeasure@10"),
            ("nDGC(k=0)", "nDCG"),
        ],
    )
    def test_they_are_whole_strings(self, spec, to_paste):
        with pytest.raises(ValueError, match=re.escape(f"Did you mean {to_paste!r}?")):
            measure(spec)
        assert str(measure(to_paste)) == to_paste

    @given(st.text("ndcgAP_-@.(=)[]0159, İß", max_size=24))
    def test_a_suggestion_of_a_measure_is_one(self, spec):
        try:
            measure(spec)
        except ValueError as error:
            found = re.search(r"Unknown measure .*Did you mean '(.*)'\?", str(error))
            if found:
                measure(found[1])
