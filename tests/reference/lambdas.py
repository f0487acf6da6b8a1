"""Slow, literal oracle of LambdaMART: a loop over the pairs of one query's documents.

The formula is that of LightGBM's lambdarank, with the value of any list of grades in place of DCG.
Source: Burges (2010), "From RankNet to LambdaRank to LambdaMART", with LightGBM's truncation,
normalization and table of the sigmoid.
"""

import math
from functools import cache

import numpy as np

BINS = 1024 * 1024
NEAREST = float(np.float32(0.01))


def sigmoid_of(difference, steepness):
    """Return 1 / (1 + exp(steepness d)) at the left border of d's bin, as LightGBM tabulates it."""
    smallest, bins_per_unit = -25.0 / steepness, BINS * steepness / 50.0
    place = int(min(max((difference - smallest) * bins_per_unit, 0.0), BINS - 1.0))
    return 1.0 / (1.0 + math.exp(steepness * (place / bins_per_unit + smallest)))


@cache
def value_of(chosen):
    """Return the function that scores a list of grades in rank order by a measure."""

    @cache
    def value(grades):
        return chosen(grades, -np.arange(len(grades)))

    return value


def price(grades, value, i, j):
    """Size of the change in the value of a list of grades when ranks i and j swap documents."""
    swapped = list(grades)
    swapped[i], swapped[j] = grades[j], grades[i]
    return abs(value(tuple(swapped)) - value(tuple(grades)))


def derivatives(grades, scores, value, *, sigmoid=1.0, truncation_level=30, norm=True):
    """Gradient and Hessian by rank, of grades and scores in rank order."""
    n = len(grades)
    gradient, hessian, total = [0.0] * n, [0.0] * n, 0.0
    for i in range(n if truncation_level is None else min(n, truncation_level)):
        for j in range(i + 1, n):
            if grades[i] == grades[j]:
                continue
            high, low = (i, j) if grades[i] > grades[j] else (j, i)
            difference = scores[high] - scores[low]
            delta = price(grades, value, i, j)
            if norm and scores[0] != scores[-1]:
                delta /= NEAREST + abs(difference)
            p = sigmoid_of(difference, sigmoid)
            first, second = sigmoid * delta * p, sigmoid**2 * delta * p * (1.0 - p)
            gradient[high] -= first
            gradient[low] += first
            hessian[high] += second
            hessian[low] += second
            total += 2.0 * first
    factor = math.log2(1.0 + total) / total if norm and total > 0 else 1.0
    return [factor * each for each in gradient], [factor * each for each in hessian]


def by_row(grades, scores, value, order, **options):
    """Gradient and Hessian by row, of the documents ranked in an order."""
    ranked = derivatives(
        [grades[i] for i in order], [scores[i] for i in order], value, **options
    )
    rows = np.empty((2, len(order)))
    rows[:, list(order)] = ranked
    return rows


def share_among_equals(grades, scores, rows):
    """Give documents of equal grade and score the mean of what they have."""
    shared = np.empty_like(rows)
    for i, (grade, score) in enumerate(zip(grades, scores, strict=True)):
        equal = [
            j for j in range(len(grades)) if grades[j] == grade and scores[j] == score
        ]
        shared[:, i] = rows[:, equal].mean(axis=1)
    return shared
