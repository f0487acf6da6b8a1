"""Engines beyond one machine's memory against the call in memory: time, overhead, peak memory.

Each contestant runs in a process of its own, on Parquet files that are made once:

    python benchmarks/scale.py --rows 1000000 10000000
    python benchmarks/scale.py --rows 100000000 --engines chunks
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

MEASURES = ["AP", "GAP(max_grade=4)", "xGAP(max_grade=4)", "eGAP(max_grade=4)", "nDCG@10"]
ENGINES = ["memory", "chunks", "dask", "spark"]
ROWS_OF_A_FILE = 5_000_000
CONDITIONS = ("AP", "AP(ties=row_order)", "AP(unjudged=condense)", "nDCG@10", "nDCG", "Bpref")


def make_rows(n_rows, first_query, seed):
    """Make queries of 1 to 200 documents, few of high grades, scores with ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 200, n_rows // 90)
    ends = np.cumsum(sizes)
    sizes = sizes[: np.searchsorted(ends, n_rows)]
    sizes = np.append(sizes, n_rows - sizes.sum())
    grades = np.digitize(rng.random(n_rows), [0.55, 0.8, 0.92, 0.98]).astype(np.int8)
    scores = np.round(rng.normal(0.3 * grades), 2).astype(np.float32)
    return np.repeat(first_query + np.arange(len(sizes)), sizes), grades, scores


def write_rows(folder, n_rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    first_query = 0
    for number, start in enumerate(range(0, n_rows, ROWS_OF_A_FILE)):
        qid, grades, scores = make_rows(min(ROWS_OF_A_FILE, n_rows - start), first_query, number)
        table = pa.table({"qid": qid, "label": grades, "score": scores})
        pq.write_table(table, folder / f"{number:05d}.parquet", row_group_size=2**18)
        first_query = int(qid[-1]) + 1


def in_memory(folder):
    import pyarrow.parquet as pq

    from skgraded import evaluate

    table = pq.read_table(folder)
    columns = [table[name].to_numpy() for name in ("label", "score", "qid")]
    return lambda: evaluate(MEASURES, *columns[:2], qid=columns[2])


def in_chunks(folder):
    import pyarrow.dataset  # noqa: F401 - not to be timed

    from skgraded import chunks

    return lambda: chunks.evaluate(MEASURES, folder)


def on_dask(folder):
    import dask
    import dask.dataframe as dd

    from skgraded.dask import evaluate

    dask.config.set(scheduler="synchronous")  # one core, to compare with
    return lambda: evaluate(MEASURES, dd.read_parquet(folder), whole_queries=True)


def on_spark(folder):
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    from skgraded.spark import evaluate

    builder = SparkSession.builder.master("local[1]").config("spark.driver.memory", "4g")
    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    for name, value in {**local, "spark.ui.enabled": "false"}.items():
        builder = builder.config(name, value)
    data = builder.getOrCreate().read.parquet(str(folder))
    return lambda: evaluate(MEASURES, data)


PREPARE = {"memory": in_memory, "chunks": in_chunks, "dask": on_dask, "spark": on_spark}


def run(engine, folder):
    """Time one contestant, in this process."""
    call = PREPARE[engine](folder)
    wall, cpu = time.perf_counter(), time.process_time()
    scores = call()
    timed = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**timed, "peak": peak, "mean": scores.mean(), "queries": len(scores)}))


def compare(folder, n_rows, engines):
    print(f"\n{n_rows:,} rows, {len(MEASURES)} measures")
    print(f"{'engine':<8} {'wall s':>8} {'CPU s':>8} {'ns a row':>9} {'peak MB':>8}  same bits")
    first = None
    for engine in engines:
        command = [sys.executable, __file__, "--run", engine, str(folder)]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        result = json.loads(out.splitlines()[-1])
        first = result if first is None else first
        cpu = f"{result['cpu']:>8.2f} {1e9 * result['cpu'] / n_rows:>9.1f} {result['peak']:>8.0f}"
        if engine == "spark":  # its work is done in processes of its own
            cpu = f"{'-':>8} {'-':>9} {'-':>8}"
        same = result["mean"] == first["mean"]
        print(f"{engine:<8} {result['wall']:>8.2f} {cpu}  {same}", flush=True)


def compare_options(n_rows=1_000_000, repeats=3):
    """Time what a measure's options cost, in memory, and what exact means do."""
    from skgraded import Rankings, evaluate
    from skgraded.measures._exact_mean import MeanSums

    qid, grades, scores = make_rows(n_rows, 0, 0)
    timed = {"sort and layout": lambda: Rankings.from_arrays(grades, scores, qid)}
    for name in CONDITIONS:
        timed[name] = lambda name=name: evaluate(name, grades, scores, qid=qid)
    for size in (1, 10, 100, 1000):
        of_size = np.arange(n_rows) // size
        timed[f"all {len(MEASURES)}, queries of {size}"] = lambda ids=of_size: evaluate(
            MEASURES, grades, scores, qid=ids
        )
    values = np.random.default_rng(0).random(qid[-1] + 1)
    timed["exact mean of one value a query"] = lambda: MeanSums.of(values, None)
    print(f"\n{n_rows:,} rows in {qid[-1] + 1:,} queries, CPU time, least of {repeats}")
    for name, call in timed.items():
        least = min(_cpu(call) for _ in range(repeats))
        print(f"{name:<32} {1e9 * least / n_rows:>7.2f} ns a row")


def _cpu(call):
    begin = time.process_time()
    call()
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--engines", nargs="+", default=ENGINES, choices=ENGINES)
    parser.add_argument("--folder", type=Path, default=Path("scale-data"))
    parser.add_argument("--options", action="store_true", help="cost of measure options instead")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run[0], Path(options.run[1]))
        return
    if options.options:
        compare_options()
        return
    for n_rows in options.rows:
        folder = options.folder / str(n_rows)
        if not folder.exists():
            write_rows(folder, n_rows)
        compare(folder, n_rows, options.engines)


if __name__ == "__main__":
    main()
