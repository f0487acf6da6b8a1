"""Means of measures in every iteration of a training, under names that the library leaves free.

Labels of data sets that a library passes again and again are read once.
"""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import NDArray

from skgraded import _core
from skgraded._guards import LIBRARIES
from skgraded._support.arguments import threads
from skgraded._support.exact_mean import exact_means
from skgraded.measures import Measure, measure, warn_if_grades_are_inferred
from skgraded.measures._prefix import score_queries
from skgraded.rankings import Judgments, Rankings


class DataSet(NamedTuple):
    """A data set as a library passes it.

    Attributes
    ----------
    labels : ndarray of shape (n_documents,)
        Grades.
    weight : ndarray of shape (n_documents,) or None
        Weight of each row.
    sizes : ndarray of shape (n_queries,)
        Number of rows of each query.
    """

    labels: NDArray[Any]
    weight: NDArray[Any] | None
    sizes: NDArray[Any]


class JudgedSets:
    """Judgments of the data sets in use, found by content; a copy starts without data sets.

    The content is known by a digest of all arrays, which one in 2^64 others has too, because a
    caller may reuse a buffer for other labels. A set is dropped when its labels no longer exist.
    """

    def __init__(self) -> None:
        self._sets: dict[int | None, tuple[weakref.ref[Any], Judgments]] = {}

    def __reduce__(self) -> Any:
        # Libraries deep-copy what they call in every fit.
        return JudgedSets, ()

    def find(self, data: DataSet) -> Judgments:
        """Return the judgments of a data set, which the first call with this content makes."""
        sets = self._sets
        content = _core.digest(data)
        if content in sets:
            return sets[content][1]
        judgments = Judgments.from_groups(data.labels, data.sizes, data.weight)
        if content is not None:
            alive = [(key, each, each[0]()) for key, each in sets.items()]
            others = {
                k: each
                for k, each, y in alive
                if y is not None and y is not data.labels
            }
            self._sets = {**others, content: (weakref.ref(data.labels), judgments)}
        return judgments


# A measure, its string, or a mapping of the names to report to measures.
ChosenMeasure = str | Measure | Mapping[str, str | Measure]

NamedMeasures = tuple[tuple[str, Measure], ...]

_METRICS_AT_CUTOFFS = "|".join(
    metric for library in LIBRARIES.values() for metric in library.metrics_at_cutoffs
)
# XGBoost ends the names by "-" where queries without relevant documents count 0.
_NAMES_OF_BOOSTERS = rf"({_METRICS_AT_CUTOFFS})@\d+-?"


def chosen_measure(given: str | Measure, taker: str) -> Measure:
    """Parse the measure given to a function; warn if its scale would change with the data."""
    parsed = measure(given)
    warn_if_grades_are_inferred([parsed], taker)
    return parsed


def named_measures(given: Iterable[ChosenMeasure], taker: str) -> NamedMeasures:
    """Parse the measures given to a function; warn if a scale would change with the data."""
    named = parse_named(given, taker)
    warn_if_grades_are_inferred([each for _, each in named], taker)
    return named


def parse_named(given: Iterable[ChosenMeasure], taker: str) -> NamedMeasures:
    """Parse the measures given to a function, and find the names to report them under.

    Parameters
    ----------
    given : iterable of str, Measure or mapping of str to str or Measure
        The measures; the keys of a mapping are the names of its measures.
    taker : str
        The function, for messages.

    Returns
    -------
    tuple of (str, Measure)
        Names and measures; no name occurs twice.

    Raises
    ------
    ValueError
        If no measure is given, one is unknown, a name is empty, holds white space or a colon, is
        that of a metric of boosters, or two measures have the same name.

    Examples
    --------
    >>> from skgraded._boosting import parse_named
    >>> parse_named([{"ndcg": "nDCG@10"}, "AP"], "eval_metric")
    (('ndcg', nDCG(k=10)), ('AP', AP()))
    """
    pairs = [pair for each in given for pair in _pairs(each, taker)]
    if not pairs:
        raise ValueError(f"{taker} needs at least one measure, got none.")
    named: dict[str, Measure] = {}
    for name, spec in pairs:
        each = measure(spec)
        chosen = str(each) if name is None else name
        if named.setdefault(chosen, each) != each:
            raise ValueError(
                f"The names of measures must differ in {taker}, got {chosen!r} for {named[chosen]} "
                f"and for {each}."
            )
    return tuple(named.items())


def _pairs(given: ChosenMeasure, taker: str) -> list[tuple[str | None, str | Measure]]:
    """Return a chosen name, or None, and the measure."""
    if isinstance(given, str) or not isinstance(
        given, Mapping
    ):  # which is slow for text
        return [(None, given)]
    named: Mapping[Any, Any] = given
    for name, spec in named.items():
        is_own = name == str(spec)  # that of a Blend has colons
        if not is_own and not (
            isinstance(name, str) and re.fullmatch(r"[^\s:]+", name)
        ):
            # XGBoost joins names and values into one text, which it later splits at these.
            raise ValueError(
                "The name of a measure must be a string without white space and colons, "
                f"got {name!r} in {taker}."
            )
        if re.fullmatch(_NAMES_OF_BOOSTERS, name):
            raise ValueError(
                "The name of a measure must not be one that boosters give metrics of their own, "
                f"got {name!r} in {taker}: values of both would be recorded as one. Take "
                f"{name.replace('@', '_')!r}."
            )
    return list(given.items())


def as_argument(name: str, chosen: Measure) -> str:
    """Return the argument that chose a measure as code, for messages.

    Parameters
    ----------
    name : str
        The name under which the measure is reported.
    chosen : Measure
        The measure.

    Returns
    -------
    str
        Python code.

    Examples
    --------
    >>> from skgraded import AP
    >>> from skgraded._boosting import as_argument
    >>> as_argument("AP", AP()), as_argument("map", AP())
    ("'AP'", "{'map': 'AP'}")
    """
    return repr(name) if name == str(chosen) else repr({name: str(chosen)})


def named_means(named: NamedMeasures, rankings: Rankings) -> list[tuple[str, float]]:
    """Return the name and the mean of every measure; raise if a mean is undefined.

    Parameters
    ----------
    named : tuple of (str, Measure)
        The measures with their names.
    rankings : Rankings
        The documents, ranked.

    Returns
    -------
    list of (str, float)
        The means over the queries, weighted as the rankings say.

    Examples
    --------
    >>> from skgraded import AP
    >>> from skgraded._boosting import named_means
    >>> from skgraded.rankings import Judgments
    >>> named_means((("ap", AP()),), Judgments([0, 1], qid=[0, 0]).rank([0.1, 0.2]))
    [('ap', 1.0)]
    """
    judgments = rankings.judgments
    values, _ = score_queries([each for _, each in named], rankings)
    means = exact_means(values, judgments.weights, len(named))
    found = []
    for (name, chosen), [mean] in zip(named, means, strict=True):
        if math.isnan(mean):  # a library that gets it would stop the training
            raise ValueError(
                f"{chosen} has no value on this data set: none of its {judgments.n_queries} "
                "queries has anything relevant and a positive weight. Evaluate on queries with "
                "relevant documents, or set empty=0.0 in the measure."
            )
        found.append((name, mean))
    return found


@dataclass(frozen=True)
class Evaluator:
    """Measures that are evaluated in every iteration, by the names to report them under."""

    named: NamedMeasures
    # As given: -1 counts the processors of the machine that evaluates. No value depends on it.
    n_threads: int | None = field(compare=False)

    def __post_init__(self) -> None:
        threads(self.n_threads)

    def means_on(self, judgments: Judgments, y_score: Any) -> list[tuple[str, float]]:
        """Return the name and the mean of every measure on documents with known judgments."""
        return named_means(self.named, judgments.rank(y_score, self.n_threads))

    def __str__(self) -> str:
        return ", ".join(as_argument(*each) for each in self.named)


def refuse_taken_names(
    named: NamedMeasures, taken: Collection[str], library: str
) -> None:
    """Raise where a measure has the name of a metric that the library reports itself.

    Its values would be recorded as one with those of the metric, and either would be watched.

    Parameters
    ----------
    named : tuple of (str, Measure)
        The measures with their names.
    taken : collection of str
        The names of the metrics that the library reports.
    library : str
        Name of the library, for the message.

    Raises
    ------
    ValueError
        If a name is taken.

    Examples
    --------
    >>> from skgraded._boosting import parse_named, refuse_taken_names
    >>> refuse_taken_names(parse_named([{"auc": "AP"}], "eval_metric"), ["auc"], "LightGBM")
    Traceback (most recent call last):
        ...
    ValueError: The name 'auc' of AP must be another one, because LightGBM itself reports a metric
    of that name in this training.
    """
    for name, each in named:
        if name in taken:
            raise ValueError(
                f"The name {name!r} of {each} must be another one, because {library} itself "
                "reports a metric of that name in this training."
            )
