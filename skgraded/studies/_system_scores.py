"""The input of studies: values of several measures for several systems, topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded.measures import Scores, measure
from skgraded.trec import RunScores

__all__ = ["SystemScores", "as_system_scores", "complete_topics", "system_mask"]

FloatArray = NDArray[np.float64]


class SystemScores(NamedTuple):
    """Values of several measures for several systems, topic by topic.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    topics : ndarray of shape (n_topics,)
        Topic ids.
    measures : tuple of str
        Names of the measures.
    values : ndarray of shape (n_systems, n_topics, n_measures)
        The values; nan = left out.
    directions : ndarray of shape (n_measures,)
        1 if a higher value is better, -1 if a lower one is.
    """

    systems: tuple[str, ...]
    topics: NDArray[Any]
    measures: tuple[str, ...]
    values: FloatArray
    directions: FloatArray

    def means(self, topics: ArrayLike | None = None) -> FloatArray:
        """Mean over the topics that have a value.

        Parameters
        ----------
        topics : array-like of shape (n_topics,), optional
            Mask or numbers of the topics that count; all by default.

        Returns
        -------
        ndarray of shape (n_systems, n_measures)
            The means; nan where no topic has a value.
        """
        values = self.values if topics is None else self.values[:, np.asarray(topics)]
        counted = (~np.isnan(values)).sum(axis=1)
        totals = np.nansum(values, axis=1)
        means: FloatArray = np.full_like(totals, np.nan)
        np.divide(totals, counted, out=means, where=counted > 0)
        return means

    def keep_systems(self, kept: ArrayLike) -> SystemScores:
        """Leave systems out.

        Parameters
        ----------
        kept : array-like of bool, shape (n_systems,)
            Mask of the systems that stay.

        Returns
        -------
        SystemScores
            The values of these systems.
        """
        mask = system_mask(kept, len(self.systems))
        names = tuple(np.array(self.systems, dtype=object)[mask].tolist())
        return self._replace(systems=names, values=self.values[mask])


def system_mask(kept: ArrayLike, n_systems: int) -> NDArray[np.bool_]:
    """Check a mask of systems; a list of numbers is refused, since it would select others."""
    mask = np.asarray(kept)
    if mask.dtype != bool or mask.shape != (n_systems,):
        raise ValueError(
            f"systems must be a mask of shape ({n_systems},), got {mask.dtype} of shape "
            f"{mask.shape}."
        )
    return mask


def as_system_scores(scores: Any, n_systems: int = 2, n_topics: int = 1) -> SystemScores:
    """Convert the input of a study, in any of its forms.

    Parameters
    ----------
    scores : RunScores, SystemScores or mapping
        Scored runs; or a mapping of measures to arrays of shape (n_systems, n_topics); or a mapping
        of systems to `Scores` of the same queries.
    n_systems, n_topics : int
        The smallest numbers that the study needs.

    Returns
    -------
    SystemScores
        The values.

    Raises
    ------
    ValueError
        If shapes, measures or queries differ, or there are too few systems or topics.
    TypeError
        If the input has none of these forms.
    """
    taken = _take(scores)
    for what, found, least in (
        ("systems", len(taken.systems), n_systems),
        ("topics", len(taken.topics), n_topics),
    ):
        if found < least:
            raise ValueError(f"scores must hold at least {least} {what}, got {found}.")
    return taken


def _take(scores: Any) -> SystemScores:
    if isinstance(scores, SystemScores):
        return scores
    if isinstance(scores, RunScores):
        return SystemScores(
            scores.systems,
            scores.topics,
            tuple(map(str, scores.measures)),
            scores.values,
            np.array([1.0 if each.greater_is_better else -1.0 for each in scores.measures]),
        )
    if isinstance(scores, Mapping) and scores:
        if all(isinstance(each, Scores) for each in scores.values()):
            return _from_systems(scores)
        return _from_arrays(scores)
    raise TypeError(
        "scores must be RunScores, a mapping of measures to arrays of shape (n_systems, n_topics), "
        f"or a mapping of systems to Scores, got {type(scores).__name__}."
    )


def _from_systems(scores: Mapping[str, Scores]) -> SystemScores:
    first = next(iter(scores.values()))
    for name, each in scores.items():
        if each.measures != first.measures or not np.array_equal(each.qid, first.qid):
            raise ValueError(
                "scores must hold the same measures and queries for every system, but those of "
                f"{name!r} differ."
            )
    return SystemScores(
        tuple(map(str, scores)),
        first.qid,
        tuple(map(str, first.measures)),
        np.stack([each.values for each in scores.values()]),
        np.array([1.0 if each.greater_is_better else -1.0 for each in first.measures]),
    )


def _from_arrays(scores: Mapping[Any, ArrayLike]) -> SystemScores:
    arrays = [np.asarray(each, dtype=np.float64) for each in scores.values()]
    shape = arrays[0].shape
    for name, array in zip(scores, arrays, strict=True):
        if array.ndim != 2 or array.shape != shape:  # noqa: PLR2004 - systems by topics
            raise ValueError(
                "scores must hold arrays of one shape (n_systems, n_topics), got "
                f"{array.shape} for {str(name)!r}."
            )
    return SystemScores(
        tuple(f"system {number}" for number in range(1, shape[0] + 1)),
        np.arange(shape[1]),
        tuple(map(str, scores)),
        np.stack(arrays, axis=2),
        np.array([_direction_of(each) for each in scores]),
    )


def _direction_of(name: Any) -> float:
    """Return -1 for a measure of which lower values are better; 1 for others and unknown names."""
    try:
        return 1.0 if measure(name).greater_is_better else -1.0
    except (ValueError, TypeError):
        return 1.0


def complete_topics(taken: SystemScores, number: int) -> FloatArray:
    """Return the values of one measure on the topics on which all systems have a value."""
    values = taken.values[:, :, number]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if values.shape[1] < 2:  # noqa: PLR2004 - no spread of one
        raise ValueError(
            f"scores must hold at least 2 topics on which all systems have a value of "
            f"{taken.measures[number]}, got {values.shape[1]}."
        )
    return values
