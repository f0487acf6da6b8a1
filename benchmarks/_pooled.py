"""Differences to a baseline on several data sets, pooled by inverse variance (fixed effects).

The standard error of a difference is half the width of its interval, divided by that of a standard
normal interval. The weight of a data set comes from the mean squared error of all its rankers. If
it came from each difference's own error, it would favour the sets whose few repeats agree by
chance: in simulations with five repeats, up to 9 % of the 95 % intervals then missed a difference
of 0, against 4 %.
"""

from statistics import NormalDist

import numpy as np

from skgraded._intervals.paired import holm

NORMAL = NormalDist()
INCONSISTENT = 0.5  # I squared


def pooled(differences, intervals, confidence):
    """Return pooled differences, half the widths of their intervals, p-values and I squared.

    Differences have the shape (n_sets, n_judges, n_rankers), intervals have one more axis of ends;
    what is returned has the shape (n_judges, n_rankers). The p-values have one correction by Holm.
    I squared is the share of the variation between sets that chance does not explain.
    """
    half = NORMAL.inv_cdf((1.0 + confidence) / 2.0)
    variances = (np.ptp(intervals, axis=-1) / (2.0 * half)) ** 2
    weights = 1.0 / variances.mean(axis=2, keepdims=True)
    weights = weights / weights.sum(axis=0)
    mean = (weights * differences).sum(axis=0)
    variance = (weights**2 * variances).sum(axis=0)
    spread = (weights * (differences - mean) ** 2).sum(axis=0)
    by_chance = (weights * variances).sum(axis=0) - variance
    z = np.abs(mean) / np.sqrt(variance)
    p_values = holm(np.array([2.0 * NORMAL.cdf(-each) for each in z.ravel()]))
    inconsistency = np.maximum(0.0, 1.0 - by_chance / spread)
    return mean, half * np.sqrt(variance), p_values.reshape(z.shape), inconsistency


def print_pooled(of_sets):
    """Pool and print comparisons of the same rankers with one baseline, by set and then judge."""
    frames = [
        [of_set[judge].to_frame().set_index("system") for judge in of_set]
        for of_set in of_sets.values()
    ]
    rankers = frames[0][0].index
    columns = ["difference", "low", "high"]
    values = np.array(
        [[each.loc[rankers, columns] for each in of_set] for of_set in frames]
    )
    first = next(iter(of_sets.values()))
    found = pooled(values[..., 0], values[..., 1:], first.confidence)
    print(
        f"Pooled over {', '.join(of_sets)}; {found[0].size} tests share Holm's correction."
    )
    for judge, *rows in zip(first, *found, strict=True):
        print(f"by {judge} on the first set, and its like on the others")
        for ranker, mean, half, p_value, inconsistency in zip(
            rankers, *rows, strict=True
        ):
            sets = "  SETS DISAGREE" if inconsistency > INCONSISTENT else ""
            interval = f"[{mean - half:+.4f}, {mean + half:+.4f}]"
            print(f"  {ranker:28} {mean:+.4f} {interval}  p {p_value:.4f}{sets}")
