"""What measures say of every list that can be made of a few graded documents."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from skgraded._support.arguments import integer
from skgraded._support.array_types import FloatArray
from skgraded._support.results_base import Field, Result, Table
from skgraded._support.text import count
from skgraded.measures import Measures, evaluate, measures_by_name
from skgraded.rankings import Rankings, as_rankings

_MOST_LISTS = 100_000


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class AllLists(Result):
    """Values of measures for every list of some documents.

    `to_frame` has one row per list, with the columns list and one for each measure.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    grades : tuple of int
        Grades of the relevant documents, in descending order.
    lists : ndarray of shape (n_lists, length), int64
        The grades of each list, by rank; 0 is a document that is not relevant.
    values : ndarray of shape (n_lists, n_measures)
        The values.
    """

    measures: tuple[str, ...]
    grades: tuple[int, ...]
    lists: NDArray[np.int64]
    values: FloatArray

    @property
    def names(self) -> list[str]:
        """The lists in writing, such as ``"32000"``; grades above 9 are set apart by commas."""
        between = "," if max(self.grades) > 9 else ""  # noqa: PLR2004
        return [between.join(map(str, each)) for each in self.lists.tolist()]

    @property
    def correlation(self) -> FloatArray:
        """Pearson's correlations of the measures over the lists, (n_measures, n_measures).

        They are nan where a measure has the same value for all lists.
        """
        n_lists, n_measures = self.values.shape
        if n_lists == 1:
            return np.full((n_measures, n_measures), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = np.atleast_2d(np.corrcoef(self.values.T))
        return found

    def at(self, *names: str) -> AllLists:
        """Select lists by their names.

        Parameters
        ----------
        *names : str
            Names of lists, such as ``"32000"``.

        Returns
        -------
        AllLists
            The values of these lists.

        Raises
        ------
        KeyError
            If there is no such list.
        """
        documents = count(self.lists.shape[1], "document")
        place = {name: number for number, name in enumerate(self.names)}
        for name in names:
            if name not in place:
                raise KeyError(
                    f"{name!r} is no list of {documents} with the relevant "
                    f"grades {', '.join(map(str, self.grades))}."
                )
        rows = [place[name] for name in names]
        return dataclasses.replace(
            self, lists=self.lists[rows], values=self.values[rows]
        )

    def _table_of_values(self) -> Table:
        """Make the table of the values, with a row for each list."""
        return Table(self._fields())

    def _fields(self) -> list[Field]:
        by_measure = zip(self.measures, self.values.T, strict=True)
        columns = [Field(name, values, name, "{:.3f}") for name, values in by_measure]
        return [Field("list", self.names, "list"), *columns]

    def _table(self) -> Table:
        has_spread = len(self.values) > 1
        deviation = (
            self.values.std(axis=0, ddof=1)
            if has_spread
            else [np.nan] * len(self.measures)
        )
        fields = [
            Field("measure", self.measures, "measure"),
            Field("mean", self.values.mean(axis=0), "mean", "{:.3f}"),
            Field("deviation", deviation, "std. dev.", "{:.3f}"),
        ]
        for at, (name, column) in enumerate(
            zip(self.measures, self.correlation, strict=True)
        ):
            below = [f"{value:.3f}" for value in column[at:]]
            fields.append(Field(name, [""] * at + below, name))
        n_lists, length = self.lists.shape
        lists = "1 list" if n_lists == 1 else f"{n_lists:,} lists"
        grades = (
            f"grade{'s' * (len(self.grades) > 1)} {', '.join(map(str, self.grades))}"
        )
        told = (
            f"{lists} of {count(length, 'document')} with some of the relevant ones, of {grades}; "
            "means, standard deviations and correlations over the lists."
        )
        return Table(fields, [told], widest_label=44)


def score_all_lists(measures: Measures, grades: Sequence[int], length: int) -> AllLists:
    """Score every list of a length that holds some of a query's relevant documents, or none.

    Parameters
    ----------
    measures : str, Measure, iterable of them, or mapping of names to them
        The measures. One without a cut-off, or with a deeper one, gets the cut-off `length`.
    grades : sequence of int
        The grades of the query's relevant documents, such as ``[3, 2, 1]``. There are at least
        `length` others, which are not relevant.
    length : int
        Number of documents of a list.

    Returns
    -------
    AllLists
        The values, their means, standard deviations and correlations.

    Raises
    ------
    ValueError
        If a grade is not an integer above 0, or there are more than 100,000 lists.

    See Also
    --------
    skgraded.studies.correlate : Correlations of measures over your own systems.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization", Section 4.3,
       Tables 3 to 5.

    Examples
    --------
    >>> from skgraded.studies import score_all_lists
    >>> score_all_lists(["QMeasure", "GeneralizedAP", "AP"], [3, 2, 1], 5)
    measure         mean  std. dev.  QMeasure  GeneralizedAP     AP
    QMeasure       0.503      0.240     1.000
    GeneralizedAP  0.410      0.228     0.961          1.000
    AP             0.512      0.254     0.928          0.894  1.000
    136 lists of 5 documents with some of the relevant ones, of grades 3, 2, 1;
      means, standard deviations and correlations over the lists.
    """
    pool = sorted((integer("grades", each, 1) for each in grades), reverse=True)
    if not pool:
        raise ValueError(
            "grades must hold the grade of at least one relevant document, got none."
        )
    length = integer("length", length, 1)
    lists = list(islice(_lists(Counter(pool), length), _MOST_LISTS + 1))
    if len(lists) > _MOST_LISTS:
        raise ValueError(
            f"length must leave at most {_MOST_LISTS:,} lists of these grades, got {length}."
        )
    chosen = {
        name: each.replace(k=min(each.k or length, length))
        for name, each in measures_by_name(measures).items()
    }
    scores = evaluate(chosen, _ranked(lists, pool))
    values = scores.values.reshape(len(lists), -1)
    return AllLists(tuple(chosen), tuple(pool), np.array(lists), values)


def _lists(left: Counter[int], length: int) -> Iterator[list[int]]:
    """Yield the lists, those with the best documents first."""
    for grade in [*sorted((each for each, n in left.items() if n), reverse=True), 0]:
        rest = left - Counter([grade]) if grade else left
        if length == 1:
            yield [grade]
        else:
            for behind in _lists(rest, length - 1):
                yield [grade, *behind]


def _ranked(lists: Sequence[Sequence[int]], pool: Sequence[int]) -> Rankings:
    """Rank each list as a query of its own, and behind it the documents that it lacks."""
    y_true: list[int] = []
    sizes = []
    for each in lists:
        behind = Counter(pool) - Counter(each)
        y_true += [*each, *behind.elements()]
        sizes.append(len(each) + behind.total())
    qid = np.repeat(np.arange(len(lists)), sizes)
    return as_rankings(y_true, -np.arange(float(len(qid))), qid)
