"""What `QueryRanker` says where its arguments are not written as it takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ParamSpec

from sklearn.pipeline import Pipeline

from skgraded.measures import Measure, measure

__all__ = ["place_of_parameters", "the_measure", "with_hints"]

P = ParamSpec("P")

_BY_POSITION = 2  # the ranker itself and the estimator


def with_hints(init: Callable[P, None]) -> Callable[P, None]:
    """Let a constructor name the way out where it is called with arguments that it does not take.

    Raises
    ------
    TypeError
        If more than the estimator is given by position, or a keyword is unknown.
    """
    known = list(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def hinting(*args: P.args, **params: P.kwargs) -> None:
        if len(args) > _BY_POSITION:
            raise TypeError(
                "QueryRanker takes the estimator by position and everything else by name, got "
                f"{args[_BY_POSITION]!r}: write QueryRanker(estimator, measure=...)."
            )
        for name in params.keys() - known:
            close = get_close_matches(name, known, n=1)
            raise TypeError(
                f"QueryRanker has no parameter {name}: "
                + (f"write {close[0]}." if close else "give one of the estimator to that.")
            )
        init(*args, **params)

    return hinting


def place_of_parameters(ranker: Any, names: Iterable[str]) -> str:
    """Tell under which names `set_params` and searches know parameters of the estimator."""
    known = ranker.get_params()
    name = next((each for each in names if each not in known), "name")
    last = name.rpartition("__")[2]
    places = [each for each in known if each.endswith(f"__{last}")]
    place = places[0] if places else f"{_path_to_the_last_step(ranker.estimator)}{last}"
    return f"A parameter of the estimator is written with its place: {place}."


def _path_to_the_last_step(estimator: Any, path: str = "estimator__") -> str:
    if not isinstance(estimator, Pipeline):
        return path
    name, last = estimator.steps[-1]
    return _path_to_the_last_step(last, f"{path}{name}__")


def the_measure(given: Any) -> Measure:
    """Parse the measure of a ranker, which is a single one.

    Raises
    ------
    TypeError
        If several measures are given.
    """
    if isinstance(given, list | tuple | set | Mapping):
        raise TypeError(
            f"measure must be a single one, which score returns and early stopping watches, got "
            f"{given!r}: fit(..., eval_metric={{name: measure}}) records others in training, and "
            "scoring=make_ranking_scorer([...]) takes several."
        )
    return measure(given)
