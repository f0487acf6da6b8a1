"""Overlap of runs, which needs no judgments: rank-biased overlap, and common documents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from skgraded._support.arguments import ArgumentError, fraction, integer
from skgraded.results import Scores
from skgraded.trec._join import Order, rank_run
from skgraded.trec._qrels_and_runs import Run, named_runs, read_run, unique_names

_FEWEST_RUNS = 2


def overlap(
    runs: Any, *, p: float = 0.9, k: int = 10, order: Order = "trec_eval"
) -> Scores:
    r"""Compare what runs retrieve, pair by pair and topic by topic, without judgments.

    Rank-biased overlap of the lists S and L, of s and l documents, s <= l, is

    .. math::

        \frac{1 - p}{p} \left( \sum_{d=1}^{l} \frac{X_d}{d} p^d
            + \sum_{d=s+1}^{l} \frac{X_s (d - s)}{s d} p^d \right)
            + \left( \frac{X_l - X_s}{l} + \frac{X_s}{s} \right) p^l

    where X_d is the number of documents that both have among their first d: the agreement at every
    depth, weighed as by a reader who goes on with probability p, and extrapolated beyond the ends
    of the lists. It is 1 for equal lists and 0 for lists without a common document. overlap@k is
    the number of documents that both have among their first k, divided by k, or by the length of
    the longer list if that is smaller.

    Parameters
    ----------
    runs : mapping of str to runs, or iterable of runs
        Two runs or more, which are anything that `read_run` reads.
    p : float, default=0.9
        Probability that the reader goes on, above 0 and below 1: the first ten ranks have 86% of
        the weight at 0.9.
    k : int, default=10
        Ranks that overlap@k looks at.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked, as in `rank`.

    Returns
    -------
    Scores
        The measures ``"RBO(p=0.9)"`` and ``"overlap@10"`` of each pair of runs, a system ``a - b``,
        by topic. A topic that one of the runs lacks has the value 0, and is told in the notes.

    Raises
    ------
    ValueError
        If there are fewer than two runs, p or k is out of range, or two runs have no common topic.

    References
    ----------
    .. [1] W. Webber, A. Moffat, J. Zobel (2010), "A Similarity Measure for Indefinite Rankings",
       ACM TOIS 28(4), Eq. 32.

    Examples
    --------
    >>> from skgraded import trec
    >>> runs = {"a": {"q1": ["d1", "d2", "d3"]}, "b": {"q1": ["d3", "d2", "d1"]}}
    >>> trec.overlap(runs)
    system  RBO(p=0.9)  overlap@10
    a - b       0.8550      1.0000
    1 system; means over 1 query.
    """
    fraction("p", p)
    integer("k", k, 1)
    read_runs = [read_run(source, name=name) for name, source in named_runs(runs)]
    if len(read_runs) < _FEWEST_RUNS:
        raise ArgumentError("runs", f"must be at least 2, got {len(read_runs)}.")

    names = unique_names([run.name for run in read_runs])
    lists_of_runs = [_lists(run, order) for run in read_runs]
    topics = list(dict.fromkeys(topic for lists in lists_of_runs for topic in lists))
    pairs = list(combinations(range(len(read_runs)), 2))
    values = np.zeros((len(pairs), len(topics), 2))
    n_missing = 0
    for row, (first, second) in enumerate(pairs):
        common_topics = lists_of_runs[first].keys() & lists_of_runs[second].keys()
        if not common_topics:
            raise ValueError(
                f"{names[first]} and {names[second]} must have topics in common, got none."
            )
        n_missing += len(topics) - len(common_topics)
        for column, topic in enumerate(topics):
            if topic in common_topics:
                first_list = lists_of_runs[first][topic]
                second_list = lists_of_runs[second][topic]
                values[row, column, 0] = _rank_biased_overlap(
                    first_list, second_list, p
                )
                values[row, column, 1] = _common_share(first_list, second_list, k)

    notes = []
    if n_missing:
        notes.append(f"Topics that a run of a pair lacks count as 0: {n_missing}.")
    return Scores(
        measures=(f"RBO(p={p:g})", f"overlap@{k}"),
        qid=np.array(topics, dtype=object),
        values=values,
        directions=(1, 1),
        systems=tuple(f"{names[first]} - {names[second]}" for first, second in pairs),
        notes=tuple(notes),
    )


def _lists(run: Run, order: Order) -> dict[str, list[str]]:
    """Return the documents of each topic, best first."""
    starts = run.indptr[:-1]
    order_in_topic, _ = rank_run(run, order, starts, run.indptr)
    names = list(run.documents)
    lists = {}
    for number, topic in enumerate(run.topics.tolist()):
        start = int(starts[number])
        places = order_in_topic[start : run.indptr[number + 1]].tolist()
        lists[topic] = [names[start + place] for place in places]
    return {topic: documents for topic, documents in lists.items() if documents}


def _rank_biased_overlap(
    first: Sequence[str], second: Sequence[str], p: float
) -> float:
    """Return the extrapolated rank-biased overlap of two lists (Eq. 32)."""
    shorter, longer = sorted((first, second), key=len)
    n_short = len(shorter)
    n_long = len(longer)

    # How many documents both lists have among their first d.
    n_common = []
    n_common_so_far = 0
    above: tuple[set[str], set[str]] = (set(), set())
    for depth in range(n_long):
        document = longer[depth]
        above[1].add(document)
        n_common_so_far += document in above[0]
        if depth < n_short:
            above[0].add(shorter[depth])
            n_common_so_far += shorter[depth] in above[1]
        n_common.append(n_common_so_far)

    depths = np.arange(1, n_long + 1)
    common = np.array(n_common, dtype=np.float64)
    common_of_short = common[n_short - 1]
    beyond = np.maximum(depths - n_short, 0)
    agreement = (common + common_of_short * beyond / n_short) / depths
    last_agreement = (common[-1] - common_of_short) / n_long + common_of_short / n_short
    seen = (1 - p) / p * float(agreement @ p**depths)
    return float(seen + last_agreement * p**n_long)


def _common_share(first: Sequence[str], second: Sequence[str], k: int) -> float:
    n_common = len({*first[:k]} & {*second[:k]})
    return n_common / min(k, max(len(first), len(second)))
