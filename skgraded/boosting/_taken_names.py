"""Names of measures that a library has already for metrics of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any
from weakref import WeakKeyDictionary

from skgraded.boosting._evaluator import NamedMeasures

__all__ = ["refuse_taken_names", "reported_names"]

_reported: WeakKeyDictionary[Any, frozenset[str]] = WeakKeyDictionary()


def reported_names(model: Any, report: Callable[[], Iterable[str]]) -> frozenset[str]:
    """Return the names of the metrics that a library reports of a model in training.

    `report` is called once for each model, because a library evaluates its metrics to name them.
    """
    if model not in _reported:
        _reported[model] = frozenset(report())
    return _reported[model]


def refuse_taken_names(named: NamedMeasures, taken: Collection[str], library: str) -> None:
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
    >>> from skgraded.boosting import parse_named, refuse_taken_names
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
