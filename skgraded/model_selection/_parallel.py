"""Work in parallel, with a progress bar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.utils.parallel import Parallel

from skgraded._progress import ProgressBar

__all__ = ["in_parallel"]


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
    results: list[Any] = []
    for result in Parallel(n_jobs=n_jobs, return_as="generator")(calls):
        results.append(result)
        bar.step()
    return results
