"""Waits of those who evaluate runs of a TREC track (TREC-COVID's), and compare and study them."""

import gzip
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
from _timing import processor_times
from _waits import Times, Wait
from trec_evaluate import SKGRADED, plain_copies, track

from skgraded import compare, trec
from skgraded._intervals.paired import TESTS, tukey_test
from skgraded.studies import discriminative_power


@cache
def copies():
    """Return folders of the runs, plain and compressed by gzip, which go with the process."""
    plain, zipped = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
    for path in plain_copies(track()[1], Path(plain.name)):
        (Path(zipped.name) / f"{path.name}.gz").write_bytes(
            gzip.compress(path.read_bytes())
        )
    return {"plain": plain, "gz": zipped}


def evaluation(form, n_threads=1):
    qrels, files = track()[0], sorted(Path(copies()[form].name).iterdir())
    return lambda: trec.evaluate(SKGRADED, qrels, files, n_threads=n_threads)


def runs(form, n_threads, options):
    return Times(
        **processor_times({"ours": evaluation(form, n_threads)}, options.repeats)
    )


@cache
def scores():
    more = ["RR", "ERR", "QMeasure", "Bpref", "GAP", "xGAP", "eGAP"]
    return trec.evaluate([*SKGRADED, *more], *track())


def study(what, options):
    found = scores()
    values = found.values[:, :, 0]
    calls = {
        "tukey": lambda: tukey_test(values, 100_000, np.random.default_rng(0)),
        "bootstrap": lambda: discriminative_power(found, n_resamples=1000),
    }
    return Times(**processor_times({"ours": calls[what]}, options.repeats))


def comparison(test, options):
    """Compare all pairs by one measure, against the evaluation of their compressed files."""
    given = {"tests": test, "correction": "none", "n_resamples": 10_000}
    calls = {
        "ours": lambda: compare(scores(), measures="nDCG@10", **given),
        "theirs": evaluation("gz"),
    }
    return Times(**processor_times(calls, min(options.repeats, 3)))


PLAIN = "143 TREC runs, ten measures, plain"
WAITS = [
    Wait("trec-plain", PLAIN, 200, "ms", "", partial(runs, "plain", 1)),
    Wait(
        "trec-plain-2",
        f"{PLAIN}, two threads",
        200,
        "ms",
        "",
        partial(runs, "plain", 2),
    ),
    Wait(
        "trec-gz",
        "143 TREC runs, ten measures, .gz",
        400,
        "ms",
        "",
        partial(runs, "gz", 1),
    ),
    *(
        Wait(
            f"compare-{name}",
            f"143 systems, all pairs: {test.title}",
            1,
            "",
            "evaluation of the runs, .gz",
            partial(comparison, name),
        )
        for name, test in TESTS.items()
    ),
    Wait(
        "tukey",
        "143 systems: Tukey's test, B = 10^5",
        700,
        "ms",
        "",
        partial(study, "tukey"),
    ),
    Wait(
        "bootstrap",
        "17 measures, B = 1000",
        1000,
        "ms",
        "",
        partial(study, "bootstrap"),
    ),
]
