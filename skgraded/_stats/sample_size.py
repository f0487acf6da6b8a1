"""How many queries show a difference of a given size, and how far off that number may be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skgraded._stats.corrections import level_of

__all__ = ["errors_of_log_variances", "queries_to_show"]

FloatArray = NDArray[np.float64]

_FEWEST = 5  # units; the trimming of the mean needs as many


def errors_of_log_variances(residuals: FloatArray) -> FloatArray:
    """Return the standard errors of the logarithms of variances (Bonett 2006).

    Kurtosis is taken around a trimmed mean. Residuals are of shape (n_pairs, n_units); the errors
    are nan for fewer than five units, and for pairs that do not vary.
    """
    from scipy.stats import trim_mean

    n_units = residuals.shape[1]
    squares = ((residuals - residuals.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    if n_units < _FEWEST:
        return np.full(len(residuals), np.nan)
    middle = np.asarray(trim_mean(residuals, 0.5 / np.sqrt(n_units - 4), axis=1))
    fourth = ((residuals - middle[:, None]) ** 4).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = n_units * fourth / squares**2
    errors: FloatArray = np.sqrt(
        # Of two values that are equally frequent, there would be next to none.
        np.maximum(kurtosis - (n_units - 3) / n_units, 1.0) / (n_units - 1)
    )
    return errors


def queries_to_show(
    effect: FloatArray,
    variance: FloatArray,
    log_error: FloatArray,
    n_units: NDArray[np.int64],
    *,
    confidence: float,
    power: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the number of queries, and the ends of its interval, for each difference.

    The variance is that of one query: the squared standard error times the number of queries.
    """
    from scipy.stats import norm
    from scipy.stats import t as students_t

    freedom, level = n_units - 1, level_of(confidence)
    reach = students_t.isf(level / 2.0, freedom) + students_t.ppf(power, freedom)
    needed = reach**2 * variance / effect**2
    z = norm.isf(level / 2.0)
    scale = n_units / np.maximum(n_units - z, 1.0)
    low, high = (scale * needed * np.exp(side * z * scale * log_error) for side in (-1.0, 1.0))
    small = z**2 / 2.0  # the t test that is to come has few degrees of freedom (Guenther 1981)
    return np.ceil(needed + small), np.ceil(low + small), np.ceil(high + small)
