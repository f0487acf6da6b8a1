"""Binary preference. R judged relevant, N judged non-relevant documents.

Sources of the equations:

Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR. The preference measures see the condensed list
    only: r' is a rank in it.
BV
    Buckley and Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR.
"""

from fractions import Fraction

from reference.frame import count, preference, ranks, ratio, recall_base


@preference
def bpref(r, pool, k, *, rel=1):
    # Sakai Eq. 9: 1/R sum_r' isrel(r') (1 - min(R, r' - count(r')) / min(R, N)).
    n_relevant = recall_base(pool, rel)
    n_nonrelevant = len(pool) - n_relevant
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            above = n - count(r, n, rel)
            total += 1 - ratio(min(n_relevant, above), min(n_relevant, n_nonrelevant))
    return total / n_relevant


@preference
def bpref_r(r, pool, k, *, rel=1):
    # Sakai Eq. 10: 1/R sum_r' isrel(r') (1 - min(R, r' - count(r')) / R).
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            total += 1 - ratio(min(n_relevant, n - count(r, n, rel)), n_relevant)
    return total / n_relevant


@preference
def bpref_n(r, pool, k, *, rel=1):
    # Sakai Eq. 11: 1/R sum_r' isrel(r') (1 - (r' - count(r')) / N).
    n_relevant = recall_base(pool, rel)
    n_nonrelevant = len(pool) - n_relevant
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            total += 1 - ratio(n - count(r, n, rel), n_nonrelevant)
    return total / n_relevant


@preference
def old_bpref(r, pool, k, *, rel=1):
    # Sakai, below Eq. 9: min(R, N_ret) instead of min(R, N), N_ret = judged non-relevant
    # documents in the whole list.
    n_relevant = recall_base(pool, rel)
    n_retrieved = sum(1 for grade in r.values() if grade < rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            above = n - count(r, n, rel)
            total += 1 - ratio(min(n_relevant, above), min(n_relevant, n_retrieved))
    return total / n_relevant


@preference
def bpref_ten(r, pool, k, *, rel=1):
    # BV, bpref-10: 1/R sum_r' isrel(r') (1 - |first 10 + R non-relevant above| / (10 + R)).
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            above = n - count(r, n, rel)
            total += 1 - ratio(min(10 + n_relevant, above), 10 + n_relevant)
    return total / n_relevant


@preference
def bpref_relative(r, pool, k, *, rel=1):
    # Sakai Eq. 18: 1/R sum_{r' != 1} isrel(r') (1 - (r' - count(r')) / (r' - 1)).
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if n != 1 and r[n] >= rel:
            total += 1 - ratio(n - count(r, n, rel), n - 1)
    return total / n_relevant


ORACLES = {
    "Bpref": bpref,
    "BprefN": bpref_n,
    "BprefR": bpref_r,
    "BprefRelative": bpref_relative,
    "BprefTen": bpref_ten,
    "OldBpref": old_bpref,
}
