"""Qrels and runs as tables: how they are read, and how a run is joined with the qrels."""

from skgraded.trec._files._documents import Documents
from skgraded.trec._files._join import (
    JoinedRun,
    LeftOut,
    Order,
    join,
    join_nothing,
    notes_on_runs,
    rank_run,
)
from skgraded.trec._files._qrels import Negative, Qrels
from skgraded.trec._files._read import (
    named_runs,
    read_columns_of_run,
    read_qrels,
    read_run,
    unique_names,
)
from skgraded.trec._files._runs import Run
from skgraded.trec._files._sources import is_source, name_of_source, read_chunks

__all__ = [
    "Documents",
    "JoinedRun",
    "LeftOut",
    "Negative",
    "Order",
    "Qrels",
    "Run",
    "is_source",
    "join",
    "join_nothing",
    "name_of_source",
    "named_runs",
    "notes_on_runs",
    "rank_run",
    "read_chunks",
    "read_columns_of_run",
    "read_qrels",
    "read_run",
    "unique_names",
]
