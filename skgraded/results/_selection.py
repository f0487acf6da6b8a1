"""Systems, repeats and queries of `Scores`, selected by their names or places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skgraded.results._judged_share import shares_at
from skgraded.results._names import places_on

if TYPE_CHECKING:
    from skgraded.results._scores import Scores

_ARRAYS_BY_QUERY = ("qid", "weights", "clusters", "folds", "judged")


def select_systems(scores: Scores, system: Any) -> Scores:
    """Select one system by its name, without an axis of systems; or several by a list."""
    if scores.systems is None:
        raise ValueError(
            "system= needs values of named systems, which this result does not have: "
            'evaluate(measures, y, {"a": scores_a, "b": scores_b}) names them.'
        )

    places = places_on("system", scores.systems, system)
    names = None
    if isinstance(system, list):
        names = tuple([scores.systems[place] for place in places])
    share = shares_at(scores.judged_share, "system", np.atleast_1d(places))
    return scores._with_cube(scores.cube[places], systems=names, judged_share=share)


def select_repeats(scores: Scores, repeat: Any) -> Scores:
    """Select one repeat by its number, without an axis of repeats; or several by a list."""
    if scores.folds is None:
        raise ValueError(
            "repeat= needs values in repeats, which this result does not have."
        )

    places = places_on("repeat", range(len(scores.folds)), repeat)
    folds = scores.folds[places]
    selected = scores._with_cube(scores.cube[:, places], folds=folds)

    is_tested = (folds >= 0).any(axis=0)
    tested_queries = np.flatnonzero(is_tested)
    selected = take_queries(selected, tested_queries)
    if isinstance(repeat, list):
        return selected
    return selected._with_cube(selected.cube, folds=None)


def take_queries(scores: Scores, places: Any) -> Scores:
    """Return some of the queries, or all of them in another order."""
    changes: dict[str, Any] = {}
    for name in _ARRAYS_BY_QUERY:
        array = getattr(scores, name)
        if array is not None:
            changes[name] = array[..., places]
    changes["judged_share"] = shares_at(scores.judged_share, "query", places)

    if len(places) != scores.n_queries:
        # Counts over all queries are unknown for a part of them, unless they are 0.
        n_empty = [0 if number == 0 else None for number in scores.n_empty]
        changes["n_empty"] = tuple(n_empty)
        changes["ideals"] = (None,) * len(scores)
    cube = scores.cube[:, :, places]
    return scores._with_cube(cube, **changes)
