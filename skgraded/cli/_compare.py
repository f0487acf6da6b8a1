"""``skgraded compare``: test which runs differ significantly."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from skgraded._intervals.paired import CORRECTIONS, N_RESAMPLES, TESTS
from skgraded._support.text import wrap
from skgraded.cli._inputs import Inputs, opened
from skgraded.cli._options import OPTIONS, SCORING_OF_FILES, add_options, words
from skgraded.cli._outputs import check_files, save_picture, tell, write_reports
from skgraded.comparison import compare
from skgraded.exceptions import UnhelpfulJudgeWarning, UnlikeQueriesWarning
from skgraded.results import Scores
from skgraded.trec import Qrels, overlap, read_run

# Notes below the table say what these warnings do.
_TOLD = (UnhelpfulJudgeWarning, UnlikeQueriesWarning)

_EPILOG = """\
examples:
  skgraded compare qrels.txt a.run b.run c.run -m "eGAP(g=[0.1,0.9])"
  skgraded compare qrels.txt runs/*.xz -m nDCG@10 --baseline bm25 --plot all.png
  skgraded compare qrels.txt new.run old.run -m nDCG@10 --margin 0.01
  skgraded compare qrels.txt new old -m AP -m P@1 --margin AP=0 --margin P@1=.02
  skgraded compare qrels.txt new.run old.run --profile --plot users.png
  skgraded compare human.txt new.run old.run -m nDCG@10 --judge llm.txt
  skgraded compare --overlap new.run old.run
"""


def _numbers_of_topics(text: str) -> list[int]:
    """Read numbers of topics separated by commas."""
    return [int(number) for number in text.split(",")]


def _by_measure(option: str, texts: list[str] | None) -> Any:
    """Read a number, or numbers by measures, whose names may hold equals signs."""
    if not texts:
        return None
    numbers: dict[str, float] = {}
    for text in texts:
        measure, _, number = text.rpartition("=")  # names hold such signs, too
        try:
            numbers[measure] = float(number)
        except ValueError:
            raise ValueError(
                f"{option} must be a number, or MEASURE=NUMBER, got {text!r}."
            ) from None
    if "" not in numbers:
        return numbers
    if len(texts) > 1:
        raise ValueError(
            f"{option} must be one number, or one for each measure as MEASURE=NUMBER, got "
            f"{' and '.join(texts)}."
        )
    return numbers[""]


_OPTIONS = {
    **OPTIONS,
    "--baseline": words(
        metavar="RUN",
        help="the run to compare the others with (default: all pairs are compared, or with "
        "--profile the last run is the baseline)",
    ),
    "--margin": words(
        action="append",
        metavar="[MEASURE=]NUMBER",
        help="by how much a run may fall behind the baseline, by default the last run, and 0 if it "
        "must be better; repeat it with the measures for a margin each; the exit status is then 0 "
        "if all whole intervals are above minus the margin, 1 if one is below, and else 3",
    ),
    "--better": words(
        action="store_true",
        help="decide whether runs are better than the baseline, by default the last run, with the "
        "same exit status",
    ),
    "--worst": words(
        action="append",
        metavar="[MEASURE=]NUMBER",
        help="the largest loss of one topic that is allowed for, up to 1, everything; repeat it "
        "with the measures for one each (default: half of the range, or all of it with a margin, "
        "or where more was seen)",
    ),
    "--looks": words(
        metavar="N[,N...]",
        type=_numbers_of_topics,
        help="numbers of topics at which you planned to look, such as 100,300,600",
    ),
    "--cluster": words(
        metavar="FILE",
        help="lines of a topic and its cluster, such as the person who asked: topics of a cluster "
        "do not vary independently",
    ),
    "--judge": words(
        action="append",
        default=[],
        metavar="QRELS",
        help="qrels of a judge that never saw the human labels, such as a language model, with all "
        "topics of the human qrels and more; differences are then estimated from both; repeat it "
        "for several judges, or for folds of the human topics, each by a judge made without it",
    ),
    "--population": words(
        choices=["like_these", "these"],
        default="like_these",
        help="with --judge, whether differences are over more topics like these, or over these "
        "alone",
    ),
    "--test": words(
        action="append",
        choices=TESTS,
        dest="tests",
        help="a test whose p-values stand beside that of the interval; repeat it for several",
    ),
    "--correction": words(
        choices=CORRECTIONS,
        help="correction for the number of pairs and measures (default: bonferroni, of intervals "
        "too; tukey has its own for the pairs)",
    ),
    "--resamples": words(
        type=int,
        help=f"number of resamples of the tests that draw some (default: {N_RESAMPLES})",
    ),
    "--overlap": words(
        action="store_true",
        help="compare what runs retrieve, without qrels: rank-biased overlap and common documents "
        "among the first ten, of each pair of runs",
    ),
    "--profile": words(
        action="store_true",
        help="tell for which users a run is better, by AP at every grade, instead of testing by "
        "measures",
    ),
}


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command, and add its options."""
    parser.description = (
        "Compare runs by paired tests over topics, or for all users by --profile."
    )
    parser.epilog = f"{_tests_in_words()}\n{_EPILOG}"
    groups = {
        "": (
            "qrels",
            "runs",
            "-m/--measure",
            "-g",
            "--baseline",
            "--margin",
            "--better",
            "--worst",
            "--looks",
            "--cluster",
            "--judge",
            "--population",
            "--test",
            "--correction",
            "--confidence",
            "--resamples",
            "--overlap",
            "--profile",
            "--seed",
        ),
        "scoring": SCORING_OF_FILES,
        "output": ("--format", "-o/--output", "--plot"),
    }
    add_options(parser, groups, _OPTIONS, ("AP",))
    parser.set_defaults(run=run)


def _tests_in_words() -> str:
    """Explain the tests, for the end of the help."""
    told = (
        f"  {name:<15}{test.title}: {test.hypothesis}" for name, test in TESTS.items()
    )
    lines = [wrap(each, indent=17) for each in told]
    return "\n".join(["tests, and what they suppose:", *lines]) + "\n"


def run(arguments: argparse.Namespace) -> int:
    """Compare runs, by measures or for all users; return the exit status."""
    check_files(arguments)
    if arguments.overlap:
        _print_overlap(arguments)
        return 0
    with warnings.catch_warnings():
        for told in _TOLD:
            warnings.simplefilter("ignore", told)
        scores, found = (_profile if arguments.profile else _compare)(arguments)
    write_reports(arguments, [found._report()])
    tell(scores._notes())
    if arguments.plot is not None:
        ax, *_ = np.ravel(found.plot())
        save_picture(arguments.plot, ax.figure)
    return 0 if getattr(found, "decisions", None) is None else found.status


def _print_overlap(arguments: argparse.Namespace) -> None:
    """Print the overlap of each pair of runs, of which the first stands in the place of qrels."""
    arguments.parser.refuse(
        arguments,
        "--measure -g --judge --population --test --correction --margin --better --as --baseline "
        "--cluster --resamples --seed --profile --plot --complete --ties --grades --negative "
        "--raters --exclude --letor",
        "cannot be given with --overlap, which needs no qrels",
    )
    paths = [arguments.qrels, *arguments.runs]
    runs = [read_run(opened(path), strict=arguments.strict) for path in paths]
    scores = overlap(runs, order=arguments.order)
    write_reports(arguments, [scores._report_of_means("arithmetic")])


def _profile(arguments: argparse.Namespace) -> tuple[Scores, Any]:
    from skgraded.users import (
        threshold_profile,
    )  # here and not above: a test does not need it

    arguments.parser.refuse(
        arguments,
        "--measure -g --judge --population --test --correction --margin --better --worst --looks "
        "--as --resamples --seed",
        "cannot be given with --profile",
    )
    inputs = Inputs(arguments)
    grades = range(1, _top_whole_grade(inputs.qrels) + 1)
    scores = inputs.scores(inputs.measures(*(f"AP(rel={grade})" for grade in grades)))
    return scores, threshold_profile(
        scores,
        baseline=arguments.baseline,
        cluster=_read_clusters(arguments.cluster),
        confidence=arguments.confidence,
    )


def _top_whole_grade(qrels: Qrels) -> int:
    """Return the highest grade, at least 1; raise where labels lie between grades.

    The users of a profile are told apart by AP at the thresholds 1, 2, ..., but users of such
    labels have thresholds between these, too.
    """
    if qrels.are_fractional:
        between = qrels.grades[qrels.grades != np.floor(qrels.grades)][0]
        raise ValueError(
            f"{qrels.name}: grades must be integers for --profile, which compares them with "
            f"the thresholds 1, 2, ..., got {between:g}. Measures take them as they are, such as "
            '-m "eGAP(g=[...])" without this option.'
        )
    return max(1, int(qrels.top_grade))


def _compare(arguments: argparse.Namespace) -> tuple[Scores, Any]:
    cluster = _read_clusters(arguments.cluster)
    inputs = Inputs(arguments)
    judge = None
    if arguments.judge:
        arguments.parser.refuse(
            arguments, "--letor --cluster", "cannot be given with --judge"
        )
        scores, judge = inputs.scores_by_judges()
    else:
        scores = inputs.scores()
    baseline = arguments.baseline
    if (
        baseline is None
        and scores.systems
        and (arguments.margin is not None or arguments.better)
    ):
        baseline = scores.systems[-1]
    return scores, compare(
        scores,
        baseline=baseline,
        margin=_by_measure("--margin", arguments.margin),
        better=arguments.better,
        worst=_by_measure("--worst", arguments.worst),
        looks=arguments.looks,
        cluster=cluster,
        judge=judge,
        population=arguments.population,
        tests=arguments.tests,
        correction=arguments.correction,
        confidence=arguments.confidence,
        n_resamples=arguments.resamples,
        random_state=arguments.seed,
    )


def _read_clusters(path: str | None) -> dict[str, str] | None:
    """Read the cluster of each topic."""
    if path is None:
        return None
    found: dict[str, str] = {}
    for number, line in enumerate(
        Path(path).read_text(encoding="utf-8").splitlines(), start=1
    ):
        words = line.split()
        if not words:
            continue
        if len(words) != 2 or found.setdefault(words[0], words[1]) != words[1]:  # noqa: PLR2004
            raise ValueError(
                f"{path}, line {number}: must hold a topic and its only cluster, got {line!r}."
            )
    return found
