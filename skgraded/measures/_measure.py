"""A measure as a value: its fields, its identity, its name, and the call that scores."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _params
from skgraded.measures._bounds import Bounds, bounds_of
from skgraded.measures._fields import check_cutoff, check_empty, is_nan
from skgraded.measures._query_scores import QueryScores
from skgraded.measures._strings import as_code, as_string
from skgraded.rankings import Judgments, Rankings, Ties, Unjudged, as_rankings

__all__ = ["Measure", "score_queries"]

FloatArray = NDArray[np.float64]

# Doubles that scoring may take at a time beside the rankings: 8 MB, which a cache holds.
_DOUBLES_AT_A_TIME = 1_000_000


class _FieldsByName:
    def __new__(cls, *args: object, **fields: object) -> Self:
        """Refuse positional arguments: fields are keyword-only; call the instance to score."""
        if args:
            raise TypeError(
                f"{cls.__name__} takes its fields by name, such as {cls.__name__}(k=10). To score, "
                f"call the measure: {cls.__name__}()(y_true, y_score)."
            )
        return super().__new__(cls)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measure(_FieldsByName):
    """A measure of ranking effectiveness: an immutable value, called like a metric function.

    Nearly all measures are a `PrefixMeasure`, which says what it measures through the labels alone.
    A measure outside that form defines `_raw_values` and `_relevant`.

    Parameters
    ----------
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the whole list.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Value of tied documents: the exact mean over all their orders, the order of the rows
        (as in LightGBM and XGBoost), worst grade first (as in CatBoost), or best grade first.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are dropped from the list.
    empty : float, default=0.0
        Value of a query with nothing relevant; nan leaves it out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off.

    Examples
    --------
    >>> from skgraded import AP, measure
    >>> AP(k=10).per_query([1, 0, 0, 1], [2, 1, 2, 1], qid=["a", "a", "b", "b"]).values
    array([1. , 0.5])
    >>> measure("AP@10") == AP(k=10)
    True
    """

    k: int | None = None
    ties: Ties = "expected"
    unjudged: Unjudged = "nonrelevant"
    empty: float = 0.0
    normalize: bool = False

    greater_is_better: ClassVar[bool] = True

    # Shared fields that a measure has no use for beyond their default, and why.
    _refuses: ClassVar[Mapping[str, str]] = {}

    # Whether the mean over all orders of tied documents has a closed form.
    _averages_over_ties: ClassVar[bool] = True

    # Whether a higher grade of any document can only raise the value (1) or only lower it (-1).
    _changes_with_grades: ClassVar[int] = 0

    def __post_init__(self) -> None:
        self._set(k=check_cutoff(self.k), empty=check_empty(self.empty))
        _params.choice("ties", self.ties, get_args(Ties))
        _params.choice("unjudged", self.unjudged, get_args(Unjudged))
        self._set(normalize=_params.flag("normalize", self.normalize))
        self._check_refused()

    def _check_refused(self) -> None:
        name = type(self).__name__
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name in self._refuses and value != field.default:
                raise ValueError(
                    f"{field.name} must be {field.default!r} for {name}, "
                    f"{self._refuses[field.name]}; got {value!r}."
                )
        if self.ties == "expected" and not self._averages_over_ties:
            raise ValueError(
                f"ties must be 'row_order', 'pessimistic' or 'optimistic' for {name}, got "
                "'expected': its mean over the orders of tied documents has no closed form. To "
                "come close, average over a few random orders of the rows under 'row_order'."
            )

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        for name in _CACHED:
            self.__dict__.pop(name, None)

    def __call__(
        self,
        y_true: ArrayLike | Rankings,
        y_score: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Mean of the measure over queries.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or Rankings
            Grades, 0 = judged not relevant, NaN = unjudged; or rankings, which need nothing else.
        y_score : array-like of shape (n_documents,)
            Scores; the highest comes first.
        qid : array-like of shape (n_documents,), optional
            Query id of each row. Without it all rows are one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        float
            The mean.
        """
        return self.per_query(y_true, y_score, qid=qid, sample_weight=sample_weight).mean()

    def per_query(
        self,
        y_true: ArrayLike | Rankings,
        y_score: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> QueryScores:
        """Value of the measure for every query.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or Rankings
            Grades, 0 = judged not relevant, NaN = unjudged; or rankings, which need nothing else.
        y_score : array-like of shape (n_documents,)
            Scores; the highest comes first.
        qid : array-like of shape (n_documents,), optional
            Query id of each row. Without it all rows are one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        QueryScores
            Ids, values and weights of the queries.
        """
        rankings = as_rankings(y_true, y_score, qid, sample_weight)
        ((values, n_empty),) = score_queries([self], rankings)
        judgments = rankings.judgments
        return QueryScores(self, judgments.qid, values, judgments.weights, n_empty)

    def bounds(
        self,
        y_true: ArrayLike | Rankings,
        y_score: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        max_grade: int | None = None,
    ) -> Bounds:
        """Smallest and largest value that any judgment of the unjudged documents could give.

        A measure has bounds where a higher grade of a document can only raise its value, or only
        lower it, whatever the grades of the others: precision, gain, cascades. What divides by the
        pool, such as recall, AP or nDCG, has none: a relevant document that is found late also
        raises the divisor, and the value may fall.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,) or Rankings
            Grades, 0 = judged not relevant, NaN = unjudged; or rankings, which need nothing else.
        y_score : array-like of shape (n_documents,)
            Scores; the highest comes first.
        qid : array-like of shape (n_documents,), optional
            Query id of each row. Without it all rows are one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.
        max_grade : int, optional
            Highest grade that an unjudged document can get. By default the top of the scale that
            the measure names, else the highest grade in y_true.

        Returns
        -------
        Bounds
            The smallest and the largest values, query by query.

        Raises
        ------
        ValueError
            If the measure has no bounds under its fields; the message says why.
        """
        return bounds_of(self, as_rankings(y_true, y_score, qid, sample_weight), max_grade)

    def resolve(self, top_grade: int) -> Measure:
        """Fix what the measure leaves open by the scale's top grade.

        Parameters
        ----------
        top_grade : int
            The scale's top grade c.

        Returns
        -------
        Measure
            The measure with nothing open; itself where nothing was.
        """
        return self

    @property
    def is_open(self) -> bool:
        """Whether the measure reads the scale's top grade off the data that it is given."""
        return False

    def _ideal_values(self, judgments: Judgments) -> FloatArray:
        return judgments.once(("ideal", self), lambda: self._raw_values(judgments.ideal))

    def _doubles_per_query(self, judgments: Judgments) -> int:
        """Count the numbers that scoring a query takes beside the rankings, where they are many."""
        return 0

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        """Which levels some user counts as relevant, shape (n_levels,)."""
        raise NotImplementedError

    def _score(self, rankings: Rankings) -> tuple[FloatArray, int]:
        """Values of all queries and the number of those with nothing relevant."""
        judgments, values = rankings.judgments, self._values(rankings)
        nothing_relevant = judgments.count_pool(self._relevant(judgments)) == 0
        return np.where(nothing_relevant, self.empty, values), int(nothing_relevant.sum())

    def _values(self, rankings: Rankings) -> FloatArray:
        values = self._raw_values(rankings)
        if not self.normalize:
            return values
        best = self._ideal_values(rankings.judgments)
        return np.divide(values, best, out=np.full_like(values, self.empty), where=best > 0)

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        """Values before normalization, shape (n_queries,)."""
        raise NotImplementedError

    def _replace(self, **fields: Any) -> Self:
        return dataclasses.replace(self, **fields)

    def __str__(self) -> str:
        return self._string

    @cached_property
    def _string(self) -> str:
        return as_string(type(self).__name__, self._fields_that_differ())

    def __repr__(self) -> str:
        return as_code(type(self).__name__, self._fields_that_differ())

    def _fields_that_differ(self) -> dict[str, Any]:
        """Own fields first, then the shared ones, as far as they differ from the defaults."""
        shared = {field.name for field in dataclasses.fields(Measure)}
        ordered = sorted(dataclasses.fields(self), key=lambda field: field.name in shared)
        values = {field.name: getattr(self, field.name) for field in ordered}
        return {
            field.name: values[field.name]
            for field in ordered
            if values[field.name] != field.default
            and not (is_nan(values[field.name]) and is_nan(field.default))
        }

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        # nan differs from itself, so it is named here.
        values = (getattr(self, field.name) for field in dataclasses.fields(self))
        return (type(self), *("nan" if is_nan(value) else value for value in values))

    @cached_property
    def _hash(self) -> int:
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return self is other or self._identity == other._identity

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        # Hashes of strings differ from process to process.
        return {name: value for name, value in vars(self).items() if name not in _CACHED}


# What a measure computes of itself once, for memos and names that every call asks for.
_CACHED = ("_string", "_identity", "_hash")


def score_queries(measures: Sequence[Measure], rankings: Rankings) -> list[tuple[FloatArray, int]]:
    """Score by several measures: values of all queries, and the number of empty ones.

    Measures that take much room for a query are scored a slice of the queries at a time, so that
    memory is bounded and all measures share what they need of a slice.
    """
    judgments = rankings.judgments
    at_a_time = max(1, _DOUBLES_AT_A_TIME // judgments.n_levels**2)
    if judgments.n_queries <= at_a_time:
        return [each._score(rankings) for each in measures]
    large = [each for each in measures if each._doubles_per_query(judgments)]
    slices = map(rankings.of_queries, judgments.split_by_queries(at_a_time) if large else ())
    scored = [[each._score(part) for each in large] for part in slices]
    found = {each: _joined(parts) for each, *parts in zip(large, *scored, strict=True)}
    return [found.get(each) or each._score(rankings) for each in measures]


def _joined(parts: list[tuple[FloatArray, int]]) -> tuple[FloatArray, int]:
    values, n_empty = zip(*parts, strict=True)
    return np.concatenate(values), sum(n_empty)
