"""Checks of fields that only measures have: k, empty, and fields with one number per grade."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from skgraded import _core, _params

__all__ = ["check_cutoff", "check_empty", "numbers_by_grade"]


def check_cutoff(k: Any) -> int | None:
    """Return k as an int, or None for the whole list."""
    cutoff = _params.integer_or_none("k", k, 1, "the whole list")
    if cutoff is not None and cutoff > _core.last_rank(None):
        raise ValueError(f"k must be below 2**63, or None for the whole list, got {k!r}.")
    return cutoff


def check_empty(empty: Any) -> float:
    """Return the value of queries without relevant documents: a finite number or nan."""
    if not _params.is_number(empty) or math.isinf(empty):
        raise ValueError(
            "empty must be a finite number, the value of queries without relevant documents, or "
            f"nan to leave them out of the mean, got {empty!r}."
        )
    return float(empty)


def numbers_by_grade(field: str, values: Any) -> tuple[float, ...]:
    """Return a field with one number per grade as a tuple of floats."""
    entries = np.asarray(values, dtype=object)
    if entries.ndim != 1 or len(entries) == 0 or not all(map(_params.is_number, entries)):
        raise ValueError(f"{field} must hold one number per grade 1, 2, ..., got {values!r}.")
    numbers = tuple(map(float, entries))
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"{field} must hold finite numbers, got {values!r}.")
    return numbers
