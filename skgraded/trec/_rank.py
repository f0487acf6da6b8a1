"""The ranking of a run, judged by qrels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import flag, threads
from skgraded._support.sealed import all_sealed
from skgraded.rankings import Judgments, RankedList, Rankings
from skgraded.trec._files import JoinedRun, Negative, Order, join, read_columns_of_run, read_qrels


def rank(
    qrels: Any,
    run: Any,
    *,
    order: Order = "trec_eval",
    complete: bool = True,
    negative: Negative = "unsampled",
    strict: bool = False,
    n_threads: int | None = None,
) -> Rankings:
    """Rank a run's documents and judge them by qrels.

    The pool is that of the qrels, so that recall bases count the judged documents that the run
    lacks. A retrieved document that the qrels lack is unjudged.

    Parameters
    ----------
    qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
        The judgments, or anything that `skgraded.trec.read_qrels` reads.
    run : Run, path, file object, dict of dicts, DataFrame or iterable
        The retrieved documents, or anything that `skgraded.trec.read_run` reads.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked. ``"trec_eval"``: by score and then by the bytes of the
        document id, both descending, with scores rounded to single precision, as trec_eval does;
        ``"score"``: the same in double precision. Documents with equal scores are tied. The
        ``ties`` field of a measure tells whether they stay in this order (``"row_order"``, which
        gives trec_eval's numbers) or not (``"expected"``, where no document id decides).
        ``"rank"``: by the rank column, where equal ranks are ties in the order of the file.
        ``"file"``: in the order of the file, without ties.
    complete : bool, default=True
        Whether a topic of the qrels that the run lacks counts as an empty list. Otherwise it is
        left out.
    negative : {"unsampled", "nonrelevant", "unjudged", "error"}, default="unsampled"
        Meaning of negative grades. ``"unsampled"``: -1 is a document of the pool that was not
        sampled for judging, and other negative grades are judged not relevant;
        ``"nonrelevant"``: all of them are judged not relevant; ``"unjudged"``: none of them was
        judged; ``"error"``: they are not allowed.
    strict : bool, default=False
        Whether a document that a topic of the run names twice is an error. Otherwise the first one
        counts.
    n_threads : int, optional
        Number of threads for scoring: -1 for all processors, None for one. Results do not depend on
        it.

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
        read_qrels(qrels),
        read_columns_of_run(run, strict=strict, name=None, with_ranks=order == "rank"),
        order=order,
        complete=flag("complete", complete),
        negative=negative,
    )
    return rankings_of([joined], threads(n_threads))


def rankings_of(runs: Sequence[JoinedRun], n_threads: int = 1) -> Rankings:
    """Make the rankings of runs that are already joined with their qrels.

    Parameters
    ----------
    runs : sequence of JoinedRun
        The runs.
    n_threads : int, default=1
        Number of threads for scoring.

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
        qid=np.concatenate([run.qid for run in runs]),
    )
    order, tied = all_sealed(
        np.concatenate([run.order for run in runs]), np.concatenate([run.tied for run in runs])
    )
    return Rankings(judgments, order, tied, n_threads)


def _stacked(indptrs: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the extents of all queries, with one list after the other."""
    lengths = np.concatenate([np.diff(indptr) for indptr in indptrs])
    return np.concatenate(([0], np.cumsum(lengths)))
