"""Users who go on from a rank with a probability, as C/W/L lists them: C(n), reach, gain.

Sources of the equations:

MST
    Moffat, Scholer and Thomas (2012), "Models and metrics: IR evaluation as a user process", ADCS.
MBST
    Moffat, Bailey, Scholer and Thomas (2015), "INST: an adaptive metric for information retrieval
    evaluation", ADCS.
AMM
    Azzopardi, Mackenzie and Moffat (2021), "ERR is not C/W/L", ICTIR.
MTS
    Moffat, Thomas and Scholer (2013), "Users versus models", CIKM.
ZLLZXM
    Zhang, Liu, Li, Zhang, Xu and Ma (2017), "Evaluating web search with a Bejeweled player model",
    SIGIR.
"""

import functools
import math

from reference.frame import gain_of, judged, oracle

# Ranks that are added up one by one where the user may read on for ever.
MANY = 1000


def gain_per_document(r, pool, k, *, scale, go_on, rest=None):
    """Expected gain over expected number of documents; go_on(n, x, G) is C(n).

    x is the gain at rank n, and G that at ranks 1..n. rest(n, G) is what a user reads below rank n
    who has come there and finds nothing any more.
    """
    gain, max_grade = scale
    v = gain_of(gain)
    if not any(v(grade) > 0 for grade in pool):
        return None
    gained, read, reach, found = 0.0, 0.0, 1.0, 0.0
    depth = MANY if k is None else k
    for n in range(1, depth + 1):
        x = v(r[n]) / v(max_grade) if n in r else 0.0
        found += x
        gained, read = gained + reach * x, read + reach
        reach *= go_on(n, x, found)
    if k is None and reach > 0:
        read += reach * rest(depth, found)
    return gained / read if read > 0 else 0.0


def rest_of_squares(x):
    """Sum of (x / (x + i))^2 over i = 0, 1, ..., by the formula of Euler and Maclaurin."""
    return x + 1 / 2 + 1 / (6 * x) - 1 / (30 * x**3)


@oracle
def insq(r, pool, k, *, T=1, gain="linear", max_grade):  # noqa: N803 - the paper's letter
    # MST: C(n) = ((n + 2T - 1) / (n + 2T))^2.
    return gain_per_document(
        r,
        pool,
        k,
        scale=(gain, max_grade),
        go_on=lambda n, x, found: ((n + 2 * T - 1) / (n + 2 * T)) ** 2,
        rest=lambda n, found: rest_of_squares(n + 2 * T),
    )


@oracle
def inst(r, pool, k, *, T=1, gain="linear", max_grade):  # noqa: N803 - the paper's letter
    # MBST: C(n) = ((n + T + T_n - 1) / (n + T + T_n))^2 with T_n = T - (x_1 + ... + x_n).
    def go_on(n, x, found):
        missing = T - found
        return max(0.0, (n + T + missing - 1) / (n + T + missing)) ** 2

    return gain_per_document(
        r,
        pool,
        k,
        scale=(gain, max_grade),
        go_on=go_on,
        rest=lambda n, found: rest_of_squares(n + 2 * T - found),
    )


@oracle
def _nerr8(r, pool, k, *, gain="linear", max_grade):
    # AMM Eq. 8: C(n) = 1 - x_n above rank k.
    return gain_per_document(r, pool, k, scale=(gain, max_grade), go_on=lambda n, x, found: 1 - x)


@oracle
def _nerr9(r, pool, k, *, gain="linear", max_grade):
    # AMM Eq. 9: C(n) = n / (n + 1) (1 - x_n) above rank k.
    return gain_per_document(
        r, pool, k, scale=(gain, max_grade), go_on=lambda n, x, found: n / (n + 1) * (1 - x)
    )


def to_the_end(equation):
    """Without a cut-off, k is the length of the list, for the ideal ranking too."""

    @functools.wraps(equation)
    def measure(ranked, pool=None, *, k=None, condense=False, **parameters):
        if k is None:
            k = len(judged(ranked) if condense else ranked)
        return equation(ranked, pool, k=k, condense=condense, **parameters)

    return measure


nerr8 = to_the_end(_nerr8)
nerr9 = to_the_end(_nerr9)


@oracle
def nerr10(r, pool, k, *, p=0.9, gain="linear", max_grade):
    # AMM Eq. 10: C(n) = p (1 - x_n).
    return gain_per_document(
        r,
        pool,
        k,
        scale=(gain, max_grade),
        go_on=lambda n, x, found: p * (1 - x),
        rest=lambda n, found: 1 / (1 - p),
    )


@oracle
def nerr11(r, pool, k, *, T=1, gain="linear", max_grade):  # noqa: N803 - the paper's letter
    # AMM Eq. 11: C(n) = ((n + 2T - 1) / (n + 2T))^2 (1 - x_n).
    return gain_per_document(
        r,
        pool,
        k,
        scale=(gain, max_grade),
        go_on=lambda n, x, found: ((n + 2 * T - 1) / (n + 2 * T)) ** 2 * (1 - x),
        rest=lambda n, found: rest_of_squares(n + 2 * T),
    )


@oracle
def _bpm(r, pool, k, *, T=1, gain="linear", max_grade):  # noqa: N803 - the paper's letter
    # ZLLZXM: stop where the gain reaches T or the cost reaches k; the gain per document read.
    v = gain_of(gain)
    if not any(v(grade) > 0 for grade in pool):
        return None
    found, n = 0, 0
    while n < k and found < T * v(max_grade):
        n += 1
        found += v(r.get(n, 0))
    return found / v(max_grade) / n if n else 0.0


@oracle
def _sdcg(r, pool, k, *, gain="linear", max_grade):
    # MTS: C(n) = log2(n + 1) / log2(n + 2) above rank k.
    return gain_per_document(
        r,
        pool,
        k,
        scale=(gain, max_grade),
        go_on=lambda n, x, found: math.log2(n + 1) / math.log2(n + 2),
    )


bpm = to_the_end(_bpm)
sdcg = to_the_end(_sdcg)

ORACLES = {
    "BPM": bpm,
    "INSQ": insq,
    "INST": inst,
    "NERR10": nerr10,
    "NERR11": nerr11,
    "NERR8": nerr8,
    "NERR9": nerr9,
    "SDCG": sdcg,
}
