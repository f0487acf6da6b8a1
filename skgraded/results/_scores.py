"""`Scores`, the values of measures by system, repeat and query."""

from __future__ import annotations

import dataclasses
import math
import numbers
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import stacklevel_of_the_user
from skgraded._support import arguments
from skgraded._support.array_types import FloatArray, HashArray, IntArray
from skgraded._support.exact_mean import exact_means
from skgraded._support.lazy import Lazy, LazyField, import_pandas
from skgraded._support.results_base import Field, LongResult, Report, Table
from skgraded._support.sealed import sealed
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.results._judged_share import JudgedShare, shares_at
from skgraded.results._names import (
    MeasureCollection,
    column_of,
    columns_of,
    entries_at,
    places_on,
)
from skgraded.results._reports import (
    KINDS_OF_MEANS,
    fields_of_scores,
    notes_on_scores,
    report_of_means,
    report_of_values,
    table_of_means,
    trec_eval_lines,
)
from skgraded.results._selection import select_repeats, select_systems, take_queries
from skgraded.results._tables import best_first

if TYPE_CHECKING:
    import pandas as pd

# What smaller values count as in a geometric mean of trec_eval, which a 0 would make 0.
_LEAST = 1e-5

# What ideal means and fingerprints come from: numbers, or a function, called on first use.
IdealSource = float | None | Callable[[], float | None] | Lazy[float | None]
JudgedSource = ArrayLike | None | Callable[[], HashArray] | Lazy[HashArray]


def _ideals_from(sources: tuple[IdealSource, ...]) -> tuple[float | None, ...]:
    return tuple(map(value_of, sources))


def _hashes_from(source: JudgedSource) -> HashArray | None:
    hashes: HashArray | None = value_of(source)
    return None if hashes is None else sealed(hashes)


def value_of(source: Any) -> Any:
    """Return a value, or what a lazy one computes."""
    return source.value if isinstance(source, Lazy) else source


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores(MeasureCollection, LongResult):
    """Values of measures by system, repeat and query.

    The axes of ``values`` are ``([system,] [repeat,] query[, measure])``. There is an axis of
    systems if they were given by name, also if it was only one; an axis of repeats in the results
    of a cross-validation; and an axis of measures until one of them is picked by its name.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    qid : ndarray of shape (n_queries,)
        Query ids.
    values : ndarray of shape ([n_systems,] [n_repeats,] n_queries[, n_measures])
        The values; nan is no value, and is left out of means.
    directions : tuple of int
        For each measure, 1 if more is better and -1 if less is better.
    systems : tuple of str or None
        Names of the systems; None without an axis of systems.
    weights : ndarray of shape (n_queries,) or None
        Weight of each query in a mean.
    clusters : ndarray of shape (n_queries,) or None
        The group that each query belongs to, such as the person who asked it.
    folds : ndarray of shape (n_repeats, n_queries), int64, or None
        The split that tested a query in a repeat, or -1 if none did; None without an axis of
        repeats. Splits are numbered through all repeats.
    n_empty : tuple of int or None
        For each measure, the number of queries with nothing relevant; None if it is unknown.
    empty : tuple of float
        For each measure, the value of these queries; nan leaves them out.
    ideals : tuple of float or None
        For each measure, the mean of the ideal ranking; None if it is unknown or there is none.
    judged : ndarray of shape (n_queries,), uint64, or None
        A number that stands for the judged grades of each query, by which systems that were scored
        by different ones are told apart; None if they are unknown.
    judged_share : ndarray of shape (n_systems, n_queries, n_measures), 1.0 or None
        Share of judged documents among the first k of each list, with the k of the measure, or 10.
        It is 1.0 where all documents are judged, and None if it is unknown.
    notes : tuple of str
        Sentences on what the values do not show, such as what was left out.
    is_sorted : bool
        Whether printed tables list the systems in their order, as after `sort`, instead of that of
        their means by the first measure.

    See Also
    --------
    Means : Means alone, from engines that keep no values.

    Notes
    -----
    A mean is taken over queries. Each query counts once, by its mean over the repeats that tested
    it, and with its weight. Means are exact: sums are not rounded, so that a mean does not depend
    on the order of the queries.

    ``in``, iteration and ``len`` go over the measures.

    Examples
    --------
    >>> from skgraded import evaluate
    >>> y, qid = [2, 0, 1, 0, 1, 0], ["a", "a", "a", "b", "b", "b"]
    >>> scores = evaluate(["AP", "nDCG@2"], y, [3, 2, 1, 3, 2, 1], qid=qid)
    >>> list(scores), float(scores["AP"])
    (['AP', 'nDCG@2'], 0.6666666666666666)
    >>> scores["AP"].values
    array([0.83333333, 0.5       ])
    >>> scores.select(qid="b").mean()
    {'AP': 0.5, 'nDCG@2': 0.6309297535714575}
    """

    measures: tuple[str, ...]
    qid: NDArray[Any]
    values: FloatArray
    directions: tuple[int, ...]
    systems: tuple[str, ...] | None = None
    weights: FloatArray | None = None
    clusters: NDArray[Any] | None = None
    folds: IntArray | None = None
    n_empty: tuple[int | None, ...] = ()
    empty: tuple[float, ...] = ()
    ideals: LazyField[tuple[IdealSource, ...], tuple[float | None, ...]] = LazyField(  # noqa: RUF009 - of this class alone
        (), _ideals_from
    )
    judged: LazyField[JudgedSource, HashArray | None] = LazyField(None, _hashes_from)  # noqa: RUF009
    judged_share: JudgedShare = None
    notes: tuple[str, ...] = ()
    is_sorted: bool = False

    def __post_init__(self) -> None:
        n_measures = len(self.measures)
        fields = dict(vars(self))
        for name, unknown in _UNKNOWN.items():
            if not fields[name]:
                fields[name] = unknown * n_measures

        fields["ideals"] = tuple(map(_lazy_if_callable, fields["ideals"]))
        fields["judged"] = _lazy_if_callable(fields["judged"])
        for name, dtype in _DTYPES.items():
            if not isinstance(fields[name], Lazy | None):
                fields[name] = _unwritable(fields[name], dtype)

        if isinstance(fields["judged_share"], np.ndarray):
            fields["judged_share"] = _unwritable(fields["judged_share"], np.float64)
        for name in (*_UNKNOWN, *_DTYPES, "judged_share"):
            object.__setattr__(self, name, fields[name])

        axes = [len(labels) for labels in self._outer_axes.values()]
        axes.append(self.n_queries)
        shape = self.values.shape
        if shape != (*axes, n_measures) and (shape != tuple(axes) or n_measures != 1):
            raise ValueError(
                "values must have the shape ([n_systems,] [n_repeats,] n_queries[, n_measures]), "
                f"here {(*axes, n_measures)}, got {shape}."
            )

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.qid)

    @property
    def fingerprints(self) -> HashArray | None:
        """The numbers of ``judged``."""
        return self.judged

    @property
    def _outer_axes(self) -> dict[str, Sequence[Any]]:
        """The labels of the axes before that of queries, by the names of the axes."""
        axes: dict[str, Sequence[Any]] = {}
        if self.systems is not None:
            axes["system"] = list(self.systems)

        if self.folds is not None:
            axes["repeat"] = range(len(self.folds))
        return axes

    @property
    def cube(self) -> FloatArray:
        """The values with all four axes: system, repeat, query and measure."""
        n_systems = 1
        n_repeats = 1
        if self.systems is not None:
            n_systems = len(self.systems)

        if self.folds is not None:
            n_repeats = len(self.folds)
        return self.values.reshape(n_systems, n_repeats, self.n_queries, len(self))

    @property
    def has_measure_axis(self) -> bool:
        """Whether there is an axis of measures; there is none if one was picked by its name."""
        return self.values.ndim > len(self._outer_axes) + 1

    def _with_cube(
        self, cube: FloatArray, *, has_measure_axis: bool | None = None, **changes: Any
    ) -> Scores:
        """Return other values, and other fields; the cube loses the axes without names."""
        if has_measure_axis is None:
            has_measure_axis = self.has_measure_axis

        # A subclass may have others.
        fields = {}
        for field in dataclasses.fields(Scores):
            fields[field.name] = vars(self)[field.name]
        fields.update(changes)

        values = cube
        if not has_measure_axis:
            values = values[..., 0]
        if fields["folds"] is None:
            values = values[:, 0]
        if fields["systems"] is None:
            values = values[0]
        fields["values"] = values
        return Scores(**fields)

    def __getitem__(self, name: Any) -> Scores:
        """Pick one measure by its name, without an axis of measures; or several by a list."""
        columns = columns_of(self.measures, name)
        cube = self.cube[..., columns]
        fields = ("measures", "directions", "n_empty", "empty", "ideals")
        picked = entries_at(columns, vars(self), fields)

        has_measure_axis = isinstance(name, list | tuple)
        picked["judged_share"] = shares_at(self.judged_share, "measure", columns)
        return self._with_cube(cube, has_measure_axis=has_measure_axis, **picked)

    def select(
        self, *, system: Any = None, qid: Any = None, repeat: Any = None
    ) -> Scores:
        """Select systems, queries and repeats by name.

        Parameters
        ----------
        system : str or list of str, optional
            A system, without an axis of systems; or a list of systems, in its order.
        qid : object or list, optional
            The id of a query, or a list of ids, in its order. Queries always have an axis.
        repeat : int or list of int, optional
            The number of a repeat, without an axis of repeats; or a list of numbers. Queries that
            no selected repeat tested are left out.

        Returns
        -------
        Scores
            The selected values.

        Raises
        ------
        KeyError
            If a name is unknown; the message suggests the closest one.
        ValueError
            If there is no axis of systems, or of repeats, to select from.
        """
        selected = self._with_cube(self.cube)

        if system is not None:
            selected = select_systems(selected, system)
        if repeat is not None:
            selected = select_repeats(selected, repeat)
        if qid is not None:
            places = places_on("query", selected.qid.tolist(), qid)
            selected = take_queries(selected, places)
        return selected

    def sort(self, measure: Any, average: str = "arithmetic") -> Scores:
        """Put the systems into the order of their means by one measure, the best one first.

        Parameters
        ----------
        measure : str or Measure
            A measure of the result.
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean.

        Returns
        -------
        Scores
            The same values with their systems in this order, in which they are printed.

        Raises
        ------
        KeyError
            If the result lacks the measure.

        Examples
        --------
        >>> from skgraded import evaluate
        >>> runs = {"a": [3, 2, 1, 0], "b": [1, 3, 2, 0]}
        >>> scores = evaluate(["P@1", "nDCG"], [0, 1, 0, 2], runs)
        >>> scores.sort("nDCG").systems
        ('b', 'a')
        """
        column = column_of(self.measures, measure)
        if self.systems is None:
            return self

        means = np.array(self._means(average))
        goodness = means[:, column] * self.directions[column]
        order = best_first(goodness)

        cube = self.cube[order]
        systems = tuple([self.systems[place] for place in order])
        share = shares_at(self.judged_share, "system", order)
        return self._with_cube(
            cube, systems=systems, judged_share=share, is_sorted=True
        )

    def over_repeats(self) -> Scores:
        """Return the mean of each query over the repeats that tested it.

        Returns
        -------
        Scores
            The same without an axis of repeats.
        """
        if self.folds is None:
            return self

        cube = self.cube
        totals = np.nansum(cube, axis=1, keepdims=True)
        is_value = ~np.isnan(cube)
        n_values = np.count_nonzero(is_value, axis=1, keepdims=True)

        means = np.full_like(totals, np.nan)
        has_value = n_values > 0
        np.divide(totals, n_values, out=means, where=has_value)
        return self._with_cube(means, folds=None)

    @property
    def means(self) -> FloatArray:
        """The means, shape ([n_systems,][ n_measures]); nan where no query has a value."""
        means: FloatArray = np.array(self._means())
        return self._without_nameless_axes(means)

    def _without_nameless_axes(self, array: FloatArray) -> FloatArray:
        """Drop the last axis if a measure was picked, and the first one without named systems."""
        if not self.has_measure_axis:
            array = array[..., 0]

        if self.systems is None:
            array = array[0]
        return array

    def mean(
        self, average: str = "arithmetic", *, floor: float = _LEAST
    ) -> dict[str, Any]:
        """Return the means over the queries that have a value.

        Parameters
        ----------
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean. The geometric mean of AP is trec_eval's gm_map, that of Bpref its
            gm_bpref; it depends more on the queries with the smallest values.
        floor : float, default=1e-5
            Smaller values count as this one in a geometric mean.

        Returns
        -------
        dict of str to float, or dict of str to dict of str to float
            The mean of each measure by its name; with an axis of systems, that by the name of the
            system. It is nan, with an `UndefinedMeanWarning`, if no query is left.

        Examples
        --------
        >>> from skgraded import RR
        >>> found = RR().per_query([1, 0, 0, 0, 0, 1], [2, 1, 4, 3, 2, 1], qid=[1, 1, 2, 2, 2, 2])
        >>> found.mean(), found.mean("geometric")
        ({'RR': 0.625}, {'RR': 0.5})
        """
        return self._by_name(self._means_with_warnings(average, floor))

    def _by_name(self, means: list[list[float]]) -> dict[str, Any]:
        """Return means by system and measure with their names."""
        if self.systems is None:
            [means_of_system] = means
            return _nested([self.measures], means_of_system)
        return _nested([self.systems, self.measures], means)

    def __eq__(self, other: object) -> bool:
        """Refuse a comparison with a number, which would be false whatever the mean is."""
        if isinstance(other, numbers.Real):
            raise TypeError(
                f"A Scores is not a number, got a comparison with {other!r}: take its mean by "
                f"float(scores[{self.measures[0]!r}])."
            )
        return self is other

    __hash__ = object.__hash__

    def __format__(self, spec: str) -> str:
        """Format the only mean, as an f-string with a format asks for."""
        return format(float(self), spec) if spec else str(self)

    def __float__(self) -> float:
        """Return the only mean."""
        ways = []
        if len(self) > 1:
            ways.append(f"scores[{self.measures[0]!r}]")
        if self.systems is not None and len(self.systems) > 1:
            ways.append(f"scores.select(system={self.systems[0]!r})")

        if ways:
            raise TypeError(
                f"float() needs a result with one mean, got {self.means.size}: choose by "
                f"{' and '.join(ways)}."
            )
        [[mean]] = self._means_with_warnings()
        return mean

    def _means_with_warnings(
        self, average: str = "arithmetic", floor: float = _LEAST
    ) -> list[list[float]]:
        """Return the means by system and measure; warn where one is undefined."""
        means = self._means(average, floor)
        is_undefined = np.isnan(means)
        for column, measure in enumerate(self.measures):
            system = arguments.first_true(is_undefined[:, column])
            if system is None:
                continue

            cube = self.over_repeats().cube
            has_no_value = np.isnan(cube[system, 0, :, column])
            n_left_out = int(has_no_value.sum())
            warn_of_no_mean(measure, self.n_queries, n_left_out)
        return means

    def _means(
        self, average: str = "arithmetic", floor: float = _LEAST
    ) -> list[list[float]]:
        """Return the means by system and measure as lists, whichever axes there are."""
        arguments.choice("average", average, KINDS_OF_MEANS)
        least = arguments.number("floor", floor, above=0)
        values = self.over_repeats().cube
        if average == "geometric":
            # maximum() leaves nan, which is no value.
            values = np.log(np.maximum(values, least))

        means = exact_means(
            values, self.weights, n_before=len(values), n_after=len(self)
        )
        if average == "geometric":
            means = np.exp(means).tolist()
        return means

    def fold_means(self) -> FloatArray:
        """Return the means over the queries of each fold, as `cross_validate` does.

        Returns
        -------
        ndarray of shape ([n_systems,] n_folds[, n_measures])
            The means of the folds of all repeats; nan where no query has a value.

        Raises
        ------
        ValueError
            If the result is not from a cross-validation.
        """
        if self.folds is None:
            raise ValueError(
                "fold_means needs a result with folds, as cross_validate_queries returns."
            )

        means = []
        for fold in range(self.folds.max() + 1):
            repeats, queries = np.nonzero(self.folds == fold)
            values = self.cube[:, repeats, queries]
            weights = self.weights
            if weights is not None:
                weights = weights[queries]
            means.append(
                exact_means(values, weights, n_before=len(values), n_after=len(self))
            )

        by_fold: FloatArray = np.stack(means, axis=1)
        return self._without_nameless_axes(by_fold)

    def ideal(self) -> dict[str, float | None]:
        """Return the means that the ideal ranking has, in which a better grade is always above.

        They may be below 1: xGAP and eGAP, for instance, also count the users who want the top
        grade in queries that have no such document.

        Returns
        -------
        dict of str to float or None
            The mean of each measure, by its name; None if it is unknown, or the measure has no
            ideal ranking.
        """
        return dict(zip(self.measures, self.ideals, strict=True))

    def to_dict(self) -> dict[Any, Any]:
        """Return the values by name: of the system, the repeat, the query and the measure.

        Returns
        -------
        dict
            Nested dictionaries, one level for each axis of ``values``. With queries and measures
            alone it is what pytrec_eval returns.
        """
        axes = list(self._outer_axes.values())
        axes.append(self.qid.tolist())
        if self.has_measure_axis:
            axes.append(self.measures)
        return _nested(axes, self.values.tolist())

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per system, repeat and query, and a column per measure.

        Returns
        -------
        DataFrame
            The index has the levels ``"system"`` and ``"repeat"`` if there are such axes, and
            ``"qid"``. With repeats there is a column ``"fold"``, and no row where none tested the
            query.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_pandas(".qid and .values")
        index = pandas.Index(self.qid, name="qid")
        axes = self._outer_axes
        if axes:
            # A product takes a fifth of the time of columns of names.
            axes["qid"] = index
            index = pandas.MultiIndex.from_product(axes.values(), names=axes)

        values = self.cube.reshape(-1, len(self))
        columns = list(self.measures)
        frame: pd.DataFrame = pandas.DataFrame(values, index=index, columns=columns)
        if self.folds is None:
            return frame

        folds_of_system = self.folds.ravel()
        folds = np.tile(folds_of_system, len(self.cube))
        frame.insert(0, "fold", folds)
        return frame[folds >= 0]

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies as the result was made: pickle forgets that arrays are read-only."""
        fields = {}
        for field in dataclasses.fields(self):
            fields[field.name] = getattr(self, field.name)
        return partial(type(self), **fields), ()

    def to_trec_eval(self, per_query: bool = False, average: str = "arithmetic") -> str:
        """Write the means, and if asked for the values of all queries, as trec_eval does.

        Parameters
        ----------
        per_query : bool, default=False
            Whether to write a line for each query, too.
        average : {"arithmetic", "geometric"}, default="arithmetic"
            The kind of mean.

        Returns
        -------
        str
            Lines of a measure, a query or ``all``, and a value with four decimals; nan has no line.

        Raises
        ------
        ValueError
            If a name holds control characters, such as ends of lines, which would make other lines.

        Examples
        --------
        >>> from skgraded import evaluate
        >>> scores = evaluate(["AP"], [1, 0], {"a": [2, 1]})
        >>> print(scores.to_trec_eval().expandtabs(2), end="")
        runid                   all a
        AP                      all 1.0000
        """
        lines = trec_eval_lines(self, per_query, average)
        return "\n".join([*lines, ""])

    def _notes(self) -> list[str]:
        return notes_on_scores(self)

    def _fields(self) -> list[Field]:
        return fields_of_scores(self)

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return [table_of_means(self, n_rows=n_rows)]

    def _report(self) -> Report:
        report = self._report_of_values()
        return report._replace(tables=self._tables())

    def _report_of_means(self, average: str = "arithmetic") -> Report:
        return report_of_means(self, average)

    def _report_of_values(self, average: str = "arithmetic") -> Report:
        return report_of_values(self, average)


_DTYPES = {
    "qid": None,
    "values": np.float64,
    "weights": np.float64,
    "clusters": None,
    "folds": np.int64,
    "judged": np.uint64,
}
_UNKNOWN: dict[str, tuple[Any, ...]] = {
    "n_empty": (0,),
    "empty": (math.nan,),
    "ideals": (None,),
}


def _lazy_if_callable(source: Any) -> Any:
    return Lazy(source) if callable(source) else source


def _unwritable(values: Any, dtype: Any) -> NDArray[Any]:
    """Return an array that nobody writes to; a copy, unless that is so already."""
    array: NDArray[Any] = np.asarray(values, dtype)
    if array.flags.writeable:
        array = sealed(array.copy())
    return array


def _nested(axes: Sequence[Sequence[Any]], values: Any) -> dict[Any, Any]:
    axis, *inner_axes = axes
    if inner_axes:
        values = [_nested(inner_axes, inner_values) for inner_values in values]
    return dict(zip(axis, values, strict=True))


def warn_of_no_mean(name: object, n_queries: int, n_left_out: int) -> None:
    """Warn where the mean of a measure is nan, because its weights add up to 0."""
    warnings.warn(
        f"The mean of {name} is undefined because no query has a value and a positive "
        f"weight ({n_left_out} of {n_queries} have no value).",
        UndefinedMeanWarning,
        stacklevel=stacklevel_of_the_user(),
    )
