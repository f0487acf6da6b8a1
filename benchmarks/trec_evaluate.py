"""Read and score all runs of a TREC track with skgraded, pytrec_eval, ir_measures and ranx.

Every library reads the same files with its own reader and computes ten measures per topic. The
readers of pytrec_eval and ir_measures do not support compressed files, so they get decompressed
text. Libraries that are not installed are left out. ranx compiles its kernels in a first, untimed
call.

    python benchmarks/trec_evaluate.py [--runs N] [--repeats N] [--threads N] [--plain]

--plain first decompresses the runs into a temporary folder, which excludes the time of xz.
"""

import argparse
import lzma
import os
import resource
import tempfile
import time
from pathlib import Path

from _timing import alternate, print_table

from skgraded import trec

CUTOFFS = (5, 10, 20)
SKGRADED = ["AP", "AP@100", "nDCG", "nDCG@10", "nDCG@20", *(f"P@{k}" for k in CUTOFFS)]
SKGRADED += ["R@100", "R@1000"]
PYTREC_EVAL = {
    "map",
    "map_cut.100",
    "ndcg",
    "ndcg_cut.10,20",
    "P.5,10,20",
    "recall.100,1000",
}
RANX = [
    "map",
    "map@100",
    "ndcg",
    "ndcg@10",
    "ndcg@20",
    *(f"precision@{k}" for k in CUTOFFS),
]
RANX += ["recall@100", "recall@1000"]


def opened(path):
    return lzma.open(path, "rt") if path.suffix == ".xz" else open(path)


def with_skgraded(qrels, runs, measures, n_threads):
    return lambda: trec.evaluate(measures, qrels, runs, n_threads=n_threads)


def with_pytrec_eval(qrels, runs):
    import pytrec_eval

    def evaluate():
        with open(qrels) as file:
            evaluator = pytrec_eval.RelevanceEvaluator(
                pytrec_eval.parse_qrel(file), PYTREC_EVAL
            )
        values = []
        for path in runs:
            with opened(path) as file:
                values.append(evaluator.evaluate(pytrec_eval.parse_run(file)))
        return values

    return evaluate


def with_ir_measures(qrels, runs):
    import ir_measures
    from ir_measures import AP, P, R, nDCG

    measures = [AP, AP @ 100, nDCG, nDCG @ 10, nDCG @ 20, *(P @ k for k in CUTOFFS)]
    measures += [R @ 100, R @ 1000]

    def evaluate():
        evaluator = ir_measures.evaluator(
            measures, list(ir_measures.read_trec_qrels(str(qrels)))
        )
        values = []
        for path in runs:
            with opened(path) as file:
                values.append(
                    list(evaluator.iter_calc(ir_measures.read_trec_run(file)))
                )
        return values

    return evaluate


def with_ranx(qrels, runs):
    import ranx

    def evaluate():
        judged = ranx.Qrels.from_file(str(qrels), kind="trec")
        values = []
        for path in runs:
            with opened(path) as file:
                rows = (line.split() for line in file)
                nested = {}
                for topic, _, document, _, score, _ in rows:
                    nested.setdefault(topic, {})[document] = float(score)
            values.append(
                ranx.evaluate(
                    judged, ranx.Run(nested), RANX, make_comparable=True, threads=1
                )
            )
        return values

    return evaluate


def contestants(qrels, runs, n_threads):
    found = {}
    for threads in sorted({1, n_threads}):
        found[f"skgraded, {threads} thread(s)"] = with_skgraded(
            qrels, runs, SKGRADED, threads
        )
    for name, make in (
        ("pytrec_eval", with_pytrec_eval),
        ("ir_measures", with_ir_measures),
        ("ranx", with_ranx),
    ):
        try:
            found[name] = make(qrels, runs)
            make(qrels, runs[:1])()
        except ImportError:
            found.pop(name, None)
            print(f"{name} is not installed")
    return found


def with_processor_time(run, spent):
    def timed():
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)

    return timed


def track():
    """Return the path of the qrels and those of the runs."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SKGRADED_DATA", beside)) / "trec-covid-round1"
    return folder / "qrels.covid-round1.txt", sorted((folder / "runs").glob("*.xz"))


def plain_copies(runs, folder):
    for path in runs:
        (folder / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
    return sorted(folder.iterdir())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, help="number of runs (default: all)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    qrels, runs = track()
    runs = runs[: arguments.runs]
    with tempfile.TemporaryDirectory() as copies:
        if arguments.plain:
            runs = plain_copies(runs, Path(copies))
        trec.evaluate(SKGRADED, qrels, runs, n_threads=arguments.threads)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(
            f"{len(runs)} runs; peak memory of skgraded, interpreter included: {peak / 1024:.0f} MB"
        )
        entered = contestants(qrels, runs, arguments.threads)
        processor = {name: [] for name in entered}
        timed = {
            name: with_processor_time(run, processor[name])
            for name, run in entered.items()
        }
        seconds = alternate(timed, arguments.repeats)
    print("\nwall clock")
    print_table(seconds, f"skgraded, {arguments.threads} thread(s)")
    print("\nprocessor time, which other work on the machine disturbs less")
    print_table(processor, "skgraded, 1 thread(s)")


if __name__ == "__main__":
    main()
