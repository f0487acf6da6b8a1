"""Compare time, overhead and peak memory of the engines with those of evaluation in memory.

Every contestant runs in a separate process on one core ("cluster": on two Dask workers) and reads
the same Parquet files. Processor time includes all child processes. "whole" stands for
whole_queries=True, which promises that partitions hold whole queries. "spark-count" only hands the
rows from Spark to Python and counts them.

    python benchmarks/scale.py --rows 1000000 10000000
    python benchmarks/scale.py --rows 100000000 --repeats 0
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil

MEASURES = [
    "AP",
    "GAP(max_grade=4)",
    "xGAP(max_grade=4)",
    "eGAP(max_grade=4)",
    "nDCG@10",
]
ROWS_OF_A_FILE = 5_000_000
CONDITIONS = (
    "AP",
    "AP(ties=row_order)",
    "AP(unjudged=condense)",
    "nDCG@10",
    "nDCG",
    "Bpref",
)


def make_rows(n_rows, first_query, seed):
    """Make queries of 1 to 200 documents, with few high grades and with tied scores."""
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
        qid, grades, scores = make_rows(
            min(ROWS_OF_A_FILE, n_rows - start), first_query, number
        )
        table = pa.table({"qid": qid, "label": grades, "score": scores})
        pq.write_table(table, folder / f"{number:05d}.parquet", row_group_size=2**18)
        first_query = int(qid[-1]) + 1


def in_memory(folder):
    import pyarrow.parquet as pq

    from skgraded import evaluate

    def read_and_evaluate():
        table = pq.read_table(folder, use_threads=False)
        label, score, qid = (
            table[name].to_numpy() for name in ("label", "score", "qid")
        )
        return evaluate(MEASURES, label, score, qid=qid)

    return read_and_evaluate


def in_chunks(folder):
    from skgraded import chunks

    return lambda: chunks.evaluate(MEASURES, folder)


def on_dask(folder, whole_queries=False):
    import dask
    import dask.dataframe as dd

    from skgraded.dask import evaluate

    dask.config.set(scheduler="synchronous")  # one core, as for the other engines
    return lambda: evaluate(
        MEASURES, dd.read_parquet(folder), whole_queries=whole_queries
    )


def on_cluster(folder, whole_queries=False):
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from skgraded.dask import evaluate

    Client(
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        )
    )
    return lambda: evaluate(
        MEASURES, dd.read_parquet(folder), whole_queries=whole_queries
    )


def read_in_spark(folder):
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config(
        "spark.driver.memory", "4g"
    )
    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    # Partitions of about ten million rows; Spark sorts larger ones on disk.
    sizes = {"spark.sql.files.maxPartitionBytes": "16m"}
    for name, value in {**local, **sizes, "spark.ui.enabled": "false"}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate().read.parquet(str(folder))


def on_spark(folder, whole_queries=False):
    from skgraded.spark import evaluate

    data = read_in_spark(folder)
    return lambda: evaluate(MEASURES, data, whole_queries=whole_queries)


def count_batches(batches):
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict(
        {"rows": [sum(batch.num_rows for batch in batches)]}
    )


def count_in_spark(folder):
    """Only hand all rows to Python and count them, which measures the cost of Spark itself."""
    data = read_in_spark(folder)
    return lambda: (
        data.mapInArrow(count_batches, "rows long").agg({"rows": "sum"}).first()[0]
    )


ENGINES = {
    "memory": in_memory,
    "chunks": in_chunks,
    "dask-whole": partial(on_dask, whole_queries=True),
    "dask": on_dask,
    "cluster-whole": partial(on_cluster, whole_queries=True),
    "cluster": on_cluster,
    "spark-whole": partial(on_spark, whole_queries=True),
    "spark": on_spark,
    "spark-count": count_in_spark,
}


def cpu_seconds():
    """Return the processor time of this process and its children, such as Spark's JVM."""
    this = psutil.Process()
    times = [each.cpu_times() for each in (this, *this.children(recursive=True))]
    return sum(
        each.user + each.system + each.children_user + each.children_system
        for each in times
    )


def run(engine, folder, repeats):
    """Time one contestant in this process, after a first call that includes start-up."""
    call = ENGINES[engine](folder)
    timed = []
    for _ in range(1 + repeats):
        cpu, wall = cpu_seconds(), time.perf_counter()
        scores = call()
        timed.append((time.perf_counter() - wall, cpu_seconds() - cpu))
    wall, cpu = np.median(timed[1:] or timed, axis=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = {"first": timed[0][0], "wall": wall, "cpu": cpu, "peak": peak}
    print(
        json.dumps(
            {**result, "mean": scores.mean() if engine != "spark-count" else None}
        )
    )


def compare(folder, n_rows, engines, repeats):
    print(
        f"\n{n_rows:,} rows, {len(MEASURES)} measures, median of {repeats} calls after the first"
    )
    columns = (
        f"{'first s':>8} {'wall s':>8} {'CPU s':>8} "
        f"{'ns a row':>9} {'overhead':>9} {'peak MB':>8}"
    )
    print(f"{'engine':<13} {columns}  same bits")
    first = None
    for engine in engines:
        command = [sys.executable, __file__, "--run", engine, str(folder), str(repeats)]
        out = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        result = json.loads(out.splitlines()[-1])
        first = result if first is None else first
        overhead = 100 * (result["cpu"] / first["cpu"] - 1)
        print(
            f"{engine:<13} {result['first']:>8.2f} {result['wall']:>8.2f} {result['cpu']:>8.2f} "
            f"{1e9 * result['cpu'] / n_rows:>9.1f} {overhead:>+8.0f}% {result['peak']:>8.0f}  "
            f"{result['mean'] == first['mean'] if result['mean'] else '-'}",
            flush=True,
        )


def compare_options(n_rows=1_000_000, repeats=3):
    """Time evaluation in memory by options of measures and sizes of queries, and exact means."""
    from skgraded import Judgments, evaluate
    from skgraded._support.exact_mean import MeanSums

    qid, grades, scores = make_rows(n_rows, 0, 0)
    timed = {"sort and layout": lambda: Judgments(grades, qid=qid).rank(scores)}
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
    parser.add_argument(
        "--engines", nargs="+", default=list(ENGINES), choices=list(ENGINES)
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("scale-data"))
    parser.add_argument(
        "--options", action="store_true", help="cost of measure options instead"
    )
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        engine, folder, repeats = options.run
        run(engine, Path(folder), int(repeats))
        return
    if options.options:
        compare_options()
        return
    for n_rows in options.rows:
        folder = options.folder / str(n_rows)
        if not folder.exists():
            write_rows(folder, n_rows)
        compare(folder, n_rows, options.engines, options.repeats)


if __name__ == "__main__":
    main()
