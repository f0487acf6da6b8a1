"""Inferred AP.

Sources of the equations:

YA
    Yilmaz and Aslam (2006), "Inferred AP: estimating average precision with incomplete judgments".
"""

from reference.frame import ideal, judged, ranks, recall_base

# A document in the pool that was not sampled for judging has the grade UNSAMPLED, one outside the
# pool is None.
UNSAMPLED = -1


def inferred_ap(
    ranked, pool=None, *, k=None, rel=1, epsilon=1e-5, normalize=False, condense=False, empty=0
):
    # YA: 1/R sum over relevant ranks n of
    # 1/n + (n-1)/n * |d100| / (n-1) * (|rel| + eps) / (|rel| + |nonrel| + 2 eps), counts above n.
    sampled = [grade for grade in judged(ranked if pool is None else pool) if grade != UNSAMPLED]
    if condense:
        ranked = [grade for grade in judged(ranked) if grade != UNSAMPLED]
    n_relevant = recall_base(sampled, rel)
    if n_relevant == 0:
        return empty
    total = 0
    for n in ranks(dict(enumerate(ranked, start=1)), k):
        if ranked[n - 1] is None or ranked[n - 1] < rel:
            continue
        if n == 1:
            total += 1
            continue
        pooled = judged(ranked[: n - 1])
        n_rel = sum(1 for grade in pooled if grade >= rel)
        n_nonrel = sum(1 for grade in pooled if 0 <= grade < rel)
        above = len(pooled) / (n - 1) * (n_rel + epsilon) / (n_rel + n_nonrel + 2 * epsilon)
        total += 1 / n + (n - 1) / n * above
    value = total / n_relevant
    if not normalize:
        return value
    return value / inferred_ap(ideal(sampled), sampled, k=k, rel=rel, epsilon=epsilon)


ORACLES = {
    "infAP": inferred_ap,
}
