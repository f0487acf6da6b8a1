"""Interpolated precision, as trec_eval computes it up to version 9, and from version 10 on."""

import math
from fractions import Fraction

from reference.frame import count, oracle, ranks, recall_base

ELEVEN = tuple(level / 10 for level in range(11))


def rounded(number, rounding):
    """Whole number of relevant documents for a level of recall."""
    return math.floor(number + {"up": 0.9, "nearest": 0.5}[rounding])


def interpolated(r, k, wanted, rel):
    """Largest precision at a rank with enough relevant documents; 0 where there is none."""
    found = {n: count(r, n, rel) for n in ranks(r, k)}
    return max((Fraction(found[n], n) for n in found if found[n] >= wanted), default=Fraction(0))


@oracle
def interpolated_precision(r, pool, k, *, recall=0.0, rel=1, rounding="up"):
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    return interpolated(r, k, rounded(recall * n_relevant, rounding), rel)


@oracle
def interpolated_average_precision(r, pool, k, *, recalls=ELEVEN, rel=1, rounding="up"):
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    wanted = [rounded(recall * n_relevant, rounding) for recall in recalls]
    return sum(interpolated(r, k, each, rel) for each in wanted) / len(recalls)


ORACLES = {
    "IPrec": interpolated_precision,
    "InterpolatedAP": interpolated_average_precision,
}
