"""Numbers of search tools and of libraries that cannot run here, by their formulas written out."""

import math

import numpy as np
import pytest

from skgraded import trec
from skgraded.conventions import conventions_of, measure_as


def relevant(grades):
    return [grade > 0 for grade in grades]


def precision(grades, pool, k):
    return sum(relevant(grades[:k])) / len(grades[:k])


def recall(grades, pool, k):
    return sum(relevant(grades[:k])) / sum(relevant(pool)) if any(pool) else 0.0


def reciprocal_rank(grades, pool, k):
    return next((1 / n for n, grade in enumerate(grades[:k], 1) if grade > 0), 0.0)


def average_precision(grades, pool, k):
    n_found, total = 0, 0.0
    for n, grade in enumerate(grades[:k], 1):
        if grade > 0:
            n_found += 1
            total += n_found / n
    return total / sum(relevant(pool)) if any(pool) else 0.0


def cumulated_gain(grades, pool, k):
    return sum(grades[:k])


def exp2_dcg(grades, pool, k):
    return sum(
        (2**grade - 1) / math.log2(n + 1) for n, grade in enumerate(grades[:k], 1)
    )


def exp2_ndcg(grades, pool, k):
    ideal = exp2_dcg(sorted(pool, reverse=True), pool, k)
    return exp2_dcg(grades, pool, k) / ideal if ideal else 0.0


def expected_reciprocal_rank(grades, pool, k):
    total, trust = 0.0, 1.0
    for n, grade in enumerate(grades[:k], 1):
        share = (2**grade - 1) / 2**3
        total += trust * share / n
        trust *= 1 - share
    return total


def pair_accuracy(grades, pool, k):
    pairs = [
        (one, two)
        for n, one in enumerate(grades)
        for two in grades[n + 1 :]
        if one != two
    ]
    return sum(one > two for one, two in pairs) / len(pairs) if pairs else 1.0


FORMULAS = {
    "precision": precision,
    "recall": recall,
    "mean_reciprocal_rank": reciprocal_rank,
    "dcg": exp2_dcg,
    "ndcg": exp2_ndcg,
    "expected_reciprocal_rank": expected_reciprocal_rank,
    "P": precision,
    "AP": average_precision,
    "CG": cumulated_gain,
    "DCG": exp2_dcg,
    "ERR": expected_reciprocal_rank,
    "RR": reciprocal_rank,
    "mrr_metric": reciprocal_rank,
    "recall_metric": recall,
    "precision_metric": precision,
    "ap_metric": average_precision,
    "dcg_metric": exp2_dcg,
    "ndcg_metric": exp2_ndcg,
    "MRRMetric": reciprocal_rank,
    "PrecisionMetric": precision,
    "MeanAveragePrecisionMetric": average_precision,
    "DCGMetric": exp2_dcg,
    "NDCGMetric": exp2_ndcg,
    "OPAMetric": pair_accuracy,
}
ROWS = [
    pytest.param(tool, row, id=f"{tool} {row.example}")
    for tool in ("elasticsearch", "quepid", "rre", "rax", "tf_ranking")
    for row in conventions_of(tool)
]


@pytest.mark.parametrize(("tool", "row"), ROWS)
@pytest.mark.parametrize("seed", range(3))
def test_the_formulas_of_search_tools(tool, row, seed):
    rng = np.random.default_rng(seed)
    word = row.theirs.split("@")[0].split("(")[0]
    k = 10 if "{k}" in row.theirs else None
    measure = measure_as(tool, row.example)
    if word == "expected_reciprocal_rank":
        measure = measure.replace(max_grade=3)
    qrels, run = {}, {}
    owns_pool = tool in ("rax", "tf_ranking")
    for topic in "abcdefgh":
        n_retrieved = int(rng.integers(10, 30))
        names = [f"d{number}" for number in range(40)]
        retrieved = [str(name) for name in rng.choice(names, n_retrieved, False)]
        pool = retrieved if owns_pool else names[:35]
        qrels[topic] = {name: int(rng.integers(0, 4)) for name in pool}
        run[topic] = retrieved
        qrels[topic][retrieved[0]] = 2
    if "P@" in row.theirs or "precision" in word.lower():
        run["a"] = run["a"][:3]  # a list shorter than k is divided by its own length
        if owns_pool:
            qrels["a"] = {name: qrels["a"][name] for name in run["a"]}
    found = trec.evaluate(measure, qrels, run)
    expected = []
    for topic in found.qid:
        grades = [qrels[topic].get(name, 0) for name in run[topic]]
        pool = list(qrels[topic].values())
        expected.append(FORMULAS[word](grades, pool, k))
    np.testing.assert_allclose(found.values[0, :, 0], expected, atol=1e-12)


def test_opensearch_has_the_numbers_of_elasticsearch():
    for row in conventions_of("opensearch"):
        assert measure_as("opensearch", row.example) == measure_as(
            "elasticsearch", row.example
        )


def test_the_worked_example_of_quepid_and_elasticsearch():
    # Ratings 3, none and 1 of three results; by hand.
    qrels, run = {"q": {"a": 3, "c": 1, "x": 2}}, {"q": ["a", "b", "c"]}

    def value(tool, name):
        measure = measure_as(tool, name)
        if name.startswith("expected"):
            measure = measure.replace(max_grade=3)
        return trec.evaluate(measure, qrels, run).values.item()

    assert value("quepid", "P@10") == 2 / 3
    assert value("elasticsearch", "precision@10") == 2 / 3
    assert value("elasticsearch", "recall@10") == 2 / 3
    assert value("quepid", "CG@10") == 4
    assert value("elasticsearch", "dcg@10") == pytest.approx(7 + 1 / 2)
    ideal = 7 + 3 / math.log2(3) + 1 / 2
    assert value("elasticsearch", "ndcg@10") == pytest.approx(7.5 / ideal)
    expected = 7 / 8 + 1 / 8 * 1 / 8 / 3
    for tool, name in (
        ("quepid", "ERR@10"),
        ("opensearch", "expected_reciprocal_rank@10"),
    ):
        assert value(tool, name) == pytest.approx(expected)
