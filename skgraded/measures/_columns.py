"""`column_of`, which finds the column of a measure in a result."""

from __future__ import annotations

from collections.abc import Sequence

from skgraded.measures._catalogue import measure
from skgraded.measures._measure import Measure

__all__ = ["column_of"]


def column_of(measures: Sequence[str | Measure], name: str | Measure) -> int:
    """Find the column of a measure among those that were scored.

    Parameters
    ----------
    measures : sequence of Measure or str
        The measures, or their names. Names need not be those of measures of skgraded.
    name : str or Measure
        The measure, or its name in any spelling that `measure` accepts.

    Returns
    -------
    int
        The index of the measure in `measures`.

    Raises
    ------
    KeyError
        If the measure was not scored.

    Examples
    --------
    >>> from skgraded.measures import column_of, nDCG
    >>> column_of(["AP", "nDCG@10", "clicks"], nDCG(k=10))
    1
    """
    scored = list(map(str, measures))
    for spelling in (str(name), _as_we_write_it(name)):
        if spelling in scored:
            return scored.index(spelling)
    raise KeyError(f"{name} is not among the measures scored: {', '.join(scored)}.")


def _as_we_write_it(name: str | Measure) -> str:
    try:
        return str(measure(name))
    except ValueError:
        return str(name)
