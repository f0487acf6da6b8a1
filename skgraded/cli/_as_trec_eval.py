"""``--as trec_eval``: what version 9 of that command prints, byte for byte."""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.cli._inputs import Inputs
from skgraded.conventions import TrecEvalValue, values_of_trec_eval
from skgraded.measures import Utility, evaluate
from skgraded.rankings import Rankings
from skgraded.trec import Qrels, Run, rank, read_run

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
_HIGHEST_DIGIT = 9
_LEAST = 1e-5  # as which smaller values count in a geometric mean


def evaluate_as_trec_eval(arguments: argparse.Namespace) -> str:
    """Return what trec_eval prints for each run, one after the other."""
    values = values_of_trec_eval(arguments.measures or ["official"])
    inputs = Inputs(arguments)
    qrels = _with_one_negative_grade(inputs.qrels)
    lines: list[str] = []
    for source in inputs.runs:
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
            set(run.topics.tolist()),
            complete=arguments.all_topics,
            level=arguments.level,
            per_query=arguments.per_query,
            summary=not arguments.no_summary,
        )
    return "".join(f"{line}\n" for line in lines)


def _with_one_negative_grade(qrels: Qrels) -> Qrels:
    """Return the judgments as trec_eval reads them: of all negative grades none was sampled."""
    below_zero = set(qrels.grades[qrels.grades < 0].tolist())
    return qrels.map_grades(dict.fromkeys(below_zero, Qrels.UNSAMPLED))


def _shortened(run: Run, qrels: Qrels, depth: int | None, judged_only: bool) -> Run:
    """Return the run with the first documents of its topics, and of these those that were judged.

    A topic may lose all of them.
    """
    if depth is None and not judged_only:
        return run
    judged = qrels.to_dict() if judged_only else {}
    documents = list(run.documents)
    place = list(zip(run.scores.astype(np.float32).tolist(), documents, strict=True))
    kept: list[int] = []
    borders = [0]
    for topic, begin, end in zip(
        run.topics.tolist(), run.indptr[:-1].tolist(), run.indptr[1:].tolist(), strict=True
    ):
        first = heapq.nlargest(depth or end - begin, range(begin, end), key=place.__getitem__)
        grades = judged.get(topic, {})
        kept += [row for row in first if not judged_only or grades.get(documents[row], -1) >= 0]
        borders.append(len(kept))
    rows = np.array(kept, dtype=np.int64)
    return dataclasses.replace(
        run,
        indptr=np.array(borders),
        documents=run.documents.take(rows),
        scores=run.scores[rows],
        ranks=None,
    )


def _lines(
    rankings: Rankings,
    run: str,
    values: Sequence[TrecEvalValue],
    of_run: set[str],
    *,
    complete: bool,
    level: int,
    per_query: bool,
    summary: bool,
) -> Iterator[str]:
    """Yield the lines of a run: those of its topics in the order of their names, and the means."""
    topics = [str(topic) for topic in rankings.judgments.qid.tolist()]
    sorted_places = sorted(range(len(topics)), key=topics.__getitem__)
    retrieved = [place for place in sorted_places if topics[place] in of_run]
    kept = sorted_places if complete else retrieved
    counts: dict[str, Any] = dict(_counts(rankings, level))
    of_all: dict[str, Any] = {name: int(each[kept].sum()) for name, each in counts.items()}
    if complete:  # trec_eval does not look at the level then
        of_all["num_rel"] = int(_counts(rankings, 1)["num_rel"].sum())
    numbers = _by_topic(rankings, values, level, retrieved)
    geometric = {each.name for each in values if each.is_geometric}
    for name, by_topic in numbers.items():
        mean = _geometric_mean if name in geometric else _mean
        of_all[name] = mean(by_topic[kept].tolist())
    of_all.update(runid=run, num_q=len(kept))
    strings = {
        each.name: _strings_of_grades(rankings, int(each.parameter or 10))
        for each in values
        if each.family == "relstring"
    }
    if per_query:
        of_topics = {**counts, **numbers, **strings}
        shown = [each.name for each in values if each.name in of_topics.keys() - geometric]
        for place in retrieved:
            yield from (_line(name, topics[place], of_topics[name][place]) for name in shown)
    if summary:
        yield from (_line(n, "all", of_all[n]) for n in (v.name for v in values) if n in of_all)


def _by_topic(
    rankings: Rankings,
    values: Sequence[TrecEvalValue],
    level: int,
    retrieved: list[int],
) -> dict[str, FloatArray]:
    """Return the numbers of all topics, 0 of those that the run lacks."""
    numbers: dict[str, FloatArray] = {}
    measures = {}
    for each in values:
        if each.family in _BY_LISTS and (each.family != "ndcg" or each.parameter):
            found = _BY_LISTS[each.family](rankings, each.parameter, level)
            numbers[each.name] = np.zeros(len(found))
            numbers[each.name][retrieved] = found[retrieved]
        elif (measure := each.measure(level)) is not None:
            measures[each.name] = measure
    if measures:
        scores = evaluate(measures, rankings)
        numbers.update((name, scores[name].values) for name in scores)
    return numbers


def _mean(numbers: list[float]) -> float:
    """Return the mean of numbers added in their order, whose last decimal may depend on it."""
    total = 0.0
    for each in numbers:  # Python's sum is exact from 3.12 on
        total += each
    return total / len(numbers)


def _geometric_mean(numbers: list[float]) -> float:
    return math.exp(_mean([math.log(max(each, _LEAST)) for each in numbers]))


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


def _pools(rankings: Rankings) -> Iterator[dict[float, int]]:
    """Yield the numbers of judged documents by grade of each topic, in rising order."""
    grades = rankings.judgments.grades.tolist()
    for counts in rankings.judgments.counts.tolist():
        yield {grade: n for grade, n in zip(grades, counts, strict=True) if n}


def _utilities(rankings: Rankings, parameter: str, level: int) -> FloatArray:
    """Return the utilities, also of topics without relevant documents; no other documents exist."""
    weights = tuple(map(float, parameter.split(","))) if parameter else Utility().weights
    n = _counts(rankings, level)
    found, retrieved, relevant = n["num_rel_ret"], n["num_ret"], n["num_rel"]
    cells = found, retrieved - found, relevant - found, found - retrieved - relevant
    return np.array(cells).T @ Utility(weights=weights).weights


def _ndcg(rankings: Rankings, parameter: str, level: int) -> FloatArray:
    """Return nDCG with gains of grades, the ideal ranking in trec_eval's order of gains."""
    pairs = (pair.split("=") for pair in parameter.split(","))
    named = {float(int(grade)): float(number) for grade, number in pairs}
    values = []
    for grades, pool in zip(_lists(rankings), _pools(rankings), strict=True):
        grades_there = sorted({*map(float, range(int(max(pool, default=-1)) + 1)), *pool})
        gain = named | {grade: grade for grade in grades_there if grade not in named}
        dcg = _discounted([gain.get(grade, 0.0) for grade in grades.tolist()])
        best = [(gain[grade], pool.get(grade, 0)) for grade in _sorted_there(list(gain), gain)]
        values.append(dcg / ideal if (ideal := _ideal(best[::-1])) > 0 else 0.0)
    return np.array(values)


def _sorted_there(grades: list[float], gain: dict[float, float]) -> list[float]:
    """Sort by merging, as the C library does, by gains whose differences lose their decimals."""
    half = len(grades) // 2
    if half == 0:
        return grades
    left, right = (_sorted_there(part, gain) for part in (grades[:half], grades[half:]))
    merged = []
    while left and right:
        merged.append((left if int(gain[left[0]] - gain[right[0]]) <= 0 else right).pop(0))
    return merged + left + right


def _ideal(best: list[tuple[float, int]]) -> float:
    """Return the DCG of gains and their numbers of documents, down to the first that is not > 0."""
    gains: list[float] = []
    for place, (gain, n) in enumerate(best):
        if gain <= 0 and (n or place == 0):
            break
        gains += [gain] * n
    return _discounted(gains)


def _discounted(gains: list[float]) -> float:
    return sum(gain / math.log2(rank) for rank, gain in enumerate(gains, 2))


def _rndcg(rankings: Rankings, parameter: str, level: int) -> FloatArray:
    """Return Rndcg; a list that is one longer than the ideal one does not count at its end."""
    values = []
    for grades, pool in zip(_lists(rankings), _pools(rankings), strict=True):
        falling = [(grade, n) for grade, n in reversed(pool.items()) if grade > 0]
        ends = list(accumulate(n for _, n in falling))
        dcg = _sums(np.maximum(np.nan_to_num(grades), 0.0))
        ideal = _sums(np.array([grade for grade, n in falling for _ in range(n)]))
        ends += [len(grades)] if ends and len(grades) > ends[-1] + 1 else []
        shares = [dcg[min(n, len(dcg) - 1)] / ideal[min(n, len(ideal) - 1)] for n in ends]
        values.append(np.mean(shares) if max(pool, default=0) >= level else 0.0)
    return np.array(values)


def _sums(gains: FloatArray) -> FloatArray:
    """Return the DCG of the first 0, 1, 2, ... documents."""
    return np.append(0.0, np.cumsum(gains / np.log2(np.arange(2, len(gains) + 2))))


# What trec_eval computes in other ways than our measures, on gains or scales of its own.
_BY_LISTS = {
    "utility": _utilities,
    "ndcg": _ndcg,
    "Rndcg": _rndcg,
}


def _character(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    if grade < 0:
        return "."
    return str(int(grade)) if grade <= _HIGHEST_DIGIT else ">"
