"""``skgraded study incompleteness``."""

from __future__ import annotations

import argparse
from typing import Any, get_args

from skgraded.cli._inputs import measures_of_scores_are_refused
from skgraded.cli._options import add_measures, add_seed
from skgraded.cli._outputs import tell
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_formats,
    add_scored_runs,
    add_selection,
    new_study,
)
from skgraded.cli._study._steps import (
    chosen_measures,
    read_judgments,
    score_runs,
    selected_systems,
    topic_masks,
    write_result,
)
from skgraded.measures import measure
from skgraded.studies import IncompletenessStatistic, PoolReduction, incompleteness, topic_facts

__all__ = ["add_command"]


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "score runs under smaller and smaller pools"
    parser = new_study(studies, "incompleteness", summary, run)
    add_scored_runs(parser)
    add_measures(parser, (*DEFAULT_MEASURES, "infAP"))
    add_selection(parser)
    parser.add_argument("--method", choices=get_args(PoolReduction), default="stratified")
    parser.add_argument("--rates", type=_numbers, help="percentages or depths, such as 100,50,10,5")
    parser.add_argument(
        "--repeats", type=int, default=1, help="samples for each rate (default: %(default)s)"
    )
    parser.add_argument(
        "--target",
        default="AP",
        help="the measure that the others are compared with (default: %(default)s)",
    )
    statistics = get_args(IncompletenessStatistic)
    parser.add_argument(
        "--statistic",
        choices=statistics,
        metavar="STATISTIC",
        default="kendall",
        help=f"{', '.join(statistics[:-1])} or {statistics[-1]} (default: %(default)s)",
    )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Score runs under reduced pools."""
    qrels = read_judgments(arguments)
    systems = None
    if arguments.upper_quartiles:
        systems = selected_systems(arguments, score_runs(arguments, qrels, [measure("AP")]))
    with measures_of_scores_are_refused():
        found = incompleteness(
            qrels,
            arguments.runs,
            chosen_measures(arguments),
            method=arguments.method,
            rates=arguments.rates,
            n_repeats=arguments.repeats,
            target=arguments.target,
            topics=topic_masks(arguments, topic_facts(qrels)),
            systems=systems,
            order=arguments.order,
            random_state=arguments.seed,
        )
    statistic = arguments.statistic
    write_result(arguments, found, found.to_text(statistic), statistic=statistic)
    tell(found.notes)


def _numbers(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be numbers separated by commas, got {text!r}"
        ) from None
