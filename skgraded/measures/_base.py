"""What all measures share: their fields, the prefix form, ties, empty queries and the mean."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded.measures._bounds import Bounds, judge_all
from skgraded.measures._checks import (
    check_choice,
    check_cutoff,
    check_empty,
    check_flag,
    check_grade,
)
from skgraded.measures._scores import QueryScores
from skgraded.rankings import Judgments, Positions, Rankings, Ties, Unjudged

__all__ = ["LinearPart", "Measure", "PairPart", "as_rankings", "score_queries"]

FloatArray = NDArray[np.float64]

# Room for the pair moments of as many queries as are scored at a time: 8 MB, which a cache holds.
_MOMENTS_AT_A_TIME = 1_000_000


class LinearPart(NamedTuple):
    """The linear part of the prefix form: the sum over ranks n of d_n v[r_n].

    Attributes
    ----------
    discount : Positions
        d_n.
    gain : ndarray of shape (n_levels,)
        v by level, up to the factor ``scale``.
    scale : ndarray of shape (n_queries,) or float
        Factor of each query, which may depend on its pool.
    """

    discount: Positions
    gain: FloatArray
    scale: FloatArray | float


class PairPart(NamedTuple):
    """The pair part of the prefix form: the sum over n of p_n times the K[r_m, r_n] of all m <= n.

    Attributes
    ----------
    positions : Positions
        p_n.
    K : ndarray of shape (n_queries, n_levels, n_levels)
        What a document of level a adds to one of level b at the same rank or further down.
    """

    positions: Positions
    K: FloatArray


class _FieldsByName:
    def __new__(cls, *args: object, **fields: object) -> Self:
        """Refuse positions: a measure is not yet its value, and its fields have no order."""
        if args:
            raise TypeError(
                f"{cls.__name__} takes its fields by name, such as {cls.__name__}(k=10). To score, "
                f"call the measure: {cls.__name__}()(y_true, y_score)."
            )
        return super().__new__(cls)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measure(_FieldsByName):
    """A measure of ranking effectiveness: an immutable value, called like a metric function.

    A subclass says what it measures through the labels alone, by `_linear_part` and `_pair_part`
    of the prefix form; ranking, ties, cut-offs and means are the same for all. What lies outside
    the form overrides `_raw_values`.

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
        check_choice("ties", self.ties, get_args(Ties))
        check_choice("unjudged", self.unjudged, get_args(Unjudged))
        self._set(normalize=check_flag("normalize", self.normalize))
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
        self._check_bounded()
        rankings = as_rankings(y_true, y_score, qid, sample_weight)
        top = self._highest_grade(rankings.judgments) if max_grade is None else max_grade
        top = check_grade("max_grade", top)
        of_scale = self.resolve(max(top, math.ceil(rankings.judgments.top_grade)))
        judged = (judge_all(rankings, grade, top) for grade in (0, top))
        as_zero, as_top = (of_scale.per_query(each) for each in judged)
        return Bounds(*(as_zero, as_top)[:: self._changes_with_grades])

    def _check_bounded(self) -> None:
        worst = type(self).__dataclass_fields__["empty"].default
        reasons = {
            "what it divides by changes with the judgments": not self._changes_with_grades
            or self.normalize,
            "the list itself changes with the judgments": self.unjudged == "condense",
            f"empty must be {worst!r}, the worst value, got {self.empty!r}": self.empty != worst,
        }
        for reason, holds in reasons.items():
            if holds:
                raise ValueError(f"{self} has no bounds over judgments: {reason}.")

    def _highest_grade(self, judgments: Judgments) -> int:
        """Top of the scale that the measure names, else of the data."""
        gain, max_grade = getattr(self, "gain", ""), getattr(self, "max_grade", None)
        if max_grade is not None:
            return int(max_grade)
        if not isinstance(gain, str):
            return len(gain)
        return max(getattr(self, "rel", 1), math.ceil(judgments.top_grade))

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

    @property
    def has_prefix_form(self) -> bool:
        """Whether the measure is a linear and a pair part, so that models can be trained for it."""
        kind = type(self)
        parts = (kind._linear_part, kind._pair_part) != (Measure._linear_part, Measure._pair_part)
        return parts and kind._raw_values is Measure._raw_values

    def prefix_form(self, judgments: Judgments) -> tuple[LinearPart | None, PairPart | None]:
        """Read the parts of the prefix form off the labels.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        linear : LinearPart or None
            Discount d and gain v; None where the measure has no linear part.
        pairs : PairPart or None
            Position weight p and matrix K; None where the measure has no pair part.
        """
        n_pairs = judgments.n_queries * judgments.n_levels**2 if self._has_pair_part() else 0
        key, n_bytes = ("parts", self), n_pairs * np.dtype(np.float64).itemsize
        return judgments.once(key, lambda: self._parts(judgments), n_bytes)

    def query_factor(self, judgments: Judgments) -> FloatArray:
        """Compute what the prefix form of a query is multiplied by, to be its value.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        ndarray of shape (n_queries,)
            One, or one over the ideal value with ``normalize``; 0 where nothing is relevant.
        """
        relevant = judgments.count_pool(self._relevant(judgments)) > 0
        if not self.normalize:
            return relevant.astype(np.float64)
        best = self._ideal_values(judgments)
        return np.divide(1.0, best, out=np.zeros_like(best), where=relevant & (best > 0))

    def _ideal_values(self, judgments: Judgments) -> FloatArray:
        return judgments.once(("ideal", self), lambda: self._raw_values(judgments.ideal))

    def _constant(self, judgments: Judgments) -> FloatArray | float:
        """Return what a value is before any document counts."""
        return 0.0

    def _linear_part(self, judgments: Judgments) -> LinearPart | None:
        """D and v; None where the measure has no linear part."""
        return None

    def _pair_part(self, judgments: Judgments) -> PairPart | None:
        """P and K; None where the measure has no pair part."""
        return None

    def _relevant(self, judgments: Judgments) -> NDArray[np.bool_]:
        """Which levels some user counts as relevant, shape (n_levels,)."""
        raise NotImplementedError

    def _score(self, rankings: Rankings) -> tuple[FloatArray, int]:
        """Values of all queries and the number of those with nothing relevant."""
        judgments, values = rankings.judgments, self._values(rankings)
        nothing_relevant = judgments.count_pool(self._relevant(judgments)) == 0
        return np.where(nothing_relevant, self.empty, values), int(nothing_relevant.sum())

    def _has_pair_part(self) -> bool:
        return type(self)._pair_part is not Measure._pair_part

    def _values(self, rankings: Rankings) -> FloatArray:
        values = self._raw_values(rankings)
        if not self.normalize:
            return values
        best = self._ideal_values(rankings.judgments)
        return np.divide(values, best, out=np.full_like(values, self.empty), where=best > 0)

    def _raw_values(self, rankings: Rankings) -> FloatArray:
        """Values before normalization, shape (n_queries,): those of the prefix form."""
        judgments, rules = rankings.judgments, (self.k, self.ties, self.unjudged)
        linear, pairs = self.prefix_form(judgments)
        values = np.zeros(judgments.n_queries) + self._constant(judgments)
        if linear is not None:
            values += linear.scale * rankings.discounted_gain(linear.discount, linear.gain, *rules)
        if pairs is not None:
            moments = rankings.pair_moments(pairs.positions, *rules)
            values += _core.pair_part(pairs.K.ravel(), moments.ravel(), judgments.n_queries)
        return values

    def _parts(self, judgments: Judgments) -> tuple[LinearPart | None, PairPart | None]:
        pairs = self._pair_part(judgments)
        if pairs is not None:
            shape = judgments.n_queries, judgments.n_levels, judgments.n_levels
            pairs = pairs._replace(K=np.ascontiguousarray(np.broadcast_to(pairs.K, shape)))
        return self._linear_part(judgments), pairs

    def _replace(self, **fields: Any) -> Self:
        return dataclasses.replace(self, **fields)

    def _fields_that_differ(self) -> dict[str, Any]:
        """Own fields first, then the shared ones, as far as they differ from the defaults."""
        fields = dataclasses.fields(self)
        shared = {field.name for field in dataclasses.fields(Measure)}
        ordered = sorted(fields, key=lambda field: field.name in shared)
        values = {field.name: getattr(self, field.name) for field in ordered}
        defaults = {field.name: field.default for field in ordered}
        return {
            name: value
            for name, value in values.items()
            if value != defaults[name] and not (_is_nan(value) and _is_nan(defaults[name]))
        }

    def __str__(self) -> str:
        fields = self._fields_that_differ()
        k = fields.pop("k", None)
        inside = ",".join(f"{name}={_in_string(value)}" for name, value in fields.items())
        return (
            type(self).__name__ + (f"({inside})" if inside else "") + ("" if k is None else f"@{k}")
        )

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={_in_code(value)}" for name, value in self._fields_that_differ().items()
        )
        return f"{type(self).__name__}({inside})"

    def _identity(self) -> tuple[Any, ...]:
        # nan differs from itself, so it is named here.
        values = (getattr(self, field.name) for field in dataclasses.fields(self))
        return (type(self), *("nan" if _is_nan(value) else value for value in values))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


def score_queries(measures: Sequence[Measure], rankings: Rankings) -> list[tuple[FloatArray, int]]:
    """Score by several measures: values of all queries, and the number of empty ones.

    What needs pair moments is scored a slice of the queries at a time, so that memory is bounded
    and all measures share a slice's moments.
    """
    judgments = rankings.judgments
    at_a_time = max(1, _MOMENTS_AT_A_TIME // judgments.n_levels**2)
    if judgments.n_queries <= at_a_time:
        return [each._score(rankings) for each in measures]
    of_pairs = [each for each in measures if each._has_pair_part()]
    slices = map(rankings.of_queries, judgments.split_by_queries(at_a_time) if of_pairs else ())
    scored = [[each._score(part) for each in of_pairs] for part in slices]
    found = {each: _joined(parts) for each, *parts in zip(of_pairs, *scored, strict=True)}
    return [found.get(each) or each._score(rankings) for each in measures]


def _joined(parts: list[tuple[FloatArray, int]]) -> tuple[FloatArray, int]:
    values, n_empty = zip(*parts, strict=True)
    return np.concatenate(values), sum(n_empty)


def as_rankings(
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int = 1,
) -> Rankings:
    """Rank arrays, or take rankings as they are.

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
    n_threads : int, default=1
        Threads for sorting and scoring; results do not depend on it.

    Returns
    -------
    Rankings
        The ranked documents.

    Raises
    ------
    TypeError
        If scores are missing, or something is passed beside rankings.

    Examples
    --------
    >>> from skgraded.measures import as_rankings
    >>> as_rankings([1, 0], [0.5, 0.7])
    <Rankings of 2 documents in 1 queries>
    """
    if not isinstance(y_true, Rankings):
        if y_score is None:
            raise TypeError("y_score is missing: pass y_true and y_score, or one Rankings.")
        return Rankings.from_arrays(y_true, y_score, qid, sample_weight, n_threads)
    if any(given is not None for given in (y_score, qid, sample_weight)):
        raise TypeError("A Rankings holds scores, query ids and weights: pass nothing beside it.")
    return y_true


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _in_string(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ",".join(_in_string(each) for each in value) + "]"
    if isinstance(value, str):
        return value
    return _number(value)


def _in_code(value: Any) -> str:
    if isinstance(value, tuple):
        return repr(tuple(value))
    return 'float("nan")' if _is_nan(value) else repr(value)


def _number(value: float | bool | None) -> str:
    return repr(value).removesuffix(".0")
