"""Print what users wait for, row by row: the time, what must be reached, and the peer's time.

Processor time on one thread, contestants in turns, each after a pause of 30 ms; medians, with the
quartiles of all turns in brackets. A ratio is that of a turn. "ties" is the share of neighbours in
a ranking that have the same score. Evaluation: five measures with expected ties against LightGBM's
ndcg@10, which it evaluates on all threads whatever num_threads says.
Gradients: one call of an objective against the gradient part of lambdarank, which is the time of
an iteration of lambdarank less that of one of regression. TREC: all runs of a track (TREC-COVID's)
read and scored, plain and compressed by gzip, and studies of their scores by topic.

    python benchmarks/waits.py                     # all rows
    python benchmarks/waits.py small first trees-1  # rows whose names begin so
    python benchmarks/waits.py --list
"""

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import _waits_evaluation
import _waits_models
import _waits_others
import _waits_start
import _waits_training
import _waits_trec
from _waits import HEAD

MODULES = (
    _waits_start,
    _waits_evaluation,
    _waits_training,
    _waits_models,
    _waits_others,
    _waits_trec,
)
WAITS = [each for module in MODULES for each in module.WAITS]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "rows", nargs="*", help="beginnings of names; the default is all rows"
    )
    parser.add_argument(
        "--list", action="store_true", help="print the names of the rows"
    )
    parser.add_argument(
        "--queries", type=int, default=31_500, help="of about 120 documents"
    )
    parser.add_argument(
        "--short-queries", type=int, default=1_000_000, help="of 5 documents"
    )
    parser.add_argument(
        "--repeats", type=int, default=7, help="turns; some rows take fewer or more"
    )
    options = parser.parse_args()
    chosen = [
        each for each in WAITS if each.name.startswith(tuple(options.rows or [""]))
    ]
    if options.list:
        print("\n".join(f"{each.name:17} {each.work}" for each in chosen))
        return
    print(HEAD)
    for each in chosen:
        print(each.line(options), flush=True)


if __name__ == "__main__":
    main()
