"""Rank-biased overlap with an ideal ranking.

Sources of the equations:

CVS
    Clarke, Vtyurina and Smucker (2021), "Assessing top-k preferences", TOIS 39(3).
"""

from collections import Counter

from reference.frame import judged


def rbo(listed, ideal, p, depth):
    """CVS: sum_n p^(n-1) |L_n and I_n| / n, divided by the sum of the weights p^(n-1)."""
    shared = [len(set(listed[:n]) & set(ideal[:n])) / n for n in range(1, depth + 1)]
    weights = [p ** (n - 1) for n in range(1, depth + 1)]
    total = sum(weight * share for weight, share in zip(weights, shared, strict=True))
    return total / sum(weights) if weights else 0.0


def documents(ranked, pool, condense):
    """Name documents by grade and number: those of the list, and the others of the pool."""
    listed = list(enumerate(judged(ranked) if condense else ranked))
    missing = (Counter(pool) - Counter(judged(ranked))).elements()
    return listed, [(-1 - i, grade) for i, grade in enumerate(missing)]


def compatibility(ranked, pool=None, *, p=0.95, k=None, normalize=True, condense=False, empty=0):
    """CVS: the largest RBO with an ideal ranking, over that of the ideal ranking with itself."""
    pool = judged(ranked if pool is None else pool)
    listed, missing = documents(ranked, pool, condense)
    relevant = [each for each in listed + missing if each[1] is not None and each[1] > 0]
    if not relevant:
        return empty
    # Sorting is stable: within a grade, the ideal ranking has the order of the list.
    ideal = sorted(relevant, key=lambda each: -each[1])
    depth = max(len(listed), len(ideal))
    depth = depth if k is None else min(k, depth)
    value = rbo(listed, ideal, p, depth)
    return value / rbo(ideal, ideal, p, depth) if normalize else value


ORACLES = {
    "Compat": compatibility,
}
