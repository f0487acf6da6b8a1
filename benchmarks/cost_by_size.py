"""Time nDCG@10 by the number of documents, for every library that is installed, and plot it.

Queries of 100 documents with five grades; processor time of one evaluation of scores in the form in
which the library takes them, made beforehand: arrays, a data set of its own, or dicts. A library
goes on to ten times the size while a call takes at most --seconds.

    python benchmarks/cost_by_size.py --largest 7 --out docs/performance.png
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from _timing import PAUSE

SIZE = 100


def with_skgraded(grades, scores, qid):
    from skgraded import nDCG

    return lambda: nDCG(k=10)(grades, scores, qid=qid)


def with_judgments(grades, scores, qid):
    from skgraded import Judgments, nDCG

    judgments, measure = Judgments(grades, qid=qid), nDCG(k=10)
    return lambda: measure(judgments, scores)


def with_lightgbm(grades, scores, qid):
    from evaluate import lightgbms_metric

    return lightgbms_metric(grades, scores, np.full(len(grades) // SIZE, SIZE), 1)


def with_xgboost(grades, scores, qid):
    import xgboost as xgb

    data = xgb.DMatrix(
        np.zeros((len(grades), 1)), grades, qid=qid, base_margin=scores, nthread=1
    )
    params = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "nthread": 1}
    booster = xgb.Booster(params, [data])
    booster.eval(data)  # which keeps the predictions
    return lambda: booster.eval(data)


def with_catboost(grades, scores, qid):
    from catboost.utils import eval_metric

    ids = qid.astype(np.int64)
    return lambda: eval_metric(
        grades, scores, "NDCG:top=10", group_id=ids, thread_count=1
    )


def with_scikit_learn(grades, scores, qid):
    from sklearn.metrics import ndcg_score

    queries = [slice(i, i + SIZE) for i in range(0, len(grades), SIZE)]
    return lambda: np.mean(
        [ndcg_score([grades[q]], [scores[q]], k=10) for q in queries]
    )


def as_dicts(values, kind):
    return {
        f"q{q}": {f"d{i}": kind(each) for i, each in enumerate(row)}
        for q, row in enumerate(values.reshape(-1, SIZE).tolist())
    }


def with_pytrec_eval(grades, scores, qid):
    import pytrec_eval

    judged, run = as_dicts(grades, int), as_dicts(scores, float)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"})
    return lambda: evaluator.evaluate(run)


def with_ir_measures(grades, scores, qid):
    import ir_measures

    judged, run = as_dicts(grades, int), as_dicts(scores, float)
    evaluator = ir_measures.evaluator([ir_measures.nDCG @ 10], judged)
    return lambda: evaluator.calc_aggregate(run)


def with_ranx(grades, scores, qid):
    import ranx

    judged, run = ranx.Qrels(as_dicts(grades, int)), ranx.Run(as_dicts(scores, float))
    return lambda: ranx.evaluate(judged, run, "ndcg@10", threads=1)


def with_pandas(grades, scores, qid):
    import pandas as pd

    rows = pd.DataFrame({"qid": qid, "grade": grades, "score": scores})

    def dcg(column):
        ranked = rows.sort_values(
            ["qid", column], ascending=[True, False], kind="stable"
        )
        rank = ranked.groupby("qid").cumcount()
        top = ranked[rank < 10]
        return (top["grade"] / np.log2(rank[rank < 10] + 2)).groupby(top["qid"]).sum()

    def mean():
        return (dcg("score") / dcg("grade")).mean()

    return mean


def with_polars(grades, scores, qid):
    import polars as pl

    rows = pl.LazyFrame({"qid": qid, "grade": grades, "score": scores})

    def dcg(column):
        top = pl.col("grade").sort_by(column, descending=True).head(10)
        return (top / (pl.int_range(top.len()) + 2).log(2)).sum()

    by_query = rows.group_by("qid").agg(value=dcg("score") / dcg("grade"))
    return lambda: by_query.select(pl.col("value").mean()).collect().item()


LIBRARIES = {
    "skgraded": with_skgraded,
    "skgraded, Judgments": with_judgments,
    "LightGBM": with_lightgbm,
    "XGBoost": with_xgboost,
    "CatBoost": with_catboost,
    "scikit-learn": with_scikit_learn,
    "pytrec_eval": with_pytrec_eval,
    "ir_measures": with_ir_measures,
    "ranx": with_ranx,
    "pandas by hand": with_pandas,
    "polars by hand": with_polars,
}


def make_rows(n_documents):
    rng = np.random.default_rng(0)
    grades = rng.choice(5, n_documents, p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(
        np.float32
    )
    scores = 0.7 * grades + rng.standard_normal(n_documents)
    return grades, scores, np.repeat(np.arange(n_documents // SIZE), SIZE)


def seconds_of(call):
    """Return the median processor time of at most seven calls after a first one."""
    call()
    runs = []
    while len(runs) < 7 and sum(runs) < 3:
        time.sleep(PAUSE)
        n_calls, start = 0, time.process_time()
        while n_calls == 0 or time.process_time() - start < 0.01:
            call()
            n_calls += 1
        runs.append((time.process_time() - start) / n_calls)
    return float(np.median(runs))


def measure(largest, most_seconds):
    """Return seconds by library and number of documents."""
    found = {}
    for name, prepare in LIBRARIES.items():
        for power in range(2, largest + 1):
            try:
                call = prepare(*make_rows(10**power))
            except ImportError:
                print(f"{name} is not installed")
                break
            spent = found.setdefault(name, {})[10**power] = seconds_of(call)
            print(f"{name:20} 10^{power}  {spent:.3g} s", flush=True)
            if 10 * spent > most_seconds:
                break
    return found


def plot(found, path, title):
    """Draw one line for every library; the legend has the order of the lines, slowest first."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5))
    common = max(
        set.intersection(*(set(by_size) for by_size in found.values())), key=int
    )
    for name in sorted(found, key=lambda name: -found[name][common]):
        sizes, seconds = zip(
            *((int(n), s) for n, s in found[name].items()), strict=True
        )
        is_ours = name.startswith("skgraded")
        style = "--" if name == "skgraded, Judgments" else "-"
        ours = {"color": "black", "lw": 2.5} if is_ours else {"lw": 1.2}
        axes.loglog(sizes, seconds, style, marker=".", label=name, **ours)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_xlabel("documents, in queries of 100")
    axes.set_ylabel("seconds of processor time")
    axes.set_title(title, loc="left", fontsize=11, weight="bold")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    figure.savefig(path, dpi=110, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=7, help="power of ten")
    parser.add_argument("--seconds", type=float, default=10, help="longest call")
    parser.add_argument("--times", type=Path, default=Path("cost-by-size.json"))
    parser.add_argument(
        "--out", type=Path, help="the plot; without it, times are only measured"
    )
    parser.add_argument(
        "--title", default="One evaluation of nDCG@10", help="the plot's verdict"
    )
    parser.add_argument(
        "--plot-only", action="store_true", help="draw the times measured before"
    )
    options = parser.parse_args()
    if not options.plot_only:
        found = measure(options.largest, options.seconds)
        options.times.write_text(json.dumps(found), encoding="utf-8")
    if options.out:
        plot(
            json.loads(options.times.read_text(encoding="utf-8")),
            options.out,
            options.title,
        )


if __name__ == "__main__":
    main()
