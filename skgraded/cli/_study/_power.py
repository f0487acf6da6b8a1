"""``skgraded study power``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from skgraded._params import integer
from skgraded._stats.paired import N_RESAMPLES, TESTS
from skgraded.cli._options import add_confidence, add_measures, add_seed
from skgraded.cli._refusals import refuse_beside
from skgraded.cli._study._options import (
    DEFAULT_MEASURES,
    add_few,
    add_formats,
    add_sampling,
    add_scored_runs,
    add_systems,
    new_study,
)
from skgraded.cli._study._results import Part, write_parts
from skgraded.cli._study._steps import (
    chosen_measures,
    facts_of,
    heading_of,
    read_judgments,
    restricted,
    score_runs,
    selected_systems,
    topic_masks,
)
from skgraded.results import Scores, notes_of
from skgraded.studies import (
    discriminative_power,
    power_over_samples,
    power_over_topics,
    reduce_pool,
)
from skgraded.trec import Qrels

__all__ = ["add_command"]

_PAPERS = """\
paper:
  Sakai (2007), Table 3: the 30 runs with the best mean AP, at alpha = .05 with
  1000 resamples; the grades are 1, 2 and 3
    skgraded study power qrels.txt runs/* --top 30 --resamples 1000 \\
      -m BprefR -m BprefN \\
      -m RprefN -m RprefRelative2 -m "AP(unjudged=condense)" \\
      -m "QMeasure(unjudged=condense)" \\
      -m "nDCG(discount=jk,unjudged=condense)@1000" -m AP -m QMeasure \\
      -m "nDCG(discount=jk)@1000"
  Figure 3: the same without BprefN and RprefN, under nested samples of two
  strata
      --no-by-grade --rates 100,70,50,30,10
  Whether Q' separates more pairs than AP', over 20 samples of half of the
  judgments:
    skgraded study power qrels.txt runs/* -m "AP(unjudged=condense)" \\
      -m "QMeasure(unjudged=condense)" --rates 50 --repeats 20
  The same on other topics, from 50 pairs of halves of the topics:
    skgraded study power qrels.txt runs/* -m "AP(unjudged=condense)" \\
      -m "QMeasure(unjudged=condense)" --test t --halves 50
"""


def add_command(studies: Any) -> None:
    """Add the study."""
    summary = "count the pairs of systems that differ significantly"
    parser = new_study(studies, "power", summary, run, _PAPERS)
    add_scored_runs(parser)
    add_measures(parser, DEFAULT_MEASURES)
    add_few(parser)
    add_systems(parser)
    add_sampling(parser, "test also by samples of these percentages of the judgments")
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="draw N samples at each rate, and give intervals of the mean power and of the "
        "difference from the first measure, which hold for other samples of the judgments",
    )
    parser.add_argument(
        "--halves",
        type=int,
        metavar="N",
        help="split the topics into halves N times, and give such intervals that hold for as many "
        "other topics; --test t is the fastest",
    )
    parser.add_argument(
        "--test",
        choices=TESTS,
        default="bootstrap",
        help="the test (default: %(default)s)",
    )
    add_confidence(parser)
    parser.add_argument(
        "--resamples",
        type=int,
        default=N_RESAMPLES,
        help="number of resamples (default: %(default)s)",
    )
    add_seed(parser)
    add_formats(parser)


def run(arguments: argparse.Namespace) -> None:
    """Test all pairs of systems, for every set of topics and sample of the judgments."""
    if arguments.repeats is not None:
        refuse_beside(arguments, "--repeats")
        if arguments.rates is None:
            raise ValueError(
                "--repeats needs --rates: without them no judgments are drawn. For intervals that "
                "hold for other topics, give --halves."
            )
        integer("--repeats", arguments.repeats, 3)  # fewer have no interval worth printing
    if arguments.halves is not None:
        refuse_beside(arguments, "--halves")
        integer("--halves", arguments.halves, 2)
    qrels = read_judgments(arguments)
    systems = selected_systems(arguments, qrels)
    masks = topic_masks(arguments, facts_of(arguments, qrels))
    chosen = np.flatnonzero(np.ones(len(arguments.runs), bool) if systems is None else systems)
    runs = [arguments.runs[each] for each in chosen]
    parts, notes, remarks = [], [], qrels.notes(arguments.negative)
    for rate, samples in _samples(arguments, qrels):
        scored = []
        for judged in samples:
            scores = score_runs(arguments, judged, chosen_measures(arguments), runs)
            # A sample's own judgments left out are no news.
            own = judged.notes(arguments.negative)
            notes += remarks + [note for note in notes_of(scores) if note not in own]
            scored.append(scores)
        for name, mask in masks.items():
            labels: dict[str, Any] = {"topics": name} if len(masks) > 1 else {}
            words = [heading_of(name)]
            if rate is not None:
                labels["rate"] = rate
                words.append(f"{rate:g}% of the judgments")
            found = _found(arguments, [restricted(scores, None, mask) for scores in scored])
            parts.append(Part(labels, ", ".join(words), found))
    write_parts(arguments, parts, list(dict.fromkeys(notes)))


def _samples(
    arguments: argparse.Namespace, qrels: Qrels
) -> Iterator[tuple[float | None, list[Qrels]]]:
    """Yield the judgments, or samples of them, of which the smaller are parts of the larger."""
    if arguments.rates is None:
        yield None, [qrels]
    seeds = [arguments.seed]
    if arguments.repeats is not None:
        seeds = np.random.default_rng(arguments.seed).integers(2**63, size=arguments.repeats)
    for rate in arguments.rates or []:
        yield (
            rate,
            [reduce_pool(qrels, rate, by_grade=arguments.by_grade, random_state=s) for s in seeds],
        )


def _found(arguments: argparse.Namespace, scored: list[Scores]) -> Any:
    """Test the systems by each sample of the judgments, and average where there are several."""
    options = {
        "test": arguments.test,
        "confidence": arguments.confidence,
        "n_resamples": arguments.resamples,
        "random_state": arguments.seed,
    }
    if arguments.halves is not None:
        return power_over_topics(scored[0], n_trials=arguments.halves, **options)
    found = [discriminative_power(scores, **options) for scores in scored]
    if arguments.repeats is None:
        return found[0]
    return power_over_samples(found, confidence=arguments.confidence)
