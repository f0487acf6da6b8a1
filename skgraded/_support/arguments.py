"""Checks of arguments, which return the value in a plain type or raise a ValueError.

Booleans do not count as numbers, and numbers do not count as booleans.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from skgraded._support.array_types import BoolArray

# No machine has as many processors, so larger numbers are mistakes.
_MOST_THREADS = 4096


class ArgumentError(ValueError):
    """An argument breaks a rule; a caller that has another word for it says its own.

    Parameters
    ----------
    name : str
        The argument.
    rule : str
        What it must be, and what it is.

    Examples
    --------
    >>> from skgraded._support.arguments import ArgumentError
    >>> error = ArgumentError("qid", "must have 3 entries, got 2.")
    >>> str(error.renamed("session"))
    'session must have 3 entries, got 2.'
    """

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(f"{name} {rule}")
        self.name = name
        self.rule = rule

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.rule)

    def renamed(self, name: str) -> ArgumentError:
        """Return the same error of an argument of another name."""
        return ArgumentError(name, self.rule)


def first_true(marks: BoolArray) -> int | None:
    """Return the place of the first true entry, or None without one.

    Parameters
    ----------
    marks : ndarray of bool, shape (n,)
        The entries.

    Returns
    -------
    int or None
        The place.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded._support.arguments import first_true
    >>> first_true(np.array([False, True, True])), first_true(np.array([False]))
    (1, None)
    """
    if not marks.any():
        return None
    return int(marks.argmax())


def is_integer(value: object) -> bool:
    """Whether a value is an integer of any type except bool."""
    if type(value) is int:  # as most often: the abstract type takes a microsecond
        return True
    return isinstance(value, numbers.Integral) and not _is_flag(value)


def is_number(value: object) -> bool:
    """Whether a value is a real number of any type except bool."""
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, numbers.Real) and not _is_flag(value)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def is_nan(value: object) -> bool:
    """Whether a value is the float nan."""
    return isinstance(value, float) and math.isnan(value)


def is_missing(value: Any) -> bool:
    """Whether a value is None, nan, NaT or pandas.NA."""
    try:
        return value is None or bool(value != value)  # noqa: PLR0124 - nan and NaT differ from themselves
    except TypeError:  # comparisons with pandas.NA have no truth value
        return True


def integer(name: str, value: Any, at_least: int, *, alternative: str = "") -> int:
    """Return an integer that is not below a bound.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    value : object
        The value of the argument.
    at_least : int
        The smallest integer that is allowed.
    alternative : str, default=""
        Other allowed values, such as ``", or None for all"``; used only in the message.

    Returns
    -------
    int
        The integer.

    Raises
    ------
    ValueError
        If the value is not an integer, or is below the bound.
    """
    if not is_integer(value) or value < at_least:
        raise ArgumentError(
            name, f"must be an integer >= {at_least}{alternative}, got {value!r}."
        )
    return int(value)


def integer_or_none(
    name: str, value: Any, at_least: int, none_means: str
) -> int | None:
    """Return an integer that is not below a bound, or None, which the message explains."""
    if value is None:
        return None
    return integer(name, value, at_least, alternative=f", or None for {none_means}")


def number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    alternative: str = "",
) -> float:
    """Return a finite number within bounds.

    Parameters
    ----------
    name : str
        Name of the argument, for messages.
    value : object
        The value of the argument.
    above : float, optional
        A bound that the number must exceed.
    at_least : float, optional
        A bound that the number must reach.
    alternative : str, default=""
        Other allowed values, such as ``", or None"``; used only in the message.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        If the value is not a finite number within the bounds.
    """
    is_fit = is_number(value) and math.isfinite(value)
    is_fit = is_fit and (above is None or value > above)

    if not is_fit or (at_least is not None and value < at_least):
        bound = ""
        if above is not None:
            bound += f" > {above:g}"
        if at_least is not None:
            bound += f" >= {at_least:g}"
        raise ArgumentError(
            name, f"must be a finite number{bound}{alternative}, got {value!r}."
        )
    return float(value)


def fraction(name: str, value: Any) -> float:
    """Return a number strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise ArgumentError(name, f"must lie strictly between 0 and 1, got {value!r}.")
    return float(value)


def flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not _is_flag(value):
        raise ArgumentError(name, f"must be True or False, got {value!r}.")
    return bool(value)


def choice(
    name: str, value: Any, known: Iterable[str], *, alternative: str = ""
) -> str:
    """Return a value that is one of several words; the message suggests the closest word."""
    words = tuple(known)
    if not isinstance(value, str) or value not in words:
        choices = ", ".join(map(repr, words))
        raise ArgumentError(
            name,
            f"must be one of {choices}{alternative}, got {value!r}."
            f"{closest(str(value), words)}",
        )
    return value


def threads(n_threads: Any) -> int:
    """Return a number of threads; None is one, and -1 one per processor of this process."""
    if n_threads is None:
        return 1

    is_fit = is_integer(n_threads) and (
        n_threads == -1 or 1 <= n_threads <= _MOST_THREADS
    )
    if not is_fit:
        raise ArgumentError(
            "n_threads",
            f"must be an integer from 1 to {_MOST_THREADS}, or -1 for all processors, "
            f"got {n_threads!r}.",
        )

    if n_threads == -1:
        return _processors()
    return int(n_threads)


def _processors() -> int:
    """Count the processors that this process may use, which a container or a job may limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def closest(word: str, known: Iterable[str]) -> str:
    """Return a suggestion of the closest known name, or an empty string if none is close."""
    near = closest_of(word, known)
    return "" if near is None else f" Did you mean {near!r}?"


def closest_of(word: str, known: Iterable[str]) -> str | None:
    """Return the closest known name, or None if none is close."""
    import difflib  # here and not above, because only mistakes need it

    by_lower_case = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_lower_case, n=1)
    if not near:
        return None
    return by_lower_case[near[0]]
