"""Evaluation of a Dask DataFrame: partitions of whole queries, and exact sums over them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from skgraded.dask._collections import blocks_of, side_by_side
from skgraded.engines._grade_scale import check_grades, distinct_grades
from skgraded.engines._rows import Columns, Rows, as_array
from skgraded.engines._scan import score_rows
from skgraded.engines._totals import PartedScores, Totals, concatenate
from skgraded.measures import Measure, Scores, measures_of

__all__ = ["evaluate", "grades_of"]

_ROW = "__row__"
_ROWS_OF_A_PARTITION = 2**40


def evaluate(
    measures: str | Measure | Sequence[str | Measure],
    data: Any,
    *,
    label: str = "label",
    score: str = "score",
    qid: str = "qid",
    weight: str | None = None,
    whole_queries: bool = False,
    grades: Sequence[float] | None = None,
    n_threads: int = 1,
) -> Scores:
    """Score a Dask collection.

    Means are the same to the last bit as those of `skgraded.evaluate` on all rows in memory, on
    any number of partitions and workers; so are the values query by query, which are brought
    together when ``.values`` or ``.to_frame()`` asks for them.

    Rows are shuffled by query, unless there is one partition, the index is the query id and its
    divisions are known, or `whole_queries` promises that no query is in two partitions.

    Parameters
    ----------
    measures : str, Measure or sequence of them
        The measures.
    data : dask DataFrame, or tuple of dask arrays or Series
        The rows; or the arrays (y_true, y_score, qid) or (y_true, y_score, qid, weight), in blocks
        of the same rows.
    label, score, qid : str
        Columns of grades, scores and query ids; `qid` may be the name of the index.
    weight : str, optional
        Column of row weights; a query weighs the mean of its rows.
    whole_queries : bool, default=False
        Promise that no query is in two partitions. A promise that does not hold is an error.
    grades : sequence of float, optional
        The grades that may occur, such as ``range(5)``. Measures that take the top of the scale
        from the data read all labels first if they are not told.
    n_threads : int, default=1
        Threads of each task; results do not depend on it.

    Returns
    -------
    Scores
        Means, computed at once, and values query by query, computed when they are asked for.

    Raises
    ------
    ValueError
        If a query is in two partitions against the promise, or a column, grade or argument is not
        as described.

    See Also
    --------
    skgraded.chunks.evaluate : One machine, without Dask.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from skgraded.dask import evaluate
    >>> rows = pd.DataFrame({
    ...     "qid": ["a", "a", "a", "b", "b", "b"],
    ...     "label": [2, 0, 1, 0, 1, 0],
    ...     "score": [3, 2, 1, 3, 2, 1],
    ... })
    >>> evaluate(["eGAP(g=[0.1,0.9])", "nDCG@2"], dd.from_pandas(rows, npartitions=2))
    measure                mean  over 2 queries
    eGAP(g=[0.1,0.9])    0.5167
    nDCG@2               0.6956
    """
    parsed, columns = measures_of(measures), Columns(label, score, qid, weight)
    frame = data
    if isinstance(data, tuple | list):
        columns = _columns_of_arrays(data, columns)
        frame = _frame_of_arrays(data, columns)
    if not (hasattr(frame, "npartitions") and hasattr(frame, "columns")):
        raise TypeError(
            "data must be a Dask DataFrame or a tuple of Dask arrays, got "
            f"{type(data).__name__}; what is in memory goes to skgraded.evaluate."
        )
    indexed = [columns.qid] if frame.index.name == columns.qid else []
    columns.require([*frame.columns, *indexed], "the DataFrame")
    scale = check_grades(grades)
    if scale is None and any(each.is_open for each in parsed):
        scale = grades_of(frame[columns.label].to_delayed())
    parts, is_shuffled = _parts_of_whole_queries(frame, columns, whole_queries)
    task = _Task(parsed, columns, scale, n_threads)
    found = [each for each in _compute([(task.totals, part) for part in parts]) if each is not None]
    if not found:
        raise ValueError("data must hold at least one row, got none.")
    if not is_shuffled:
        _require_whole_queries([extent for _, extent in found], parts, columns)
    totals = Totals.joined_all((each for each, _ in found), len(parsed))
    return PartedScores(parsed, totals, lambda: _collect(task, parts))


class _Extent(NamedTuple):
    """Smallest and largest query id of a partition; None where ids have no order."""

    smallest: Any
    largest: Any


class _Task(NamedTuple):
    """What is done on each partition."""

    measures: tuple[Measure, ...]
    columns: Columns
    grades: NDArray[np.float64] | None
    n_threads: int

    def totals(self, part: pd.DataFrame) -> tuple[Totals, _Extent] | None:
        if not len(part):
            return None
        scores, _ = self._scores(part)
        return Totals.of(scores, len(part)), _extent_of(scores.qid)

    def values(self, part: pd.DataFrame) -> tuple[Scores, NDArray[np.int64] | None] | None:
        return self._scores(part) if len(part) else None

    def _scores(self, part: pd.DataFrame) -> tuple[Scores, NDArray[np.int64] | None]:
        """Scores, and after a shuffle the number of each query's first row."""
        first_rows = None
        if _ROW in part.columns:
            part = part.sort_values(_ROW, kind="stable")
            first_rows = part[_ROW].to_numpy()[~part[self.columns.qid].duplicated().to_numpy()]
        rows = Rows.of(part, self.columns)
        return score_rows(self.measures, rows, self.grades, self.n_threads), first_rows


def _extent_of(ids: NDArray[Any]) -> _Extent:
    try:
        return _Extent(min(ids.tolist()), max(ids.tolist()))
    except TypeError:
        return _Extent(None, None)


def _compute(calls: list[tuple[Any, Any]]) -> list[Any]:
    delayed = [dask.delayed(function, pure=False)(argument) for function, argument in calls]
    return list(dask.compute(*delayed))


def _columns_of_arrays(arrays: Any, columns: Columns) -> Columns:
    """Name the columns that arrays become: the fourth is the weights."""
    if len(arrays) not in (3, 4):
        raise ValueError(
            "data must hold the arrays (y_true, y_score, qid) or (y_true, y_score, qid, weight), "
            f"got {len(arrays)}."
        )
    if len(arrays) == len(columns) and columns.weight is None:
        return columns._replace(weight="weight")
    return columns


def _frame_of_arrays(arrays: Any, columns: Columns) -> Any:
    named = dict(zip(columns.names, arrays, strict=False))
    blocks = {name: blocks_of(name, each) for name, each in named.items()}
    return side_by_side(blocks, {name: each.dtype for name, each in named.items()})


def grades_of(labels: list[Any]) -> NDArray[np.float64]:
    """Return the distinct grades in blocks of labels."""
    return distinct_grades(_compute([(_distinct, each) for each in labels]))


def _distinct(labels: Any) -> NDArray[np.float64]:
    return distinct_grades([as_array(labels)])


def _parts_of_whole_queries(
    frame: Any, columns: Columns, whole_queries: bool
) -> tuple[list[Any], bool]:
    """Partitions that hold whole queries, and whether rows were moved for it."""
    is_index = columns.qid not in frame.columns
    names = [name for name in columns.names if not (is_index and name == columns.qid)]
    chosen, is_sorted = frame[names], is_index and frame.known_divisions
    if is_index:
        chosen = chosen.map_partitions(_index_as_column, meta=chosen._meta.reset_index())
    if whole_queries or is_sorted or frame.npartitions == 1:
        return chosen.to_delayed(), False
    numbered = dd.from_delayed(
        [dask.delayed(_numbered)(part, place) for place, part in enumerate(chosen.to_delayed())],
        meta=chosen._meta.assign(**{_ROW: np.zeros(0, dtype=np.int64)}),
        verify_meta=False,
    )
    return numbered.shuffle(on=columns.qid).to_delayed(), True


def _index_as_column(part: pd.DataFrame) -> pd.DataFrame:
    return part.reset_index()


def _numbered(part: pd.DataFrame, place: int) -> pd.DataFrame:
    # A shuffle forgets the order of the rows, which decides between tied documents.
    return part.assign(**{_ROW: place * _ROWS_OF_A_PARTITION + np.arange(len(part))})


def _require_whole_queries(extents: list[_Extent], parts: list[Any], columns: Columns) -> None:
    """Raise where a query is in two partitions; ids are only brought together if extents meet."""
    if _are_apart(extents):
        return
    ids = [dask.delayed(_distinct_ids)(part, columns.qid) for part in parts]
    (again,) = dask.compute(dask.delayed(_first_in_two)(ids))
    if again is not None:
        query, one, two = again
        raise ValueError(
            f"No query may be in two partitions, but query {query!r} is in partitions {one} and "
            f"{two}. Leave whole_queries out to have the rows shuffled by query, or write the data "
            "query by query."
        )


def _are_apart(extents: list[_Extent]) -> bool:
    try:
        ordered = sorted(extents)
        return all(one.largest < two.smallest for one, two in pairwise(ordered))
    except TypeError:
        return False


def _distinct_ids(part: pd.DataFrame, qid: str) -> list[Any]:
    ids: list[Any] = part[qid].drop_duplicates().tolist()
    return ids


def _first_in_two(ids: list[list[Any]]) -> tuple[Any, int, int] | None:
    """Find an id that is in two lists, and their numbers."""
    place_of: dict[Any, int] = {}
    for place, each in enumerate(ids):
        for query in each:
            if place_of.setdefault(query, place) != place:
                return query, place_of[query], place
    return None


def _collect(task: _Task, parts: list[Any]) -> Scores:
    """Values of all queries, in the order of the data."""
    found = [each for each in _compute([(task.values, part) for part in parts]) if each is not None]
    scores = concatenate([each for each, _ in found])
    if found[0][1] is None:
        return scores
    order = np.argsort(np.concatenate([first_rows for _, first_rows in found]))
    weights = None if scores.weights is None else scores.weights[order]
    values = scores.values[order]
    return Scores(scores.measures, scores.qid[order], values, weights, scores.n_empty)
