"""How many of the first documents of each list are judged, by system, query and measure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.array_types import FloatArray

# Shape (n_systems, n_queries, n_measures); 1 where all documents are judged, None if unknown.
JudgedShare = FloatArray | float | None

_AXES = ("system", "query", "measure")


def known_shares(shares: FloatArray) -> JudgedShare:
    """Return shares, or 1.0 where all documents are judged."""
    return shares if (shares < 1.0).any() else 1.0


def shares_at(share: JudgedShare, axis: str, places: ArrayLike) -> JudgedShare:
    """Return the shares of some systems, queries or measures by their places."""
    if isinstance(share, np.ndarray):
        places_on_axis = np.asarray(places)
        return np.take(share, places_on_axis, axis=_AXES.index(axis))
    return share


def joined_shares(
    shares: Iterable[JudgedShare], shapes: Iterable[tuple[int, ...]], axis: str
) -> JudgedShare:
    """Join the shares of parts along an axis; unknown if that of a part is."""
    by_part = list(shares)
    if any(share is None for share in by_part):
        return None
    if not any(isinstance(share, np.ndarray) for share in by_part):
        return 1.0

    arrays = [
        np.broadcast_to(np.asarray(share), shape)
        for share, shape in zip(by_part, shapes, strict=True)
    ]
    return np.concatenate(arrays, axis=_AXES.index(axis))
