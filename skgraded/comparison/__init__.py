"""Comparison: the one place that says whether one system is better than another."""

from skgraded.comparison._compare import compare
from skgraded.comparison._comparison import Comparison
from skgraded.comparison._judge import estimate_means
from skgraded.comparison._judged_estimates import JudgedEstimates

__all__ = ["Comparison", "JudgedEstimates", "compare", "estimate_means"]
