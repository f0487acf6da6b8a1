"""From scores to rankings, and from one query to many.

Documents come in row order. Grades may hold None, labels NaN: both are unjudged.
"""

import itertools
import math

from reference.frame import judged


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
    """Rank tied documents worst first, an unjudged one below a non-relevant one."""
    blocks = tied_blocks(grades, scores)
    return list(itertools.chain(*[sorted(block, key=_worth) for block in blocks]))


def optimistic(grades, scores):
    """Rank tied documents best first, an unjudged one below a non-relevant one."""
    blocks = tied_blocks(grades, scores)
    return list(
        itertools.chain(*[sorted(block, key=_worth, reverse=True) for block in blocks])
    )


def _worth(grade):
    return -1 if grade is None else grade


ORDERS = {"row_order": row_order, "pessimistic": pessimistic, "optimistic": optimistic}


def expected_under_ties(function, grades, scores, pool=None, **parameters):
    """Mean of ``function`` over all orders of tied documents, enumerated one by one."""
    pool = judged(grades) if pool is None else pool
    values = [
        function(order, pool, **parameters) for order in all_orders(grades, scores)
    ]
    return sum(values) / len(values)


def under_ties(function, grades, scores, ties="expected", pool=None, **parameters):
    """Return the value of one query under a rule for ties."""
    if ties == "expected":
        return expected_under_ties(function, grades, scores, pool, **parameters)
    pool = judged(grades) if pool is None else pool
    return function(ORDERS[ties](grades, scores), pool, **parameters)


# --- Many queries: rows in any order, NaN = unjudged ----------------------------------------------


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
