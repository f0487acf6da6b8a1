"""Rows that stand query by query, to train on and to watch the training on, and what goes along."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from skgraded._guards import warn_if_rows_are_those_of_a_fold
from skgraded.boosting import NamedMeasures, parse_named
from skgraded.measures import Measure
from skgraded.rankings import Judgments

PredictsWith = Literal["best", "last", "any"]


@dataclasses.dataclass(frozen=True)
class QueryRows:
    """Rows that stand query by query.

    Attributes
    ----------
    X : array-like of shape (n_documents, n_features)
        Features.
    y : ndarray of shape (n_documents,)
        Grades; NaN = unjudged, which only validation rows may be.
    sizes : ndarray of shape (n_queries,), int64
        Number of rows of each query.
    weight : ndarray of shape (n_documents,) or None
        Weight of each row.
    per_row : mapping of str to array-like of shape (n_documents,)
        Fit parameters with an entry per row, such as LightGBM's ``init_score``.
    ranks : ndarray of shape (n_queries,), int64
        Rank of each query by its id, from 0.
    pairs : Pairs or None
        CatBoost's pairs of these rows.
    """

    X: Any
    y: NDArray[Any]
    sizes: NDArray[np.int64]
    weight: NDArray[Any] | None
    per_row: Mapping[str, Any]
    ranks: NDArray[np.int64]
    pairs: Pairs | None = None

    @property
    def query_of_row(self) -> NDArray[np.int64]:
        """0, 1, ... for each row: ids in ascending order, which XGBoost requires."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def ids_of_rows(self) -> NDArray[np.int64]:
        """Rank of the id of each row's query: ids by which splitters make the same folds."""
        return np.repeat(self.ranks, self.sizes)

    @property
    def labels(self) -> NDArray[np.float64]:
        """A copy of the grades for a booster, which accepts no NaN: 0 where a row is unjudged."""
        return np.nan_to_num(self.y.astype(np.float64))

    @cached_property
    def judgments(self) -> Judgments:
        """Grades and weights by query, NaN included."""
        return Judgments.from_groups(self.y, self.sizes, self.weight)

    @property
    def query_weight(self) -> NDArray[np.float64] | None:
        """Mean weight of the rows of each query."""
        return None if self.weight is None else self.judgments.weights

    @property
    def query_weight_of_row(self) -> NDArray[np.float64] | None:
        """Weight of the query of each row."""
        weight = self.query_weight
        return None if weight is None else np.repeat(weight, self.sizes)

    def take(self, queries: NDArray[np.int64]) -> QueryRows:
        """Take the rows of some queries, in the order in which they stand."""
        taken = np.zeros(len(self.sizes), dtype=bool)
        taken[queries] = True
        rows = np.flatnonzero(np.repeat(taken, self.sizes))
        return dataclasses.replace(
            self.at(rows, self.sizes[taken]),
            ranks=self.ranks[taken],
        )

    def at(self, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> QueryRows:
        """Take some rows in a given order, in which they form queries of the given sizes."""
        return QueryRows(
            X=_safe_indexing(self.X, rows),
            y=self.y[rows],
            sizes=sizes,
            weight=None if self.weight is None else self.weight[rows],
            per_row={name: _safe_indexing(each, rows) for name, each in self.per_row.items()},
            ranks=self.ranks,
            pairs=None if self.pairs is None else self.pairs.at(rows, len(self.y)),
        )


@dataclasses.dataclass(frozen=True)
class Validation:
    """Rows of whole queries to watch the training on.

    Attributes
    ----------
    rows : QueryRows
        The rows.
    named : tuple of (str, Measure)
        The measures to record with their names; the first is watched.
    rounds : int or None
        The number of rounds without improvement after which training stops.
    """

    rows: QueryRows
    named: NamedMeasures
    rounds: int | None

    def predicts_with(self, best_iteration: int | None) -> PredictsWith:
        """Which of the recorded iterations predictions use, where a library has found a best one.

        Where `rounds` is None, a callback of the user's has found it by a rule of its own.
        """
        if best_iteration is None:
            return "last"
        return "any" if self.rounds is None else "best"

    def with_others(self, others: Iterable[tuple[str, Measure]]) -> NamedMeasures:
        """Add measures that are to be recorded, too.

        A name that was chosen for a measure takes the place of its string.
        """
        others = tuple(others)
        (own_name, own), *rest = self.named
        chosen = [name for name, each in others if each == own]
        if own_name == str(own) and chosen:
            own_name = chosen[0]
        everything: dict[str, Measure] = {own_name: own}
        for name, each in [*rest, *others]:
            if each == own:
                continue
            if everything.setdefault(name, each) != each:
                raise ValueError(
                    f"The names of measures must differ, got {name!r} for {everything[name]} and "
                    f"for {each}."
                )
        return tuple(everything.items())


class Watched(NamedTuple):
    """What a training has recorded on the validation queries.

    Attributes
    ----------
    evals_result : dict
        The values by name of the rows and name of the metric.
    best_iteration : int or None
        The number of iterations that predictions use.
    named : tuple of (str, Measure)
        The measures among the metrics, by the names that they have there; the first was watched.
    predicts_with : {"best", "last", "any"}
        Which of the recorded iterations predictions use; "any" where another rule chose it.
    """

    evals_result: dict[str, dict[str, list[float]]]
    best_iteration: int | None
    named: NamedMeasures
    predicts_with: PredictsWith


IntArray = NDArray[np.int64]
_ENDS = 2  # winner and loser


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows of one query.

    Attributes
    ----------
    rows : ndarray of shape (n_pairs, 2)
        Row numbers of winner and loser.
    weight : ndarray of shape (n_pairs,) or None
        Weight of each pair.
    """

    rows: IntArray
    weight: NDArray[Any] | None

    @classmethod
    def read(cls, pairs: Any, weight: Any, judgments: Judgments) -> Self | None:
        """Read the fit parameters ``pairs`` and ``pairs_weight``; None where there are none."""
        if pairs is None:
            if weight is not None:
                raise ValueError("pairs_weight needs pairs, got pairs=None.")
            return None
        warn_if_rows_are_those_of_a_fold(pairs)
        rows = _row_numbers(pairs, judgments.n_documents)
        _require_one_query(rows, judgments)
        weights = None if weight is None else np.asarray(weight)
        if weights is not None and weights.shape != (len(rows),):
            raise ValueError(
                f"pairs_weight must have an entry per pair, got the shape {weights.shape} for "
                f"{len(rows)} pairs."
            )
        return cls(rows, weights)

    def at(self, rows: IntArray, n_rows: int) -> Pairs:
        """Take the pairs of some rows out of `n_rows`, numbered as these stand."""
        number = np.full(n_rows, -1)
        number[rows] = np.arange(len(rows))
        moved = number[self.rows]
        kept = (moved >= 0).all(axis=1)
        return Pairs(moved[kept], None if self.weight is None else self.weight[kept])

    def as_params(self) -> dict[str, Any]:
        """Return CatBoost's parameters."""
        # The oldest CatBoost that is supported takes no array here, only a list.
        weighted = {} if self.weight is None else {"pairs_weight": self.weight.tolist()}
        return {"pairs": self.rows, **weighted}


def _row_numbers(pairs: Any, n_rows: int) -> IntArray:
    rows = np.asarray(pairs)
    if rows.ndim != _ENDS or rows.shape[1] != _ENDS or len(rows) == 0:
        raise ValueError(
            "pairs must hold the row numbers of a winner and a loser in each of its rows, got the "
            f"shape {rows.shape}."
        )
    if rows.dtype.kind not in "iu":
        raise ValueError(f"pairs must be row numbers, that is integers, got {rows.dtype}.")
    outside = rows[(rows < 0) | (rows >= n_rows)]
    if len(outside):
        raise ValueError(
            f"pairs must be row numbers from 0 to {n_rows - 1} of the rows given to fit, "
            f"got {outside[0]}."
        )
    return rows.astype(np.int64)


def _require_one_query(rows: IntArray, judgments: Judgments) -> None:
    query = np.empty(judgments.n_documents, dtype=np.int64)
    by_query = np.repeat(np.arange(judgments.n_queries), np.diff(judgments.indptr))
    query[slice(None) if judgments.row_order is None else judgments.row_order] = by_query
    apart = np.flatnonzero(query[rows[:, 0]] != query[rows[:, 1]])
    if len(apart):
        winner, loser = rows[apart[0]].tolist()
        one, two = judgments.qid[query[[winner, loser]]].tolist()
        raise ValueError(
            f"pairs must be of two rows of one query, got rows {winner} and {loser} of the queries "
            f"{one!r} and {two!r}."
        )


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
    known, n_rows = _names_of_library(estimator.__class__), judgments.n_documents
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


# Of the largest score or of a value. The last digits of scores may depend on how they are summed.
_ROUNDING = 1e-6


def require_the_model_watched(
    watched: Watched, rows: QueryRows, scores: NDArray[Any], predictor: str
) -> None:
    """Raise where predictions have another value than the one recorded while training.

    Parameters
    ----------
    watched : Watched
        The recorded values.
    rows : QueryRows
        The validation rows.
    scores : ndarray of shape (n_documents,)
        The predictions for these rows.
    predictor : str
        Name of the estimator, for the message.
    """
    name, chosen = watched.named[0]
    recorded = np.asarray(watched.evals_result["valid_0"][name])
    if watched.predicts_with != "any":
        best = recorded.max() if chosen.greater_is_better else recorded.min()
        recorded = np.array([best if watched.predicts_with == "best" else recorded[-1]])
    shown = chosen(rows.judgments.rank(scores))
    nearest = recorded[np.abs(recorded - shown).argmin()]
    scale = max(1.0, abs(nearest))
    if abs(shown - nearest) <= _ROUNDING * scale:
        return
    if abs(shown - nearest) > _share_of_close_scores(rows, scores) * scale:
        raise ValueError(
            f"{name} on the validation rows was {nearest:.6g} in training, in the iteration that "
            f"predictions use, but is {shown:.6g} by predict of {predictor}: another model was "
            "watched than the one that predicts. Look for what changes predict alone, such as a "
            "number or range of iterations, a rounding of its scores, or a transformer that gives "
            "other features for the same rows."
        )


def _share_of_close_scores(rows: QueryRows, scores: NDArray[Any]) -> float:
    """Share of the queries with documents whose order by score may depend on rounding."""
    query = rows.query_of_row
    by_score = np.lexsort((scores, query))
    gaps = np.diff(scores[by_score].astype(np.float64))
    close = (gaps > 0) & (gaps < _ROUNDING * np.abs(scores).max()) & (np.diff(query) == 0)
    return len(np.unique(query[1:][close])) / len(rows.sizes)
