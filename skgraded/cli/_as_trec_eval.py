"""``--as trec_eval``: what version 9 of that command prints, and names of version 10."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import math
from collections.abc import Iterator, Mapping, Set
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded.cli._inputs import Inputs
from skgraded.conventions import measure_as
from skgraded.measures import Judged, Measure, evaluate
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
_FAMILIES = {entry.partition(".")[0]: entry.partition(".")[2] for entry in _ALL}
# Of version 10, which only their names ask for.
_OF_VERSION_10 = {"rbp": "", "unj": "5,10,20"}
_FAMILIES |= _OF_VERSION_10
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
    negative_grades = [grade for grade in grades if grade < 0]
    qrels = inputs.qrels.map_grades(dict.fromkeys(negative_grades, Qrels.UNSAMPLED))

    lines: list[str] = []
    for source in inputs.runs:
        run = read_run(source, strict=True)
        topics = set(run.topics.tolist())
        run = _documents_that_count(arguments, qrels, run)
        lines += _lines(arguments, qrels, run, topics)
    return "".join(f"{line}\n" for line in lines)


def _documents_that_count(arguments: argparse.Namespace, qrels: Qrels, run: Run) -> Run:
    """Return the first -M documents of each topic, and of these with -J those that were judged."""
    n_documents = arguments.n_documents
    if n_documents is None and not arguments.judged_only:
        return run
    if n_documents is not None and n_documents < 1:
        raise ValueError(f"-M must be at least 1, got {n_documents}.")

    grades = qrels.to_dict()
    scores_that_count = {}
    for topic, scores in run.to_dict().items():
        first_names = sorted(scores, key=partial(_place_in, scores), reverse=True)
        first_names = first_names[:n_documents]
        if arguments.judged_only:
            grade_of = grades.get(topic, {})
            first_names = [name for name in first_names if grade_of.get(name, -1) >= 0]
        scores_that_count[topic] = {name: scores[name] for name in first_names}
    return dataclasses.replace(read_run(scores_that_count), name=run.name, tag=run.tag)


def _place_in(scores: Mapping[str, float], name: str) -> tuple[np.float32, bytes]:
    """Return what documents are sorted by: the score, and then the bytes of the id."""
    return np.float32(scores[name]), name.encode("utf-8", "surrogateescape")


def _values(names: list[str]) -> dict[str, str]:
    """Return the families of values by what is printed of them, for names such as P.5,10."""
    parameters_of: dict[str, set[str]] = {}
    for name in names:
        if name in _NICKNAMES:
            families = [entry.partition(".")[0] for entry in _NICKNAMES[name]]
            for family in families:
                parameters_of.setdefault(family, set())
        else:
            family, parameters = _split(name)
            parameters_of.setdefault(family, set()).update(parameters)

    values = {}
    for family, default_parameters in _FAMILIES.items():
        if family not in parameters_of:
            continue
        printed = parameters_of[family] or _printed(family, default_parameters)
        shortest_first = sorted(printed, key=lambda text: (len(text), text))
        for parameter in shortest_first:
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

    # This says what there is, unless it is a name of ours.
    measure_as("trec_eval", name)
    raise ValueError(
        f"-m must be a name of trec_eval with --as trec_eval, got {name!r}."
    )


def _printed(family: str, parameters: str) -> list[str]:
    """Return parameters as they are printed."""
    if family in _AS_WRITTEN or not parameters:
        return [parameters]
    try:
        numbers = list(map(float, parameters.split(",")))
        if "." in _FAMILIES[family]:
            return [f"{number:.2f}" for number in numbers]
        return [str(int(number)) for number in numbers]
    except (ValueError, OverflowError):  # an int of infinity
        raise ValueError(
            f"-m {family} must be with numbers, got {parameters!r}."
        ) from None


def _measure(name: str, level: int, top_grade: int) -> Measure:
    family, _, gains = name.partition("_")
    if family == "ndcg" and "=" in gains:
        measure = measure_as("trec_eval", family)
        measure = measure.replace(gain=_gains(gains, top_grade))
    else:
        measure = measure_as("trec_eval", name)
    if "rel" in measure._fields and name != "rbp":  # which counts all grades above 0
        return measure.replace(rel=level)
    return measure


def _gains(text: str, top_grade: int) -> tuple[float, ...]:
    """Return the gains of grades; a grade that is not named is its own."""
    with contextlib.suppress(ValueError):
        gain_of = {}
        for pair in text.split(","):
            grade, _, gain = pair.partition("=")
            gain_of[int(grade)] = float(gain)
        if min(gain_of) > 0:
            # nDCG refuses labels above the last of them.
            grades = range(1, min(top_grade, 10_000) + 1)
            return tuple(gain_of.get(grade, float(grade)) for grade in grades)
    raise ValueError(
        f"-m ndcg must have gains of grades, as in ndcg.1=1,2=3, got {text!r}."
    )


def _lines(
    arguments: argparse.Namespace, qrels: Qrels, run: Run, topics_of_run: Set[str]
) -> Iterator[str]:
    """Yield the lines of a run: those of its topics in the order of their names, and the means."""
    values = _values(arguments.measures or ["official"])
    rankings = rank(qrels, run, complete=True, n_threads=arguments.threads)
    top_grade = math.ceil(qrels.top_grade)
    columns = _columns(values, rankings, arguments.level, top_grade)

    topics = [str(topic) for topic in rankings.judgments.qid]
    places = sorted(range(len(topics)), key=topics.__getitem__)
    retrieved_places = [place for place in places if topics[place] in topics_of_run]

    if arguments.per_query:
        for place in retrieved_places:
            for name, family in values.items():
                if family not in _OF_ALL_TOPICS:
                    yield _line(name, topics[place], columns[name][place])

    if not arguments.all_topics:
        places = retrieved_places
    else:  # it does not look at the level then
        is_relevant = rankings.judgments.grades >= 1
        n_relevant = rankings.judgments.counts[:, is_relevant].sum(axis=1)
        columns["num_rel"] = n_relevant.tolist()

    if not arguments.no_summary:
        for name, family in values.items():
            if family == "runid":
                yield _line(name, "all", run.tag or run.name)
            elif family != "relstring":
                numbers = [columns[name][place] for place in places]
                yield _line(name, "all", _summary(family, numbers))


def _columns(
    values: dict[str, str], rankings: Rankings, level: int, top_grade: int
) -> dict[str, list[Any]]:
    """Return the numbers, or strings of grades, of all topics by what is printed of them."""
    grades_of_lists = _grades_in_rank_order(rankings)
    columns = _counts(rankings, grades_of_lists, level)
    measures: dict[str, Measure] = {}
    for name, family in values.items():
        if family == "relstring":
            n_documents = int(name.partition("_")[2] or 10)
            columns[name] = [
                f"'{''.join(map(_character, grades[:n_documents]))}'"
                for grades in grades_of_lists
            ]
        elif family == "unj":
            measures[name] = measure_as("trec_eval", f"P_{name.removeprefix('unj_')}")
            measures[name] = Judged(k=measures[name].k, ties="row_order")
        elif name not in (*columns, "runid"):
            measures[name] = _measure(name, level, top_grade)

    if measures:
        scores = evaluate(measures, rankings)
        for name in measures:
            numbers = scores[name].values
            if values[name] == "unj":
                numbers = 1.0 - numbers
            columns[name] = numbers.tolist()
    return columns


def _grades_in_rank_order(rankings: Rankings) -> list[NDArray[np.float64]]:
    """Return the grades of each topic: nan of unjudged documents, -1 of unsampled ones."""
    judgments = rankings.judgments
    grade_of_level = np.append(judgments.grades, (np.nan, -1.0))
    starts = np.repeat(judgments.indptr[:-1], np.diff(judgments.indptr))
    levels = judgments.levels[starts + rankings.order]
    return np.split(grade_of_level[levels], judgments.indptr[1:-1])


def _counts(
    rankings: Rankings, grades_of_lists: list[NDArray[np.float64]], level: int
) -> dict[str, list[Any]]:
    """Return the numbers of documents by topic."""
    counts_of_relevant = rankings.judgments.counts[
        :, rankings.judgments.grades >= level
    ]
    n_relevant_retrieved = []
    n_nonrelevant_retrieved = []
    for grades in grades_of_lists:
        n_relevant_retrieved.append(int((grades >= level).sum()))
        is_nonrelevant = (grades >= 0) & (grades < level)
        n_nonrelevant_retrieved.append(int(is_nonrelevant.sum()))

    return {
        "num_q": [1] * len(grades_of_lists),
        "num_ret": list(map(len, grades_of_lists)),
        "num_rel": counts_of_relevant.sum(axis=1).tolist(),
        "num_rel_ret": n_relevant_retrieved,
        "num_nonrel_judged_ret": n_nonrelevant_retrieved,
    }


def _summary(family: str, numbers: list[Any]) -> Any:
    if family in _COUNTS:
        return sum(numbers)
    if family.startswith("gm_"):
        logarithms = [math.log(max(number, 1e-5)) for number in numbers]
        return math.exp(_summary("", logarithms))
    return float(np.cumsum(numbers)[-1]) / len(numbers)  # added one by one, as there


def _line(name: str, topic: str, value: Any) -> str:
    text = f"{value:6.4f}" if isinstance(value, float) else str(value)
    return f"{name:<22}\t{topic}\t{text}"


def _character(grade: float) -> str:
    if math.isnan(grade):
        return "-"
    return "." if grade < 0 else "0123456789>"[min(int(grade), 10)]
