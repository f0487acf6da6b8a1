"""Ranked half-life.

Sources of the equations:

BI
    Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life", SIGIR.
"""

from fractions import Fraction

from reference.frame import cumulative, gain_of, oracle, ranks


@oracle
def ranked_half_life(r, pool, k, *, gain="linear"):
    # BI: median of grouped data, L + (n/2 - F) / f * CI: rank m is the class (m-1, m], its
    # frequency f the gain at m, F the gain above it, n the gain of the list down to the cut-off.
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    half = Fraction(sum(gain(r[i]) for i in ranks(r, k))) / 2
    if half == 0:
        return Fraction(2 * (max(len(r), len(pool)) if k is None else k) + 1, 2)
    m = next(i for i in ranks(r, k) if cumulative(r, i, gain) >= half)
    return (m - 1) + (half - Fraction(cumulative(r, m - 1, gain))) / Fraction(gain(r[m]))


ORACLES = {
    "RankedHalfLife": ranked_half_life,
}
