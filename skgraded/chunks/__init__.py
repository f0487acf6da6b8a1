"""Evaluation of more rows than fit into memory: a stream of chunks, or a Parquet data set."""

from skgraded.chunks._evaluate import evaluate, iter_scores

__all__ = ["evaluate", "iter_scores"]
