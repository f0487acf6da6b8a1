"""The table of ``skgraded study``: what each study is asked, and the papers that it repeats."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, get_args

from skgraded import studies
from skgraded._intervals.paired import N_RESAMPLES, TESTS
from skgraded._support.writers import WRITERS
from skgraded.cli import _study_answers as answers
from skgraded.cli._options import (
    add_confidence,
    add_grades,
    add_measures,
    add_outputs,
    add_plot,
    add_qrels,
    add_rules,
    add_runs,
    add_seed,
)

# Adds an option, or several that belong together, to a parser.
Option = Callable[[argparse.ArgumentParser], Any]


class Study(NamedTuple):
    """A study: its options in the order of its help, and the papers whose tables it repeats."""

    name: str
    summary: str
    answer: Callable[[answers.Asked], answers.Answer]
    options: tuple[Option, ...]
    papers: str


def _option(*names: str, **how: Any) -> Option:
    return lambda parser: parser.add_argument(*names, **how)


def _number(name: str, default: int, words: str, **how: Any) -> Option:
    return _option(name, type=int, default=default, help=f"{words} (default: %(default)s)", **how)


def _choice(name: str, choices: Any, default: str, words: str, **how: Any) -> Option:
    told = f"{words} (default: %(default)s)"
    return _option(name, choices=choices, default=default, help=told, **how)


def _measures(*default: str) -> Option:
    return lambda parser: add_measures(parser, default)


def _rates(words: str) -> Option:
    read = partial(_listed, float, "numbers")
    return _option("--rates", metavar="RATE[,RATE...]", type=read, help=words)


def _listed(kind: Callable[[str], Any], words: str, text: str) -> list[Any]:
    """Read values separated by commas."""
    try:
        return list(map(kind, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be {words} separated by commas, got {text!r}"
        ) from None


def _add_scoring(parser: argparse.ArgumentParser) -> None:
    add_rules(parser.add_argument_group("scoring"))


def _add_systems(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--top", metavar="N", type=int, help="study only the N runs with the best mean AP"
    )
    group.add_argument(
        "--upper-quartiles",
        action="store_true",
        help="study only the runs above the first quartile of mean AP",
    )


def _add_formats(parser: argparse.ArgumentParser) -> None:
    add_outputs(parser, WRITERS)


def _add_formats_and_plot(parser: argparse.ArgumentParser) -> None:
    add_plot(add_outputs(parser, WRITERS))


_NAMES = ("AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref")
_STATISTICS = get_args(studies.IncompletenessStatistic)
_SCORED = (add_qrels, add_runs, _add_scoring)
_SELECTED = (
    _option(
        "--few",
        metavar="GRADE",
        type=int,
        action="append",
        default=[],
        help="study also the topics with few documents of this grade; may be repeated",
    ),
    _option(
        "--ratio",
        type=float,
        default=10.0,
        help="a topic has few of a grade if R(1) >= ratio * R(grade) > 0 (default: %(default)s)",
    ),
    _add_systems,
)
_BY_GRADE = _option(
    "--by-grade",
    action=argparse.BooleanOptionalAction,
    default=True,
    help="whether every grade is a stratum of its own (default), or all relevant documents are one",
)

STUDIES = (
    Study(
        "topics",
        "count the documents of each grade by topic",
        answers.topics,
        (
            add_qrels,
            lambda parser: add_grades(parser.add_argument_group("scoring")),
            _add_formats,
        ),
        """\
paper:
  Ferrante, Ferro and Maistro (2014), Table 1: the numbers of topics, with few
  documents of a grade where R(1) >= 10 R(grade) > 0, and of relevant documents
    skgraded study topics qrels.txt
""",
    ),
    Study(
        "correlation",
        "compare the orders in which measures put systems",
        answers.correlation,
        (
            *_SCORED,
            _measures(*_NAMES),
            *_SELECTED,
            _choice("--statistic", get_args(studies.Statistic), "kendall", "what the cells show"),
            _add_formats_and_plot,
        ),
        """\
paper:
  Sakai (2007), Table 2: Kendall's tau of ten measures, by the 30 runs with the
  best mean AP; the grades are 1, 2 and 3
    skgraded study correlation qrels.txt runs/* --top 30 -m BprefR -m BprefN \\
      -m RprefN -m RprefRelative2 -m "AP(unjudged=condense)" \\
      -m "QMeasure(unjudged=condense)" \\
      -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP -m QMeasure \\
      -m "nDCG(discount=jk)@1000"
""",
    ),
    Study(
        "thresholds",
        "correlate GAP, xGAP and eGAP with other measures for every g",
        answers.thresholds,
        (
            *_SCORED,
            _measures("AP", "nDCG", "RBP", "Bpref"),
            *_SELECTED,
            _number("--steps", 10, "steps of g from 0 to 1"),
            _choice(
                "--statistic", get_args(studies.SweepStatistic), "kendall", "what the cells show"
            ),
            _add_formats_and_plot,
        ),
        """\
paper:
  Ferrante, Ferro and Maistro (2014), Tables 2 and 3: Kendall's tau with AP,
  nDCG, RBP and bpref, by the runs above the first quartile of mean AP, over
  all topics and over those with few documents of a grade
    skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2
    skgraded study thresholds qrels.txt runs/* --upper-quartiles --few 2 \\
      --few 3 --steps 5                       three grades above 0, Table 3
""",
    ),
    Study(
        "incompleteness",
        "score runs under smaller and smaller pools",
        answers.incompleteness,
        (
            *_SCORED,
            _measures(*_NAMES, "infAP"),
            *_SELECTED,
            _choice(
                "--method", get_args(studies.PoolReduction), "stratified", "how pools are reduced"
            ),
            _rates("percentages or depths, such as 100,50,10,5 (default: the paper's)"),
            _BY_GRADE,
            _option(
                "--nested",
                action=argparse.BooleanOptionalAction,
                help="whether a smaller sample is part of every larger one (default: yes if "
                "stratified)",
            ),
            _option(
                "--repeats", type=int, help="samples for each rate (default: 10 if random, else 1)"
            ),
            _option(
                "--target",
                default="AP",
                help="the measure that the others are compared with (default: %(default)s)",
            ),
            _choice(
                "--statistic",
                _STATISTICS,
                "kendall",
                f"{', '.join(_STATISTICS[:-1])} or {_STATISTICS[-1]}",
                metavar="STATISTIC",
            ),
            add_seed,
            _add_formats_and_plot,
        ),
        """\
papers:
  Ferrante, Ferro and Maistro (2014), Figure 1: a stratum for each grade, the
  runs above the first quartile, all topics and those with few of grade 2;
  Figure 2 has g=[0.2,0.2,0.6], and --few 3 beside --few 2
    skgraded study incompleteness qrels.txt runs/* --upper-quartiles --few 2 \\
      -m "GAP(g=[0.1,0.9])" -m "xGAP(g=[0.1,0.9])" -m "eGAP(g=[0.1,0.9])" \\
      -m AP -m nDCG -m RBP -m Bpref
  Sakai (2007), Figure 2, and with --statistic score Figure 1: two strata,
  nested samples, the 30 runs with the best mean AP; the grades are 1, 2 and 3
    skgraded study incompleteness qrels.txt runs/* --top 30 --no-by-grade \\
      --rates 100,90,70,50,30,10 -m BprefR -m RprefRelative2 \\
      -m "AP(unjudged=condense)" -m "QMeasure(unjudged=condense)" \\
      -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP \\
      -m QMeasure -m "nDCG(discount=jk)@1000"
  Yilmaz and Aslam (2006), Figure 3: all runs, ten simple random samples of each
  rate; target_pearson and target_rmse are its other two plots
    skgraded study incompleteness qrels.txt runs/* --method random -m infAP \\
      -m BprefTen --statistic target_kendall
""",
    ),
    Study(
        "power",
        "count the pairs of systems that differ significantly",
        answers.power,
        (
            *_SCORED,
            _measures(*_NAMES),
            *_SELECTED,
            _rates("test also by samples of these percentages of the judgments"),
            _BY_GRADE,
            _choice("--test", TESTS, "bootstrap", "the test"),
            add_confidence,
            _number("--resamples", N_RESAMPLES, "number of resamples"),
            add_seed,
            _add_formats,
        ),
        """\
paper:
  Sakai (2007), Table 3: the 30 runs with the best mean AP, at alpha = .05 with
  1000 resamples; the grades are 1, 2 and 3
    skgraded study power qrels.txt runs/* --top 30 --resamples 1000 \\
      -m BprefR -m BprefN \\
      -m RprefN -m RprefRelative2 -m "AP(unjudged=condense)" \\
      -m "QMeasure(unjudged=condense)" \\
      -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP -m QMeasure \\
      -m "nDCG(discount=jk)@1000"
  Figure 3: the same without BprefN and RprefN, under nested samples of two
  strata
      --no-by-grade --rates 100,70,50,30,10
""",
    ),
    Study(
        "sensitivity",
        "measure the gain from a change of the document at each rank",
        answers.sensitivity,
        (
            add_qrels,
            _option("run_file", metavar="run", help="one run; - is standard input"),
            _add_scoring,
            _measures(*_NAMES),
            _choice(
                "--change",
                get_args(studies.DocumentChange),
                "relevant",
                "whether the document becomes relevant or rises by a grade",
            ),
            _choice(
                "--pool",
                get_args(studies.PoolChange),
                "fixed",
                "whether the recall base grows with the document",
            ),
            _number("--max-rank", 100, "last rank that changes"),
            _add_formats,
        ),
        """\
paper:
  Kishida (2005), Sections 2.2 and 4: Equation 10 for AP, and the changes of
  graded measures; it has no table of them
    skgraded study sensitivity qrels.txt bm25.run -m AP -m RPrecision
  Section 3.2, Equation 16, of which Table 1 shows the bound at rank 101
  (skgraded.studies.change_by_discovery)
    skgraded study sensitivity qrels.txt bm25.run -m AP --pool grows \\
      --max-rank 101
""",
    ),
    Study(
        "lists",
        "score every list that can be made of a few relevant documents",
        answers.lists,
        (
            _measures(*_NAMES),
            _option(
                "--relevant",
                metavar="GRADE[,GRADE...]",
                type=partial(_listed, int, "whole numbers"),
                default=[3, 2, 1],
                help="the grades of the relevant documents (default: 3,2,1)",
            ),
            _number("--length", 5, "number of documents of a list", metavar="N"),
            _option(
                "--show",
                metavar="LIST[,LIST...]",
                help="show also the values of these lists, such as 32000,00123",
            ),
            _add_formats,
        ),
        """\
paper:
  Kishida (2005), Tables 3 and 4; with --show, Table 5
    skgraded study lists --relevant 3,2,1 --length 5 \\
      -m ModifiedSlidingRatio -m AveragedNDCG -m QMeasure -m GeneralizedAP \\
      -m AP --show 32000,00123,03210,30000,00003
""",
    ),
    Study(
        "simulation",
        "simulate how much assessors who err change a measure",
        answers.simulation,
        (
            _measures(*_NAMES),
            _option(
                "--theta",
                type=float,
                default=0.9,
                help="half of the documents are judged relevant with this probability, the others "
                "with 1 minus it (default: %(default)s)",
            ),
            _number("--topics", 50, "number of topics", metavar="N"),
            _number("--documents", 10, "number of documents of each topic", metavar="N"),
            _number("--repeats", 1000, "number of judgments of each document", metavar="N"),
            add_seed,
            _add_formats,
        ),
        """\
paper:
  Kishida (2005), Section 3.3, Table 2, whose random numbers were others
    skgraded study simulation --theta 0.9 -m AP
    skgraded study simulation --theta 0.5 -m AP
""",
    ),
)
