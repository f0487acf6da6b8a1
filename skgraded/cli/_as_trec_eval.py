"""``--as trec_eval``: what version 9 of that command prints."""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.cli._inputs import Inputs
from skgraded.conventions import measure_as
from skgraded.measures import Measure, evaluate
from skgraded.rankings import Rankings
from skgraded.trec import Qrels, Run, rank, read_run

_CUTS = "5,10,15,20,30,100,200,500,1000"
# The families in the order in which they are printed, with the parameters that they have unless
# others are named.
_ALL = f"""
    runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank
    iprec_at_recall.0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0 P.{_CUTS} relstring recall.{_CUTS}
    infAP gm_bpref Rprec_mult.0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0 utility 11pt_avg binG G ndcg
    ndcg_rel Rndcg ndcg_cut.{_CUTS} map_cut.{_CUTS} relative_P.{_CUTS} success.1,5,10 set_P
    set_relative_P set_recall set_map set_F num_nonrel_judged_ret""".split()
_FAMILIES = {
    family: given for family, _, given in (each.partition(".") for each in _ALL)
}
_SETS = ["utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
_NICKNAMES = {"official": _ALL[:12], "set": [*_ALL[:5], *_SETS], "all_trec": _ALL}
_AS_WRITTEN = ("utility", "11pt_avg", "ndcg", "set_F")  # with one parameter
_COUNTS = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret")
_OF_ALL_TOPICS = ("runid", "num_q", "gm_map", "gm_bpref")


def evaluate_as_trec_eval(arguments: argparse.Namespace) -> str:
    """Return what trec_eval prints for each run, one after the other."""
    inputs = Inputs(arguments)
    # As there, no document of a negative grade was sampled.
    grades = set(inputs.qrels.grades.tolist())
    qrels = inputs.qrels.map_grades(
        {each: Qrels.UNSAMPLED for each in grades if each < 0}
    )
    return "".join(
        f"{line}\n"
        for source in inputs.runs
        for line in _lines(arguments, qrels, read_run(source, strict=True))
    )


def _values(asked: list[str]) -> dict[str, str]:
    """Return the families of values by what is printed of them, for names such as P.5,10."""
    found: dict[str, set[str]] = {}
    for name in asked:
        if name in _NICKNAMES:
            found = {each.partition(".")[0]: set() for each in _NICKNAMES[name]} | found
        else:
            family, parameters = _split(name)
            found.setdefault(family, set()).update(parameters)
    values = {}
    for family in filter(found.__contains__, _FAMILIES):
        chosen = found[family] or _printed(family, _FAMILIES[family])
        for parameter in sorted(chosen, key=lambda each: (len(each), each)):
            values[f"{family}_{parameter}" if parameter else family] = family
    return values


def _split(name: str) -> tuple[str, list[str]]:
    """Return the family in a name, and its parameters, if any."""
    if name in _FAMILIES:
        return name, []
    family, _, parameters = name.partition(".")
    if family not in _FAMILIES:
        family, _, parameters = name.rpartition("_")  # the name of a value
    if parameters and (_FAMILIES.get(family) or family in (*_AS_WRITTEN, "relstring")):
        return family, _printed(family, parameters)
    measure_as(
        "trec_eval", name
    )  # which says what there is, unless it is a name of ours
    raise ValueError(
        f"-m must be a name of trec_eval with --as trec_eval, got {name!r}."
    )


def _printed(family: str, parameters: str) -> list[str]:
    """Return parameters as they are printed."""
    if family in _AS_WRITTEN or not parameters:
        return [parameters]
    try:
        numbers = list(map(float, parameters.split(",")))
        are_whole = "." not in _FAMILIES[family]
        return [str(int(each)) if are_whole else f"{each:.2f}" for each in numbers]
    except (ValueError, OverflowError):  # an int of infinity
        raise ValueError(
            f"-m {family} must be with numbers, got {parameters!r}."
        ) from None


def _measure(name: str, level: int, top_grade: int) -> Measure:
    family, _, gains = name.partition("_")
    if family == "ndcg" and "=" in gains:
        chosen = measure_as("trec_eval", family).replace(gain=_gains(gains, top_grade))
    else:
        chosen = measure_as("trec_eval", name)
    return chosen.replace(rel=level) if "rel" in chosen._fields else chosen


def _gains(text: str, top_grade: int) -> tuple[float, ...]:
    """Return the gains of grades; a grade that is not named is its own."""
    with contextlib.suppress(ValueError):
        pairs = (each.partition("=") for each in text.split(","))
        gains = {int(grade): float(gain) for grade, _, gain in pairs}
        if min(gains) > 0:
            grades = range(
                1, min(top_grade, 10_000) + 1
            )  # nDCG refuses labels above them
            return tuple(gains.get(grade, float(grade)) for grade in grades)
    raise ValueError(
        f"-m ndcg must have gains of grades, as in ndcg.1=1,2=3, got {text!r}."
    )


def _lines(arguments: argparse.Namespace, qrels: Qrels, run: Run) -> Iterator[str]:
    """Yield the lines of a run: those of its topics in the order of their names, and the means."""
    values = _values(arguments.measures or ["official"])
    rankings = rank(qrels, run, complete=True, n_threads=arguments.threads)
    columns = _columns(values, rankings, arguments.level, math.ceil(qrels.top_grade))
    topics = [str(topic) for topic in rankings.judgments.qid]
    in_order = sorted(range(len(topics)), key=topics.__getitem__)
    of_run = set(run.topics.tolist())
    retrieved = [place for place in in_order if topics[place] in of_run]
    kept = in_order if arguments.all_topics else retrieved
    for place in retrieved if arguments.per_query else ():
        for name, family in values.items():
            if family not in _OF_ALL_TOPICS:
                yield _line(name, topics[place], columns[name][place])
    if arguments.all_topics:  # it does not look at the level then
        relevant = rankings.judgments.grades >= 1
        columns["num_rel"] = rankings.judgments.counts[:, relevant].sum(axis=1).tolist()
    for name, family in values.items() if not arguments.no_summary else ():
        if family == "runid":
            yield _line(name, "all", run.tag or run.name)
        elif family != "relstring":
            yield _line(
                name, "all", _summary(family, [columns[name][place] for place in kept])
            )


def _columns(
    values: dict[str, str], rankings: Rankings, level: int, top_grade: int
) -> dict[str, list[Any]]:
    """Return the numbers, or strings of grades, of all topics by what is printed of them."""
    lists = _grades_in_rank_order(rankings)
    columns: dict[str, list[Any]] = _counts(rankings, lists, level)
    measures: dict[str, Measure] = {}
    for name, family in values.items():
        if family == "relstring":
            n_documents = int(name.partition("_")[2] or 10)
            columns[name] = [
                f"'{''.join(map(_character, each[:n_documents]))}'" for each in lists
            ]
        elif name not in (*columns, "runid"):
            measures[name] = _measure(name, level, top_grade)
    if measures:
        scores = evaluate(measures, rankings)
        columns |= {name: scores[name].values.tolist() for name in measures}
    return columns


def _grades_in_rank_order(rankings: Rankings) -> list[NDArray[np.float64]]:
    """Return the grades of each topic: nan of unjudged documents, -1 of unsampled ones."""
    judgments = rankings.judgments
    grades = np.append(judgments.grades, (np.nan, -1.0))
    starts = np.repeat(judgments.indptr[:-1], np.diff(judgments.indptr))
    in_order = grades[judgments.levels[starts + rankings.order]]
    return np.split(in_order, judgments.indptr[1:-1])


def _counts(
    rankings: Rankings, lists: list[NDArray[np.float64]], level: int
) -> dict[str, list[Any]]:
    """Return the numbers of documents by topic."""
    pools = rankings.judgments.counts[:, rankings.judgments.grades >= level]
    return {
        "num_q": [1] * len(lists),
        "num_ret": list(map(len, lists)),
        "num_rel": pools.sum(axis=1).tolist(),
        "num_rel_ret": [int((each >= level).sum()) for each in lists],
        "num_nonrel_judged_ret": [
            int(((each >= 0) & (each < level)).sum()) for each in lists
        ],
    }


def _summary(family: str, numbers: list[Any]) -> Any:
    if family in _COUNTS:
        return sum(numbers)
    if family.startswith("gm_"):
        return math.exp(_summary("", [math.log(max(each, 1e-5)) for each in numbers]))
    return float(np.cumsum(numbers)[-1]) / len(numbers)  # added one by one, as there


def _line(name: str, topic: str, value: Any) -> str:
    text = f"{value:6.4f}" if isinstance(value, float) else str(value)
    return f"{name:<22}\t{topic}\t{text}"


def _character(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    return "." if grade < 0 else "0123456789>"[min(int(grade), 10)]
