"""Numbers of other tools, run live: ties, empty queries and cut-offs as each of them has them."""

import collections
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
import sklearn.metrics
import xgboost as xgb
from catboost import CatBoostError
from catboost.utils import eval_metric
from peers import names_of_catboost
from sklearn.metrics import (
    average_precision_score,
    dcg_score,
    label_ranking_average_precision_score,
    ndcg_score,
    roc_auc_score,
)
from test_parity import lightgbm_values, of_each_query, random_queries

from skgraded import AP, ERR, GAP, RBP, Bpref, QMeasure, catalogue, measure, nDCG, trec, xGAP
from skgraded.conventions import ABSENCES, CONVENTIONS, TOOLS, as_markdown, measure_as

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

DOCS = Path(__file__).resolve().parents[1] / "docs"
TOLERANCE = 1e-9
CUTOFFS = [1, 3, 10, 100]


@pytest.fixture(params=[0, 1, 2])
def rows(request):
    """Ragged queries with ties, some of them with nothing relevant."""
    return random_queries(request.param)


@pytest.fixture
def binary_rows(rows):
    return (np.minimum(rows[0], 1), *rows[1:])


def names_of(tool):
    """The tool's names, with every cut-off."""
    templates = [each.theirs for each in CONVENTIONS if each.tool == tool]
    return [
        template.format(k=k) if "{k}" in template else template
        for template in templates
        for k in (CUTOFFS if "{k}" in template else CUTOFFS[:1])
    ]


def value_as(tool, name, rows):
    y_true, y_score, qid, _ = rows
    return measure_as(tool, name)(y_true, y_score, qid=qid)


@pytest.mark.parametrize("metric", ["ndcg", "map"])
def test_lightgbm(rows, metric):
    ours = [value_as("lightgbm", f"{metric}@{k}", rows) for k in CUTOFFS]
    np.testing.assert_allclose(ours, lightgbm_values(rows, metric, CUTOFFS), atol=TOLERANCE)


@pytest.mark.parametrize("gain", ["linear", (1, 5, 6, 20)])
def test_lightgbm_with_other_label_gains(rows, gain):
    import lightgbm as lgb

    y_true, y_score, qid, sizes = rows
    label_gain = [0, 1, 2, 3, 4] if gain == "linear" else [0, *gain]
    data = lgb.Dataset(
        np.zeros((len(qid), 1)), y_true, group=sizes, init_score=y_score,
        params={"feature_pre_filter": False, "verbose": -1},
    )  # fmt: skip
    params = {
        "objective": "lambdarank", "metric": "ndcg", "eval_at": [5], "label_gain": label_gain,
        "verbose": -1, "num_threads": 1, "min_data_in_leaf": 1,
    }  # fmt: skip
    theirs = lgb.Booster(params, data).eval_train()[0][2]
    ours = measure_as("lightgbm", nDCG(gain=gain if gain != "linear" else (1, 2, 3, 4), k=5))
    assert ours(y_true, y_score, qid=qid) == pytest.approx(theirs, abs=TOLERANCE)


def xgboost_values(rows, names, **params):
    y_true, y_score, _, sizes = rows
    data = xgb.DMatrix(np.zeros((len(y_true), 1)), label=y_true, base_margin=y_score)
    data.set_group(sizes)
    options = {"objective": "rank:pairwise", "eval_metric": names, "base_score": 0.0, "nthread": 1}
    printed = xgb.Booster({**options, **params}, [data]).eval(data).split("\t")[1:]
    return [float(each.rpartition(":")[2]) for each in printed]


def test_xgboost(rows, binary_rows):
    names = names_of("xgboost")
    assert len(names) > 15
    for wanted, of in ((("ndcg",), rows), (("map", "pre"), binary_rows)):
        chosen = [name for name in names if name.startswith(wanted)]
        ours = [value_as("xgboost", name, of) for name in chosen]
        np.testing.assert_allclose(ours, xgboost_values(of, chosen), atol=TOLERANCE)


@pytest.mark.skipif(
    tuple(map(int, xgb.__version__.split(".")[:2])) < (3, 2),
    reason="XGBoost 2.1 hands ndcg_exp_gain to its objective alone; tested from 3.2 on",
)
def test_xgboost_with_linear_gain(rows):
    theirs = xgboost_values(rows, ["ndcg@5"], ndcg_exp_gain=False)
    # A field that differs from our default would stay; linear gain is told apart by a tuple.
    ours = measure_as("xgboost", "nDCG(gain=[1,2,3,4])@5")
    assert ours(*rows[:2], qid=rows[2]) == pytest.approx(theirs[0], abs=TOLERANCE)


RANKING_OF_CATBOOST = {
    "AUC", "AverageGain", "DCG", "ERR", "FilteredDCG", "MAP", "MRR", "NDCG", "PFound",
    "PairAccuracy", "PairLogit", "PairLogitPairwise", "PrecisionAt", "QueryAUC", "QueryAverage",
    "RecallAt",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
def test_every_metric_of_catboost_with_every_parameter(rows):
    y_true, y_score, qid, _ = rows
    counts = collections.Counter()
    for name in names_of_catboost():
        try:
            ours = measure_as("catboost", name)
        except ValueError as error:
            refused = str(error)
            is_ranking = name.partition(":")[0] in RANKING_OF_CATBOOST
            counts["refused with a reason" if is_ranking else "no ranking"] += 1
        else:
            refused = None
            try:
                (theirs,) = eval_metric(y_true.astype(float), y_score, name, group_id=qid)
            except CatBoostError:  # a value that the parameter of this metric has not
                counts["refused there"] += 1
                continue
            assert ours(y_true, y_score, qid=qid) == pytest.approx(theirs, abs=TOLERANCE), name
            counts["equal"] += 1
        expected = "No measure of skgraded has" if refused and is_ranking else "no ranking measure"
        assert refused is None or expected in refused, name
    assert counts["equal"] >= 30, counts
    assert counts["refused with a reason"] >= 30, counts
    assert counts["no ranking"] >= 40, counts


def test_catboost(rows):
    y_true, y_score, qid, _ = rows
    names = names_of("catboost")
    assert len(names) > 15
    for name in names:
        theirs = eval_metric(y_true.astype(float), y_score, name, group_id=qid)
        assert value_as("catboost", name, rows) == pytest.approx(theirs[0], abs=TOLERANCE), name


def test_scikit_learn(rows):
    y_true, y_score, qid, sizes = rows
    theirs = {"ndcg_score": ndcg_score, "dcg_score": dcg_score}
    names = [name for name in names_of("sklearn") if name.split("(")[0] in theirs]
    assert len(names) > 5
    for name in names:
        function, _, k = name.rstrip(")").partition("(k=")
        options = {"k": int(k)} if k else {}
        values = of_each_query(
            lambda y, s, function=function, options=options: theirs[function](y, s, **options),
            rows,
            smallest=2,
        )
        ours = measure_as("sklearn", name).per_query(y_true, y_score, qid=qid).values
        np.testing.assert_allclose(ours[sizes > 1], values, atol=TOLERANCE)


def test_scikit_learn_of_binary_labels(binary_rows):
    y_true, _, qid, _ = binary_rows
    untied = np.random.default_rng(0).permutation(len(qid)).astype(float)
    for query in np.unique(qid):
        y, s = y_true[qid == query], untied[qid == query]
        lrap = label_ranking_average_precision_score(y[None], s[None])
        ours = measure_as("sklearn", "label_ranking_average_precision_score")
        assert ours(y, s) == pytest.approx(lrap, abs=TOLERANCE)
        if len(set(y)) > 1:  # its note
            precision = average_precision_score(y, s)
            assert measure_as("sklearn", "average_precision_score")(y, s) == pytest.approx(
                precision
            )
            tied = np.round(s / 9)
            area = roc_auc_score(y, tied)
            assert measure_as("sklearn", "roc_auc_score")(y, tied) == pytest.approx(area)


# What sklearn.metrics holds in its module of rankings, and draws or integrates.
CURVES_OF_SKLEARN = {
    "auc", "det_curve", "precision_recall_curve", "roc_curve", "metric_at_thresholds",
    "confusion_matrix_at_thresholds",
}  # fmt: skip


def test_every_ranking_metric_of_scikit_learn_is_here_or_refused_with_a_reason():
    names = {
        name
        for name, metric in vars(sklearn.metrics).items()
        if getattr(metric, "__module__", "") == "sklearn.metrics._ranking"
    } - CURVES_OF_SKLEARN
    assert len(names) >= 8
    absent = {name for each in ABSENCES if each.tool == "sklearn" for name in each.theirs}
    assert {each.theirs for each in CONVENTIONS if each.tool == "sklearn"} >= names - absent
    for name in names & absent:
        with pytest.raises(ValueError, match="No measure of skgraded has the values of sklearn's"):
            measure_as("sklearn", name)


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("lightgbm", "ndcg lambdarank rank_xendcg xendcg xe_ndcg xe_ndcg_mart xendcg_mart map "
         "mean_average_precision auc average_precision auc_mu"),
        ("xgboost", "auc aucpr"),
    ],
)  # fmt: skip
def test_names_of_boosters_without_a_number_by_query_are_refused_with_a_reason(tool, names):
    for name in names.split():
        with pytest.raises(ValueError, match=f"No measure of skgraded has the values of {tool}'s"):
            measure_as(tool, name)


def test_trec_eval(rows):
    # Equal scores go by document id, descending, and so do the rows here.
    y_true, y_score, qid, _ = rows
    labels = np.where(np.random.default_rng(0).random(len(qid)) < 0.3, np.nan, y_true)
    qrels, run = {}, {}
    for row, query in enumerate(map(str, qid)):
        qrels.setdefault(query, {})
        if not np.isnan(labels[row]):
            qrels[query][f"d{len(qid) - row:06d}"] = int(labels[row])
        run.setdefault(query, {})[f"d{len(qid) - row:06d}"] = float(y_score[row])
    names = [*names_of("trec_eval"), "P_5", "recall_5", "success_5", "success_1"]
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: of_query for query, of_query in qrels.items() if of_query},
        {"map", "map_cut", "P", "recall", "Rprec", "bpref", "infAP", "recip_rank", "success",
         "ndcg", "ndcg_cut", "set_P", "set_recall", "set_F", "iprec_at_recall", "11pt_avg",
         "set_map", "set_relative_P", "relative_P", "utility",
         "Rndcg", "ndcg_rel", "G", "binG", "num_ret", "num_rel", "num_rel_ret"},
    )  # fmt: skip
    theirs = evaluator.evaluate(run)

    of_empty = {"utility": -1, "num_ret": 1}

    def is_one_longer(query):
        n_relevant = sum(grade > 0 for grade in qrels[query].values())
        return len(run[query]) == n_relevant + 1 > 1

    compared = 0
    for name in names:
        ours = measure_as("trec_eval", name).per_query(labels, y_score, qid=qid)
        for query, value in zip(map(str, ours.qid), ours.values, strict=True):
            if name in of_empty and query in theirs and not max(qrels[query].values()):
                # The note of the convention.
                assert theirs[query][name] == of_empty[name] * len(run[query])
            elif name == "Rndcg" and query in theirs and is_one_longer(query):
                continue  # the note of the convention
            elif query in theirs and name in theirs[query]:
                assert value == pytest.approx(theirs[query][name], abs=TOLERANCE), (name, query)
                compared += 1
    assert compared > 1000


@pytest.mark.parametrize("grade", [-1, -2, -3])
def test_negative_grades_of_trec_eval_are_grade_minus_1_here(grade):
    qrels = {"q": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1, "x": grade}}
    run = {"q": {"x": 5.0, "b": 4.5, "a": 4.0, "c": 3.0, "e": 2.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "bpref", "infAP"}).evaluate(run)["q"]
    measures = [measure_as("trec_eval", name) for name in theirs]
    folded = trec.read_qrels(qrels).map_grades({grade: -1})
    ours = trec.evaluate(measures, folded, run).values[0, 0]
    np.testing.assert_allclose(ours, list(theirs.values()), atol=TOLERANCE)
    as_they_are = trec.evaluate(measures, qrels, run).values[0, 0]
    assert np.allclose(as_they_are, ours) == (grade == -1)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("INST(max_rel=3)", "INST(max_grade=3,ties=row_order)@1000"),
        ("BPM(max_rel=3)@10", "BPM(max_grade=3,ties=row_order)@10"),
        ("AP(judged_only=True)", "AP(unjudged=condense,ties=row_order)"),
        ("AP(judged_only=False)@5", "AP(ties=row_order)@5"),
        ("IPrec(rel=2)@0.5", "IPrec(rel=2,recall=0.5,ties=row_order)"),
        ("SetP(rel=2)", "P(rel=2,ties=row_order)"),
        ("SetRelP(rel=2)", "P(rel=2,normalize=True,ties=row_order)"),
        ("SetF(beta=4.0)", "F(beta=2,ties=row_order)"),
    ],
)
def test_fields_of_ir_measures(name, ours):
    assert measure_as("ir_measures", name) == measure(ours)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("rbp@80", "RBP(p=0.8,ties=row_order)"),
        ("rbp.07-l1", "RBP(p=0.07,ties=row_order)"),
        ("map@10-l2", "AP(rel=2,ties=row_order)@10"),
        ("map@0", "AP(ties=row_order)"),
        ("r-precision@5-l2", "RPrecision(rel=2,ties=row_order)"),
        ("bpref@5", "Bpref(ties=row_order)"),
        ("ndcg_burges@3-l1", "nDCG(gain=exp2,ties=row_order)@3"),
    ],
)
def test_suffixes_of_ranx(name, ours):
    assert measure_as("ranx", name) == measure(ours)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ndcg@10-l2", "gives grades from 2 on their own value"),
        ("rbp", "ranx refuses 'rbp' without a persistence"),
        ("map.10", "ranx has no ranking measure 'map.10'"),
    ],
)
def test_what_is_refused_of_ranx(name, reason):
    with pytest.raises(ValueError, match=re.escape(reason)):
        measure_as("ranx", name)


@pytest.mark.parametrize(
    ("name", "value"),  # as ranx 0.3.21 has it for grades 3, 2, 1, 0 in the order 1, 2, 0, 3
    [
        ("ndcg@5-l3", 0.4306765580733931),
        ("ndcg_burges@5-l2", 0.5518544320968081),
        ("ndcg@2-l2", 0.2960819109658652),
        ("dcg-l3", 1.2920296742201793),
    ],
)
def test_the_gains_that_the_refusal_of_a_level_of_ranx_names_have_its_values(name, value):
    with pytest.raises(ValueError, match="own value, and the others 0") as refused:
        measure_as("ranx", name)
    named = re.search(r"n?DCG\(gain=\S+\)(@\d+)?", str(refused.value)).group()
    assert measure(named)([1, 2, 0, 3], [4, 3, 2, 1]) == pytest.approx(value, abs=TOLERANCE)


def test_the_refusal_of_a_level_of_rbp_names_no_gains():
    with pytest.raises(ValueError, match=r"own value, and the others 0\.$"):
        measure_as("ranx", "rbp.80-l2")


@pytest.mark.parametrize("name", ["map@0", "ndcg@0"])
def test_only_ranx_takes_a_cutoff_of_0(name):
    with pytest.raises(ValueError, match=r"k must be an integer >= 1.*got 0"):
        measure_as("xgboost", name)


def test_beta_of_trec_eval_is_the_square_of_ours():
    qrels = {"q": {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2, "f": 1}}
    run = {"q": {"a": 3.0, "c": 2.0, "x": 1.0, "b": 0.5}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"set_F.4"}).evaluate(run)["q"]["set_F"]
    ours = measure_as("ir_measures", "SetF(beta=4.0)")(trec.rank(qrels, run))
    assert ours == pytest.approx(theirs, abs=TOLERANCE)
    with pytest.raises(ValueError, match="beta can be given only once"):
        measure("SetF(beta=2)")


@pytest.mark.parametrize("name", ["ndcg-", "map-", "_map_", "-map", "map_", "AP_@5"])
def test_marks_at_the_ends_of_a_name_are_not_dropped(name):
    with pytest.raises(ValueError, match="Unknown measure"):
        measure(name)


def test_names_of_ours_find_the_tools_conventions():
    assert measure_as("lightgbm", "nDCG@10") == measure_as("lightgbm", "ndcg@10")
    assert measure_as("lightgbm", "nDCG(gain=linear,empty=0)@10").gain == "linear"
    assert measure_as("lightgbm", "nDCG(gain=linear,empty=0)@10").empty == 0
    assert measure_as("catboost", "nDCG(ties=expected)@10").ties == "expected"
    assert measure_as("lightgbm", AP(k=3)) == measure_as("lightgbm", "map@3")
    assert measure_as("trec_eval", "AP@10") == AP(k=10, ties="row_order")
    assert measure_as("ntcireval", "AP@10") == AP(k=10, ties="row_order", normalize=True)
    assert measure_as("ntcireval", "Q@0010") == measure_as("ntcireval", "QMeasure@10")
    assert measure_as("ntcireval", "GAP") == GAP(g="linear", ties="row_order")
    assert measure_as("ntcireval", "nDCG@5").discount == "jk"
    assert measure_as("ntcireval", "MSnDCG@5").discount == "log2"
    assert measure_as("ntcireval", "ERR") == ERR(gain="linear", ties="row_order")
    assert measure_as("ntcireval", RBP(max_grade=3, gain="linear", p=0.5)) == RBP(
        gain="linear", max_grade=3, ties="row_order", p=0.5
    )
    assert measure_as("matters", "qMeasure") == QMeasure(ties="row_order", empty=float("nan"))
    assert measure_as("xgboost", "nDCG") == measure_as("xgboost", "ndcg")


def test_a_cutoff_that_a_tool_lacks_is_no_error():
    assert measure_as("trec_eval", "Bpref@5") == Bpref(k=5, ties="row_order")


@pytest.mark.parametrize(
    ("name", "value"), [("xGAP", 113 / 540), ("eGAP", 47 / 240), ("GAP", 83 / 372)]
)
def test_matters(name, value):
    # The list 1, 3, unjudged, 2, unjudged, 1 of a pool with three documents of grade 3, three of
    # grade 2, four of grade 1 and one of grade 0; rational arithmetic on the tool's formulas.
    y_true = [1, 3, np.nan, 2, np.nan, 1, 3, 3, 2, 2, 1, 1, 0]
    ours = measure_as("matters", f"{name}(g=linear)@6")
    assert ours(y_true, -np.arange(13.0)) == pytest.approx(value, abs=1e-12)


def test_what_a_name_states_itself_stays():
    stated = measure_as("trec_eval", "AP(rel=2,empty=1)@10")
    assert stated == AP(rel=2, empty=1, k=10, ties="row_order")
    assert measure_as("matters", xGAP(g=(0.1, 0.9))) == xGAP(g=(0.1, 0.9), ties="row_order")


@pytest.mark.parametrize("row", CONVENTIONS, ids=lambda row: f"{row.tool} {row.theirs}")
def test_every_row_is_found_by_its_name_and_makes_a_measure(row):
    chosen = measure_as(row.tool, row.theirs.replace("{k}", "7"))
    assert type(chosen) is catalogue()[row.ours]
    if "{k}" in row.theirs:
        assert chosen.k == 7
    for field, value in {**TOOLS[row.tool].fields, **row.fields}.items():
        np.testing.assert_equal(getattr(chosen, field), value)  # nan equals nan
    assert measure(str(chosen)) == chosen


@pytest.mark.parametrize(
    ("tool", "name", "message"),
    [
        ("lightgdm", "nDCG@10", "tool must be one of 'lightgbm'.*got 'lightgdm'.*mean 'lightgbm'"),
        (
            "lightgbm",
            "xGAP@10",
            "lightgbm has no ranking measure 'xGAP@10'.*--from lightgbm' lists",
        ),
        (
            "lightgbm",
            "map_cut_10",
            "has no ranking measure 'map_cut_10'.*another tool's name of 'AP@10'",
        ),
        (
            "lightgbm",
            "map_cutt",
            "lightgbm has no ranking measure 'map_cutt'.*lists those that it has.$",
        ),
        (
            "lightgbm",
            "IPrec@0.1",
            "lightgbm has no ranking measure 'IPrec@0.1'.*lists",
        ),
    ],
)
def test_what_a_tool_does_not_have(tool, name, message):
    with pytest.raises(ValueError, match=message):
        measure_as(tool, name)


@pytest.mark.skipif(not DOCS.is_dir(), reason="no documentation beside the tests")
def test_the_page_of_the_documentation_is_up_to_date():
    page = (DOCS / "conventions.md").read_text(encoding="utf-8")
    assert page == as_markdown(), "run: python -m skgraded.conventions > docs/conventions.md"


def test_the_module_writes_the_page():
    command = [sys.executable, "-m", "skgraded.conventions"]
    written = subprocess.run(command, capture_output=True, text=True, check=True)
    assert written.stdout == as_markdown()
    assert written.stderr == ""
