"""Waits of those who evaluate: tiny data, long data, ties, ids in any form, short queries."""

import tracemalloc
from functools import cache, partial
from itertools import count

import lightgbm as lgb
import numpy as np
from _timing import processor_times, share_of_ties
from _waits import Times, Wait
from evaluate import MEASURES, lightgbms_metric, make_scored_rows

from skgraded import Judgments, evaluate, measure, nDCG, xGAP
from skgraded.lightgbm import eval_metric

THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
ITERATIONS = (1, 3, 10, 40)
NDCG = "LightGBM's ndcg@10"


def against_lightgbm(ours, rows, options, calls=1):
    """Time a call against LightGBM's evaluation of the same scores."""
    theirs, tied = lightgbms_metric(*rows, 1), share_of_ties(*rows[1:])
    return Times(
        **processor_times({"ours": ours, "theirs": theirs}, options.repeats, calls), tied=tied
    )


def tiny(what, options):
    """Ten queries of ten documents."""
    grades = np.tile([0.0, 1, 2, 0, 0, 1, 3, 0, 0, 0], 10)
    scores = np.random.default_rng(0).random(100)
    sizes, qid = np.full(10, 10), np.repeat(np.arange(10), 10)
    five, one = eval_metric(*MEASURES), eval_metric(MEASURES[2])
    calls = {
        "five": lambda: five(grades, scores, None, sizes),
        "one": lambda: one(grades, scores, None, sizes),
        "score": lambda: xGAP(g=THRESHOLDS)(grades, scores, qid=qid),
        "prepared": partial(xGAP(g=THRESHOLDS), Judgments(grades, qid=qid), scores),
    }
    return against_lightgbm(calls[what], (grades, scores, sizes), options, calls=200)


def thousand(what, options):
    """Ten queries of a hundred documents: arrays, and labels that were read before."""
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 5, 1_000).astype(float), rng.standard_normal(1_000)
    sizes, qid, chosen = np.full(10, 100), np.repeat(np.arange(10), 100), nDCG(k=10)
    judgments = Judgments(grades, qid=qid)
    calls = {
        "arrays": lambda: chosen(grades, scores, qid=qid),
        "prepared": lambda: chosen(judgments, scores),
    }
    return against_lightgbm(calls[what], (grades, scores, sizes), options, calls=200)


def string(options):
    """Parse a string that was not seen before."""
    cutoffs = count(1)
    run = {"ours": lambda: measure(f"xGAP(g=[0.1,0.9])@{next(cutoffs)}")}
    return Times(**processor_times(run, options.repeats, 200))


@cache
def long_rows(n_queries):
    return make_scored_rows(n_queries, False)


def later_calls(options):
    grades, scores, sizes = long_rows(options.queries)
    five = eval_metric(*MEASURES)
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
    features = grades[:, None] * [0.5, 0.3, 0.2, 0.1] + rng.standard_normal((len(grades), 4))
    tree = {"num_leaves": 127, "max_bin": 7, "verbose": -1, "num_threads": 1}
    data = lgb.Dataset(features, grades, group=sizes)
    booster = lgb.train({**tree, "objective": "lambdarank"}, data, max(ITERATIONS))
    return {n: booster.predict(features, num_iteration=n, raw_score=True) for n in ITERATIONS}


def after_trees(n, options):
    grades, _, sizes = long_rows(options.queries)
    scores, five = scores_of_trees(options.queries)[n], eval_metric(*MEASURES)
    ours = partial(five, grades, scores, None, sizes)
    return against_lightgbm(ours, (grades, scores, sizes), options)


def half_tied(options):
    """Score in steps so wide that about half of the neighbours in a ranking are tied."""
    grades, scores, sizes = long_rows(options.queries)
    scores, five = np.round(16.0 * scores) / 16.0, eval_metric(*MEASURES)
    ours = partial(five, grades, scores, None, sizes)
    return against_lightgbm(ours, (grades, scores, sizes), options)


def labels_of(kind, n_documents):
    """Return labels of one of the kinds that are not whole grades; "whole" are those grades."""
    rng = np.random.default_rng(2)
    if kind == "whole":
        return rng.integers(0, 5, n_documents).astype(float)
    if kind == "mean ratings":  # of three assessors
        return rng.integers(0, 5, (n_documents, 3)).mean(axis=1)
    return (
        4.0 * rng.random(n_documents).round(3)
        if kind == "click rates"
        else rng.random(n_documents) * 4.0
    )


def continuous(kind, how, options):
    """Score a thousand queries of a hundred documents against the same with whole grades."""
    chosen, n_queries, size = xGAP(g=THRESHOLDS), 1_000, 100
    qid = np.repeat(np.arange(n_queries), size)
    sizes, scores = np.full(n_queries, size), np.random.default_rng(3).random(len(qid))

    def run(labels):
        judgments = Judgments(labels, qid=qid)
        return {
            "call": lambda: chosen(labels, scores, qid=qid),
            "prepared": lambda: chosen(judgments, scores),
            "callback": lambda: eval_metric(chosen)(labels, scores, None, sizes),
        }[how]

    runs = {"ours": run(labels_of(kind, len(qid))), "theirs": run(labels_of("whole", len(qid)))}
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
        return pd.Series(codes if form == "categories" else names[query], dtype=TYPE_OF.get(form))
    import polars as pl

    return pl.Series(names[query], dtype=pl.String if form == "text" else pl.Categorical)


TYPE_OF = {"text": "string"}


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
    calls = {
        "first": lambda: eval_metric(*MEASURES)(grades, scores, None, sizes),
        "later": lambda: five(grades, scores, None, sizes),
    }
    found = against_lightgbm(calls[what], (grades, scores, sizes), options)
    return found._replace(ours=found.ours / len(grades), theirs=found.theirs / len(grades))


def short_bytes(options):
    """Memory at the peak of a first call, for a document."""
    grades, scores, sizes = short_rows(options.short_queries)
    tracemalloc.start()
    eval_metric(*MEASURES)(grades, scores, None, sizes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Times([peak / len(grades)])


FORMS_OF_IDS = {
    "integers": 2,
    "NumPy text": 4,
    "objects": 4,
    "pandas text": 4,
    "pandas categories": 2,
    "polars text": 4,
    "polars categories": 2,
}
LABELS = "any numbers", "click rates", "mean ratings"
WAITS = [
    *(
        Wait(
            f"labels-{how}-{n}",
            f"xGAP, 1,000 x 100 documents, {how}: {kind}",
            1.5,
            "",
            "whole grades",
            partial(continuous, kind, how),
        )
        for how in ("call", "prepared", "callback")
        for n, kind in enumerate(LABELS, start=1)
    ),
    *(
        Wait(
            f"ids-{n}",
            f"ids in random row order: {kind}",
            to,
            "",
            "rows sorted",
            partial(ids, kind),
        )
        for n, (kind, to) in enumerate(FORMS_OF_IDS.items(), start=1)
    ),
    Wait(
        "tiny-five",
        "10 x 10 documents: callback, five measures",
        50,
        "us",
        NDCG,
        partial(tiny, "five"),
    ),
    Wait(
        "tiny-one", "10 x 10 documents: callback, one measure", 25, "us", NDCG, partial(tiny, "one")
    ),
    Wait("tiny-score", "10 x 10 documents: xGAP(g)(y, s)", 80, "us", NDCG, partial(tiny, "score")),
    Wait(
        "tiny-prepared",
        "10 x 10 documents: xGAP(g)(judgments, s)",
        20,
        "us",
        NDCG,
        partial(tiny, "prepared"),
    ),
    Wait(
        "thousand-arrays",
        "10 x 100 documents: nDCG(k=10)(y, s, qid=qid)",
        60,
        "us",
        NDCG,
        partial(thousand, "arrays"),
    ),
    Wait(
        "thousand-prepared",
        "10 x 100 documents: nDCG(k=10)(judgments, s)",
        20,
        "us",
        NDCG,
        partial(thousand, "prepared"),
    ),
    Wait("string", "a new string of xGAP", 20, "us", "", string),
    Wait("later", "five measures, no ties, later calls", 0.33, "", NDCG, later_calls),
    Wait("half-tied", "five measures, half tied, later calls", 0.45, "", NDCG, half_tied),
    Wait("first", "five measures, no ties, first call", 0.4, "", NDCG, first_call),
    *(
        Wait(
            f"trees-{n}",
            f"five measures after {n} trees, later calls",
            0.45,
            "",
            NDCG,
            partial(after_trees, n),
        )
        for n in ITERATIONS
    ),
    Wait(
        "short-first",
        "queries of 5, five measures, first call, a document",
        80,
        "ns",
        NDCG,
        partial(short, "first"),
    ),
    Wait(
        "short-later",
        "queries of 5, five measures, later calls",
        80,
        "ns",
        NDCG,
        partial(short, "later"),
    ),
    Wait(
        "short-bytes",
        "queries of 5, peak of a first call, a document",
        80,
        "bytes",
        "",
        short_bytes,
    ),
]
