"""Waits of those who evaluate: small data, long data, ties, ids in any form, short queries."""

import subprocess
import sys
from functools import cache, partial
from itertools import count
from pathlib import Path

import lightgbm as lgb
import numpy as np
from _timing import processor_times, share_of_ties
from _waits import Times, Wait
from evaluate import MEASURES, lightgbms_metric, make_scored_rows

from skgraded import Judgments, compare, evaluate, measure, nDCG, query_target, xGAP
from skgraded.lightgbm import eval_metric, objective
from skgraded.measures import tie_report

XGAP = xGAP(g=(0.1, 0.2, 0.3, 0.4))
ITERATIONS = (1, 3, 10, 40)
NDCG = "LightGBM's ndcg@10"


def against_lightgbm(ours, rows, options, calls=1):
    """Time a call against LightGBM's evaluation of the same scores."""
    theirs, tied = lightgbms_metric(*rows, 1), share_of_ties(*rows[1:])
    return Times(
        **processor_times({"ours": ours, "theirs": theirs}, options.repeats, calls),
        tied=tied,
    )


def small(what, options):
    """Ten queries of ten documents."""
    grades = np.tile([0.0, 1, 2, 0, 0, 1, 3, 0, 0, 4], 10)
    scores, qid = np.random.default_rng(0).random(100), np.repeat(np.arange(10), 10)
    judgments, sizes = Judgments(grades, qid=qid), np.full(10, 10)
    five, one, ndcg, xgap = (
        eval_metric(*MEASURES),
        eval_metric("nDCG@10"),
        nDCG(k=10),
        XGAP,
    )
    calls = {
        "five-arrays": lambda: evaluate(MEASURES, grades, scores, qid=qid).mean(),
        "five-prepared": lambda: evaluate(MEASURES, judgments, scores).mean(),
        "five-callback": lambda: five(grades, scores, None, sizes),
        "five-first": lambda: eval_metric(*MEASURES)(grades, scores, None, sizes),
        "ndcg-arrays": lambda: ndcg(grades, scores, qid=qid),
        "ndcg-prepared": lambda: ndcg(judgments, scores),
        "ndcg-callback": lambda: one(grades, scores, None, sizes),
        "xgap-arrays": lambda: xgap(grades, scores, qid=qid),
        "xgap-prepared": lambda: xgap(judgments, scores),
        "result": lambda: evaluate(ndcg, judgments, scores).mean(),
    }
    if what == "result":  # beyond the measure itself
        runs = {each: calls[each] for each in (what, "ndcg-prepared")}
        found = processor_times(runs, options.repeats, 200)
        return Times(found[what] - found["ndcg-prepared"])
    return against_lightgbm(calls[what], (grades, scores, sizes), options, calls=200)


def tie_reports(n_queries, size, options):
    """Report on ties of rounded scores, against an evaluation."""
    rng = np.random.default_rng(0)
    grades, qid = (
        rng.integers(0, 5, n_queries * size),
        np.repeat(np.arange(n_queries), size),
    )
    rows = grades, rng.random(len(grades)).round(2)
    runs = {
        "ours": lambda: tie_report(MEASURES, *rows, qid=qid),
        "theirs": lambda: evaluate(MEASURES, *rows, qid=qid).mean(),
    }
    return Times(
        **processor_times(runs, options.repeats, max(1, 10_000 // len(grades)))
    )


def paths(n_queries):
    """Return the main paths on so many queries of 100 documents."""
    rng, qid = np.random.default_rng(0), np.repeat(np.arange(n_queries), 100)
    grades, scores = (
        rng.integers(0, 5, len(qid)).astype(float),
        rng.standard_normal(len(qid)),
    )
    rates, sizes = 4.0 * rng.random(len(qid)), np.full(n_queries, 100)
    judgments, five, cost = (
        Judgments(grades, qid=qid),
        eval_metric(*MEASURES),
        objective(XGAP),
    )
    mixed, others = rng.permutation(len(qid)), {"a": scores, "b": scores + 0.1 * grades}
    return {
        "evaluate": lambda: evaluate(MEASURES, grades, scores, qid=qid),
        "prepared": lambda: evaluate(MEASURES, judgments, scores),
        "mixed": lambda: evaluate(MEASURES, grades[mixed], scores, qid=qid[mixed]),
        "first": lambda: eval_metric(*MEASURES)(grades, scores, None, sizes),
        "later": lambda: five(grades, scores, None, sizes),
        "objective": lambda: cost(grades, scores, None, sizes),
        "continuous": lambda: XGAP(rates, scores, qid=qid),
        "ties": lambda: tie_report(MEASURES, grades, scores, qid=qid),
        "compare": lambda: compare(
            evaluate(["AP", "nDCG@10"], grades, others, qid=qid)
        ),
        "target": lambda: query_target(grades, qid),
    }


def growth(what, options):
    """Return the power of the number of documents by which the time grows."""
    few, many = paths(500)[what], paths(8_000)[what]
    found = processor_times({"few": few, "many": many}, options.repeats)
    return Times(np.log(found["many"] / found["few"]) / np.log(16))


PEAK = """
import ctypes, sys
from _waits_evaluation import Path, paths
def memory(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(each.split()[1]) for each in lines if each.startswith(name))

what, n_queries = sys.argv[1], 10_000
paths(10)[what]()
run = paths(n_queries)[what]
ctypes.CDLL(None).malloc_trim(0)
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
before = memory("VmRSS")
run()
print((memory("VmHWM") - before) / (100 * n_queries))
"""


def peak(what, options):
    """Return the bytes of memory, for a document, by which the peak exceeds the start of a call."""
    words = [sys.executable, "-c", PEAK, what]
    return Times([float(subprocess.check_output(words, cwd=Path(__file__).parent))])


def string(options):
    """Parse a string that was not seen before."""
    cutoffs = count(1)
    run = {"ours": lambda: measure(f"xGAP(g=[0.1,0.9])@{next(cutoffs)}")}
    return Times(**processor_times(run, options.repeats, 200))


@cache
def long_rows(n_queries):
    return make_scored_rows(n_queries, False)


def later_calls(scores_of, options):
    """Time a call that is not the first, by scores that a function makes of others."""
    grades, scores, sizes = long_rows(options.queries)
    scores, five = scores_of(scores, options), eval_metric(*MEASURES)
    ours = partial(five, grades, scores, None, sizes)
    return against_lightgbm(ours, (grades, scores, sizes), options)


def first_call(options):
    grades, scores, sizes = long_rows(options.queries)

    def first():
        eval_metric(*MEASURES)(grades, scores, None, sizes)

    return against_lightgbm(first, (grades, scores, sizes), options)


@cache
def scores_of_trees(n_queries):
    """Return predictions after so many trees on four coarse features.

    Of neighbours in a ranking, about half are tied after the first tree.
    """
    grades, _, sizes = long_rows(n_queries)
    rng = np.random.default_rng(3)
    features = grades[:, None] * [0.5, 0.3, 0.2, 0.1] + rng.standard_normal(
        (len(grades), 4)
    )
    tree = {"num_leaves": 127, "max_bin": 7, "verbose": -1, "num_threads": 1}
    data = lgb.Dataset(features, grades, group=sizes)
    booster = lgb.train({**tree, "objective": "lambdarank"}, data, max(ITERATIONS))
    return {
        n: booster.predict(features, num_iteration=n, raw_score=True)
        for n in ITERATIONS
    }


def labels_of(kind, n_documents):
    """Return labels of one of the kinds that are not whole grades; "whole" are those grades."""
    rng = np.random.default_rng(2)
    if kind == "whole":
        return rng.integers(0, 5, n_documents).astype(float)
    if kind == "mean ratings":  # of three assessors
        return rng.integers(0, 5, (n_documents, 3)).mean(axis=1)
    rates = rng.random(n_documents)
    return 4.0 * (rates.round(3) if kind == "click rates" else rates)


def continuous(kind, how, options):
    """Score a thousand queries of a hundred documents against the same with whole grades."""
    chosen, n_queries, size = XGAP, 1_000, 100
    qid = np.repeat(np.arange(n_queries), size)
    sizes, scores = np.full(n_queries, size), np.random.default_rng(3).random(len(qid))

    def run(labels):
        judgments = Judgments(labels, qid=qid)
        return {
            "call": lambda: chosen(labels, scores, qid=qid),
            "prepared": lambda: chosen(judgments, scores),
            "callback": lambda: eval_metric(chosen)(labels, scores, None, sizes),
        }[how]

    runs = {
        "ours": run(labels_of(kind, len(qid))),
        "theirs": run(labels_of("whole", len(qid))),
    }
    return Times(**processor_times(runs, 5 * options.repeats, 3))


def text_of(number):
    return f"query-{number:07d}"


def columns_of_ids(kind, query):
    """Return ids of the rows in one of the forms in which users hold them."""
    if kind == "integers":
        return query
    names = np.array([text_of(each) for each in range(int(query.max()) + 1)])
    if kind == "NumPy text":
        return names[query]
    if kind == "objects":
        return names.astype(object)[query]
    library, form = kind.split()
    if library == "pandas":
        import pandas as pd

        codes = pd.Categorical.from_codes(query, names)
        return pd.Series(
            codes if form == "categories" else names[query], dtype=TYPE_OF.get(form)
        )
    import polars as pl

    return pl.Series(
        names[query], dtype=pl.String if form == "text" else pl.Categorical
    )


TYPE_OF = {"text": "string"}


def forms(kind, options):
    """Score 1,000 queries of 100 documents in lists or as objects, against arrays."""
    rng, qid = np.random.default_rng(0), np.repeat(np.arange(1_000), 100)
    rows = (
        rng.integers(0, 5, len(qid)).astype(float),
        rng.standard_normal(len(qid)),
        qid,
    )
    others = [
        each.tolist() if kind == "lists" else each.astype(object) for each in rows
    ]
    runs = {
        name: partial(evaluate, MEASURES, *columns[:2], qid=columns[2])
        for name, columns in (("ours", others), ("theirs", rows))
    }
    return Times(**processor_times(runs, options.repeats, 5))


def ids(kind, options):
    """Rows in random order against the same rows, sorted, with ids that are integers."""
    grades, scores, sizes = long_rows(options.queries)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    order = np.random.default_rng(1).permutation(len(qid))
    rows = grades[order], scores[order], columns_of_ids(kind, qid[order])
    runs = {
        "ours": lambda: evaluate(MEASURES, rows[0], rows[1], qid=rows[2]),
        "theirs": lambda: evaluate(MEASURES, grades, scores, qid=qid),
    }
    return Times(**processor_times(runs, min(options.repeats, 5)))


@cache
def short_rows(n_queries):
    rng = np.random.default_rng(0)
    grades = rng.integers(0, 5, 5 * n_queries).astype(np.float32)
    return grades, rng.standard_normal(len(grades)), np.full(n_queries, 5)


def short(what, options):
    """Return the time of a document in queries of five."""
    grades, scores, sizes = short_rows(options.short_queries)
    five = eval_metric(*MEASURES)

    def call():
        (five if what == "later" else eval_metric(*MEASURES))(
            grades, scores, None, sizes
        )

    found = against_lightgbm(call, (grades, scores, sizes), options)
    return found._replace(
        ours=found.ours / len(grades), theirs=found.theirs / len(grades)
    )


FORMS_OF_IDS = {
    **dict.fromkeys(("integers", "pandas categories", "polars categories"), 2),
    **dict.fromkeys(("NumPy text", "objects", "pandas text", "polars text"), 4),
}
SMALL = {  # microseconds
    **{"five-arrays": 130, "five-prepared": 40, "five-callback": 22, "five-first": 110},
    **{"ndcg-arrays": 40, "ndcg-prepared": 10, "ndcg-callback": 12},
    **{"xgap-arrays": 80, "xgap-prepared": 20, "result": 10},
}
PEAKS = {
    "evaluate": 20,
    "first": 26,
    "objective": 34,
    "continuous": 50,
}  # bytes a document
LABELS = "any numbers", "click rates", "mean ratings"
# "half tied": in steps so wide that about half of the neighbours in a ranking are tied.
SCORES = {
    "later": ("no ties", 0.33, lambda scores, _: scores),
    "half-tied": ("half tied", 0.45, lambda scores, _: np.round(16.0 * scores) / 16.0),
    **{
        f"trees-{n}": (
            f"after {n} trees",
            0.45,
            lambda _, to, n=n: scores_of_trees(to.queries)[n],
        )
        for n in ITERATIONS
    },
}
WAITS = [
    *(
        Wait(
            f"labels-{how}-{n}",
            f"{how}: {of}",
            1.5,
            "",
            "whole",
            partial(continuous, of, how),
        )
        for how in ("call", "prepared", "callback")
        for n, of in enumerate(LABELS, start=1)
    ),
    *(
        Wait(
            f"ids-{n}",
            f"ids in random order: {kind}",
            to,
            "",
            "rows sorted",
            partial(ids, kind),
        )
        for n, (kind, to) in enumerate(FORMS_OF_IDS.items(), start=1)
    ),
    *(
        Wait(
            f"small-{what}",
            f"10 x 10 documents: {what}",
            to,
            "us",
            NDCG,
            partial(small, what),
        )
        for what, to in SMALL.items()
    ),
    *(
        Wait(
            f"tie-report-{n}",
            f"{n} x {size}",
            3,
            "",
            "evaluate",
            partial(tie_reports, n, size),
        )
        for n, size in ((10, 10), (10_000, 100))
    ),
    *(
        Wait(
            f"growth-{what}",
            f"{what}, 500 to 8,000 x 100",
            1.1,
            "n^",
            "",
            partial(growth, what),
        )
        for what in paths(1)
    ),
    *(
        Wait(
            f"peak-{what}",
            f"{what}, 10,000 x 100",
            to,
            "bytes",
            "",
            partial(peak, what),
        )
        for what, to in PEAKS.items()
    ),
    *(
        Wait(
            f"forms-{kind}",
            f"1,000 x 100 in {kind}",
            5,
            "",
            "arrays",
            partial(forms, kind),
        )
        for kind in ("lists", "objects")
    ),
    Wait("string", "a new string of xGAP", 20, "us", "", string),
    Wait("first", "five measures, no ties, first call", 0.4, "", NDCG, first_call),
    *(
        Wait(
            name,
            f"five measures, {work}, later calls",
            to,
            "",
            NDCG,
            partial(later_calls, make),
        )
        for name, (work, to, make) in SCORES.items()
    ),
    *(
        Wait(
            f"short-{n}",
            f"queries of 5, five measures, {n}",
            80,
            "ns",
            NDCG,
            partial(short, n),
        )
        for n in ("first", "later")
    ),
]
