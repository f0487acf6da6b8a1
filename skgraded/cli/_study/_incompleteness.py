"""``skgraded study incompleteness``."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any, get_args

from skgraded._writers import Table
from skgraded.cli._inputs import chosen_measure, faults_are_located
from skgraded.cli._options import add_measures, add_seed
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_few,
    add_formats,
    add_sampling,
    add_scored_runs,
    add_systems,
    new_study,
)
from skgraded.cli._study._results import write_result
from skgraded.cli._study._steps import (
    chosen_measures,
    facts_of,
    heading_of,
    read_judgments,
    rules,
    selected_systems,
    topic_masks,
)
from skgraded.studies import (
    Incompleteness,
    IncompletenessStatistic,
    PoolReduction,
    incompleteness,
)

__all__ = ["add_command"]

# Yilmaz and Aslam average ten simple random samples; the other papers take one.
_REPEATS = {"random": 10}
_PAPERS = """\
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
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "score runs under smaller and smaller pools"
    parser = new_study(studies, "incompleteness", summary, run, _PAPERS)
    add_scored_runs(parser)
    add_measures(parser, (*DEFAULT_MEASURES, "infAP"))
    add_few(parser)
    add_systems(parser)
    parser.add_argument(
        "--method",
        choices=get_args(PoolReduction),
        default="stratified",
        help="how pools are reduced (default: %(default)s)",
    )
    add_sampling(parser, "percentages or depths, such as 100,50,10,5 (default: the paper's)")
    parser.add_argument(
        "--nested",
        action=argparse.BooleanOptionalAction,
        help="whether a smaller sample is part of every larger one (default: yes if stratified)",
    )
    parser.add_argument(
        "--repeats", type=int, help="samples for each rate (default: 10 if random, else 1)"
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
    topics = topic_masks(arguments, facts_of(arguments, qrels))
    systems = selected_systems(arguments, qrels)
    repeats = arguments.repeats
    with faults_are_located(qrels):
        found = incompleteness(
            chosen_measures(arguments),
            qrels,
            arguments.runs,
            method=arguments.method,
            rates=arguments.rates,
            n_repeats=_REPEATS.get(arguments.method, 1) if repeats is None else repeats,
            by_grade=arguments.by_grade,
            nested=arguments.nested,
            target=chosen_measure(arguments.target, arguments.ties),
            topics=topics,
            systems=systems,
            random_state=arguments.seed,
            **rules(arguments),
        )
    statistic = arguments.statistic
    draw = [partial(found.plot, statistic=statistic, topics=each) for each in found.topic_sets]
    write_result(arguments, found, found.notes, draw, _tables(found, statistic))


def _tables(found: Incompleteness, statistic: IncompletenessStatistic) -> list[Table]:
    """Return a table for each set of topics, which names the set where there are several."""
    tables = {name: found._table(statistic, name) for name in found.topic_sets}
    if len(tables) == 1:
        return list(tables.values())
    return [
        table._replace(title=f"{heading_of(name)}: {table.title}") for name, table in tables.items()
    ]
