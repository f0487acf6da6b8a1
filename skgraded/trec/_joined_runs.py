"""Runs that are read and looked up in the qrels once, then scored under many judgments."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import flag, threads
from skgraded._support.progress import ProgressBar
from skgraded._support.sealed import all_sealed
from skgraded.measures import Measures, measures_by_name
from skgraded.measures import evaluate as evaluate_rankings
from skgraded.rankings import Judgments, RankedList, Rankings
from skgraded.trec._files import (
    Coverage,
    Order,
    Qrels,
    join,
    named_runs,
    notes_on_coverage,
    read_qrels,
    read_run,
    unique_names,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Runs that are scored together: their lists stay in the cache from one measure to the next.
_RUNS_AT_A_TIME = 4


class _Lists(NamedTuple):
    """Ranked documents of a few systems: all topics of the first, then those of the next."""

    rows: NDArray[np.int32]
    indptr: IntArray
    order: NDArray[np.int32]
    tied: NDArray[np.uint8]
    n_systems: int


class JoinedRuns(NamedTuple):
    """Runs whose documents were looked up in the qrels, to be scored under other grades.

    Made by `join_runs`.

    Attributes
    ----------
    systems : tuple of str
        Names of the runs.
    qrels : Qrels
        The judgments.
    coverage : tuple of Coverage
        What was left out of each run.
    lists : list
        The ranked documents of a few systems at a time, as rows of the qrels.
    left_out : ndarray of shape (n_systems, n_topics), bool
        Topics that a system lacks and that are left out of its means.
    complete : bool
        Whether a topic that a system lacks counts as an empty list.
    """

    systems: tuple[str, ...]
    qrels: Qrels
    coverage: tuple[Coverage, ...]
    lists: list[_Lists]
    left_out: NDArray[np.bool_]
    complete: bool = True

    def score(
        self, measures: Measures, grades: FloatArray, n_threads: int | None = -1
    ) -> FloatArray:
        """Score the runs as if the documents of the qrels had these grades.

        Parameters
        ----------
        measures : str, Measure, sequence of them, or mapping of str to them
            The measures.
        grades : ndarray of shape (n_documents,)
            New grades of the documents of the qrels; -1 = not sampled, NaN = outside the pool.
        n_threads : int or None, default=-1
            Number of threads: -1 for all processors, None for one. Results do not depend on it.

        Returns
        -------
        ndarray of shape (n_systems, n_topics, n_measures)
            The values; nan where a topic is left out.

        Examples
        --------
        >>> import numpy as np
        >>> from skgraded import trec
        >>> runs = trec.join_runs({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}})
        >>> runs.score("AP", np.array([1.0, 0.0])), runs.score("AP", np.array([0.0, 1.0]))
        (array([[[0.5]]]), array([[[1.]]]))
        """
        named = measures_by_name(measures)
        pool = dataclasses.replace(self.qrels, grades=grades).pool()
        best_first = RankedList(
            pool.best_first, np.zeros(len(pool.best_first), dtype=np.uint8), pool.indptr
        )

        def score(lists: _Lists) -> FloatArray:
            rankings = _rankings(lists, pool.grades, pool.levels, best_first)
            values = evaluate_rankings(named, rankings).values
            return values.reshape(lists.n_systems, -1, len(named))

        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads(n_threads)) as executor:
            values: FloatArray = np.concatenate(list(executor.map(score, self.lists)))
        values[self.left_out] = np.nan
        return values

    def best_rank(self) -> IntArray:
        """Find the best rank at which any run has each document of the qrels.

        Returns
        -------
        ndarray of shape (n_documents,), int64
            The ranks, from 1; a number beyond all ranks where no run has the document.

        Examples
        --------
        >>> from skgraded import trec
        >>> trec.join_runs({"q1": {"a": 1, "b": 0}}, {"q1": {"b": 2.0, "a": 1.0}}).best_rank()
        array([2, 1])
        """
        best = np.full(self.qrels.n_documents + 1, np.iinfo(np.int64).max)
        for lists in self.lists:
            starts = np.repeat(lists.indptr[:-1], np.diff(lists.indptr))
            rank = np.arange(1, len(lists.rows) + 1) - starts
            np.minimum.at(best, lists.rows[lists.order + starts], rank)
        return best[:-1]

    def notes(self) -> list[str]:
        """Describe in sentences what is special about the qrels and was left out of the runs.

        Returns
        -------
        list of str
            The sentences; none if there is nothing to say.
        """
        on_runs = notes_on_coverage(self.systems, self.coverage, self.complete)
        return [*self.qrels.notes(), *on_runs]


def _rankings(
    lists: _Lists, grades: FloatArray, levels: NDArray[Any], pool: RankedList
) -> Rankings:
    per_system = np.tile(pool.lengths, lists.n_systems)
    pools = RankedList(
        np.tile(pool.levels, lists.n_systems),
        np.tile(pool.tied, lists.n_systems),
        np.concatenate(([0], np.cumsum(per_system))),
    )
    judgments = Judgments.of_lists(levels[lists.rows], lists.indptr, grades, pools)
    return Rankings(judgments, *all_sealed(lists.order, lists.tied))


def join_runs(
    qrels: Any,
    runs: Any,
    *,
    order: Order = "trec_eval",
    complete: bool = True,
    n_threads: int | None = -1,
) -> JoinedRuns:
    """Read runs and look up their documents in the qrels, once for many judgments.

    Parameters
    ----------
    qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
        The judgments, or anything that `read_qrels` reads.
    runs : Run, path, ..., iterable of them, or mapping of names to them
        The runs, or anything that `read_run` reads.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked, as in `rank`.
    complete : bool, default=True
        Whether a topic of the qrels that a run lacks counts as an empty list. Otherwise it is left
        out of the run's mean.
    n_threads : int or None, default=-1
        Number of runs that are read at the same time: -1 for all processors, None for one.

    Returns
    -------
    JoinedRuns
        The runs.

    Raises
    ------
    ValueError
        If a file is not as described, or a run and the qrels have no topic in common.

    Examples
    --------
    >>> from skgraded import trec
    >>> trec.join_runs({"q1": {"a": 1}}, {"bm25": {"q1": {"a": 2.0, "b": 1.0}}}).systems
    ('bm25',)
    """
    flag("complete", complete)
    judged, named = read_qrels(qrels), named_runs(runs)
    # Every document gets a level of its own, so that the join tells which document it found.
    numbered = dataclasses.replace(judged, grades=np.arange(1.0, judged.n_documents + 1))
    numbered.pool()

    with ProgressBar(len(named), "reading runs") as bar:

        def read(given: tuple[str | None, Any]) -> tuple[str, _Lists, Coverage]:
            run = read_run(given[1], name=given[0])
            joined = join(numbered, run, order=order)
            bar.step()
            rows = (joined.levels - 1).astype(np.int32)
            lists = _Lists(rows, joined.indptr, joined.order, joined.tied, 1)
            return run.name, lists, run.coverage(judged.topics)

        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads(n_threads)) as executor:
            read_runs = list(executor.map(read, named))
    names, lists, coverage = zip(*read_runs, strict=True)
    batches = range(0, len(lists), _RUNS_AT_A_TIME)
    stacked = [_stack(lists[first : first + _RUNS_AT_A_TIME]) for first in batches]
    left_out = np.zeros((len(names), judged.n_topics), dtype=bool)
    if not complete:
        for row, each in zip(left_out, coverage, strict=True):
            row[:] = [topic in set(each.missing) for topic in judged.topics.tolist()]
    return JoinedRuns(unique_names(names), judged, coverage, stacked, left_out, complete)


def _stack(lists: Sequence[_Lists]) -> _Lists:
    lengths = np.concatenate([np.diff(each.indptr) for each in lists])
    return _Lists(
        rows=np.concatenate([each.rows for each in lists]),
        indptr=np.concatenate(([0], np.cumsum(lengths))),
        order=np.concatenate([each.order for each in lists]),
        tied=np.concatenate([each.tied for each in lists]),
        n_systems=len(lists),
    )
