"""Named users, whose g is known without data."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from skgraded._named_users import g_of
from skgraded._params import choice, integer, integer_or_none
from skgraded._writers import Result, Table
from skgraded.users._distribution import measure_with

_HIGHEST_TOP = 50  # no judge uses a longer scale
_DESCRIPTIONS = {
    "browser": "takes every document that is relevant at all.",
    "easygoing": "often takes a relevant document, seldom insists on the best.",
    "even": "has any threshold with the same probability.",
    "demanding": "often wants the best documents, seldom takes any relevant one.",
    "exponential": "values grades as the gain 2^grade - 1 of nDCG does.",
    "perfectionist": "is satisfied by documents of the top grade alone.",
}


@dataclasses.dataclass(frozen=True)
class Persona:
    """A population of users with a name, a distribution g of their thresholds and a depth.

    Attributes
    ----------
    name : str
        The name.
    description : str
        Who these users are, in a sentence.
    g : tuple of float
        Probabilities of the thresholds 1..max_grade, which sum to 1.
    k : int or None
        How many documents they look at; None is the whole list.
    """

    name: str
    description: str
    g: tuple[float, ...]
    k: int | None = None

    def measure(self, kind: type, *, digits: int | None = None, **fields: Any) -> Any:
        """Make a measure with this g and depth.

        Parameters
        ----------
        kind : type
            The class `GAP`, `xGAP` or `eGAP`.
        digits : int, optional
            Decimals to which g is rounded, such that it sums to 1. None does not round.
        **fields : objects
            Other fields of the measure, such as ``ties="pessimistic"``; ``k`` takes the place of
            the depth.

        Returns
        -------
        Measure
            The measure.

        Raises
        ------
        ValueError
            If `kind` is another class, or a field is invalid.
        """
        return measure_with(self.g, kind, digits, {"k": self.k, **fields})


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Personas(Result):
    """Named users of one scale of grades, from the least to the most demanding.

    `to_frame` has one row per persona, with the columns name, g_1, g_2, ..., k and description.

    Attributes
    ----------
    members : tuple of Persona
        The personas.
    """

    members: tuple[Persona, ...]

    def __getitem__(self, name: str) -> Persona:
        known = {persona.name: persona for persona in self.members}
        return known[choice("name", name, known)]

    def __iter__(self) -> Iterator[Persona]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"name": [each.name for each in self.members]}
        for at, shares in enumerate(zip(*(each.g for each in self.members), strict=True)):
            columns[f"g_{at + 1}"] = shares
        columns["k"] = [each.k for each in self.members]
        columns["description"] = [each.description for each in self.members]
        return columns

    def _table(self) -> Table:
        names = [each.name for each in self.members]
        shares = zip(*(each.g for each in self.members), strict=True)
        columns = [
            (f"g_{at}", [f"{share:.3f}" for share in by_persona])
            for at, by_persona in enumerate(shares, start=1)
        ]
        depths = [each.k for each in self.members]
        if any(depths):
            columns.append(("k", ["all" if k is None else str(k) for k in depths]))
        told = [f"{each.name}: {each.description}" for each in self.members]
        return Table(["", *names], columns, told)


def personas(max_grade: int, k: int | Mapping[str, int] | None = None) -> Personas:
    r"""Name users of several kinds, and give the distribution g of their thresholds.

    Without feedback nobody knows g. The personas are assumptions: pick the one that
    is most like your users, and see whether a decision is the same for its neighbours. The shares
    of the grades among the judged documents do not say which persona is right, because they
    describe the collection: in a collection with few perfect documents, users may want just these.

    Where lists are long, g alone describes nobody: users who take any relevant document hardly look
    at a thousand. Give a depth with it. Without one, measures take the names as they are:
    ``xGAP(g="demanding")``.

    Parameters
    ----------
    max_grade : int
        Top grade c of the scale, 1 to 50.
    k : int or mapping of str to int, optional
        How many documents they look at: one number for all, or a number by name. Names that are
        left out, and all personas by default, see the whole list.

    Returns
    -------
    Personas
        The personas, from the least to the most demanding:

        - ``"browser"``, who takes every relevant document: g_1 = 1. xGAP and eGAP are AP.
        - ``"easygoing"``, g_k proportional to c + 1 - k.
        - ``"even"``, g_k = 1/c: the gain G(i) is linear in the grade; the same as ``"uniform"``.
        - ``"demanding"``, g_k proportional to k; the same as ``g="linear"``.
        - ``"exponential"``, g_k proportional to 2^k: the gain G(i) is proportional to 2^i - 1.
        - ``"perfectionist"``, whom only the top grade satisfies: g_c = 1.

    Raises
    ------
    ValueError
        If `max_grade` is not an integer from 1 to 50, `k` is not an integer above 0, or it names
        no persona.

    See Also
    --------
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
    >>> personas(4)["demanding"].g
    (0.1, 0.2, 0.3, 0.4)
    >>> personas(4, k=10)["perfectionist"].measure(xGAP)
    xGAP(g=(0.0, 0.0, 0.0, 1.0), k=10)
    """
    top = integer("max_grade", max_grade, 1)
    if top > _HIGHEST_TOP:
        raise ValueError(f"max_grade must be an integer from 1 to {_HIGHEST_TOP}, got {top}.")
    depths = dict(k) if isinstance(k, Mapping) else dict.fromkeys(_DESCRIPTIONS, k)
    for name, depth in depths.items():
        choice("k", name, _DESCRIPTIONS)
        integer_or_none("k", depth, 1, "the whole list")
    return Personas(
        tuple(
            Persona(name, description, tuple(g_of(name, top).tolist()), depths.get(name))
            for name, description in _DESCRIPTIONS.items()
        )
    )
