"""`Blend`, a weighted sum of measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray
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
        weight_by_measure = _weight_by_measure(parts)
        empty = sum(weight * component.empty for component, weight in weight_by_measure)
        Fields.__init__(self, parts=weight_by_measure, empty=float(empty))

    @property
    def greater_is_better(self) -> bool:  # type: ignore[override]
        """Whether greater is better, on which the parts agree."""
        return self.parts[0][0].greater_is_better

    @cached_property
    def _string(self) -> str:
        items = [
            f"{component}:{repr(weight).removesuffix('.0')}"
            for component, weight in self.parts
        ]
        return f"{type(self).__name__}({{{','.join(items)}}})"

    def __repr__(self) -> str:
        items = ", ".join(
            f"{component!r}: {weight!r}" for component, weight in self.parts
        )
        return f"{type(self).__name__}({{{items}}})"

    @cached_property
    def is_open(self) -> bool:
        """Whether a part takes the top grade of the scale from the data that it scores."""
        return any(component.is_open for component, _ in self.parts)

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
        if not self.is_open:
            return self
        resolved = [
            (component.resolve(top_grade), weight) for component, weight in self.parts
        ]
        return type(self)(resolved)

    @property
    def _weighted_parts(self) -> tuple[tuple[Measure, float], ...]:
        return self.parts

    def replace(self, **fields: Any) -> Self:
        """Return the blend with other values of some fields in all of its parts.

        Parameters
        ----------
        **fields : object
            The new values by the names of the fields, which every part has.

        Returns
        -------
        Blend
            The new blend; this one stays as it is.

        Examples
        --------
        >>> from skgraded import Blend
        >>> str(Blend({"nDCG": 0.5, "AP": 0.5}).replace(k=10))
        'Blend({AP@10:0.5,nDCG@10:0.5})'
        """
        replaced = [
            (component.replace(**fields), weight) for component, weight in self.parts
        ]
        return type(self)(replaced)

    def relevant(self, judgments: Judgments) -> BoolArray:
        relevant_of_parts = [
            component.relevant(judgments) for component, _ in self.parts
        ]
        return np.any(relevant_of_parts, axis=0)

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        measures, weights = zip(*self.parts, strict=True)
        values_by_part, _ = score_queries(measures, rankings)

        judgments = rankings.judgments
        values = np.zeros(judgments.n_queries)
        for values_of_part, weight in zip(values_by_part, weights, strict=True):
            values += weight * values_of_part

        if np.isnan(self.empty):
            is_empty = np.isnan(values)
        else:
            relevant = self.relevant(judgments)
            is_empty = judgments.count_pool(relevant) == 0
        return values, int(is_empty.sum())

    def _mean_of_ideal(self, judgments: Judgments) -> float | None:
        means_of_parts = [
            component._mean_of_ideal(judgments) for component, _ in self.parts
        ]
        if None in means_of_parts:
            return None
        return super()._mean_of_ideal(judgments)


def _weight_by_measure(parts: Any) -> tuple[tuple[Measure, float], ...]:
    """Return measures and their weights, in the order of the measures' strings."""
    if isinstance(parts, Mapping):
        pairs: list[Any] = list(parts.items())
    elif isinstance(parts, Measure):
        pairs = [parts]
    else:
        pairs = list(parts)
    if any(isinstance(pair, str | Measure) for pair in pairs):
        raise ValueError(
            f"parts must map measures to weights, such as {{'nDCG@10': 0.5, 'AP': 0.5}}, got "
            f"{parts!r}."
        )

    weights: dict[Measure, float] = {}
    for spec, weight in pairs:
        blended = measure(spec)
        factor = _params.number(f"The weight of {blended}", weight, above=0)
        for component, part_weight in blended._weighted_parts:
            weights[component] = weights.get(component, 0.0) + factor * part_weight
    if not weights:
        raise ValueError("parts must hold at least one measure, got none.")

    by_direction = {component.greater_is_better: component for component in weights}
    if len(by_direction) > 1:
        raise ValueError(
            f"parts must agree on whether greater is better: it is for {by_direction[True]}, and "
            f"is not for {by_direction[False]}."
        )
    return tuple(sorted(weights.items(), key=lambda pair: str(pair[0])))
