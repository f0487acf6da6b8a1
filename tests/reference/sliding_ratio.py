"""Gain against the gain of the ideal ranking.

Sources of the equations:

Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
"""

from reference.frame import by_rank, gain_of, ideal, oracle, ranks, ratio


@oracle
def sliding_ratio(r, pool, k, *, gain="linear"):
    # Kishida Eq. 26: sum_{k<=n} x_k / sum_{k<=n} y_k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    available = sum(gain(best[i]) for i in ranks(best, k))
    return None if available == 0 else ratio(sum(gain(r[i]) for i in ranks(r, k)), available)


@oracle
def modified_sliding_ratio(r, pool, k, *, gain="linear"):
    # Kishida Eq. 27: sum_{k<=n} x_k / k over sum_{k<=n} y_k / k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    available = sum(ratio(gain(best[i]), i) for i in ranks(best, k))
    return None if available == 0 else sum(ratio(gain(r[i]), i) for i in ranks(r, k)) / available


ORACLES = {
    "ModifiedSlidingRatio": modified_sliding_ratio,
    "SlidingRatio": sliding_ratio,
}
