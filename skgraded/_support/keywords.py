"""Calls with a wrong keyword: which one was meant, said only where Python has raised its TypeError.

A public function is decorated by `suggests_keywords`; a right call passes through a ``try``.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from skgraded._support.arguments import closest_of

P = ParamSpec("P")
R = TypeVar("R")

_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'")

# What other tools call an argument, and what it is called here, the first that a function has.
_SAME: dict[str, tuple[str, ...]] = {
    "alpha": ("confidence", "level"),
    "confidence_level": ("confidence", "level"),
    "early_stopping_rounds": ("rounds",),
    "fold": ("cv",),
    "folds": ("cv", "n_splits"),
    "gold": ("y_true", "qrels", "y"),
    "group": ("qid",),
    "group_id": ("qid",),
    "group_ids": ("qid",),
    "groups": ("qid",),
    "labels": ("y_true", "y"),
    "metric": ("measures", "measure"),
    "metrics": ("measures", "measure"),
    "model": ("estimator", "ranker", "rankers"),
    "models": ("estimator", "rankers"),
    "n_fold": ("cv", "n_splits"),
    "n_folds": ("cv", "n_splits"),
    "n_jobs": ("n_threads",),
    "n_threads": ("n_jobs",),
    "nfold": ("cv", "n_splits"),
    "patience": ("rounds", "early_stopping_rounds"),
    "preds": ("y_score", "run"),
    "qids": ("qid",),
    "queries": ("qid",),
    "query": ("qid",),
    "query_id": ("qid",),
    "query_ids": ("qid",),
    "random_seed": ("random_state",),
    "scorer": ("measures", "measure"),
    "scores": ("y_score", "y_true"),
    "scoring": ("measures", "measure"),
    "seed": ("random_state",),
    "stopping_rounds": ("rounds",),
    "targets": ("y_true", "y"),
    "test_fraction": ("test_size",),
    "threads": ("n_threads",),
    "train_fraction": ("train_size",),
    "validation_size": ("validation_fraction",),
    "weight": ("sample_weight",),
    "weights": ("sample_weight", "weight"),
    "y": ("y_true",),
    "y_pred": ("y_score",),
    "y_true": ("y",),
}


def suggests_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function say which keyword was meant where a call has a wrong one.

    Parameters
    ----------
    function : callable
        A public function, or the ``__init__`` of a public class.

    Returns
    -------
    callable
        The function.

    Examples
    --------
    >>> from skgraded._support.keywords import suggests_keywords
    >>> @suggests_keywords
    ... def split(*, n_splits):
    ...     return n_splits
    >>> split(n_split=3)
    Traceback (most recent call last):
        ...
    TypeError: split() got an unexpected keyword argument 'n_split'. Did you mean 'n_splits'?
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            explain(function, error)
            raise

    explain = _explain
    # Its globals are those of the function, by which doctest and pickle find where it belongs.
    wrapper: Any = FunctionType(
        call.__code__, function.__globals__, None, None, call.__closure__
    )
    return functools.update_wrapper(wrapper, function)


def _explain(function: Callable[..., Any], error: TypeError) -> None:
    """Raise what says which keyword was meant, where the call itself has failed."""
    traceback = error.__traceback__
    unexpected = _UNEXPECTED.search(str(error))
    # Another frame is of a call inside the function.
    if unexpected is None or traceback is None or traceback.tb_next is not None:
        return

    name = unexpected.group(1)
    known = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name != "self"
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    qualified_name = function.__qualname__.removesuffix(".__init__")
    raise TypeError(
        f"{qualified_name}() got an unexpected keyword argument {name!r}."
        f"{keyword_that_was_meant(name, known)}"
    ) from None


def keyword_that_was_meant(name: str, known: Collection[str]) -> str:
    """Return which keyword was meant, or all that there are, as a sentence.

    Parameters
    ----------
    name : str
        The wrong keyword.
    known : collection of str
        The right ones.

    Returns
    -------
    str
        The sentence with a space before it.

    Examples
    --------
    >>> from skgraded._support.keywords import keyword_that_was_meant
    >>> keyword_that_was_meant("query_id", ["y_true", "qid"])
    " Did you mean 'qid'?"
    """
    for meant in _SAME.get(name.lower(), ()):
        if meant in known:
            return f" Did you mean {meant!r}?"
    near = closest_of(name, known)
    if near is not None:
        return f" Did you mean {near!r}?"
    return f" The arguments are {', '.join(known)}."
