"""How often intervals of the power of measures hold the expected power."""

import itertools

import numpy as np
from _calibration_of_choice import share
from scipy import stats

from skgraded.studies import RepeatedPower, power_over_topics

LEVEL = 0.05


def power_of_halves(rng, n_systems, n_topics):
    """Return the study of a steady and a noisy measure of the same systems."""
    worth = np.linspace(0.0, 0.5, n_systems)[:, None]
    noise = rng.normal(size=(2, n_systems, n_topics))
    scores = {"steady": worth + 0.3 * noise[0], "noisy": worth + 0.6 * noise[1]}
    return power_over_topics(scores, test="t", random_state=rng)


def power_of_samples(rng, n_pairs, n_samples):
    """Return the power of two measures in samples of the judgments, which move all pairs."""
    moved = rng.normal(0.0, 0.15, (n_samples, 2))
    chance = stats.norm.cdf(np.array([0.5, 0.2]) + moved)
    powers = rng.binomial(n_pairs, chance) / n_pairs
    return RepeatedPower(("one", "other"), powers, n_pairs, 1 - LEVEL)


def coverage(found):
    """Return the share of intervals that hold the mean of all powers and differences, and width."""
    cells = []
    for told, ends, place in (("power", "interval", 0), ("difference", "difference_interval", 1)):
        means = np.array([getattr(each, told)[place] for each in found])
        low, high = np.transpose([getattr(each, ends)[place] for each in found])
        width = (high - low).mean() / (2 * stats.norm.isf(LEVEL / 2) * means.std(ddof=1))
        cells += [share((low <= means.mean()) & (means.mean() <= high)), f"{width:.2f}"]
    return cells


def topic_power_rows(n_replications):
    """Intervals of `power_over_topics`, for other topics."""
    for n_systems, n_topics in itertools.product((5, 15), (30, 100)):
        rng = np.random.default_rng([n_systems, n_topics, 10])
        found = [power_of_halves(rng, n_systems, n_topics) for _ in range(n_replications)]
        yield [f"{n_topics} topics, {n_systems} systems", *coverage(found)]


def drawn_power_rows(n_replications, n_pairs=105):
    """Intervals of `power_over_samples`, for other samples of the judgments."""
    for n_samples in (3, 10):
        rng = np.random.default_rng([n_samples, 11])
        found = [power_of_samples(rng, n_pairs, n_samples) for _ in range(n_replications)]
        yield [f"{n_samples} samples, 15 systems", *coverage(found)]
