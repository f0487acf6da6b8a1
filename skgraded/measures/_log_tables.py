"""1 / log2(z) as a sum of exponentials of z.

The mean of exp(-rate S) over the sums S of some of many gains, drawn without putting back, has a
closed form, and that of a logarithm has none. So 1 / log2(z) is written as sum_k w_k exp(-rate_k z)
with w_k > 0, to 1e-14 for 2 <= z <= 2 + reach. It is the integral

    1 / ln(z) = int exp(-t z) density(t) dt,    density(t) = int_0^inf t^(s-1) / Gamma(s) ds

by the trapezoidal rule in log(t), whose error falls exponentially with the step. The terms with
t < 1 / reach, of which there are many and which hardly depend on z, become a few by Gauss's
quadrature.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["LogTables", "log_tables"]

FloatArray = NDArray[np.float64]

_STEP = 0.25  # in log(t), for an error of exp(-pi^2 / step)
_LARGEST = 3.65  # log of the largest t: exp(-t z) times the density falls as exp(-t) at z = 2
_N_GAUSS = 8
_LANES = 8  # the kernel takes so many terms at a time

# In one table for all queries, the value of a query would depend on the others.
_REACHES = tuple(2.0**exponent for exponent in (6, 10, 14, 20, 32, 64, 128, 256, 512, 1000))


class LogTables(NamedTuple):
    """Terms of 1 / log2(z), by how large z may be.

    Attributes
    ----------
    rate, weight : ndarray of shape (n_terms,)
        The terms of one table after the other.
    begin : ndarray of shape (n_tables + 1,)
        Borders of the tables.
    reach : ndarray of shape (n_tables,)
        The table holds for 2 <= z <= 2 + reach.
    """

    rate: FloatArray
    weight: FloatArray
    begin: NDArray[np.int64]
    reach: FloatArray


def log_tables(farthest: float) -> LogTables:
    """Return the tables up to the first that reaches as far as `farthest`."""
    n_tables = 1 + int(np.searchsorted(_REACHES, farthest))
    return _tables(min(n_tables, len(_REACHES)))


@cache
def _tables(n_tables: int) -> LogTables:
    terms = [_terms(reach) for reach in _REACHES[:n_tables]]
    begin = np.cumsum([0, *(len(rate) for rate, _ in terms)], dtype=np.int64)
    rates, weights = (np.concatenate(parts) for parts in zip(*terms, strict=True))
    return LogTables(rates, weights, begin, np.array(_REACHES[:n_tables]))


@cache
def _terms(reach: float) -> tuple[FloatArray, FloatArray]:
    lowest = math.floor(math.log(1e-17 / reach) / _STEP)
    log_t = _STEP * np.arange(lowest, math.floor(_LARGEST / _STEP) + 1, dtype=np.float64)
    rate, weight = np.exp(log_t), _STEP * math.log(2.0) * _density(log_t)
    # What lies below the smallest t hardly differs from a constant.
    rest = 1.0 - _dot(np.exp(-2.0 * rate), weight)
    rate, weight = np.append(0.0, rate), np.append(rest, weight)
    small = rate < 1.0 / reach
    few, of_few = _gauss(rate[small] * reach, weight[small])
    rate = np.concatenate((few / reach, rate[~small]))
    weight = np.concatenate((of_few, weight[~small]))
    padding = np.zeros(-len(rate) % _LANES)
    return np.append(rate, padding), np.append(weight, padding)


def _density(log_t: FloatArray) -> FloatArray:
    """Return t times the density at t, by the trapezoidal rule in log(s)."""
    step = 1.0 / 16.0
    s = np.exp(np.arange(-34.0, math.log(170.0), step))
    gamma = np.array([math.gamma(each) for each in s])
    density: FloatArray = _dot(np.exp(np.outer(log_t, s)), step * s / gamma)
    return density


def _gauss(nodes: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the few nodes and weights that integrate polynomials as the many do.

    Golub and Welsch (1969): the eigenvalues of the recurrence of the orthogonal polynomials, which
    the method of Lanczos finds.
    """
    total = weights.sum()
    basis = [np.sqrt(weights / total)]
    diagonal, beside = [], []
    for _ in range(_N_GAUSS):
        new = nodes * basis[-1]
        diagonal.append(_dot(basis[-1], new))
        for _ in range(2):  # twice is enough against rounding
            parts = _dot(np.array(basis), new)
            new = new - _dot(np.transpose(basis), parts)
        beside.append(np.sqrt(_dot(new, new)))
        basis.append(new / beside[-1])
    beside = beside[:-1]
    found, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    return np.maximum(found, 0.0), total * np.square(vectors[0])


def _dot(a: FloatArray, b: FloatArray) -> Any:
    """Return ``a @ b``; the bits of BLAS depend on its number of threads."""
    return (a * b).sum(axis=-1)
