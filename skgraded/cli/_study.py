"""``skgraded study``: a table of the studies of measures on your own runs.

The docstring of the function that answers a study is its help: what it does, and the papers whose
tables it repeats.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any, get_args

import numpy as np

from skgraded import studies
from skgraded._intervals.paired import N_RESAMPLES, TESTS
from skgraded._support.arguments import integer
from skgraded.cli import _outputs
from skgraded.cli._inputs import faults_name_the_judgments, with_fields
from skgraded.cli._options import OPTIONS, SCORING, Words, add_options, numbers, words
from skgraded.cli._study_inputs import Answer, Section, StudyInputs
from skgraded.results import Scores
from skgraded.trec import rank

_EPILOG = """\
examples:
  skgraded study topics qrels.txt
  skgraded study thresholds qrels.txt runs/*.xz --few 2 --plot g.png
  skgraded study incompleteness qrels.txt runs/*.xz -m AP -m infAP --repeats 10
  skgraded study power qrels.txt runs/*.xz -m AP -m "eGAP(g=[0.1,0.9])"
"""


def _notes_on(scores: Scores) -> Sequence[str]:
    """Return the notes on what was left out of scores, and on topics without relevant documents."""
    return scores._notes()


def _heading_of(topics: str) -> str:
    return "All topics" if topics == "all" else f"Topics with {topics}"


def topics(inputs: StudyInputs) -> Answer:
    """Count the documents of each grade by topic.

    paper:
      Ferrante, Ferro and Maistro (2014), Table 1: the numbers of topics, with few
      documents of a grade where R(1) >= 10 R(grade) > 0, and of relevant documents
        skgraded study topics qrels.txt
    """
    return [Section(inputs.facts)], inputs.qrels.notes(inputs.negative)


def correlation(inputs: StudyInputs) -> Answer:
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
    scores = inputs.scores(inputs.measure_list)
    statistic = inputs.given.statistic
    correlation = studies.correlate(
        scores, topics=inputs.topics, systems=inputs.systems
    )
    section = Section(
        correlation,
        tables=[correlation.table(statistic)],
        panels=[partial(correlation.plot, statistic=statistic)],
    )
    return [section], _notes_on(scores)


def thresholds(inputs: StudyInputs) -> Answer:
    r"""Correlate GAP, xGAP and eGAP with other measures for every g.

    paper:
      Ferrante, Ferro and Maistro (2014), Tables 2 and 3: Kendall's tau with AP,
      nDCG, RBP and bpref, by the runs above the first quartile of mean AP, over
      all topics and over those with few documents of a grade
        skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2
        skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2 \
          --few 3 --steps 5                       three grades above 0, Table 3
    """
    arguments = inputs.given
    top_grade = inputs.facts.grades[-1]
    if top_grade < 1:
        raise ValueError(
            f"{inputs.qrels.name}: thresholds need grades of 1 or more, got none."
        )

    grid = studies.threshold_grid(int(top_grade), arguments.steps)
    swept_measures = [
        with_fields(measure, ties=arguments.ties)
        for measure in studies.threshold_measures(grid)
    ]
    scores = inputs.scores([*swept_measures, *inputs.measure_list])
    sweep = studies.sweep_thresholds(
        scores, topics=inputs.topics, systems=inputs.systems
    )
    section = Section(sweep, tables=[sweep.table(arguments.statistic)])
    return [section], _notes_on(scores)


def incompleteness(inputs: StudyInputs) -> Answer:
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
    arguments = inputs.given
    topics = inputs.topics
    systems = inputs.systems
    n_repeats = arguments.repeats
    if n_repeats is None:
        # Yilmaz and Aslam average ten simple random samples; the other papers take one.
        n_repeats = 10 if arguments.method == "random" else 1

    with faults_name_the_judgments(inputs.qrels):
        result = studies.incompleteness(
            inputs.measure_list,
            inputs.qrels,
            inputs.runs,
            method=arguments.method,
            rates=arguments.rates,
            n_repeats=n_repeats,
            by_grade=arguments.by_grade,
            nested=arguments.nested,
            target=inputs.with_ties(arguments.target),
            topics=topics,
            systems=systems,
            random_state=arguments.seed,
            **inputs.rules,
        )

    # A table and a panel for each set of topics.
    statistic = arguments.statistic
    tables = []
    panels = []
    for name in result.topic_sets:
        table = result.table(statistic, name)
        if len(result.topic_sets) > 1:
            table = table._replace(title=f"{_heading_of(name)}: {table.title}")
        tables.append(table)
        panels.append(partial(result.plot, statistic=statistic, topics=name))
    return [Section(result, tables=tables, panels=panels)], result.notes


def power(inputs: StudyInputs) -> Answer:
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
    arguments = inputs.given
    qrels = inputs.qrels
    systems = inputs.systems
    topics = inputs.topics
    runs = inputs.runs
    if systems is not None:
        runs = list(compress(runs, systems))
    sections = []
    notes = list(qrels.notes(inputs.negative))

    # The smaller samples of the judgments are parts of the larger.
    for rate in arguments.rates or [None]:
        judgments = qrels
        if rate is not None:
            judgments = studies.reduce_pool(
                qrels, rate, by_grade=arguments.by_grade, random_state=arguments.seed
            )
        scores = inputs.scores(inputs.measure_list, judgments, runs)
        # A sample's own judgments left out are no news.
        notes_on_sample = judgments.notes(inputs.negative)
        if rate is not None:
            notes_on_sample += [
                note for note in scores._notes() if note.startswith("Judged@")
            ]
        notes += [note for note in _notes_on(scores) if note not in notes_on_sample]

        for name, mask in topics.items():
            labels: dict[str, Any] = {"topics": name} if len(topics) > 1 else {}
            heading = _heading_of(name)
            if rate is not None:
                labels["rate"] = rate
                heading += f", {rate:g}% of the judgments"
            result = studies.discriminative_power(
                scores.select(qid=scores.qid[mask].tolist()),
                test=arguments.test,
                confidence=arguments.confidence,
                n_resamples=arguments.resamples,
                random_state=arguments.seed,
            )
            sections.append(Section(result, labels, heading))
    return sections, list(dict.fromkeys(notes))


def sensitivity(inputs: StudyInputs) -> Answer:
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
    arguments = inputs.given
    qrels = inputs.qrels
    run = inputs.run(arguments.run_file)
    with faults_name_the_judgments(qrels):
        result = studies.sensitivity(
            inputs.measure_list,
            rank(qrels, run, **inputs.rules),
            change=arguments.change,
            pool=arguments.pool,
            max_rank=arguments.max_rank,
        )
    return [Section(result)], list(inputs.scores("P@1", qrels, [run]).notes)


def lists(inputs: StudyInputs) -> Answer:
    r"""Score every list that can be made of a few relevant documents.

    paper:
      Kishida (2005), Tables 3 and 4; with --show, Table 5
        skgraded study lists --relevant 3,2,1 --length 5 \
          -m ModifiedSlidingRatio -m AveragedNDCG -m QMeasure -m GeneralizedAP \
          -m AP --show 32000,00123,03210,30000,00003
    """
    arguments = inputs.given
    result = studies.score_all_lists(
        inputs.measure_list, arguments.relevant, arguments.length
    )
    tables = [result.table()]
    if arguments.show is not None:
        try:
            lists_to_show = result.at(*arguments.show.split(","))
        except KeyError as error:
            raise ValueError(f"--show: {error.args[0]}") from None
        tables.append(lists_to_show.table_of_values())
    return [Section(result, tables=tables)], []


def simulation(inputs: StudyInputs) -> Answer:
    """Simulate how much assessors who err change a measure.

    paper:
      Kishida (2005), Section 3.3, Table 2, whose random numbers were others
        skgraded study simulation --theta 0.9 -m AP
        skgraded study simulation --theta 0.5 -m AP
    """
    arguments = inputs.given
    if not 0.0 <= arguments.theta <= 1.0:
        raise ValueError(f"--theta must lie between 0 and 1, got {arguments.theta}.")
    n_topics = integer("--topics", arguments.topics, 1)
    n_documents = integer("--documents", arguments.documents, 1)

    rng = np.random.default_rng(arguments.seed)
    is_high = rng.random(n_topics * n_documents) < 0.5  # noqa: PLR2004
    result = studies.simulate_judgments(
        inputs.measure_list,
        np.where(is_high, arguments.theta, 1.0 - arguments.theta),
        np.tile(-np.arange(float(n_documents)), n_topics),
        qid=np.repeat(np.arange(n_topics), n_documents),
        n_repeats=arguments.repeats,
        random_state=rng,
    )
    return [Section(result)], []


def grades(text: str) -> list[int]:
    """Read grades separated by commas; messages have the name of this function."""
    return list(map(int, text.split(",")))


def _statistic(names: Any) -> Words:
    return words(choices=get_args(names), default="kendall", help="what the cells show")


def _rates(sentence: str) -> Words:
    return words(metavar="RATE[,RATE...]", type=numbers, help=sentence)


# The topics and runs that are studied.
_SELECTION = {
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
}
_BY_GRADE = words(
    action=argparse.BooleanOptionalAction,
    default=True,
    help="whether every grade is a stratum of its own (default), or all relevant documents "
    "are one",
)
_NAMES = ("AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref")


@dataclasses.dataclass(frozen=True)
class Study:
    """A study: the function that answers it and, in the order of its help, what it takes.

    Attributes
    ----------
    answer : callable
        Its name is that of the study, and its docstring the help.
    files : sequence of str
        The arguments without dashes, of `OPTIONS`.
    measures : sequence of str
        The measures by default; none if the study takes none.
    options : mapping of str to Words
        Its own options.
    scoring : sequence of str
        Rules by which runs are scored, of `OPTIONS`.
    """

    answer: Callable[[StudyInputs], Answer]
    files: Sequence[str] = ("qrels", "runs")
    measures: Sequence[str] = _NAMES
    options: Mapping[str, Words] = dataclasses.field(default_factory=dict)
    scoring: Sequence[str] = SCORING


STUDIES = (
    Study(topics, ("qrels",), (), scoring=("--grades", "--negative")),
    Study(
        correlation,
        options={
            **_SELECTION,
            "--statistic": _statistic(studies.Statistic),
            "--plot": OPTIONS["--plot"],
        },
    ),
    Study(
        thresholds,
        measures=("AP", "nDCG", "RBP", "Bpref"),
        options={
            **_SELECTION,
            "--steps": words(default=10, help="steps of g from 0 to 1"),
            "--statistic": _statistic(studies.SweepStatistic),
            "--plot": OPTIONS["--plot"],
        },
    ),
    Study(
        incompleteness,
        measures=(*_NAMES, "infAP"),
        options={
            **_SELECTION,
            "--method": words(
                choices=get_args(studies.PoolReduction),
                default="stratified",
                help="how pools are reduced",
            ),
            "--rates": _rates(
                "percentages or depths, such as 100,50,10,5 (default: the paper's)"
            ),
            "--by-grade": _BY_GRADE,
            "--nested": words(
                action=argparse.BooleanOptionalAction,
                help="whether a smaller sample is part of every larger one (default: yes if "
                "stratified)",
            ),
            "--repeats": words(
                type=int, help="samples for each rate (default: 10 if random, else 1)"
            ),
            "--target": words(
                default="AP", help="the measure that the others are compared with"
            ),
            "--statistic": _statistic(studies.IncompletenessStatistic),
            "--seed": OPTIONS["--seed"],
            "--plot": OPTIONS["--plot"],
        },
    ),
    Study(
        power,
        options={
            **_SELECTION,
            "--rates": _rates(
                "test also by samples of these percentages of the judgments"
            ),
            "--by-grade": _BY_GRADE,
            "--test": words(choices=TESTS, default="bootstrap", help="the test"),
            "--confidence": OPTIONS["--confidence"],
            "--resamples": words(default=N_RESAMPLES, help="number of resamples"),
            "--seed": OPTIONS["--seed"],
        },
    ),
    Study(
        sensitivity,
        ("qrels", "run_file"),
        options={
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
        },
    ),
    Study(
        lists,
        (),
        options={
            "--relevant": words(
                metavar="GRADE[,GRADE...]",
                type=grades,
                default=[3, 2, 1],
                help="the grades of the relevant documents (default: 3,2,1)",
            ),
            "--length": words(
                default=5, help="number of documents of a list", metavar="N"
            ),
            "--show": words(
                metavar="LIST[,LIST...]",
                help="show also the values of these lists, such as 32000,00123",
            ),
        },
        scoring=(),
    ),
    Study(
        simulation,
        (),
        options={
            "--theta": words(
                default=0.9,
                help="half of the documents are judged relevant with this probability, the others "
                "with 1 minus it",
            ),
            "--topics": words(default=50, help="number of topics", metavar="N"),
            "--documents": words(
                default=10, help="number of documents of each topic", metavar="N"
            ),
            "--repeats": words(
                default=1000, help="number of judgments of each document", metavar="N"
            ),
            "--seed": OPTIONS["--seed"],
        },
        scoring=(),
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
        study_parser = names.add_parser(
            study.answer.__name__,
            help=f"{sentence[:1].lower()}{sentence[1:-1]}",
            description=sentence,
            epilog=papers,
        )
        measures = ("-m/--measure", "-g") if study.measures else ()
        groups = {
            "": (*study.files, *measures, *study.options),
            "scoring": study.scoring,
            "output": ("--format", "-o/--output"),
        }
        table = {**OPTIONS, **study.options}
        add_options(study_parser, groups, table, study.measures)
        run = partial(_run, study.answer)
        study_parser.set_defaults(run=run, parser=study_parser)


def _run(
    answer: Callable[[StudyInputs], Answer], arguments: argparse.Namespace
) -> None:
    _outputs.check_files(arguments)
    sections, notes = answer(StudyInputs(arguments))

    # JSON holds all notes; the other formats have them beside.
    is_json = _outputs.format_of(arguments) == "json"
    notes_in_report = notes if is_json else []
    is_alone = len(sections) == 1
    reports = [
        section.report(arguments.study, notes_in_report, is_alone=is_alone)
        for section in sections
    ]
    _outputs.write_reports(arguments, reports)

    if getattr(arguments, "plot", None) is not None:
        panels: list[Callable[[Any], Any]] = []
        for section in sections:
            panels += section.panels or [section.result.plot]
        _outputs.save_picture(arguments.plot, _outputs.figure_of(panels), dpi=120)
    if not is_json:
        _outputs.tell(notes)
