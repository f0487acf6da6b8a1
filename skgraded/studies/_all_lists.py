"""What measures say of every list that can be made of a few graded documents."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from skgraded._support.arguments import integer
from skgraded._support.array_types import FloatArray, IntArray
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
    lists: IntArray
    values: FloatArray

    @property
    def names(self) -> list[str]:
        """The lists in writing, such as ``"32000"``; grades above 9 are set apart by commas."""
        separator = ""
        if max(self.grades) > 9:  # noqa: PLR2004 - grades of two digits
            separator = ","

        names = []
        for grades in self.lists.tolist():
            words = map(str, grades)
            names.append(separator.join(words))
        return names

    @property
    def correlation(self) -> FloatArray:
        """Pearson's correlations of the measures over the lists, (n_measures, n_measures).

        They are nan where a measure has the same value for all lists.
        """
        n_lists, n_measures = self.values.shape
        if n_lists == 1:
            shape = (n_measures, n_measures)
            return np.full(shape, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            correlation = np.corrcoef(self.values, rowvar=False)
        return np.atleast_2d(correlation)

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
        row_by_name = {name: row for row, name in enumerate(self.names)}
        for name in names:
            if name not in row_by_name:
                _, length = self.lists.shape
                documents = count(length, "document")
                grades = ", ".join(map(str, self.grades))
                raise KeyError(
                    f"{name!r} is no list of {documents} with the relevant grades {grades}."
                )

        rows = [row_by_name[name] for name in names]
        lists = self.lists[rows]
        values = self.values[rows]
        return dataclasses.replace(self, lists=lists, values=values)

    def table_of_values(self) -> Table:
        """Make the table of the values, with a row for each list.

        Returns
        -------
        Table
            The table, whose ``to_text`` draws it.
        """
        return Table(self._fields())

    def table(self) -> Table:
        """Make the table of means, standard deviations and correlations over the lists.

        Returns
        -------
        Table
            The table, whose ``to_text`` draws it.
        """
        means = self.values.mean(axis=0)
        deviations = np.full_like(means, np.nan)
        if len(self.values) > 1:
            deviations = self.values.std(axis=0, ddof=1)
        fields = [
            Field("measure", self.measures, "measure"),
            Field("mean", means, "mean", "{:.3f}"),
            Field("deviation", deviations, "std. dev.", "{:.3f}"),
        ]

        # The half of the symmetric matrix below its diagonal.
        correlation = self.correlation
        for column, name in enumerate(self.measures):
            blanks = [""] * column
            values_below = correlation[column, column:]
            cells = [f"{value:.3f}" for value in values_below]
            fields.append(Field(name, blanks + cells, name))
        sentence = self._sentence()
        return Table(fields, [sentence], widest_label=44)

    def _sentence(self) -> str:
        n_lists, length = self.lists.shape
        lists = "1 list" if n_lists == 1 else f"{n_lists:,} lists"
        grades = "grade" if len(self.grades) == 1 else "grades"
        grades = f"{grades} {', '.join(map(str, self.grades))}"
        return (
            f"{lists} of {count(length, 'document')} with some of the relevant ones, of {grades}; "
            "means, standard deviations and correlations over the lists."
        )

    def _fields(self) -> list[Field]:
        fields = [Field("list", self.names, "list")]
        for name, values in zip(self.measures, self.values.T, strict=True):
            fields.append(Field(name, values, name, "{:.3f}"))
        return fields

    def _table(self) -> Table:
        return self.table()


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
    pool = [integer("grades", grade, 1) for grade in grades]
    pool.sort(reverse=True)
    if not pool:
        raise ValueError(
            "grades must hold the grade of at least one relevant document, got none."
        )
    length = integer("length", length, 1)

    # One more than the most, to see whether there are more.
    all_lists = _lists(Counter(pool), length)
    lists = list(islice(all_lists, _MOST_LISTS + 1))
    if len(lists) > _MOST_LISTS:
        raise ValueError(
            f"length must leave at most {_MOST_LISTS:,} lists of these grades, got {length}."
        )

    cut_measures = {
        name: measure.replace(k=min(measure.k or length, length))
        for name, measure in measures_by_name(measures).items()
    }
    scores = evaluate(cut_measures, _rankings_of(lists, pool))
    return AllLists(
        measures=tuple(cut_measures),
        grades=tuple(pool),
        lists=np.array(lists),
        values=scores.values.reshape(len(lists), -1),
    )


def _lists(pool: Counter[int], length: int) -> Iterator[list[int]]:
    """Yield the lists, those with the best documents first."""
    # A counter that was subtracted from has no grades without documents.
    grades = sorted(pool, reverse=True)
    for grade in [*grades, 0]:
        if length == 1:
            yield [grade]
            continue

        remaining_pool = pool
        if grade:
            remaining_pool = pool - Counter([grade])
        for tail in _lists(remaining_pool, length - 1):
            yield [grade, *tail]


def _rankings_of(lists: Sequence[Sequence[int]], pool: Sequence[int]) -> Rankings:
    """Rank each list as a query of its own, and behind it the documents that it lacks."""
    y_true: list[int] = []
    sizes = []
    for grades in lists:
        lacking = Counter(pool) - Counter(grades)
        documents = [*grades, *lacking.elements()]
        y_true += documents
        sizes.append(len(documents))

    list_numbers = np.arange(len(lists))
    qid = np.repeat(list_numbers, sizes)
    n_documents = len(qid)
    falling_scores = -np.arange(float(n_documents))
    return as_rankings(y_true, falling_scores, qid)
