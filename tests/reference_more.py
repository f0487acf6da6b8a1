"""Slow, literal oracles, second part: preference measures, Kishida's measures, sets and cascades.

The arguments are those of :mod:`reference`.

Sources of the equations:

Sakai
    Sakai (2007), "Alternatives to bpref", SIGIR. The preference measures see the condensed list
    only: r' is a rank in it.
BV
    Buckley and Voorhees (2004), "Retrieval evaluation with incomplete information", SIGIR.
YA
    Yilmaz and Aslam (2006), "Inferred AP: estimating average precision with incomplete judgments".
Kishida
    Kishida (2005), "Property of average precision and its generalization", NII-2005-014E.
BI
    Borlund and Ingwersen (1998), "Measures of relative relevance and ranked half-life", SIGIR.
CMZG
    Chapelle, Metzler, Zhang and Grinspan (2009), "Expected reciprocal rank for graded relevance",
    CIKM.
"""

import functools
import math
from collections import Counter
from fractions import Fraction

from reference import (
    by_rank,
    dcg,
    gain_of,
    ideal,
    judged,
    oracle,
    precision,
    ranks,
    recall,
    recall_base,
)

# ---------------------------------------------------------------------------------------------
# Counts and sums the equations name.
# ---------------------------------------------------------------------------------------------


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


def preference(equation):
    """Turn an equation into a measure of the condensed list."""
    return functools.partial(oracle(equation), condense=True)


# ---------------------------------------------------------------------------------------------
# Binary preference. R judged relevant, N judged non-relevant documents.
# ---------------------------------------------------------------------------------------------


@preference
def bpref(r, pool, k, *, rel=1):
    # Sakai Eq. 9: 1/R sum_r' isrel(r') (1 - min(R, r' - count(r')) / min(R, N)).
    n_relevant = recall_base(pool, rel)
    n_nonrelevant = len(pool) - n_relevant
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            above = n - count(r, n, rel)
            total += 1 - ratio(min(n_relevant, above), min(n_relevant, n_nonrelevant))
    return total / n_relevant


@preference
def bpref_r(r, pool, k, *, rel=1):
    # Sakai Eq. 10: 1/R sum_r' isrel(r') (1 - min(R, r' - count(r')) / R).
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            total += 1 - ratio(min(n_relevant, n - count(r, n, rel)), n_relevant)
    return total / n_relevant


@preference
def bpref_n(r, pool, k, *, rel=1):
    # Sakai Eq. 11: 1/R sum_r' isrel(r') (1 - (r' - count(r')) / N).
    n_relevant = recall_base(pool, rel)
    n_nonrelevant = len(pool) - n_relevant
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            total += 1 - ratio(n - count(r, n, rel), n_nonrelevant)
    return total / n_relevant


@preference
def old_bpref(r, pool, k, *, rel=1):
    # Sakai, below Eq. 9: min(R, N_ret) instead of min(R, N), N_ret = judged non-relevant
    # documents in the whole list.
    n_relevant = recall_base(pool, rel)
    n_retrieved = sum(1 for grade in r.values() if grade < rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            above = n - count(r, n, rel)
            total += 1 - ratio(min(n_relevant, above), min(n_relevant, n_retrieved))
    return total / n_relevant


@preference
def bpref_ten(r, pool, k, *, rel=1):
    # BV, bpref-10: 1/R sum_r' isrel(r') (1 - |first 10 + R non-relevant above| / (10 + R)).
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] >= rel:
            above = n - count(r, n, rel)
            total += 1 - ratio(min(10 + n_relevant, above), 10 + n_relevant)
    return total / n_relevant


@preference
def bpref_relative(r, pool, k, *, rel=1):
    # Sakai Eq. 18: 1/R sum_{r' != 1} isrel(r') (1 - (r' - count(r')) / (r' - 1)).
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if n != 1 and r[n] >= rel:
            total += 1 - ratio(n - count(r, n, rel), n - 1)
    return total / n_relevant


# ---------------------------------------------------------------------------------------------
# Graded preference.
# ---------------------------------------------------------------------------------------------


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


@oracle
def q_measure(r, pool, k, *, beta=1, gain="linear"):
    # Sakai Eq. 21: 1/R sum_r isrel(r) (beta cg(r) + count(r)) / (beta cg_I(r) + r).
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    n_relevant = recall_base(pool, 1)
    if n_relevant == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        if r[n] > 0:
            blended = beta * cumulative(r, n, gain) + count(r, n, 1)
            total += ratio(blended, beta * cumulative(best, n, gain) + n)
    return total / n_relevant


@oracle
def ndcg_sakai(r, pool, k, *, gain="linear", log_base=2):
    # Sakai Eq. 22: sum_{r<=l} dg(r) / sum_{r<=l} dg_I(r); dg(r) = g(r) for r <= a and
    # g(r) / log_a r for r > a.
    gain = gain_of(gain)

    def discounted(ranking):
        early = sum(gain(ranking[n]) for n in ranks(ranking, k) if n <= log_base)
        late = [n for n in ranks(ranking, k) if n > log_base]
        return early + sum(gain(ranking[n]) / math.log(n, log_base) for n in late)

    best = discounted(by_rank(ideal(pool)))
    return None if best == 0 else discounted(r) / best


# ---------------------------------------------------------------------------------------------
# Inferred AP. A document in the pool that was not sampled for judging has the grade UNSAMPLED,
# one outside the pool is None.
# ---------------------------------------------------------------------------------------------

UNSAMPLED = -1


def inferred_ap(
    ranked, pool=None, *, k=None, rel=1, epsilon=1e-5, normalize=False, condense=False, empty=0
):
    # YA: 1/R sum over relevant ranks n of
    # 1/n + (n-1)/n * |d100| / (n-1) * (|rel| + eps) / (|rel| + |nonrel| + 2 eps), counts above n.
    sampled = [grade for grade in judged(ranked if pool is None else pool) if grade != UNSAMPLED]
    if condense:
        ranked = [grade for grade in judged(ranked) if grade != UNSAMPLED]
    n_relevant = recall_base(sampled, rel)
    if n_relevant == 0:
        return empty
    total = 0
    for n in ranks(dict(enumerate(ranked, start=1)), k):
        if ranked[n - 1] is None or ranked[n - 1] < rel:
            continue
        if n == 1:
            total += 1
            continue
        pooled = judged(ranked[: n - 1])
        n_rel = sum(1 for grade in pooled if grade >= rel)
        n_nonrel = sum(1 for grade in pooled if 0 <= grade < rel)
        above = len(pooled) / (n - 1) * (n_rel + epsilon) / (n_rel + n_nonrel + 2 * epsilon)
        total += 1 / n + (n - 1) / n * above
    value = total / n_relevant
    if not normalize:
        return value
    return value / inferred_ap(ideal(sampled), sampled, k=k, rel=rel, epsilon=epsilon)


# ---------------------------------------------------------------------------------------------
# Kishida's measures. I(x) = 1 for a relevant document; x and y are the gains of the ranking and
# of the ideal ranking.
# ---------------------------------------------------------------------------------------------


@oracle
def generalized_ap(r, pool, k, *, gain="linear"):
    # Kishida Eq. 42: sum_i I(x_i)/i sum_{k<=i} x_k / sum_i I(y_i) mean(y_1..y_i).
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    largest = sum(ratio(cumulative(best, i, gain), i) for i in best if best[i] > 0)
    if largest == 0:
        return None
    total = sum(ratio(cumulative(r, i, gain), i) for i in ranks(r, k) if r[i] > 0)
    return total / largest


@oracle
def weighted_ap(r, pool, k, *, gain="linear"):
    # Kishida Eq. 34: 1/R sum_i I(x_i) sum_{k<=i} x_k / sum_{k<=i} y_k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    if not any(gain(grade) > 0 for grade in pool):
        return None
    total = sum(
        ratio(cumulative(r, i, gain), cumulative(best, i, gain)) for i in ranks(r, k) if r[i] > 0
    )
    return Fraction(total) / recall_base(pool, 1)


@oracle
def sliding_ratio(r, pool, k, *, gain="linear"):
    # Kishida Eq. 26: sum_{k<=n} x_k / sum_{k<=n} y_k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    available = sum(gain(best[i]) for i in ranks(best, k))
    return None if available == 0 else ratio(sum(gain(r[i]) for i in ranks(r, k)), available)


@oracle
def modified_sliding_ratio(r, pool, k, *, gain="linear"):
    # Kishida Eq. 27: sum_{k<=n} x_k / k over sum_{k<=n} y_k / k.
    gain = gain_of(gain)
    best = by_rank(ideal(pool))
    available = sum(ratio(gain(best[i]), i) for i in ranks(best, k))
    return None if available == 0 else sum(ratio(gain(r[i]), i) for i in ranks(r, k)) / available


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


@oracle
def r_precision(r, pool, k, *, rel=1):
    # Kishida Eq. 6: 1/R sum_{i<=R} x_i.
    n_relevant = recall_base(pool, rel)
    if n_relevant == 0:
        return None
    return Fraction(sum(1 for i in ranks(r, k) if i <= n_relevant and r[i] >= rel), n_relevant)


@oracle
def _generalized_p(r, pool, k, *, gain="linear", max_grade):
    # Kishida 4.1.4: g_P = 1/n sum_{k<=n} z_k, z_k = x_k / (top of the scale).
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    return ratio(sum(ratio(gain(r[i]), gain(max_grade)) for i in ranks(r, k)), k) if k else 0


def generalized_p(ranked, pool=None, *, k=None, condense=False, **parameters):
    """g_P at k; without a cut-off k is the length of the list, for the ideal ranking too."""
    if k is None:
        k = len(judged(ranked) if condense else ranked)
    return _generalized_p(ranked, pool, k=k, condense=condense, **parameters)


@oracle
def generalized_r(r, pool, k, *, gain="linear"):
    # Kishida 4.1.4: g_R = sum_{k<=n} z_k / sum_{k<=N} z_k; the top of the scale cancels.
    gain = gain_of(gain)
    available = sum(gain(grade) for grade in pool)
    return None if available == 0 else ratio(sum(gain(r[i]) for i in ranks(r, k)), available)


@oracle
def ranked_half_life(r, pool, k, *, gain="linear"):
    # BI: median of grouped data, L + (n/2 - F) / f * CI: rank m is the class (m-1, m], its
    # frequency f the gain at m, F the gain above it, n the gain of the list down to the cut-off.
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    half = Fraction(sum(gain(r[i]) for i in ranks(r, k))) / 2
    if half == 0:
        return math.inf
    m = next(i for i in ranks(r, k) if cumulative(r, i, gain) >= half)
    return (m - 1) + (half - Fraction(cumulative(r, m - 1, gain))) / Fraction(gain(r[m]))


def adm(grades, scores, *, max_grade, gain="linear", condense=False, empty=0):
    # Kishida Eq. 38: 1 - 1/N sum_i |s_i - x_i|, score s_i and relevance x_i both in [0, 1].
    gain = gain_of(gain)
    pairs = list(zip(grades, scores, strict=True))
    if condense:
        pairs = [(grade, score) for grade, score in pairs if grade is not None]
    if not any(gain(grade) > 0 for grade in judged(grades)):
        return empty
    relevance = [ratio(gain(0 if grade is None else grade), gain(max_grade)) for grade, _ in pairs]
    distances = [abs(score - x) for (_, score), x in zip(pairs, relevance, strict=True)]
    return 1 - sum(distances) / len(pairs)


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
        return oracle(equation)(listed + missing, pool, n_retrieved=len(listed), **parameters)

    return measure


@of_all_documents
def normalized_recall(r, pool, k, *, n_retrieved, rel=1):
    # Kishida Eq. 7: 1 - (sum_i i I(x_i) - sum_{i<=R} i) / (R (N - R)).
    n_relevant = recall_base(pool, rel)
    if k is not None:
        raise ValueError("normalized recall has no cut-off")
    if n_relevant == 0:
        return None
    late = sum(i for i in r if r[i] >= rel) - sum(range(1, n_relevant + 1))
    return 1 - ratio(late, n_relevant * (len(r) - n_relevant))


@of_all_documents
def normalized_precision(r, pool, k, *, n_retrieved, rel=1):
    # Kishida Eq. 8: 1 - (sum_i I(x_i) log i - sum_{i<=R} log i) / log C(N, R).
    n_relevant = recall_base(pool, rel)
    if k is not None:
        raise ValueError("normalized precision has no cut-off")
    if n_relevant == 0:
        return None
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
    if recall_base(pool, rel) == 0:
        return None
    _, fp, _, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(fp, tn + fp) if tn + fp else 0


@of_all_documents
def specificity(r, pool, k, *, n_retrieved, rel=1):
    # TNR = tn / (tn + fp); nothing to be wrong about: 1.
    if recall_base(pool, rel) == 0:
        return None
    _, fp, _, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(tn, tn + fp) if tn + fp else 1


@of_all_documents
def npv(r, pool, k, *, n_retrieved, rel=1):
    # NPV = tn / (tn + fn); nothing left out: 1.
    if recall_base(pool, rel) == 0:
        return None
    _, _, fn, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(tn, tn + fn) if tn + fn else 1


@of_all_documents
def accuracy(r, pool, k, *, n_retrieved, rel=1):
    # ACC = (tp + tn) / (tp + fp + tn + fn).
    if recall_base(pool, rel) == 0:
        return None
    tp, fp, fn, tn = confusion(r, k, n_retrieved, rel)
    return Fraction(tp + tn, tp + fp + tn + fn)


def fdr(ranked, pool=None, *, k=None, rel=1, condense=False, empty=0):
    # FDR = fp / (tp + fp) = 1 - P; a list shorter than k counts as filled up, as for P.
    if recall_base(judged(ranked if pool is None else pool), rel) == 0:
        return empty
    return 1 - precision(ranked, pool, k=k, rel=rel, condense=condense)


def f_measure(
    ranked, pool=None, *, k=None, rel=1, beta=1, normalize=False, condense=False, empty=0
):
    # F = (beta^2 + 1) P R / (beta^2 P + R).
    if k is None:
        k = len(judged(ranked) if condense else ranked)
    pool = judged(ranked if pool is None else pool)
    parameters = {"k": k, "rel": rel, "condense": condense}
    p, r = precision(ranked, pool, **parameters), recall(ranked, pool, **parameters)
    if recall_base(pool, rel) == 0:
        return empty
    value = (beta**2 + 1) * p * r / (beta**2 * p + r) if p > 0 else 0
    if not normalize:
        return value
    best = f_measure(ideal(pool), pool, k=k, rel=rel, beta=beta)
    return empty if best == 0 else value / best


# ---------------------------------------------------------------------------------------------
# First relevant document, cascades, plain gain.
# ---------------------------------------------------------------------------------------------


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
def cg(r, pool, k, *, gain="linear"):
    # Kishida Eq. 29: c(n) = sum_{k<=n} x_k.
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    return sum(gain(r[n]) for n in ranks(r, k))


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
def graded_rbp(r, pool, k, *, p=0.8, gain="linear", max_grade):
    # Moffat and Zobel (2008): (1 - p) sum_n x_n p^(n-1) with x_n = gain / (gain of the top grade).
    gain = gain_of(gain)
    if not any(gain(grade) > 0 for grade in pool):
        return None
    return (1 - p) * sum(ratio(gain(r[n]), gain(max_grade)) * p ** (n - 1) for n in ranks(r, k))


# ADM alone takes (grades, scores) instead of (ranked, pool).
REFERENCE_MORE = {
    "Accuracy": accuracy,
    "ADM": adm,
    "AveragedNDCG": averaged_ndcg,
    "Bpref": bpref,
    "BprefN": bpref_n,
    "BprefR": bpref_r,
    "BprefRelative": bpref_relative,
    "BprefTen": bpref_ten,
    "CG": cg,
    "ERR": err,
    "F": f_measure,
    "FDR": fdr,
    "Fallout": fallout,
    "GeneralizedAP": generalized_ap,
    "GeneralizedP": generalized_p,
    "GeneralizedR": generalized_r,
    "ModifiedSlidingRatio": modified_sliding_ratio,
    "NPV": npv,
    "NormalizedPrecision": normalized_precision,
    "NormalizedRecall": normalized_recall,
    "OldBpref": old_bpref,
    "QMeasure": q_measure,
    "RPrecision": r_precision,
    "RR": reciprocal_rank,
    "RankedHalfLife": ranked_half_life,
    "RprefN": rpref_n,
    "RprefRelative": rpref_relative,
    "RprefRelative2": rpref_relative2,
    "SlidingRatio": sliding_ratio,
    "Specificity": specificity,
    "Success": success,
    "WeightedAP": weighted_ap,
    "graded RBP": graded_rbp,
    "infAP": inferred_ap,
}
