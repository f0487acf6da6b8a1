"""Errors in a fold's score that scikit-learn does not turn into nan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from skgraded._guards._stack import is_scored_in_a_fold


@dataclass(frozen=True)
class Refusal:
    """What scikit-learn gets in place of a number where the data cannot be scored.

    An error in a scorer becomes nan for every candidate of a search, which then takes the first for
    the best. Of a score that is not a number scikit-learn raises an error itself, and shows it.
    """

    message: str

    def __str__(self) -> str:
        return f"none. {self.message}"


def refusal_of(error: ValueError) -> Any:
    """Raise an error about the data that were to be scored, also through scikit-learn's folds.

    Parameters
    ----------
    error : ValueError
        The error, which is the same for all candidates.

    Returns
    -------
    Refusal
        What to return as the score, where scikit-learn waits for that of a fold.

    Raises
    ------
    ValueError
        Everywhere else.
    """
    if is_scored_in_a_fold():
        return Refusal(str(error))
    raise error
