"""The matrices K of all queries: in compact form, and as factors for any number of levels."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded._sealed import all_sealed

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int32]

_MOST_LEVELS = 5_000  # the pairs of one query then take 200 MB


class PairMatrix(NamedTuple):
    """A matrix for each query: ``K[q, a, b] = base[a, b] * factor[q, column[a, b]]``.

    Attributes
    ----------
    base : ndarray of shape (n_levels, n_levels)
        The part that all queries share.
    factor : ndarray of shape (n_queries, n_columns)
        Factors of each query.
    column : ndarray of shape (n_levels, n_levels), int32
        Number of the factor that applies to a pair of levels.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.measures import PairMatrix
    >>> K = PairMatrix.scaled(np.array([[0.0, 0.0], [0.0, 1.0]]), scale=np.array([0.5, 2.0]))
    >>> K.base * K.factor[1, K.column]
    array([[0., 0.],
           [0., 2.]])
    """

    base: FloatArray
    factor: FloatArray
    column: IntArray

    @classmethod
    def scaled(cls, base: FloatArray, scale: FloatArray) -> Self:
        """Multiply one matrix by one number for every query.

        Parameters
        ----------
        base : ndarray of shape (n_levels, n_levels)
            The matrix.
        scale : ndarray of shape (n_queries,)
            The numbers.

        Returns
        -------
        PairMatrix
            The products.
        """
        return cls.by_column(base, scale[:, None], np.zeros(base.shape, np.int32))

    @classmethod
    def by_column(cls, base: FloatArray, factor: FloatArray, column: NDArray[np.integer]) -> Self:
        """Multiply the cells of one matrix by numbers that depend on the query and the cell.

        Cells of the same column share a number.

        Parameters
        ----------
        base : ndarray of shape (n_levels, n_levels)
            The matrix.
        factor : ndarray of shape (n_queries, n_columns)
            The numbers.
        column : ndarray of shape (n_levels, n_levels)
            The column of `factor` whose number multiplies the cell.

        Returns
        -------
        PairMatrix
            The products.
        """
        return cls(
            np.ascontiguousarray(base, dtype=np.float64),
            np.ascontiguousarray(factor, dtype=np.float64),
            np.ascontiguousarray(column, dtype=np.int32),
        )

    @classmethod
    def of(
        cls,
        K: FloatArray | PairMatrix | PairFactors,
        n_queries: int,
        n_levels: int,
        owner: object,
    ) -> PairMatrix:
        """Convert full matrices into this form.

        Parameters
        ----------
        K : ndarray, PairMatrix or PairFactors
            One matrix for all queries, or one per query. A `PairMatrix` is returned as it is.
        n_queries, n_levels : int
            Number of queries and levels.
        owner : object
            The measure that counts pairs of grades, for the message.

        Returns
        -------
        PairMatrix
            The same numbers.

        Raises
        ------
        ValueError
            If there are more than 5,000 levels.
        """
        if n_levels > _MOST_LEVELS:
            raise ValueError(
                f"y_true must hold at most {_MOST_LEVELS:,} different grades for {owner}, "
                f"which counts pairs of grades, got {n_levels:,}. Measures that only use "
                "gains and discounts, such as nDCG, accept any number of grades."
            )
        if isinstance(K, PairMatrix):
            return K
        if isinstance(K, PairFactors):
            return K.matrix(n_levels)
        n_cells = n_levels**2
        cells = np.broadcast_to(K, (n_queries, n_levels, n_levels)).reshape(n_queries, n_cells)
        shape = n_levels, n_levels
        return cls.by_column(np.ones(shape), cells, np.arange(n_cells).reshape(shape))


class PairFactors(NamedTuple):
    """A matrix for each query: ``K[q, a, b] = scale[q] * (f[min(a, b)] * h[b] + u[a] * w[b])``.

    Where every document has a grade of its own, K has too many cells, but its factors do not.

    Attributes
    ----------
    scale : ndarray of shape (n_queries,)
        Factor of each query.
    f : ndarray of shape (n_levels,) or (n_queries, n_levels), or None
        The factor of the lower level, which does not fall from level to level and is 0 at level 0.
        None is 0.
    h : ndarray of shape (n_levels,) or (n_queries, n_levels), or None
        The factor of the level b below, that comes with `f`. None is 1.
    u, w : ndarray of shape (n_levels,), or None
        The factors of the level a above and of the level b below. None is 0.
    """

    scale: FloatArray
    f: FloatArray | None = None
    h: FloatArray | None = None
    u: FloatArray | None = None
    w: FloatArray | None = None

    def checked(self, n_queries: int, n_levels: int, borders: NDArray[np.int64] | None) -> Self:
        """Return the factors as contiguous arrays of doubles, or raise where they do not fit.

        Parameters
        ----------
        n_queries, n_levels : int
            Number of queries and levels.
        borders : ndarray of shape (n_queries + 1,), int64, or None
            Where the levels of each query begin, if queries have levels of their own.

        Returns
        -------
        PairFactors
            The same numbers.

        Raises
        ------
        ValueError
            If a factor has another shape, or `f` is not 0 at level 0 or falls within a query that
            has levels of its own; or if `f` or `h` differ between queries beside other factors.
        """
        arrays = {}
        by_query = ""
        for name, given in zip(self._fields, self, strict=True):
            if given is None:
                continue
            arrays[name] = each = np.ascontiguousarray(given, np.float64)
            shape: tuple[int, ...] = (n_queries,) if name == "scale" else (n_levels,)
            if name in ("f", "h") and each.ndim > 1 and not by_query:
                by_query = name
                shape = (n_queries, n_levels) if borders is None else shape
            if np.shape(given) != shape:
                raise ValueError(
                    f"{name} of PairFactors must have shape {shape}, got {np.shape(given)}."
                )
        beside = sorted(arrays.keys() - {"scale", "f", by_query}) if by_query else []
        if beside:
            raise ValueError(
                f"{by_query} of PairFactors must be the same for all queries beside "
                f"{' and '.join(beside)}, got shape {arrays[by_query].shape}."
            )
        if borders is not None and "f" in arrays:
            _require_rising(arrays["f"], borders)
        return type(self)(**arrays)

    def matrix(self, n_levels: int) -> PairMatrix:
        """Return K on a scale that all queries share.

        Parameters
        ----------
        n_levels : int
            Number of levels.

        Returns
        -------
        PairMatrix
            The same numbers. If `f` or `h` differ between queries, no other factor but `scale` may
            be beside them, and `h` must be beside an `f` that does not.
        """
        lower, below = levels_of_pairs(n_levels)
        if self.f is not None and self.f.ndim > 1:
            return PairMatrix(np.ones(lower.shape), self.f * self.scale[:, None], lower)
        base = np.zeros(lower.shape) if self.f is None else self.f[lower]
        if self.h is not None and self.h.ndim > 1:
            return PairMatrix(base, self.h * self.scale[:, None], below)
        if self.h is not None:
            base = base * self.h
        if self.u is not None and self.w is not None:
            base = base + self.u[:, None] * self.w
        return PairMatrix.scaled(base, self.scale)

    @property
    def rises(self) -> bool:
        """Whether f is 0 at level 0 and does not fall from level to level."""
        if self.f is None or not self.f.size:
            return True
        return bool((self.f[..., 0] == 0).all() and (np.diff(self.f) >= 0).all())

    def by_level(self, n_levels: int = 0) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return f, h, u and w by level; both factors of a product that K lacks are empty.

        Parameters
        ----------
        n_levels : int, default=0
            Number of levels. Without it h is empty where it is 1.

        Returns
        -------
        tuple of ndarray
            Arrays of shape (n_levels,), (n_queries * n_levels,) or (0,).
        """
        h = np.ones(n_levels) if self.h is None else self.h
        lower = (_NOTHING, _NOTHING) if self.f is None else (self.f.ravel(), h.ravel())
        both = (_NOTHING, _NOTHING) if self.u is None or self.w is None else (self.u, self.w)
        return *lower, *both


_NOTHING = np.zeros(0)


def _require_rising(f: FloatArray, borders: NDArray[np.int64]) -> None:
    """Raise unless f is 0 at level 0, and does not fall from there within each query."""
    if f[0] != 0:
        raise ValueError(f"f of PairFactors must be 0 at level 0, got {float(f[0])!r}.")
    level = _core.first_fall(f, borders)
    if level >= 0:
        last = 0.0 if level in borders[:-1] else float(f[level - 1])
        raise ValueError(
            "f of PairFactors must not fall from level to level of a query, got "
            f"{float(f[level])!r} after {last!r}."
        )


def levels_of_pairs(n_levels: int) -> tuple[IntArray, IntArray]:
    """Return min(a, b) and b for every pair of levels a, b, both of shape (n_levels, n_levels)."""
    return (_kept if n_levels <= _LONGEST_KEPT else _make_levels_of_pairs)(n_levels)


def _make_levels_of_pairs(n_levels: int) -> tuple[IntArray, IntArray]:
    above, below = np.indices((n_levels, n_levels), dtype=np.int32)
    lower, below = all_sealed(np.minimum(above, below), np.ascontiguousarray(below))
    return lower, below


_LONGEST_KEPT = 64  # levels, whose pairs take 16 KB

_kept = lru_cache(maxsize=_LONGEST_KEPT)(_make_levels_of_pairs)
