"""The code of a library that calls ours, where its arguments do not tell enough."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["caller_with"]


def caller_with(module: str, *attributes: str) -> Any:
    """Find the innermost object on the stack whose method runs, and that has some attributes.

    Parameters
    ----------
    module : str
        The package that the method belongs to, and by which the search is limited.
    *attributes : str
        Names of attributes.

    Returns
    -------
    object or None
        The object that the method calls ``self``.
    """
    if module.partition(".")[0] not in sys.modules:
        return None
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name == module or name.startswith(module + "."):
            found = frame.f_locals.get("self")
            if found is not None and all(hasattr(found, each) for each in attributes):
                return found
        frame = frame.f_back  # type: ignore[assignment]
    return None
