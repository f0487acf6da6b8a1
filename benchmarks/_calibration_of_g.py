"""How often intervals of estimates of g, and bands for all users, hold the truth."""

import warnings

import numpy as np
from _calibration_generators import made_up
from _calibration_of_pairs import BOUNDS, LEVEL, NORMAL, percent
from recovery_of_g import LOGS, TRUE_G, from_feedback, from_log

from skgraded._intervals.estimate import means
from skgraded.exceptions import UserModelWarning
from skgraded.users._pair_profile import PairProfile, even_points

BAND_QUERIES = (10, 30, 100, 300)
G = np.array(TRUE_G["(.1 .2 .3 .4)"])


def shares_held(estimate, n_replications):
    """Return the share held by threshold, and the share of estimates that warn of the users."""
    rng, held, warned = np.random.default_rng(6), [], []
    for _ in range(n_replications):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            low, high = estimate(rng, G).interval.T
        held.append((low <= G + 1e-9) & (high >= G - 1e-9))
        warned.append(
            any(issubclass(each.category, UserModelWarning) for each in caught)
        )
    return [" ".join(map(percent, np.transpose(held))), percent(warned)]


def g_rows(n_replications):
    """Feedback with known propensities, and logs of users who read as the model says."""
    for users, options in {"sure": {}, "noisy": {"hit": 0.3, "miss": 0.02}}.items():
        for n in (300, 3000):
            held = shares_held(from_feedback(n, True, **options), n_replications)[0]
            yield [f"feedback of {users} users, {n:,} sessions", held, "-"]
    for name in ("position", "cascade", "one", "position, users, heavy"):
        users, shared = LOGS[f"log, {name}"]
        told = shares_held(from_log(3000, users, shared), n_replications // 4)
        yield [f"log, {name}, 3,000 sessions", *told]


def band_rows(n_replications):
    """Joint coverage of a band of three thresholds, and width: few queries have the top grade."""
    users, of_top = (
        np.concatenate([np.eye(3), even_points(3, 300)]),
        np.array([1.0, 1.0, 0.3]),
    )
    for name in (
        "normal, SD 0.15",
        "AP-like",
        "gamma, right skew",
        "gamma, left skew",
        "lognormal",
        "half zeros",
    ):
        columns, cells = made_up(name), []
        for n in BAND_QUERIES:
            rng, held, reach, values = np.random.default_rng([n, 4]), [], [], []
            for _ in range(n_replications):
                drawn, truth, _ = columns(rng, n, 4)
                rows = (drawn[:, :3] + drawn[:, 3:]) / 2 * (rng.random((n, 1)) < of_top)
                estimate, true = (
                    means(rows, bounds=BOUNDS),
                    users @ (truth[:3] * of_top),
                )
                low, high = PairProfile("a", "b", estimate, 1 - LEVEL).band(users).T
                held.append(((low <= true) & (true <= high)).all())
                reach.append((high - low)[:3] / 2)
                values.append(estimate.value)
            width = np.mean(reach) / NORMAL / np.std(values, axis=0).mean()
            cells.append(f"{percent(held)} / {width:.2f}")
        yield [name, *cells]
