"""CatBoost's pairs of rows, one of which is to rank above the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_if_rows_are_those_of_a_fold
from skgraded.rankings import Judgments

IntArray = NDArray[np.int64]
_ENDS = 2  # winner and loser


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows of one query.

    Attributes
    ----------
    rows : ndarray of shape (n_pairs, 2)
        Row numbers of winner and loser.
    weight : ndarray of shape (n_pairs,) or None
        Weight of each pair.
    """

    rows: IntArray
    weight: NDArray[Any] | None

    @classmethod
    def read(cls, pairs: Any, weight: Any, judgments: Judgments) -> Self | None:
        """Read the fit parameters ``pairs`` and ``pairs_weight``; None where there are none."""
        if pairs is None:
            if weight is not None:
                raise ValueError("pairs_weight needs pairs, got pairs=None.")
            return None
        warn_if_rows_are_those_of_a_fold(pairs)
        rows = _row_numbers(pairs, judgments.n_documents)
        _require_one_query(rows, judgments)
        weights = None if weight is None else np.asarray(weight)
        if weights is not None and weights.shape != (len(rows),):
            raise ValueError(
                f"pairs_weight must have an entry per pair, got the shape {weights.shape} for "
                f"{len(rows)} pairs."
            )
        return cls(rows, weights)

    def at(self, rows: IntArray, n_rows: int) -> Pairs:
        """Take the pairs of some rows out of `n_rows`, numbered as these stand."""
        number = np.full(n_rows, -1)
        number[rows] = np.arange(len(rows))
        moved = number[self.rows]
        kept = (moved >= 0).all(axis=1)
        return Pairs(moved[kept], None if self.weight is None else self.weight[kept])

    def as_params(self) -> dict[str, Any]:
        """Return CatBoost's parameters."""
        # The oldest CatBoost that is supported takes no array here, only a list.
        weighted = {} if self.weight is None else {"pairs_weight": self.weight.tolist()}
        return {"pairs": self.rows, **weighted}


def _row_numbers(pairs: Any, n_rows: int) -> IntArray:
    rows = np.asarray(pairs)
    if rows.ndim != _ENDS or rows.shape[1] != _ENDS or len(rows) == 0:
        raise ValueError(
            "pairs must hold the row numbers of a winner and a loser in each of its rows, got the "
            f"shape {rows.shape}."
        )
    if rows.dtype.kind not in "iu":
        raise ValueError(f"pairs must be row numbers, that is integers, got {rows.dtype}.")
    outside = rows[(rows < 0) | (rows >= n_rows)]
    if len(outside):
        raise ValueError(
            f"pairs must be row numbers from 0 to {n_rows - 1} of the rows given to fit, "
            f"got {outside[0]}."
        )
    return rows.astype(np.int64)


def _require_one_query(rows: IntArray, judgments: Judgments) -> None:
    query = np.empty(judgments.n_documents, dtype=np.int64)
    by_query = np.repeat(np.arange(judgments.n_queries), np.diff(judgments.indptr))
    query[slice(None) if judgments.row_order is None else judgments.row_order] = by_query
    apart = np.flatnonzero(query[rows[:, 0]] != query[rows[:, 1]])
    if len(apart):
        winner, loser = rows[apart[0]].tolist()
        one, two = judgments.qid[query[[winner, loser]]].tolist()
        raise ValueError(
            f"pairs must be of two rows of one query, got rows {winner} and {loser} of the queries "
            f"{one!r} and {two!r}."
        )
