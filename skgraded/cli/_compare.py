"""``skgraded compare``: test which runs differ significantly."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded._params import fraction
from skgraded.cli._formats import comparison_as, notes_beside, profile_as
from skgraded.cli._options import add_measures, add_outputs, add_plot, add_seed
from skgraded.cli._outputs import check_outputs, save_picture, tell, write
from skgraded.cli._scored_runs import add_scoring, score_runs
from skgraded.measures import Measure
from skgraded.trec import Correction, PairedTest, Qrels, compare
from skgraded.users import profile_measures, threshold_profile

__all__ = ["add_command"]

_DEFAULT_TEST = "randomization"
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
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_scoring(parser)
    add_measures(parser, ("AP",), "the measure to compare by")
    parser.add_argument(
        "--test",
        choices=get_args(PairedTest),
        default=_DEFAULT_TEST,
        help="the test (default: %(default)s)",
    )
    parser.add_argument(
        "--correction",
        choices=get_args(Correction),
        help="correction for the number of pairs (default: holm; the tukey test has its own)",
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="significance level (default: %(default)s)"
    )
    parser.add_argument(
        "--resamples", type=int, default=10_000, help="number of resamples (default: %(default)s)"
    )
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
    if arguments.measures or arguments.correction or arguments.test != _DEFAULT_TEST:
        raise ValueError("--measure, --test and --correction cannot be given with --profile.")
    check_outputs(arguments)
    scores = score_runs(arguments, _measures_of_users)
    profile = threshold_profile(
        scores,
        baseline=arguments.baseline,
        confidence=1.0 - fraction("alpha", arguments.alpha),
        n_resamples=arguments.resamples,
        random_state=arguments.seed,
    )
    write(arguments, profile_as(arguments.format, profile))
    tell(scores.notes())
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
    comparison = compare(
        scores,
        test=arguments.test,
        correction=arguments.correction,
        alpha=arguments.alpha,
        n_resamples=arguments.resamples,
        random_state=arguments.seed,
    )
    write(arguments, comparison_as(arguments.format, comparison))
    tell([*notes_beside(arguments.format, comparison.notes), *scores.notes()])
    if arguments.plot is not None:
        figure: Any = comparison.plot().figure
        save_picture(arguments.plot, figure)
