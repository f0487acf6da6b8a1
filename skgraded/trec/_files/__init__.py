"""Qrels and runs as tables: how they are read, and how a run is joined with the qrels."""

from skgraded.trec._files._documents import Documents
from skgraded.trec._files._join import JoinedRun, Order, join, join_nothing, rank_run
from skgraded.trec._files._qrels import Negative, Qrels
from skgraded.trec._files._read import (
    named_runs,
    read_columns_of_run,
    read_qrels,
    read_run,
    unique_names,
)
from skgraded.trec._files._runs import Coverage, Run, notes_on_coverage
from skgraded.trec._files._sources import is_source, name_of_source, read_chunks

__all__ = [
    "Coverage",
    "Documents",
    "JoinedRun",
    "Negative",
    "Order",
    "Qrels",
    "Run",
    "is_source",
    "join",
    "join_nothing",
    "name_of_source",
    "named_runs",
    "notes_on_coverage",
    "rank_run",
    "read_chunks",
    "read_columns_of_run",
    "read_qrels",
    "read_run",
    "unique_names",
]
