"""A ranking model as a scikit-learn estimator."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from skgraded._warnings import GroupSizesWarning, UnseenGradeWarning, warn_once
from skgraded.measures import Measure, measure
from skgraded.model_selection._fitting import (
    QueryRows,
    Validation,
    can_stop_early,
    clone_around,
    clone_estimator,
    final_step,
    fit_estimator,
    importances_of,
    reject_cluster_rankers,
    split_fit_params,
    stoppable,
    take_along,
)
from skgraded.model_selection._splitters import draw_queries
from skgraded.rankings import Judgments
from skgraded.rankings._query_ids import (
    find_query_ids,
    resolve_query_ids,
    split_target,
    without_query_ids,
)
from skgraded.scoring._query_leaks import QueryRecord, warn_if_queries_leak
from skgraded.scoring._responses import scores_of

__all__ = ["QueryRanker"]

MissingQid = Literal["raise", "one_query"]

# Worked out from the query ids; given beside them they could only contradict.
_WORKED_OUT = {"group", "group_id"}
_EVALUATION_SETS = {"eval_set", "eval_group"}

# scikit-learn knows the error by these words.
_COMPLEX = "Complex data not supported."

# So unlikely must it be that ids divide numbers of rows by chance before anything is said.
_CHANCE = 1e-6


class _EvaluationSet(NamedTuple):
    """Rows to watch training on, as they are given to `QueryRanker.fit`."""

    X: Any = None
    y: Any = None
    qid: ArrayLike | None = None
    sample_weight: ArrayLike | None = None

    @property
    def is_given(self) -> bool:
        return any(each is not None for each in self)


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A ranking model that scikit-learn's tools can cross-validate, search and stop early.

    Wraps a ranker, regressor or classifier so that one query id per row is all it needs. Rows may
    stand in any order: they are laid out query by query, and LightGBM gets group sizes, XGBoost
    sorted numeric ids, CatBoost group ids. `score` is the measure.

    The ids are taken from the first of these that is there: the keyword ``qid`` (inside
    scikit-learn's tools with metadata routing on; no ``set_fit_request`` is needed),
    `query_target`, a column ``"qid"`` of a pandas or polars X, an index level ``"qid"`` of y or X.

    Parameters
    ----------
    estimator : estimator
        LGBMRanker, XGBRanker, CatBoostRanker, any regressor, any classifier whose classes are the
        grades, or a Pipeline that ends in one of them. It is cloned, not changed.
    measure : Measure or str
        What `score` returns and early stopping watches, such as ``xGAP(g=(.1, .9), k=10)`` or
        ``"nDCG@10"``. Where it leaves the scale's top grade open, `fit` takes that of the training
        labels.
    validation_fraction : float, optional
        Share of the training queries, between 0 and 1, that is held out and evaluated in each
        iteration. Whole queries, drawn by their ids, so that the order of rows does not matter.
        For boosters, also at the end of a Pipeline; ``eval_X`` of `fit` names other queries.
    early_stopping_rounds : int, optional
        Stop when the measure on the held-out queries has not improved for that many iterations,
        and predict with the best one. Needs `validation_fraction` or ``eval_X``.
    random_state : int, RandomState instance or None, optional
        Draws the held-out queries; it is not handed to `estimator`.
    missing_qid : {"raise", "one_query"}, default="raise"
        What to do where no query ids are found: raise an error that names the ways of giving them,
        or take all rows for the documents of one query.

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
        Those of the fitted estimator, where it has them; of CatBoostRanker with a ranking loss,
        whose own need the training rows, those of the type ``"PredictionValuesChange"``.
    training_queries_ : QueryRecord
        The queries that the ranker was fitted on, held-out ones included: ``qid`` and ``sizes``.
        By these `score` and scorers notice folds that cut queries.
    validation_qid_ : ndarray of shape (n_validation_queries,)
        Ids of the validation queries, in order of appearance; only where there are any.
    evals_result_ : dict
        Values on the validation queries, ``{"valid_0": {str(measure_): [...]}}``; only where there
        are any.
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

    A metric that is set in an LGBMRanker or XGBRanker is recorded beside the measure, but never
    watched. An XGBRanker's own callbacks find the measure recorded, by its string in ``"valid_0"``;
    but before version 3.2 XGBoost may call them first.

    Optuna's ``OptunaSearchCV(n_jobs=2)`` works in threads in which metadata routing is off: give it
    what `query_target` makes.

    A classifier scores a document by its expected grade, the sum over grades of P(grade) times
    grade. One that has a ``decision_function`` alone scores by the margin where there are two
    grades, else by the expected grade with P = softmax of the margins.

    In scikit-learn greater is better: where a lower value of the measure is better, `score` returns
    it with the opposite sign, as the scorers ``neg_...`` of scikit-learn do.

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
    __metadata_request__fit = {  # noqa: RUF012
        "qid": True,
        "sample_weight": True,
        "eval_X": True,
        "eval_y": True,
        "eval_qid": True,
        "eval_sample_weight": True,
    }
    __metadata_request__score = {"qid": True, "sample_weight": True}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any,
        *,
        measure: str | Measure,
        validation_fraction: float | None = None,
        early_stopping_rounds: int | None = None,
        random_state: int | RandomState | None = None,
        missing_qid: MissingQid = "raise",
    ) -> None:
        self.estimator = estimator
        self.measure = measure
        self.validation_fraction = validation_fraction
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.missing_qid = missing_qid

    def fit(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        eval_X: Any = None,  # noqa: N803
        eval_y: Any = None,
        eval_qid: ArrayLike | None = None,
        eval_sample_weight: ArrayLike | None = None,
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
        eval_X : array-like or sparse matrix of shape (n_validation_documents, n_features), optional
            Features of queries to watch the measure on, instead of a `validation_fraction`. In a
            Pipeline they pass through the transformers.
        eval_y : array-like of shape (n_validation_documents,), optional
            Their grades, or what `query_target` makes; NaN = unjudged, which the measure treats by
            its rule. Metrics of the booster's own take these documents for grade 0.
        eval_qid : array-like of shape (n_validation_documents,), optional
            Query id of each of these rows, where neither eval_X nor eval_y holds them.
        eval_sample_weight : array-like of shape (n_validation_documents,), optional
            Weight of each of these rows.
        **fit_params : object
            Handed to the fit of the estimator, in a Pipeline to that of its last step. What has an
            entry per row goes along with the rows: ``init_score`` of LightGBM, ``base_margin`` of
            XGBoost, ``baseline``, ``subgroup_id`` and ``group_weight`` of CatBoost, arrays and
            lists of any other estimator. CatBoost's ``pairs`` are numbers of rows as they are given
            here; those of held-out queries are not trained on. ``eval_init_score``,
            ``eval_base_margin`` and ``eval_baseline`` are the initial scores of the rows of eval_X.
            ``init_model`` and ``xgb_model`` may be a fitted QueryRanker, search or Pipeline.

        Returns
        -------
        QueryRanker
            The fitted ranker.

        Raises
        ------
        TypeError
            If the estimator trains on a cluster, such as DaskLGBMRanker, or ``init_model`` or
            ``xgb_model`` is of a type from which its library cannot continue.
        ValueError
            If query ids are missing, group sizes are given in their place, a grade is negative
            or a training grade NaN, queries cannot be held out as asked, rows to train on have
            initial scores and those to evaluate have none, or ``pairs`` are not row numbers of one
            query each.

        Warns
        -----
        GroupSizesWarning
            If the query ids are the sizes of the queries, row by row.
        QueryLeakWarning
            If training and validation rows are different documents of one query.
        """
        reject_cluster_rankers(self.estimator)
        evaluation = _EvaluationSet(eval_X, eval_y, eval_qid, eval_sample_weight)
        watches = self._check_stopping(evaluation, fit_params)
        for fitted in ("validation_qid_", "evals_result_", "best_iteration_"):
            self.__dict__.pop(fitted, None)
        params = split_fit_params(fit_params, watches=watches, is_given=evaluation.is_given)
        judgments, features, rows = self._lay_out(X, y, qid, sample_weight, params.training)
        _warn_if_ids_are_sizes(judgments)
        _check_training_grades(judgments)
        _check_weights("sample_weight", judgments)
        self.training_queries_ = QueryRecord.of(features, judgments)
        self.measure_ = _resolved(self.measure, judgments)
        self.estimator_ = clone_estimator(self.estimator)
        validation = None
        if evaluation.is_given:
            validation = self._take_evaluation_set(evaluation, params.evaluation)
        elif watches:
            rows, validation = self._hold_out(judgments, rows)
        watched = fit_estimator(self.estimator_, rows, validation, params.training)
        if watched is not None:
            self.evals_result_ = watched.evals_result
            if watched.best_iteration is not None:
                self.best_iteration_ = watched.best_iteration
        return self

    def _check_stopping(self, evaluation: _EvaluationSet, fit_params: dict[str, Any]) -> bool:
        """Check what has to do with validation; tell whether there is any."""
        fraction, rounds = self.validation_fraction, self.early_stopping_rounds
        _reject(fit_params, _WORKED_OUT, "is worked out from the query ids")
        _check_validation(fraction, rounds, evaluation)
        if fraction is None and not evaluation.is_given:
            return False
        taker = "validation_fraction" if fraction is not None else "eval_X"
        if not can_stop_early(self.estimator):
            raise ValueError(
                f"{taker} is supported for {stoppable()} so far, "
                f"got {type(final_step(self.estimator)).__name__}; leave it None."
            )
        _reject(fit_params, _EVALUATION_SETS, f"is taken by {taker}")
        return True

    def _ids(self, X: Any, y: Any, qid: ArrayLike | None) -> NDArray[Any] | None:
        """Query id of each row; None where all rows are one query."""
        if self.missing_qid not in get_args(MissingQid):
            raise ValueError(
                f"missing_qid must be 'raise' or 'one_query', got {self.missing_qid!r}."
            )
        find = find_query_ids if self.missing_qid == "one_query" else resolve_query_ids
        return find(X, y, qid)

    def _lay_out(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None,
        sample_weight: ArrayLike | None,
        fit_params: dict[str, Any],
        *,
        reset: bool = True,
    ) -> tuple[Judgments, Any, QueryRows]:
        """Check the data; return judgments, features in the order given, and rows by query."""
        features, grades = self._check_data(X, y, reset=reset)
        judgments = Judgments.from_arrays(grades, self._ids(X, y, qid), sample_weight)
        rows = QueryRows(
            X=features,
            y=grades,
            sizes=np.diff(judgments.indptr),
            weight=None if sample_weight is None else np.asarray(sample_weight),
            **take_along(self.estimator, fit_params, judgments)._asdict(),
        )
        if judgments.row_order is not None:
            rows = rows.at(judgments.row_order, rows.sizes)
        return judgments, features, rows

    def _check_data(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        """Return features without query ids, and grades."""
        if y is None:
            # scikit-learn knows such an error by these words.
            raise ValueError(
                "y must hold the grades of the documents, got None: "
                "QueryRanker requires y to be passed, but the target y is None."
            )
        features, grades = _features_of(X), np.asarray(split_target(y)[0])
        _check_features(self, features, reset=reset)
        if np.iscomplexobj(grades):
            raise ValueError(f"y must hold real numbers, got {grades.dtype}. {_COMPLEX}")
        if _num_samples(features) != len(grades):
            raise ValueError(
                "X and y must have the same number of rows, "
                f"got {_num_samples(features)} and {len(grades)}."
            )
        return features, grades

    def _take_evaluation_set(
        self, evaluation: _EvaluationSet, fit_params: dict[str, Any]
    ) -> Validation:
        """Lay out the queries to watch; the scale's top grade may be theirs."""
        try:
            judgments, features, rows = self._lay_out(
                *evaluation, fit_params=fit_params, reset=False
            )
        except ValueError as error:  # which names the arguments of training
            raise ValueError(
                f"eval_X, eval_y, eval_qid or eval_sample_weight is refused: {error}"
            ) from error
        _check_evaluation_grades(judgments)
        _check_weights("eval_sample_weight", judgments)
        warn_if_queries_leak(self, features, judgments, given_apart=True)
        self.validation_qid_ = judgments.qid
        self.measure_ = self._measure_for(judgments)
        return Validation(rows, self.measure_, self.early_stopping_rounds)

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

    def _measure_for(self, judgments: Judgments) -> Measure:
        """Return the fitted measure; with a longer scale if its own was read off lower grades."""
        given = measure(self.measure)
        top_grade, known = judgments.top_grade, getattr(self.measure_, "max_grade", None)
        if not given.is_open or known is None or top_grade <= known:
            return self.measure_
        return _resolved(given, judgments)

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
        features = _features_of(X)
        _check_features(self, features, reset=False)
        return scores_of(self.estimator_, features)

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
            The mean of ``measure_``, with the opposite sign where lower is better.

        Warns
        -----
        QueryLeakWarning
            If these are other documents of queries that the ranker was trained on.
        UnseenGradeWarning
            If a grade lies above the top grade that the measure took from the training labels; the
            value is then that of the measure with this higher grade at its top.
        """
        scores, (grades, _) = self.predict(X), split_target(y)
        judgments = Judgments.from_arrays(grades, self._ids(X, y, qid), sample_weight)
        warn_if_queries_leak(self, without_query_ids(X), judgments)
        chosen = self._measure_for(judgments)
        if chosen != self.measure_:
            _warn_of_unseen_grade(measure(self.measure), self.measure_, chosen)
        mean = chosen(judgments.rank(scores))
        return mean if chosen.greater_is_better else -mean

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """Importances of the features, where the fitted estimator has them."""
        check_is_fitted(self, "estimator_")
        return importances_of(final_step(self.estimator_))

    def __sklearn_clone__(self) -> Self:
        cloned: Self = clone_around(self)
        return cloned

    def __sklearn_tags__(self) -> Any:
        # Called by scikit-learn >= 1.6, which has get_tags.
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _check_training_grades(judgments: Judgments) -> None:
    n_unjudged = _n_unjudged(judgments)
    if n_unjudged:
        raise ValueError(
            f"y must be judged in every row to train on, got NaN in {n_unjudged} "
            f"of {judgments.n_documents} rows: drop these rows, or take grade 0 for them."
        )


def _check_evaluation_grades(judgments: Judgments) -> None:
    n_rows = judgments.n_documents
    if _n_unjudged(judgments) == n_rows:
        raise ValueError(f"eval_y must be judged in some row, got NaN in all {n_rows}.")


def _n_unjudged(judgments: Judgments) -> int:
    return int((judgments.levels >= judgments.n_levels).sum())


def _check_weights(name: str, judgments: Judgments) -> None:
    if judgments.weights is not None and not judgments.weights.any():
        raise ValueError(f"{name} must hold a positive weight, got zeros alone.")


def _resolved(spec: str | Measure, judgments: Judgments) -> Measure:
    """Fix what the measure leaves open by the top grade of the training labels."""
    chosen = measure(spec)
    if not chosen.is_open:
        return chosen
    judgments.require_integer_grades(chosen)
    return chosen.resolve(int(judgments.top_grade))


def _check_validation(fraction: Any, rounds: Any, evaluation: _EvaluationSet) -> None:
    """Check the parameters that say what training is watched on, and for how long."""
    if rounds is not None and (not isinstance(rounds, Integral) or rounds < 1):
        raise ValueError(f"early_stopping_rounds must be an integer >= 1 or None, got {rounds!r}.")
    if fraction is not None and (not isinstance(fraction, Real) or not 0 < float(fraction) < 1):
        raise ValueError(
            f"validation_fraction must lie strictly between 0 and 1 or be None, got {fraction!r}."
        )
    if evaluation.is_given:
        if fraction is not None:
            raise ValueError(
                "eval_X must be left out where validation_fraction holds queries out, "
                f"got validation_fraction={fraction!r}: set one of them."
            )
        if evaluation.X is None or evaluation.y is None:
            missing = "eval_X" if evaluation.X is None else "eval_y"
            raise ValueError(f"{missing} is missing: validation queries need eval_X and eval_y.")
    elif fraction is None and rounds is not None:
        raise ValueError(
            "early_stopping_rounds needs validation_fraction, the share of queries to stop "
            "on, or eval_X, such queries, "
            f"got early_stopping_rounds={rounds} and validation_fraction=None."
        )


def _warn_of_unseen_grade(given: Measure, fitted: Measure, chosen: Measure) -> None:
    warn_once(
        f"{given} took its top grade from the training rows, and the scored rows hold a higher "
        f"one: they are scored by {chosen}, not by {fitted}, so that values differ between folds. "
        f"Name the top grade: measure={chosen!r}.",
        UnseenGradeWarning,
    )


def _warn_if_ids_are_sizes(judgments: Judgments) -> None:
    """Warn where each id is the size of its query: queries of one size are then taken for one."""
    ids, n_rows = judgments.qid, np.diff(judgments.indptr)
    if ids.dtype.kind not in "iu" or ids.min() < 1 or (n_rows == n_rows[0]).all():
        return
    # An id divides a number of rows by chance once in id times.
    if (n_rows % ids).any() or np.log(ids).sum() < -np.log(_CHANCE):
        return
    warn_once(
        "qid looks like the number of rows of each query, repeated for each row: queries of the "
        "same size are taken for one. From group sizes, make ids by "
        "qid=np.repeat(np.arange(len(sizes)), sizes).",
        GroupSizesWarning,
    )


def _reject(fit_params: dict[str, Any], names: set[str], reason: str) -> None:
    for name in sorted(names & fit_params.keys()):
        raise ValueError(f"{name} {reason}: leave it out of the fit parameters.")


def _features_of(X: Any) -> Any:
    """X without query ids."""
    # Of the sparse formats, CSR is the one whose rows can be taken; CatBoost knows no sparse array.
    return csr_matrix(X) if hasattr(X, "tocsr") else without_query_ids(X)


def _check_features(ranker: QueryRanker, X: Any, *, reset: bool) -> None:
    """Store, or compare with those stored, the number and the names of the features."""
    rows = X if hasattr(X, "shape") else np.asarray(X)
    if len(rows.shape) != 2:  # noqa: PLR2004
        raise ValueError(
            f"X must be two-dimensional, one row per document, got the shape {rows.shape}. "
            "Reshape your data: X.reshape(1, -1) is a single document."
        )
    if rows.shape[1] == 0:
        raise ValueError(
            f"X must hold features, got 0 feature(s) (shape={rows.shape}) while a minimum of 1 is "
            "required."
        )
    if getattr(getattr(rows, "dtype", None), "kind", "") == "c":
        raise ValueError(f"X must hold real numbers, got {rows.dtype}. {_COMPLEX}")
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # scikit-learn < 1.6
        ranker._check_feature_names(X, reset=reset)
        ranker._check_n_features(X, reset=reset)
    else:
        validate_data(ranker, X, reset=reset, skip_check_array=True)
