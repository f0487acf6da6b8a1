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

from reference.frame import (
    count,
    gain_of,
    ideal,
    judged,
    of_gains,
    of_relevant,
    oracle,
    preference,
    ranks,
    ratio,
    recall_base,
)


def mean_preference(r, pool, k, rel, penalty):
    """1/R sum_r' isrel(r') (1 - penalty), of r' and of the r' - count(r') non-relevant above it."""
    above = {n: n - count(r, n, rel) for n in ranks(r, k) if r[n] >= rel}
    return sum(1 - penalty(n, above[n]) for n in above) * Fraction(
        1, recall_base(pool, rel)
    )


@preference
@of_relevant
def bpref(r, pool, k, *, rel=1):
    # Sakai Eq. 9: 1/R sum_r' isrel(r') (1 - min(R, r' - count(r')) / min(R, N)).
    n_relevant = recall_base(pool, rel)
    most = min(n_relevant, len(pool) - n_relevant)
    return mean_preference(
        r, pool, k, rel, lambda _, above: ratio(min(n_relevant, above), most)
    )


@preference
@of_relevant
def bpref_r(r, pool, k, *, rel=1):
    # Sakai Eq. 10: 1/R sum_r' isrel(r') (1 - min(R, r' - count(r')) / R).
    most = recall_base(pool, rel)
    return mean_preference(
        r, pool, k, rel, lambda _, above: ratio(min(most, above), most)
    )


@preference
@of_relevant
def bpref_n(r, pool, k, *, rel=1):
    # Sakai Eq. 11: 1/R sum_r' isrel(r') (1 - (r' - count(r')) / N).
    n_nonrelevant = len(pool) - recall_base(pool, rel)
    return mean_preference(
        r, pool, k, rel, lambda _, above: ratio(above, n_nonrelevant)
    )


@preference
@of_relevant
def old_bpref(r, pool, k, *, rel=1):
    # Sakai, below Eq. 9: min(R, N_ret) instead of min(R, N), N_ret = judged non-relevant
    # documents in the whole list.
    n_relevant = recall_base(pool, rel)
    most = min(n_relevant, sum(1 for grade in r.values() if grade < rel))
    return mean_preference(
        r, pool, k, rel, lambda _, above: ratio(min(n_relevant, above), most)
    )


@preference
@of_relevant
def bpref_ten(r, pool, k, *, rel=1):
    # BV, bpref-10: 1/R sum_r' isrel(r') (1 - |first 10 + R non-relevant above| / (10 + R)).
    most = 10 + recall_base(pool, rel)
    return mean_preference(
        r, pool, k, rel, lambda _, above: ratio(min(most, above), most)
    )


@preference
@of_relevant
def bpref_relative(r, pool, k, *, rel=1):
    # Sakai Eq. 18: 1/R sum_{r' != 1} isrel(r') (1 - (r' - count(r')) / (r' - 1)).
    def penalty(n, above):
        return ratio(above, n - 1) if n != 1 else 1

    return mean_preference(r, pool, k, rel, penalty)


# --- Graded preference ----------------------------------------------------------------------------


def mean_graded_preference(r, pool, k, gain, divisor):
    """1/cg_I(R) sum_{g(r') > 0} g(r') (1 - penalty(r') / divisor(r')), without divisors of None."""
    gain = gain_of(gain)
    total = Fraction(0)
    for n in ranks(r, k):
        if gain(r[n]) > 0 and divisor(n) is not None:
            total += Fraction(gain(r[n])) * (1 - ratio(penalty(r, n, gain), divisor(n)))
    return ratio(total, sum(gain(grade) for grade in pool))


def penalty(r, n, gain):
    """Sakai Eq. 15: sum over i' < r', g(i') < g(r') of (g(r') - g(i')) / g(r')."""
    own = gain(r[n])
    return sum(ratio(own - gain(r[i]), own) for i in range(1, n) if gain(r[i]) < own)


@preference
@of_gains
def rpref_n(r, pool, k, *, gain="linear", max_grade):
    # Sakai Eq. 16: 1/cg_I(R) sum_{g(r') > 0} g(r') (1 - penalty(r') / N'),
    # N' = R + N - cg_I(R) / gain(H), H the top grade of the scale.
    v = gain_of(gain)
    largest = len(pool) - ratio(sum(v(grade) for grade in pool), v(max_grade))
    return mean_graded_preference(r, pool, k, gain, lambda n: largest)


@preference
@of_gains
def rpref_relative(r, pool, k, *, gain="linear"):
    # Sakai Eq. 17: 1/cg_I(R) sum_{r' != 1, g(r') > 0} g(r') (1 - penalty(r') / (r' - 1)).
    return mean_graded_preference(r, pool, k, gain, lambda n: n - 1 if n != 1 else None)


@preference
@of_gains
def rpref_relative2(r, pool, k, *, gain="linear"):
    # Sakai Eq. 19: 1/cg_I(R) sum_{g(r') > 0} g(r') (1 - penalty(r') / r').
    return mean_graded_preference(r, pool, k, gain, lambda n: n)


# --- Inferred AP ----------------------------------------------------------------------------------


# A document in the pool that was not sampled for judging has the grade UNSAMPLED, one outside the
# pool is None.
UNSAMPLED = -1


def inferred_ap(
    ranked,
    pool=None,
    *,
    k=None,
    rel=1,
    epsilon=1e-5,
    normalize=False,
    condense=False,
    empty=0,
):
    # YA: 1/R sum over relevant ranks n of
    # 1/n + (n-1)/n * |d100| / (n-1) * (|rel| + eps) / (|rel| + |nonrel| + 2 eps), counts above n.
    sampled = [
        grade
        for grade in judged(ranked if pool is None else pool)
        if grade != UNSAMPLED
    ]
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
        above = (
            len(pooled) / (n - 1) * (n_rel + epsilon) / (n_rel + n_nonrel + 2 * epsilon)
        )
        total += 1 / n + (n - 1) / n * above
    value = total / n_relevant
    if not normalize:
        return value
    return value / inferred_ap(ideal(sampled), sampled, k=k, rel=rel, epsilon=epsilon)


@preference
@oracle
def pair_accuracy(r, pool, k):
    # Pairs of the list in the order of their grades, by all pairs of grades that differ.
    if max(pool, default=0) <= 0:
        return None
    in_order = sum(1 for m in r for n in r if m < n and r[m] > r[n])
    n_pairs = sum(1 for one in pool for other in pool if one > other)
    return Fraction(in_order, n_pairs) if n_pairs else 1


ORACLES = {
    "Bpref": bpref,
    "BprefN": bpref_n,
    "BprefR": bpref_r,
    "BprefRelative": bpref_relative,
    "BprefTen": bpref_ten,
    "infAP": inferred_ap,
    "OldBpref": old_bpref,
    "PairAccuracy": pair_accuracy,
    "RprefN": rpref_n,
    "RprefRelative": rpref_relative,
    "RprefRelative2": rpref_relative2,
}
