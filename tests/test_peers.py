"""Every name of other tools: run side by side on the same rankings, or named as absent."""

import re
import warnings

import numpy as np
import pytest
from peers import (
    BY_TOOL,
    REASONS,
    WALKED,
    as_markdown,
    compare,
    counts_of,
    installed,
    names_of,
    random_topics,
    row_of,
    rows_of_page,
    version_of,
    walk,
)

from skgraded import evaluate, measure, nDCG, trec
from skgraded.conventions import TOOLS, measure_as


def require(tool):
    if not installed(tool):
        pytest.skip(f"{tool} is not installed, or lacks a library that it needs")


@pytest.mark.filterwarnings("ignore")  # of the tools
@pytest.mark.parametrize("tool", BY_TOOL)
def test_numbers_are_those_of_the_tool(tool):
    require(tool)
    compared = list(compare(tool, random_topics(1)))
    assert len(compared) >= len(names_of(tool, cutoffs=(1,)))
    too_far = [each for each in compared if not each.largest <= each.tolerance]
    assert not too_far
    assert all(each.n_values > 20 for each in compared)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", WALKED)
def test_every_name_with_every_parameter_is_equal_or_refused_with_a_reason(tool):
    require(tool)
    walked = walk(tool)
    assert [each for each in walked if each.outcome == "differs"] == []
    for each in walked:
        if each.outcome == "refused with a reason":
            assert re.search(REASONS, each.reason), each
    counts = counts_of(walked)
    assert counts["equal"] > len(walked) / 4, counts
    written = {row[0]: row for row in rows_of_page()}
    assert tool in written, "python tests/peers.py --write"
    if written[tool][1] == version_of(tool):
        assert written[tool] == row_of(tool, walked), "python tests/peers.py --write"


def test_a_measure_of_ir_measures_is_taken_as_a_measure():
    require("ir_measures")
    import ir_measures

    taken = {
        "nDCG(gain=exp2)@10": ir_measures.nDCG(dcg="exp-log2") @ 10,
        "P(unjudged=condense,rel=2)@5": ir_measures.P(rel=2, judged_only=True) @ 5,
        "IPrec(recall=0.1)": ir_measures.IPrec @ 0.1,
        "nDCG(gain=[2,5])": ir_measures.nDCG(gains={0: 0, 1: 2, 2: 5}),
        "nDCG(gain=[1,5])": ir_measures.nDCG(gains={2: 5}),
        "P(normalize=True)": ir_measures.SetP(relative=True),
        "INST(max_grade=3)": ir_measures.INST(max_rel=3),
        "ERR(max_grade=4)@10": ir_measures.ERR @ 10,  # whose scale ends at 4, whatever the grades
    }
    for ours, theirs in taken.items():
        assert measure(theirs) == measure(ours)
    values = evaluate([ir_measures.AP, ir_measures.P @ 1], [1, 0], [1.0, 2.0])
    assert values.mean() == {"AP": 0.5, "P@1": 0.0}
    assert evaluate(ir_measures.AP, [1, 0], [1.0, 2.0]).mean() == {"AP": 0.5}
    with pytest.raises(ValueError, match="Accuracy of ir_measures is that of pairs"):
        measure(ir_measures.Accuracy)
    with pytest.raises(ValueError, match="gains must be those of grades above 0"):
        measure(ir_measures.nDCG(gains={0: 1, 1: 2}))


@pytest.mark.filterwarnings("ignore")
def test_gains_of_ir_measures_name_every_grade():
    require("ir_measures")
    import ir_measures

    judged = {"q": {"a": 1, "b": 2, "c": 3, "d": 0}}
    run = {"q": {"a": 4.0, "d": 3.0, "b": 2.0, "c": 1.0}}
    partly, fully = (ir_measures.nDCG(gains=gains) for gains in ({2: 3}, {2: 3, 3: 3}))
    theirs = [ir_measures.calc_aggregate([each], judged, run)[each] for each in (partly, fully)]
    assert theirs[0] == theirs[1]  # a grade without a gain is its own one
    assert trec.evaluate(fully, judged, run).values.item() == pytest.approx(theirs[1])
    with pytest.raises(ValueError, match=r"every grade 1\.\.3 in y_true, got 2 .* add its entry"):
        trec.evaluate(partly, judged, run)


@pytest.mark.parametrize(
    ("tool", "name", "reason"),
    [
        ("trec_eval", "relstring", "No measure of skgraded has the values of trec_eval's relstr"),
        ("pytrec_eval", "num_q", "No measure of skgraded has the values of pytrec_eval's num_q"),
        ("ir_measures", "alpha_nDCG@10", "alpha_nDCG@10. Diversity measures stay out"),
        ("torchmetrics", "RetrievalPrecisionRecallCurve", "No measure of skgraded has the values"),
        ("torchmetrics", "RetrievalMAP(top_k=5)", r"among the first k.*`AP@k` is divided by R"),
    ],
)
def test_what_is_absent_is_refused_with_a_reason(tool, name, reason):
    with pytest.raises(ValueError, match=reason):
        measure_as(tool, name)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_name_that_no_tool_has(tool):
    with pytest.raises(ValueError, match=f"{tool} has no ranking measure 'nothing'"):
        measure_as(tool, "nothing")


def test_pytrec_eval_has_the_measures_of_trec_eval():
    assert measure_as("pytrec_eval", "map_cut_10") == measure_as("trec_eval", "map_cut_10")
    assert measure_as("pytrec_eval", "AP(rel=2)@10") == measure_as("trec_eval", "AP(rel=2)@10")


@pytest.mark.filterwarnings("ignore")
def test_torchmetrics_averages_ndcg_over_ties():
    require("torchmetrics")
    import torch
    from torchmetrics.functional.retrieval import retrieval_normalized_dcg

    rng = np.random.default_rng(0)
    for _ in range(20):
        labels, scores = rng.integers(0, 5, 30), rng.integers(0, 6, 30) / 4
        theirs = retrieval_normalized_dcg(torch.tensor(scores), torch.tensor(labels), top_k=10)
        assert nDCG(k=10)(labels, scores) == pytest.approx(float(theirs), abs=2e-6)


def test_the_table_of_differences():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = as_markdown(("pytrec_eval",)).splitlines()
    assert "| pytrec_eval | `map_cut_k` | `AP(ties=row_order)@k` | 160 |" in "\n".join(written)
    assert len(written) > 40
