"""``skgraded demo``: what ties hide, a ranker chosen by xGAP, and which ranker is for whom."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._support.progress import ProgressBar
from skgraded._support.text import wrap
from skgraded.cli._outputs import check_outputs, save_picture
from skgraded.measures import Measure, measure
from skgraded.results import Scores

_GRID = {"estimator__num_leaves": [7, 15, 31]}
_N_FOLDS = 3
_HELD_OUT = 4  # one query in four
_SMALLEST = 2 * _HELD_OUT * _N_FOLDS
_CONFIDENCE, _N_RESAMPLES = 0.95, 2000
_MOST_GRADES = 8  # of a profile of users
_PLOT = Path("skgraded-demo.png")
_NEXT = """\
Next, with your own X, y and query ids:
  ranker = QueryRanker(LGBMRanker(), measure="{measure}",
                       validation_fraction=0.2, early_stopping_rounds=30)
  search = GridSearchCV(ranker, {{"estimator__num_leaves": [7, 31]}},
                        cv=QueryKFold(5)).fit(X, query_target(y, qid))"""


class _Rows(NamedTuple):
    X: Any
    y: NDArray[Any]
    qid: NDArray[Any]


def add_command(commands: Any, summary: str) -> None:
    """Add ``demo`` to the command line."""
    parser = commands.add_parser(
        "demo",
        help=summary,
        description=(
            "Show what LightGBM's own metric says of a model that knows nothing; choose a LightGBM "
            "ranker by cross-validated xGAP@10, which also stops its training; and tell for which "
            "users a ranker of what is relevant is better than one of what is best, on held-out "
            "queries. Without --data, the data are synthetic: documents are on topic or not, and "
            "good or not."
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
        default=_PLOT,
        help="file of the plot (default: %(default)s, which every demo replaces)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace another file of the plot without asking, where no terminal can be asked",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the demo."""
    has_plot = _check_plot(arguments)
    start = time.monotonic()
    rows = _load(arguments.data, arguments.seed)
    top_grade = int(np.max(rows.y))
    # g_k, the probability that a user accepts grades from k on only, is proportional to k.
    chosen = measure(f"xGAP(g=linear,max_grade={max(1, top_grade)})@10")
    training, held_out = _split(rows, arguments.seed)
    print(_description(rows, held_out, top_grade))
    print("\n1. A model that knows nothing: all scores are equal\n" + _tie_trap(held_out))
    models = _train(training, chosen, arguments.seed)
    print(
        "\n2. A ranker chosen by cross-validation on whole queries\n" + wrap(_on(chosen), indent=0)
    )
    scores = {name: model.predict(held_out.X) for name, model in models.items()}
    print(_means(models, scores, chosen, held_out))
    if 1 < top_grade <= _MOST_GRADES:
        profile = _profile(training, held_out, top_grade, arguments.seed)
        print(f"\n3. Two rankers, and who should get which\n{_on_learners(top_grade)}\n{profile}")
        print(_save_plot(profile, arguments.plot) if has_plot else _NO_PLOT)
    print(f"\n{_NEXT.format(measure=chosen)}\nDone in {time.monotonic() - start:.0f} s.")


_NO_PLOT = "No plot: it needs matplotlib (pip install matplotlib)."


def _check_plot(arguments: argparse.Namespace) -> bool:
    """Ask before the work starts whether an old picture may be replaced; False = no matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        return False
    check_outputs(arguments)
    if arguments.force or arguments.plot == _PLOT or not arguments.plot.is_file():
        return True
    name = str(arguments.plot)
    if sys.stdin is None or not sys.stdin.isatty():
        raise ValueError(f"--plot must be a new file, got {name!r}; --force replaces it.")
    if input(f"Replace {name!r}? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ValueError(f"{name!r} stays as it is; --plot FILE names another file.")
    return True


def _load(path: str | None, seed: int) -> _Rows:
    from skgraded.datasets import load_letor

    if path is None:
        return _make_up(seed)
    rows = _Rows(*load_letor(path))
    n_queries = len(np.unique(rows.qid))
    if n_queries < _SMALLEST:
        raise ValueError(f"--data must hold at least {_SMALLEST} queries, got {n_queries}.")
    return rows


def _make_up(seed: int) -> _Rows:
    """Make up documents off topic (0), on topic (1), and on topic and good (2)."""
    from skgraded.datasets import make_ranking

    X, on_topic, qid = make_ranking(
        300, docs_per_query=50, grade_shares=(0.75, 0.25), noise=0.5, random_state=seed
    )
    more, is_good, _ = make_ranking(
        300, docs_per_query=50, grade_shares=(0.7, 0.3), noise=0.5, random_state=seed + 1
    )
    return _Rows(np.hstack([X, more]), on_topic * (1 + is_good), qid)


def _split(rows: _Rows, seed: int) -> tuple[_Rows, _Rows]:
    """Hold out one query in four."""
    from skgraded.model_selection import QueryKFold

    folds = QueryKFold(_HELD_OUT, random_state=seed).split(rows.X, groups=rows.qid)
    training, held_out = next(folds)
    return tuple(  # type: ignore[return-value]
        _Rows(rows.X[own], rows.y[own], rows.qid[own]) for own in (training, held_out)
    )


def _description(rows: _Rows, held_out: _Rows, top_grade: int) -> str:
    shares = np.bincount(rows.y.astype(int)) / len(rows.y)
    grades = ", ".join(f"{grade}: {share:.1%}" for grade, share in enumerate(shares))
    return wrap(
        f"{len(rows.y)} documents of {len(np.unique(rows.qid))} queries, "
        f"{len(np.unique(held_out.qid))} of them held out. Grades 0..{top_grade} ({grades}).",
        indent=0,
    )


def _tie_trap(rows: _Rows) -> str:
    """Compare LightGBM's own metric of a constant model with its exact expected value."""
    exact = measure("nDCG(gain=exp2,empty=1)@10")
    lines = [f"{'rows of each query':<20}  LightGBM ndcg@10  exact ndcg@10"]
    for name, order in (
        ("as they are", np.argsort(rows.qid, kind="stable")),
        ("best first", np.lexsort((-rows.y, rows.qid))),
    ):
        y, qid = rows.y[order], rows.qid[order]
        own = _own_ndcg_of_nothing(y, qid)
        value = exact(y, np.zeros(len(y)), qid=qid)
        lines.append(f"{name:<20}  {own:>16.4f}  {value:>13.4f}")
    told = (
        "LightGBM ranks equal scores in the order of the rows. The exact value is the mean over "
        "all orders of equal scores."
    )
    return "\n".join([*lines, wrap(told, indent=0)])


def _own_ndcg_of_nothing(y: NDArray[Any], qid: NDArray[Any]) -> float:
    """Return LightGBM's ndcg@10 of a model without usable features."""
    from lightgbm import Booster, Dataset

    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1}
    params["label_gain"] = [2.0**grade - 1.0 for grade in range(int(y.max()) + 1)]
    sizes = np.unique(qid, return_counts=True)[1]
    data = Dataset(np.zeros((len(y), 1)), y, group=sizes, params=params)
    value: float = Booster(params, data).eval_train()[0][2]
    return value


def _train(training: _Rows, chosen: Measure, seed: int) -> dict[str, Any]:
    """Return the ranker that a grid search finds, and one with LightGBM's defaults."""
    from joblib import parallel_config
    from sklearn.model_selection import GridSearchCV, ParameterGrid

    from skgraded import QueryKFold, QueryRanker, query_target

    target = query_target(training.y, training.qid)
    n_fits = len(ParameterGrid(_GRID)) * _N_FOLDS + 2
    with ProgressBar(n_fits, "Searching") as progress, parallel_config("threading"):
        # Threads can update the progress bar, and LightGBM runs in parallel in them.
        search = GridSearchCV(
            QueryRanker(
                _lightgbm(seed, n_estimators=300),
                measure=chosen,
                validation_fraction=0.2,
                early_stopping_rounds=30,
                random_state=seed,
            ),
            _GRID,
            scoring=_CountingScorer(progress),
            cv=QueryKFold(_N_FOLDS, random_state=seed),
            n_jobs=2,
            error_score="raise",
        ).fit(training.X, target)
        progress.step()
        defaults = QueryRanker(_lightgbm(seed), measure=chosen).fit(training.X, target)
        progress.step()
    return {"chosen": search.best_estimator_, "defaults": defaults}


def _lightgbm(seed: int, **params: Any) -> Any:
    from lightgbm import LGBMRanker

    return LGBMRanker(n_jobs=1, verbose=-1, random_state=seed, **params)


class _CountingScorer:
    """The ranker's own score, which also advances the progress bar."""

    def __init__(self, progress: ProgressBar) -> None:
        self.progress = progress

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        score: float = estimator.score(X, y)
        self.progress.step()
        return score


def _on(chosen: Measure) -> str:
    return (
        f"Mean {chosen} on the held-out queries, with its {_CONFIDENCE:.0%} interval over queries. "
        "'chosen' has the best mean over the folds of a grid, and the measure also stopped its "
        "training; 'defaults' is LGBMRanker()."
    )


def _means(
    models: Mapping[str, Any],
    scores: Mapping[str, NDArray[np.float64]],
    chosen: Measure,
    rows: _Rows,
) -> str:
    """Return a table of means with intervals, the attainable one last."""
    lines = [f"{'ranker':<20}  leaves  trees    mean  {'interval':>16}"]
    for name, model in models.items():
        values = chosen.per_query(rows.y, scores[name], qid=rows.qid)
        leaves = model.estimator_.get_params()["num_leaves"]
        trees = getattr(model, "best_iteration_", model.estimator_.n_estimators_)
        lines.append(f"{name:<20}  {leaves:>6}  {trees:>5}  {_with_interval(values)}")
    ideal = chosen(rows.y, rows.y, qid=rows.qid)
    nothing = chosen(rows.y, np.zeros(len(rows.y)), qid=rows.qid)
    lines.append(f"{'equal scores':<20}  {'':>6}  {'':>5}  {nothing:.4f}")
    lines.append(f"{'ideal ranking':<20}  {'':>6}  {'':>5}  {ideal:.4f}")
    return "\n".join(lines)


def _with_interval(values: Scores) -> str:
    from scipy.stats import bootstrap

    found = bootstrap(
        (values.values,),
        np.mean,
        confidence_level=_CONFIDENCE,
        n_resamples=_N_RESAMPLES,
        method="percentile",
        random_state=0,
    ).confidence_interval
    return f"{float(values):.4f}  [{found.low:.4f}, {found.high:.4f}]"


def _profile(training: _Rows, held_out: _Rows, top_grade: int, seed: int) -> Any:
    """Compare a ranker that learns what is relevant with one that learns what is best."""
    from skgraded.users import threshold_profile

    sizes = np.unique(training.qid, return_counts=True)[1]
    rows = np.argsort(training.qid, kind="stable")
    scores = {}
    for name, wanted in (("broad", 1), ("precise", _wanted_by_precise(top_grade))):
        model = _lightgbm(seed, num_leaves=15)
        model.fit(training.X[rows], (training.y[rows] >= wanted).astype(int), group=sizes)
        scores[name] = model.predict(held_out.X)
    return threshold_profile(held_out.y, scores, qid=held_out.qid)


def _wanted_by_precise(top_grade: int) -> int:
    """Return the lowest grade of the upper half, because of few documents little is learnt."""
    return top_grade // 2 + 1


def _on_learners(top_grade: int) -> str:
    return wrap(
        "'broad' learns which documents have grade 1 or better, 'precise' which have grade "
        f"{_wanted_by_precise(top_grade)} or better.",
        indent=0,
    )


def _save_plot(profile: Any, path: Path) -> str:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure = profile.plot().figure
    saved = save_picture(path, figure, dpi=120)
    plt.close(figure)
    return f"Plot saved to {saved.resolve()}"
