"""`Measure`, the base class of all measures: its scale of grades, its identity and its call."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from skgraded import _core
from skgraded._guards import refusal_of, refuse_calls_of_boosters
from skgraded._support import arguments as _params
from skgraded._support.array_types import BoolArray, FloatArray
from skgraded._support.exact_mean import exact_means
from skgraded._support.lazy import cached_property
from skgraded._support.measure_strings import as_code, as_string
from skgraded._support.sealed import sealed
from skgraded.measures._fields import Fields, check_cutoff, check_empty, choice, field
from skgraded.measures._scales import warn_about_scales, warn_of_continuous_scale
from skgraded.rankings import (
    Judgments,
    Ranked,
    RankedList,
    Rankings,
    Ties,
    Unjudged,
    as_rankings,
)

if TYPE_CHECKING:
    from skgraded.results import JudgedShare, Scores


class Measure(Fields):
    """Base class of all measures of ranking effectiveness.

    A measure is an immutable value that is called like a metric function. Most measures derive
    from `PrefixMeasure`, which scores any measure of the prefix form. The others derive from
    `Measure` and define `raw_values` and `relevant`.

    Parameters
    ----------
    k : int, optional
        Cut-off: only the ranks n <= k count. None is the whole list.
    ties : {"expected", "row_order", "pessimistic", "optimistic"}, default="expected"
        Order of tied documents. ``"expected"`` is the exact mean over all their orders,
        ``"row_order"`` keeps the order of the rows (as LightGBM and XGBoost do),
        ``"pessimistic"`` puts the lowest grade first (as CatBoost does) and ``"optimistic"`` the
        highest.
    unjudged : {"nonrelevant", "condense"}, default="nonrelevant"
        Unjudged documents count as grade 0, or are removed from the list before it is scored.
    empty : float, default=0.0
        Value of a query without relevant documents; nan leaves the query out of the mean.
    normalize : bool, default=False
        Divide by the value of the ideal ranking at the same cut-off. The ideal ranking holds the
        judged documents of the query, best grade first. Where the value depends on the length of
        the list, as that of `P` without k does, the ideal ranking is cut to the length of the
        retrieved list, so that 1 remains the largest value.

    Examples
    --------
    >>> from skgraded import AP, measure
    >>> AP(k=10).per_query([1, 0, 0, 1], [2, 1, 2, 1], qid=["a", "a", "b", "b"]).values
    array([1. , 0.5])
    >>> measure("AP@10") == AP(k=10)
    True
    """

    k: int | None = field(None, check_cutoff)
    ties: Ties = choice("expected", get_args(Ties))
    unjudged: Unjudged = choice("nonrelevant", get_args(Unjudged))
    empty: float = field(0.0, check_empty)
    normalize: bool = field(False, _params.flag)

    greater_is_better: ClassVar[bool] = True

    # Shared fields that must keep their default in a subclass, with the reason for the message.
    _refuses: ClassVar[Mapping[str, str]] = {}

    # Whether ties="expected" is supported, which needs a cheap formula of the mean over all orders.
    _averages_over_ties: ClassVar[bool] = True

    # The methods that a class must define before it has instances: one of each tuple.
    _needs: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("relevant",),
        ("raw_values", "_score"),
    )

    # 1 if a higher grade of any document can only raise the value, -1 if it can only lower it.
    _changes_with_grades: ClassVar[int] = 0

    def __new__(cls, *args: Any, **values: Any) -> Any:
        # scikit-learn calls scoring=xGAP, the class, with an estimator, and hides errors.
        if args and hasattr(args[0], "fit"):
            name = cls.__name__
            error = _params.ArgumentError(
                "scoring",
                f"must be a measure, got the class {name}: write scoring={name}().",
            )
            return refusal_of(error)
        return super().__new__(cls)

    def _check(self) -> None:
        _require_rules(type(self))  # type: ignore[arg-type]

        name = type(self).__name__
        for field_name, reason in self._refuses.items():
            default = self._fields[field_name].default
            value = getattr(self, field_name)
            if value != default:
                raise ValueError(
                    f"{field_name} must be {default!r} for {name}, {reason}, got {value!r}."
                )

        if self.ties == "expected" and not self._averages_over_ties:
            raise ValueError(
                f"ties must be 'row_order', 'pessimistic' or 'optimistic' for {name}, got "
                "'expected': the mean over the orders of tied documents has no cheap formula. To "
                "approximate it, average the values of a few random row orders with 'row_order'."
            )

    def __setattr__(self, name: str, value: object) -> None:
        # By this name CatBoost marks a metric that it is about to call.
        if name == "_jited":
            refuse_calls_of_boosters(self, "catboost")
        super().__setattr__(name, value)

    def __call__(
        self,
        y_true: ArrayLike | Judgments | Rankings,
        y_score: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the mean of the measure over queries.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,), Judgments or Rankings
            Grades: 0 is judged not relevant, NaN is unjudged. Or `Judgments`, without `qid` and
            `sample_weight`, or a `Rankings`, without `y_score`, either.
        y_score : array-like of shape (n_documents,)
            Scores; the document with the highest score ranks first.
        y : array-like of shape (n_documents,), optional
            Only where scikit-learn calls the measure as a scorer, ``scoring=nDCG(k=10)``, with a
            fitted estimator, its features and its target: see `make_ranking_scorer`.
        qid : array-like of shape (n_documents,), optional
            Query id of each row. Without it all rows form one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; the weight of a query is the mean over its rows.

        Returns
        -------
        float
            The mean; as a scorer with the opposite sign where lower is better.

        Raises
        ------
        TypeError
            If XGBoost or LightGBM calls the measure itself; the message names the adapter.
        """
        refuse_calls_of_boosters(self)
        if hasattr(y_true, "fit"):
            return self._as_scorer()(y_true, y_score, y, qid, sample_weight)

        if y is not None:
            raise TypeError(
                "qid must be given by name, got a third positional argument: qid=..."
            )

        rankings = rankings_for([self], y_true, y_score, qid, sample_weight)
        judgments = rankings.judgments
        values, _ = self._score(rankings)
        [[mean]] = exact_means(values, judgments.weights)

        if math.isnan(mean):
            from skgraded.results import warn_of_no_mean

            n_nan = int(np.isnan(values).sum())
            warn_of_no_mean(self, judgments.n_queries, n_nan)
        return mean

    def _as_scorer(self) -> Any:
        from skgraded.scoring import make_ranking_scorer

        return make_ranking_scorer(self)

    def get_metadata_routing(self) -> Any:
        """Ask scikit-learn for query ids and weights where the measure is ``scoring=``.

        Returns
        -------
        MetadataRequest
            A request for ``qid`` and ``sample_weight``, which counts where metadata routing is on.
        """
        return self._as_scorer().get_metadata_routing()

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer in a dict of scorers while routing is off.
        return True

    def per_query(
        self,
        y_true: ArrayLike | Judgments | Rankings,
        y_score: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Scores:
        """Return the value of the measure for every query.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,), Judgments or Rankings
            Grades: 0 is judged not relevant, NaN is unjudged. Or `Judgments`, without `qid` and
            `sample_weight`, or a `Rankings`, without `y_score`, either.
        y_score : array-like of shape (n_documents,)
            Scores; the document with the highest score ranks first.
        qid : array-like of shape (n_documents,), optional
            Query id of each row. Without it all rows form one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; the weight of a query is the mean over its rows.

        Returns
        -------
        Scores
            The values of this measure, which have an axis of queries alone.
        """
        rankings = rankings_for([self], y_true, y_score, qid, sample_weight)
        values, n_empty = self._score(rankings)
        measures = {str(self): self}
        return as_scores(measures, rankings.judgments, values, (n_empty,))

    def replace(self, **fields: Any) -> Self:
        """Return the measure with other values of some fields.

        `copy.replace`, which is new in Python 3.13, does the same.

        Parameters
        ----------
        **fields : object
            The new values by the names of the fields.

        Returns
        -------
        Measure
            The new measure; this one stays as it is.

        Raises
        ------
        TypeError
            If the measure has no field of a name.
        ValueError
            If a value is invalid; the message says which values are allowed.

        Examples
        --------
        >>> from skgraded import nDCG
        >>> nDCG(k=10).replace(k=5, ties="row_order")
        nDCG(k=5, ties='row_order')
        """
        values = {name: getattr(self, name) for name in self._fields}
        return type(self)(**values | fields)

    def __replace__(self, **fields: Any) -> Self:
        return self.replace(**fields)

    def resolve(self, top_grade: int) -> Self:
        """Set the top grade of the scale if the measure needs it and does not state it.

        Parameters
        ----------
        top_grade : int
            Top grade c of the scale.

        Returns
        -------
        Measure
            The measure with its top grade set, or the measure itself if it does not need it.
        """
        if not self.is_open:
            return self
        return self.replace(max_grade=max(1, math.ceil(top_grade)))

    @cached_property
    def is_open(self) -> bool:
        """Whether the measure takes the top grade of the scale from the data that it scores."""
        return False

    @property
    def _weighted_parts(self) -> tuple[tuple[Measure, float], ...]:
        """The measures whose weighted sum this is, with their weights: mostly the measure alone."""
        return ((self, 1.0),)

    def relevant(self, judgments: Judgments) -> BoolArray:
        """Mark the relevant grades; a query without any of them is empty.

        Parameters
        ----------
        judgments : Judgments
            Labels by query.

        Returns
        -------
        ndarray of bool, shape (n_levels,)
            Whether each of ``judgments.grades`` is relevant.
        """
        raise NotImplementedError

    def _warn_of_labels(self, judgments: Judgments) -> None:
        """Warn of labels that do not suit the measure, once, before they are scored."""

    def _score(self, rankings: Ranked) -> tuple[FloatArray, int]:
        """Return the values of all queries and the number of queries without relevant documents."""
        judgments = rankings.judgments
        self._warn_of_labels(judgments)
        values = self._values(rankings)
        n_relevant = judgments.count_pool(self.relevant(judgments))
        is_empty = n_relevant == 0
        values = np.where(is_empty, self.empty, values)
        return values, int(is_empty.sum())

    def _values(self, rankings: Ranked) -> FloatArray:
        values = self.raw_values(rankings)
        if not self.normalize:
            return values

        judgments = rankings.judgments
        ideal_values = judgments.memo.get(
            Measure, self._identity, lambda: self.raw_values(judgments.ideal)
        )
        return _core.relative_values(values=values, best=ideal_values)

    def _ranked(self, rankings: Ranked) -> RankedList:
        """Return the lists under the measure's rules for ties and unjudged documents."""
        return rankings.ranked(self.ties, self.unjudged)

    def raw_values(self, rankings: Ranked) -> FloatArray:
        """Return the value of every query before normalization.

        Parameters
        ----------
        rankings : Rankings
            Documents in rank order, by query.

        Returns
        -------
        ndarray of float, shape (n_queries,)
            The values.
        """
        raise NotImplementedError

    def _mean_of_ideal(self, judgments: Judgments) -> float | None:
        """Return the mean of the ideal ranking; None where a measure has none."""
        if "normalize" in self._refuses:
            return None
        values, _ = self._score(judgments.ideal)
        [[mean]] = exact_means(values, judgments.weights)
        return mean

    def __str__(self) -> str:
        return self._string

    if not TYPE_CHECKING:  # type checkers would take it for the name of the class
        # Read by sklearn.metrics.make_scorer, which takes functions.
        @property
        def __name__(self) -> str:
            return self._string

    @cached_property
    def _string(self) -> str:
        fields = self._fields_that_differ()
        return as_string(type(self).__name__, fields)

    def __repr__(self) -> str:
        fields = self._fields_that_differ()
        return as_code(type(self).__name__, fields)

    def _fields_that_differ(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults, the class's own fields first."""
        shared_names = Measure._fields
        names_of_class = [name for name in self._fields if name not in shared_names]

        values = {}
        for name in (*names_of_class, *shared_names):
            value = getattr(self, name)
            default = self._fields[name].default
            are_nan = _params.is_nan(value) and _params.is_nan(default)
            if value != default and not are_nan:
                values[name] = value
        return values

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        """What two measures have in common if they are equal: class and fields.

        Dictionaries look a tuple up faster than a measure.
        """
        values = [getattr(self, name) for name in self._fields]
        # nan != nan, but two measures with empty=nan must be equal.
        comparable_values = (
            "nan" if _params.is_nan(value) else value for value in values
        )
        return type(self), *comparable_values

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
        return {
            name: value for name, value in vars(self).items() if name not in _CACHED
        }


# Methods of subclasses that were called otherwise: they would be ignored.
_FORMER_NAMES = {
    "_relevant": "relevant",
    "_linear_part": "linear_part",
    "_pair_part": "pair_part",
    "_gain_by_level": "gain_by_level",
    "_continuation": "continuation",
    "_ranks_from": "ranks_from",
    "_raw_values": "raw_values",
}


@cache
def _require_rules(kind: type[Measure]) -> None:
    """Raise where a class lacks what its base class needs, or defines it by a former name."""
    for former, name in _FORMER_NAMES.items():
        if hasattr(kind, former):
            raise TypeError(
                f"{former} of the class {kind.__name__} must be called {name}, as it is "
                "since methods that subclasses define are public."
            )

    base = next(owner for owner in kind.__mro__ if "_needs" in vars(owner))
    for names in kind._needs:
        is_missing = all(getattr(kind, name) is getattr(base, name) for name in names)
        if is_missing:
            public_names = [name for name in names if not name.startswith("_")]
            raise TypeError(
                f"A measure must define {' or '.join(public_names)} before it has instances, "
                f"which the class {kind.__name__} does not."
            )


# Properties that a measure computes once, because lookups and messages ask for them in every call.
_CACHED = frozenset(["_string", "_identity", "_form_identity", "_hash", "is_open"])


def rankings_for(measures: Collection[Measure], y_true: Any, *columns: Any) -> Rankings:
    """Rank documents as `as_rankings` does, and warn of measures that do not fit their scale."""
    rankings = as_rankings(y_true, *columns)
    judgments = rankings.judgments
    if rankings is not y_true:
        warn_about_scales(measures, judgments)
    else:
        warn_of_continuous_scale(
            measures,
            judgments.top_grade,
            are_fractional=judgments.has_fractional_grades,
        )
    return rankings


def as_scores(
    named: Mapping[str, Measure],
    judgments: Judgments,
    values: FloatArray,
    n_empty: tuple[int, ...],
    judged_share: JudgedShare = None,
) -> Scores:
    """Return values, which nothing else refers to, as a result.

    The means of the ideal ranking are computed when they are asked for first, since they take a
    tenth to twice the time of the scores. They are numbers from then on, and in copies. So are the
    fingerprints of the judgments.
    """
    from skgraded.results import Scores

    measures = named.values()
    directions = [1 if measure.greater_is_better else -1 for measure in measures]
    ideals = [partial(measure._mean_of_ideal, judgments) for measure in measures]
    return Scores(
        measures=tuple(named),
        qid=judgments.qid,
        values=sealed(values),
        directions=tuple(directions),
        weights=judgments.weights,
        n_empty=n_empty,
        empty=tuple([measure.empty for measure in measures]),
        ideals=tuple(ideals),
        judged=lambda: judgments.fingerprints,
        judged_share=judged_share if judgments.has_unjudged else 1.0,
    )
