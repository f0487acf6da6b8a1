"""Evaluation of runs: they are read, joined with the qrels and scored, several at a time."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_if_swapped
from skgraded._support.arguments import flag, threads
from skgraded._support.array_types import BoolArray, FloatArray, IntArray
from skgraded._support.progress import ProgressBar
from skgraded.measures import (
    Measure,
    Measures,
    infAP,
    measures_by_name,
    warn_of_continuous_scale,
)
from skgraded.measures._judging import shares_of_judged
from skgraded.rankings import Judgments, RankedList
from skgraded.results import Scores, direction_of, known_shares
from skgraded.trec._exclude import read_excluded, without_pairs
from skgraded.trec._join import (
    JoinedRun,
    Omissions,
    Order,
    in_threads,
    join,
    notes_on_runs,
    score_joined,
)
from skgraded.trec._meeting import warn_of_doubt
from skgraded.trec._qrels_and_runs import (
    NamedSource,
    Negative,
    Pool,
    Qrels,
    Run,
    named_runs,
    read_qrels,
    read_run,
    unique_names,
)

# Runs are scored together, so that they share the work that a call does only once.
_RUNS_AT_A_TIME = 8


def evaluate(
    measures: Measures,
    qrels: Any,
    runs: Any,
    *,
    order: Order = "trec_eval",
    complete: bool = True,
    negative: Negative = "unsampled",
    grades: Mapping[str, float] | None = None,
    exclude: Any = None,
    strict: bool = False,
    n_threads: int | None = -1,
    progress: bool = False,
) -> Scores:
    """Score runs by several measures, topic by topic.

    Runs that are given as paths are read one after the other by each thread, so that only a few of
    them are in memory at the same time.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, such as ``["xGAP(g=[0.1,0.9])", nDCG(k=10)]``. The keys of a mapping are the
        names under which they are reported.
    qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
        The judgments, or anything that `read_qrels` reads.
    runs : Run, path, ..., iterable of them, or mapping of names to them
        The runs, or anything that `read_run` reads. A dict of dicts is one run.
    order : {"trec_eval", "score", "rank", "file"}, default="trec_eval"
        How the documents are ranked, as in `rank`.
    complete : bool, default=True
        Whether a topic of the qrels that a run lacks counts as an empty list, which scores 0.
        Otherwise it is left out of the run's mean, as in trec_eval without ``-c``.
    negative : {"unsampled", "all_unsampled", "nonrelevant", "unjudged", "error"}
        Meaning of negative grades, as in `rank`; ``"unsampled"`` by default.
    grades : mapping of str to float, optional
        New grades by those in the qrels, or the grades of words, as in `read_qrels`.
    exclude : "self", path, or mapping of str to iterable of str, optional
        Documents of each topic that do not count, in the runs and in the qrels: ``"self"``, the one
        whose id is that of the topic, as where queries are documents themselves; ids by topic; or a
        file of lines of a topic and a document, or of qrels or a run, as for residual evaluation.
    strict : bool, default=False
        Whether a document that a topic names twice is an error. Otherwise the one with the highest
        score counts.
    n_threads : int or None, default=-1
        Number of threads: -1 for all processors, None for one. Results do not depend on it.
    progress : bool, default=False
        Whether to draw a progress bar if standard error is a terminal.

    Returns
    -------
    Scores
        Values by system, topic and measure, also of a single run; ``qid`` holds the topics in the
        order of the qrels. Its notes tell what was left out of the runs.

    Raises
    ------
    ValueError
        If a file is not as described, or a run and the qrels have no topic in common. The message
        has a line for every such file and for every file that cannot be opened.
    OSError
        If files cannot be opened and nothing else is wrong.
    TypeError
        If the measures do not come first, or one needs more than a ranking, such as the scores
        themselves.

    Examples
    --------
    >>> from skgraded import trec
    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
    >>> runs = {"a": {"q1": {"d3": 2.0, "d1": 1.0}}, "b": {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}}
    >>> trec.evaluate(["eGAP(g=[0.1,0.9])", "nDCG@10"], qrels, runs)
    system  eGAP(g=[0.1,0.9])  nDCG@10
    b                  0.5250   0.8801
    a                  0.2750   0.4299
    2 systems; means over 2 queries.
    1 system without all topics of the qrels; a missing topic counts as an empty
      list: a (1).
    """
    measure_of = measures_by_name(measures)
    n_threads = threads(n_threads)
    flag("complete", complete)
    flag("strict", strict)
    flag("progress", progress)

    judgments = read_qrels(qrels, grades=grades)
    excluded = read_excluded(exclude, judgments)
    if excluded is not None:
        judgments, _ = without_pairs(judgments, excluded)
    sources = named_runs(runs)
    _check_scales(measure_of, judgments, sources, strict)
    pool = judgments.pool(negative)
    join_source = partial(
        join, judgments, order, strict, negative=negative, excluded=excluded
    )
    score = partial(_score, list(measure_of.values()), pool, complete)
    stream = None if progress else io.StringIO()
    with ProgressBar(len(sources), "runs", stream) as bar:
        score_batch = partial(_score_batch, join_source, score, bar.step)
        batches = _in_batches(score_batch, sources, n_threads, judgments.name)

    notes = _notes(judgments, negative, measure_of)
    return _scores_of(batches, measure_of, pool, notes, complete)


def _scores_of(
    batches: list[_Batch],
    measure_of: dict[str, Measure],
    pool: Pool,
    notes_on_qrels: list[str],
    complete: bool,
) -> Scores:
    """Put the values of all batches together, with notes on what was left out of the runs."""
    facts = [run for batch in batches for run in batch.runs]
    names, left_out, doubts = zip(*facts, strict=True)
    warn_of_doubt(doubts)
    systems = unique_names(names)
    notes_on_all_runs = notes_on_runs(systems, left_out, complete)
    return Scores(
        measures=tuple(measure_of),
        qid=pool.topics,
        values=np.concatenate([batch.values for batch in batches]),
        directions=tuple(map(direction_of, measure_of.values())),
        systems=systems,
        n_empty=batches[0].n_empty,
        empty=tuple(measure.empty for measure in measure_of.values()),
        judged=partial(_fingerprints, pool),
        notes=(*notes_on_qrels, *notes_on_all_runs),
        judged_share=known_shares(np.concatenate([batch.shares for batch in batches])),
    )


def _check_scales(
    measure_of: dict[str, Measure],
    qrels: Qrels,
    sources: list[NamedSource],
    strict: bool,
) -> None:
    """Warn where the grades do not fit the measures, or look like the scores of a run.

    Then the first source is the run that was read.
    """
    if qrels.are_fractional:
        name, source = sources[0]
        sources[0] = None, _read_first(qrels, name, source, strict)
    warn_of_continuous_scale(
        measure_of.values(), qrels.top_grade, are_fractional=qrels.are_fractional
    )


def _read_first(qrels: Qrels, name: str | None, source: Any, strict: bool) -> Run:
    """Read a run, which may be an open file; warn where it and the qrels look exchanged."""
    run = read_run(source, strict=strict, name=name)
    warn_if_swapped(qrels.grades, run, ("qrels", "runs"))
    return run


def _notes(
    qrels: Qrels, negative: Negative, measure_of: dict[str, Measure]
) -> list[str]:
    """Describe the qrels, and measures that infer nothing from them."""
    notes = qrels.notes(negative)
    has_unsampled = negative == "unsampled" and Qrels.UNSAMPLED in qrels.grades
    if negative == "all_unsampled":
        has_unsampled = bool((qrels.grades < 0).any())
    for name, measure in measure_of.items():
        if isinstance(measure, infAP) and not has_unsampled:
            notes.append(f"{name} is AP here: no document has the grade -1.")
    return notes


def _fingerprints(pool: Pool) -> NDArray[np.uint64]:
    """Return those of the judgments of each topic."""
    no_documents = np.zeros_like(pool.indptr)
    judgments = Judgments.of_lists(
        pool.levels[:0],
        no_documents,
        pool.grades,
        RankedList.without_ties(pool.best_first, pool.indptr),
        qid=pool.topics,
    )
    return judgments.fingerprints


class _Batch(NamedTuple):
    """Names of runs that were read, what was left out and is doubtful; the errors of the others.

    ``values`` and ``n_empty`` are as in `score_joined`, and ``shares`` of shape (n_runs, n_topics,
    n_measures) are those of judged documents. They are empty where there are errors.
    """

    runs: list[tuple[str, Omissions, str]]
    faults: list[ValueError | OSError]
    values: FloatArray
    n_empty: tuple[int, ...]
    shares: FloatArray


def _score_batch(
    join_source: Callable[[NamedSource], JoinedRun],
    score: Callable[[list[JoinedRun]], tuple[FloatArray, tuple[int, ...], FloatArray]],
    step: Callable[[], None],
    sources: list[NamedSource],
) -> _Batch:
    """Read runs and score them together."""
    runs: list[JoinedRun] = []
    faults: list[ValueError | OSError] = []
    for source in sources:
        try:
            runs.append(join_source(source))
        except (ValueError, OSError) as fault:
            faults.append(fault)
        step()

    facts = [(run.name, run.left_out, run.doubt) for run in runs]
    if faults:
        return _Batch(facts, faults, np.empty(0), (), np.empty(0))
    return _Batch(facts, faults, *score(runs))


def _score(
    measures: list[Measure], pool: Pool, complete: bool, runs: list[JoinedRun]
) -> tuple[FloatArray, tuple[int, ...], FloatArray]:
    """Score runs, and tell how many of their first documents are judged, by measure."""
    values, n_empty = score_joined(measures, pool, complete, runs)
    shares = []
    for run in runs:

        def are_judged(positions: IntArray, run: JoinedRun = run) -> BoolArray:
            return pool.levels[run.rows[positions]] < len(pool.grades)

        shares.append(
            shares_of_judged(measures, run.order, run.tied, run.indptr, are_judged)
        )
    return values, n_empty, np.stack(shares)


def _in_batches(
    score_batch: Callable[[list[NamedSource]], _Batch],
    sources: list[NamedSource],
    n_threads: int,
    name_of_qrels: str,
) -> list[_Batch]:
    """Score runs some at a time; raise one error that names all faults of all runs."""
    size = min(_RUNS_AT_A_TIME, math.ceil(len(sources) / n_threads))
    starts = range(0, len(sources), size)
    sources_of_batch = [sources[start : start + size] for start in starts]
    try:
        batches = in_threads(score_batch, sources_of_batch, n_threads)
    except ValueError as error:  # grades that a measure does not take
        raise ValueError(f"{name_of_qrels}: {error}") from error

    faults = [fault for batch in batches for fault in batch.faults]
    if len(faults) == 1:
        raise faults[0]
    if faults:
        message = "\n".join(map(str, faults))
        if all(isinstance(fault, OSError) for fault in faults):
            raise OSError(message)
        raise ValueError(message)
    return batches
