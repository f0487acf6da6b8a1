"""``skgraded demo``: choose rankers by xGAP and by nDCG, and compare them on unseen queries."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._progress import ProgressBar
from skgraded.cli._outputs import check_outputs, save_picture
from skgraded.measures import Measure, evaluate, measure

__all__ = ["add_command"]

_GRID = {"estimator__num_leaves": [7, 15, 31]}
_N_FOLDS = 3
_HELD_OUT = 4  # one query in four
_SMALLEST = 2 * _HELD_OUT * _N_FOLDS


class _Rows(NamedTuple):
    X: Any
    y: NDArray[Any]
    qid: NDArray[Any]


def add_command(commands: Any) -> None:
    """Add ``demo`` to the command line."""
    parser = commands.add_parser(
        "demo",
        help="cross-validate, early-stop and compare rankers in under a minute",
        description=(
            "Choose a LightGBM ranker by cross-validated xGAP@10 and stop its training by the same "
            "measure, do the same with nDCG@10, and compare both rankers on held-out queries. "
            "Without --data, the data are synthetic, with few top grades."
        ),
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="file of SVMlight lines with qid:, or with LightGBM's FILE.query beside it; it may be "
        "compressed (.gz)",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        type=Path,
        default=Path("skgraded-demo.png"),
        help="file of the plot (default: %(default)s)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace the file of the plot without asking; needed where no terminal can be asked",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Run the demo."""
    has_plot = _check_plot(arguments)
    start = time.monotonic()
    rows = _load(arguments.data, arguments.seed)
    top_grade = int(np.max(rows.y))
    # g_k, the probability that a user accepts grades from k on only, is proportional to k.
    measures = (measure(f"xGAP(g=linear,max_grade={max(1, top_grade)})@10"), measure("nDCG@10"))
    training, held_out = _split(rows, arguments.seed)
    print(_description(rows, held_out, top_grade))
    searches = _search(training, measures, arguments.seed)
    print(_comparison(searches, measures, held_out))
    if has_plot:
        print(_save_plot(searches, measures, arguments.plot))
    else:
        print("No plot: it needs matplotlib (pip install matplotlib).")
    print(f"Done in {time.monotonic() - start:.0f} s.")


def _check_plot(arguments: argparse.Namespace) -> bool:
    """Ask before the work starts whether an old picture may be replaced; False = no matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return False
    check_outputs(arguments)
    if arguments.force or not arguments.plot.is_file():
        return True
    name = str(arguments.plot)
    if sys.stdin is None or not sys.stdin.isatty():
        raise ValueError(f"--plot must be a new file, got {name!r}; --force replaces it.")
    if input(f"Replace {name!r}? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ValueError(f"{name!r} stays as it is; --plot FILE names another file.")
    return True


def _load(path: str | None, seed: int) -> _Rows:
    from skgraded.datasets import load_letor, make_ranking

    if path is None:
        return _Rows(*make_ranking(n_queries=300, random_state=seed))
    rows = _Rows(*load_letor(path))
    n_queries = len(np.unique(rows.qid))
    if n_queries < _SMALLEST:
        raise ValueError(f"--data must hold at least {_SMALLEST} queries, got {n_queries}.")
    return rows


def _split(rows: _Rows, seed: int) -> tuple[_Rows, _Rows]:
    """Hold out one query in four."""
    from skgraded.model_selection import QueryKFold

    folds = QueryKFold(_HELD_OUT, random_state=seed).split(rows.X, groups=rows.qid)
    training, held_out = next(folds)
    return tuple(  # type: ignore[return-value]
        _Rows(rows.X[own], rows.y[own], rows.qid[own]) for own in (training, held_out)
    )


def _search(training: _Rows, measures: Sequence[Measure], seed: int) -> list[Any]:
    """Run a grid search for each measure, in two threads."""
    from joblib import parallel_config
    from sklearn.model_selection import GridSearchCV, ParameterGrid

    from skgraded import QueryKFold, query_target
    from skgraded.lightgbm import eval_metric

    target = query_target(training.y, training.qid)
    n_fits = len(measures) * (len(ParameterGrid(_GRID)) * _N_FOLDS + 1)
    searches = []
    with ProgressBar(n_fits, "Searching") as progress, parallel_config("threading"):
        for each in measures:
            # Threads can update the progress bar, and LightGBM runs in parallel in them.
            search = GridSearchCV(
                _ranker(each, seed),
                _GRID,
                scoring=_CountingScorer(progress),
                cv=QueryKFold(_N_FOLDS, random_state=seed),
                n_jobs=2,
                error_score="raise",
            )
            others = [other for other in measures if other != each]
            search.fit(training.X, target, eval_metric=eval_metric(*others))
            progress.step()
            searches.append(search)
    return searches


def _ranker(chosen: Measure, seed: int) -> Any:
    from lightgbm import LGBMRanker

    from skgraded import QueryRanker

    return QueryRanker(
        LGBMRanker(n_estimators=300, n_jobs=1, verbose=-1, random_state=seed),
        measure=chosen,
        validation_fraction=0.2,
        early_stopping_rounds=30,
        random_state=seed,
    )


class _CountingScorer:
    """The ranker's own score, which also advances the progress bar."""

    def __init__(self, progress: ProgressBar) -> None:
        self.progress = progress

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        score: float = estimator.score(X, y)
        self.progress.step()
        return score


def _description(rows: _Rows, held_out: _Rows, top_grade: int) -> str:
    shares = np.bincount(rows.y.astype(int)) / len(rows.y)
    grades = ", ".join(f"{grade}: {share:.1%}" for grade, share in enumerate(shares))
    return (
        f"{len(rows.y)} documents of {len(np.unique(rows.qid))} queries, "
        f"{len(np.unique(held_out.qid))} of them held out.\n"
        f"Grades 0..{top_grade} ({grades})."
    )


def _comparison(searches: Sequence[Any], measures: Sequence[Measure], held_out: _Rows) -> str:
    """Return a table of means on the held-out queries, with a line per search."""
    scored = [
        evaluate(measures, held_out.y, search.predict(held_out.X), qid=held_out.qid)
        for search in searches
    ]
    names = [str(each) for each in measures]
    width = max(map(len, [*names, "chosen and stopped by"]))
    columns = "".join(f"  {name:>8}" for name in names)
    lines = [f"\n{'chosen and stopped by':<{width}}  leaves  trees{columns}"]
    for search, chosen, scores in zip(searches, names, scored, strict=True):
        leaves = search.best_params_["estimator__num_leaves"]
        trees = search.best_estimator_.best_iteration_
        values = "".join(f"  {scores[name]:>{max(8, len(name))}.4f}" for name in names)
        lines.append(f"{chosen:<{width}}  {leaves:>6}  {trees:>5}{values}")
    by_measure, by_other = (scores.per_query(names[0]).values for scores in scored)
    return "\n".join([*lines, _verdict(names[0], by_measure, by_other)])


def _verdict(name: str, values: NDArray[np.float64], others: NDArray[np.float64]) -> str:
    """Describe how the choice by a measure changed its mean, with a paired test."""
    from scipy.stats import ttest_rel

    if np.array_equal(values, others):
        return "Both searches chose models that rank the held-out queries alike."
    p_value = ttest_rel(values, others).pvalue
    return (
        f"Choosing by {name} changed it by {np.mean(values - others):+.4f} on the held-out queries "
        f"(paired t-test over {len(values)} queries: p = {p_value:.2f})."
    )


def _save_plot(searches: Sequence[Any], measures: Sequence[Measure], path: Path) -> str:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from skgraded.displays import TrainingDisplay

    figure, axes = plt.subplots(1, len(measures), figsize=(11, 4), layout="constrained")
    for ax, shown in zip(axes, measures, strict=True):
        # Models with the same parameters have the same curve; the styles show both lines.
        for search, chosen, style in zip(searches, measures, ("-", "--"), strict=True):
            TrainingDisplay.from_estimator(
                search.best_estimator_,
                measure=str(shown),
                label=f"chosen and stopped by {type(chosen).__name__}@{chosen.k}",
                ax=ax,
                linestyle=style,
            )
    figure.suptitle("Where training stops depends on the measure (dots: best iterations)")
    saved = save_picture(path, figure, dpi=120)
    plt.close(figure)
    return f"Plot saved to {saved.resolve()}"
