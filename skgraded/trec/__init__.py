"""TREC evaluation: qrels and runs are read, scored by any measure, compared and written."""

from skgraded.trec._evaluate import evaluate
from skgraded.trec._files import (
    Coverage,
    Documents,
    Negative,
    Order,
    Qrels,
    Run,
    named_runs,
    read_qrels,
    read_run,
)
from skgraded.trec._ir_measures import ir_measure
from skgraded.trec._joined_runs import JoinedRuns, join_runs
from skgraded.trec._letor import read_letor
from skgraded.trec._rank import rank
from skgraded.trec._write import write_qrels, write_run

__all__ = [
    "Coverage",
    "Documents",
    "JoinedRuns",
    "Negative",
    "Order",
    "Qrels",
    "Run",
    "evaluate",
    "ir_measure",
    "join_runs",
    "named_runs",
    "rank",
    "read_letor",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_run",
]
