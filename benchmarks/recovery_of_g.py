"""Bias of the estimates of g, and coverage of their 95 % intervals, on simulated users.

Feedback: ten documents a session, placed by a ranker that prefers higher grades; a user draws a
threshold from the true g and examines rank n with probability 1/n. "sure" users are satisfied by
every examined document that reaches their threshold and by no other; "noisy" ones by 30 % of those
and by 2 % of the others. Position is corrected with the propensities 1/n, or ignored.

Preferences: two rankings of 15 documents a query; A is preferred with probability
1 / (1 + exp(-10 d)), where d is the difference in eGAP with the true g; with "ties", as in
Davidson's model with nu = 1.

    python benchmarks/recovery_of_g.py [--share S] [--only WORD]

The share multiplies the numbers of replications; the word selects rows of the table.
"""

import argparse
import time
import warnings

import numpy as np

from skgraded.exceptions import SkgradedWarning
from skgraded.users import ap_differences, thresholds_from_feedback, thresholds_from_preferences

TRUE_G = {"(.1 .2 .3 .4)": (0.1, 0.2, 0.3, 0.4), "(0 .5 0 .5)": (0.0, 0.5, 0.0, 0.5)}
GRADE_SHARES = (0.5, 0.2, 0.15, 0.1, 0.05)
REPLICATIONS = {300: 400, 3_000: 200, 30_000: 60}
N_RESAMPLES = 500
SCALE = 10.0


def feedback(rng, g, n_sessions, *, hit=1.0, miss=0.0, n_documents=10):
    """Return grade, whether satisfied, propensity and session of the shown documents."""
    grades = rng.choice(len(GRADE_SHARES), size=(n_sessions, n_documents), p=GRADE_SHARES)
    order = np.argsort(-(grades + 2 * rng.standard_normal(grades.shape)), axis=1)
    grades = np.take_along_axis(grades, order, axis=1)
    propensity = np.broadcast_to(1 / np.arange(1, n_documents + 1), grades.shape)
    threshold = rng.choice(np.arange(1, len(g) + 1), size=(n_sessions, 1), p=g)
    chance = propensity * np.where(grades >= threshold, hit, miss)
    session = np.repeat(np.arange(n_sessions), n_documents)
    satisfied = rng.random(grades.shape) < chance
    return grades.ravel(), satisfied.ravel(), propensity.ravel(), session


def preferences(rng, g, n_queries, nu=0.0, n_documents=15):
    """Return preferences between two rankings, and their differences."""
    y_true = rng.choice(len(GRADE_SHARES), size=n_queries * n_documents, p=GRADE_SHARES)
    scores = y_true + rng.normal(0, 2, size=(2, len(y_true)))
    qid = np.repeat(np.arange(n_queries), n_documents)
    differences = ap_differences(y_true, *scores, qid=qid, max_grade=4)
    half = SCALE * differences.values @ g / 2
    weights = np.column_stack([np.exp(half), np.exp(-half), np.full(n_queries, nu)])
    shares = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random((n_queries, 1)) > shares).sum(axis=1)
    return np.array([1, -1, 0])[outcome], differences


def from_feedback(n, corrected, **users):
    def estimate(rng, g):
        grade, satisfied, propensity, session = feedback(rng, g, n, **users)
        return thresholds_from_feedback(
            grade,
            satisfied,
            propensity=propensity if corrected else None,
            qid=session,
            n_resamples=N_RESAMPLES,
        )

    return estimate


def from_preferences(n, nu):
    def estimate(rng, g):
        return thresholds_from_preferences(*preferences(rng, g, n, nu), n_resamples=N_RESAMPLES)

    return estimate


def contestants():
    """Yield the name, the number of units and the estimate of every row of the table."""
    for users, options in {"sure": {}, "noisy": {"hit": 0.3, "miss": 0.02}}.items():
        for corrected in (True, False):
            name = f"feedback, {users}, position {'corrected' if corrected else 'ignored'}"
            for n in REPLICATIONS:
                yield name, n, from_feedback(n, corrected, **options)
    for name, nu in {"preferences": 0.0, "preferences, ties": 1.0}.items():
        for n in (300, 3_000):
            yield name, n, from_preferences(n, nu)


def row(estimate, g, n_replications):
    """Return mean, standard deviation, coverage and width, by threshold."""
    rng = np.random.default_rng(0)
    found = [estimate(rng, g) for _ in range(n_replications)]
    estimates = np.array([each.g for each in found])
    low, high = np.moveaxis([each.interval for each in found], 2, 0)
    covered = (low <= np.add(g, 1e-9)) & (np.subtract(g, 1e-9) <= high)
    return estimates.mean(0) - g, estimates.std(0), covered.mean(0), (high - low).mean(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the replications")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    share, only = (parsed := parser.parse_args()).share, parsed.only
    warnings.simplefilter("ignore", SkgradedWarning)  # few noisy sessions may leave grades alike
    for name_of_g, g in TRUE_G.items():
        print(f"\ntrue g {name_of_g}; bias, SD and coverage of thresholds 1 to 4")
        for name, n, estimate in contestants():
            if only not in name:
                continue
            start = time.process_time()
            n_replications = max(2, int(share * REPLICATIONS[n]))
            bias, deviation, covered, _ = row(estimate, g, n_replications)
            told = [" ".join(f"{v:+.3f}" for v in bias), " ".join(f"{v:.3f}" for v in deviation)]
            told.append(" ".join(f"{100 * v:5.1f}" for v in covered))
            seconds = time.process_time() - start
            print(
                f"{name:37} {n:6,} x {n_replications:3} {'  '.join(told)} {seconds:4.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
