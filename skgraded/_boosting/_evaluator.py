"""Means of measures in every iteration of a training, under names that the library leaves free.

Labels of data sets that a library passes again and again are read once.
"""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from numpy.typing import NDArray

from skgraded import _core
from skgraded._guards import LIBRARIES, warn_once
from skgraded._support.arguments import threads
from skgraded._support.exact_mean import exact_means
from skgraded.exceptions import ConstantValueWarning
from skgraded.measures import (
    Measure,
    has_one_value,
    measure as to_measure,
    warn_if_grades_are_inferred,
)
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
        self._sets: dict[int, tuple[weakref.ref[Any], Judgments]] = {}

    def __reduce__(self) -> Any:
        # Libraries deep-copy what they call in every fit.
        return JudgedSets, ()

    def find(
        self, data: DataSet, on_first_use: Callable[[Judgments], None] | None = None
    ) -> Judgments:
        """Return the judgments of a data set, which the first call with this content makes.

        They are shown to a function then.
        """
        sets = self._sets
        content = _core.digest(data)
        if content in sets:
            return sets[content][1]

        judgments = Judgments.from_groups(data.labels, data.sizes, data.weight)
        if content is None:
            return judgments

        # Keep the sets whose labels exist and do not hold the values of this one by now.
        sets_in_use = {content: (weakref.ref(data.labels), judgments)}
        for key, entry in sets.items():
            labels = entry[0]()
            if labels is not None and labels is not data.labels:
                sets_in_use[key] = entry

        # Another thread may read the old sets, which therefore stay as they are.
        self._sets = sets_in_use
        if on_first_use is not None:
            on_first_use(judgments)
        return judgments


# A measure, its string, or a mapping of the names to report to measures.
ChosenMeasure = str | Measure | Mapping[str, str | Measure]

NamedMeasures = tuple[tuple[str, Measure], ...]

_METRICS_AT_CUTOFFS = "|".join(
    metric for library in LIBRARIES.values() for metric in library.metrics_at_cutoffs
)
# XGBoost ends the names by "-" where queries without relevant documents count 0.
_NAMES_OF_BOOSTERS = rf"({_METRICS_AT_CUTOFFS})@\d+-?"


def parse_measure(spec: str | Measure, taker: str) -> Measure:
    """Parse the measure given to a function; warn if its scale would change with the data."""
    parsed = to_measure(spec)
    warn_if_grades_are_inferred([parsed], taker)
    return parsed


def named_measures(choices: Iterable[ChosenMeasure], taker: str) -> NamedMeasures:
    """Parse the measures given to a function; warn if a scale would change with the data."""
    measures = parse_named(choices, taker)
    warn_if_grades_are_inferred([measure for _, measure in measures], taker)
    return measures


def parse_named(choices: Iterable[ChosenMeasure], taker: str) -> NamedMeasures:
    """Parse the measures given to a function, and find the names to report them under.

    Parameters
    ----------
    choices : iterable of str, Measure or mapping of str to str or Measure
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
    specs: list[tuple[str | None, str | Measure]] = []
    for choice in choices:
        specs.extend(_names_and_specs(choice, taker))
    if not specs:
        raise ValueError(f"{taker} needs at least one measure, got none.")

    measures: dict[str, Measure] = {}
    for chosen_name, spec in specs:
        parsed = to_measure(spec)
        name = str(parsed) if chosen_name is None else chosen_name

        namesake = measures.setdefault(name, parsed)
        if namesake != parsed:
            raise ValueError(
                f"The names of measures must differ in {taker}, got {name!r} for {namesake} "
                f"and for {parsed}."
            )
    return tuple(measures.items())


def _names_and_specs(
    choice: ChosenMeasure, taker: str
) -> Iterable[tuple[str | None, str | Measure]]:
    """Return the name and the measure of each choice; None leaves the name to the measure."""
    # For text, the second question takes long.
    if isinstance(choice, str) or not isinstance(choice, Mapping):
        return [(None, choice)]

    for name, spec in choice.items():
        _require_free_name(name, spec, taker)
    return choice.items()


def _require_free_name(name: Any, spec: object, taker: str) -> None:
    """Raise if a name could not be told apart from other parts of a library's report."""
    is_word = isinstance(name, str) and re.fullmatch(r"[^\s:]+", name)
    # The string of a Blend has colons, and may be its name.
    if not is_word and name != str(spec):
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


def as_argument(name: str, measure: Measure) -> str:
    """Return the argument that chose a measure as code, for messages.

    Parameters
    ----------
    name : str
        The name under which the measure is reported.
    measure : Measure
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
    spec = str(measure)
    return repr(name) if name == spec else repr({name: spec})


def named_means(measures: NamedMeasures, rankings: Rankings) -> list[tuple[str, float]]:
    """Return the name and the mean of every measure; raise if a mean is undefined.

    Parameters
    ----------
    measures : tuple of (str, Measure)
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
    values, _ = score_queries([measure for _, measure in measures], rankings)
    means = exact_means(values, judgments.weights, len(measures))

    means_by_name = []
    for (name, measure), [mean] in zip(measures, means, strict=True):
        # A library that gets it would stop the training.
        if math.isnan(mean):
            raise ValueError(
                f"{measure} has no value on this data set: none of its {judgments.n_queries} "
                "queries has anything relevant and a positive weight. Evaluate on queries with "
                "relevant documents, or set empty=0.0 in the measure."
            )
        means_by_name.append((name, mean))
    return means_by_name


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

    def warn_if_constant(self, judgments: Judgments) -> None:
        """Warn where every measure has one value for all rankings of an evaluated data set."""
        for _, measure in self.named:
            if not has_one_value(measure, judgments):
                return

        names = ", ".join(name for name, _ in self.named)
        warn_once(
            f"{names} has one value for every ranking of the {judgments.n_queries} queries that "
            "are evaluated in training, so that nothing tells when to stop. Evaluate at least 1 "
            "query with documents that are relevant and others that are not.",
            ConstantValueWarning,
        )

    def __str__(self) -> str:
        return ", ".join(as_argument(*named_measure) for named_measure in self.named)


def refuse_taken_names(
    measures: NamedMeasures, names_of_library: Collection[str], library: str
) -> None:
    """Raise where a measure has the name of a metric that the library reports itself.

    Its values would be recorded as one with those of the metric, and either would be watched.

    Parameters
    ----------
    measures : tuple of (str, Measure)
        The measures with their names.
    names_of_library : collection of str
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
    for name, measure in measures:
        if name in names_of_library:
            raise ValueError(
                f"The name {name!r} of {measure} must be another one, because {library} itself "
                "reports a metric of that name in this training."
            )


def refuse_bagging_by_query(params: Mapping[str, Any]) -> None:
    """Raise where LightGBM is to draw queries for each tree, while a callable objective trains.

    It then grows no tree, and says nothing.

    Parameters
    ----------
    params : mapping of str to object
        The parameters of LightGBM.

    Raises
    ------
    ValueError
        If ``bagging_by_query`` is set.

    Examples
    --------
    >>> from skgraded._boosting import refuse_bagging_by_query
    >>> refuse_bagging_by_query({"bagging_by_query": False})
    """
    value = params.get("bagging_by_query")
    if value is not None and str(value).lower() in ("true", "1", "+"):
        raise ValueError(
            "bagging_by_query must be left out where a callable objective trains, with which "
            f"LightGBM grows no tree, got {value!r}: draw rows by bagging_fraction and "
            'bagging_freq, or train with objective="lambdarank".'
        )
