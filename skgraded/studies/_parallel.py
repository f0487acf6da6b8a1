"""Work in parallel, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel

from skgraded._progress import ProgressBar

__all__ = ["in_parallel"]

# Calls that a worker gets at a time: more keep it busy, fewer make the bar move.
_CALLS_AT_A_TIME = 4


def in_parallel(calls: Iterable[Any], n_jobs: int | None, bar: ProgressBar) -> list[Any]:
    """Run calls that scikit-learn's ``delayed`` made, and count each as a step.

    Parameters
    ----------
    calls : iterable of delayed calls
        The calls.
    n_jobs : int or None
        Number of calls that run at the same time, as in joblib.
    bar : ProgressBar
        The bar.

    Returns
    -------
    list
        The results, in the order of the calls.
    """
    n_workers = effective_n_jobs(n_jobs)
    at_a_time = 1 if n_workers == 1 else _CALLS_AT_A_TIME * n_workers
    results: list[Any] = []
    remaining = iter(calls)
    with Parallel(n_jobs=n_jobs) as parallel:
        while batch := list(islice(remaining, at_a_time)):
            results += parallel(batch)
            bar.step(len(batch))
    return results
