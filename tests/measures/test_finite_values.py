"""Every value is finite, unless empty=nan meets a query with nothing relevant; means count all."""

import math

import numpy as np
import pytest
from facts import EACH, FACTS, TIES
from hypothesis import settings
from pools import rankings_of_pools

from skgraded import ERR, Rankings, catalogue, evaluate, measure, trec
from skgraded.measures import EBR, G, iRBU

# These tests call measures whose scale is open on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")

N_DRAWS = settings().max_examples // 4  # of each measure
TOPS = (1, 2, 4, 60, 253)


def draw_gain(rng, top):
    kind = rng.integers(3)
    if kind < 2:
        return ("linear", "exp2")[kind]
    steps = rng.choice([0.0, 1e-9, 0.1, 1.0, 1e9], top)
    steps[-1] += steps.sum() == 0
    return tuple(np.cumsum(steps).tolist())


def draw_measure(rng, name, top):
    """Draw shared fields, and a gain where the measure has one."""
    kind, facts = catalogue()[name], FACTS[name]
    fields = kind._fields
    drawn = {"empty": rng.choice([0.0, 1.0, math.nan])}
    if "gain" in fields:
        drawn["gain"] = draw_gain(rng, top)
    choices = {
        "k": [None, 1, 2, 5, 400],
        "normalize": [False, True],
        "unjudged": ["nonrelevant", "condense"],
        "ties": TIES[not kind._averages_over_ties :],
    }
    for field, values in choices.items():
        if field not in facts.refuses:
            drawn[field] = values[rng.integers(len(values))]
    return kind(**drawn).resolve(top)


def draw_queries(rng, top, unit):
    """Draw lists, some of them empty, unjudged or a single document, and their pools.

    Grades are whole numbers of the unit.
    """
    queries = []
    for _ in range(rng.integers(1, 5)):
        share = rng.choice([0.0, 0.5, 1.0])
        ranked = [
            None
            if rng.random() < share
            else unit * rng.choice([0, 1, top, rng.integers(top + 1)])
            for _ in range(rng.choice([0, 1, 2, 7, 40]))
        ]
        others = (unit * rng.integers(0, top + 1, rng.choice([0, 1, 5]))).tolist()
        queries.append((ranked, [each for each in ranked if each is not None] + others))
    queries.append(
        ([top], [top])
    )  # no threshold exceeds all grades, and no list is too short
    return queries


def takes_fractions(chosen):
    """Whether grades may be fractions, which gains by name and few measures of pairs take."""
    try:
        return np.isfinite(chosen([0.5, 1.5, 0.0], [1, 2, 3]))
    except ValueError:
        return False


def tied(rng, rankings):
    """Tie neighbours at random."""
    flags = rng.integers(0, 2, len(rankings.tied)).astype(np.uint8)
    flags[rankings.judgments.indptr[:-1][np.diff(rankings.judgments.indptr) > 0]] = 0
    return Rankings(rankings.judgments, rankings.order, flags)


@EACH
def test_every_value_is_finite_and_counted(name):
    for seed in range(N_DRAWS):
        rng = np.random.default_rng(seed)
        top = int(rng.choice(TOPS))
        chosen = draw_measure(rng, name, top)
        unit = rng.choice([1, 0.37]) if takes_fractions(chosen) else 1
        rankings = tied(rng, rankings_of_pools(draw_queries(rng, top, unit)))
        scores = chosen.per_query(rankings)
        values, judgments = scores.values, rankings.judgments
        relevant = judgments.count_pool(chosen.relevant(judgments)) > 0
        assert np.isfinite(values[relevant]).all(), (seed, chosen, values)
        expected = np.full(np.sum(~relevant), chosen.empty)
        np.testing.assert_array_equal(values[~relevant], expected, str((seed, chosen)))
        if chosen.normalize:
            assert values[relevant].max(initial=0.0) <= 1.0, (seed, chosen, values)
        assert np.isfinite(float(scores))


@pytest.mark.parametrize(
    "spec",
    [
        "P",
        "SetAP",
        "SDCG",
        "GeneralizedP",
        "BPM(max_grade=2)",
        "F",
        "NERR8(max_grade=2)",
        "R@5",
    ],
)
@pytest.mark.parametrize("empty", [0.0, 1.0, math.nan])
def test_a_topic_that_a_run_lacks_counts_zero(spec, empty):
    chosen = measure(spec).replace(normalize=True, empty=empty).resolve(2)
    qrels = {f"q{i}": {"a": 2, "b": 0, "c": 1} for i in range(10)}
    scores = chosen.per_query(trec.rank(qrels, {"q3": {"a": 2.0, "c": 1.0}}))
    assert scores.values.ravel().tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert float(scores) == 0.1
    assert "over 10 queries" in repr(scores)


def test_probabilities_of_stopping_that_doubles_round_to_0_or_1():
    assert EBR(gain="exp2", max_grade=54)([54, 1], [2, 1]) == 1.0
    assert iRBU(max_grade=60, normalize=True)([0, 3], [1, 1]) == pytest.approx(
        0.995, abs=1e-12
    )
    assert ERR(max_grade=60, normalize=True)([0, 3], [1, 1]) == pytest.approx(
        0.75, abs=1e-12
    )


@pytest.mark.parametrize("max_grade", [10, 40, 254])
def test_rare_stops_of_long_ties_keep_their_ratio_to_the_ideal(max_grade):
    # Nobody stops twice, so that the first of m equal documents among n is found at random.
    labels, n = np.repeat([0, 1], [60, 40]), 100
    ideal = sum(1 / rank for rank in range(1, 41))
    expected = sum(0.4 / rank for rank in range(1, n + 1)) / ideal
    value = ERR(max_grade=max_grade, normalize=True)(labels, np.zeros(n))
    tolerance = 40.0 * 2.0 ** (1 - max_grade) + 1e-12
    assert value == pytest.approx(expected, rel=tolerance)


def test_a_mean_counts_what_was_averaged():
    scores = evaluate(
        ["P(normalize=True,empty=nan)", "RankedHalfLife@1"],
        [0, 1, 1, 0, 0, 0],
        [2, 1, 2, 1, 1, 2],
        qid=[1, 1, 2, 2, 3, 3],
    )
    assert scores.n_empty == (1, 1)


def test_what_rounding_takes_from_a_large_gain_is_not_lost():
    """After three documents 1 is missed, the summand of the one that has no gain."""
    small, large = 3.0, 2.0**60
    found = G(gain=(small, large))([0, 1, 2], [3, 2, 1])
    second, third = small / math.log2(2 + large), large / math.log2(2 + 1)
    assert found == pytest.approx((second + third) / (small + large), rel=1e-12)
