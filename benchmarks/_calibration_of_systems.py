"""How often comparisons of many systems find a difference where there is none."""

import itertools
import time

import numpy as np
from _calibration_generators import (
    MEASURES,
    catastrophes,
    first_hits,
    pairs_of,
    values_of,
)
from _calibration_of_pairs import BOUNDS, LEVEL, percent, scores_of

from skgraded import compare
from skgraded._intervals.estimate import means
from skgraded._intervals.paired import holm

REAL_SETS = ("MQ2008", "OHSUMED", "TREC-COVID")
SYSTEMS = (24, 60, 143)
TOPICS = (30, 50, 100, 200)
CANDIDATES = (10, 50)
QUERIES_OF_CANDIDATES = (30, 50, 100, 300)


def near_baseline(rng, n_queries, n_candidates):
    """Draw candidates that are as good as a baseline, with which all are compared."""
    hardness = rng.normal(0.5, 0.15, n_queries)
    baseline = np.clip(hardness + 0.08 * rng.normal(size=n_queries), 0.0, 1.0)
    noise = 0.08 * rng.normal(size=(n_queries, n_candidates))
    candidates = np.clip(hardness[:, None] + noise, 0.0, 1.0)
    return candidates - baseline[:, None]


def at_one(rng, n_queries, n_candidates):
    return first_hits(rng, (n_queries, n_candidates), 0.15, 0.15)


def skewed(rng, n_queries, n_candidates):
    return 0.1 * (0.5 - rng.gamma(0.5, 1.0, (n_queries, n_candidates)))


def catastrophic(rng, n_queries, n_candidates):
    rows = catastrophes(rng, (n_queries, n_candidates), 0.01)
    return np.clip(rows, *BOUNDS)


def centred_runs(rng, n_queries, n_candidates):
    """Draw queries of real runs less a baseline, of which the mean difference is taken away."""
    values = values_of("TREC-COVID")[..., 0]
    differences = (values[1:] - values[:1]).T
    differences = differences - differences.mean(axis=0)
    picked = rng.permutation(differences.shape[1])[:n_candidates]
    queries = rng.integers(len(differences), size=n_queries)
    return np.clip(differences[np.ix_(queries, picked)], *BOUNDS)


FAMILIES = {
    "near a baseline, SD 0.11": near_baseline,
    "P@1, 15 % win, 15 % lose": at_one,
    "skewed losses": skewed,
    "runs of TREC-COVID, centred": centred_runs,
    "1 % lose everything, others for each": catastrophic,
}


def candidate_rows(n_families):
    """Tell how often some null candidate is better, and how often some interval excludes 0."""
    for (label, draw), n_candidates in itertools.product(FAMILIES.items(), CANDIDATES):
        row = [f"{n_candidates}: {label}"]
        for n_queries in QUERIES_OF_CANDIDATES:
            rng = np.random.default_rng([n_queries, n_candidates])
            families = [draw(rng, n_queries, n_candidates) for _ in range(n_families)]
            tail = means(np.hstack(families), bounds=BOUNDS).tail(n_candidates)
            ends = tail.interval(1 - LEVEL).reshape(n_families, n_candidates, 2)
            is_better = ends[..., 0] > 0.0
            is_worse = ends[..., 1] < 0.0
            by_holm = [
                (holm(means(family).students_p_value()) < LEVEL).any()
                for family in families
            ]
            shares = (
                is_better.any(axis=1),
                (is_better | is_worse).any(axis=1),
                by_holm,
            )
            row.append(" / ".join(map(percent, shares)))
        yield row


def families_of(n_systems, rng, n_drawn=5):
    """Return families of pairs by their names: all of some systems, or all with a baseline."""
    pairs = np.column_stack(np.triu_indices(n_systems, 1))
    families = {}
    for size in SYSTEMS:
        drawn = (rng.permutation(n_systems)[:size] for _ in range(n_drawn))
        families[f"{size}, all pairs"] = [
            np.isin(pairs, systems).all(axis=1) for systems in drawn
        ]
    baselines = rng.permutation(n_systems)[:n_drawn]
    families["143, a baseline"] = [
        (pairs == baseline).any(axis=1) for baseline in baselines
    ]
    return families


def family_errors(values, n_queries, n_replications, rng):
    """Return shares of families in which some pair is significant though all means are 0."""
    differences = pairs_of(values)
    families = families_of(len(values), rng)
    centred = np.clip(differences - differences.mean(axis=0), *BOUNDS)
    smallest = min(family.sum() for family, *_ in families.values())
    errors = {name: [] for name in families}
    for _ in range(n_replications):
        rows = centred[rng.integers(len(centred), size=n_queries)]
        of_seen = means(rows).p_value()
        # What is not seen counts only where a p-value of what is seen is small.
        can_err = of_seen * smallest < LEVEL
        of_unseen = np.ones_like(of_seen)
        if can_err.any():
            of_unseen[can_err] = means(rows[:, can_err], bounds=BOUNDS).p_value()
        for name, family in families.items():
            errors[name] += [
                (np.maximum(of_seen * pairs.sum(), of_unseen) < LEVEL)[pairs].any()
                for pairs in family
            ]
    return {name: np.mean(wrong) for name, wrong in errors.items()}


def family_rows(n_replications):
    """Errors in percent of the runs of TREC-COVID, and medians over all sets and measures."""
    shares = {}
    for name, (place, measure), n_queries in itertools.product(
        REAL_SETS, enumerate(MEASURES), TOPICS
    ):
        rng = np.random.default_rng([n_queries, place, len(name)])
        values = values_of(name)[..., place]
        errors = family_errors(values, n_queries, n_replications, rng)
        for family, share in errors.items():
            shares.setdefault((family, name, measure), []).append(share)
    for (family, name, measure), by_topics in shares.items():
        if name == "TREC-COVID":
            yield [measure.partition("(")[0], family, *map(percent, by_topics)]
    for family in dict.fromkeys(name for name, *_ in shares):
        by_set = [row for (name, *_), row in shares.items() if name == family]
        yield ["median of 12", family, *map(percent, np.median(by_set, axis=0))]


def found_rows():
    """Pairs found by default's and by Holm's correction, median width, and seconds."""
    for place, measure in enumerate(MEASURES):
        row = [measure.partition("(")[0]]
        for size in SYSTEMS:
            scores = scores_of(values_of("TREC-COVID")[:size, :, place])
            start = time.process_time()
            result = compare(scores, correction="bonferroni")
            seconds = time.process_time() - start
            n_found = int(result.significant.sum())
            by_holm = compare(scores, correction="holm").significant.sum()
            width = np.median(np.ptp(result.interval, axis=2))
            n_pairs = len(result.pairs)
            row.append(
                f"{n_found:,} ({by_holm:,}) of {n_pairs:,}, {width:.3f}, {seconds:.2f} s"
            )
        yield row
