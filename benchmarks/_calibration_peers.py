"""Intervals of other methods, for many columns of differences at once."""

import numpy as np
from scipy import special

TAIL = 0.025


def moments_of(rows):
    n = len(rows)
    mean = rows.mean(axis=0)
    variance = rows.var(axis=0)
    third = ((rows - mean) ** 3).mean(axis=0)
    skewness = np.divide(
        third, variance**1.5, out=np.zeros_like(mean), where=variance > 1e-24
    )
    return n, mean, np.sqrt(variance / (n - 1)), skewness


def students_t(rows):
    n, mean, error, _ = moments_of(rows)
    reach = special.stdtrit(n - 1, 1.0 - TAIL) * error
    return np.stack([mean - reach, mean + reach], axis=-1)


def bootstrap_intervals(rows, n_resamples, rng):
    """Return intervals by bootstrap-t and by BCa (Efron, Tibshirani 1993, chapters 12 and 14).

    All columns have the same resamples of queries.
    """
    n, mean, error, skewness = moments_of(rows)
    chances = np.full(n, 1.0 / n)
    counts = rng.multinomial(n, chances, size=n_resamples) / n
    centred = rows - mean
    offs = counts @ centred
    variances = np.maximum(counts @ centred**2 - offs**2, 0.0)
    # Resamples that are all alike have no t; they count as the farthest one.
    errors = np.sqrt(variances / (n - 1))
    ts = np.divide(offs, errors, out=np.sign(offs) * 1e6, where=errors > 0.0)
    ts.sort(axis=0)
    low_place = int(TAIL * n_resamples)
    by_t = np.stack(
        [mean - ts[-low_place - 1] * error, mean - ts[low_place] * error], axis=-1
    )

    share_below = ((offs < 0.0).mean(axis=0) + (offs <= 0.0).mean(axis=0)) / 2.0
    least = 0.5 / n_resamples
    shift = special.ndtri(np.clip(share_below, least, 1.0 - least))
    acceleration = skewness / (6.0 * np.sqrt(n))
    offs.sort(axis=0)
    ends = []
    for quantile in special.ndtri([TAIL, 1.0 - TAIL]):
        moved = shift + quantile
        chance = special.ndtr(shift + moved / (1.0 - acceleration * moved))
        places = np.clip((chance * n_resamples).astype(int), 0, n_resamples - 1)
        ends.append(mean + np.take_along_axis(offs, places[None], axis=0)[0])
    return by_t, np.stack(ends, axis=-1)
