"""The rankings of runs, judged by qrels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._params import threads
from skgraded.rankings import Judgments, RankedList, Rankings
from skgraded.trec._files import JoinedRun, Negative, Order, as_qrels, as_run, join

__all__ = ["rank", "rankings_of"]


def rank(
    qrels: Any,
    run: Any,
    *,
    order: Order = "trec_eval",
    complete: bool = True,
    negative: Negative = "unsampled",
    strict: bool = False,
    n_threads: int = 1,
) -> Rankings:
    """Rank a run's documents, judged by qrels.

    The pool is that of the qrels: recall bases count judged documents that the run lacks. A
    retrieved document outside the qrels is unjudged.

    Parameters
    ----------
    qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
        The judgments, or anything that `skgraded.trec.read_qrels` reads.
    run : Run, path, file object, dict of dicts, DataFrame or iterable
        The retrieved documents, or anything that `skgraded.trec.read_run` reads.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        What ranks the documents. ``"trec_eval"``: score, then document id by its bytes, both
        descending, with scores rounded to single precision, as trec_eval does; ``"score"``: the
        same in double precision. Equal scores are ties, which the ``ties`` field of a measure
        may leave in this order (``"row_order"``: trec_eval's numbers) or not (``"expected"``:
        no document id decides). ``"rank"``: the rank column, where equal ranks are ties in the
        order of the file. ``"file"``: the order of the file, without ties.
    complete : bool, default=True
        Whether a topic of the qrels that the run lacks counts, as an empty list, or is left
        out.
    negative : {"unsampled", "nonrelevant", "unjudged", "error"}, default="unsampled"
        Meaning of negative grades. ``"unsampled"``: -1 is a document of the pool that was not
        sampled for judging, other negative grades are judged not relevant;
        ``"nonrelevant"``: all are judged not relevant; ``"unjudged"``: none was judged;
        ``"error"``: there must be none.
    strict : bool, default=False
        Raise where a topic of the run names a document twice, instead of keeping the first.
    n_threads : int, default=1
        Threads for scoring; results do not depend on it.

    Returns
    -------
    Rankings
        The ranked documents; topics are in the order of the qrels.

    Raises
    ------
    ValueError
        If a file is not as described, or run and qrels have no topic in common.

    Examples
    --------
    >>> from skgraded import AP
    >>> from skgraded.trec import rank
    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> rankings = rank(qrels, {"q1": {"d1": 3.0, "d9": 2.0}})
    >>> AP()(rankings)  # d3 is relevant, but was not retrieved
    0.5
    """
    joined = join(
        as_qrels(qrels),
        as_run(run, strict=strict),
        order=order,
        complete=complete,
        negative=negative,
    )
    return rankings_of([joined], threads(n_threads))


def rankings_of(runs: Sequence[JoinedRun], n_threads: int = 1) -> Rankings:
    """Take the rankings of runs that are already joined with their qrels.

    Parameters
    ----------
    runs : sequence of JoinedRun
        Levels and ranking of the documents of each run.
    n_threads : int, default=1
        Threads for scoring; results do not depend on it.

    Returns
    -------
    Rankings
        The topics of the first run, then those of the second, and so on.
    """
    pools = [run.pool for run in runs]
    best_first = np.concatenate([pool.best_first for pool in pools])
    judgments = Judgments.of_lists(
        np.concatenate([run.levels for run in runs]),
        _stacked([run.indptr for run in runs]),
        pools[0].grades,
        RankedList.without_ties(best_first, _stacked([pool.indptr for pool in pools])),
        np.concatenate([run.qid for run in runs]),
    )
    order = np.concatenate([run.order for run in runs])
    return Rankings(judgments, order, np.concatenate([run.tied for run in runs]), n_threads)


def _stacked(indptrs: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Extents of lists of queries that are put one below the other."""
    lengths = np.concatenate([np.diff(indptr) for indptr in indptrs])
    return np.concatenate(([0], np.cumsum(lengths)))
