"""Users with a name: distributions g of their thresholds that are known without data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import integer
from skgraded._support.array_types import FloatArray

Persona = Literal[
    "browser", "easygoing", "even", "demanding", "exponential", "perfectionist"
]
UserName = Literal["uniform", "linear"] | Persona


# What g is proportional to, from the grades 1..c and c.
MASSES: dict[str, Callable[[FloatArray, int], NDArray[np.generic]]] = {
    "uniform": lambda grade, top: np.ones(top),
    "linear": lambda grade, top: grade,
    "browser": lambda grade, top: grade == 1,
    "easygoing": lambda grade, top: top + 1 - grade,
    "even": lambda grade, top: np.ones(top),
    "demanding": lambda grade, top: grade,
    "exponential": lambda grade, top: 2.0 ** (grade - top),
    "perfectionist": lambda grade, top: grade == top,
}


def g_of(name: str, top_grade: int) -> FloatArray:
    """Return the probabilities of the thresholds 1..top_grade of users with a name."""
    grades = np.arange(1.0, top_grade + 1)
    mass_of_grades = MASSES[name]
    mass = mass_of_grades(grades, top_grade).astype(np.float64)
    g: FloatArray = mass / mass.sum()
    return g


_HIGHEST_TOP = 50  # no judge uses a longer scale


def personas(max_grade: int) -> dict[str, tuple[float, ...]]:
    """Name users of several kinds, and give the distribution g of their thresholds.

    Without feedback nobody knows g. The personas are assumptions: pick the one that
    is most like your users, and see whether a decision is the same for its neighbours. The shares
    of the grades among the judged documents do not say which persona is right, because they
    describe the collection: in a collection with few perfect documents, users may want just these.

    Parameters
    ----------
    max_grade : int
        Top grade c of the scale, 1 to 50.

    Returns
    -------
    dict of str to tuple of float
        Values of g by name, from the least to the most demanding users:

        - ``"browser"``, who takes every relevant document: g_1 = 1. xGAP and eGAP are AP.
        - ``"easygoing"``, g_k proportional to c + 1 - k.
        - ``"even"``, g_k = 1/c: the gain G(i) is linear in the grade; the same as ``"uniform"``.
        - ``"demanding"``, g_k proportional to k; the same as ``g="linear"``.
        - ``"exponential"``, g_k proportional to 2^k: the gain G(i) is proportional to 2^i - 1.
        - ``"perfectionist"``, whom only the top grade satisfies: g_c = 1.

    Raises
    ------
    ValueError
        If `max_grade` is not an integer from 1 to 50.

    See Also
    --------
    thresholds_from_log : Estimates g from clicks.
    thresholds_from_feedback : Estimates g from feedback on single documents.

    Notes
    -----
    Published evidence is about gains of DCG and not about g. Of 36 combinations of gain and
    discount, a linear gain and a constant discount correlated best with users' satisfaction, in a
    study of music recommendation [1]_; the gain speaks for ``"even"``. Gains can also be chosen
    such that comparisons of systems become efficient or stable [2]_, which says nothing about
    users.

    References
    ----------
    .. [1] J. Urbano, M. Marrero (2015), "How do Gain and Discount Functions Affect the Correlation
       between DCG and User Satisfaction?", ECIR.
    .. [2] E. Kanoulas, J. A. Aslam (2009), "Empirical Justification of the Gain and Discount
       Function for nDCG", CIKM.

    Examples
    --------
    >>> from skgraded import xGAP
    >>> from skgraded.users import personas
    >>> personas(4)["demanding"]
    (0.1, 0.2, 0.3, 0.4)
    >>> xGAP(g=personas(4)["perfectionist"], k=10)
    xGAP(g=(0.0, 0.0, 0.0, 1.0), k=10)
    """
    top = integer("max_grade", max_grade, 1)
    if top > _HIGHEST_TOP:
        raise ValueError(
            f"max_grade must be an integer from 1 to {_HIGHEST_TOP}, got {top}."
        )
    return {name: tuple(g_of(name, top).tolist()) for name in get_args(Persona)}
