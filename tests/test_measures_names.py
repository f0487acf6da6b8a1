"""Names that measures have in other tools, and suggestions of strings to paste."""

import re
from timeit import repeat

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from skgraded import Rankings, catalogue, evaluate, measure
from skgraded._support.other_names import OTHER_NAMES, PATTERNS, SUGGESTED, folded
from skgraded.conventions import conventions_of, measure_as

NAMES = list(catalogue())

# Measures of trec_eval that are sums over all queries or geometric means; here they would be means.
SUMS = {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "gm_map", "gm_bpref"}


def of_trec_eval():
    # Names with several numbers, such as utility_1,-1,0,0, are those of values alone.
    names = [each.example for each in conventions_of("trec_eval") if "s}" not in each.theirs]
    return [name for name in names if name not in (*SUMS, "set_F_4")]


class TestOwnNames:
    def test_they_differ_by_more_than_capitals(self):
        assert len({folded(name) for name in NAMES}) == len(NAMES)

    @given(st.sampled_from(NAMES), st.data())
    def test_capitals_do_not_matter(self, name, data):
        upper = data.draw(st.lists(st.booleans(), min_size=len(name), max_size=len(name)))
        pairs = zip(name, upper, strict=True)
        spelled = "".join(char.upper() if up else char.lower() for char, up in pairs)
        assert measure(spelled) == catalogue()[name]()
        assert str(measure(spelled)) == name

    @pytest.mark.parametrize(
        ("spec", "ours"),
        [
            ("ndcg@10", "nDCG@10"),
            ("NDCG(gain=exp2)@5", "nDCG(gain=exp2)@5"),
            ("xgap(g=[.1,.9])@10", "xGAP(g=[0.1,0.9])@10"),
            ("p@5", "P@5"),
            ("rr", "RR"),
            ("f@5", "F@5"),
            ("g", "G"),
            ("cg@3", "CG@3"),
            ("Q-measure", "QMeasure"),
            ("r_precision", "RPrecision"),
            ("bpref_relative", "BprefRelative"),
        ],
    )
    def test_examples(self, spec, ours):
        assert str(measure(spec)) == ours


class TestOtherNames:
    @pytest.mark.parametrize(
        ("spec", "ours"),
        [
            ("map", "AP"),
            ("MAP@10", "AP@10"),
            ("MRR", "RR"),
            ("mrr@10", "RR@10"),
            ("recall@10", "R@10"),
            ("precision@5", "P@5"),
            ("hit_rate@5", "Success@5"),
            ("f1@5", "F@5"),
            ("ndcg_cut_10", "nDCG@10"),
            ("ndcg_cut.10", "nDCG@10"),
            ("P_10", "P@10"),
            ("P_10(rel=2)", "P(rel=2)@10"),
            ("recall_1000", "R@1000"),
            ("success_1", "Success@1"),
            ("relative_P_5", "P(normalize=True)@5"),
            ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
            ("IPrec@0.1", "IPrec(recall=0.1)"),
            ("rbp.95", "RBP(p=0.95)"),
            ("ndcg_burges@10", "nDCG(gain=exp2)@10"),
            ("Rprec", "RPrecision"),
            ("Rprec_mult_0.20", "RPrecision(multiple=0.2)"),
        ],
    )
    def test_examples(self, spec, ours):
        assert str(measure(spec)) == ours

    def test_none_hides_behind_a_name_of_ours_or_twice(self):
        own = {folded(name) for name in NAMES}
        others = [folded(name) for name in OTHER_NAMES]
        assert own.isdisjoint(others)
        assert (own | set(others)).isdisjoint(SUGGESTED)
        assert len(set(others)) == len(others)
        assert {name for name, _ in OTHER_NAMES.values()} <= set(NAMES)
        assert {name for _, name, _, _ in PATTERNS} | set(SUGGESTED.values()) <= set(NAMES)

    @pytest.mark.parametrize("theirs", of_trec_eval())
    def test_a_name_of_trec_eval_means_its_measure_with_our_ties(self, theirs):
        ours, exact = measure(theirs), measure_as("trec_eval", theirs)
        assert ours._replace(ties="row_order") == exact

    @pytest.mark.parametrize("theirs", sorted(SUMS))
    def test_sums_and_geometric_means_are_not_understood(self, theirs):
        with pytest.raises(ValueError, match=f"Unknown measure '{theirs}'"):
            measure(theirs)

    @pytest.mark.parametrize(
        "theirs",
        [
            *("AP", "MAP", "AP@5", "AP(rel=2)@5", "P@5", "Precision@5", "R@5", "Recall@5"),
            *("RR", "MRR", "RR@2", "nDCG", "NDCG@5", "Success@1", "Rprec"),
            *("SetP", "SetR", "SetF", "SetAP", "IPrec@0.1", "IPrec@0.5"),
            *("Bpref", "infAP", "Judged@5"),
        ],
    )
    def test_a_name_of_ir_measures_has_its_value(self, theirs):
        rng = np.random.default_rng(0)
        qrels = {
            f"q{q}": {f"d{d}": int(rng.integers(0, 4)) for d in range(12)} | {"d12": 3}
            for q in range(6)
        }
        run = {
            q: {d: float(s) for d, s in zip(docs, rng.permutation(len(docs)), strict=True)}
            for q, docs in qrels.items()
        }
        expected = ir_measures.pytrec_eval if theirs != "Judged@5" else ir_measures.DefaultPipeline
        parsed = ir_measures.parse_measure(theirs)
        (value,) = expected.calc_aggregate([parsed], qrels, run).values()
        ranked = Rankings.from_trec(qrels, run)
        assert measure(theirs)(ranked) == pytest.approx(value, abs=1e-4)  # pytrec_eval's digits

    def test_the_names_of_scikit_learn_have_its_values(self):
        y, s = np.random.default_rng(1).random((2, 1, 8))
        for name, function in [("ndcg_score", ndcg_score), ("dcg_score", dcg_score)]:
            assert measure(f"{name}@5")(y[0], s[0]) == pytest.approx(function(y, s, k=5))

    def test_a_result_is_found_by_another_tools_name(self):
        scores = evaluate(["AP", "nDCG@10"], [1, 0, 2], [3, 2, 1])
        assert float(scores["ndcg_cut_10"]) == float(scores["nDCG@10"])


class TestSuggestions:
    @pytest.mark.parametrize(
        ("spec", "to_paste"),
        [
            ("nDGC@10", "nDCG@10"),
            ("nDGC(gain=exp2)@10", "nDCG(gain=exp2)@10"),
            ("xGAPP(g=[0.1,0.9])@10", "xGAP(g=[0.1,0.9])@10"),
            ("hits@10", "Success@10"),
            ("hits(colour=2)@10", "Success@10"),
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

    @pytest.mark.parametrize(
        ("spec", "message"),
        [
            ("SetF(beta=2)", "beta can be given only once"),
            ("P_10@5", "k can be given only once, got it in the name and as a field in 'P_10@5'"),
            ("ndcg_burges(gain=linear)", "gain can be given only once, got it in the name"),
            ("P_0", "k must be an integer >= 1"),
            ("P_" + "9" * 5000, "Unknown measure"),
            ("NDCG:top=10", "A measure must be written Name"),
            ("AP@1.5", "k must be an integer >= 1, got '1.5'"),
        ],
    )
    def test_what_is_refused(self, spec, message):
        with pytest.raises(ValueError, match=message):
            measure(spec)


def test_other_names_cost_little():
    ours, theirs = (
        min(repeat(lambda spec=spec: measure(spec), number=50, repeat=7))
        for spec in ("nDCG@10", "ndcg_cut_10")
    )
    assert theirs < 3 * ours
