"""The input of studies: values of several measures for several systems, topic by topic."""

from __future__ import annotations

from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support.array_types import FloatArray
from skgraded._support.text import count
from skgraded.results import Scores, side_by_side


def scored_systems(scores: Any, n_systems: int = 2, n_topics: int = 1) -> Scores:
    """Return the input of a study as values by system, topic and measure.

    Parameters
    ----------
    scores : Scores or mapping
        What `skgraded.results.side_by_side` takes. The values of a topic are its means over
        repeats. For arrays, the names of the measures tell whether lower values are better.
    n_systems, n_topics : int
        The smallest numbers that the study needs.

    Returns
    -------
    Scores
        The values, with the axes system, query and measure.

    Raises
    ------
    ValueError
        If shapes, measures or queries differ, or there are too few systems or topics.
    TypeError
        If the input has none of these forms.
    """
    taken = side_by_side(scores).over_repeats()
    taken = taken[list(taken.measures)]
    for what, found, least in (
        ("systems", len(taken.systems or ()), n_systems),
        ("topics", taken.n_queries, n_topics),
    ):
        if found < least:
            raise ValueError(f"scores must hold at least {least} {what}, got {found}.")
    return taken


def kept_systems(taken: Scores, systems: ArrayLike | None) -> Scores:
    """Keep the systems of a mask, at least two of them; all without a mask."""
    if systems is None:
        return taken
    names = taken.systems or ()
    mask = system_mask(systems, len(names))
    return scored_systems(
        taken.select(system=[names[each] for each in np.flatnonzero(mask)])
    )


def system_mask(kept: ArrayLike, n_systems: int) -> NDArray[np.bool_]:
    """Check a mask of systems; numbers are refused, since they would select other systems."""
    mask = np.asarray(kept)
    if mask.dtype != bool or mask.shape != (n_systems,):
        raise ValueError(
            f"systems must be a mask of shape ({n_systems},), got {mask.dtype} of shape "
            f"{mask.shape}."
        )
    return mask


def known_mean(values: FloatArray, axis: int) -> FloatArray:
    """Return the mean of the values that are not nan; nan if there is none."""
    with catch_warnings(action="ignore", category=RuntimeWarning):
        means: FloatArray = np.nanmean(values, axis=axis)
    return means


def complete_topics(taken: Scores, name: str) -> FloatArray:
    """Return the values of one measure on the topics on which all systems have a value."""
    values = taken[name].values
    values = values[:, ~np.isnan(values).any(axis=0)]
    if values.shape[1] < 2:  # noqa: PLR2004 - no spread of one
        raise ValueError(
            "scores must hold at least 2 topics on which all systems have a value of "
            f"{name}, got {values.shape[1]}."
        )
    return values


def legend(result: Any) -> str:
    """Describe the numbers of systems and topics of a result."""
    pairs = zip(result.topic_sets, result.n_topics, strict=True)
    sets = ", ".join(f"{name}: {count(n, 'topic')}" for name, n in pairs)
    return f"{len(result.systems)} systems; {sets}."
