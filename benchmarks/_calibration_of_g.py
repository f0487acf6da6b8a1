"""How often intervals of estimates of g hold the true g, and fits are warned of."""

import itertools
import warnings

import numpy as np
from _calibration_of_choice import share
from recovery_of_g import LOGS, PREFERENCES, TRUE_G, from_feedback, from_log, from_preferences

from skgraded.exceptions import UserModelWarning

G = np.array(TRUE_G["(.1 .2 .3 .4)"])
# Distributions in which nobody has some thresholds, and judges with a threshold each.
WITHOUT_SOME = ((0.0, 0.5, 0.0, 0.5), (0.0, 0.1, 0.1, 0.8), (0.0, 0.0, 0.0, 1.0))
OWN = ("own, one each", "own and sharp, one each", "own and sharp, 20 each")


def shares_held(estimate, n_replications, g=G):
    """Estimate g again and again; return the share held by threshold, and of warnings."""
    rng, held, warned = np.random.default_rng(6), [], []
    for _ in range(n_replications):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            low, high = estimate(rng, g).interval.T
        held.append((low <= g + 1e-9) & (high >= g - 1e-9))
        warned.append(any(issubclass(each.category, UserModelWarning) for each in caught))
    return [*map(share, np.transpose(held)), share(warned)]


def preference_rows(n_replications, n_preferences=2000):
    """Estimate g from preferences, of judges for whom the model holds or does not."""
    kinds = [(name, TRUE_G["(.1 .2 .3 .4)"]) for name in PREFERENCES]
    for name, g in [*kinds, *itertools.product(OWN, WITHOUT_SOME)]:
        judged, is_told, holds = PREFERENCES[name]
        estimate = from_preferences(n_preferences, 0.0, judged, is_told)
        shares = shares_held(estimate, n_replications, np.array(g))
        told = "(" + ", ".join(f"{each:g}".removeprefix("0") or "0" for each in g) + ")"
        yield [name, told, "yes" if holds else "no", *shares]


def feedback_rows(n_replications):
    """Estimate g from feedback whose propensities are known."""
    kinds = {"sure": {}, "noisy": {"hit": 0.3, "miss": 0.02}}
    for users, options in kinds.items():
        for n_sessions in (300, 3000):
            estimate = from_feedback(n_sessions, True, **options)
            yield [users, n_sessions, *shares_held(estimate, n_replications)[:-1]]


def log_rows(n_replications, n_sessions=3000):
    """Estimate g and the propensities from clicks of users who read in one of the three ways."""
    for name in ("position", "cascade", "one"):
        _, users, shared = LOGS[f"log, {name}"]
        yield [name, *shares_held(from_log(n_sessions, users, shared), n_replications)]
