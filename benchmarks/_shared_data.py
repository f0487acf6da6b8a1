"""Repeated cross-validations in which every training query helps or hurts every tested one.

Worlds are how alike help is both ways, its variance, and the deviation by chance.
"""

import numpy as np

SHARED_DATA = {
    "chance": (0.0, 0.0, 1.0),
    "data, help one way": (0.0, 20.0, 0.0),
    "data, help alike by half": (0.5, 20.0, 0.0),
    "data, help alike": (1.0, 20.0, 0.0),
    "data, help alike by half, and chance": (0.5, 20.0, 1.0),
}


def drawn_by_data(world, folds, rng):
    """Draw differences in which every training query helps or hurts every tested one."""
    alike, of_pairs, chance = world
    n_queries = folds.shape[1]
    points = rng.normal(size=(n_queries, 8))
    both_ways, one_way = points @ points.T / 8**0.5, rng.normal(size=(n_queries, n_queries))
    help_of = np.sqrt(of_pairs) * (np.sqrt(alike) * both_ways + np.sqrt(1 - alike) * one_way)
    is_training = folds[:, :, None] != folds[:, None, :]
    of_data = (is_training * help_of).sum(axis=2) / is_training.sum(axis=2)
    return rng.normal(size=n_queries) + of_data + rng.normal(0.0, chance, folds.shape)
