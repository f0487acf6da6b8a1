"""Qrels and runs as tables, read from files or from Python, and their join."""

from skgraded.trec._files._documents import Documents
from skgraded.trec._files._join import JoinedRun, Order, join, join_nothing, rank_run
from skgraded.trec._files._named_runs import named_runs, threads_of, unique_names
from skgraded.trec._files._qrels import Negative, Qrels
from skgraded.trec._files._read import as_qrels, as_run, read_qrels, read_run
from skgraded.trec._files._runs import Run

__all__ = [
    "Documents",
    "JoinedRun",
    "Negative",
    "Order",
    "Qrels",
    "Run",
    "as_qrels",
    "as_run",
    "join",
    "join_nothing",
    "named_runs",
    "rank_run",
    "read_qrels",
    "read_run",
    "threads_of",
    "unique_names",
]
