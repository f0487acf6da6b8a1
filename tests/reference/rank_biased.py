"""Rank-biased precision, of binary and of graded relevance.

Sources of the equations:

MZ
    Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval effectiveness",
    TOIS 27(1).
"""

from reference.frame import gain_of, oracle, ranks, ratio, recall_base


@oracle
def binary_rbp(r, pool, k, *, p=0.8, rel=1):
    # MZ: RBP = (1 - p) sum_n r[n] p^(n-1), r[n] binary.
    if recall_base(pool, rel) == 0:
        return None
    return (1 - p) * sum(p ** (n - 1) for n in ranks(r, k) if r[n] >= rel)


@oracle
def graded_rbp(r, pool, k, *, p=0.8, gain="linear", max_grade):
    # Moffat and Zobel (2008): (1 - p) sum_n x_n p^(n-1) with x_n = gain / (gain of the top grade).
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    return (1 - p) * sum(ratio(gain(r[n]), gain(max_grade)) * p ** (n - 1) for n in ranks(r, k))


def rbp(ranked, pool=None, **parameters):
    """RBP of binary relevance, or with a gain that of graded relevance."""
    return (graded_rbp if "gain" in parameters else binary_rbp)(ranked, pool, **parameters)


ORACLES = {
    "RBP": rbp,
}
