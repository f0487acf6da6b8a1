"""Weights of the ranks: discounts d_n and position weights p_n of the prefix form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from skgraded import _core
from skgraded.rankings import Judgments, RankedList

__all__ = [
    "Constant",
    "FromSecond",
    "Geometric",
    "InverseSquare",
    "JarvelinKekalainen",
    "Log2",
    "LogRank",
    "Positions",
    "Power",
    "Rank",
    "Reciprocal",
    "ReciprocalAbove",
    "reciprocal",
]


class Positions(Protocol):
    """A hashable object that computes the weights d_n or p_n of the ranks.

    ``ragged`` is True if the weights differ between queries (one weight per document), and False
    if all queries share them (one weight per rank).
    """

    ragged: ClassVar[bool]

    def __call__(self, ranked: RankedList, judgments: Judgments) -> NDArray[np.float64]:
        """Compute the weights of the ranks 1, 2, ... of the longest list, or of all documents.

        Parameters
        ----------
        ranked : RankedList
            The lists.
        judgments : Judgments
            The labels and pools of the lists.

        Returns
        -------
        ndarray of shape (longest list,) or (n_documents,)
            The weights: one per rank, or one per document if ``ragged``.
        """
        ...

    def __hash__(self) -> int: ...


def reciprocal(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 / x, and 0 where x is 0."""
    flat = np.ascontiguousarray(counts, dtype=np.float64).ravel()
    return _core.reciprocals(flat).reshape(counts.shape)


class _ByRank:
    """Base class of weights that depend only on the rank n = 1, 2, ..."""

    ragged: ClassVar[bool] = False

    def __call__(self, ranked: RankedList, judgments: Judgments) -> NDArray[np.float64]:
        longest = ranked.longest
        return (_kept if longest <= _LONGEST_KEPT else _weights)(self, longest)

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        raise NotImplementedError


def _weights(positions: _ByRank, longest: int) -> NDArray[np.float64]:
    weights = positions.at(np.arange(1.0, longest + 1))
    weights.flags.writeable = False
    return weights


_LONGEST_KEPT = 1_000  # ranks, whose weights take 8 KB

_kept = lru_cache(maxsize=128)(_weights)


@dataclass(frozen=True)
class Constant(_ByRank):
    """1."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        return np.ones_like(n)


@dataclass(frozen=True)
class Reciprocal(_ByRank):
    """1 / n."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        return 1.0 / n


@dataclass(frozen=True)
class Log2(_ByRank):
    """1 / log2(n + 1)."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        return 1.0 / np.log2(n + 1.0)


@dataclass(frozen=True)
class JarvelinKekalainen(_ByRank):
    """1 at ranks n < a, 1 / log_a(n) from rank a on."""

    base: float

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        logarithm: NDArray[np.float64] = np.log(n) / np.log(self.base)
        return 1.0 / np.maximum(1.0, logarithm)


@dataclass(frozen=True)
class Geometric(_ByRank):
    """p ** (n - 1)."""

    p: float

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = np.power(self.p, n - 1.0)
        return weights


@dataclass(frozen=True)
class InverseSquare(_ByRank):
    """1 / (n + shift) ** 2."""

    shift: float

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = 1.0 / np.square(n + self.shift)
        return weights


@dataclass(frozen=True)
class Power(_ByRank):
    """p ** n."""

    p: float

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        weights: NDArray[np.float64] = np.power(self.p, n)
        return weights


@dataclass(frozen=True)
class Rank(_ByRank):
    """n."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        return n


@dataclass(frozen=True)
class LogRank(_ByRank):
    """log(n)."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        logarithm: NDArray[np.float64] = np.log(n)
        return logarithm


@dataclass(frozen=True)
class FromSecond(_ByRank):
    """1 from rank 2 on, 0 at rank 1."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        return (n > 1).astype(np.float64)


@dataclass(frozen=True)
class ReciprocalAbove(_ByRank):
    """1 / (n - 1) from rank 2 on, 0 at rank 1."""

    def at(self, n: NDArray[Any]) -> NDArray[np.float64]:
        inverse: NDArray[np.float64] = np.divide(1.0, n - 1.0, out=np.zeros_like(n), where=n > 1)
        return inverse
