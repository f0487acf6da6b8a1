"""TREC evaluation: qrels and runs are read, scored by any measure and compared."""

from skgraded.trec._evaluate import evaluate
from skgraded.trec._files import Negative, Order, Qrels, Run, read_qrels, read_run

# For studies alone, which score runs under many judgments.
from skgraded.trec._joined_runs import JoinedRuns as JoinedRuns
from skgraded.trec._joined_runs import join_runs as join_runs
from skgraded.trec._letor import read_letor
from skgraded.trec._rank import rank
from skgraded.trec._write import write_run

__all__ = [
    "Negative",
    "Order",
    "Qrels",
    "Run",
    "evaluate",
    "rank",
    "read_letor",
    "read_qrels",
    "read_run",
    "write_run",
]
