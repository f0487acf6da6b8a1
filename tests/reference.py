"""Slow, literal oracles: every measure as its paper writes it, on plain lists.

``ranked`` holds the grades of one query's documents in rank order (``None`` = unjudged) and
``pool`` the grades of all its judged documents, ranked or not (by default those in ``ranked``).
Nothing here knows the prefix form of the package, and nothing is fast.

Sources of the equations:

FFM
    Ferrante, Ferro and Maistro (2014), "Rethinking how to extend average precision to graded
    relevance", CLEF.
JK
    Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques", TOIS 20(4).
MZ
    Moffat and Zobel (2008), "Rank-biased precision for measurement of retrieval effectiveness",
    TOIS 27(1).

Arithmetic stays exact where the arguments are exact: with ``Fraction`` (or ``int``) parameters AP,
GAP, xGAP, eGAP, P, R and RBP return a ``Fraction``.
"""

import functools
import itertools
import math
from fractions import Fraction

# ---------------------------------------------------------------------------------------------
# The frame around every equation: unjudged documents, cut-off, ideal ranking, empty queries.
# ---------------------------------------------------------------------------------------------


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
    returns ``empty``, and so it does where ``normalize`` would divide by zero.
    """

    @functools.wraps(equation)
    def measure(
        ranked, pool=None, *, k=None, normalize=False, condense=False, empty=0, **parameters
    ):
        pool = judged(ranked if pool is None else pool)
        r = by_rank(judged(ranked) if condense else ranked)
        value = equation(r, pool, k, **parameters)
        if value is None:
            return empty
        if not normalize:
            return value
        best = equation(by_rank(ideal(pool)), pool, k, **parameters)
        return empty if best == 0 else value / best

    return measure


# ---------------------------------------------------------------------------------------------
# Counts and sums the equations name.
# ---------------------------------------------------------------------------------------------


def recall_base(pool, threshold):
    """RB(k) = R(k) + R(k+1) + ... + R(c) of FFM section 2."""
    return sum(1 for grade in pool if grade >= threshold)


def numbered(g):
    """Map each grade 1..c to the probability that it is a user's threshold."""
    return dict(enumerate(g, start=1))


def cumulated_thresholds(g):
    """G(1), ..., G(c): probability that a user finds a document of each grade relevant."""
    return tuple(sum(g[:j]) for j in range(1, len(g) + 1))


def expected_recall_base(pool, g):
    """E[RB(K)], the denominator of FFM Eq. 4: sum_k R(k) sum_{j<=k} g_j."""
    g = numbered(g)
    return sum(g[j] for grade in pool for j in range(1, grade + 1))


def delta(r, m, n, g):
    """Delta_{m,n} of FFM Eq. 4: sum of g_h for h = 1..min(r[m], r[n])."""
    g = numbered(g)
    return sum(g[h] for h in range(1, min(r[m], r[n]) + 1))


def gap_selection_probability(grade, pool, g):
    """Step (i) of GAP's experiment, FFM section 3: probability of one document of this grade."""
    g_of = numbered(g)
    return sum(g_of[j] for j in range(1, grade + 1)) / expected_recall_base(pool, g)


def user_selection_probability(grade, pool, g):
    """FFM section 4: draw a user first, then one of the documents relevant to that user."""
    g = numbered(g)
    return sum(g[j] * Fraction(1, recall_base(pool, j)) for j in range(1, grade + 1))


def gain_of(gain):
    """Return the function from grade to gain."""
    if gain == "linear":
        return lambda grade: grade
    if gain == "exp2":
        return lambda grade: 2**grade - 1
    return lambda grade: (0, *gain)[grade]


def discount_of(discount, log_base):
    """Return the function from rank to discount."""
    if discount == "log2":
        return lambda n: 1 / math.log2(n + 1)
    if discount == "jk":
        return lambda n: 1 if n < log_base else 1 / math.log(n, log_base)
    raise ValueError(discount)


# ---------------------------------------------------------------------------------------------
# Average precision and its graded extensions.
# ---------------------------------------------------------------------------------------------


@oracle
def average_precision(r, pool, k, *, rel=1):
    # FFM Eq. 2: AP(t) = 1/RB(t) sum_n 1/n sum_{m<=n} delta_{m,n}(t), 0 for t > tau;
    # FFM Eq. 3: delta_{m,n}(t) = 1 where r[m] >= t and r[n] >= t.
    if recall_base(pool, rel) == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        for m in range(1, n + 1):
            if r[m] >= rel and r[n] >= rel:
                total += Fraction(1, n)
    return total / recall_base(pool, rel)


@oracle
def gap(r, pool, k, *, g):
    # FFM Eq. 4: GAP = sum_n 1/n sum_{m<=n} Delta_{m,n} / sum_k R(k) sum_{j<=k} g_j.
    if expected_recall_base(pool, g) == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        total += Fraction(1, n) * sum(delta(r, m, n, g) for m in range(1, n + 1))
    return total / expected_recall_base(pool, g)


@oracle
def xgap(r, pool, k, *, g):
    # FFM Eq. 5: xGAP = sum_n 1/n [ sum_{k<=r[n]} g_k/RB(k) / sum_{k<=r[n]} g_k
    #                               * sum_{m<=n} Delta_{m,n} ].
    # A document no user may find relevant (sum g_k = 0) is drawn with probability 0.
    if expected_recall_base(pool, g) == 0:
        return None
    total = Fraction(0)
    for n in ranks(r, k):
        relevant_to = sum(numbered(g)[j] for j in range(1, r[n] + 1))
        if relevant_to == 0:
            continue
        drawn = user_selection_probability(r[n], pool, g)
        seen = sum(delta(r, m, n, g) for m in range(1, n + 1))
        total += Fraction(1, n) * drawn * seen / relevant_to
    return total


@oracle
def egap(r, pool, k, *, g):
    # FFM Eq. 6, first form: eGAP = E[AP(K)] = sum_t P(K = t) AP(t), AP(t) = 0 for t > tau.
    if expected_recall_base(pool, g) == 0:
        return None
    in_rank_order = list(r.values())
    return sum(
        probability * average_precision(in_rank_order, pool, k=k, rel=threshold)
        for threshold, probability in numbered(g).items()
    )


# ---------------------------------------------------------------------------------------------
# Cumulated gain, precision, recall, rank-biased precision.
# ---------------------------------------------------------------------------------------------


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
def _precision(r, pool, k, *, rel=1):
    # FFM section 2: Prec[n] = 1/n sum_{i<=n} r[i]; a list shorter than k counts as filled up
    # with non-relevant documents.
    if recall_base(pool, rel) == 0:
        return None
    return Fraction(sum(1 for n in ranks(r, k) if r[n] >= rel), k) if k else 0


def precision(ranked, pool=None, *, k=None, condense=False, **parameters):
    """P at k; without a cut-off k is the length of the list, for the ideal ranking too."""
    if k is None:
        k = len(judged(ranked) if condense else ranked)
    return _precision(ranked, pool, k=k, condense=condense, **parameters)


@oracle
def recall(r, pool, k, *, rel=1):
    # FFM section 2: Rec[n] = sum_{i<=n} r[i] / RB.
    if recall_base(pool, rel) == 0:
        return None
    return Fraction(sum(1 for n in ranks(r, k) if r[n] >= rel), recall_base(pool, rel))


@oracle
def rbp(r, pool, k, *, p=0.8, rel=1):
    # MZ: RBP = (1 - p) sum_n r[n] p^(n-1), r[n] binary.
    if recall_base(pool, rel) == 0:
        return None
    return (1 - p) * sum(p ** (n - 1) for n in ranks(r, k) if r[n] >= rel)


REFERENCE = {
    "AP": average_precision,
    "GAP": gap,
    "xGAP": xgap,
    "eGAP": egap,
    "DCG": dcg,
    "nDCG": ndcg,
    "P": precision,
    "R": recall,
    "RBP": rbp,
}


# ---------------------------------------------------------------------------------------------
# From scores to rankings. Documents come in row order, ``grades`` may hold None.
# ---------------------------------------------------------------------------------------------


def tied_blocks(grades, scores):
    """Grades by score, best score first: one list per distinct score, each in row order."""
    blocks = {}
    for grade, score in zip(grades, scores, strict=True):
        blocks.setdefault(float(score), []).append(grade)
    return [blocks[score] for score in sorted(blocks, reverse=True)]


def all_orders(grades, scores):
    """Every ranking that the scores allow, as often as permutations of tied documents give it."""
    orders = [itertools.permutations(block) for block in tied_blocks(grades, scores)]
    return [list(itertools.chain(*order)) for order in itertools.product(*orders)]


def row_order(grades, scores):
    """Rank tied documents as their rows come."""
    return list(itertools.chain(*tied_blocks(grades, scores)))


def pessimistic(grades, scores):
    """Rank tied documents worst first, an unjudged one as a non-relevant one."""
    blocks = tied_blocks(grades, scores)
    return list(itertools.chain(*[sorted(block, key=_or_zero) for block in blocks]))


def optimistic(grades, scores):
    """Rank tied documents best first, an unjudged one as a non-relevant one."""
    blocks = tied_blocks(grades, scores)
    return list(itertools.chain(*[sorted(block, key=_or_zero, reverse=True) for block in blocks]))


def _or_zero(grade):
    return 0 if grade is None else grade


ORDERS = {"row_order": row_order, "pessimistic": pessimistic, "optimistic": optimistic}


def expected_under_ties(function, grades, scores, pool=None, **parameters):
    """Mean of ``function`` over all orders of tied documents, enumerated one by one."""
    pool = judged(grades) if pool is None else pool
    values = [function(order, pool, **parameters) for order in all_orders(grades, scores)]
    return sum(values) / len(values)


def under_ties(function, grades, scores, ties="expected", pool=None, **parameters):
    """Return the value of one query under a rule for ties."""
    if ties == "expected":
        return expected_under_ties(function, grades, scores, pool, **parameters)
    pool = judged(grades) if pool is None else pool
    return function(ORDERS[ties](grades, scores), pool, **parameters)


# ---------------------------------------------------------------------------------------------
# Many queries: rows in any order, NaN = unjudged.
# ---------------------------------------------------------------------------------------------


def plain(label):
    """Turn one label of y_true into a grade: NaN is unjudged, whole numbers are ints."""
    label = float(label)
    if math.isnan(label):
        return None
    return int(label) if label == int(label) else label


def rows_by_query(qid):
    """Map each query id, in order of first appearance, to its row numbers."""
    rows = {}
    for row, query in enumerate(qid):
        rows.setdefault(query, []).append(row)
    return rows


def per_query(function, y_true, y_score, qid=None, ties="expected", **parameters):
    """Map each query id, in order of first appearance, to the value of its ranking."""
    qid = [0] * len(y_true) if qid is None else list(qid)
    values = {}
    for query, rows in rows_by_query(qid).items():
        grades = [plain(y_true[row]) for row in rows]
        scores = [y_score[row] for row in rows]
        values[query] = under_ties(function, grades, scores, ties, **parameters)
    return values


def mean_over_queries(values, qid=None, sample_weight=None):
    """Mean of the values that are not NaN; a query weighs as much as its rows do on average."""
    weights = dict.fromkeys(values, 1)
    if sample_weight is not None:
        for query, rows in rows_by_query(qid).items():
            weights[query] = sum(sample_weight[row] for row in rows) / len(rows)
    counted = [query for query in values if not math.isnan(values[query])]
    total = sum(weights[query] for query in counted)
    return sum(weights[query] * values[query] for query in counted) / total
