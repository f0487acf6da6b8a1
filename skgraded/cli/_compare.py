"""``skgraded compare``: test which runs differ significantly."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from skgraded._params import fraction
from skgraded._stats.corrections import level_of
from skgraded.cli._chosen_test import DEFAULT_RESAMPLES, add_test, chosen_test
from skgraded.cli._formats import comparison_as, notes_beside, profile_as
from skgraded.cli._options import add_measures, add_outputs, add_plot, add_seed
from skgraded.cli._outputs import check_outputs, notes_of, save_picture, tell, write
from skgraded.cli._scored_runs import add_scoring, score_runs
from skgraded.measures import Measure
from skgraded.trec import Qrels, compare
from skgraded.users import profile_measures, threshold_profile

__all__ = ["add_command"]

_EPILOG = """\
examples:
  skgraded compare qrels.txt a.run b.run c.run -m "eGAP(g=[0.1,0.9])"
  skgraded compare qrels.txt runs/*.xz -m nDCG@10 --test tukey --plot tukey.png
  skgraded compare qrels.txt new.run old.run --profile --plot users.png
"""


def add_command(commands: Any) -> None:
    """Add ``compare`` to the command line."""
    parser = commands.add_parser(
        "compare",
        help="test which TREC runs differ significantly",
        description="Compare runs by a paired test over topics, or for all users by --profile.",
        epilog=_EPILOG,
    )
    add_scoring(parser)
    add_measures(parser, ("AP",), "the measure to compare by")
    add_test(parser)
    _add_profile(parser)
    add_seed(parser)
    add_plot(add_outputs(parser, ("table", "csv", "json")))
    parser.set_defaults(run=run)


def _add_profile(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("users")
    group.add_argument(
        "--profile",
        action="store_true",
        help="tell for which users a run is better, by AP at every grade, instead of testing by "
        "one measure",
    )
    group.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run that --profile compares the others with (default: the last one)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Compare runs, by a measure or for all users."""
    if arguments.profile:
        _profile(arguments)
    elif arguments.baseline is not None:
        raise ValueError("--baseline needs --profile.")
    else:
        _compare(arguments)


def _profile(arguments: argparse.Namespace) -> None:
    if arguments.measures or arguments.correction or arguments.test:
        raise ValueError("--measure, --test and --correction cannot be given with --profile.")
    check_outputs(arguments)
    scores = score_runs(arguments, _measures_of_users)
    profile = threshold_profile(
        scores,
        baseline=arguments.baseline,
        confidence=arguments.confidence,
        n_resamples=DEFAULT_RESAMPLES if arguments.resamples is None else arguments.resamples,
        random_state=arguments.seed,
    )
    write(arguments, profile_as(arguments.format, profile))
    tell(notes_of(scores))
    if arguments.plot is not None:
        figure: Any = profile.plot().figure
        save_picture(arguments.plot, figure)


def _measures_of_users(qrels: Qrels) -> list[Measure]:
    return profile_measures(max(1, int(qrels.grades.max(initial=0))))


def _compare(arguments: argparse.Namespace) -> None:
    names = arguments.measures or list(arguments.default_measures)
    if len(names) > 1:
        raise ValueError(f"--measure can be given only once, got {', '.join(names)}.")
    check_outputs(arguments)
    scores = score_runs(arguments, names)
    chosen = chosen_test(arguments, scores)
    comparison = compare(
        scores,
        test=chosen.test,
        correction=arguments.correction,
        alpha=level_of(fraction("confidence", arguments.confidence)),
        n_resamples=chosen.n_resamples,
        random_state=arguments.seed,
    )
    comparison = dataclasses.replace(comparison, notes=(*chosen.notes, *comparison.notes))
    write(arguments, comparison_as(arguments.format, comparison))
    tell([*notes_beside(arguments.format, comparison.notes), *notes_of(scores)])
    if arguments.plot is not None:
        figure: Any = comparison.plot().figure
        save_picture(arguments.plot, figure)
