"""The choice for users g against a literal prediction, and on candidates that trade users."""

import dataclasses

import numpy as np
import pytest

from skgraded import AP, evaluate, nDCG
from skgraded.users import choose
from skgraded.users._choice import predicted_means


def literal_predictions(values, target, shares):
    """The prediction system by system, with explicit sums and inverses."""
    s, n, k = values.shape
    means = np.array(
        [[sum(shares * values[i, :, a]) for a in range(k)] for i in range(s)]
    )
    middle = means.mean(axis=0)
    own = np.zeros((s, k, k))
    rests = np.zeros((s, n, k))
    for i, q in np.ndindex(s, n):
        rests[i, q] = values[i, q] - values[:, q].mean(axis=0) - (means[i] - middle)
        rests[i, q] *= shares[q]
        own[i] += n / (n - 1) * np.outer(rests[i, q], rests[i, q])
    within = own.sum(axis=0) / (s - 1)
    within = within + 1e-3 * np.diag(np.diag(within) + 1e-14)
    found = sum(np.outer(m - middle, m - middle) for m in means) / (s - 1)
    # The positive part of found - within in the metric of within.
    sizes, vectors = np.linalg.eig(np.linalg.inv(within) @ found)
    positive = np.zeros((k, k))
    for size, v in zip(sizes.real, vectors.real.T, strict=True):
        scaled = within @ v / np.sqrt(v @ within @ v)
        positive += max(size - 1, 0) * np.outer(scaled, scaled)
    alike = np.zeros((s, s))
    for i, j in np.ndindex(s, s):
        alike[i, j] = sum(
            rests[i, q] @ np.linalg.inv(within) @ rests[j, q] for q in range(n)
        )
    worth = max(np.trace(alike) ** 2 / (alike**2).sum(), 2)
    sd = np.sqrt(np.diag(within))
    reliability = max(np.mean(np.diag(found - within) / sd**2), 0.02)
    between = (worth * positive + 10 * reliability * np.outer(sd, sd)) / (worth + 10)
    mean, error = [], []
    for i in range(s):
        weights = np.linalg.inv(between + (own[i] + within) / 2) @ between @ target
        mean.append(middle @ target + weights @ (means[i] - middle))
        error.append(
            np.sqrt(max(target @ between @ target - weights @ between @ target, 0))
        )
    return np.array(mean), np.array(error)


@pytest.mark.parametrize("seed", range(5))
def test_predictions_are_those_of_the_formula(seed):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(6, 1, 3)) * [0.1, 0.2, 0.05]
    values = true + rng.normal(size=(6, 15, 3)) + rng.normal(size=(1, 15, 1))
    target, even = np.array([0.3, 0.7, 0.0]), np.full(15, 1 / 15)
    for shares in (even, rng.dirichlet(np.full(15, 3.0))):
        found = predicted_means(values, target, shares)
        expected = literal_predictions(values, target, shares)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


TRADING, ALIKE = range(0, 81, 8), [40.0 + at / 1000.0 for at in range(12)]
FIRST_USERS = [1.0, 0.0]


def frontier(seed, n_queries, angles):
    """Candidates that weigh topicality, which makes relevant, and quality, which makes top."""
    rng = np.random.default_rng(seed)
    shape = (n_queries, 20)
    topicality, quality = rng.normal(size=(2, *shape))
    is_relevant = topicality + 0.5 * rng.normal(size=shape) > 0.3
    grades = np.where(
        is_relevant, 1 + (quality + 0.5 * rng.normal(size=shape) > 1.3), 0
    )
    scores = {
        f"{angle}": (
            np.cos(np.radians(angle)) * topicality
            + np.sin(np.radians(angle)) * quality
            + 0.5 * rng.normal(size=shape)
        ).ravel()
        for angle in angles
    }
    qid = np.repeat(np.arange(n_queries), 20)
    measures = [AP(rel=1, k=10), AP(rel=2, k=10), nDCG(k=10)]
    return evaluate(measures, grades.ravel(), scores, qid=qid)


def gains_over_the_general_choice(angles, n_queries, n_sets):
    """What the choice wins on new queries, for both kinds of users, in each set."""
    gains = []
    for seed in range(n_sets):
        scores = frontier(seed, n_queries + 300, angles)
        seen, new = (
            scores.select(qid=part.tolist())
            for part in np.split(scores.qid, [n_queries])
        )
        for g in ([1.0, 0.0], [0.0, 1.0]):
            found = choose(seen, g)
            outcome = dict(
                zip(new.systems, new.values.mean(axis=1)[:, :2] @ g, strict=True)
            )
            gains.append(outcome[found.candidate] - outcome[found.general_candidate])
            trades = "trade users" in found.reason
            assert trades == (found.candidate != found.general_candidate)
    return np.array(gains)


def test_where_candidates_trade_users_the_choice_wins():
    gains = gains_over_the_general_choice(TRADING, 60, 12)
    assert gains.mean() > 0.03
    assert gains.min() > -0.02
    assert (gains != 0.0).mean() > 0.3


def test_where_they_do_not_it_loses_nothing():
    gains = gains_over_the_general_choice(ALIKE, 60, 12)
    assert abs(gains.mean()) < 0.002
    assert (gains != 0.0).mean() < 0.3


def predictions(scores, **changes):
    """Choose by changed scores, with a reason that does not name the general measure."""
    found = choose(
        dataclasses.replace(scores, **changes), FIRST_USERS, by=scores.measures[-1]
    )
    return found.candidate, found.general_candidate


def turned(values):
    return {"values": values * [1.0, 1.0, -1.0], "directions": (1, 1, -1)}


def repeated(values):
    noise = np.random.default_rng(0).normal(0.0, 0.2, values.shape)
    both = np.stack([values + noise, values - noise], axis=1)
    return {"values": both, "folds": np.repeat([[0], [1]], 60, axis=1)}


def without_the_top_grade(values):
    lacks = (values[0, :, 1] == 0.0) & (values[0, :, 0] > 0.0)
    assert lacks.any()
    found = values.copy()
    found[:, lacks, 1] = np.nan
    return {"values": found}


@pytest.mark.parametrize("change", [turned, repeated, without_the_top_grade])
def test_what_says_the_same_is_chosen_alike(change):
    scores = frontier(1, 60, TRADING)
    assert predictions(scores, **change(scores.values)) == predictions(scores)
    wrong = turned(scores.values)["values"]
    assert predictions(scores, values=wrong) != predictions(scores)


@pytest.mark.parametrize("seed", range(2))
def test_a_query_counts_by_its_weight(seed):
    scores = frontier(seed, 60, ALIKE)
    weights = np.random.default_rng(seed).exponential(size=60)
    found = choose(dataclasses.replace(scores, weights=weights), FIRST_USERS)
    best = np.average(scores.values[..., 2], axis=1, weights=weights).argmax()
    assert found.general_candidate == scores.systems[best]
    assert found.general_candidate != choose(scores, FIRST_USERS).general_candidate
    even = dataclasses.replace(scores, weights=np.full(60, 3.0))
    assert choose(even, FIRST_USERS) == choose(scores, FIRST_USERS)


def test_the_general_measure_may_have_another_cut_off():
    scores = frontier(0, 60, TRADING)
    shallow = dataclasses.replace(scores, measures=("AP@10", "AP(rel=2)@10", "nDCG@5"))
    assert choose(shallow, FIRST_USERS, by=nDCG(k=5))[:2] == predictions(scores)
    uneven = dataclasses.replace(scores, measures=("AP@10", "AP(rel=2)@5", "nDCG@10"))
    with pytest.raises(ValueError, match="AP"):
        choose(uneven, FIRST_USERS)


FEW, EVEN = frontier(0, 10, [0, 40, 80]), [0.5, 0.5]
LEAST = "at least 3 candidates and queries .* got "


@pytest.mark.parametrize(
    ("scores", "g", "by", "error", "text"),
    [
        (FEW, [0.5, 0.4], "nDCG@10", ValueError, "g"),
        (
            FEW,
            [0.2, 0.3, 0.5],
            "nDCG@10",
            ValueError,
            "each of the 2 thresholds that were scored",
        ),
        (FEW, EVEN, "RR", KeyError, "RR"),
        (FEW, EVEN, "nDCG@5", KeyError, "nDCG@5"),
        (
            FEW.select(system=["0", "40"]),
            EVEN,
            "nDCG@10",
            ValueError,
            f"{LEAST}2 and 10",
        ),
        (FEW.select(qid=[0, 1]), EVEN, "nDCG@10", ValueError, f"{LEAST}3 and 2"),
        (FEW.select(system="0"), EVEN, "nDCG@10", ValueError, f"{LEAST}1 and 10"),
    ],
)
def test_bad_input_is_told(scores, g, by, error, text):
    with pytest.raises(error, match=text):
        choose(scores, g, by=by)
