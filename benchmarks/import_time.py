"""Processor time of processes that import NumPy, scikit-learn or the package, or run a command.

The processes start in turns. Printed are the median and the quartiles of user and system time, and
how much more the median is than that of NumPy's import. OpenBLAS gets one thread: others would spin
until the process ends, so that whatever follows NumPy's import would seem to take twice its time.

    python benchmarks/import_time.py [--repeats N]
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import numpy as np

PROGRAMS = (
    "import numpy",
    "import skgraded",
    "from skgraded import xGAP",
    "from skgraded import QueryRanker",
    "import sklearn",
)
COMMAND = [sys.executable, "-m", "skgraded"]


def write_data(folder):
    """Write qrels and a run of 100 lines each: 200 in all."""
    rng = np.random.default_rng(0)
    topics = range(5)
    qrels = [f"q{q} 0 d{d} {rng.integers(3)}\n" for q in topics for d in range(20)]
    run = [
        f"q{q} Q0 d{d} {n} {20 - n} t\n"
        for q in topics
        for n, d in enumerate(range(20))
    ]
    files = [folder / "qrels", folder / "run"]
    for path, lines in zip(files, (qrels, run), strict=True):
        path.write_text("".join(lines))
    return list(map(str, files))


def processor_time(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = write_data(Path(folder))
        processes = {
            **{program: [sys.executable, "-c", program] for program in PROGRAMS},
            "skgraded --version": [*COMMAND, "--version"],
            "skgraded evaluate": [
                *COMMAND,
                "evaluate",
                *files,
                "-m",
                "nDCG@10",
                "-m",
                "AP",
            ],
        }
        for words in processes.values():  # compile what is not compiled yet
            processor_time(words)
        taken = {name: [] for name in processes}
        for _ in range(options.repeats):
            for name, words in processes.items():
                taken[name].append(1000 * processor_time(words))
    numpy_alone = np.median(taken["import numpy"])
    for name, each in taken.items():
        low, median, high = np.quantile(each, [0.25, 0.5, 0.75])
        more = f"{median - numpy_alone:+5.0f}"
        print(
            f"{name:<32}{median:5.0f} ms ({low:.0f} to {high:.0f}), {more} ms to NumPy"
        )


if __name__ == "__main__":
    main()
