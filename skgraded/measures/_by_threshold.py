"""Which of several measures are AP at the thresholds 1, 2, ..., of which eGAP is the mean."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from skgraded.measures._catalogue import measure_or_none
from skgraded.measures.average_precision import AP

__all__ = ["ap_by_threshold"]


def ap_by_threshold(names: Iterable[str]) -> dict[AP, dict[int, str]]:
    """Find AP at several thresholds among the names of measures.

    Parameters
    ----------
    names : iterable of str
        The names.

    Returns
    -------
    dict of AP to dict of int to str
        For each group that differs in ``rel`` alone, as AP at threshold 1, the names by threshold;
        of several names of one measure the first. Normalized AP is left out, because eGAP is not
        a mean of it.

    Examples
    --------
    >>> from skgraded.measures import ap_by_threshold
    >>> ap_by_threshold(["AP@10", "nDCG@10", "AP(rel=2)@10"])
    {AP(k=10): {1: 'AP@10', 2: 'AP(rel=2)@10'}}
    """
    found: dict[AP, dict[int, str]] = {}
    for name in names:
        each = measure_or_none(name)
        if type(each) is AP and isinstance(each.rel, int) and not each.normalize:
            found.setdefault(dataclasses.replace(each, rel=1), {}).setdefault(each.rel, name)
    return found
