"""``skgraded study``: a table of the studies of measures on your own runs.

The docstring of the function that answers a study is its help: what it does, and the papers whose
tables it repeats.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded import studies
from skgraded._intervals.paired import N_RESAMPLES, TESTS
from skgraded._support.arguments import integer
from skgraded._support.results_base import Report, Table
from skgraded.cli import _outputs
from skgraded.cli._inputs import (
    Inputs,
    faults_name_the_judgments,
    measure_of,
    with_fields,
)
from skgraded.cli._options import OPTIONS, SCORING, add_options, numbers, words
from skgraded.measures import Measure
from skgraded.trec import Qrels, rank

_EPILOG = """\
examples:
  skgraded study topics qrels.txt
  skgraded study thresholds qrels.txt runs/*.xz --few 2 --plot g.png
  skgraded study incompleteness qrels.txt runs/*.xz -m AP -m infAP --repeats 10
  skgraded study power qrels.txt runs/*.xz -m AP -m "eGAP(g=[0.1,0.9])"
"""


class Part(NamedTuple):
    """A result of a study.

    Attributes
    ----------
    found : object
        The result.
    labels : dict of str to object or None
        What tells it from the other results, such as the set of topics.
    heading : str
        The same in words.
    tables : sequence of Table or None
        The tables of a statistic that was asked for; None for those of the result.
    draw : sequence of callable or None
        A function for each panel of its picture; None for its own ``plot``.
    """

    found: Any
    labels: dict[str, Any] | None = None
    heading: str = ""
    tables: Sequence[Table] | None = None
    draw: Sequence[Callable[[Any], Any]] | None = None


# The results of a study, and notes on what was left out.
Answer = tuple[Sequence[Part], Sequence[str]]


class Asked(Inputs):
    """What a study was asked, and what several studies read for that, once it is needed."""

    @property
    def chosen(self) -> list[Measure]:
        """The measures, under the rule for ties and with the users that were asked for."""
        return list(self.measures().values())

    def under_ties(self, name: str) -> Measure:
        """Return a measure under the rule for ties that was asked for."""
        return with_fields(measure_of(name), ties=self.given.ties)

    @cached_property
    def facts(self) -> studies.TopicFacts:
        """The numbers of documents by grade, with the meaning of negative grades."""
        qrels = self.qrels
        negative = self.negative
        qrels.pool(negative)  # raises an error if there must be none
        meanings = {
            "nonrelevant": 0.0,
            "unjudged": Qrels.UNSAMPLED,
            "all_unsampled": Qrels.UNSAMPLED,
        }
        meaning = meanings.get(negative)
        if meaning is not None:
            below_zero = np.unique(qrels.grades[qrels.grades < 0]).tolist()
            qrels = qrels.map_grades(dict.fromkeys(below_zero, meaning))
        return studies.topic_facts(qrels)

    @cached_property
    def topics(self) -> dict[str, NDArray[np.bool_]]:
        """The sets of topics that were asked for."""
        ratio = self.given.ratio
        masks = {"all": np.ones(len(self.facts.topics), dtype=bool)}
        for grade in self.given.few:
            few = self.facts.few(grade, ratio)
            if not few.any():
                rule = f"R(1) >= {ratio:g} * R({grade}) > 0"
                raise ValueError(
                    f"--few {grade} must leave at least one topic with {rule}."
                )
            masks[f"few of grade {grade}"] = few
        return masks

    @cached_property
    def systems(self) -> NDArray[np.bool_] | None:
        """The systems that were asked for, by AP; None = all."""
        top = self.given.top
        if top is None and not self.given.upper_quartiles:
            return None
        if top is not None and self.given.upper_quartiles:
            raise ValueError("--top cannot be given with --upper-quartiles.")
        by = self.under_ties("AP")
        scores = self.scores([by])
        if top is None:
            return studies.above_first_quartile(scores, str(by))
        n_runs = len(scores.systems or ())
        if not 1 < top <= n_runs:
            raise ValueError(
                f"--top must be from 2 to the number of runs, {n_runs}, got {top}."
            )
        return studies.best_systems(scores, top, str(by))


def _heading_of(topics: str) -> str:
    return "All topics" if topics == "all" else f"Topics with {topics}"


def topics(asked: Asked) -> Answer:
    """Count the documents of each grade by topic.

    paper:
      Ferrante, Ferro and Maistro (2014), Table 1: the numbers of topics, with few
      documents of a grade where R(1) >= 10 R(grade) > 0, and of relevant documents
        skgraded study topics qrels.txt
    """
    return [Part(asked.facts)], asked.qrels.notes(asked.negative)


def correlation(asked: Asked) -> Answer:
    r"""Compare the orders in which measures put systems.

    paper:
      Sakai (2007), Table 2: Kendall's tau of ten measures, by the 30 runs with the
      best mean AP; the grades are 1, 2 and 3
        skgraded study correlation qrels.txt runs/* --top 30 -m BprefR -m BprefN \
          -m RprefN -m RprefRelative2 -m "AP(unjudged=condense)" \
          -m "QMeasure(unjudged=condense)" \
          -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP -m QMeasure \
          -m "nDCG(discount=jk)@1000"
    """
    scores = asked.scores(asked.chosen)
    statistic = asked.given.statistic
    found = studies.correlate(scores, topics=asked.topics, systems=asked.systems)
    draw = partial(found.plot, statistic=statistic)
    return [Part(found, tables=[found._table(statistic)], draw=[draw])], scores._notes()


def thresholds(asked: Asked) -> Answer:
    r"""Correlate GAP, xGAP and eGAP with other measures for every g.

    paper:
      Ferrante, Ferro and Maistro (2014), Tables 2 and 3: Kendall's tau with AP,
      nDCG, RBP and bpref, by the runs above the first quartile of mean AP, over
      all topics and over those with few documents of a grade
        skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2
        skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2 \
          --few 3 --steps 5                       three grades above 0, Table 3
    """
    given = asked.given
    top = asked.facts.grades[-1]
    if top < 1:
        raise ValueError(
            f"{asked.qrels.name}: thresholds need grades of 1 or more, got none."
        )
    grid = studies.threshold_grid(int(top), given.steps)
    swept = [
        with_fields(each, ties=given.ties) for each in studies.threshold_measures(grid)
    ]
    scores = asked.scores([*swept, *asked.chosen])
    found = studies.sweep_thresholds(scores, topics=asked.topics, systems=asked.systems)
    return [Part(found, tables=[found._table(given.statistic)])], scores._notes()


def incompleteness(asked: Asked) -> Answer:
    r"""Score runs under smaller and smaller pools.

    papers:
      Ferrante, Ferro and Maistro (2014), Figure 1: a stratum for each grade, the
      runs above the first quartile, all topics and those with few of grade 2;
      Figure 2 has g=[0.2,0.2,0.6], and --few 3 beside --few 2
        skgraded study incompleteness qrels.txt runs/* --upper-quartiles --few 2 \
          -m "GAP(g=[0.1,0.9])" -m "xGAP(g=[0.1,0.9])" -m "eGAP(g=[0.1,0.9])" \
          -m AP -m nDCG -m RBP -m Bpref
      Sakai (2007), Figure 2, and with --statistic score Figure 1: two strata,
      nested samples, the 30 runs with the best mean AP; the grades are 1, 2 and 3
        skgraded study incompleteness qrels.txt runs/* --top 30 --no-by-grade \
          --rates 100,90,70,50,30,10 -m BprefR -m RprefRelative2 \
          -m "AP(unjudged=condense)" -m "QMeasure(unjudged=condense)" \
          -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP \
          -m QMeasure -m "nDCG(discount=jk)@1000"
      Yilmaz and Aslam (2006), Figure 3: all runs, ten simple random samples of each
      rate; target_pearson and target_rmse are its other two plots
        skgraded study incompleteness qrels.txt runs/* --method random -m infAP \
          -m BprefTen --statistic target_kendall
    """
    given = asked.given
    topics = asked.topics
    systems = asked.systems
    # Yilmaz and Aslam average ten simple random samples; the other papers take one.
    n_repeats = 10 if given.method == "random" else 1
    with faults_name_the_judgments(asked.qrels):
        found = studies.incompleteness(
            asked.chosen,
            asked.qrels,
            asked.runs,
            method=given.method,
            rates=given.rates,
            n_repeats=n_repeats if given.repeats is None else given.repeats,
            by_grade=given.by_grade,
            nested=given.nested,
            target=asked.under_ties(given.target),
            topics=topics,
            systems=systems,
            random_state=given.seed,
            **asked.rules,
        )
    tables = {name: found._table(given.statistic, name) for name in found.topic_sets}
    if len(tables) > 1:
        for name, table in tables.items():
            tables[name] = table._replace(title=f"{_heading_of(name)}: {table.title}")
    draw = [
        partial(found.plot, statistic=given.statistic, topics=name) for name in tables
    ]
    return [Part(found, tables=list(tables.values()), draw=draw)], found.notes


def power(asked: Asked) -> Answer:
    r"""Count the pairs of systems that differ significantly.

    paper:
      Sakai (2007), Table 3: the 30 runs with the best mean AP, at alpha = .05 with
      1000 resamples; the grades are 1, 2 and 3
        skgraded study power qrels.txt runs/* --top 30 --resamples 1000 \
          -m BprefR -m BprefN \
          -m RprefN -m RprefRelative2 -m "AP(unjudged=condense)" \
          -m "QMeasure(unjudged=condense)" \
          -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP -m QMeasure \
          -m "nDCG(discount=jk)@1000"
      Figure 3: the same without BprefN and RprefN, under nested samples of two
      strata
          --no-by-grade --rates 100,70,50,30,10
    """
    given = asked.given
    qrels = asked.qrels
    systems = asked.systems
    topics = asked.topics
    runs = [
        run for place, run in enumerate(asked.runs) if systems is None or systems[place]
    ]
    parts = []
    notes = list(qrels.notes(asked.negative))
    # The smaller samples of the judgments are parts of the larger.
    how = {"by_grade": given.by_grade, "random_state": given.seed}
    for rate in given.rates or [None]:
        judged = qrels if rate is None else studies.reduce_pool(qrels, rate, **how)
        scores = asked.scores(asked.chosen, judged, runs)
        # A sample's own judgments left out are no news.
        own = judged.notes(asked.negative)
        if rate is not None:
            own += [note for note in scores._notes() if note.startswith("Judged@")]
        notes += [note for note in scores._notes() if note not in own]
        for name, mask in topics.items():
            labels: dict[str, Any] = {"topics": name} if len(topics) > 1 else {}
            heading = _heading_of(name)
            if rate is not None:
                labels["rate"] = rate
                heading += f", {rate:g}% of the judgments"
            found = studies.discriminative_power(
                scores.select(qid=scores.qid[mask].tolist()),
                test=given.test,
                confidence=given.confidence,
                n_resamples=given.resamples,
                random_state=given.seed,
            )
            parts.append(Part(found, labels, heading))
    return parts, list(dict.fromkeys(notes))


def sensitivity(asked: Asked) -> Answer:
    r"""Measure the gain from a change of the document at each rank.

    paper:
      Kishida (2005), Sections 2.2 and 4: Equation 10 for AP, and the changes of
      graded measures; it has no table of them
        skgraded study sensitivity qrels.txt bm25.run -m AP -m RPrecision
      Section 3.2, Equation 16, of which Table 1 shows the bound at rank 101
      (skgraded.studies.change_by_discovery)
        skgraded study sensitivity qrels.txt bm25.run -m AP --pool grows \
          --max-rank 101
    """
    given = asked.given
    qrels = asked.qrels
    run = asked.run(asked.given.run_file)
    with faults_name_the_judgments(qrels):
        found = studies.sensitivity(
            asked.chosen,
            rank(qrels, run, **asked.rules),
            change=given.change,
            pool=given.pool,
            max_rank=given.max_rank,
        )
    return [Part(found)], list(asked.scores("P@1", qrels, [run]).notes)


def lists(asked: Asked) -> Answer:
    r"""Score every list that can be made of a few relevant documents.

    paper:
      Kishida (2005), Tables 3 and 4; with --show, Table 5
        skgraded study lists --relevant 3,2,1 --length 5 \
          -m ModifiedSlidingRatio -m AveragedNDCG -m QMeasure -m GeneralizedAP \
          -m AP --show 32000,00123,03210,30000,00003
    """
    given = asked.given
    found = studies.score_all_lists(asked.chosen, given.relevant, given.length)
    tables = found._tables()
    if given.show is not None:
        try:
            tables.append(found.at(*given.show.split(","))._table_of_values())
        except KeyError as error:
            raise ValueError(f"--show: {error.args[0]}") from None
    return [Part(found, tables=tables)], []


def simulation(asked: Asked) -> Answer:
    """Simulate how much assessors who err change a measure.

    paper:
      Kishida (2005), Section 3.3, Table 2, whose random numbers were others
        skgraded study simulation --theta 0.9 -m AP
        skgraded study simulation --theta 0.5 -m AP
    """
    given = asked.given
    if not 0.0 <= given.theta <= 1.0:
        raise ValueError(f"--theta must lie between 0 and 1, got {given.theta}.")
    n_topics = integer("--topics", given.topics, 1)
    n_documents = integer("--documents", given.documents, 1)
    rng = np.random.default_rng(given.seed)
    is_high = rng.random(n_topics * n_documents) < 0.5  # noqa: PLR2004
    found = studies.simulate_judgments(
        asked.chosen,
        np.where(is_high, given.theta, 1.0 - given.theta),
        np.tile(-np.arange(float(n_documents)), n_topics),
        qid=np.repeat(np.arange(n_topics), n_documents),
        n_repeats=given.repeats,
        random_state=rng,
    )
    return [Part(found)], []


def grades(text: str) -> list[int]:
    return list(map(int, text.split(",")))


_CELLS = {"default": "kendall", "help": "what the cells show"}
_RATES = {"metavar": "RATE[,RATE...]", "type": numbers}
_OPTIONS = {
    **OPTIONS,
    "run_file": words(metavar="run", help="one run; - is standard input"),
    "--few": words(
        metavar="GRADE",
        type=int,
        action="append",
        default=[],
        help="study also the topics with few documents of this grade; may be repeated",
    ),
    "--ratio": words(
        default=10.0, help="a topic has few of a grade if R(1) >= ratio * R(grade) > 0"
    ),
    "--top": words(
        metavar="N", type=int, help="study only the N runs with the best mean AP"
    ),
    "--upper-quartiles": words(
        action="store_true",
        help="study only the runs above the first quartile of mean AP",
    ),
    "--statistic:correlation": words(choices=get_args(studies.Statistic), **_CELLS),
    "--statistic:thresholds": words(choices=get_args(studies.SweepStatistic), **_CELLS),
    "--statistic:incompleteness": words(
        choices=get_args(studies.IncompletenessStatistic), **_CELLS
    ),
    "--steps": words(default=10, help="steps of g from 0 to 1"),
    "--method": words(
        choices=get_args(studies.PoolReduction),
        default="stratified",
        help="how pools are reduced",
    ),
    "--rates": words(
        **_RATES,
        help="percentages or depths, such as 100,50,10,5 (default: the paper's)",
    ),
    "--rates:power": words(
        **_RATES, help="test also by samples of these percentages of the judgments"
    ),
    "--by-grade": words(
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether every grade is a stratum of its own (default), or all relevant documents "
        "are one",
    ),
    "--nested": words(
        action=argparse.BooleanOptionalAction,
        help="whether a smaller sample is part of every larger one (default: yes if stratified)",
    ),
    "--repeats": words(
        type=int, help="samples for each rate (default: 10 if random, else 1)"
    ),
    "--repeats:simulation": words(
        default=1000, help="number of judgments of each document", metavar="N"
    ),
    "--target": words(
        default="AP", help="the measure that the others are compared with"
    ),
    "--test": words(choices=TESTS, default="bootstrap", help="the test"),
    "--resamples": words(default=N_RESAMPLES, help="number of resamples"),
    "--change": words(
        choices=get_args(studies.DocumentChange),
        default="relevant",
        help="whether the document becomes relevant or rises by a grade",
    ),
    "--pool": words(
        choices=get_args(studies.PoolChange),
        default="fixed",
        help="whether the recall base grows with the document",
    ),
    "--max-rank": words(default=100, help="last rank that changes"),
    "--relevant": words(
        metavar="GRADE[,GRADE...]",
        type=grades,
        default=[3, 2, 1],
        help="the grades of the relevant documents (default: 3,2,1)",
    ),
    "--length": words(default=5, help="number of documents of a list", metavar="N"),
    "--show": words(
        metavar="LIST[,LIST...]",
        help="show also the values of these lists, such as 32000,00123",
    ),
    "--theta": words(
        default=0.9,
        help="half of the documents are judged relevant with this probability, the others with 1 "
        "minus it",
    ),
    "--topics": words(default=50, help="number of topics", metavar="N"),
    "--documents": words(
        default=10, help="number of documents of each topic", metavar="N"
    ),
}
_NAMES = ("AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref")
_SELECTED = "--few --ratio --top --upper-quartiles"


class Study(NamedTuple):
    """A study: the function that answers it and, in the order of its help, what it takes.

    Attributes
    ----------
    answer : callable
        Its name is that of the study, and its docstring the help.
    files : str
        The arguments without dashes.
    scoring : str
        Rules by which runs are scored.
    measures : sequence of str
        The measures by default; none if the study takes none.
    options : str
        Its own options; ``--plot`` if the result can be drawn.
    """

    answer: Callable[[Asked], Answer]
    files: str
    scoring: str = SCORING
    measures: tuple[str, ...] = _NAMES
    options: str = ""


STUDIES = (
    Study(topics, "qrels", "--grades --negative", ()),
    Study(
        correlation, "qrels runs", options=f"{_SELECTED} --statistic:correlation --plot"
    ),
    Study(
        thresholds,
        "qrels runs",
        measures=("AP", "nDCG", "RBP", "Bpref"),
        options=f"{_SELECTED} --steps --statistic:thresholds --plot",
    ),
    Study(
        incompleteness,
        "qrels runs",
        measures=(*_NAMES, "infAP"),
        options=f"{_SELECTED} --method --rates --by-grade --nested --repeats --target "
        "--statistic:incompleteness --seed --plot",
    ),
    Study(
        power,
        "qrels runs",
        options=f"{_SELECTED} --rates:power --by-grade --test --confidence --resamples --seed",
    ),
    Study(sensitivity, "qrels run_file", options="--change --pool --max-rank"),
    Study(lists, "", "", options="--relevant --length --show"),
    Study(
        simulation,
        "",
        "",
        options="--theta --topics --documents --repeats:simulation --seed",
    ),
)


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command, and add its studies."""
    parser.description = (
        "Study measures: do they agree, tolerate missing judgments, separate systems?"
    )
    parser.epilog = _EPILOG
    names = parser.add_subparsers(
        title="studies", dest="study", metavar="STUDY", required=True
    )
    for study in STUDIES:
        sentence, _, papers = (inspect.getdoc(study.answer) or "").partition("\n\n")
        added = names.add_parser(
            study.answer.__name__,
            help=f"{sentence[:1].lower()}{sentence[1:-1]}",
            description=sentence,
            epilog=papers,
        )
        groups = {
            "": f"{study.files} {'-m/--measure -g' if study.measures else ''} {study.options}",
            "scoring": study.scoring,
            "output": "--format -o/--output",
        }
        add_options(added, groups, _OPTIONS, study.measures)
        added.set_defaults(run=partial(_run, study.answer), parser=added)


def _run(answer: Callable[[Asked], Answer], arguments: argparse.Namespace) -> None:
    _outputs.check_files(arguments)
    parts, notes = answer(Asked(arguments))
    in_json = (
        _outputs.format_of(arguments) == "json"
    )  # which holds all notes; others beside
    reports = []
    for part in parts:
        report: Report = part.found._report()
        more: dict[str, Any] = {
            "tables": report.tables if part.tables is None else part.tables,
            "facts": {"study": arguments.study, **report.facts},
            "notes": notes if in_json else [],
            "labels": part.labels or {},
            "heading": part.heading if len(parts) > 1 else "",
        }
        reports.append(report._replace(**more))
    _outputs.write_reports(arguments, reports)
    if getattr(arguments, "plot", None) is not None:
        panels = [draw for each in parts for draw in each.draw or [each.found.plot]]
        _outputs.save_picture(arguments.plot, _outputs.figure_of(panels), dpi=120)
    if not in_json:
        _outputs.tell(notes)
