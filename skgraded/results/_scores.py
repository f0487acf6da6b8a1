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
from numpy.typing import NDArray

from skgraded._guards import stacklevel_of_the_user
from skgraded._support import arguments
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.exact_mean import exact_means
from skgraded._support.lazy import import_pandas
from skgraded._support.results_base import Field, LongResult, Report, Table
from skgraded._support.sealed import sealed
from skgraded._support.text import count, visible
from skgraded.exceptions import UndefinedMeanWarning
from skgraded.results._names import OfMeasures, column_of, places_on
from skgraded.results._tables import (
    WIDEST_MEASURE,
    WIDEST_QUERY,
    best_first,
    fields_of_measures,
    fields_of_systems,
    fields_of_values,
    notes_on_empty,
)

if TYPE_CHECKING:
    import pandas as pd


# The mean of an ideal ranking, or what computes it when it is asked for first.
Ideal = float | None | Callable[[], float | None]

_KINDS = {"arithmetic": "", "geometric": "geometric "}
# What smaller values count as in a geometric mean of trec_eval, which a 0 would make 0.
_LEAST = 1e-5


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores(OfMeasures, LongResult):
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
    ideals : tuple of float, None or callable
        For each measure, the mean of the ideal ranking, None if it is unknown or there is none, or
        a function that returns it. `ideal` calls the functions.
    judged : ndarray of shape (n_queries,), uint64, callable or None
        A number that stands for the judged grades of each query, by which systems that were scored
        by different ones are told apart; a function that returns the numbers, or None if they are
        unknown.
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
    ideals: tuple[Ideal, ...] = ()
    judged: Any = None
    notes: tuple[str, ...] = ()
    is_sorted: bool = False

    def __post_init__(self) -> None:
        fields = vars(self)
        n_measures = len(self.measures)
        for name, nothing in _UNKNOWN.items():
            fields[name] = fields[name] or nothing * n_measures
        for name in _ARRAYS:
            if not (fields[name] is None or callable(fields[name])):
                fields[name] = _own(name, fields[name])
        axes = [
            len(each)
            for each in (self.systems, self.folds, self.qid)
            if each is not None
        ]
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
    def fingerprints(self) -> Any:
        """The numbers of ``judged``, which a function computes when they are asked for first."""
        if callable(self.judged):
            vars(self)["judged"] = _own("judged", self.judged())
        return self.judged

    @property
    def cube(self) -> FloatArray:
        """The values with all four axes: system, repeat, query and measure."""
        n_systems = 1 if self.systems is None else len(self.systems)
        n_repeats = 1 if self.folds is None else len(self.folds)
        return self.values.reshape(
            n_systems, n_repeats, len(self.qid), len(self.measures)
        )

    @property
    def _measure(self) -> Any:
        """What users see of the last axis of a cube: all of it, or the measure that was picked."""
        n_others = 1 + (self.systems is not None) + (self.folds is not None)
        return slice(None) if self.values.ndim > n_others else 0

    def _with(self, cube: FloatArray, measure: Any = None, **changes: Any) -> Scores:
        """Return other values, and other fields; the cube loses the axes that users do not see."""
        fields = {
            each.name: getattr(self, each.name) for each in dataclasses.fields(Scores)
        }
        fields |= changes
        measure = self._measure if measure is None else measure
        axes = _seen(fields["systems"]), _seen(fields["folds"]), slice(None), measure
        return Scores(**{**fields, "values": cube[axes]})

    def __getitem__(self, name: Any) -> Scores:
        """Pick one measure by its name, without an axis of measures; or several by a list."""
        names, seen = (
            (name, slice(None)) if isinstance(name, list | tuple) else ([name], 0)
        )
        columns = [column_of(self.measures, each) for each in names]
        picked = {
            field: tuple(getattr(self, field)[column] for column in columns)
            for field in ("measures", "directions", "n_empty", "empty", "ideals")
        }
        return self._with(self.cube[..., columns], seen, **picked)

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
        selected = self._with(self.cube)
        if system is not None:
            selected = selected._of_systems(system)
        if repeat is not None:
            selected = selected._of_repeats(repeat)
        if qid is not None:
            selected = selected._of_queries(
                places_on("query", selected.qid.tolist(), qid)
            )
        return selected

    def _of_systems(self, system: Any) -> Scores:
        if self.systems is None:
            raise ValueError(
                "system= needs values of named systems, which this result does not have: "
                'evaluate(measures, y, {"a": scores_a, "b": scores_b}) names them.'
            )
        places = places_on("system", self.systems, system)
        names = tuple(self.systems[place] for place in places)
        return self._with(
            self.cube[places], systems=names if isinstance(system, list) else None
        )

    def _of_repeats(self, repeat: Any) -> Scores:
        if self.folds is None:
            raise ValueError(
                "repeat= needs values in repeats, which this result does not have."
            )
        places = places_on("repeat", range(len(self.folds)), repeat)
        folds = self.folds[places]
        selected = self._with(self.cube[:, places], folds=folds)
        selected = selected._of_queries(np.flatnonzero((folds >= 0).any(axis=0)))
        return (
            selected
            if isinstance(repeat, list)
            else selected._with(selected.cube, folds=None)
        )

    def _of_queries(self, places: Any) -> Scores:
        """Keep some queries, in another order."""
        fields = {**vars(self), "judged": self.fingerprints}
        along = {
            each: fields[each][..., places]
            for each in _BY_QUERY
            if fields[each] is not None
        }
        if len(places) != self.n_queries:
            # Counts over all queries are unknown for a part of them, unless they are 0.
            along["n_empty"] = tuple(
                0 if number == 0 else None for number in self.n_empty
            )
            along["ideals"] = (None,) * len(self)
        return self._with(self.cube[:, :, places], **along)

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
        order = best_first(
            np.array(self._means(average))[:, column] * self.directions[column]
        )
        names = [self.systems[place] for place in order]
        return dataclasses.replace(self._of_systems(names), is_sorted=True)

    def over_repeats(self) -> Scores:
        """Return the mean of each query over the repeats that tested it.

        Returns
        -------
        Scores
            The same without an axis of repeats.
        """
        if self.folds is None:
            return self
        is_known = ~np.isnan(self.cube)
        times = is_known.sum(axis=1, keepdims=True)
        totals = np.where(is_known, self.cube, 0.0).sum(axis=1, keepdims=True)
        means = np.divide(
            totals, times, out=np.full_like(totals, np.nan), where=times > 0
        )
        return self._with(means, folds=None)

    @property
    def means(self) -> FloatArray:
        """The means, shape ([n_systems,][ n_measures]); nan where no query has a value."""
        means: FloatArray = np.array(self._means())[_seen(self.systems), self._measure]
        return means

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
        return self._named(self._defined_means(average, floor))

    def _named(self, means: list[list[float]]) -> dict[str, Any]:
        """Return means by system and measure with their names."""
        rows = [dict(zip(self.measures, row, strict=True)) for row in means]
        return (
            rows[0]
            if self.systems is None
            else dict(zip(self.systems, rows, strict=True))
        )

    def __eq__(self, other: object) -> bool:
        """Refuse a comparison with a number, which would be false whatever the mean is."""
        if isinstance(other, numbers.Real):
            raise TypeError(
                f"A Scores is not a number, got a comparison with {other!r}: take its mean by "
                f"float(scores[{self.measures[0]!r}])."
            )
        return self is other

    __hash__ = object.__hash__

    def __float__(self) -> float:
        """Return the only mean."""
        ways = [f"scores[{self.measures[0]!r}]"] if len(self) > 1 else []
        if self.systems is not None and len(self.systems) > 1:
            ways.append(f"scores.select(system={self.systems[0]!r})")
        if ways:
            raise TypeError(
                f"float() needs a result with one mean, got {self.means.size}: choose by "
                f"{' and '.join(ways)}."
            )
        [[mean]] = self._defined_means()
        return mean

    def _defined_means(self, average: str = "arithmetic", floor: float = _LEAST) -> Any:
        """Return the means by system and measure; warn where one is undefined."""
        means = self._means(average, floor)
        for column, of_systems in enumerate(zip(*means, strict=True)):
            if any(map(math.isnan, of_systems)):
                system = np.isnan(of_systems).argmax()
                values = self.over_repeats().cube[system, 0, :, column]
                warn_of_no_mean(
                    self.measures[column], self.n_queries, int(np.isnan(values).sum())
                )
        return means

    def _means(self, average: str = "arithmetic", floor: float = _LEAST) -> Any:
        """Return the means by system and measure as lists, whichever axes there are."""
        arguments.choice("average", average, _KINDS)
        least = arguments.number("floor", floor, above=0)
        values = self.over_repeats().values
        n_systems = 1 if self.systems is None else len(self.systems)
        if average == "geometric":
            values = np.log(
                np.maximum(values, least)
            )  # maximum() leaves nan, which is no value
        means = exact_means(values, self.weights, n_systems, len(self.measures))
        return means if average == "arithmetic" else np.exp(means).tolist()

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
            weights = None if self.weights is None else self.weights[queries]
            tested = self.cube[:, repeats, queries]
            means.append(exact_means(tested, weights, len(tested), len(self.measures)))
        by_fold: FloatArray = np.stack(means, axis=1)[
            _seen(self.systems), :, self._measure
        ]
        return by_fold

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
        ideals = tuple(each() if callable(each) else each for each in self.ideals)
        vars(self)["ideals"] = ideals  # computed once
        return dict(zip(self.measures, ideals, strict=True))

    def to_dict(self) -> dict[Any, Any]:
        """Return the values by name: of the system, the repeat, the query and the measure.

        Returns
        -------
        dict
            Nested dictionaries, one level for each axis of ``values``. With queries and measures
            alone it is what pytrec_eval returns.
        """
        repeats = None if self.folds is None else range(len(self.folds))
        measures = None if self._measure == 0 else self.measures
        axes = [self.systems, repeats, self.qid.tolist(), measures]
        nested: dict[Any, Any] = _nested(
            [axis for axis in axes if axis is not None], self.values.tolist()
        )
        return nested

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
        axes: dict[str, Any] = (
            {} if self.systems is None else {"system": list(self.systems)}
        )
        axes |= {} if self.folds is None else {"repeat": range(len(self.folds))}
        index = pandas.Index(self.qid, name="qid")
        if axes:  # a product takes a fifth of the time of columns of names
            index = pandas.MultiIndex.from_product(
                [*axes.values(), index], names=[*axes, "qid"]
            )
        values = self.cube.reshape(-1, len(self))
        frame: pd.DataFrame = pandas.DataFrame(
            values, index=index, columns=list(self.measures)
        )
        if self.folds is None:
            return frame
        folds = np.tile(self.folds.ravel(), len(frame) // self.folds.size)
        frame.insert(0, "fold", folds)
        return frame[folds >= 0]

    def __reduce__(self) -> tuple[Any, ...]:
        """Make copies as the result was made: pickle forgets that arrays are read-only."""
        fields = {
            each.name: getattr(self, each.name) for each in dataclasses.fields(self)
        }
        fields |= {"ideals": tuple(self.ideal().values()), "judged": self.fingerprints}
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
        sign = "gm_" if average == "geometric" else ""
        systems = self.systems or ("",)
        all_queries = ("all", [f"{sign}{name}" for name in self])
        queries = (
            [(str(query), self.measures) for query in self.qid.tolist()]
            if per_query
            else []
        )
        for name in (*systems, *self, *(query for query, _ in queries)):
            written = name.encode(
                errors="replace"
            ).decode()  # bytes that are not UTF-8 may stay
            if visible(written) != written:
                raise ValueError(
                    "The lines of trec_eval have no place for control characters, got "
                    f"{visible(name)!r} as a name."
                )
        lines = []
        for system, values, means in zip(
            systems, self.cube, self._means(average), strict=True
        ):
            lines.append(f"{'runid':<22}\tall\t{system}")
            rows = [*values[0, : len(queries)].tolist(), means]
            for (query, names), row in zip([*queries, all_queries], rows, strict=True):
                lines += [
                    f"{name:<22}\t{query}\t{value:6.4f}"
                    for name, value in zip(names, row, strict=True)
                    if not math.isnan(value)
                ]
        return "\n".join(lines) + "\n"

    def _notes(self) -> list[str]:
        """Say what the values do not show, in sentences."""
        return [*self.notes, *notes_on_empty(self.measures, self.n_empty, self.empty)]

    def _over(self) -> str:
        """Say what means are taken over."""
        n_repeats = self.cube.shape[1]
        repeats = (
            f", by the mean of each over {n_repeats} repeats" if n_repeats > 1 else ""
        )
        return f"{count(self.n_queries, 'query', 'queries')}{repeats}"

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return [self._table_of(self._means(), n_rows=n_rows)]

    def _table_of(
        self, means: Any, average: str = "arithmetic", n_rows: Any = None
    ) -> Table:
        if self.systems is None:
            return self._table_of_one(means[0], average)
        means = np.array(means)
        by_first = best_first(means[:, 0] * self.directions[0])
        rows = (np.arange(len(means)) if self.is_sorted else by_first)[:n_rows]
        shown = f", the first {n_rows} shown" if len(rows) < len(means) else ""
        size = f"{count(len(means), 'system')}{shown}; {_KINDS[average]}means over {self._over()}."
        fields = fields_of_systems(
            [self.systems[row] for row in rows],
            self.measures,
            self.directions,
            means[rows],
        )
        return Table(fields, [size, *self._notes()])

    def _table_of_one(self, means: list[float], average: str) -> Table:
        """Make the table of one system; the means of folds and the ideal ones are arithmetic."""
        columns = {"mean": means}
        ideals = []
        size = f"{_KINDS[average]}means over {self._over()}.".capitalize()
        if average == "arithmetic":
            ideals = list(self.ideal().values())
            if self.folds is not None:
                by_fold = self.fold_means().reshape(-1, len(self))
                columns |= {
                    "fold mean": by_fold.mean(axis=0),
                    "fold std": by_fold.std(axis=0),
                }
                size = (
                    f"mean: over {self._over()}; fold mean, fold std: mean and standard deviation "
                    f"of the means of {len(by_fold)} folds."
                )
        fields = fields_of_measures(self.measures, columns, ideals)
        return Table(fields, [size, *self._notes()], widest_label=WIDEST_MEASURE)

    def _fields(self) -> list[Field]:
        return fields_of_values(
            self.cube, self.systems, self.folds, self.qid, self.measures
        )

    def _table_of_values(self) -> Table:
        systems = (
            "" if self.systems is None else f"{count(len(self.systems), 'system')}, "
        )
        size = f"{systems}{count(self.n_queries, 'query', 'queries')}."
        return Table(self._fields(), [size, *self._notes()], widest_label=WIDEST_QUERY)

    def _report(self) -> Report:
        return self._report_of(per_query=True)._replace(tables=self._tables())

    def _report_of(
        self, per_query: bool = False, average: str = "arithmetic"
    ) -> Report:
        """Describe the means or the values of queries for writers."""
        means = self._means(average)
        facts: dict[str, Any] = {"average": average, "n_queries": self.n_queries}
        if per_query:
            facts["means"] = self._named(means)
            return Report(
                [self._table_of_values()], self._columns(), facts, self._notes()
            )
        fields = fields_of_systems(
            self.systems or ("",), self.measures, self.directions, means
        )
        columns: dict[str, Any] = {each.name: each.values for each in fields}
        return Report([self._table_of(means, average)], columns, facts, self._notes())


_ARRAYS = {
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
_BY_QUERY = ("qid", "weights", "clusters", "folds", "judged")


def _own(name: str, values: Any) -> Any:
    """Return an array that nobody writes to; a copy, unless that is so already."""
    array: NDArray[Any] = np.asarray(values, _ARRAYS[name])
    return sealed(array.copy()) if array.flags.writeable else array


def _seen(names: Any) -> Any:
    """Return what users see of an axis: all of it; or its only place, if it has no names."""
    return 0 if names is None else slice(None)


def _nested(axes: Sequence[Sequence[Any]], values: Any) -> Any:
    axis, *others = axes
    if not others:
        return dict(zip(axis, values, strict=True))
    return {
        name: _nested(others, value) for name, value in zip(axis, values, strict=True)
    }


def warn_of_no_mean(name: object, n_queries: int, n_left_out: int) -> None:
    """Warn where a mean is nan, because its weights add up to 0.

    Parameters
    ----------
    name : str or Measure
        The measure.
    n_queries : int
        Number of queries.
    n_left_out : int
        Number of queries without a value.

    Examples
    --------
    >>> import warnings
    >>> from skgraded.results import warn_of_no_mean
    >>> with warnings.catch_warnings(record=True) as shown:
    ...     warnings.simplefilter("always")
    ...     warn_of_no_mean("AP", 2, 1)
    >>> print(shown[0].message)  # doctest: +ELLIPSIS
    The mean of AP is undefined because no query has ... weight (1 of 2 have no value).
    """
    warnings.warn(
        f"The mean of {name} is undefined because no query has a value and a positive "
        f"weight ({n_left_out} of {n_queries} have no value).",
        UndefinedMeanWarning,
        stacklevel=stacklevel_of_the_user(),
    )
