"""Average precision, its graded extensions, and what else averages over relevant documents.

Sources of the equations:

FFM
    Ferrante, Ferro and Maistro (2014), "Rethinking how to extend average precision to graded
    relevance", CLEF.
Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR.
Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
MMTA
    Moffat, Mackenzie, Thomas and Azzopardi (2022), "A flexible framework for offline effectiveness
    metrics", SIGIR.
SR
    Sakai and Robertson (2008), "Modelling a user population for designing information retrieval
    metrics", EVIA.
S
    Sakai (2007), "On the properties of evaluation metrics for finding one highly relevant
    document", IPSJ TOD 48(SIG9).
"""

import math
from fractions import Fraction
from itertools import pairwise

from reference.frame import (
    RELEVANT,
    by_rank,
    count,
    cumulative,
    gain_of,
    ideal,
    of_gains,
    of_relevant,
    on_line,
    oracle,
    ranks,
    ratio,
    recall_base,
)


def thresholds(g, grades):
    """Map each threshold to the probability that a user has it.

    These are the grades 1..c. Where grades lie between, thresholds are spread evenly between whole
    grades, and all those between two grades that occur select the same documents as the higher one.
    """
    if all(grade == int(grade) for grade in grades):
        return dict(enumerate(g, start=1))
    up_to = (Fraction(0), *map(Fraction, cumulated_thresholds(g)))
    found = sorted({0, *grades})
    return {
        grade: on_line(up_to, grade) - on_line(up_to, lower)
        for lower, grade in pairwise(found)
    }


def cumulated_thresholds(g):
    """G(1), ..., G(c): probability that a user finds a document of each grade relevant."""
    return tuple(sum(g[:j]) for j in range(1, len(g) + 1))


def expected_recall_base(pool, g):
    """E[RB(K)], the denominator of FFM Eq. 4: sum_k R(k) sum_{j<=k} g_j."""
    g = thresholds(g, pool)
    return sum(g[j] for grade in pool for j in g if j <= grade)


def delta(r, m, n, g):
    """Delta_{m,n} of FFM Eq. 4: sum of g_h for h = 1..min(r[m], r[n])."""
    g = thresholds(g, r.values())
    return sum(g[h] for h in g if h <= min(r[m], r[n]))


def user_selection_probability(grade, pool, g):
    """FFM section 4: draw a user first, then one of the documents relevant to that user."""
    g = thresholds(g, pool)
    return sum(g[j] * Fraction(1, recall_base(pool, j)) for j in g if j <= grade)


# --- Average precision and its graded extensions --------------------------------------------------


@of_relevant
def average_precision(r, pool, k, *, rel=1):
    # FFM Eq. 2: AP(t) = 1/RB(t) sum_n 1/n sum_{m<=n} delta_{m,n}(t), 0 for t > tau;
    # FFM Eq. 3: delta_{m,n}(t) = 1 where r[m] >= t and r[n] >= t.
    total = Fraction(0)
    for n in ranks(r, k):
        for m in range(1, n + 1):
            if r[m] >= rel and r[n] >= rel:
                total += Fraction(1, n)
    return total / recall_base(pool, rel)


@oracle
def gap(r, pool, k, *, g):
    # FFM Eq. 4: GAP = sum_n 1/n sum_{m<=n} Delta_{m,n} / sum_k R(k) sum_{j<=k} g_j.
    if expected_recall_base(pool, g) == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        total += Fraction(1, n) * sum(delta(r, m, n, g) for m in range(1, n + 1))
    return total / expected_recall_base(pool, g)


@oracle
def xgap(r, pool, k, *, g):
    # FFM Eq. 5: xGAP = sum_n 1/n [ sum_{k<=r[n]} g_k/RB(k) / sum_{k<=r[n]} g_k
    #                               * sum_{m<=n} Delta_{m,n} ].
    # A document no user may find relevant (sum g_k = 0) is drawn with probability 0.
    if expected_recall_base(pool, g) == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        relevant_to = delta(r, n, n, g)
        if relevant_to == 0:
            continue
        drawn = user_selection_probability(r[n], pool, g)
        seen = sum(delta(r, m, n, g) for m in range(1, n + 1))
        total += Fraction(1, n) * drawn * seen / relevant_to
    return total


@oracle
def egap(r, pool, k, *, g):
    # FFM Eq. 6, first form: eGAP = E[AP(K)] = sum_t P(K = t) AP(t), AP(t) = 0 for t > tau.
    if expected_recall_base(pool, g) == 0:
        return None
    in_rank_order = list(r.values())
    return sum(
        probability * average_precision(in_rank_order, pool, k=k, rel=threshold)
        for threshold, probability in thresholds(g, pool).items()
    )


# ---------------------------------------------------------------------------------------------
# Gains in the sum. I(x) = 1 for a relevant document; x and y are the gains of the ranking and
# of the ideal ranking.
# ---------------------------------------------------------------------------------------------


@of_relevant
def q_measure(r, pool, k, *, beta=1, gain="linear"):
    # Sakai Eq. 21: 1/R sum_r isrel(r) (beta cg(r) + count(r)) / (beta cg_I(r) + r).
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    n_relevant = recall_base(pool, RELEVANT)
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] > 0:
            blended = beta * cumulative(r, n, gain) + count(r, n, RELEVANT)
            total += ratio(blended, beta * cumulative(best, n, gain) + n)
    return total / n_relevant


@of_gains
def generalized_ap(r, pool, k, *, gain="linear"):
    # Kishida Eq. 42: sum_i I(x_i)/i sum_{k<=i} x_k / sum_i I(y_i) mean(y_1..y_i).
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    largest = sum(ratio(cumulative(best, i, gain), i) for i in best if best[i] > 0)
    total = sum(ratio(cumulative(r, i, gain), i) for i in ranks(r, k) if r[i] > 0)
    return total / largest


@of_gains
def weighted_ap(r, pool, k, *, gain="linear"):
    # Kishida Eq. 34: 1/R sum_i I(x_i) sum_{k<=i} x_k / sum_{k<=i} y_k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    total = sum(
        ratio(cumulative(r, i, gain), cumulative(best, i, gain))
        for i in ranks(r, k)
        if r[i] > 0
    )
    return Fraction(total) / recall_base(pool, RELEVANT)


@of_gains
def gr_ap(r, pool, k, *, gain="linear", max_grade):
    # MMTA: sum_i r_i prec@i / sum_i r_i, where prec@i is
    # sum_{j<=i} r_j / i, and r_i is the gain of C/W/L, from 0 to 1.
    v = gain_of(gain)
    available = sum(ratio(v(grade), v(max_grade)) for grade in pool)
    total = Fraction(0)
    for i in ranks(r, k):
        precision = sum(
            ratio(v(r[j]), v(max_grade)) for j in range(1, i + 1)
        ) * Fraction(1, i)
        total += ratio(v(r[i]), v(max_grade)) * precision
    return total / available


# --- Measures that rate the list at one rank or at some ranks by the blended ratio ----------------


def blended_ratio(r, pool, n, beta, gain):
    """BR(n) of S and SR: (count(n) + beta cg(n)) / (n + beta cg_I(n))."""
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    found = count(r, n, RELEVANT) + beta * cumulative(r, n, gain)
    return ratio(found, n + beta * cumulative(best, n, gain))


def preferred_rank(r, k):
    """S: the first rank with the highest grade of the list; None where nothing is relevant."""
    found = [n for n in ranks(r, k) if r[n] > 0]
    return min((n for n in found if r[n] == max(r[m] for m in found)), default=None)


@of_gains
def ebr(r, pool, k, *, beta=1, gain="linear", max_grade):
    # NTCIREVAL: sum_n BR(n) S(r[n]) prod_{i<n} (1 - S(r[i])), S being that of its ERR.
    v = gain_of(gain)
    stops = {n: ratio(v(r[n]), v(max_grade) + 1) for n in r}
    return sum(
        blended_ratio(r, pool, n, beta, gain)
        * stops[n]
        * math.prod(1 - stops[i] for i in range(1, n))
        for n in ranks(r, k)
    )


@oracle
def ncu(r, pool, k, *, stop="linear", beta=1, gain="linear"):
    # SR: sum_n Pr(n) NU(n), Pr(n) the stopping weight of the grade over that of the whole pool.
    weight = (lambda grade: int(grade > 0)) if stop == "uniform" else gain_of(stop)
    whole = sum(weight(grade) for grade in pool)
    if whole == 0:
        return None
    return sum(
        ratio(weight(r[n]), whole) * blended_ratio(r, pool, n, beta, gain)
        for n in ranks(r, k)
        if r[n] > 0
    )


@of_relevant
def o_measure(r, pool, k, *, beta=1, gain="linear"):
    # S: the blended ratio at the first relevant document.
    first = min((n for n in ranks(r, k) if r[n] > 0), default=None)
    return 0 if first is None else blended_ratio(r, pool, first, beta, gain)


@of_relevant
def p_measure(r, pool, k, *, beta=1, gain="linear"):
    # S: the blended ratio at the preferred rank.
    preferred = preferred_rank(r, k)
    return 0 if preferred is None else blended_ratio(r, pool, preferred, beta, gain)


@of_relevant
def p_plus(r, pool, k, *, beta=1, gain="linear"):
    # S: 1/count(r_p) sum_{n<=r_p} I(n) BR(n).
    preferred = preferred_rank(r, k)
    if preferred is None:
        return 0
    relevant = [n for n in r if n <= preferred and r[n] > 0]
    return sum(blended_ratio(r, pool, n, beta, gain) for n in relevant) / len(relevant)


@of_relevant
def rank_biased_ncu(r, pool, k, *, p=0.95, beta=1, gain="linear"):
    # SR: sum_n Pr(n) NU(n), Pr(n) = p^(count(n)-1) / sum_{i=1}^R p^(i-1).
    n_relevant = recall_base(pool, RELEVANT)
    total = sum(
        p ** (count(r, n, RELEVANT) - 1) * float(blended_ratio(r, pool, n, beta, gain))
        for n in ranks(r, k)
        if r[n] > 0
    )
    return total / sum(p ** (i - 1) for i in range(1, n_relevant + 1))


ORACLES = {
    "AP": average_precision,
    "EBR": ebr,
    "eGAP": egap,
    "GAP": gap,
    "GeneralizedAP": generalized_ap,
    "grAP": gr_ap,
    "NCU": ncu,
    "OMeasure": o_measure,
    "PMeasure": p_measure,
    "PPlus": p_plus,
    "QMeasure": q_measure,
    "RankBiasedNCU": rank_biased_ncu,
    "WeightedAP": weighted_ap,
    "xGAP": xgap,
}
