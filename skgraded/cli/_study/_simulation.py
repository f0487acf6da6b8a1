"""``skgraded study simulation``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from skgraded._params import integer
from skgraded.cli._options import add_measures, add_seed
from skgraded.cli._study._options import DEFAULT_MEASURES, add_formats, new_study
from skgraded.cli._study._results import write_result
from skgraded.studies import simulate_judgments

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Kishida (2005), Section 3.3, Table 2, whose random numbers were others
    skgraded study simulation --theta 0.9 -m AP
    skgraded study simulation --theta 0.5 -m AP
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "simulate how much assessors who err change a measure"
    parser = new_study(studies, "simulation", summary, run, _PAPERS)
    add_measures(parser, DEFAULT_MEASURES)
    parser.add_argument(
        "--theta",
        type=float,
        default=0.9,
        help="half of the documents are judged relevant with this probability, the others with 1 "
        "minus it (default: %(default)s)",
    )
    for option, default, what in (
        ("--topics", 50, "topics"),
        ("--documents", 10, "documents of each topic"),
        ("--repeats", 1000, "judgments of each document"),
    ):
        parser.add_argument(
            option,
            type=int,
            metavar="N",
            default=default,
            help=f"number of {what} (default: %(default)s)",
        )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Draw probabilities of relevance, and then judgments."""
    if not 0.0 <= arguments.theta <= 1.0:
        raise ValueError(f"--theta must lie between 0 and 1, got {arguments.theta}.")
    n_topics = integer("--topics", arguments.topics, 1)
    n_documents = integer("--documents", arguments.documents, 1)
    rng = np.random.default_rng(arguments.seed)
    is_high = rng.random(n_topics * n_documents) < 0.5  # noqa: PLR2004
    found = simulate_judgments(
        arguments.measures or list(arguments.default_measures),
        np.where(is_high, arguments.theta, 1.0 - arguments.theta),
        np.tile(-np.arange(float(n_documents)), n_topics),
        qid=np.repeat(np.arange(n_topics), n_documents),
        n_repeats=arguments.repeats,
        random_state=rng,
    )
    write_result(arguments, found, [])
