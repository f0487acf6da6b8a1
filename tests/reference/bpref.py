"""Binary preference. R judged relevant, N judged non-relevant documents.

Sources of the equations:

Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR. The preference measures see the condensed list
    only: r' is a rank in it.
BV
    Buckley and Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR.
YA
    Yilmaz and Aslam (2006), "Inferred AP: estimating average precision with incomplete judgments".
"""

from fractions import Fraction

from reference.frame import count, gain_of, ideal, judged, preference, ranks, ratio, recall_base


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


# --- Graded preference ----------------------------------------------------------------------------


def penalty(r, n, gain):
    """Sakai Eq. 15: sum over i' < r', g(i') < g(r') of (g(r') - g(i')) / g(r')."""
    own = gain(r[n])
    return sum(ratio(own - gain(r[i]), own) for i in range(1, n) if gain(r[i]) < own)


@preference
def rpref_n(r, pool, k, *, gain="linear", max_grade):
    # Sakai Eq. 16: 1/cg_I(R) sum_{g(r') > 0} g(r') (1 - penalty(r') / N'),
    # N' = R + N - cg_I(R) / gain(H), H the top grade of the scale.
    gain = gain_of(gain)
    available = sum(gain(grade) for grade in pool)
    if available == 0:
        return None
    largest = len(pool) - ratio(available, gain(max_grade))
    total = Fraction(0)
    for n in ranks(r, k):
        if gain(r[n]) > 0:
            total += Fraction(gain(r[n])) * (1 - ratio(penalty(r, n, gain), largest))
    return ratio(total, available)


@preference
def rpref_relative(r, pool, k, *, gain="linear"):
    # Sakai Eq. 17: 1/cg_I(R) sum_{r' != 1, g(r') > 0} g(r') (1 - penalty(r') / (r' - 1)).
    gain = gain_of(gain)
    available = sum(gain(grade) for grade in pool)
    if available == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if n != 1 and gain(r[n]) > 0:
            total += Fraction(gain(r[n])) * (1 - ratio(penalty(r, n, gain), n - 1))
    return ratio(total, available)


@preference
def rpref_relative2(r, pool, k, *, gain="linear"):
    # Sakai Eq. 19: 1/cg_I(R) sum_{g(r') > 0} g(r') (1 - penalty(r') / r').
    gain = gain_of(gain)
    available = sum(gain(grade) for grade in pool)
    if available == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if gain(r[n]) > 0:
            total += Fraction(gain(r[n])) * (1 - ratio(penalty(r, n, gain), n))
    return ratio(total, available)


# --- Inferred AP ----------------------------------------------------------------------------------


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
    "Bpref": bpref,
    "BprefN": bpref_n,
    "BprefR": bpref_r,
    "BprefRelative": bpref_relative,
    "BprefTen": bpref_ten,
    "infAP": inferred_ap,
    "OldBpref": old_bpref,
    "RprefN": rpref_n,
    "RprefRelative": rpref_relative,
    "RprefRelative2": rpref_relative2,
}
