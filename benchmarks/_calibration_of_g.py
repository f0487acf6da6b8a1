"""How often intervals of estimates of g, and bands for all users, hold the truth."""

import warnings

import numpy as np
from _calibration_of_pairs import LEVEL, percent
from recovery_of_g import LOGS, TRUE_G, from_feedback, from_log

from skgraded._intervals.bands import critical_value, largest_ratios, moments_of
from skgraded.exceptions import UserModelWarning

G = np.array(TRUE_G["(.1 .2 .3 .4)"])


def shares_held(estimate, n_replications):
    """Return the share held by threshold, and the share of estimates that warn of the users."""
    rng, held, warned = np.random.default_rng(6), [], []
    for _ in range(n_replications):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            low, high = estimate(rng, G).interval.T
        held.append((low <= G + 1e-9) & (high >= G - 1e-9))
        warned.append(any(issubclass(each.category, UserModelWarning) for each in caught))
    return [" ".join(map(percent, np.transpose(held))), percent(warned)]


def g_rows(n_replications):
    """Feedback with known propensities, and logs of users who read in one of three ways."""
    for users, options in {"sure": {}, "noisy": {"hit": 0.3, "miss": 0.02}}.items():
        for n in (300, 3000):
            held = shares_held(from_feedback(n, True, **options), n_replications)[0]
            yield [f"feedback of {users} users, {n:,} sessions", held, "-"]
    for name in ("position", "cascade", "one"):
        _, users, shared = LOGS[f"log, {name}"]
        told = shares_held(from_log(3000, users, shared), n_replications // 4)
        yield [f"log, {name}, 3,000 sessions", *told]


def rare_top(n_queries, share, rng):
    """Draw the differences of a ranker that finds documents of a rare top grade earlier."""
    better, worse = (1 / rng.integers(1, most, n_queries) for most in (5, 20))
    top = np.where(rng.random(n_queries) < share, better - worse, 0.0)
    gap = np.mean(1 / np.arange(1, 5)) - np.mean(1 / np.arange(1, 20))
    return np.column_stack([rng.normal(0.0, 0.15, n_queries), top]), [0.0, share * gap]


def band_rows(n_replications):
    """Joint coverage of the band of a threshold profile."""
    for n_queries, share in ((100, 0.04), (100, 0.1), (100, 0.4), (400, 0.04)):
        rng, held = np.random.default_rng([n_queries, int(100 * share), 4]), []
        while len(held) < n_replications:
            differences, truth = rare_top(n_queries, share, rng)
            moments = moments_of(differences)
            if not moments.standard_errors.all():
                continue  # no query has the top grade, of which a warning tells
            critical = critical_value([moments], 1 - LEVEL, 500, rng, over_simplex=True)
            ratios = largest_ratios((moments.means - truth)[None], moments.covariance[None])
            held.append(max(each[0] for each in ratios) <= critical)
        yield [n_queries, f"{share * n_queries:.0f}", percent(held)]
