"""The place of a measure among several, for results that hold one column per measure."""

from __future__ import annotations

from collections.abc import Sequence

from skgraded.measures._catalogue import measure
from skgraded.measures._measure import Measure

__all__ = ["column_of"]


def column_of(measures: Sequence[str | Measure], name: str | Measure) -> int:
    """Find a measure among those scored.

    Parameters
    ----------
    measures : sequence of Measure or str
        The measures, or their names; names of other measures than those of skgraded are allowed.
    name : str or Measure
        The measure, or its name in any spelling that `measure` reads.

    Returns
    -------
    int
        Its place in ``measures``.

    Raises
    ------
    KeyError
        If it is not among them.

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
