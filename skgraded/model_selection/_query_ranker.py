"""A ranking model as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import _num_samples, check_is_fitted

from skgraded._query_ids import resolve_query_ids, split_target, without_query_ids
from skgraded.measures import Measure, measure
from skgraded.model_selection._fitting import (
    QueryRows,
    Validation,
    can_stop_early,
    final_step,
    fit_estimator,
)
from skgraded.model_selection._splitters import draw_queries
from skgraded.rankings import Judgments

__all__ = ["QueryRanker"]

# Worked out from the query ids; given beside them they could only contradict.
_WORKED_OUT = {"group", "group_id"}
_EVALUATION_SETS = {"eval_set", "eval_X", "eval_y", "eval_group", "eval_qid"}


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A ranking model that scikit-learn's tools can cross-validate, search and stop early.

    Wraps a ranker or regressor so that one query id per row is all it needs. Rows may stand in any
    order: they are laid out query by query, and LightGBM gets group sizes, XGBoost sorted numeric
    ids, CatBoost group ids. `score` is the measure.

    The ids are taken from the first of these that is there: the keyword ``qid`` (inside
    scikit-learn's tools with metadata routing on; no ``set_fit_request`` is needed),
    `query_target`, a column ``"qid"`` of a pandas or polars X, an index level ``"qid"`` of y or X.

    Parameters
    ----------
    estimator : estimator
        LGBMRanker, XGBRanker, CatBoostRanker, any regressor, or a Pipeline that ends in one of
        them. It is cloned, not changed.
    measure : Measure or str
        What `score` returns and early stopping watches, such as ``xGAP(g=(.1, .9), k=10)`` or
        ``"nDCG@10"``. Where it leaves the scale's top grade open, `fit` takes that of the training
        labels.
    validation_fraction : float, optional
        Share of the training queries, between 0 and 1, that is held out and evaluated in each
        iteration. Whole queries, drawn by their ids, so that the order of rows does not matter.
        So far for LGBMRanker, also at the end of a Pipeline.
    early_stopping_rounds : int, optional
        Stop when the measure on the held-out queries has not improved for that many iterations,
        and predict with the best one. Needs `validation_fraction`.
    random_state : int, RandomState instance or None, optional
        Draws the held-out queries; it is not handed to `estimator`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    measure_ : Measure
        The measure with nothing left open.
    n_features_in_ : int
        Number of features, a ``"qid"`` column not counted.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X has string column names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Those of the fitted estimator, where it has them.
    validation_qid_ : ndarray of shape (n_validation_queries,)
        Ids of the held-out queries, in order of appearance; only with `validation_fraction`.
    evals_result_ : dict
        Values on the held-out queries, ``{"valid_0": {str(measure_): [...]}}``; only with
        `validation_fraction`.
    best_iteration_ : int
        Number of iterations that predictions use; only with `early_stopping_rounds`.

    See Also
    --------
    QueryKFold : Folds of whole queries.
    make_ranking_scorer : Scorer for other measures than the ranker's own.

    Notes
    -----
    LightGBM trains on all cores unless told otherwise; give the estimator ``n_jobs=1`` inside a
    search that runs in parallel itself. Rows that already stand query by query are left where they
    are, so that the model is the one that ``LGBMRanker.fit(X, y, group=sizes)`` gives.

    A metric that is set in an LGBMRanker is recorded beside the measure, but never watched.

    Examples
    --------
    >>> from lightgbm import LGBMRanker
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skgraded import QueryKFold, QueryRanker, query_target
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
    >>> ranker = QueryRanker(
    ...     LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1),
    ...     measure="xGAP@10",
    ...     validation_fraction=0.25,
    ...     early_stopping_rounds=5,
    ...     random_state=0,
    ... )
    >>> search = GridSearchCV(ranker, {"estimator__num_leaves": [3, 7]}, cv=QueryKFold(3))
    >>> search = search.fit(X, query_target(y, qid))
    >>> search.best_estimator_.measure_
    xGAP(max_grade=4, k=10)
    >>> len(search.best_estimator_.validation_qid_)
    15
    """

    # Ask for these by default, so that users call no set_fit_request and set_score_request.
    __metadata_request__fit = {"qid": True, "sample_weight": True}  # noqa: RUF012
    __metadata_request__score = {"qid": True, "sample_weight": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        *,
        measure: str | Measure,
        validation_fraction: float | None = None,
        early_stopping_rounds: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.measure = measure
        self.validation_fraction = validation_fraction
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the estimator on whole queries.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Features. A column ``"qid"`` of a DataFrame is not among them.
        y : array-like of shape (n_documents,)
            Grades, or what `query_target` makes.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, of any type, in any order.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row. XGBRanker, CatBoostRanker and the measure weigh queries, by the mean
            of their rows.
        **fit_params : object
            Handed to the fit of the estimator, in a Pipeline to that of its last step. Arrays and
            lists with an entry per row go along with the rows.

        Returns
        -------
        QueryRanker
            The fitted ranker.

        Raises
        ------
        ValueError
            If query ids are missing, group sizes are given in their place, a grade is negative
            or NaN, or queries cannot be held out as asked.
        """
        stopping = self._check_stopping(fit_params)
        for fitted in ("validation_qid_", "evals_result_", "best_iteration_"):
            self.__dict__.pop(fitted, None)
        judgments, rows = self._lay_out(X, y, qid, sample_weight, fit_params)
        self.measure_ = _resolved(self.measure, judgments)
        self.estimator_ = clone(self.estimator)
        validation = None
        if stopping:
            rows, validation = self._hold_out(judgments, rows)
        whole = {name: each for name, each in fit_params.items() if name not in rows.per_row}
        watched = fit_estimator(self.estimator_, rows, validation, whole)
        if watched is not None:
            self.evals_result_ = watched.evals_result
            if watched.best_iteration is not None:
                self.best_iteration_ = watched.best_iteration
        return self

    def _check_stopping(self, fit_params: dict[str, Any]) -> bool:
        """Check what has to do with validation; tell whether there is any."""
        fraction, rounds = self.validation_fraction, self.early_stopping_rounds
        _reject(fit_params, _WORKED_OUT, "is worked out from the query ids")
        if rounds is not None and (not isinstance(rounds, Integral) or rounds < 1):
            raise ValueError(
                f"early_stopping_rounds must be an integer >= 1 or None, got {rounds!r}."
            )
        if fraction is None:
            if rounds is not None:
                raise ValueError(
                    "early_stopping_rounds needs validation_fraction, the share of queries to stop "
                    f"on, got early_stopping_rounds={rounds} and validation_fraction=None."
                )
            return False
        if not isinstance(fraction, Real) or not 0 < fraction < 1:
            raise ValueError(
                "validation_fraction must lie strictly between 0 and 1 or be None, "
                f"got {fraction!r}."
            )
        if not can_stop_early(self.estimator):
            raise ValueError(
                "validation_fraction is supported for LGBMRanker so far, "
                f"got {type(final_step(self.estimator)).__name__}; leave it None."
            )
        _reject(fit_params, _EVALUATION_SETS, "is taken by validation_fraction")
        return True

    def _lay_out(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None,
        sample_weight: ArrayLike | None,
        fit_params: dict[str, Any],
    ) -> tuple[Judgments, QueryRows]:
        """Check the data and bring the rows of each query together."""
        if y is None:
            raise ValueError("y must hold the grades of the documents, got None.")
        features, grades = without_query_ids(X), np.asarray(split_target(y)[0])
        _check_features(self, features, reset=True)
        if _num_samples(features) != len(grades):
            raise ValueError(
                "X and y must have the same number of rows, "
                f"got {_num_samples(features)} and {len(grades)}."
            )
        judgments = Judgments.from_arrays(grades, resolve_query_ids(X, y, qid), sample_weight)
        if judgments.has_unjudged:
            raise ValueError(
                f"y must be judged in every row to train on, got NaN in {np.isnan(grades).sum()} "
                f"of {len(grades)} rows: drop these rows, or take grade 0 for them."
            )
        rows = QueryRows(
            # Of the sparse formats, CSR is the one whose rows can be taken.
            X=features.tocsr() if hasattr(features, "tocsr") else features,
            y=grades,
            sizes=np.diff(judgments.indptr),
            weight=None if sample_weight is None else np.asarray(sample_weight),
            per_row=_with_an_entry_per_row(fit_params, len(grades)),
        )
        if judgments.row_order is not None:
            rows = rows.at(judgments.row_order, rows.sizes)
        return judgments, rows

    def _hold_out(self, judgments: Judgments, rows: QueryRows) -> tuple[QueryRows, Validation]:
        """Split the queries into training and validation."""
        n_queries = judgments.n_queries
        if n_queries < 2:  # noqa: PLR2004
            raise ValueError(
                f"validation_fraction needs at least 2 training queries, got {n_queries}: "
                "one is held out, one to train on."
            )
        share = round(float(self.validation_fraction or 0) * n_queries)
        n_held_out = min(max(1, share), n_queries - 1)
        queries = draw_queries(judgments, self.random_state)
        held_out, kept = queries[:n_held_out], queries[n_held_out:]
        self.validation_qid_ = judgments.qid[np.sort(held_out)]
        validation = Validation(rows.take(held_out), self.measure_, self.early_stopping_rounds)
        return rows.take(kept), validation

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Score documents; within a query, the higher the better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Features; a column ``"qid"`` is dropped.

        Returns
        -------
        ndarray of shape (n_documents,)
            The scores, which need no query ids.
        """
        check_is_fitted(self, "estimator_")
        features = without_query_ids(X)
        _check_features(self, features, reset=False)
        scores: NDArray[np.float64] = self.estimator_.predict(features)
        return scores

    def score(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Mean of the measure over the queries.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Features.
        y : array-like of shape (n_documents,)
            Grades, or what `query_target` makes; NaN = unjudged.
        qid : array-like of shape (n_documents,), optional
            Query id of each row.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        float
            The mean of ``measure_``.
        """
        scores, (grades, _) = self.predict(X), split_target(y)
        ids = resolve_query_ids(X, y, qid)
        return self.measure_(grades, scores, qid=ids, sample_weight=sample_weight)

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """Importances of the features, where the fitted estimator has them."""
        check_is_fitted(self, "estimator_")
        importances: NDArray[Any] = final_step(self.estimator_).feature_importances_
        return importances

    def __sklearn_tags__(self) -> Any:
        # Called by scikit-learn >= 1.6, which has get_tags.
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _resolved(spec: str | Measure, judgments: Judgments) -> Measure:
    """Fix what the measure leaves open by the top grade of the training labels."""
    chosen = measure(spec)
    if not chosen.is_open:
        return chosen
    judgments.require_integer_grades(chosen)
    return chosen.resolve(int(judgments.top_grade))


def _reject(fit_params: dict[str, Any], names: set[str], reason: str) -> None:
    for name in sorted(names & fit_params.keys()):
        raise ValueError(f"{name} {reason}: leave it out of the fit parameters.")


def _with_an_entry_per_row(fit_params: dict[str, Any], n_rows: int) -> dict[str, Any]:
    """Pick the fit parameters that go along with the rows."""
    return {name: value for name, value in fit_params.items() if _n_entries(value) == n_rows}


def _n_entries(value: Any) -> int | None:
    shape: tuple[int, ...] = getattr(value, "shape", ())
    if shape:
        return shape[0]
    return len(value) if isinstance(value, list | tuple) else None


def _check_features(ranker: QueryRanker, X: Any, *, reset: bool) -> None:
    """Store, or compare with those stored, the number and the names of the features."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn < 1.6
        ranker._check_feature_names(X, reset=reset)
        ranker._check_n_features(X, reset=reset)
    else:
        validate_data(ranker, X, reset=reset, skip_check_array=True)
