"""Comparison: the one place that says whether one system is better than another."""

from skgraded.comparison._compare import compare
from skgraded.comparison._comparison import Comparison

__all__ = ["Comparison", "compare"]
