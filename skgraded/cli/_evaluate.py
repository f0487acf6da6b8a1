"""``skgraded evaluate``, ``compare`` and ``measures``."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import inspect
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from skgraded._text import wrap
from skgraded.cli._formats import comparison_as, notes_beside, scores_as
from skgraded.measures import Measure, catalogue, measure
from skgraded.rankings import Ties
from skgraded.trec._compare import Correction, Test, compare
from skgraded.trec._evaluate import evaluate
from skgraded.trec._files import Negative, Order, Qrels, as_qrels, read_qrels, read_run
from skgraded.trec._letor import read_letor
from skgraded.trec._run_scores import RunScores

__all__ = [
    "add_commands",
    "check_outputs",
    "needs_rankings_alone",
    "parse_grades",
    "read_standard_input",
    "tell",
]

# Arguments that name files of judgments and runs.
_INPUTS = ("qrels", "runs", "run_file")
_DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10")
_EPILOG = """\
examples:
  skgraded evaluate qrels.txt bm25.run -m nDCG@10 -m "xGAP(g=[0.1,0.9])"
  skgraded evaluate qrels.txt runs/*.xz -m AP --per-query --format csv -o ap.csv
  skgraded evaluate qrels.txt bm25.run -m AP --ties row_order    trec_eval's map
"""
_COMPARE_EPILOG = """\
examples:
  skgraded compare qrels.txt a.run b.run c.run -m "eGAP(g=[0.1,0.9])"
  skgraded compare qrels.txt runs/*.xz -m nDCG@10 --test tukey --plot tukey.png
"""


def add_commands(commands: Any) -> None:
    """Add the commands to the command line.

    Parameters
    ----------
    commands : object
        What ``ArgumentParser.add_subparsers`` returned.
    """
    _add_evaluate(commands)
    _add_compare(commands)
    _add_measures(commands)


def _add_evaluate(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="score TREC runs by any measure",
        description="Score runs against qrels; a table of means, or values topic by topic.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_inputs(parser)
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        dest="measures",
        help=f"such as nDCG@10; repeat for several (default: {' '.join(_DEFAULT_MEASURES)}). "
        "'skgraded measures' lists them",
    )
    parser.add_argument("-q", "--per-query", action="store_true", help="values topic by topic")
    _add_outputs(parser, ("table", "csv", "json", "trec_eval"))
    parser.set_defaults(run=run_evaluate)


def _add_compare(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="tell which TREC runs differ significantly",
        description="Compare runs by a paired test over topics.",
        epilog=_COMPARE_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_inputs(parser)
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        action="append",
        dest="measures",
        help="the measure to compare by (default: AP)",
    )
    parser.add_argument("--test", choices=get_args(Test), default="randomization")
    parser.add_argument(
        "--correction",
        choices=get_args(Correction),
        help="for the number of pairs (default: holm; the tukey test has its own)",
    )
    parser.add_argument("--alpha", type=float, default=0.05, help="level (default: %(default)s)")
    parser.add_argument("--resamples", type=int, default=10_000, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="save a picture of the differences"
    )
    _add_outputs(parser, ("table", "csv", "json"))
    parser.set_defaults(run=run_compare)


def _add_measures(commands: Any) -> None:
    parser = commands.add_parser(
        "measures",
        help="list the measures, or explain one",
        description="List the measures; or show the formula, the fields and the source of one.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a measure, such as xGAP")
    parser.set_defaults(run=run_measures)


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "qrels",
        help="lines 'topic iteration document grade'; .gz .xz .bz2 .zst are fine; - is standard "
        "input",
    )
    parser.add_argument(
        "runs",
        nargs="+",
        metavar="run",
        help="lines 'topic Q0 document rank score tag', likewise; - is standard input",
    )
    group = parser.add_argument_group("what counts")
    group.add_argument(
        "--complete",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="a topic that a run lacks counts as an empty list, or is left out (default: counts)",
    )
    group.add_argument(
        "--order",
        choices=get_args(Order),
        default="trec_eval",
        help="rank by score and then document id, in single precision (trec_eval) or double "
        "(score), by the rank column or as in the file (default: %(default)s)",
    )
    group.add_argument(
        "--ties",
        choices=get_args(Ties),
        help="for measures that do not say it themselves; row_order gives trec_eval's numbers",
    )
    group.add_argument(
        "--grades",
        metavar="OLD[,OLD...]=NEW",
        action="append",
        default=[],
        help="fold grades, such as 3,4=3 or =-2=0 for a negative one; may repeat",
    )
    group.add_argument(
        "--negative",
        choices=get_args(Negative),
        default="unsampled",
        help="what negative grades are (default: -1 unsampled, others not relevant)",
    )
    group.add_argument("--strict", action="store_true", help="repeated documents are an error")
    group.add_argument(
        "--letor",
        action="store_true",
        help="qrels is a file of SVMlight lines (not -), each run a file of one score per line",
    )


def _add_outputs(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--format", choices=formats, default="table", help="(default: table)")
    group.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to a file")
    group.add_argument(
        "--threads", type=int, metavar="N", help="runs read at a time (default: all)"
    )


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Score runs."""
    check_outputs(arguments)
    scores = _evaluate(arguments, arguments.measures or list(_DEFAULT_MEASURES))
    _write(arguments, scores_as(arguments.format, scores, arguments.per_query))
    tell(notes_beside(arguments.format, scores.notes()))


def run_compare(arguments: argparse.Namespace) -> None:
    """Compare runs."""
    names = arguments.measures or ["AP"]
    if len(names) > 1:
        raise ValueError(f"--measure must be one measure, got {', '.join(names)}: compare by each.")
    check_outputs(arguments)
    scores = _evaluate(arguments, names)
    comparison = compare(
        scores,
        test=arguments.test,
        correction=arguments.correction,
        alpha=arguments.alpha,
        n_resamples=arguments.resamples,
        random_state=arguments.seed,
    )
    _write(arguments, comparison_as(arguments.format, comparison))
    tell([*notes_beside(arguments.format, comparison.notes), *scores.notes()])
    if arguments.plot is not None:
        figure: Any = comparison.plot().figure
        figure.savefig(arguments.plot)


def run_measures(arguments: argparse.Namespace) -> None:
    """List the measures, or explain one."""
    if arguments.name is None:
        sys.stdout.write(_list_of_measures())
        return
    known = catalogue()
    name = arguments.name.split("(")[0].split("@")[0].strip()
    kind = known[name] if name in known else type(measure(arguments.name))
    sys.stdout.write(f"{_signature(kind)}\n\n{inspect.getdoc(kind)}\n")


def _signature(kind: type[Measure]) -> str:
    fields = ", ".join(f"{each.name}={each.default!r}" for each in dataclasses.fields(kind))
    return wrap(f"{kind.__name__}({fields})")


def _list_of_measures() -> str:
    known = catalogue()
    width = max(map(len, known))
    lines = []
    for name, kind in known.items():
        summary = (inspect.getdoc(kind) or "").split("\n")[0]
        lines.append(wrap(f"{name:<{width}}  {summary}", indent=width + len("  ")))
    lines.append("")
    lines.append(wrap("'skgraded measures NAME' tells a measure's formula, fields and source."))
    return "\n".join(lines) + "\n"


def _evaluate(arguments: argparse.Namespace, names: list[str]) -> RunScores:
    chosen = [_with_ties(measure(each), arguments.ties) for each in names]
    qrels, runs = _read_letor(arguments) if arguments.letor else _read_trec(arguments)
    with needs_rankings_alone():
        return _evaluate_runs(arguments, qrels, runs, chosen)


@contextlib.contextmanager
def needs_rankings_alone() -> Iterator[None]:
    """Tell of a measure that needs more than a ranking as of input at fault."""
    try:
        yield
    except TypeError as error:
        raise ValueError(str(error)) from error


def _evaluate_runs(
    arguments: argparse.Namespace, qrels: Qrels, runs: list[Any], chosen: list[Measure]
) -> RunScores:
    return evaluate(
        qrels.map_grades(parse_grades(arguments.grades)),
        runs,
        chosen,
        order=arguments.order,
        complete=arguments.complete,
        negative=arguments.negative,
        strict=arguments.strict,
        n_threads=arguments.threads,
        progress=True,
    )


def _read_trec(arguments: argparse.Namespace) -> tuple[Qrels, list[Any]]:
    read_standard_input(arguments)
    return as_qrels(arguments.qrels), arguments.runs


def read_standard_input(arguments: argparse.Namespace) -> None:
    """Put the judgments or the run that - stands for in its place."""
    given = {name: getattr(arguments, name) for name in _INPUTS if hasattr(arguments, name)}
    listed = {name: each if isinstance(each, list) else [each] for name, each in given.items()}
    _check_one_standard_input([word for words in listed.values() for word in words])
    for name, words in listed.items():
        if "-" in words:
            place = words.index("-")
            words[place] = _from_standard_input(name, getattr(arguments, "strict", False))
            setattr(arguments, name, words if isinstance(given[name], list) else words[0])


def _from_standard_input(name: str, strict: bool) -> Any:
    source = sys.stdin.buffer
    return read_qrels(source) if name == "qrels" else read_run(source, strict=strict)


def _check_one_standard_input(words: Sequence[Any]) -> None:
    if words.count("-") > 1:
        raise ValueError(f"- must stand for one file, got it {words.count('-')} times.")


def _read_letor(arguments: argparse.Namespace) -> tuple[Qrels, list[Any]]:
    if arguments.qrels == "-":
        raise ValueError("--letor must have its lines of features in a file, got -.")
    _check_one_standard_input(arguments.runs)
    pairs = []
    for each in arguments.runs:
        scores = sys.stdin.buffer if each == "-" else each
        pairs.append(read_letor(arguments.qrels, scores, name=Path(each).name))
    return pairs[0][0], [run for _, run in pairs]


def _with_ties(each: Measure, ties: Ties | None) -> Measure:
    default = next(field.default for field in dataclasses.fields(each) if field.name == "ties")
    return each if ties is None or each.ties != default else dataclasses.replace(each, ties=ties)


def parse_grades(rules: list[str]) -> dict[float, float]:
    grades: dict[float, float] = {}
    for rule in rules:
        old, _, new = rule.removeprefix("=").rpartition("=")
        try:
            folded = dict.fromkeys(map(float, old.split(",")), float(new))
        except ValueError:
            raise ValueError(f"--grades is written OLD[,OLD...]=NEW, got {rule!r}.") from None
        if not all(map(math.isfinite, [*folded, float(new)])):
            raise ValueError(f"--grades must hold finite grades, got {rule!r}.")
        grades.update(folded)
    return grades


def tell(notes: Sequence[str]) -> None:
    """Write notes beside the output."""
    for note in notes:
        sys.stderr.write(wrap(note) + "\n")


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise before the work where a file could not be written after it."""
    for option in ("output", "plot"):
        path = getattr(arguments, option, None)
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise ValueError(
                f"--{option} must be a file in a folder that is there, got {str(path)!r}."
            )
    if getattr(arguments, "plot", None) is not None:
        _check_picture(arguments.plot)


def _check_picture(path: Path) -> None:
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError("--plot needs matplotlib: pip install matplotlib.") from error
    known = FigureCanvasBase.get_supported_filetypes()
    if path.suffix and path.suffix[1:].lower() not in known:
        raise ValueError(f"--plot must end in one of {', '.join(known)}, got {str(path)!r}.")


def _write(arguments: argparse.Namespace, text: str) -> None:
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        arguments.output.write_text(text, encoding="utf-8")
