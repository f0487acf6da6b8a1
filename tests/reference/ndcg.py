"""Cumulated gain: CG, DCG, nDCG and the averaged nDCG.

Sources of the equations:

JK
    Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4).
Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR.
Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
BI
    Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life", SIGIR.
CVS
    Clarke, Vtyurina and Smucker (2021), "Assessing top-k preferences", TOIS 39(3).
"""

import math
from collections import Counter
from fractions import Fraction

from reference.frame import (
    by_rank,
    count,
    cumulative,
    gain_of,
    ideal,
    judged,
    of_gains,
    of_relevant,
    ranks,
    ratio,
    recall_base,
)


def discount_of(discount, log_base):
    """Return the function from rank to discount."""
    if discount == "log2":
        return lambda n: 1 / math.log2(n + 1)
    return lambda n: 1 if n < log_base else 1 / math.log(n, log_base)


@of_gains
def cg(r, pool, k, *, gain="linear"):
    # Kishida Eq. 29: c(n) = sum_{k<=n} x_k.
    gain = gain_of(gain)
    return sum(gain(r[n]) for n in ranks(r, k))


@of_gains
def dcg(r, pool, k, *, gain="linear", discount="log2", log_base=2):
    # discount "log2": sum_n gain(r[n]) / log2(n + 1);
    # discount "jk", JK: sum_{n<b} gain(r[n]) + sum_{n>=b} gain(r[n]) / log_b n.
    gain, discount = gain_of(gain), discount_of(discount, log_base)
    return sum(gain(r[n]) * discount(n) for n in ranks(r, k))


@of_gains
def ndcg(r, pool, k, *, gain="linear", discount="log2", log_base=2):
    # DCG@k of the ranking over DCG@k of the ideal ranking.
    parameters = {"gain": gain, "discount": discount, "log_base": log_base}
    best = dcg(ideal(pool), pool, k=k, **parameters)
    return None if best == 0 else dcg(list(r.values()), pool, k=k, **parameters) / best


@of_gains
def averaged_ndcg(r, pool, k, *, gain="linear", discount="jk", log_base=2):
    # Kishida Eq. 32: 1/n sum_{i<=n} d(i) / d_I(i), d of Eq. 30; a list shorter than n counts as
    # filled up with non-relevant documents, so d stays what it is beyond the end.
    parameters = {"gain": gain, "discount": discount, "log_base": log_base}
    if dcg(pool, pool, empty=None, **parameters) is None:
        return None
    listed, best = list(r.values()), ideal(pool)
    last = len(r) if k is None else k
    at = [
        dcg(listed, pool, k=i, **parameters) / dcg(best, pool, k=i, **parameters)
        for i in range(1, last + 1)
    ]
    return sum(at) / last if at else 0


# --- Measures of trec_eval that compare the gain with that of the ideal ranking at several ranks --


def discounted(r, n, gain):
    """Discounted cumulated gain down to rank n, or to the end of the list."""
    return sum(gain(r[m]) / math.log2(m + 1) for m in range(1, n + 1) if m in r)


@of_gains
def g(r, pool, k, *, gain="linear"):
    # m_G.c: sum of gain / log2(2 + cost - gain so far), over the gain of the pool; the cost of a
    # rank is the ideal gain there, but at least 1.
    gain = gain_of(gain)
    best, whole = by_rank(ideal(pool)), sum(map(gain, pool))
    total = 0.0
    for n in ranks(r, k):
        cost = sum(max(1, gain(best.get(m, 0))) for m in range(1, n + 1))
        total += gain(r[n]) / math.log2(2 + cost - cumulative(r, n, gain))
    return total / whole


@of_relevant
def bin_g(r, pool, k, *, rel=1):
    # m_binG.c: mean over the relevant documents of 1 / log2(2 + non-relevant documents before).
    found = [n for n in ranks(r, k) if r[n] >= rel]
    return sum(1 / math.log2(2 + n - count(r, n, rel)) for n in found) / recall_base(
        pool, rel
    )


@of_gains
def rndcg(r, pool, k, *, gain="linear"):
    # m_Rndcg.c: mean of ndcg at the ranks where the ideal gain falls, and at the end of the list.
    gain = gain_of(gain)
    best, gains = (
        by_rank(ideal(pool)),
        [gain(grade) for grade in pool if gain(grade) > 0],
    )
    points = [sum(1 for each in gains if each >= smallest) for smallest in set(gains)]
    length = len(ranks(r, k))
    points += [length] if length > len(gains) else []
    ratios = [
        discounted(r, min(c, length), gain) / discounted(best, c, gain) for c in points
    ]
    return sum(ratios) / len(ratios)


@of_gains
def ndcg_rel(r, pool, k, *, gain="linear"):
    # m_ndcg_rel.c: mean of ndcg over the relevant documents; ndcg at the end for unretrieved ones.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    n_relevant = sum(1 for grade in pool if gain(grade) > 0)
    at = [n for n in ranks(r, k) if gain(r[n]) > 0]
    ratios = [discounted(r, n, gain) / discounted(best, n, gain) for n in at]
    at_end = discounted(r, len(ranks(r, k)), gain) / discounted(best, len(best), gain)
    return (sum(ratios) + (n_relevant - len(at)) * at_end) * Fraction(1, n_relevant)


# --- Gain against the gain of the ideal ranking ---------------------------------------------------


@of_gains
def sliding_ratio(r, pool, k, *, gain="linear"):
    # Kishida Eq. 26: sum_{k<=n} x_k / sum_{k<=n} y_k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    available = sum(gain(best[i]) for i in ranks(best, k))
    return ratio(sum(gain(r[i]) for i in ranks(r, k)), available)


@of_gains
def modified_sliding_ratio(r, pool, k, *, gain="linear"):
    # Kishida Eq. 27: sum_{k<=n} x_k / k over sum_{k<=n} y_k / k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    available = sum(ratio(gain(best[i]), i) for i in ranks(best, k))
    return sum(ratio(gain(r[i]), i) for i in ranks(r, k)) / available


# --- Ranked half-life -----------------------------------------------------------------------------


@of_gains
def ranked_half_life(r, pool, k, *, gain="linear"):
    # BI: median of grouped data, L + (n/2 - F) / f * CI: rank m is the class (m-1, m], its
    # frequency f the gain at m, F the gain above it, n the gain of the list down to the cut-off.
    gain = gain_of(gain)
    half = Fraction(sum(gain(r[i]) for i in ranks(r, k))) / 2
    if half == 0:
        return Fraction(2 * (max(len(r), len(pool)) if k is None else k) + 1, 2)
    m = next(i for i in ranks(r, k) if cumulative(r, i, gain) >= half)
    return (m - 1) + (half - Fraction(cumulative(r, m - 1, gain))) / Fraction(
        gain(r[m])
    )


# --- Average distance of scores from grades -------------------------------------------------------


def adm(grades, scores, *, max_grade, gain="linear", condense=False, empty=0):
    # Kishida Eq. 38: 1 - 1/N sum_i |s_i - x_i|, score s_i and relevance x_i both in [0, 1].
    gain = gain_of(gain)
    pairs = list(zip(grades, scores, strict=True))
    if condense:
        pairs = [(grade, score) for grade, score in pairs if grade is not None]
    if not any(gain(grade) > 0 for grade in judged(grades)):
        return empty
    relevance = [
        ratio(gain(0 if grade is None else grade), gain(max_grade))
        for grade, _ in pairs
    ]
    distances = [abs(score - x) for (_, score), x in zip(pairs, relevance, strict=True)]
    return 1 - sum(distances) / len(pairs)


# --- Rank-biased overlap with an ideal ranking ----------------------------------------------------


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


def compatibility(
    ranked, pool=None, *, p=0.95, k=None, normalize=True, condense=False, empty=0
):
    """CVS: the largest RBO with an ideal ranking, over that of the ideal ranking with itself."""
    pool = judged(ranked if pool is None else pool)
    listed, missing = documents(ranked, pool, condense)
    relevant = [
        each for each in listed + missing if each[1] is not None and each[1] > 0
    ]
    if not relevant:
        return empty
    # Sorting is stable: within a grade, the ideal ranking has the order of the list.
    ideal = sorted(relevant, key=lambda each: -each[1])
    depth = max(len(listed), len(ideal))
    depth = depth if k is None else min(k, depth)
    value = rbo(listed, ideal, p, depth)
    return value / rbo(ideal, ideal, p, depth) if normalize else value


ORACLES = {
    "ADM": adm,
    "AveragedNDCG": averaged_ndcg,
    "BinG": bin_g,
    "CG": cg,
    "Compat": compatibility,
    "DCG": dcg,
    "G": g,
    "ModifiedSlidingRatio": modified_sliding_ratio,
    "nDCG": ndcg,
    "NDCGRel": ndcg_rel,
    "RankedHalfLife": ranked_half_life,
    "RNDCG": rndcg,
    "SlidingRatio": sliding_ratio,
}
