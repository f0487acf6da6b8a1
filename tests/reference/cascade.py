"""The first relevant document, and users who stop at a document.

Sources of the equations:

CMZG
    Chapelle, Metzler, Zhang and Grinspan (2009), "Expected reciprocal rank for graded relevance",
    CIKM.
SZ
    Sakai and Zeng (2019), "Which diversity evaluation measures are 'good'?", SIGIR.
"""

import math
from fractions import Fraction

from reference.frame import gain_of, oracle, ranks, ratio, recall_base


@oracle
def reciprocal_rank(r, pool, k, *, rel=1):
    # 1 over the rank of the first relevant document, 0 where there is none.
    if recall_base(pool, rel) == 0:
        return None
    return max((Fraction(1, n) for n in ranks(r, k) if r[n] >= rel), default=Fraction(0))


@oracle
def success(r, pool, k, *, rel=1):
    # 1 where a relevant document is among the first k.
    if recall_base(pool, rel) == 0:
        return None
    return int(any(r[n] >= rel for n in ranks(r, k)))


@oracle
def err(r, pool, k, *, gain="exp2", max_grade):
    # CMZG: sum_n 1/n S(r[n]) prod_{i<n} (1 - S(r[i])), S(g) = (2^g - 1) / 2^max_grade, that is
    # gain / (1 + largest gain), which NTCIREVAL takes with linear gains.
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    stops = {n: ratio(gain(r[n]), gain(max_grade) + 1) for n in r}
    return sum(
        Fraction(1, n) * stops[n] * math.prod(1 - stops[i] for i in range(1, n))
        for n in ranks(r, k)
    )


@oracle
def irbu(r, pool, k, *, p=0.99, gain="exp2", max_grade):
    # SZ: the stopping probabilities of ERR, and the utility p^n of a user who stops at rank n.
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    total, left = 0.0, 1.0
    for n in sorted(r):
        if n in ranks(r, k):
            stop = float(ratio(gain(r[n]), gain(max_grade) + 1))
            total += p**n * left * stop
            left *= 1 - stop
    return total


ORACLES = {
    "ERR": err,
    "iRBU": irbu,
    "RR": reciprocal_rank,
    "Success": success,
}
