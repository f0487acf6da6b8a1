"""Qrels and runs as tables, read from files or from Python, and their join."""

from skgraded._trec._documents import Documents
from skgraded._trec._join import JoinedRun, Order, join, join_nothing, rank_run
from skgraded._trec._many import named_runs, threads_of, unique_names
from skgraded._trec._qrels import Negative, Qrels
from skgraded._trec._read import as_qrels, as_run, read_qrels, read_run
from skgraded._trec._run import Run

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
