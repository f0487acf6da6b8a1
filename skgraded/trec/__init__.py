"""TREC evaluation: qrels and runs are read, scored by any measure and compared."""

from skgraded.trec._evaluate import evaluate

# For studies alone, which score runs under many judgments.
from skgraded.trec._join import (
    JoinedRuns as JoinedRuns,
    Order,
    join_runs as join_runs,
    rank,
)
from skgraded.trec._letor import read_letor
from skgraded.trec._overlap import overlap
from skgraded.trec._qrels_and_runs import (
    Negative,
    Qrels,
    Raters,
    Run,
    read_qrels,
    read_run,
)
from skgraded.trec._write import write_run

__all__ = [
    "Negative",
    "Order",
    "Qrels",
    "Raters",
    "Run",
    "evaluate",
    "overlap",
    "rank",
    "read_letor",
    "read_qrels",
    "read_run",
    "write_run",
]
