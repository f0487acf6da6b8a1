"""Average precision for users whose threshold of relevance differs: GAP, xGAP and eGAP.

A user draws a threshold K in 1..c with P(K = k) = g_k and holds a document relevant from that
grade on. In what follows G(i) = g_1 + ... + g_i, RB(k) is the number of judged documents of
grade k or above, tau the highest grade judged for the query, and Delta_{m,n} = G(min(r_m, r_n)).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded.measures._base import Measure, PairPart
from skgraded.measures._checks import check_choice, check_grade, numbers_of
from skgraded.measures._positions import Reciprocal, reciprocal
from skgraded.rankings import Judgments

__all__ = ["GAP", "eGAP", "xGAP"]

FloatArray = NDArray[np.float64]

_NAMED = ("uniform", "linear")
_ROUNDING = 1e-9
_LONGEST_SCALE = 10_000
_FEW_DIGITS = 1e-6  # of thirds in single precision, or written out


def check_thresholds(g: Any) -> str | tuple[float, ...]:
    """Return a threshold distribution by name, or as a tuple of probabilities that sum to 1."""
    if isinstance(g, str):
        check_choice("g", g, _NAMED)
        return g
    probabilities = numbers_of("g", g)
    if min(probabilities) < 0:
        raise ValueError(f"g must hold probabilities >= 0, got {min(probabilities)!r} in {g!r}.")
    total = float(np.sum(probabilities))
    if abs(total - 1.0) > _FEW_DIGITS:
        raise ValueError(
            f"g must sum to 1, got {g!r}, which sums to {total!r}. Divide each entry by that sum."
        )
    if abs(total - 1.0) > _ROUNDING:
        return tuple(each / total for each in probabilities)
    return probabilities


def named_thresholds(name: str, top_grade: int) -> FloatArray:
    """Return the threshold distribution of a name on the grades 1..top_grade."""
    mass = np.arange(1.0, top_grade + 1) if name == "linear" else np.ones(top_grade)
    probabilities: FloatArray = mass / mass.sum()
    return probabilities


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _ThresholdMeasure(Measure):
    """A measure with a distribution g of the users' thresholds over the grades 1..c."""

    g: str | Sequence[float] = "uniform"
    max_grade: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(g=check_thresholds(self.g))
        if self.max_grade is None:
            return
        self._set(max_grade=check_grade("max_grade", self.max_grade))
        if not isinstance(self.g, str) and len(self.g) != self.max_grade:
            raise ValueError(
                f"max_grade must equal the number of entries of g ({len(self.g)}) where g is given "
                f"entry by entry, got {self.max_grade}."
            )

    @property
    def is_open(self) -> bool:
        """Whether the scale's top grade is read off the data."""
        return isinstance(self.g, str) and self.max_grade is None

    def resolve(self, top_grade: int) -> Self:
        """Fix the scale's top grade where g is named and ``max_grade`` is not given.

        Parameters
        ----------
        top_grade : int
            The scale's top grade c.

        Returns
        -------
        Measure
            The measure with ``max_grade`` fixed; itself where nothing was open.
        """
        return self._replace(max_grade=max(1, int(top_grade))) if self.is_open else self

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return self._G(judgments) > 0

    def _G(self, judgments: Judgments) -> FloatArray:
        """P(threshold <= grade) by level."""
        judgments.require_integer_grades(self)
        grades = judgments.grades.astype(np.int64)
        g = self._probabilities(int(grades[-1]))
        if grades[-1] > len(g):
            limit = "g ends there" if self.max_grade is None else "max_grade says so"
            raise ValueError(
                f"y_true must hold grades 0..{len(g)} for {self} ({limit}), got {grades[-1]}."
            )
        return np.concatenate(([0.0], np.cumsum(g)))[grades]

    def _probabilities(self, top_grade: int) -> FloatArray:
        if not isinstance(self.g, str):
            return np.array(self.g)
        top = self.max_grade or max(1, top_grade)
        if top > _LONGEST_SCALE:
            raise ValueError(
                f"y_true must hold grades of a scale up to {_LONGEST_SCALE} for {self}, which has "
                f"users for each of them, got {top}."
            )
        return named_thresholds(self.g, top)

    def _lower_grade(self, by_level: FloatArray) -> FloatArray:
        """F(min(a, b)) for every pair of levels, from F by level on the last axis."""
        level = np.arange(by_level.shape[-1])
        return by_level[..., np.minimum(level[:, None], level[None, :])]

    def _expected_share(self, judgments: Judgments) -> FloatArray:
        """e(i), the sum of g_k / RB(k) over k <= i with RB(k) > 0, by query and level."""
        grades = judgments.grades.astype(np.int64)
        # Grade by grade, not level by level: bits must not depend on which grades occur.
        level_of = np.searchsorted(grades, np.arange(1, grades[-1] + 1))
        g = self._probabilities(int(grades[-1]))[: grades[-1]]
        by_level = reciprocal(judgments.at_least)
        shares, total = np.zeros_like(by_level), np.zeros(judgments.n_queries)
        for grade, level in enumerate(level_of.tolist(), start=1):
            total = total + g[grade - 1] * by_level[:, level]
            if grades[level] == grade:
                shares[:, level] = total
        return shares


class GAP(_ThresholdMeasure):
    r"""Graded average precision.

    .. math::

        GAP = \frac{\sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} G(\min(r_m, r_n))}
                   {\sum_{k=1}^{c} R(k)\, G(k)}

    where r_n is the grade at rank n of a list of N documents, G(i) = g_1 + ... + g_i the
    probability that the user's threshold is at most i (G(0) = 0), R(k) the number of judged
    documents of grade k, and c the scale's top grade. An ideal ranking scores 1. Where n documents
    of a low grade stand before the only one of a high grade, GAP tends to 1 with n whatever g is;
    `xGAP` and `eGAP` do not.

    Parameters
    ----------
    g : tuple of float, {"uniform", "linear"}, default="uniform"
        Probability of each threshold 1..c; must sum to 1. ``"linear"`` is g_j proportional to j.
    max_grade : int, optional
        The scale's top grade c, where g is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query is empty where no document reaches a threshold that some
        user has; the paper's value for it is 0.

    See Also
    --------
    xGAP : The user's threshold is drawn before the document.
    eGAP : The expectation of average precision over the thresholds.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 4.
    .. [2] S. E. Robertson, E. Kanoulas, E. Yilmaz (2010), "Extending Average Precision to Graded
       Relevance Judgments", SIGIR.

    Examples
    --------
    >>> from skgraded import GAP
    >>> round(GAP(g=(.5, .5))([1, 2, 0], [.9, .8, .7]), 4)  # (1/2 + 1/2 * 3/2) / (1/2 + 1)
    0.8333
    """

    def _pair_part(self, judgments: Judgments) -> PairPart:
        G = self._G(judgments)
        expected_recall_base = judgments.sum_over_pool(G)
        K = self._lower_grade(G) * reciprocal(expected_recall_base)[:, None, None]
        return PairPart(Reciprocal(), K)


class xGAP(_ThresholdMeasure):
    r"""Extended graded average precision.

    .. math::

        xGAP = \sum_{n=1}^{N} \frac{1}{n}\, \frac{e(r_n)}{G(r_n)} \sum_{m=1}^{n} G(\min(r_m, r_n)),
        \qquad e(i) = \sum_{k \le i,\, RB(k) > 0} \frac{g_k}{RB(k)}

    where r_n is the grade at rank n of a list of N documents, G(i) = g_1 + ... + g_i the
    probability that the user's threshold is at most i, and RB(k) the number of judged documents of
    grade k or above; terms with G(r_n) = 0 are 0. An ideal ranking scores the probability that the
    query has a document at the user's threshold; ``normalize=True`` makes that 1.

    Parameters
    ----------
    g : tuple of float, {"uniform", "linear"}, default="uniform"
        Probability of each threshold 1..c; must sum to 1. ``"linear"`` is g_j proportional to j.
    max_grade : int, optional
        The scale's top grade c, where g is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query is empty where no document reaches a threshold that some
        user has; the paper's value for it is 0.

    See Also
    --------
    eGAP : The expectation of average precision over the thresholds.
    GAP : The original, biased where few documents reach the top grade.

    Notes
    -----
    No ranking beats the ideal one, but xGAP is not monotone: below other documents, a swap that
    moves the better one up can lower it a little. With g = (1/2, 1/2), the grades 0, 0, 0, 0, 1, 2
    score 19/80 and 0, 0, 0, 0, 2, 1 only 7/30. So ``ties="pessimistic"``, the worst grade first, is
    not always its smallest value. `GAP` and `eGAP` are monotone.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 5.

    Examples
    --------
    >>> from skgraded import xGAP
    >>> round(xGAP(g=(.1, .9))([1, 2, 0], [.9, .8, .7]), 4)
    0.5725
    """

    def _pair_part(self, judgments: Judgments) -> PairPart:
        G = self._G(judgments)
        selected = self._expected_share(judgments) * reciprocal(G)
        return PairPart(Reciprocal(), self._lower_grade(G) * selected[:, None, :])


class eGAP(_ThresholdMeasure):
    r"""Expected graded average precision.

    .. math::

        eGAP = E[AP(K)] = \sum_{n=1}^{N} \frac{1}{n} \sum_{m=1}^{n} e(\min(r_m, r_n)),
        \qquad e(i) = \sum_{k \le i,\, RB(k) > 0} \frac{g_k}{RB(k)}

    where r_n is the grade at rank n of a list of N documents, g_k the probability that the user's
    threshold K is k, AP(k) the average precision with relevance from grade k on, and RB(k) the
    number of judged documents of grade k or above. An ideal ranking scores the probability that the
    query has a document at the user's threshold; ``normalize=True`` makes that 1.

    Parameters
    ----------
    g : tuple of float, {"uniform", "linear"}, default="uniform"
        Probability of each threshold 1..c; must sum to 1. ``"linear"`` is g_j proportional to j.
    max_grade : int, optional
        The scale's top grade c, where g is given by name; None reads it off the data.
    k, ties, unjudged, empty, normalize
        As for every `Measure`. A query is empty where no document reaches a threshold that some
        user has; the paper's value for it is 0.

    See Also
    --------
    xGAP : The user's threshold is drawn before the document.
    AP : One threshold for all users.

    References
    ----------
    .. [1] M. Ferrante, N. Ferro, M. Maistro (2014), "Rethinking How to Extend Average Precision
       to Graded Relevance", CLEF, Eq. 6.

    Examples
    --------
    >>> from skgraded import eGAP
    >>> eGAP(g=(.1, .9))([1, 2, 0], [.9, .8, .7])  # .1 * AP(1) + .9 * AP(2) = .1 + .9 / 2
    0.55
    """

    def _pair_part(self, judgments: Judgments) -> PairPart:
        return PairPart(Reciprocal(), self._lower_grade(self._expected_share(judgments)))
