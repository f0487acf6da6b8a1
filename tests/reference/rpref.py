"""Graded preference.

Sources of the equations:

Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR. The preference measures see the condensed list
    only: r' is a rank in it.
"""

from fractions import Fraction

from reference.frame import gain_of, preference, ranks, ratio


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


ORACLES = {
    "RprefN": rpref_n,
    "RprefRelative": rpref_relative,
    "RprefRelative2": rpref_relative2,
}
