"""``skgraded compare``: test which runs differ significantly."""

from __future__ import annotations

import argparse
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from skgraded._intervals.paired import CORRECTIONS, N_RESAMPLES, TESTS
from skgraded._support.writers import WRITERS
from skgraded.cli._options import add_confidence, add_measures, add_outputs, add_plot, add_seed
from skgraded.cli._outputs import check_outputs, save_picture, tell, write_reports
from skgraded.cli._refusals import refuse_beside
from skgraded.cli._scored_runs import (
    add_scoring,
    score_runs,
    score_runs_by_judges,
    top_whole_grade,
)
from skgraded.comparison import compare
from skgraded.exceptions import FewDifferencesWarning, UnhelpfulJudgeWarning, UnlikeQueriesWarning
from skgraded.results import Scores
from skgraded.users import threshold_profile

# Notes below the table say what these warnings do.
_TOLD = (FewDifferencesWarning, UnhelpfulJudgeWarning, UnlikeQueriesWarning)

_EPILOG = """\
examples:
  skgraded compare qrels.txt a.run b.run c.run -m "eGAP(g=[0.1,0.9])"
  skgraded compare qrels.txt runs/*.xz -m nDCG@10 --baseline bm25 --plot all.png
  skgraded compare qrels.txt new.run old.run -m nDCG@10 --margin 0.01
  skgraded compare qrels.txt new.run old.run --profile --plot users.png
  skgraded compare human.txt new.run old.run -m nDCG@10 --judge llm.txt
"""


def add_command(commands: Any, summary: str) -> None:
    """Add ``compare`` to the command line."""
    parser = commands.add_parser(
        "compare",
        help=summary,
        description="Compare runs by paired tests over topics, or for all users by --profile.",
        epilog=f"{_tests_in_words()}\n{_EPILOG}",
    )
    add_scoring(parser)
    add_measures(parser, ("AP",), "the measure to compare by; repeat it for several")
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run to compare the others with (default: all pairs are compared, or with "
        "--profile the last run is the baseline)",
    )
    _add_gate(parser)
    _add_judge(parser)
    _add_tests(parser)
    parser.add_argument(
        "--profile",
        action="store_true",
        help="tell for which users a run is better, by AP at every grade, instead of testing by "
        "measures",
    )
    add_seed(parser)
    outputs = add_outputs(parser, WRITERS)
    add_plot(outputs)
    parser.set_defaults(run=run, parser=parser)


def _tests_in_words() -> str:
    """Explain the tests, for the end of the help."""
    lines = ["tests, and what they suppose:"]
    for name, test in TESTS.items():
        told = f"{test.title}: {test.hypothesis}"
        lines.append(
            textwrap.fill(told, 80, initial_indent=f"  {name:<15}", subsequent_indent=" " * 17)
        )
    return "\n".join(lines) + "\n"


def _add_tests(parser: argparse.ArgumentParser) -> None:
    """Add the tests, their correction, confidence and resamples."""
    parser.add_argument(
        "--test",
        action="append",
        choices=TESTS,
        dest="tests",
        help="the test, explained below; repeat it for several (default: score)",
    )
    parser.add_argument(
        "--correction",
        choices=CORRECTIONS,
        help="correction for the number of pairs and measures (default: holm; tukey has its own "
        "for the pairs)",
    )
    add_confidence(parser)
    parser.add_argument(
        "--resamples",
        type=int,
        help=f"number of resamples of the tests that draw some (default: {N_RESAMPLES})",
    )


def _add_gate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--margin",
        type=float,
        help="by how much a run may fall behind the baseline, by default the last run; the exit "
        "status is then 0 if the whole interval is above minus the margin, 1 if it is below, and "
        "else 3, of several measures the worst",
    )
    parser.add_argument(
        "--better",
        action="store_true",
        help="decide whether runs are better than the baseline, by default the last run, with the "
        "same exit status",
    )
    parser.add_argument(
        "--cluster",
        metavar="FILE",
        help="lines of a topic and its cluster, such as the person who asked: topics of a cluster "
        "do not vary independently",
    )


def _add_judge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        dest="judges",
        metavar="QRELS",
        help="qrels of a judge that never saw the human labels, such as a language model, with all "
        "topics of the human qrels and more; differences are then estimated from both; repeat it "
        "for several judges, or for folds of the human topics, each by a judge made without it",
    )
    parser.add_argument(
        "--population",
        choices=["like_these", "these"],
        default="like_these",
        help="with --judge, whether differences are over more topics like these, or over these "
        "alone (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Compare runs, by a measure or for all users; return the exit status."""
    if arguments.profile:
        _profile(arguments)
        return 0
    return _compare(arguments)


def _profile(arguments: argparse.Namespace) -> None:
    refuse_beside(arguments, "--profile")
    check_outputs(arguments)
    scores = score_runs(
        arguments, lambda qrels: [f"AP(rel={k})" for k in range(1, top_whole_grade(qrels) + 1)]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewDifferencesWarning)  # a note below the table says it
        profile = threshold_profile(
            scores,
            baseline=arguments.baseline,
            cluster=_read_clusters(arguments.cluster),
            confidence=arguments.confidence,
        )
    write_reports(arguments, [profile._report()])
    tell(scores._notes())
    if arguments.plot is not None:
        save_picture(arguments.plot, profile.plot().figure)


def _compare(arguments: argparse.Namespace) -> int:
    check_outputs(arguments)
    cluster = _read_clusters(arguments.cluster)
    names, judge = arguments.measures or list(arguments.default_measures), None
    if arguments.judges:
        scores, judge = score_runs_by_judges(arguments, names)
    else:
        scores = score_runs(arguments, names)
    with warnings.catch_warnings():
        for told in _TOLD:
            warnings.simplefilter("ignore", told)
        found = compare(
            scores,
            baseline=_baseline(arguments, scores),
            margin=arguments.margin,
            better=arguments.better,
            cluster=cluster,
            judge=judge,
            population=arguments.population,
            tests=arguments.tests,
            correction=arguments.correction,
            confidence=arguments.confidence,
            n_resamples=arguments.resamples,
            random_state=arguments.seed,
        )
    write_reports(arguments, [found._report()])
    tell(scores._notes())
    if arguments.plot is not None:
        ax, *_ = np.ravel(found.plot())
        save_picture(arguments.plot, ax.figure)
    return 0 if found.decisions is None else found.status


def _baseline(arguments: argparse.Namespace, scores: Scores) -> str | None:
    """Return the run to compare with: for a decision the last one, unless another is named."""
    baseline: str | None = arguments.baseline
    is_decided = arguments.margin is not None or arguments.better
    if baseline is None and is_decided and scores.systems is not None:
        return scores.systems[-1]
    return baseline


def _read_clusters(path: str | None) -> dict[str, str] | None:
    """Read the cluster of each topic."""
    if path is None:
        return None
    found: dict[str, str] = {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if len(words) != 2 or found.setdefault(words[0], words[1]) != words[1]:  # noqa: PLR2004
            raise ValueError(
                f"{path}, line {number}: must hold a topic and its only cluster, got {line!r}."
            )
    return found
