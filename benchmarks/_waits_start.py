"""Waits of those who start a process: imports, commands, and one long run of a track."""

import os
import shutil
import sys
import tempfile
import time
from functools import cache, partial
from pathlib import Path

import numpy as np
from _timing import PAUSE
from _waits import Times, Wait
from import_time import COMMAND, processor_time, write_data

NUMPY = [sys.executable, "-c", "import numpy"]
PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    found = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"map", "ndcg_cut.10"})
    values = found.evaluate(pytrec_eval.parse_run(run)).values()
for name in ("map", "ndcg_cut_10"):
    print(name, sum(each[name] for each in values) / len(values))
"""
MEASURES = ("-m", "AP", "-m", "nDCG@10")


def processes(ours, theirs, repeats):
    """Run both in turns, after a first time each, which compiles what is not compiled yet."""
    words, seconds = {"ours": ours, "theirs": theirs}, {"ours": [], "theirs": []}
    for each in words.values():
        processor_time(each)
    for _ in range(repeats):
        for name, each in words.items():
            time.sleep(PAUSE)
            seconds[name].append(processor_time(each))
    return Times(*map(np.array, seconds.values()))


@cache
def folder():
    """Return a folder that goes with the process."""
    return tempfile.TemporaryDirectory()


def started(words, options):
    """Return what a process takes beyond NumPy's import."""
    found = processes(words(), NUMPY, 2 * options.repeats)
    return found._replace(ours=found.ours - found.theirs)


def evaluation():
    return [*COMMAND, "evaluate", *write_data(Path(folder().name)), *MEASURES]


def write_run(n_topics, depth):
    """Write judgments of 100 documents a topic and a run."""
    rng, files = (
        np.random.default_rng(0),
        [Path(folder().name) / name for name in ("judged", "one")],
    )
    with files[0].open("w") as qrels, files[1].open("w") as run:
        for topic in range(n_topics):
            grades, scores = rng.integers(0, 4, 100), np.sort(rng.random(depth))[::-1]
            names = rng.permutation(10 * depth)
            qrels.writelines(
                f"{topic} 0 d{d} {g}\n"
                for d, g in zip(names[:100], grades, strict=True)
            )
            rows = zip(rng.permutation(names[: 2 * depth])[:depth], scores, strict=True)
            run.writelines(
                f"{topic} Q0 d{d} {n} {s:.6f} a\n" for n, (d, s) in enumerate(rows)
            )
    return list(map(str, files))


def one_run(depth, options):
    """Evaluate one run of a thousand topics, each in a process of its own."""
    files = write_run(1_000, depth)
    theirs = [sys.executable, "-c", PYTREC_EVAL, *files]
    return processes([*COMMAND, "evaluate", *files, *MEASURES], theirs, options.repeats)


def against_trec_eval(depth, options):
    """Evaluate one run as trec_eval does, against the program that TREC_EVAL names."""
    program = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    if program is None:
        return "no TREC_EVAL, no trec_eval"
    words = [*write_run(1_000, depth), "-m", "map", "-m", "ndcg_cut.10"]
    ours = [*COMMAND, "evaluate", *words[:2], "--as", "trec_eval", *words[2:]]
    return processes(ours, [program, *words[2:], *words[:2]], options.repeats)


WAITS = [
    Wait(
        "start-import",
        "from skgraded import xGAP, beyond NumPy",
        30,
        "ms",
        "import numpy",
        partial(started, lambda: [sys.executable, "-c", "from skgraded import xGAP"]),
    ),
    Wait(
        "start-version",
        "skgraded --version, beyond NumPy",
        40,
        "ms",
        "import numpy",
        partial(started, lambda: [*COMMAND, "--version"]),
    ),
    Wait(
        "start-evaluate",
        "skgraded evaluate of 200 lines, beyond NumPy",
        100,
        "ms",
        "import numpy",
        partial(started, evaluation),
    ),
    *(
        Wait(
            f"run-{depth}",
            f"one run of 1,000 topics x {depth}, with start-up",
            1,
            "",
            "pytrec_eval, with start-up",
            partial(one_run, depth),
        )
        for depth in (100, 1_000)
    ),
    *(
        Wait(
            f"trec_eval-{depth}",
            f"--as trec_eval, 1,000 topics x {depth}, with start-up",
            1,
            "",
            "trec_eval, with start-up",
            partial(against_trec_eval, depth),
        )
        for depth in (100, 1_000)
    ),
]
