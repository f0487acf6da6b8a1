"""``--as trec_eval``: what that command prints, byte for byte."""

from __future__ import annotations

import argparse
import heapq
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.cli._inputs import parse_grades, read_standard_input
from skgraded.cli._outputs import tell
from skgraded.conventions import TrecEvalValue, values_of_trec_eval
from skgraded.measures import evaluate
from skgraded.rankings import Rankings
from skgraded.trec import Qrels, Run, rank, read_run

__all__ = ["evaluate_as_trec_eval"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
_HIGHEST_DIGIT = 9
_P = 0.9  # persistence
_RBP_OF_GRADES = (
    "rbp: the gains are grades divided by the highest of each topic, as trec_eval describes them. "
    "It itself starts from memory that it has not set, and may print other numbers for grades "
    "above 1."
)
_CLOSE_GAINS = (
    "ndcg: trec_eval itself drops the decimals when it sorts gains for the ideal ranking. Where "
    "two gains differ by less than 1, as here, it may print other numbers."
)


def evaluate_as_trec_eval(arguments: argparse.Namespace, version: int) -> str:
    """Return what a version of trec_eval prints for each run, one after the other."""
    values = values_of_trec_eval(arguments.measures or ["official"], version)
    read_standard_input(arguments)
    qrels = parse_grades(arguments.grades).read(arguments.qrels)
    if any(each.family == "rbp" for each in values) and qrels.grades.max(initial=0) > 1:
        tell([_RBP_OF_GRADES])
    top_grade = math.ceil(qrels.grades.max(initial=0))
    if any(_has_close_gains(each, top_grade) for each in values):
        tell([_CLOSE_GAINS])
    lines: list[str] = []
    for source in arguments.runs:
        run = read_run(source, strict=True)  # as there, a repeated document is an error
        # A topic of which no document is left counts as an empty list there.
        rankings = rank(
            qrels,
            _shortened(run, qrels, arguments.depth, arguments.judged_only),
            complete=True,
            n_threads=arguments.threads,
        )
        lines += _lines(
            rankings,
            run.tag or run.name,
            values,
            None if arguments.all_topics else set(run.topics.tolist()),
            level=arguments.level,
            version=version,
            top_grade=top_grade,
            per_query=arguments.per_query,
            summary=not arguments.no_summary,
        )
    return "".join(f"{line}\n" for line in lines)


def _has_close_gains(value: TrecEvalValue, top_grade: int) -> bool:
    """Whether gains were named, of which two differ by less than 1; that of grade 0 is 0."""
    if value.family != "ndcg" or not value.parameter:
        return False
    # Grades that no document has count, too: they can change the order of those beside them.
    gain: Any = getattr(value.measure(top_grade=top_grade), "gain", ())
    steps = np.diff((0.0, *gain))
    return bool(((steps > 0.0) & (steps < 1.0)).any())


def _shortened(run: Run, qrels: Qrels, depth: int | None, judged_only: bool) -> Any:
    """Return the run with its first documents, and with those that were judged."""
    if depth is None and not judged_only:
        return run
    judged = qrels.to_dict() if judged_only else {}
    shortened = {}
    for topic, scores in run.to_dict().items():
        order = {each: (np.float32(score), each) for each, score in scores.items()}
        grades = judged.get(topic, {})
        shortened[topic] = {
            document: scores[document]
            for document in heapq.nlargest(depth or len(scores), scores, key=order.__getitem__)
            if not judged_only or grades.get(document, -1) >= 0
        }
    return shortened


def _lines(
    rankings: Rankings,
    run: str,
    values: Sequence[TrecEvalValue],
    of_run: set[str] | None,
    *,
    level: int,
    version: int,
    top_grade: int,
    per_query: bool,
    summary: bool,
) -> Iterator[str]:
    """Yield the lines of a run: those of its topics in the order of their names, and the means."""
    measures = {each.name: each.measure(level, version, top_grade) for each in values}
    topics = [str(topic) for topic in rankings.judgments.qid.tolist()]
    kept = [place for place, topic in enumerate(topics) if of_run is None or topic in of_run]
    of_topics: dict[str, Any] = dict(_counts(rankings, level))
    of_all: dict[str, Any] = {name: int(each[kept].sum()) for name, each in of_topics.items()}
    if any(measures.values()):
        scores = evaluate({n: m for n, m in measures.items() if m is not None}, rankings)
        of_topics.update((name, scores[name].values) for name in scores)
        means = scores.select(query=scores.qid[kept].tolist())
        of_all.update(means.mean())
        geometric = means.mean("geometric")
        of_all.update((each.name, geometric[each.name]) for each in values if each.is_geometric)
    of_all.update(runid=run, num_q=len(kept))
    for each in values:
        if each.family in _BY_LISTS:
            by_topic = np.array(_BY_LISTS[each.family](rankings, each.parameter))
            of_topics[each.name], of_all[each.name] = by_topic, float(by_topic[kept].mean())
    relstrings = [each for each in values if each.family == "relstring"]
    for each in relstrings:
        of_topics[each.name] = _strings_of_grades(rankings, int(each.parameter or 10))
    if per_query:
        shown = [each.name for each in values if each.name in of_topics and not each.is_geometric]
        for place in sorted(kept, key=topics.__getitem__):
            yield from (_line(name, topics[place], of_topics[name][place]) for name in shown)
    if summary:
        shown = [each.name for each in values if each not in relstrings]
        yield from (_line(name, "all", of_all[name]) for name in shown)


def _line(name: str, topic: str, value: Any) -> str:
    text = f"{value:6.4f}" if isinstance(value, float) else str(value)
    return f"{name:<22}\t{topic}\t{text}"


def _grades_in_rank_order(rankings: Rankings) -> FloatArray:
    """Return the grades, with nan for an unjudged document and -1 for an unsampled one."""
    judgments = rankings.judgments
    grades = np.append(judgments.grades, (np.nan, -1.0))
    starts = np.repeat(judgments.indptr[:-1], np.diff(judgments.indptr))
    in_rank_order: FloatArray = grades[judgments.levels[starts + rankings.order]]
    return in_rank_order


def _counts(rankings: Rankings, level: int) -> dict[str, IntArray]:
    """Return the numbers of documents by topic."""
    judgments, retrieved = rankings.judgments, _grades_in_rank_order(rankings)

    def by_topic(chosen: NDArray[np.bool_]) -> IntArray:
        return np.diff(np.append(0, np.cumsum(chosen))[judgments.indptr])

    return {
        "num_ret": by_topic(np.full(len(retrieved), True)),
        "num_rel": judgments.counts[:, judgments.grades >= level].sum(axis=1),
        "num_rel_ret": by_topic(retrieved >= level),
        "num_nonrel_judged_ret": by_topic((retrieved >= 0) & (retrieved < level)),
    }


def _strings_of_grades(rankings: Rankings, n_documents: int) -> list[str]:
    """Return the grades of the first documents of each topic as trec_eval's relstring has them."""
    grades, indptr = _grades_in_rank_order(rankings), rankings.judgments.indptr
    return [
        f"'{''.join(map(_character, grades[start : min(start + n_documents, end)].tolist()))}'"
        for start, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
    ]


def _lists(rankings: Rankings) -> list[FloatArray]:
    """Return the grades of each topic in rank order."""
    return np.split(_grades_in_rank_order(rankings), rankings.judgments.indptr[1:-1])


def _is_unjudged(grades: FloatArray) -> NDArray[np.bool_]:
    return ~(grades >= 0)


def _shares_unjudged(rankings: Rankings, parameter: str) -> list[float]:
    """Return the share of unjudged documents; a list that is too short has no more of them."""
    k = int(parameter)
    return [int(_is_unjudged(each[:k]).sum()) / k for each in _lists(rankings)]


def _rbp(rankings: Rankings, parameter: str) -> list[float]:
    """Return RBP with gains on the scale of each topic, whose top is its highest grade, or 1."""
    p = float(parameter.partition("=")[2] or _P)
    judgments = rankings.judgments
    values = []
    for grades, counts in zip(_lists(rankings), judgments.counts, strict=True):
        top = max(1.0, float(judgments.grades[counts > 0].max(initial=0.0)))
        gains = np.where(grades > 0, grades, 0.0) / top
        values.append((1 - p) * float(gains @ p ** np.arange(len(gains))))
    return values


def _rbp_residuals(rankings: Rankings, parameter: str) -> list[float]:
    """Return how much unjudged documents could add; 0 of a list whose documents are judged."""
    return [
        _P ** len(grades) + (1 - _P) * float(np.sum(_P ** np.flatnonzero(_is_unjudged(grades))))
        if _is_unjudged(grades).any()
        else 0.0
        for grades in _lists(rankings)
    ]


# What version 10 computes on scales of its own.
_BY_LISTS = {"unj": _shares_unjudged, "rbp": _rbp, "rbp_resid": _rbp_residuals}


def _character(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    if grade < 0:
        return "."
    return str(int(grade)) if grade <= _HIGHEST_DIGIT else ">"
