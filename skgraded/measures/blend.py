"""`Blend`, a weighted sum of measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skgraded._support import arguments as _params
from skgraded._support.array_types import FloatArray
from skgraded._support.lazy import cached_property
from skgraded.measures._catalogue import measure
from skgraded.measures._fields import Fields
from skgraded.measures._measure import Measure
from skgraded.measures._prefix import score_queries
from skgraded.rankings import Judgments, Ranked

__all__ = ["Blend"]


class Blend(Measure):
    r"""Weighted sum of measures, which is a measure itself.

    .. math:: Blend = \sum_i w_i\, m_i

    where m_i are the measures and w_i > 0 their weights, which need not add up to 1. Cut-off, ties,
    unjudged documents, the value of empty queries and normalization are those of the parts. A query
    that a part leaves out of its mean (``empty=nan``) is left out. A part that is a blend itself
    counts as its own parts, and weights of equal parts are added.

    A model can be trained for a blend if it can be trained for all parts, and they share the rule
    for ties.

    Parameters
    ----------
    parts : mapping of Measure or str to float
        The weight of each measure. The attribute of this name is a tuple of pairs, in the order of
        the measures' strings.
    **shared : object
        Refused: fields such as ``k`` and ``ties`` are those of the parts.

    Raises
    ------
    ValueError
        If there are no parts, one has no weight, a weight is not a finite number above 0, or more
        is better for one part and worse for another one.

    See Also
    --------
    Measure : What all measures have.
    evaluate : Several measures side by side.

    Examples
    --------
    >>> from skgraded import Blend, eGAP, measure, nDCG
    >>> half = Blend({eGAP(g=(0.1, 0.9)): 0.5, nDCG(k=10): 0.5})
    >>> half([2, 0, 1], [3, 2, 1])
    0.9667838750615845
    >>> str(half)
    'Blend({eGAP(g=[0.1,0.9]):0.5,nDCG@10:0.5})'
    >>> measure("Blend({nDCG@10: 0.5, eGAP(g=[0.1, 0.9]): 0.5})") == half
    True
    """

    parts: tuple[tuple[Measure, float], ...]

    def __init__(
        self,
        parts: Mapping[Any, float] | Iterable[tuple[Measure | str, float]] = (),
        **shared: object,
    ) -> None:
        for name, value in shared.items():
            raise ValueError(
                f"{name} must be a field of the parts of a Blend, got {value!r}."
            )
        Fields.__init__(self, parts=_checked(parts))
        (greater_is_better,) = {each.greater_is_better for each, _ in self.parts}
        empty = sum(weight * each.empty for each, weight in self.parts)
        vars(self).update(greater_is_better=greater_is_better, empty=float(empty))

    @cached_property
    def _string(self) -> str:
        inside = (
            f"{each}:{repr(weight).removesuffix('.0')}" for each, weight in self.parts
        )
        return f"{type(self).__name__}({{{','.join(inside)}}})"

    def __repr__(self) -> str:
        inside = ", ".join(f"{each!r}: {weight!r}" for each, weight in self.parts)
        return f"{type(self).__name__}({{{inside}}})"

    @cached_property
    def is_open(self) -> bool:
        """Whether a part takes the top grade of the scale from the data that it scores."""
        return any(each.is_open for each, _ in self.parts)

    def resolve(self, top_grade: int) -> Self:
        """Set the top grade of the scale in the parts that need it and do not state it.

        Parameters
        ----------
        top_grade : int
            Top grade c of the scale.

        Returns
        -------
        Blend
            The blend of the parts with their top grade set.
        """
        resolved = [(each.resolve(top_grade), weight) for each, weight in self.parts]
        return type(self)(resolved) if self.is_open else self

    @property
    def _weighted_parts(self) -> tuple[tuple[Measure, float], ...]:
        return self.parts

    def _replace(self, **fields: Any) -> Self:
        """Replace fields in all parts."""
        return type(self)(
            [(each._replace(**fields), weight) for each, weight in self.parts]
        )

    def relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        return np.any([each.relevant(judgments) for each, _ in self.parts], axis=0)

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        values = np.zeros(rankings.judgments.n_queries)
        measures, weights = zip(*self.parts, strict=True)
        of_parts, _ = score_queries(measures, rankings)
        for of_part, weight in zip(of_parts, weights, strict=True):
            values += weight * of_part
        if np.isnan(self.empty):
            return values, int(np.isnan(values).sum())
        judgments = rankings.judgments
        n_relevant = judgments.count_pool(self.relevant(judgments))
        return values, int((n_relevant == 0).sum())

    def _mean_of_ideal(self, judgments: Judgments) -> float | None:
        means = [each._mean_of_ideal(judgments) for each, _ in self.parts]
        return None if None in means else super()._mean_of_ideal(judgments)


def _checked(parts: Any) -> tuple[tuple[Measure, float], ...]:
    given = [parts] if isinstance(parts, Measure) else parts
    pairs: list[Any] = list(given.items() if isinstance(given, Mapping) else given)
    if any(isinstance(each, str | Measure) for each in pairs):
        raise ValueError(
            f"parts must map measures to weights, such as {{'nDCG@10': 0.5, 'AP': 0.5}}, got "
            f"{parts!r}."
        )
    weights: dict[Measure, float] = {}
    for spec, weight in pairs:
        each = measure(spec)
        factor = _params.number(f"The weight of {each}", weight, above=0)
        for part, share in each.parts if isinstance(each, Blend) else ((each, 1.0),):
            weights[part] = weights.get(part, 0.0) + factor * share
    if not weights:
        raise ValueError("parts must hold at least one measure, got none.")
    better = {each.greater_is_better: each for each in weights}
    if len(better) > 1:
        raise ValueError(
            f"parts must agree on whether greater is better: it is for {better[True]}, and is not "
            f"for {better[False]}."
        )
    return tuple(sorted(weights.items(), key=lambda each: str(each[0])))
