"""Waits of those who evaluate runs of a TREC track (TREC-COVID's), and study their scores."""

import gzip
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
from _timing import medians
from _waits import Wait
from trec_evaluate import SKGRADED, plain_copies, track

from skgraded import trec
from skgraded._stats.shuffles import tukey_test
from skgraded.studies import discriminative_power, swap_rates


@cache
def copies():
    """Return folders of the runs, plain and compressed by gzip, which go with the process."""
    plain, zipped = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
    for path in plain_copies(track()[1], Path(plain.name)):
        (Path(zipped.name) / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    return {"plain": plain, "gz": zipped}


def runs(form, options):
    qrels, files = track()[0], sorted(Path(copies()[form].name).iterdir())
    run = {"ours": lambda: trec.evaluate(SKGRADED, qrels, files, n_threads=1)}
    return medians(run, options.repeats)["ours"], None


@cache
def scores():
    more = ["RR", "ERR", "QMeasure", "Bpref", "GAP", "xGAP", "eGAP"]
    return trec.evaluate(*track(), [*SKGRADED, *more])


def study(what, options):
    found = scores()
    values = found.values[:, :, 0]
    calls = {
        "tukey": lambda: tukey_test(values, 100_000, np.random.default_rng(0)),
        "swaps": lambda: swap_rates(found),
        "bootstrap": lambda: discriminative_power(found, n_resamples=1000),
    }
    return medians({"ours": calls[what]}, options.repeats)["ours"], None


WAITS = [
    Wait("trec-plain", "143 TREC runs, ten measures, plain", 200, "ms", "", partial(runs, "plain")),
    Wait("trec-gz", "143 TREC runs, ten measures, .gz", 500, "ms", "", partial(runs, "gz")),
    Wait("tukey", "143 systems: Tukey's test, B = 10^5", 700, "ms", "", partial(study, "tukey")),
    Wait("swaps", "swaps of 17 measures, 1000 trials", 1500, "ms", "", partial(study, "swaps")),
    Wait("bootstrap", "17 measures, B = 1000", 1000, "ms", "", partial(study, "bootstrap")),
]
