"""The input of studies: values of several measures for several systems, topic by topic."""

from __future__ import annotations

from itertools import compress
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._support.array_types import BoolArray, FloatArray, IntArray
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
    study_scores = side_by_side(scores).over_repeats()
    study_scores = study_scores[list(study_scores.measures)]

    for axis, size, smallest in (
        ("systems", len(study_scores.systems or ()), n_systems),
        ("topics", study_scores.n_queries, n_topics),
    ):
        if size < smallest:
            raise ValueError(
                f"scores must hold at least {smallest} {axis}, got {size}."
            )
    return study_scores


def select_systems(scores: Scores, systems: ArrayLike | None) -> Scores:
    """Leave out the systems outside a mask, which holds at least two; none without a mask."""
    if systems is None:
        return scores
    names = scores.systems or ()
    mask = system_mask(systems, len(names))
    selected_names = list(compress(names, mask))
    selected_scores = scores.select(system=selected_names)
    return scored_systems(selected_scores)


def system_mask(systems: ArrayLike, n_systems: int) -> BoolArray:
    """Check a mask of systems; numbers are refused, since they would select other systems."""
    mask = np.asarray(systems)
    if mask.dtype != bool or mask.shape != (n_systems,):
        raise ValueError(
            f"systems must be a mask of shape ({n_systems},), got {mask.dtype} of shape "
            f"{mask.shape}."
        )
    return mask


def blocks_of(values: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the starts and the sizes of blocks of equal values that stand together."""
    differs = values[1:] != values[:-1]
    is_start = np.append(True, differs)
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(values))
    return starts, ends - starts


def known_mean(values: FloatArray, axis: int) -> FloatArray:
    """Return the mean of the values that are not nan; nan if there is none."""
    with catch_warnings(action="ignore", category=RuntimeWarning):
        return np.nanmean(values, axis=axis)


def complete_topics(scores: Scores, name: str) -> FloatArray:
    """Return the values of one measure on the topics on which all systems have a value."""
    values = scores[name].values
    is_incomplete = np.isnan(values).any(axis=0)
    values = values[:, ~is_incomplete]

    if values.shape[1] < 2:  # noqa: PLR2004 - no spread of one
        raise ValueError(
            "scores must hold at least 2 topics on which all systems have a value of "
            f"{name}, got {values.shape[1]}."
        )
    return values


def legend(result: Any) -> str:
    """Describe the numbers of systems and topics of a result."""
    pairs = zip(result.topic_sets, result.n_topics, strict=True)
    sets = [f"{name}: {count(n, 'topic')}" for name, n in pairs]
    return f"{len(result.systems)} systems; {', '.join(sets)}."
