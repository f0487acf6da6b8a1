"""Every name of other tools: run side by side on the same rankings, or refused with a reason."""

import re
from importlib.metadata import version

import numpy as np
import pytest
import pytrec_eval
from peers import (
    LISTED,
    PEERS,
    by_lightgbm,
    by_xgboost,
    installed,
    names_of_table,
    random_queries,
    random_topics,
    walk,
)

from skgraded import evaluate, measure, nDCG, trec
from skgraded.conventions import TOOLS, conventions_of, measure_as

# Package, version, and how many of the names that it lists have its values here
EQUAL = {
    "catboost": ("catboost", "1.2.10", 72),
    "ir_measures": ("ir_measures", "0.4.3", 99),
    "pytrec_eval": ("pytrec_eval-terrier", "0.5.11", 92),
    "ranx": ("ranx", "0.3.21", 115),
    "torchmetrics": ("torchmetrics", "1.9.0", 16),
}

pytestmark = pytest.mark.filterwarnings(
    "ignore"
)  # of the tools, and of scales that are open


def require(tool):
    if not installed(tool):
        pytest.skip(f"{tool} is not installed, or lacks a library that it needs")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tool", PEERS)
def test_every_name_of_the_table_has_the_number_of_the_tool(tool, seed):
    require(tool)
    found = walk(tool, names_of_table(tool), seed)
    assert len(found) >= 7
    if (
        tool == "pytrec_eval"
    ):  # which runs version 9; the outputs of version 10 are tested as files
        found = [each for each in found if each.name != "rbp"]
    assert [each for each in found if each.outcome != "equal"] == []
    if PEERS[tool].make is random_topics:
        assert all(each.n_values > 20 for each in found)


@pytest.mark.parametrize("tool", [*LISTED, "sklearn"])
def test_every_name_that_a_tool_lists_is_equal_or_refused_with_a_reason(tool):
    require(tool)
    found = walk(tool, PEERS[tool].names(), 2)
    assert [each for each in found if each.outcome == "differs"] == []
    reasons = "No measure of skgraded has the value of|The gain of grade 0 is 0|needs a number"
    reasons += "|k must be None for NormalizedRecall"
    for each in found:
        assert each.outcome != "refused with a reason" or re.search(
            reasons, each.reason
        ), each
    n_equal = sum(each.outcome == "equal" for each in found)
    assert n_equal > len(found) / 4
    package, tested, n_tested = EQUAL.get(tool, ("scikit-learn", "", 0))
    assert n_equal == n_tested or version(package) != tested


@pytest.mark.parametrize("gains", [(1, 2, 3, 4), (1, 5, 6, 20)])
def test_other_gains_of_lightgbm_and_xgboost(gains):
    rows = random_queries(0)
    ours = measure_as("lightgbm", nDCG(gain=gains, k=5))(*rows[:2], qid=rows.qid)
    theirs = by_lightgbm("ndcg@5", rows, label_gain=[0, *gains])
    assert ours == pytest.approx(theirs["all"], abs=1e-9)
    xgboost = pytest.importorskip("xgboost")
    if tuple(map(int, xgboost.__version__.split(".")[:2])) < (3, 2):
        pytest.skip("XGBoost 2.1 hands ndcg_exp_gain to its objective alone")
    # A field that is our default would not stay; a linear gain is told apart by a tuple.
    ours = measure_as("xgboost", "nDCG(gain=[1,2,3,4])@5")(*rows[:2], qid=rows.qid)
    theirs = by_xgboost("ndcg@5", rows, ndcg_exp_gain=False)
    assert ours == pytest.approx(theirs["all"], abs=1e-9)


@pytest.mark.parametrize("grade", [-1, -2, -3])
def test_negative_grades_of_trec_eval_are_grade_minus_1_here(grade):
    qrels = {"q": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1, "x": grade}}
    run = {"q": {"x": 5.0, "b": 4.5, "a": 4.0, "c": 3.0, "e": 2.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "bpref", "infAP"}).evaluate(
        run
    )["q"]
    measures = [measure_as("trec_eval", name) for name in theirs]
    folded = trec.read_qrels(qrels).map_grades({grade: -1})
    ours = trec.evaluate(measures, folded, run).values[0, 0]
    np.testing.assert_allclose(ours, list(theirs.values()), atol=1e-9)
    as_they_are = trec.evaluate(measures, qrels, run).values[0, 0]
    assert np.allclose(as_they_are, ours) == (grade == -1)
    asked = trec.evaluate(measures, qrels, run, negative=TOOLS["trec_eval"].negative)
    np.testing.assert_array_equal(asked.values[0, 0], ours)
    assert "pooled but unsampled" in " ".join(asked.notes)


@pytest.mark.parametrize("tool", ["pytrec_eval", "ir_measures"])
@pytest.mark.parametrize("seed", range(3))
def test_all_names_of_a_tool_have_its_numbers_on_grades_below_minus_1(tool, seed):
    require(tool)
    rng = np.random.default_rng(seed)
    documents = [f"d{number:02d}" for number in range(40)]
    qrels = {
        f"t{topic}": {
            name: int(rng.integers(-2, 5)) for name in rng.choice(documents, 25, False)
        }
        for topic in range(8)
    }
    # Without ties, since they are ordered by id in ways of each provider's own.
    run = {
        topic: {
            name: float(rng.integers(60) / 8 + int(name[1:]) / 1024)
            for name in rng.choice(documents, 30, False)
        }
        for topic in qrels
    }
    compared = 0
    for row in conventions_of(tool):
        theirs = _theirs(tool, row.example, qrels, run)
        if theirs is None:
            continue
        ours = measure_as(tool, row.example)
        if row.ours in _SCALED:
            ours = ours.replace(max_grade=4)
        scores = trec.evaluate(ours, qrels, run, negative=TOOLS[tool].negative)
        expected = [theirs[topic] for topic in scores.qid]
        np.testing.assert_allclose(
            scores.values[0, :, 0], expected, atol=2e-6, err_msg=row.example
        )
        compared += 1
    assert compared > 20


_SCALED = ("BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG")
# Their values of a query are logarithms; Judged counts documents that were not sampled, too, and
# Accuracy is ours only where the list holds the pool. Perl's gdeval reads no negative grades.
_DOCUMENTED = ("gm_map", "gm_bpref", "Judged", "Judged@10", "Accuracy", "ERR@10")


def _theirs(tool, name, qrels, run):
    """Return a tool's values by topic, or None where it has none."""
    if name in _DOCUMENTED or "exp-log2" in name:
        return None
    if tool == "pytrec_eval":
        evaluator = pytrec_eval.RelevanceEvaluator(
            qrels, pytrec_eval.supported_measures
        )
        by_topic = evaluator.evaluate(run)
        if any(name not in values for values in by_topic.values()):
            return None
        return {topic: values[name] for topic, values in by_topic.items()}
    import ir_measures

    word = re.split("[(@]", name)[0]
    if word in _SCALED:
        name = name.replace(word, f"{word}(max_rel=4)", 1)
    values = ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
    return {value.query_id: value.value for value in values}


@pytest.mark.parametrize("negative", ["unsampled", "nonrelevant"])
def test_inferred_ap_without_unsampled_documents_is_told_to_be_ap(negative):
    qrels, run = random_topics(0)
    scores = trec.evaluate(["infAP", "AP"], qrels, run)
    assert "infAP is AP here: no document has the grade -1." in scores.notes
    np.testing.assert_allclose(scores.values[..., 0], scores.values[..., 1], atol=1e-5)
    assert not any("infAP" in note for note in trec.evaluate("AP", qrels, run).notes)
    qrels["101"]["unsampled"] = -1
    notes = trec.evaluate("infAP", qrels, run, negative=negative).notes
    assert any("is AP here" in note for note in notes) == (negative != "unsampled")


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
        "ERR(max_grade=4)@10": ir_measures.ERR
        @ 10,  # whose scale ends at 4, whatever the grades
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


def test_gains_of_ir_measures_name_every_grade():
    require("ir_measures")
    import ir_measures

    judged = {"q": {"a": 1, "b": 2, "c": 3, "d": 0}}
    run = {"q": {"a": 4.0, "d": 3.0, "b": 2.0, "c": 1.0}}
    partly, fully = (ir_measures.nDCG(gains=gains) for gains in ({2: 3}, {2: 3, 3: 3}))
    theirs = [
        ir_measures.calc_aggregate([each], judged, run)[each]
        for each in (partly, fully)
    ]
    assert theirs[0] == theirs[1]  # a grade without a gain is its own one
    assert trec.evaluate(fully, judged, run).values.item() == pytest.approx(theirs[1])
    with pytest.raises(
        ValueError, match=r"every grade 1\.\.3 in y_true, got 2 .* add its entry"
    ):
        trec.evaluate(partly, judged, run)
