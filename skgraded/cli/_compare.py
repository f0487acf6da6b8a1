"""``skgraded compare``: test which runs differ significantly."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from skgraded.cli._chosen_test import add_test, chosen_test
from skgraded.cli._formats import comparison_as, notes_beside
from skgraded.cli._options import add_measures, add_outputs, add_plot, add_seed
from skgraded.cli._outputs import check_outputs, save_picture, tell, write
from skgraded.cli._scored_runs import add_scoring, score_runs
from skgraded.trec import compare

__all__ = ["add_command"]

_EPILOG = """\
examples:
  skgraded compare qrels.txt a.run b.run c.run -m "eGAP(g=[0.1,0.9])"
  skgraded compare qrels.txt runs/*.xz -m nDCG@10 --test tukey --plot tukey.png
"""


def add_command(commands: Any) -> None:
    """Add ``compare`` to the command line."""
    parser = commands.add_parser(
        "compare",
        help="test which TREC runs differ significantly",
        description="Compare runs by a paired test over topics.",
        epilog=_EPILOG,
    )
    add_scoring(parser)
    add_measures(parser, ("AP",), "the measure to compare by")
    add_test(parser)
    add_seed(parser)
    add_plot(add_outputs(parser, ("table", "csv", "json")))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Compare runs."""
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
        alpha=arguments.alpha,
        n_resamples=chosen.n_resamples,
        random_state=arguments.seed,
    )
    comparison = dataclasses.replace(comparison, notes=(*chosen.notes, *comparison.notes))
    write(arguments, comparison_as(arguments.format, comparison))
    tell([*notes_beside(arguments.format, comparison.notes), *scores.notes()])
    if arguments.plot is not None:
        figure: Any = comparison.plot().figure
        save_picture(arguments.plot, figure)
