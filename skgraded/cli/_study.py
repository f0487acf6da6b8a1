"""``skgraded study``: the studies of measures on anyone's runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._text import count
from skgraded.cli._evaluate import (
    check_outputs,
    needs_rankings_alone,
    parse_grades,
    read_standard_input,
    tell,
)
from skgraded.measures import Measure, measure
from skgraded.rankings import Rankings
from skgraded.studies._discriminative_power import PairTest, discriminative_power
from skgraded.studies._incompleteness import Method, incompleteness
from skgraded.studies._judgment_variation import compare_qrels
from skgraded.studies._measure_correlation import Statistic, correlate
from skgraded.studies._sensitivity import Change, Pool, sensitivity
from skgraded.studies._swap_rates import swap_rates
from skgraded.studies._threshold_sweep import sweep_thresholds, threshold_grid, threshold_measures
from skgraded.studies._topic_facts import TopicFacts, above_first_quartile, topic_facts
from skgraded.trec import Coverage, RunScores, evaluate
from skgraded.trec._evaluate import remarks_on
from skgraded.trec._files import Order, Qrels, Run, as_qrels, as_run
from skgraded.trec._run_scores import notes_on_coverage

__all__ = ["add_commands"]

_DEFAULT_MEASURES = ("AP", "GAP", "xGAP", "eGAP", "nDCG", "RBP", "Bpref")
_DEFAULT_AGAINST = ("AP", "nDCG", "RBP", "Bpref")
_EPILOG = """\
examples:
  skgraded study topics qrels.txt
  skgraded study thresholds qrels.txt runs/*.xz --few 2 --upper-quartiles --plot g.png
  skgraded study incompleteness qrels.txt runs/*.xz -m AP -m Bpref -m infAP --repeats 10
  skgraded study power qrels.txt runs/*.xz -m AP -m nDCG@10 -m "eGAP(g=[0.1,0.9])"
"""


def add_commands(commands: Any) -> None:
    """Add the commands to the command line.

    Parameters
    ----------
    commands : object
        What ``ArgumentParser.add_subparsers`` returned.
    """
    parser = commands.add_parser(
        "study",
        help="tell which measures to trust on your runs",
        description="Study measures: do they agree, survive missing judgments, tell systems apart?",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    studies = parser.add_subparsers(title="studies", dest="study", metavar="STUDY", required=True)
    _add_topics(studies)
    _add_correlation(studies)
    _add_thresholds(studies)
    _add_incompleteness(studies)
    _add_power(studies)
    _add_swaps(studies)
    _add_sensitivity(studies)
    _add_judgments(studies)
    _add_models(studies)


def _add_topics(studies: Any) -> None:
    parser = _new(studies, "topics", "count the documents of each grade by topic", run_topics)
    _add_qrels(parser)
    _add_output(parser, plot=False)


def _add_correlation(studies: Any) -> None:
    parser = _new(
        studies, "correlation", "compare the orders in which measures put systems", run_correlation
    )
    _add_runs(parser)
    _add_measures(parser, _DEFAULT_MEASURES)
    _add_choice(parser)
    parser.add_argument("--statistic", choices=get_args(Statistic), default="kendall")
    _add_output(parser)


def _add_thresholds(studies: Any) -> None:
    parser = _new(
        studies,
        "thresholds",
        "correlate GAP, xGAP, eGAP with others for every g",
        run_thresholds,
    )
    _add_runs(parser)
    _add_measures(parser, _DEFAULT_AGAINST)
    _add_choice(parser)
    parser.add_argument(
        "--steps", type=int, default=10, help="steps of g from 0 to 1 (default: %(default)s)"
    )
    parser.add_argument("--statistic", choices=("kendall", "tau_ap"), default="kendall")
    _add_output(parser)


def _add_incompleteness(studies: Any) -> None:
    parser = _new(
        studies, "incompleteness", "score runs under ever smaller pools", run_incompleteness
    )
    _add_runs(parser)
    _add_measures(parser, (*_DEFAULT_MEASURES, "infAP"))
    _add_choice(parser)
    parser.add_argument("--method", choices=get_args(Method), default="stratified")
    parser.add_argument("--rates", type=_numbers, help="percentages or depths, such as 100,50,10,5")
    parser.add_argument("--repeats", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--target", default="AP", help="what is estimated (default: %(default)s)")
    parser.add_argument(
        "--statistic",
        choices=("kendall", "tau_ap", "score", "target_kendall", "target_pearson", "target_rmse"),
        default="kendall",
    )
    _add_seed(parser)
    _add_output(parser)


def _add_power(studies: Any) -> None:
    parser = _new(studies, "power", "count the pairs of systems that differ", run_power)
    _add_runs(parser)
    _add_measures(parser, _DEFAULT_MEASURES)
    parser.add_argument("--test", choices=get_args(PairTest), default="bootstrap")
    parser.add_argument("--alpha", type=float, default=0.05, help="(default: %(default)s)")
    parser.add_argument("--resamples", type=int, default=1000, help="(default: %(default)s)")
    _add_seed(parser)
    _add_output(parser)


def _add_swaps(studies: Any) -> None:
    parser = _new(
        studies, "swaps", "tell how often two systems change places on other topics", run_swaps
    )
    _add_runs(parser)
    _add_measures(parser, _DEFAULT_MEASURES)
    parser.add_argument("--trials", type=int, default=1000, help="(default: %(default)s)")
    _add_seed(parser)
    _add_output(parser)


def _add_sensitivity(studies: Any) -> None:
    parser = _new(
        studies, "sensitivity", "tell what a document is worth at each rank", run_sensitivity
    )
    parser.add_argument("qrels", help="judgments; - is standard input")
    parser.add_argument("run_file", metavar="run", help="one run, or -")
    _add_reading(parser)
    _add_measures(parser, _DEFAULT_MEASURES)
    parser.add_argument("--change", choices=get_args(Change), default="relevant")
    parser.add_argument("--pool", choices=get_args(Pool), default="fixed")
    parser.add_argument("--max-rank", type=int, default=100, help="(default: %(default)s)")
    _add_output(parser)


def _add_judgments(studies: Any) -> None:
    parser = _new(
        studies,
        "judgments",
        "tell how much the choice of assessors matters",
        run_judgments,
    )
    parser.add_argument("run_file", metavar="run", help="one run; - is standard input")
    parser.add_argument("qrels", nargs="+", help="one file of judgments per assessor, or one -")
    _add_reading(parser)
    _add_measures(parser, _DEFAULT_MEASURES)
    _add_output(parser)


def _add_models(studies: Any) -> None:
    parser = _new(
        studies, "models", "tell whether the measure chooses another LightGBM model", run_models
    )
    parser.add_argument("data", nargs="?", help="SVMlight lines with qid; synthetic by default")
    _add_measures(parser, ("xGAP@10", "nDCG@10", "AP"))
    parser.add_argument("--by", choices=("search", "stopping"), default="search")
    parser.add_argument("--folds", type=int, default=4, help="(default: %(default)s)")
    _add_seed(parser)
    _add_output(parser)


def _new(
    studies: Any, name: str, summary: str, run: Callable[[argparse.Namespace], None]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = studies.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )

    def checked(arguments: argparse.Namespace) -> None:
        check_outputs(arguments)
        read_standard_input(arguments)
        run(arguments)

    parser.set_defaults(run=checked)
    return parser


def _add_qrels(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "qrels",
        help="lines 'topic iteration document grade'; .gz .xz .bz2 .zst are fine; - is standard "
        "input",
    )
    _add_reading(parser)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    _add_qrels(parser)
    parser.add_argument("runs", nargs="+", metavar="run", help="TREC runs, likewise")


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--grades",
        metavar="OLD[,OLD...]=NEW",
        action="append",
        default=[],
        help="fold grades, such as 3,4=3; may repeat",
    )
    parser.add_argument("--order", choices=get_args(Order), default="trec_eval")


def _add_measures(parser: argparse.ArgumentParser, default: tuple[str, ...]) -> None:
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        dest="measures",
        help=f"such as nDCG@10; repeat for several (default: {' '.join(default)})",
    )
    parser.set_defaults(default_measures=default)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--few",
        metavar="GRADE",
        type=int,
        action="append",
        default=[],
        help="also the topics with few documents of this grade; may repeat",
    )
    parser.add_argument(
        "--ratio",
        type=float,
        default=10.0,
        help="few: R(1) >= ratio * R(grade) > 0 (default: %(default)s)",
    )
    parser.add_argument(
        "--upper-quartiles",
        action="store_true",
        help="only the runs above the first quartile of mean AP",
    )


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")


def _add_output(parser: argparse.ArgumentParser, plot: bool = True) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=("table", "csv"), default="table")
    group.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to a file")
    if plot:
        group.add_argument("--plot", metavar="FILE", type=Path, help="save a picture")


def run_topics(arguments: argparse.Namespace) -> None:
    """Count documents by grade."""
    qrels = _qrels(arguments)
    _write(arguments, topic_facts(qrels))
    tell(remarks_on(qrels))


def run_correlation(arguments: argparse.Namespace) -> None:
    """Correlate measures."""
    scores, facts = _scores(arguments, _measures(arguments))
    found = correlate(scores, topics=_sets(arguments, facts), systems=_kept(arguments, scores))
    _write(arguments, found, arguments.statistic)
    tell(scores.notes())


def run_thresholds(arguments: argparse.Namespace) -> None:
    """Sweep over g."""
    qrels = _qrels(arguments)
    facts = topic_facts(qrels)
    if facts.grades[-1] < 1:
        raise ValueError(f"{qrels.name}: thresholds need grades of 1 or more, got none.")
    grid = threshold_grid(int(facts.grades[-1]), arguments.steps)
    scores, facts = _scores(arguments, [*threshold_measures(grid), *_measures(arguments)])
    found = sweep_thresholds(
        scores, topics=_sets(arguments, facts), systems=_kept(arguments, scores)
    )
    _write(arguments, found, arguments.statistic)
    tell(scores.notes())


def run_incompleteness(arguments: argparse.Namespace) -> None:
    """Reduce pools."""
    qrels = _qrels(arguments)
    kept = None
    if arguments.upper_quartiles:
        kept = _kept(arguments, _scores(arguments, [measure("AP")])[0])
    with needs_rankings_alone():
        found = incompleteness(
            qrels,
            arguments.runs,
            _measures(arguments),
            method=arguments.method,
            rates=arguments.rates,
            n_repeats=arguments.repeats,
            target=arguments.target,
            topics=_sets(arguments, topic_facts(qrels)),
            systems=kept,
            order=arguments.order,
            random_state=arguments.seed,
        )
    _write(arguments, found, arguments.statistic)
    tell(found.notes)


def run_power(arguments: argparse.Namespace) -> None:
    """Test all pairs of systems."""
    scores, _ = _scores(arguments, _measures(arguments))
    found = discriminative_power(
        scores,
        test=arguments.test,
        alpha=arguments.alpha,
        n_resamples=arguments.resamples,
        random_state=arguments.seed,
    )
    _write(arguments, found)
    tell(scores.notes())


def run_swaps(arguments: argparse.Namespace) -> None:
    """Count swaps."""
    scores, _ = _scores(arguments, _measures(arguments))
    found = swap_rates(scores, n_trials=arguments.trials, random_state=arguments.seed)
    _write(arguments, found)
    tell(scores.notes())


def run_sensitivity(arguments: argparse.Namespace) -> None:
    """Change the document at each rank."""
    qrels, run = _qrels(arguments), as_run(arguments.run_file)
    with needs_rankings_alone():
        found = sensitivity(
            _measures(arguments),
            Rankings.from_trec(qrels, run, order=arguments.order),
            change=arguments.change,
            pool=arguments.pool,
            max_rank=arguments.max_rank,
        )
    _write(arguments, found)
    tell([*remarks_on(qrels), *_notes_on(run, qrels.topics.tolist())])


def run_judgments(arguments: argparse.Namespace) -> None:
    """Score a run by the judgments of each assessor."""
    grades = parse_grades(arguments.grades)
    judged = [as_qrels(each).map_grades(grades) for each in arguments.qrels]
    run = as_run(arguments.run_file)
    with needs_rankings_alone():
        found = compare_qrels(_measures(arguments), judged, run, order=arguments.order)
    _write(arguments, found)
    n_left_out = len(set().union(*(each.topics.tolist() for each in judged))) - len(found.qid)
    if n_left_out:
        tell([f"{count(n_left_out, 'topic')} that not all assessors judged, left out."])
    tell([remark for each in judged for remark in remarks_on(each)])
    tell(_notes_on(run, found.qid.tolist()))


def run_models(arguments: argparse.Namespace) -> None:
    """Choose LightGBM models by each measure."""
    from lightgbm import LGBMRanker

    from skgraded.datasets import load_letor, make_ranking
    from skgraded.studies._model_choice import choose_by_search, choose_by_stopping

    rows: Any = (
        make_ranking(n_queries=200, random_state=arguments.seed)
        if arguments.data is None
        else load_letor(arguments.data)
    )
    X, y, qid = rows
    options: dict[str, Any] = {
        "measures": _measures(arguments),
        "qid": qid,
        "n_folds": arguments.folds,
        "random_state": arguments.seed,
    }
    if arguments.by == "search":
        ranker = LGBMRanker(n_estimators=80, n_jobs=1, verbose=-1)
        grid = {"num_leaves": [4, 15, 63], "min_child_samples": [5, 50]}
        _write(arguments, choose_by_search(ranker, grid, X, y, **options))
    else:
        ranker = LGBMRanker(n_estimators=400, n_jobs=1, verbose=-1)
        _write(arguments, choose_by_stopping(ranker, X, y, **options))


def _numbers(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers with commas, got {text!r}") from None


def _qrels(arguments: argparse.Namespace) -> Qrels:
    return as_qrels(arguments.qrels).map_grades(parse_grades(arguments.grades))


def _notes_on(run: Run, topics: list[str]) -> list[str]:
    """Say what was left out of a run that is studied alone, on these topics."""
    has = run.topics.tolist()
    coverage = Coverage(
        n_documents=run.n_documents,
        missing=tuple(sorted(set(topics) - set(has))),
        extra=tuple(sorted(set(has) - set(topics))),
        n_duplicates=run.n_duplicates,
    )
    return notes_on_coverage([run.name], [coverage])


def _measures(arguments: argparse.Namespace) -> list[Measure]:
    return [measure(each) for each in arguments.measures or arguments.default_measures]


def _scores(arguments: argparse.Namespace, measures: list[Measure]) -> tuple[RunScores, TopicFacts]:
    qrels = _qrels(arguments)
    names = [str(each) for each in measures]
    # The run filter reads mean AP.
    wanted = measures if "AP" in names else [*measures, measure("AP")]
    filtered = getattr(arguments, "upper_quartiles", False)
    with needs_rankings_alone():
        scores = evaluate(
            qrels,
            arguments.runs,
            wanted if filtered else measures,
            order=arguments.order,
            progress=True,
        )
    return scores, topic_facts(qrels)


def _sets(arguments: argparse.Namespace, facts: TopicFacts) -> dict[str, NDArray[np.bool_]]:
    sets = {"all": np.ones(len(facts.topics), dtype=bool)}
    for grade in arguments.few:
        sets[f"few of grade {grade}"] = facts.few(grade, arguments.ratio)
    return sets


def _kept(arguments: argparse.Namespace, scores: RunScores) -> NDArray[np.bool_] | None:
    return above_first_quartile(scores) if arguments.upper_quartiles else None


def _write(arguments: argparse.Namespace, found: Any, statistic: str | None = None) -> None:
    """Write a result as it was asked for, and its picture."""
    try:
        _write_and_draw(arguments, found, statistic)
    except ImportError as error:  # the command line tells input at fault from faults of its own
        raise ValueError(str(error)) from error


def _write_and_draw(arguments: argparse.Namespace, found: Any, statistic: str | None) -> None:
    chosen = {} if statistic is None else {"statistic": statistic}
    if arguments.format == "csv":
        text = found.to_frame().to_csv(index=False)
    else:
        text = (found.to_text(**chosen) if chosen else repr(found)) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        arguments.output.write_text(text, encoding="utf-8")
    if getattr(arguments, "plot", None) is not None:
        drawn = chosen if type(found).__name__ != "ThresholdSweep" else {}
        found.plot(**drawn).figure.savefig(arguments.plot, dpi=120)
