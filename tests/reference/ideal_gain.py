"""Measures of trec_eval that compare the gain with that of the ideal ranking at several ranks."""

import math
from fractions import Fraction

from reference.frame import by_rank, count, cumulative, gain_of, ideal, oracle, ranks, recall_base


def discounted(r, n, gain):
    """Discounted cumulated gain down to rank n, or to the end of the list."""
    return sum(gain(r[m]) / math.log2(m + 1) for m in range(1, n + 1) if m in r)


@oracle
def g(r, pool, k, *, gain="linear"):
    # m_G.c: sum of gain / log2(2 + cost - gain so far), over the gain of the pool; the cost of a
    # rank is the ideal gain there, but at least 1.
    gain = gain_of(gain)
    best, whole = by_rank(ideal(pool)), sum(map(gain, pool))
    if whole == 0:
        return None
    total = 0.0
    for n in ranks(r, k):
        cost = sum(max(1, gain(best.get(m, 0))) for m in range(1, n + 1))
        total += gain(r[n]) / math.log2(2 + cost - cumulative(r, n, gain))
    return total / whole


@oracle
def bin_g(r, pool, k, *, rel=1):
    # m_binG.c: mean over the relevant documents of 1 / log2(2 + non-relevant documents before).
    if recall_base(pool, rel) == 0:
        return None
    found = [n for n in ranks(r, k) if r[n] >= rel]
    return sum(1 / math.log2(2 + n - count(r, n, rel)) for n in found) / recall_base(pool, rel)


@oracle
def rndcg(r, pool, k, *, gain="linear"):
    # m_Rndcg.c: mean of ndcg at the ranks where the ideal gain falls, and at the end of the list.
    gain = gain_of(gain)
    best, gains = by_rank(ideal(pool)), [gain(grade) for grade in pool if gain(grade) > 0]
    if not gains:
        return None
    points = [sum(1 for each in gains if each >= smallest) for smallest in set(gains)]
    length = len(ranks(r, k))
    points += [length] if length > len(gains) else []
    ratios = [discounted(r, min(c, length), gain) / discounted(best, c, gain) for c in points]
    return sum(ratios) / len(ratios)


@oracle
def ndcg_rel(r, pool, k, *, gain="linear"):
    # m_ndcg_rel.c: mean of ndcg over the relevant documents; ndcg at the end for unretrieved ones.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    n_relevant = sum(1 for grade in pool if gain(grade) > 0)
    if n_relevant == 0:
        return None
    at = [n for n in ranks(r, k) if gain(r[n]) > 0]
    ratios = [discounted(r, n, gain) / discounted(best, n, gain) for n in at]
    at_end = discounted(r, len(ranks(r, k)), gain) / discounted(best, len(best), gain)
    return (sum(ratios) + (n_relevant - len(at)) * at_end) * Fraction(1, n_relevant)


ORACLES = {
    "BinG": bin_g,
    "G": g,
    "NDCGRel": ndcg_rel,
    "RNDCG": rndcg,
}
