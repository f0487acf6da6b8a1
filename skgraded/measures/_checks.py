"""Checks of a measure's fields: each error names the field, its rule and the value."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    "check_above_zero",
    "check_at_least_zero",
    "check_choice",
    "check_cutoff",
    "check_empty",
    "check_flag",
    "check_grade",
    "check_probability",
    "closest",
    "numbers_of",
]

_LARGEST_RANK = np.iinfo(np.int64).max


def closest(word: str, known: Iterable[str]) -> str:
    """Hint at the known name that a word may have meant, or say nothing."""
    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    return f" Did you mean {by_lower_case[near[0]]!r}?" if near else ""


def check_choice(field: str, value: object, known: tuple[str, ...]) -> None:
    """Raise unless a field holds one of its names."""
    if value not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(
            f"{field} must be one of {names}, got {value!r}.{closest(str(value), known)}"
        )


def is_integer(value: object) -> bool:
    """Whether a value is an integer of any type, booleans excepted."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def is_number(value: object) -> bool:
    """Whether a value is a real number of any type, booleans excepted."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def check_cutoff(k: Any) -> int | None:
    """Return a cut-off rank as an int, or None for the whole list."""
    if k is None:
        return None
    if not is_integer(k) or k < 1:
        raise ValueError(f"k must be an integer >= 1, or None for the whole list, got {k!r}.")
    if k > _LARGEST_RANK:
        raise ValueError(f"k must be below 2**63, or None for the whole list, got {k!r}.")
    return int(k)


def check_grade(field: str, value: Any) -> int:
    """Return a grade above 0 as an int."""
    if not is_integer(value) or value < 1:
        raise ValueError(f"{field} must be an integer grade >= 1, got {value!r}.")
    return int(value)


def check_probability(field: str, value: Any) -> float:
    """Return a probability strictly between 0 and 1 as a float."""
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{field} must lie strictly between 0 and 1, got {value!r}.")
    return float(value)


def check_empty(empty: Any) -> float:
    """Return the value of a query with nothing relevant: a finite number or nan."""
    if not is_number(empty) or math.isinf(empty):
        raise ValueError(
            "empty must be the value that a query with nothing relevant gets, such as 0.0 or 1.0, "
            f"or nan to leave it out of the mean, got {empty!r}."
        )
    return float(empty)


def numbers_of(field: str, values: Any) -> tuple[float, ...]:
    """Return a field that holds one number per grade as a tuple of floats."""
    entries = np.asarray(values, dtype=object)
    if entries.ndim != 1 or len(entries) == 0 or not all(map(is_number, entries)):
        raise ValueError(
            f"{field} must hold one number for each of the grades 1, 2, ..., got {values!r}."
        )
    numbers_ = tuple(map(float, entries))
    if not all(map(math.isfinite, numbers_)):
        raise ValueError(f"{field} must hold finite numbers, got {values!r}.")
    return numbers_


def check_flag(field: str, value: Any) -> bool:
    """Return a field that is True or False as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{field} must be True or False, got {value!r}.")
    return bool(value)


def check_at_least_zero(field: str, value: Any) -> float:
    """Return a finite number >= 0 as a float."""
    if not is_number(value) or not 0 <= value < math.inf:
        raise ValueError(f"{field} must be a finite number >= 0, got {value!r}.")
    return float(value)


def check_above_zero(field: str, value: Any) -> float:
    """Return a finite number > 0 as a float."""
    if not is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{field} must be a finite number > 0, got {value!r}.")
    return float(value)
