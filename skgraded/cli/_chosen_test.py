"""The test of ``skgraded compare`` and its resamples, as far as the user leaves them open."""

from __future__ import annotations

import argparse
from typing import NamedTuple, get_args

import numpy as np

from skgraded._stats.corrections import level_of
from skgraded._stats.paired import _all_swaps_fit as all_swaps_fit
from skgraded.cli._options import add_confidence
from skgraded.trec import Correction, PairedTest, RunScores

__all__ = ["DEFAULT_RESAMPLES", "ChosenTest", "add_test", "chosen_test"]

DEFAULT_RESAMPLES = 10_000
_RESAMPLED = ("randomization", "bootstrap")


class ChosenTest(NamedTuple):
    """A test, its number of resamples, and why they are not the usual ones."""

    test: PairedTest
    n_resamples: int
    notes: tuple[str, ...] = ()


def add_test(parser: argparse.ArgumentParser) -> None:
    """Add the test, its correction, level and resamples."""
    parser.add_argument(
        "--test",
        choices=get_args(PairedTest),
        help="the test (default: randomization, or tukey where 10000 resamples are too few for "
        "Holm's correction, as from 33 runs on at a confidence of .95)",
    )
    parser.add_argument(
        "--correction",
        choices=get_args(Correction),
        help="correction for the number of pairs (default: holm; the tukey test has its own)",
    )
    add_confidence(parser)
    parser.add_argument(
        "--resamples",
        type=int,
        help="number of resamples (default: 10000, or as many as Holm's correction needs with "
        "the test that is asked for)",
    )


def chosen_test(arguments: argparse.Namespace, scores: RunScores) -> ChosenTest:
    """Return the test that was asked for, or one by which differences can be significant."""
    asked: PairedTest = arguments.test or "randomization"
    if arguments.resamples is not None:
        return ChosenTest(asked, arguments.resamples)
    needed = _needed(arguments, asked, scores)
    if needed <= DEFAULT_RESAMPLES:
        return ChosenTest(asked, DEFAULT_RESAMPLES)
    pairs = f"{len(scores)} runs are {len(scores) * (len(scores) - 1) // 2:,} pairs, for which"
    what = f"Holm's correction needs {needed:,} resamples"
    if arguments.test is None and arguments.correction is None:
        options = f"--test randomization takes {needed:,}"
        note = f"{pairs} {what}: by default the Tukey test takes the place of Fisher's ({options})."
        return ChosenTest("tukey", DEFAULT_RESAMPLES, (note,))
    note = f"{pairs} {what}: by default that many are drawn instead of {DEFAULT_RESAMPLES:,}."
    return ChosenTest(asked, needed, (note,))


def _needed(arguments: argparse.Namespace, test: str, scores: RunScores) -> int:
    """Count the resamples without which no difference is significant after Holm's correction."""
    n_topics = int((~np.isnan(scores.values[:, :, 0]).any(axis=0)).sum())
    is_exact = test == "randomization" and all_swaps_fit(n_topics, DEFAULT_RESAMPLES)
    is_corrected = arguments.correction in (None, "holm") and test in _RESAMPLED
    if is_exact or not is_corrected or not 0.0 < arguments.confidence < 1.0:
        return 0  # the comparison tells what is wrong with it
    return int(len(scores) * (len(scores) - 1) / 2 / level_of(arguments.confidence))
