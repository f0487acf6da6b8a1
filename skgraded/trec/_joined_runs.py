"""Runs that are read and looked up in the qrels once, then scored under many judgments."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import flag, threads
from skgraded._support.progress import ProgressBar
from skgraded.measures import Measures, measures_by_name
from skgraded.measures import evaluate as evaluate_rankings
from skgraded.trec._join import JoinedRun, Order, join, notes_on_runs, rankings_of
from skgraded.trec._qrels import Qrels, read_qrels
from skgraded.trec._runs import named_runs, read_run, unique_names

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Runs that are scored together: their lists stay in the cache from one measure to the next.
_RUNS_AT_A_TIME = 4


class JoinedRuns(NamedTuple):
    """Runs whose documents were looked up in the qrels, to be scored under other grades.

    Attributes
    ----------
    systems : tuple of str
        Names of the runs.
    qrels : Qrels
        The judgments.
    runs : list of JoinedRun
        All topics of each run. The level of a document is its row in the qrels, or their number of
        documents where they lack it.
    complete : bool
        Whether a topic that a run lacks counts as an empty list.
    """

    systems: tuple[str, ...]
    qrels: Qrels
    runs: list[JoinedRun]
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
        """
        named = measures_by_name(measures)
        pool = dataclasses.replace(self.qrels, grades=grades).pool()

        def score(first: int) -> FloatArray:
            runs = [
                run._replace(levels=pool.levels[run.levels], pool=pool)
                for run in self.runs[first : first + _RUNS_AT_A_TIME]
            ]
            values = evaluate_rankings(named, rankings_of(runs)).values
            return values.reshape(len(runs), -1, len(named))

        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads(n_threads)) as executor:
            batches = executor.map(score, range(0, len(self.runs), _RUNS_AT_A_TIME))
            values: FloatArray = np.concatenate(list(batches))
        if not self.complete:
            values[[np.diff(run.indptr) == 0 for run in self.runs]] = np.nan
        return values

    def best_rank(self) -> IntArray:
        """Find the best rank at which any run has each document of the qrels.

        Returns
        -------
        ndarray of shape (n_documents,), int64
            The ranks, from 1; a number beyond all ranks where no run has the document.
        """
        best = np.full(self.qrels.n_documents + 1, np.iinfo(np.int64).max)
        for run in self.runs:
            starts = np.repeat(run.indptr[:-1], np.diff(run.indptr))
            rank = np.arange(1, len(run.levels) + 1) - starts
            np.minimum.at(best, run.levels[run.order + starts], rank)
        return best[:-1]

    def notes(self) -> list[str]:
        """Describe in sentences what is special about the qrels and was left out of the runs.

        Returns
        -------
        list of str
            The sentences; none if there is nothing to say.
        """
        left_out = [run.left_out for run in self.runs]
        return [*self.qrels.notes(), *notes_on_runs(self.systems, left_out, self.complete)]


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
    """
    judged, named, complete = read_qrels(qrels), named_runs(runs), flag("complete", complete)
    # Each document has a grade of its own, so that its level is its row, plus 1 for the grade 0.
    numbered = dataclasses.replace(judged, grades=np.arange(1.0, judged.n_documents + 1))
    numbered.pool()

    with ProgressBar(len(named), "reading runs") as bar:

        def read(given: tuple[str | None, Any]) -> JoinedRun:
            joined = join(numbered, read_run(given[1], name=given[0]), order=order)
            bar.step()
            return joined._replace(levels=(joined.levels - 1).astype(np.int32))

        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads(n_threads)) as executor:
            read_runs = list(executor.map(read, named))
    systems = unique_names([run.name for run in read_runs])
    return JoinedRuns(systems, judged, read_runs, complete)
