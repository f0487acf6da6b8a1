"""TREC evaluation: qrels and runs, scored by any measure, compared, written."""

from skgraded.trec._compare import Comparison, compare
from skgraded.trec._evaluate import evaluate
from skgraded.trec._files import Documents, Qrels, Run, read_qrels, read_run
from skgraded.trec._ir_measures import ir_measure
from skgraded.trec._letor import read_letor
from skgraded.trec._rank import rank
from skgraded.trec._run_scores import Coverage, RunScores
from skgraded.trec._write import write_qrels, write_run

__all__ = [
    "Comparison",
    "Coverage",
    "Documents",
    "Qrels",
    "Run",
    "RunScores",
    "compare",
    "evaluate",
    "ir_measure",
    "rank",
    "read_letor",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_run",
]
