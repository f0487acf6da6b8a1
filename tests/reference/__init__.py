"""Slow, literal oracles: every measure as its paper writes it, on plain lists.

Nothing here knows the prefix form of the package, and nothing is fast. An oracle takes the grades
of one query's documents in rank order, the grades of its pool and the fields of the measure by
name; `frame` says how. The oracles of a module of `skgraded.measures` stand in the module of the
same name, and in `ORACLES` at its end; `queries` goes from one ranking to rows of many queries,
with ties.

Arithmetic stays exact where the arguments are exact: with ``Fraction`` (or ``int``) parameters AP,
GAP, xGAP, eGAP, P, R and RBP return a ``Fraction``.
"""

from reference import average_precision, bpref, cascade, ndcg, precision_recall

# ADM alone takes (grades, scores) instead of (ranked, pool).
FAMILIES = (average_precision, bpref, cascade, ndcg, precision_recall)
REFERENCE = {
    name: oracle for family in FAMILIES for name, oracle in family.ORACLES.items()
}
