"""Agreement of assessors on the grades of documents, by Cohen's kappa."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.arguments import choice
from skgraded._support.array_types import FloatArray

Weighting = Literal["nominal", "linear", "quadratic"]
_FEWEST = 2
_N_AXES = 2


def agreement_of_assessors(
    assessments: ArrayLike, *, weights: Weighting = "nominal"
) -> FloatArray:
    """Return how far each two assessors agree beyond chance, by scikit-learn's Cohen's kappa.

    Parameters
    ----------
    assessments : array-like of shape (n_documents, n_assessors)
        Grades by each assessor; NaN = the assessor did not judge the document.
    weights : {"nominal", "linear", "quadratic"}, default="nominal"
        What a difference of grades weighs: any of them the same, as large as it is, or its square.

    Returns
    -------
    ndarray of shape (n_assessors, n_assessors)
        Kappa of each pair over the documents that both judged: 1 if they agree, 0 as by chance. It
        is nan where they have no document in common, or gave all of them one and the same grade.

    Raises
    ------
    ValueError
        If there are fewer than two assessors.
    ImportError
        If scikit-learn is not installed.

    See Also
    --------
    compare_assessors : What their differences do to a measure.

    Examples
    --------
    >>> from skgraded.studies import agreement_of_assessors
    >>> agreement_of_assessors([[1, 1], [0, 1], [1, 1], [0, 0]])  # (3/4 - 1/2) / (1 - 1/2)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    from sklearn.metrics import cohen_kappa_score

    choice("weights", weights, get_args(Weighting))
    grades = np.asarray(assessments, dtype=np.float64)
    if grades.ndim != _N_AXES or grades.shape[1] < _FEWEST:
        raise ValueError(
            "assessments must have shape (n_documents, n_assessors) with at least 2 assessors, got "
            f"{grades.shape}."
        )

    # The scale of all assessors, so that the weight of a difference is that of the grades.
    scale = np.unique(grades[~np.isnan(grades)])
    n_assessors = grades.shape[1]
    kappas = np.full((n_assessors, n_assessors), np.nan)
    np.fill_diagonal(kappas, 1.0)
    for first, second in combinations(range(n_assessors), 2):
        both = grades[:, [first, second]]
        both = both[~np.isnan(both).any(axis=1)]
        if len(np.unique(both)) < _FEWEST:
            continue
        levels = np.searchsorted(scale, both)
        kappa = cohen_kappa_score(
            levels[:, 0],
            levels[:, 1],
            labels=np.arange(len(scale)),
            weights=None if weights == "nominal" else weights,
        )
        kappas[first, second] = kappa
        kappas[second, first] = kappa
    return kappas
