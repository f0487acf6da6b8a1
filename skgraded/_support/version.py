"""One version of skgraded on all machines of an evaluation."""

from __future__ import annotations

import sys


def version_here() -> str:
    """Return the version of the package in this process."""
    version: str = sys.modules["skgraded"].__version__
    return version


def require_version(version: str) -> None:
    """Raise if an evaluation began with another version than this process has.

    Parts that two versions scored would add up without an error, to a value that neither gives.

    Parameters
    ----------
    version : str
        The version where the evaluation began.

    Raises
    ------
    RuntimeError
        If it is not the version here.
    """
    if version != version_here():
        raise RuntimeError(
            "skgraded must have the same version on all machines: the evaluation began with "
            f"{version}, and here is {version_here()}. Install one of them everywhere."
        )
