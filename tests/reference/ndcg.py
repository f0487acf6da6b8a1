"""Cumulated gain: CG, DCG, nDCG and the averaged nDCG.

Sources of the equations:

JK
    Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4).
Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR.
Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
"""

import math

from reference.frame import gain_of, ideal, oracle, ranks


def discount_of(discount, log_base):
    """Return the function from rank to discount."""
    if discount == "log2":
        return lambda n: 1 / math.log2(n + 1)
    if discount == "jk":
        return lambda n: 1 if n < log_base else 1 / math.log(n, log_base)
    raise ValueError(discount)


@oracle
def cg(r, pool, k, *, gain="linear"):
    # Kishida Eq. 29: c(n) = sum_{k<=n} x_k.
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    return sum(gain(r[n]) for n in ranks(r, k))


@oracle
def dcg(r, pool, k, *, gain="linear", discount="log2", log_base=2):
    # discount "log2": sum_n gain(r[n]) / log2(n + 1);
    # discount "jk", JK: sum_{n<b} gain(r[n]) + sum_{n>=b} gain(r[n]) / log_b n.
    gain, discount = gain_of(gain), discount_of(discount, log_base)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    return sum(gain(r[n]) * discount(n) for n in ranks(r, k))


@oracle
def ndcg(r, pool, k, *, gain="linear", discount="log2", log_base=2):
    # DCG@k of the ranking over DCG@k of the ideal ranking.
    parameters = {"gain": gain, "discount": discount, "log_base": log_base}
    best = dcg(ideal(pool), pool, k=k, **parameters)
    return None if best == 0 else dcg(list(r.values()), pool, k=k, **parameters) / best


@oracle
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


ORACLES = {
    "AveragedNDCG": averaged_ndcg,
    "CG": cg,
    "DCG": dcg,
    "nDCG": ndcg,
}
