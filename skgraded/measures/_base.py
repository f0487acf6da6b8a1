"""What all measures share: their fields, the prefix form, ties, empty queries and the mean."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded.measures._checks import check_choice, check_cutoff, check_empty
from skgraded.measures._scores import QueryScores
from skgraded.rankings import Judgments, Positions, Rankings, Ties, Unjudged

__all__ = ["LinearPart", "Measure", "PairPart", "as_rankings"]

FloatArray = NDArray[np.float64]

# Room for the pair moments of as many queries as are scored at a time: 64 MB.
_MOMENTS_AT_A_TIME = 8_000_000


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


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Measure:
    """A measure of ranking effectiveness: an immutable value, called like a metric function.

    A subclass says what it measures through the labels alone, by `_linear_part` and `_pair_part`
    of the prefix form; ranking, ties, cut-offs and means are the same for all.

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
    """

    k: int | None = None
    ties: Ties = "expected"
    unjudged: Unjudged = "nonrelevant"
    empty: float = 0.0
    normalize: bool = False

    greater_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._set(k=check_cutoff(self.k), empty=check_empty(self.empty))
        check_choice("ties", self.ties, get_args(Ties))
        check_choice("unjudged", self.unjudged, get_args(Unjudged))
        if not isinstance(self.normalize, bool | np.bool_):
            raise ValueError(f"normalize must be True or False, got {self.normalize!r}.")
        self._set(normalize=bool(self.normalize))

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
        values, n_empty = self._score(rankings)
        judgments = rankings.judgments
        return QueryScores(self, judgments.qid, values, judgments.weights, n_empty)

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
        judgments = rankings.judgments
        at_a_time = max(1, _MOMENTS_AT_A_TIME // judgments.n_levels**2)
        if judgments.n_queries <= at_a_time or self._pair_part_is_empty():
            values = self._values(rankings)
        else:
            slices = judgments.split_by_queries(at_a_time)
            values = np.concatenate([self._values(rankings.of_queries(each)) for each in slices])
        nothing_relevant = judgments.count_pool(self._relevant(judgments)) == 0
        return np.where(nothing_relevant, self.empty, values), int(nothing_relevant.sum())

    def _pair_part_is_empty(self) -> bool:
        return type(self)._pair_part is Measure._pair_part

    def _values(self, rankings: Rankings) -> FloatArray:
        values = self._prefix_form(rankings)
        if not self.normalize:
            return values
        judgments = rankings.judgments
        best = judgments.once(("ideal", self), lambda: self._prefix_form(judgments.ideal))
        return np.divide(values, best, out=np.zeros_like(values), where=best > 0)

    def _prefix_form(self, rankings: Rankings) -> FloatArray:
        judgments, rules = rankings.judgments, (self.k, self.ties, self.unjudged)
        linear, pairs = judgments.once(("parts", self), lambda: self._parts(judgments))
        values = np.zeros(judgments.n_queries)
        if linear is not None:
            values += linear.scale * rankings.discounted_gain(linear.discount, linear.gain, *rules)
        if pairs is not None:
            values += np.einsum(
                "qab,qab->q", pairs.K, rankings.pair_moments(pairs.positions, *rules)
            )
        return values

    def _parts(self, judgments: Judgments) -> tuple[LinearPart | None, PairPart | None]:
        pairs = self._pair_part(judgments)
        if pairs is not None:
            # One memory layout, so that a query's sum has the same bits in any company.
            pairs = pairs._replace(K=np.ascontiguousarray(pairs.K))
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


def as_rankings(
    y_true: ArrayLike | Rankings,
    y_score: ArrayLike | None,
    qid: ArrayLike | None,
    sample_weight: ArrayLike | None,
    n_threads: int = 1,
) -> Rankings:
    """Rank arrays, or take rankings as they are."""
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
