"""Measures that rate the list at one rank or at some ranks by the blended ratio.

Sources of the equations:

SR
    Sakai and Robertson (2008), "Modelling a user population for designing information retrieval
    metrics", EVIA.
S
    Sakai (2007), "On the properties of evaluation metrics for finding one highly relevant
    document", IPSJ TOD 48(SIG9).
"""

import math

from reference.frame import (
    RELEVANT,
    by_rank,
    count,
    cumulative,
    gain_of,
    ideal,
    oracle,
    ranks,
    ratio,
    recall_base,
)


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


@oracle
def ebr(r, pool, k, *, beta=1, gain="linear", max_grade):
    # NTCIREVAL: sum_n BR(n) S(r[n]) prod_{i<n} (1 - S(r[i])), S being that of its ERR.
    v = gain_of(gain)
    if not any(v(grade) > 0 for grade in pool):
        return None
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


@oracle
def o_measure(r, pool, k, *, beta=1, gain="linear"):
    # S: the blended ratio at the first relevant document.
    if recall_base(pool, RELEVANT) == 0:
        return None
    first = min((n for n in ranks(r, k) if r[n] > 0), default=None)
    return 0 if first is None else blended_ratio(r, pool, first, beta, gain)


@oracle
def p_measure(r, pool, k, *, beta=1, gain="linear"):
    # S: the blended ratio at the preferred rank.
    if recall_base(pool, RELEVANT) == 0:
        return None
    preferred = preferred_rank(r, k)
    return 0 if preferred is None else blended_ratio(r, pool, preferred, beta, gain)


@oracle
def p_plus(r, pool, k, *, beta=1, gain="linear"):
    # S: 1/count(r_p) sum_{n<=r_p} I(n) BR(n).
    if recall_base(pool, RELEVANT) == 0:
        return None
    preferred = preferred_rank(r, k)
    if preferred is None:
        return 0
    relevant = [n for n in r if n <= preferred and r[n] > 0]
    return sum(blended_ratio(r, pool, n, beta, gain) for n in relevant) / len(relevant)


@oracle
def rank_biased_ncu(r, pool, k, *, p=0.95, beta=1, gain="linear"):
    # SR: sum_n Pr(n) NU(n), Pr(n) = p^(count(n)-1) / sum_{i=1}^R p^(i-1).
    n_relevant = recall_base(pool, RELEVANT)
    if n_relevant == 0:
        return None
    total = sum(
        p ** (count(r, n, RELEVANT) - 1) * float(blended_ratio(r, pool, n, beta, gain))
        for n in ranks(r, k)
        if r[n] > 0
    )
    return total / sum(p ** (i - 1) for i in range(1, n_relevant + 1))


ORACLES = {
    "EBR": ebr,
    "NCU": ncu,
    "OMeasure": o_measure,
    "PMeasure": p_measure,
    "PPlus": p_plus,
    "RankBiasedNCU": rank_biased_ncu,
}
