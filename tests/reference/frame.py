"""The frame around every equation: unjudged documents, cut-off, ideal ranking, empty queries.

``ranked`` holds the grades of one query's documents in rank order (``None`` = unjudged) and
``pool`` the grades of all its judged documents, ranked or not (by default those in ``ranked``).
"""

import functools
import math
import sys
from fractions import Fraction

# A threshold that every grade above 0 reaches, for equations with "relevant" and no threshold.
RELEVANT = sys.float_info.min


def judged(grades):
    """Grades without the unjudged documents: the condensed list."""
    return [grade for grade in grades if grade is not None]


def ideal(pool):
    """Grades of the ideal ranking, which retrieves the whole pool best first."""
    return sorted(judged(pool), reverse=True)


def by_rank(ranked):
    """Map each rank 1, 2, ... to its grade, an unjudged document counting as not relevant."""
    return {n: 0 if grade is None else grade for n, grade in enumerate(ranked, start=1)}


def ranks(r, k):
    """Ranks that a sum runs over: all of them, or those down to the cut-off."""
    return [n for n in r if k is None or n <= k]


def oracle(equation):
    """Turn ``equation(r, pool, k, **parameters)``, r a dict from rank to grade, into a measure.

    The equation returns None for a query where nothing counts as relevant; the measure then
    returns ``empty``. Where ``normalize`` would divide by zero, the value is 0.
    """

    @functools.wraps(equation)
    def measure(
        ranked,
        pool=None,
        *,
        k=None,
        normalize=False,
        condense=False,
        empty=0,
        **parameters,
    ):
        pool = judged(ranked if pool is None else pool)
        r = by_rank(judged(ranked) if condense else ranked)
        value = equation(r, pool, k, **parameters)
        if value is None:
            return empty
        if not normalize:
            return value
        best = equation(by_rank(ideal(pool)), pool, k, **parameters)
        return 0 if best == 0 else value / best

    return measure


def of_relevant(equation):
    """Turn an equation into a measure whose query is empty where no grade reaches its ``rel``.

    Where the equation has no such threshold, every grade above 0 is relevant.
    """

    @functools.wraps(equation)
    def unless_empty(r, pool, k, **parameters):
        fields = {**(equation.__kwdefaults__ or {}), **parameters}
        n_relevant = recall_base(pool, fields.get("rel", RELEVANT))
        return None if n_relevant == 0 else equation(r, pool, k, **parameters)

    return oracle(unless_empty)


def of_gains(equation):
    """Turn an equation into a measure whose query is empty where no grade has a gain."""

    @functools.wraps(equation)
    def unless_empty(r, pool, k, **parameters):
        gain = gain_of(parameters.get("gain", "linear"))
        has_gain = any(gain(grade) > 0 for grade in pool)
        return equation(r, pool, k, **parameters) if has_gain else None

    return oracle(unless_empty)


def to_the_end(measured):
    """Without a cut-off, k is the length of the list, for the ideal ranking too."""

    @functools.wraps(measured)
    def measure(ranked, pool=None, *, k=None, condense=False, **parameters):
        if k is None:
            k = len(judged(ranked) if condense else ranked)
        return measured(ranked, pool, k=k, condense=condense, **parameters)

    return measure


def preference(measured):
    """Let a measure see the condensed list."""
    return functools.update_wrapper(
        functools.partial(measured, condense=True), measured
    )


# --- Counts and sums that equations of several families name --------------------------------------


def recall_base(pool, threshold):
    """RB(k) = R(k) + R(k+1) + ... + R(c) of FFM section 2."""
    return sum(1 for grade in pool if grade >= threshold)


def ratio(numerator, denominator):
    """Exact quotient; a penalty of 0 out of 0 possible is 0."""
    if numerator == 0 and denominator == 0:
        return Fraction(0)
    return Fraction(numerator) / Fraction(denominator)


def count(r, n, rel):
    """count(r) of Sakai: relevant documents in the top n."""
    return sum(1 for i in range(1, n + 1) if r[i] >= rel)


def cumulative(r, n, gain):
    """cg(n): sum of the gains down to rank n; beyond the end of the list nothing is added."""
    return sum(gain(r[i]) for i in range(1, n + 1) if i in r)


def gain_of(gain):
    """Return the function from grade to gain."""
    if gain == "linear":
        return lambda grade: grade
    if gain == "exp2":
        return lambda grade: 2**grade - 1
    return lambda grade: on_line((0, *gain), grade)


def on_line(by_whole_grade, grade):
    """Look up the number of a grade, with straight lines between whole grades."""
    below = math.floor(grade)
    if below == grade:
        return by_whole_grade[below]
    low, high = map(Fraction, by_whole_grade[below : below + 2])
    return low + (high - low) * (Fraction(grade) - below)
