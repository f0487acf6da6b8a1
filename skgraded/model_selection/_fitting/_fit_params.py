"""Fit parameters that belong to rows: which they are, and how they follow the rows."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from skgraded.boosting import NamedMeasures, parse_named
from skgraded.model_selection._fitting._estimators import final_step
from skgraded.model_selection._fitting._pairs import Pairs
from skgraded.rankings import Judgments

# Their other parameters belong to columns, evaluation sets or the training as a whole.
_BOOSTERS = {"lightgbm", "xgboost", "catboost"}
_PER_ROW = {"init_score", "base_margin", "baseline", "subgroup_id", "group_weight"}
_PAIRS = {"pairs", "pairs_weight"}

# What training starts from: the rows, those of eval_X, and the library's own name for the latter.
_OFFSETS = {
    "init_score": ("eval_init_score", "eval_init_score"),
    "base_margin": ("eval_base_margin", "base_margin_eval_set"),
    "baseline": ("eval_baseline", None),
}
_OFFSETS_OF_OURS = {"eval_base_margin", "eval_baseline"}  # a library's fit does not know them

# Names that XGBoost has for the rows of evaluation sets, and ours.
_RENAMED = {
    "sample_weight_eval_set": "eval_sample_weight",
    "base_margin_eval_set": "eval_base_margin",
}


class FitParams(NamedTuple):
    """Fit parameters of the rows to train on and of the rows to evaluate, and named measures."""

    training: dict[str, Any]
    evaluation: dict[str, Any]
    named: NamedMeasures


def split_fit_params(fit_params: Mapping[str, Any], *, watches: bool, is_given: bool) -> FitParams:
    """Take out of the fit parameters what `QueryRanker` itself hands on, and check all of them.

    These are the initial scores of ``eval_X`` and a mapping of names to measures.

    Parameters
    ----------
    fit_params : mapping of str to object
        As given to the fit.
    watches : bool
        Whether the training is watched on some rows.
    is_given : bool
        Whether these rows are given, ``eval_X``, and not held out.

    Returns
    -------
    FitParams
        Those of the evaluation set have the names that training rows have.

    Raises
    ------
    ValueError
        If some rows have an initial score and others have none, or measures are named and nothing
        is watched.
    """
    training = {
        name: value
        for name, value in fit_params.items()
        if value is not None or name not in _OFFSETS_OF_OURS
    }
    named = _take_named(training, watches=watches)
    evaluation = {}
    for name, (ours, own) in _OFFSETS.items():
        if is_given:
            _require_both(training, name, ours)
            if training.get(name) is not None:
                evaluation[name] = _the_only_set(training.pop(ours))
        elif watches or ours in _OFFSETS_OF_OURS:
            _refuse_offset(training, name, ours, holds_out=watches)
        if own is not None and not watches:
            _require_own(training, name, own)
    if watches:
        for name in sorted(_RENAMED.keys() & training.keys()):
            raise ValueError(
                f"{name} must be left out: pass {_RENAMED[name]} together with eval_X."
            )
    return FitParams(training, evaluation, named)


def _take_named(training: dict[str, Any], *, watches: bool) -> NamedMeasures:
    """Take a mapping of names to measures out of the fit parameters."""
    if not isinstance(training.get("eval_metric"), Mapping):
        return ()
    if not watches:
        raise ValueError(
            "eval_metric needs validation queries to evaluate measures on: set "
            "validation_fraction, or pass eval_X."
        )
    return parse_named([training.pop("eval_metric")], "eval_metric")


def _require_both(given: Mapping[str, Any], name: str, of_evaluation: str) -> None:
    """Raise where training and evaluation rows do not both have an initial score, or both none."""
    has, evaluated = given.get(name) is not None, given.get(of_evaluation) is not None
    if has and not evaluated:
        raise ValueError(
            f"{of_evaluation} is missing: the rows to train on have {name}, and the model scores "
            "the rows of eval_X without it, so that the measure would watch another model."
        )
    if evaluated and not has:
        raise ValueError(
            f"{of_evaluation} needs {name}: the rows to train on must have initial scores, too."
        )


def _refuse_offset(given: Mapping[str, Any], name: str, ours: str, *, holds_out: bool) -> None:
    if given.get(ours) is not None:
        reason = (
            f"the rows held out take theirs from {name}" if holds_out else "it belongs to eval_X"
        )
        raise ValueError(f"{ours} must be left out where eval_X is not given: {reason}.")


def _require_own(given: Mapping[str, Any], name: str, own: str) -> None:
    """Raise where a library's own evaluation sets lack the initial scores of the training rows."""
    lacks = given.get(own) is None and given.get("eval_set") is not None
    if given.get(name) is not None and lacks:
        raise ValueError(
            f"{own} is missing: the rows to train on have {name}, and the rows of eval_set have "
            "none, so that they would be scored by another model."
        )


def _the_only_set(given: Any) -> Any:
    """Return the values of one evaluation set, which may stand in a list as the libraries ask."""
    if isinstance(given, list | tuple) and len(given) == 1 and np.ndim(given[0]) > 0:
        return given[0]
    return given


class TakenAlong(NamedTuple):
    """What `QueryRows` takes along of the fit parameters."""

    per_row: dict[str, Any]
    pairs: Pairs | None


def take_along(estimator: Any, fit_params: Mapping[str, Any], judgments: Judgments) -> TakenAlong:
    """Pick the fit parameters that go along with the rows.

    Parameters
    ----------
    estimator : estimator
        By its library it is known which parameters these are. For any other estimator, they are
        the arrays and lists with an entry per row.
    fit_params : mapping of str to object
        All fit parameters.
    judgments : Judgments
        The rows.

    Returns
    -------
    TakenAlong
        In the order in which the rows were given.

    Raises
    ------
    ValueError
        If a parameter has no entry for some row, or pairs are not of rows of one query.
    """
    known, n_rows = _names_of_library(final_step(estimator).__class__), judgments.n_documents
    per_row, pairs = {}, None
    if "graph" in known and fit_params.get("graph") is not None:
        raise ValueError(
            "graph must be left out of the fit parameters: its edges are row numbers, and predict "
            "would need the edges between the rows that it scores."
        )
    for name, value in fit_params.items():
        if value is None or (name in _PAIRS and name in known):
            continue
        if name in known and name in _PER_ROW:
            per_row[name] = entry_per_row(name, value, n_rows)
        elif name not in known and _n_entries(value) == n_rows:
            is_arrow = type(value).__module__.startswith("pyarrow")
            # An older scikit-learn takes rows of Arrow arrays as lists of Arrow's scalars.
            per_row[name] = np.asarray(value) if is_arrow else value
    if _PAIRS & known:
        pairs = Pairs.read(fit_params.get("pairs"), fit_params.get("pairs_weight"), judgments)
    return TakenAlong(per_row, pairs)


@lru_cache
def _names_of_library(kind: type[Any]) -> frozenset[str]:
    """Names of the fit parameters of a booster's library; none of any other type of estimator."""
    found: set[str] = set()
    for each in kind.__mro__:
        if each.__module__.partition(".")[0] in _BOOSTERS and hasattr(each, "fit"):
            found.update(inspect.signature(each.fit).parameters)
    return frozenset(found)


def entry_per_row(name: str, value: Any, n_rows: int) -> NDArray[Any]:
    """Return values as an array; raise where they are not one for each row."""
    values = np.asarray(value)
    n_entries = len(values) if values.ndim else 1
    if n_entries != n_rows:
        raise ValueError(
            f"{name} must have an entry per row, got {n_entries} for {n_rows} rows; with several "
            "values for each row, their shape is (n_rows, n_values)."
        )
    return values


def _n_entries(value: Any) -> int | None:
    is_sized = isinstance(value, list | tuple) or hasattr(value, "shape")
    is_sized = is_sized or hasattr(value, "__array__")  # such as Arrow's, which have no shape
    try:
        return int(_num_samples(value)) if is_sized else None
    except TypeError:  # a single value
        return None
