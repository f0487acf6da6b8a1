"""The first relevant document, and users who stop at a document.

Sources of the equations:

CMZG
    Chapelle, Metzler, Zhang and Grinspan (2009), "Expected reciprocal rank for graded relevance",
    CIKM.
SZ
    Sakai and Zeng (2019), "Which diversity evaluation measures are 'good'?", SIGIR.
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
MZ
    Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval effectiveness",
    TOIS 27(1).
"""

import math
from fractions import Fraction

from reference.frame import gain_of, of_gains, of_relevant, ranks, ratio, to_the_end


@of_relevant
def reciprocal_rank(r, pool, k, *, rel=1):
    # 1 over the rank of the first relevant document, 0 where there is none.
    return max(
        (Fraction(1, n) for n in ranks(r, k) if r[n] >= rel), default=Fraction(0)
    )


@of_relevant
def success(r, pool, k, *, rel=1):
    # 1 where a relevant document is among the first k.
    return int(any(r[n] >= rel for n in ranks(r, k)))


@of_gains
def err(r, pool, k, *, gain="exp2", max_grade):
    # CMZG: sum_n 1/n S(r[n]) prod_{i<n} (1 - S(r[i])), S(g) = (2^g - 1) / 2^max_grade, that is
    # gain / (1 + largest gain), which NTCIREVAL takes with linear gains.
    gain = gain_of(gain)
    stops = {n: ratio(gain(r[n]), gain(max_grade) + 1) for n in r}
    return sum(
        Fraction(1, n) * stops[n] * math.prod(1 - stops[i] for i in range(1, n))
        for n in ranks(r, k)
    )


@of_gains
def irbu(r, pool, k, *, p=0.99, gain="exp2", max_grade):
    # SZ: the stopping probabilities of ERR, and the utility p^n of a user who stops at rank n.
    gain = gain_of(gain)
    total, left = 0.0, 1.0
    for n in sorted(r):
        if n in ranks(r, k):
            stop = float(ratio(gain(r[n]), gain(max_grade) + 1))
            total += p**n * left * stop
            left *= 1 - stop
    return total


# --- Users who go on from a rank with a probability, as C/W/L lists them: C(n), reach, gain -------


# Ranks that are added up one by one where the user may read on for ever.
MANY = 1000


def user(go_on, rest=None):
    """Expected gain over expected number of documents; go_on(n, x, G) is C(n).

    x is the gain at rank n, and G that at ranks 1..n. rest(n, G) is what a user reads below rank n
    who has come there and finds nothing any more.
    """

    @of_gains
    def gain_per_document(r, pool, k, *, gain="linear", max_grade, **fields):
        v = gain_of(gain)
        gained, read, reach, found = 0.0, 0.0, 1.0, 0.0
        depth = MANY if k is None else k
        for n in range(1, depth + 1):
            x = v(r[n]) / v(max_grade) if n in r else 0.0
            found += x
            gained, read = gained + reach * x, read + reach
            reach *= go_on(n, x, found, **fields)
        if k is None and reach > 0:
            read += reach * rest(depth, found, **fields)
        return gained / read if read > 0 else 0.0

    return gain_per_document


def square(x):
    """What MST's users go on with: ((x - 1) / x)^2, or 0 where x is below 1."""
    return max(0.0, (x - 1) / x) ** 2


def rest_of_squares(x):
    """Sum of (x / (x + i))^2 over i = 0, 1, ..., by the formula of Euler and Maclaurin."""
    return x + 1 / 2 + 1 / (6 * x) - 1 / (30 * x**3)


# MST: C(n) = ((n + 2T - 1) / (n + 2T))^2.
insq = user(
    lambda n, x, G, T=1: square(n + 2 * T), lambda n, G, T=1: rest_of_squares(n + 2 * T)
)

# MBST: C(n) = ((n + T + T_n - 1) / (n + T + T_n))^2 with T_n = T - (x_1 + ... + x_n).
inst = user(
    lambda n, x, G, T=1: square(n + T + (T - G)),
    lambda n, G, T=1: rest_of_squares(n + T + (T - G)),
)

# AMM Eq. 8 and 9: C(n) = 1 - x_n and C(n) = n / (n + 1) (1 - x_n) above rank k.
nerr8 = to_the_end(user(lambda n, x, G: 1 - x))
nerr9 = to_the_end(user(lambda n, x, G: n / (n + 1) * (1 - x)))

# AMM Eq. 10: C(n) = p (1 - x_n).
nerr10 = user(lambda n, x, G, p=0.9: p * (1 - x), lambda n, G, p=0.9: 1 / (1 - p))

# AMM Eq. 11: C(n) = ((n + 2T - 1) / (n + 2T))^2 (1 - x_n).
nerr11 = user(
    lambda n, x, G, T=1: square(n + 2 * T) * (1 - x),
    lambda n, G, T=1: rest_of_squares(n + 2 * T),
)

# MTS: C(n) = log2(n + 1) / log2(n + 2) above rank k.
sdcg = to_the_end(user(lambda n, x, G: math.log2(n + 1) / math.log2(n + 2)))


@to_the_end
@of_gains
def bpm(r, pool, k, *, T=1, gain="linear", max_grade):
    # ZLLZXM: stop where the gain reaches T or the cost reaches k; the gain per document read.
    v = gain_of(gain)
    found, n = 0, 0
    while n < k and found < T * v(max_grade):
        n += 1
        found += v(r.get(n, 0))
    return found / v(max_grade) / n if n else 0.0


# --- Rank-biased precision, of binary and of graded relevance -------------------------------------


@of_relevant
def binary_rbp(r, pool, k, *, p=0.8, rel=1):
    # MZ: RBP = (1 - p) sum_n r[n] p^(n-1), r[n] binary.
    return (1 - p) * sum(p ** (n - 1) for n in ranks(r, k) if r[n] >= rel)


@of_gains
def graded_rbp(r, pool, k, *, p=0.8, gain="linear", max_grade):
    # Moffat and Zobel (2008): (1 - p) sum_n x_n p^(n-1) with x_n = gain / (gain of the top grade).
    gain = gain_of(gain)
    return (1 - p) * sum(
        ratio(gain(r[n]), gain(max_grade)) * p ** (n - 1) for n in ranks(r, k)
    )


def rbp(ranked, pool=None, **parameters):
    """RBP of binary relevance, or with a gain that of graded relevance."""
    return (graded_rbp if "gain" in parameters else binary_rbp)(
        ranked, pool, **parameters
    )


ORACLES = {
    "BPM": bpm,
    "ERR": err,
    "INSQ": insq,
    "INST": inst,
    "iRBU": irbu,
    "NERR10": nerr10,
    "NERR11": nerr11,
    "NERR8": nerr8,
    "NERR9": nerr9,
    "RBP": rbp,
    "RR": reciprocal_rank,
    "SDCG": sdcg,
    "Success": success,
}
