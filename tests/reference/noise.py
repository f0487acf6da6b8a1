"""Slow, literal oracle of noise on scores: plain integers and `math`, one document at a time.

Source of the generator: Steele, Lea and Flood (2014), "Fast splittable pseudorandom number
generators" (SplitMix64).
"""

import math
import statistics
import struct

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
WORDS = 2**64


def mix(bits):
    bits = (bits + GOLDEN) % WORDS
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % WORDS
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % WORDS
    return bits ^ (bits >> 31)


def bits_of(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def key_of(grades, scores, seed):
    """Key of a query: its scores, in 17 binary digits, and its grades, in the order of the rows."""
    total = mix(seed)
    for row, (grade, score) in enumerate(zip(grades, scores, strict=True)):
        leading = (bits_of(score + 0.0) + 2**35) >> 36
        total += mix((row << 28 | leading) ^ mix(bits_of(float(grade))))
    return mix(total % WORDS)


def gumbel(u):
    return -math.log(-math.log(u))


def logistic(u):
    return math.log(u / (1.0 - u))


def standard(kind, key, n, draw):
    """Noise of n documents in one draw, in the standard form of the distribution."""
    inverse = {"gumbel": gumbel, "logistic": logistic}[kind]
    bits = (mix((key + (draw * n + i) * GOLDEN) % WORDS) for i in range(n))
    return [inverse(((each >> 12) + 0.5) / 2**52) for each in bits]


def mean_by_row(grades, scores, derivatives, *, kind, scale, n_draws, seed):
    """Mean of derivatives(scores, order) over the draws, for the rows of one query."""
    n, key = len(grades), key_of(grades, scores, seed)
    rows = []
    for draw in range(n_draws):
        noise = standard(kind, key, n, draw)
        unit = scale * statistics.pstdev(scores)
        noisy = [score + unit * each for score, each in zip(scores, noise, strict=True)]
        if len(set(scores)) == 1:  # noise alone orders the documents
            rows.append(derivatives(scores, np.argsort(noise)[::-1]))
        else:
            rows.append(derivatives(noisy, np.argsort(noisy)[::-1]))
    return np.mean(rows, axis=0)
