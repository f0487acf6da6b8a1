"""Every name of other tools: run side by side on the same rankings, or named as absent."""

import inspect
import re
import warnings

import numpy as np
import pytest
from peers import BY_TOOL, as_markdown, compare, installed, names_of, random_topics

from skgraded import nDCG
from skgraded.conventions import ABSENCES, measure_as


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


def all_names(tool):
    """The names that a tool lists itself."""
    if tool == "pytrec_eval":
        import pytrec_eval

        return sorted(pytrec_eval.supported_measures)
    if tool == "ir_measures":
        import ir_measures

        return sorted(name for name in ir_measures.measures.registry if name.isascii())
    if tool == "ranx":
        import ranx.metrics

        return re.findall(r'metric == "([^"]+)"', inspect.getsource(ranx.metrics.metric_switch))
    import torchmetrics.retrieval

    return sorted(torchmetrics.retrieval.__all__)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", BY_TOOL)
def test_every_name_of_the_tool_is_here_or_named_as_absent(tool):
    require(tool)
    names = all_names(tool)
    assert len(names) > 10
    for name in names:
        spellings = [name, f"{name}_10", f"{name}_0.20", f"{name}@10", f"{name}.95"]
        spellings += [f"{name}@0.1", f"{name}(rel=1)", f"{name}_at_0.20"]
        table = "trec_eval" if tool == "pytrec_eval" else tool
        absent = [theirs for each in ABSENCES if each.tool == table for theirs in each.theirs]
        assert name in absent or any(is_known(tool, each) for each in spellings), name


def is_known(tool, name):
    try:
        measure_as(tool, name)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("tool", "name", "reason"),
    [
        ("trec_eval", "relstring", "No measure of skgraded has the values of trec_eval's relstr"),
        ("pytrec_eval", "num_q", "No measure of skgraded has the values of pytrec_eval's num_q"),
        ("ir_measures", "alpha_nDCG@10", "alpha_nDCG@10. Diversity measures stay out"),
        ("torchmetrics", "RetrievalMAP(top_k=5)", r"among the first k.*`AP@k` is divided by R"),
    ],
)
def test_what_is_absent_is_refused_with_a_reason(tool, name, reason):
    with pytest.raises(ValueError, match=reason):
        measure_as(tool, name)


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
