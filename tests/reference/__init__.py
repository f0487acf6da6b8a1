"""Slow, literal oracles: every measure as its paper writes it, on plain lists.

Nothing here knows the prefix form of the package, and nothing is fast. An oracle takes the grades
of one query's documents in rank order, the grades of its pool and the fields of the measure by
name; `frame` says how. Each family has a module of its own, which ends with its oracles by the name
of the measure; `queries` goes from one ranking to rows of many queries, with ties.

Arithmetic stays exact where the arguments are exact: with ``Fraction`` (or ``int``) parameters AP,
GAP, xGAP, eGAP, P, R and RBP return a ``Fraction``.
"""

from reference import (
    average_precision,
    blended_ratio,
    bpref,
    cascade,
    continuation,
    distance,
    half_life,
    ideal_gain,
    inferred,
    interpolated,
    judged,
    ndcg,
    overlap,
    precision_recall,
    rank_biased,
    rpref,
    sliding_ratio,
)

# ADM alone takes (grades, scores) instead of (ranked, pool).
REFERENCE = {
    **average_precision.ORACLES,
    **blended_ratio.ORACLES,
    **bpref.ORACLES,
    **cascade.ORACLES,
    **continuation.ORACLES,
    **distance.ORACLES,
    **half_life.ORACLES,
    **ideal_gain.ORACLES,
    **inferred.ORACLES,
    **interpolated.ORACLES,
    **judged.ORACLES,
    **ndcg.ORACLES,
    **overlap.ORACLES,
    **precision_recall.ORACLES,
    **rank_biased.ORACLES,
    **rpref.ORACLES,
    **sliding_ratio.ORACLES,
}
