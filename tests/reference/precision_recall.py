"""Precision, recall and other measures of the set of documents down to a cut-off.

Sources of the equations:

FFM
    Ferrante, Ferro and Maistro (2014), "Rethinking how to extend average precision to graded
    relevance", CLEF.
Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
"""

import functools
import math
import operator
from collections import Counter
from fractions import Fraction

from reference.frame import (
    count,
    gain_of,
    judged,
    of_gains,
    of_relevant,
    ranks,
    ratio,
    recall_base,
    to_the_end,
)


@of_relevant
def _precision(r, pool, k, *, rel=1):
    # FFM section 2: Prec[n] = 1/n sum_{i<=n} r[i]; a list shorter than k counts as filled up
    # with non-relevant documents.
    return Fraction(sum(1 for n in ranks(r, k) if r[n] >= rel), k) if k else 0


def precision(ranked, pool=None, *, k=None, fill=True, condense=False, **parameters):
    """P at k; without a cut-off k is the length of the list, for the ideal ranking too.

    So it is, with fill=False, where the list is shorter than k.
    """
    length = len(judged(ranked) if condense else ranked)
    if k is None or not fill:
        k = length if k is None else min(k, length)
    return _precision(ranked, pool, k=k, condense=condense, **parameters)


@of_relevant
def recall(r, pool, k, *, rel=1):
    # FFM section 2: Rec[n] = sum_{i<=n} r[i] / RB.
    return Fraction(sum(1 for n in ranks(r, k) if r[n] >= rel), recall_base(pool, rel))


@to_the_end
@of_relevant
def f_measure(r, pool, k, *, rel=1, beta=1):
    # F = (beta^2 + 1) P R / (beta^2 P + R).
    listed = list(r.values())
    p, r = precision(listed, pool, k=k, rel=rel), recall(listed, pool, k=k, rel=rel)
    return (beta**2 + 1) * p * r / (beta**2 * p + r) if p > 0 else 0


@of_relevant
def fdr(r, pool, k, *, rel=1):
    # FDR = fp / (tp + fp) = 1 - P; a list shorter than k counts as filled up, as for P.
    return 1 - precision(list(r.values()), pool, k=k, rel=rel)


@of_relevant
def r_precision(r, pool, k, *, rel=1, multiple=1.0):
    # Kishida Eq. 6: 1/R sum_{i<=R} x_i. trec_eval's Rprec_mult has (long) (x R + 0.9) for R.
    n_relevant = recall_base(pool, rel)
    last = int(multiple * n_relevant + 0.9)
    found = sum(1 for i in ranks(r, k) if i <= last and r[i] >= rel)
    return Fraction(found, last) if last else 0


@to_the_end
@of_gains
def generalized_p(r, pool, k, *, gain="linear", max_grade):
    # Kishida 4.1.4: g_P = 1/n sum_{k<=n} z_k, z_k = x_k / (top of the scale).
    gain = gain_of(gain)
    return (
        ratio(sum(ratio(gain(r[i]), gain(max_grade)) for i in ranks(r, k)), k)
        if k
        else 0
    )


@of_gains
def generalized_r(r, pool, k, *, gain="linear"):
    # Kishida 4.1.4: g_R = sum_{k<=n} z_k / sum_{k<=N} z_k; the top of the scale cancels.
    gain = gain_of(gain)
    available = sum(gain(grade) for grade in pool)
    return (
        None
        if available == 0
        else ratio(sum(gain(r[i]) for i in ranks(r, k)), available)
    )


# ---------------------------------------------------------------------------------------------
# Measures that look at every document: the list, then the judged documents that it lacks, a
# relevant one at the very bottom.
# ---------------------------------------------------------------------------------------------


def of_all_documents(equation):
    """Turn ``equation(r, pool, k, *, n_retrieved, ...)``, r with all documents, into a measure."""

    @functools.wraps(equation)
    def measure(ranked, pool=None, *, condense=False, **parameters):
        pool = judged(ranked if pool is None else pool)
        listed = judged(ranked) if condense else list(ranked)
        missing = sorted((Counter(pool) - Counter(judged(ranked))).elements())
        return of_relevant(equation)(
            listed + missing, pool, n_retrieved=len(listed), **parameters
        )

    return measure


@of_all_documents
def normalized_recall(r, pool, k, *, n_retrieved, rel=1):
    # Kishida Eq. 7: 1 - (sum_i i I(x_i) - sum_{i<=R} i) / (R (N - R)).
    n_relevant = recall_base(pool, rel)
    late = sum(i for i in r if r[i] >= rel) - sum(range(1, n_relevant + 1))
    return 1 - ratio(late, n_relevant * (len(r) - n_relevant))


@of_all_documents
def normalized_precision(r, pool, k, *, n_retrieved, rel=1):
    # Kishida Eq. 8: 1 - (sum_i I(x_i) log i - sum_{i<=R} log i) / log C(N, R).
    n_relevant = recall_base(pool, rel)
    if n_relevant == len(r):
        return 1
    late = sum(math.log(i) for i in r if r[i] >= rel)
    late -= sum(math.log(i) for i in range(1, n_relevant + 1))
    return 1 - late / math.log(math.comb(len(r), n_relevant))


def confusion(r, k, n_retrieved, rel):
    """Count true and false positives, false and true negatives of the documents down to rank k."""
    retrieved = [r[n] >= rel for n in ranks(r, k) if n <= n_retrieved]
    others = [r[n] >= rel for n in r if n > len(retrieved)]
    tp, fn = sum(retrieved), sum(others)
    return tp, len(retrieved) - tp, fn, len(others) - fn


@of_all_documents
def fallout(r, pool, k, *, n_retrieved, rel=1):
    # FPR = fp / (tn + fp); nothing to be wrong about: 0.
    _, fp, _, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(fp, tn + fp) if tn + fp else 0


@of_all_documents
def specificity(r, pool, k, *, n_retrieved, rel=1):
    # TNR = tn / (tn + fp); nothing to be wrong about: 1.
    _, fp, _, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(tn, tn + fp) if tn + fp else 1


@of_all_documents
def npv(r, pool, k, *, n_retrieved, rel=1):
    # NPV = tn / (tn + fn); nothing left out: 1.
    _, _, fn, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(tn, tn + fn) if tn + fn else 1


@of_all_documents
def accuracy(r, pool, k, *, n_retrieved, rel=1):
    # ACC = (tp + tn) / (tp + fp + tn + fn).
    tp, fp, fn, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(tp + tn, tp + fp + tn + fn)


@of_all_documents
def utility(r, pool, k, *, n_retrieved, rel=1, weights=(1, -1, 0, 0)):
    # trec_eval, utility: p1 a + p2 b + p3 c + p4 d of the contingency table.
    return sum(map(operator.mul, weights, confusion(r, k, n_retrieved, rel)))


@to_the_end
@of_relevant
def set_average_precision(r, pool, k, *, rel=1):
    # trec_eval, set_map: num_rel_ret**2 / (num_ret * num_rel).
    found = sum(1 for n in ranks(r, k) if r[n] >= rel)
    return ratio(found**2, k * recall_base(pool, rel))


# --- Interpolated precision, as trec_eval computes it up to version 9, and from version 10 on -----


ELEVEN = tuple(level / 10 for level in range(11))


def rounded(number, rounding):
    """Whole number of relevant documents for a level of recall."""
    return math.floor(number + {"up": 0.9, "nearest": 0.5}[rounding])


def interpolated(r, k, wanted, rel):
    """Largest precision at a rank with enough relevant documents; 0 where there is none."""
    found = {n: count(r, n, rel) for n in ranks(r, k)}
    return max(
        (Fraction(found[n], n) for n in found if found[n] >= wanted),
        default=Fraction(0),
    )


@of_relevant
def interpolated_precision(r, pool, k, *, recall=0.0, rel=1, rounding="up"):
    n_relevant = recall_base(pool, rel)
    return interpolated(r, k, rounded(recall * n_relevant, rounding), rel)


@of_relevant
def interpolated_average_precision(r, pool, k, *, recalls=ELEVEN, rel=1, rounding="up"):
    n_relevant = recall_base(pool, rel)
    wanted = [rounded(recall * n_relevant, rounding) for recall in recalls]
    return sum(interpolated(r, k, each, rel) for each in wanted) / len(recalls)


# --- Share of judged documents, as ir_measures defines it -----------------------------------------


def judged_share(
    ranked, pool=None, *, k=None, normalize=False, condense=False, empty=0
):
    """Judged documents among the first k, over k or the length of a shorter list."""
    assert not condense
    if not judged(ranked if pool is None else pool):
        return empty
    first = ranked if k is None else ranked[:k]
    return Fraction(len(judged(first)), len(first)) if first else Fraction(0)


ORACLES = {
    "Accuracy": accuracy,
    "F": f_measure,
    "Fallout": fallout,
    "FDR": fdr,
    "GeneralizedP": generalized_p,
    "GeneralizedR": generalized_r,
    "InterpolatedAP": interpolated_average_precision,
    "IPrec": interpolated_precision,
    "Judged": judged_share,
    "NormalizedPrecision": normalized_precision,
    "NormalizedRecall": normalized_recall,
    "NPV": npv,
    "P": precision,
    "R": recall,
    "RPrecision": r_precision,
    "SetAP": set_average_precision,
    "Specificity": specificity,
    "Utility": utility,
}
