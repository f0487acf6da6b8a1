"""``skgraded study models``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from skgraded.cli._options import add_measures, add_seed, add_ties
from skgraded.cli._study._options import add_formats, new_study
from skgraded.cli._study._results import write_result
from skgraded.cli._study._steps import chosen_measures

if TYPE_CHECKING:
    from skgraded.studies import ModelChoice

__all__ = ["add_command"]

_PAPERS = "No paper has a table of this study."


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "find out whether measures select different LightGBM models"
    parser = new_study(studies, "models", summary, run, _PAPERS)
    parser.add_argument(
        "data", nargs="?", help="file of SVMlight lines with qid (default: synthetic data)"
    )
    add_measures(parser, ("xGAP@10", "nDCG@10", "AP"))
    add_ties(parser)
    parser.add_argument(
        "--by",
        choices=("search", "stopping"),
        default="search",
        help="select parameters, or the number of trees (default: %(default)s)",
    )
    parser.add_argument(
        "--folds", type=int, default=4, help="folds of queries (default: %(default)s)"
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=1,
        help="times to split all queries into folds (default: %(default)s)",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="models fitted at a time, -1: one per processor"
    )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Choose LightGBM models by each measure."""
    from skgraded.datasets import load_letor, make_ranking

    rows: Any = (
        make_ranking(n_queries=200, random_state=arguments.seed)
        if arguments.data is None
        else load_letor(arguments.data)
    )
    found = _choose(arguments, *rows)
    write_result(arguments, found, [])


def _choose(arguments: argparse.Namespace, X: Any, y: Any, qid: Any) -> ModelChoice:
    from lightgbm import LGBMRanker

    from skgraded.studies import choose_by_search, choose_by_stopping

    options: dict[str, Any] = {
        "measures": chosen_measures(arguments),
        "qid": qid,
        "n_folds": arguments.folds,
        "n_repeats": arguments.repeats,
        "n_jobs": arguments.jobs,
        "random_state": arguments.seed,
    }
    if arguments.by == "search":
        ranker = LGBMRanker(n_estimators=80, n_jobs=1, verbose=-1)
        grid = {"num_leaves": [4, 15, 63], "min_child_samples": [5, 50]}
        return choose_by_search(ranker, grid, X, y, **options)
    ranker = LGBMRanker(n_estimators=400, n_jobs=1, verbose=-1)
    return choose_by_stopping(ranker, X, y, **options)
