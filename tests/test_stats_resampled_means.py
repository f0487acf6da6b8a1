"""Tests by resampled means against NumPy's products of matrices, on data with and without ties."""

import math

import numpy as np
import pytest
from scipy import stats

from skgraded import _core
from skgraded._stats import bootstrap_t as bootstrap_t_module
from skgraded._stats.bootstrap_t import (
    bootstrap_t,
    bootstrap_test,
    counts_of_units,
    max_t,
    with_finite_ends,
)
from skgraded._stats.clustered import means_without_rounding, unit_errors, unit_residuals

ROUNDING = 1e-12


DIFFERENCES = {
    "normal": lambda rng, shape: rng.normal(0.3, 1.0, shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 0.8,
    "sparse": lambda rng, shape: np.where(rng.random(shape) < 0.15, rng.normal(size=shape), 0.0),
    "tied": lambda rng, shape: rng.integers(-1, 2, shape) * 1.0,
    "tenths": lambda rng, shape: np.round(rng.random(shape), 1) - np.round(rng.random(shape), 1),
    "one differs": lambda rng, shape: np.eye(shape[1])[1] * rng.normal(size=(shape[0], 1)),
    "constant": lambda rng, shape: np.full(shape, 0.1) * rng.integers(-1, 2, (shape[0], 1)),
}
KINDS = (*DIFFERENCES, "mixed")


def differences_of(kind, shape, rng):
    if kind in DIFFERENCES:
        return DIFFERENCES[kind](rng, shape)
    rows = [DIFFERENCES[each](rng, (1, shape[1])) for each in rng.choice(KINDS[:-1], shape[0])]
    return np.concatenate(rows)


class ByNumPy:
    """The ratios of all resamples by products of matrices, shape (n_pairs, n_resamples)."""

    def __init__(self, sums, sizes, n_resamples, rng):
        self.mean = means_without_rounding(sums, sizes)
        residuals = unit_residuals(sums, sizes, self.mean)
        self.error = unit_errors(residuals, sizes)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.ratio = np.where(self.mean == 0.0, 0.0, self.mean / self.error)
        drawn = np.random.default_rng(rng.integers(2**63))
        counts = np.concatenate(list(counts_of_units(len(sizes), n_resamples, drawn)))
        self._n_queries, n_units = counts @ sizes, len(sizes)
        self._totals, squares = residuals @ counts.T, residuals**2 @ counts.T
        variances = self._totals**2 * (counts @ sizes**2) / self._n_queries**2
        variances -= self._totals * ((residuals * (2.0 * sizes)) @ counts.T) / self._n_queries
        variances += squares
        varies = variances > ROUNDING * squares
        self._ends = np.where(varies, variances * n_units / max(n_units - 1, 1), 0.0) ** 0.5

    def ratios(self, errors=0.0):
        without = np.reshape(errors, (-1, 1)) * self._n_queries
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = self._totals / np.where(self._ends > 0.0, self._ends, without)
        return np.where(self._totals == 0.0, 0.0, ratios)

    def interval(self, p_value, least, most):
        varies, differs = self.error > 0.0, (self.error > 0.0) | (self.mean != 0.0)
        with np.errstate(invalid="ignore"):
            low = np.where(varies, self.mean - most * self.error, self.mean)
            high = np.where(varies, self.mean - least * self.error, self.mean)
        return bootstrap_t_module.Tested(np.where(differs, p_value, 1.0), low, high)


def bootstrap_t_by_numpy(sums, sizes, level, n_resamples, rng):
    by = ByNumPy(sums, sizes, n_resamples, rng)
    drawn, rounding = by.ratios(), ROUNDING * np.sign(by.ratio)
    below = (drawn <= (by.ratio * (1.0 + rounding))[:, None]).sum(axis=1)
    above = (drawn >= (by.ratio * (1.0 - rounding))[:, None]).sum(axis=1)
    p_value = 2.0 * (np.minimum(below, above) + 1) / (n_resamples + 1)
    freedom = max(len(sizes) - 1, 1)
    p_value = np.maximum(p_value, 2.0 * stats.t.sf(np.abs(by.ratio), freedom)).clip(max=1.0)
    reach, ordered = stats.t.isf(level / 2.0, freedom), np.sort(drawn, axis=1)
    rank = max(0, math.ceil(level / 2.0 * (n_resamples + 1) * (1.0 - ROUNDING)) - 1)
    least, most = np.full((2, len(sums)), math.inf) * [[-1.0], [1.0]]
    if rank:
        least, most = ordered[:, rank - 1], ordered[:, -rank]
    tested = by.interval(p_value, np.minimum(least, -reach), np.maximum(most, reach))
    return with_finite_ends(tested, sums, sizes, level)


def max_t_by_numpy(sums, sizes, level, n_resamples, rng):
    by = ByNumPy(sums, sizes, n_resamples, rng)
    largest = np.abs(by.ratios(by.error)).max(axis=0)
    beyond = (largest[:, None] >= np.abs(by.ratio) * (1.0 - ROUNDING)).sum(axis=0)
    rank = max(0, math.ceil(level * (n_resamples + 1) * (1.0 - ROUNDING)) - 1)
    critical = np.sort(largest)[-rank] if rank else math.inf
    return by.interval((beyond + 1) / (n_resamples + 1), -critical, critical)


def bootstrap_by_numpy(sums, n_resamples, rng, sizes):
    by = ByNumPy(sums, sizes, n_resamples, rng)
    reached = np.abs(by.ratio)[:, None] * (1.0 - ROUNDING)
    return ((np.abs(by.ratios()) >= reached).sum(axis=1) + 1) / (n_resamples + 1)


def compare_with_numpy(seed):
    """P-values are equal to the last bit; ends of intervals agree but for rounding."""
    rng = np.random.default_rng(seed)
    kind, n_pairs = KINDS[seed % len(KINDS)], int(rng.integers(1, 40))
    n_units = int(rng.integers(2, 60))
    n_resamples, level = int(rng.choice([15, 99, 500, 2000])), float(rng.choice([0.01, 0.05, 0.4]))
    sums = differences_of(kind, (n_pairs, n_units), rng)
    sizes = np.ones(n_units) if seed // len(KINDS) % 2 else rng.integers(1, 5, n_units) * 1.0
    for found_of, expected_of in ((bootstrap_t, bootstrap_t_by_numpy), (max_t, max_t_by_numpy)):
        drawn = (np.random.default_rng(seed) for _ in range(2))
        found = found_of(sums, sizes, level, n_resamples, next(drawn))
        expected = expected_of(sums, sizes, level, n_resamples, next(drawn))
        np.testing.assert_array_equal(found.p_value, expected.p_value)
        for end, of_numpy in zip(found[1:], expected[1:], strict=True):
            rounding = 1e-9 * np.abs(sums).max()
            np.testing.assert_allclose(end, of_numpy, rtol=1e-9, atol=rounding)
    found = bootstrap_test(sums, n_resamples, np.random.default_rng(seed), sizes)
    expected = bootstrap_by_numpy(sums, n_resamples, np.random.default_rng(seed), sizes)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(160))
def test_p_values_and_intervals_are_those_of_numpy(seed):
    compare_with_numpy(seed)


def test_neither_other_pairs_nor_chunks_of_resamples_change_a_bit():
    rng = np.random.default_rng(0)
    residuals, sizes = rng.normal(size=(37, 20)), np.ones(20)
    drawn, ratios = rng.integers(20, size=(100, 20), dtype=np.int32), rng.normal(0.0, 2.0, 37)
    whole = [_core.Resamples(drawn, sizes)]
    parts = [_core.Resamples(each, sizes) for each in np.split(drawn, [1, 14, 15, 60])]
    expected = _core.ratio_tails(whole, residuals, ratios, 1.0, 7)
    np.testing.assert_array_equal(
        _core.ratio_tails(iter(parts), residuals, ratios, 1.0, 7), expected
    )
    for row in (0, 17, 36):
        alone = _core.ratio_tails(whole, residuals[[row]], ratios[[row]], 1.0, 7)
        np.testing.assert_array_equal(np.ravel(alone), [each[row] for each in expected])
    largest = _core.largest_ratios(whole, residuals, ratios)
    np.testing.assert_array_equal(_core.largest_ratios(parts, residuals, ratios), largest)
