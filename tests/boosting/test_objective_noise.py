"""Derivatives averaged over noisy scores: against literal loops, all orders, and other draws."""

import itertools
import math

import numpy as np
import pytest
import strategies
from facts import FACTS, RANKED, fields_of
from hypothesis import assume, given, strategies as st
from reference import lambdas, noise as literal

from skgraded import measure, nDCG, xGAP
from skgraded.lightgbm import objective

TRAINABLE = [name for name in RANKED if FACTS[name].prefix_form]
QUIET = {"verbose": -1, "num_threads": 1, "metric": "None"}
KINDS = ("gumbel", "logistic")
G = (0.1, 0.2, 0.3, 0.4)


def derivatives(ours, y_true, y_score, sizes=None):
    labels, scores = np.asarray(y_true, dtype=float), np.asarray(y_score, dtype=float)
    return np.array(
        ours(labels, scores, None, [len(labels)] if sizes is None else sizes)
    )


def literal_derivatives(chosen, grades, **options):
    """Return the function of scores and order that the literal loop over pairs is."""
    value = lambdas.value_of(chosen)
    return lambda scores, order: lambdas.by_row(grades, scores, value, order, **options)


# --- the mean over given draws --------------------------------------------------------------------

SCORES = st.sampled_from([-3.5, -1.0, -0.0, 0.0, 0.25, 0.5, 7.25])


@st.composite
def one_query(draw):
    """Grades and scores, the latter sometimes equal throughout, and the top of the scale."""
    n, max_grade = draw(st.integers(1, 6)), draw(strategies.MAX_GRADES)
    grades = draw(strategies.labels(max_grade, n, unjudged=False))
    equal = draw(st.booleans())
    scores = (
        [draw(SCORES)] * n if equal else draw(st.lists(SCORES, min_size=n, max_size=n))
    )
    return grades, scores, max(1, int(max(grades)))


@given(name=st.sampled_from(TRAINABLE), query=one_query(), data=st.data())
def test_the_mean_is_that_of_literal_loops_over_noisy_scores(name, query, data):
    grades, scores, top = query
    chosen, _ = data.draw(fields_of(name, top))
    assume(getattr(chosen, "rel", 1) <= top)
    assume(chosen.k is not None or not chosen.normalize)
    cost = {
        "sigmoid": data.draw(st.sampled_from([0.5, 1.0, 2.0])),
        "truncation_level": data.draw(st.sampled_from([1, 3, None])),
        "norm": data.draw(st.booleans()),
    }
    kind, n_draws = data.draw(st.sampled_from(KINDS)), data.draw(st.integers(1, 4))
    scale = data.draw(st.sampled_from([0.1, 0.5, 3.0]))
    seed = data.draw(st.integers(0, 2**64 - 1))
    ours = objective(
        chosen,
        noise=kind,
        noise_scale=scale,
        n_draws=n_draws,
        random_state=seed,
        **cost,
    )
    expected = literal.mean_by_row(
        grades,
        scores,
        literal_derivatives(chosen, grades, **cost),
        kind=kind,
        scale=scale,
        n_draws=n_draws,
        seed=seed,
    )
    found = derivatives(ours, grades, scores)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_scores_at_the_ends_of_the_number_line_have_finite_derivatives():
    far = [1.7e308, -1.7e308, 0.0, 1e300]
    for kind, norm in itertools.product((None, *KINDS), (True, False)):
        ours = objective(xGAP(g=G), noise=kind, noise_scale=100, n_draws=20, norm=norm)
        for scores in (far, [1.7e308] * 4, [0.0, 5e-324, 0.0, 0.0]):
            found = derivatives(ours, [0, 4, 1, 2], scores)
            assert np.isfinite(found).all()
            assert (found[1] >= 0).all()


def test_noise_that_rounds_away_leaves_the_derivatives_without_noise():
    grades, scores = [0, 2, 1, 0, 2, 1], [1.0, 1.0, 1.0 + 2e-16, 1.0, 1.0, 1.0]
    plain = derivatives(objective(xGAP(g=(0.5, 0.5))), grades, scores)
    ours = objective(xGAP(g=(0.5, 0.5)), noise="gumbel", noise_scale=1e-3, n_draws=4)
    np.testing.assert_allclose(derivatives(ours, grades, scores), plain, rtol=1e-12)


# --- unbiased -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chosen", [xGAP(g=(0.3, 0.7)), nDCG(k=3), measure("QMeasure")])
@pytest.mark.parametrize("norm", [True, False])
def test_many_draws_approach_the_mean_of_other_random_numbers(chosen, kind, norm):
    grades, scores = (2, 0, 1, 0, 2), np.array([0.3, 1.0, -0.2, 0.1, -1.0])
    n_ours, n_theirs, scale = 20_000, 2_000, 0.7
    found = derivatives(
        objective(chosen, noise=kind, noise_scale=scale, n_draws=n_ours, norm=norm),
        grades,
        scores,
    )
    of_scores = literal_derivatives(chosen, grades, norm=norm)
    random = np.random.default_rng(0)
    noisy = scores + scale * np.std(scores) * getattr(random, kind)(
        size=(n_theirs, len(scores))
    )
    rows = np.array([of_scores(each, np.argsort(-each)) for each in noisy])
    error = rows.std(axis=0) * math.sqrt(1 / n_ours + 1 / n_theirs)
    assert (error > 0).all()
    assert (np.abs(found - rows.mean(axis=0)) <= 5 * error).all()


# --- the same bits --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scored():
    """Labels, scores and sizes of 700 queries; the first half lacks the top grade."""
    random = np.random.default_rng(0)
    sizes = random.integers(1, 200, 700)
    labels = random.integers(0, 5, sizes.sum()).astype(float)
    labels[: sizes[:350].sum()] %= 4
    scores = np.round(random.standard_normal(len(labels)), 2)
    scores[: sizes[:20].sum()] = 0.0
    return labels, scores, sizes


def test_a_difference_in_the_last_bits_of_the_scores_gives_no_other_noise(scored):
    labels, scores, sizes = scored
    last_bits = 1 + 2.0**-49 * np.random.default_rng(1).standard_normal(len(scores))
    ours = objective(xGAP(g=G), noise="gumbel")
    found = derivatives(ours, labels, scores * last_bits, sizes)
    np.testing.assert_allclose(found, derivatives(ours, *scored), rtol=1e-3, atol=1e-9)


def test_weights_multiply_the_mean(scored):
    labels, scores, sizes = scored
    ours, weight = objective("nDCG", noise="gumbel"), np.linspace(0.5, 2.0, len(scores))
    weighted = np.array(ours(labels, scores, weight, sizes))
    assert np.array_equal(weighted, derivatives(ours, *scored) * weight)
