"""A ranking model as a scikit-learn estimator."""

from __future__ import annotations

import copy
import os
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted

from skgraded._boosting import NamedMeasures
from skgraded._guards import (
    QueryRecord,
    has_two_grades,
    refusal_of,
    warn_about_queries,
    warn_if_a_feature_holds_the_ids,
    warn_if_a_feature_holds_the_labels,
    warn_if_labels_are_equal,
    warn_if_other_parts_were_scored,
    warn_if_words_are_in_alphabetical_order,
    warn_once,
)
from skgraded._support.arguments import ArgumentError
from skgraded._support.keywords import suggests_keywords
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import (
    Measure,
    measure,
    resolve_all,
    tells_rankings_apart,
    warn_if_nothing_is_scored,
    warn_of_continuous_scale,
)
from skgraded.model_selection._booster import Booster
from skgraded.model_selection._boosters import booster_of, final_step
from skgraded.model_selection._checks import (
    RowArguments,
    check_estimator,
    check_features,
    check_initial_scores,
    check_labels,
    check_parameters,
    grades_of,
)
from skgraded.model_selection._doubts import (
    spread_telling_queries,
    warn_if_cut_along,
    warn_if_features_are_transformed,
    warn_if_ids_are_binned,
    warn_if_nothing_is_watched,
    warn_if_scores_are_equal,
)
from skgraded.model_selection._estimators import (
    export_model,
    fit_estimator,
    predict_from,
    train_for,
)
from skgraded.model_selection._position_bias import check_position
from skgraded.model_selection._positions import refuse_positions_beside_ids
from skgraded.model_selection._refit import check_stopping, refit_on_all
from skgraded.model_selection._rows import (
    QueryRows,
    Validation,
    Watched,
    measures_to_record,
    params_per_row,
    split_eval_metric,
)
from skgraded.model_selection._splitters import (
    draw_queries,
    number_of_queries,
    queries_by_id,
    queries_by_time,
)
from skgraded.rankings import Judgments, read_columns, replace_words, without_query_ids


class QueryRanker(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A ranking model that scikit-learn's tools can cross-validate, search and stop early.

    It needs nothing but one query id per row. Rows may stand in any order: LightGBM gets group
    sizes, XGBoost sorted numeric ids, CatBoost group ids. `score` is the measure.

    The ids are taken from the first of these that exists: the keyword ``qid`` (inside
    scikit-learn's tools with metadata routing on), `query_target`, a column ``"qid"`` of a pandas
    or polars X, an index level ``"qid"`` of y or X. They must not contradict each other.

    Parameters
    ----------
    estimator : estimator
        LGBMRanker, XGBRanker, CatBoostRanker, any regressor, any classifier whose classes are the
        grades, or a Pipeline that ends in one of them. It is cloned, not changed.
    measure : Measure or str
        What `score` returns and early stopping watches. Where it leaves the scale's top grade open,
        `fit` takes that of the training labels.
    validation_fraction : float, optional
        Share of the training queries, between 0 and 1, that is held out and evaluated in each
        iteration, for LGBMRanker, XGBRanker, CatBoostRanker, LGBMRegressor and XGBRegressor, also
        at the end of a Pipeline; ``eval_X`` of `fit` gives other queries instead. Where the order
        of documents changes the measure in some queries alone, the same share of these is drawn.
    early_stopping_rounds : int, optional
        Stop when the measure on the held-out queries has not improved for that many iterations,
        and predict with the best one.
    min_delta : float, default=0.0
        A value counts as an improvement if it is better than the best one by more than this; for
        the estimators of LightGBM and XGBoost.
    random_state : int, RandomState instance or None, optional
        Seed of the draw of held-out queries; it is not handed to `estimator`.
    shuffle : bool, default=True
        Whether `validation_fraction` draws the queries to hold out. With False they are the latest
        ones: the rows of `fit` stand in the order of time, and the time of a query is that of its
        last row.
    refit : bool, default=False
        Whether to train a second time, on all queries, those held out included, with the number of
        iterations that early stopping has found. It takes `validation_fraction` and
        `early_stopping_rounds`. Predictions and `export` are then those of the second model, and
        what was recorded is that of the first.
    grades : mapping of str to float, optional
        The grade of each word, such as ``{"E": 3, "S": 2, "C": 1, "I": 0}``, where the y of `fit`
        and `score` holds words.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    measure_ : Measure
        The measure with nothing left open.
    n_features_in_ : int
        Number of features, a ``"qid"`` column not counted.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X has string column names.
    feature_importances_ : ndarray of shape (n_features,)
        The importances of the fitted estimator, where it has them.
    training_queries_ : QueryRecord
        Hashes of the ids of all queries that `fit` was given, with numbers of rows.
    validation_queries_ : QueryRecord
        The validation queries, where there are any, like the next four attributes;
        ``validation_queries_.contains(qid)`` marks their rows.
    evals_result_ : dict
        Values on the validation queries, ``{"valid_0": {str(measure_): [...]}}``, or with the names
        that ``eval_metric`` of `fit` chooses.
    evaluated_measures_ : dict of str to Measure
        The measures by their names in ``evals_result_``; the first is ``measure_``.
    best_iteration_ : int
        Number of iterations that predictions use, with `early_stopping_rounds`; with `refit`,
        those of the first fit.
    n_iterations_ : int
        Number of iterations that the second fit trained, with `refit`. Where ``init_model`` or
        ``xgb_model`` is continued, its own iterations are not counted.
    best_score_ : float
        Value of `measure_` on the validation queries after the iterations that predictions use, or,
        with `refit`, that those of the first fit use.
    booster_ : lightgbm.Booster or xgboost.Booster
        The trained model.
    starts_from_ : str
        Name of the fit parameter with the initial scores that the model starts from, if any.

    See Also
    --------
    QueryKFold : Folds of whole queries.
    make_ranking_scorer : Scorer for other measures than the ranker's own.

    Notes
    -----
    A classifier scores a document by its expected grade, the sum over grades of P(grade) times
    grade. Without ``predict_proba``, it scores by the margin where there are two grades, else with
    P = softmax of the margins.

    Where a lower value of the measure is better, `score` returns it with the opposite sign.

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
    """

    # Asked for by default, so that users need not call set_fit_request and set_score_request.
    __metadata_request__fit = dict.fromkeys(
        ("qid", "sample_weight", "eval_X", "eval_y", "eval_qid", "eval_sample_weight"),
        True,
    )
    __metadata_request__score = {"qid": True, "sample_weight": True}  # noqa: RUF012

    @suggests_keywords
    def __init__(
        self,
        estimator: Any,
        *,
        measure: str | Measure,
        validation_fraction: float | None = None,
        early_stopping_rounds: int | None = None,
        min_delta: float = 0.0,
        random_state: int | RandomState | None = None,
        shuffle: bool = True,
        refit: bool = False,
        grades: dict[str, float] | None = None,
    ) -> None:
        self.estimator = estimator
        self.measure = measure
        self.validation_fraction = validation_fraction
        self.early_stopping_rounds = early_stopping_rounds
        self.min_delta = min_delta
        self.random_state = random_state
        self.shuffle = shuffle
        self.refit = refit
        self.grades = grades

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
            Query id of each row, of any type, in any order; or what `query_ids` makes of them.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row. XGBRanker, CatBoostRanker and the measure weigh queries, by the mean
            of their rows.
        eval_X : array-like or sparse matrix of shape (n_validation_documents, n_features), optional
            Features of queries to watch the measure on, instead of a `validation_fraction`. They
            pass through the transformers of a Pipeline in `estimator`; a Pipeline around the ranker
            transforms them with ``transform_input=["eval_X"]`` alone (scikit-learn >= 1.6).
        eval_y : array-like of shape (n_validation_documents,), optional
            Their grades, or what `query_target` makes; NaN = unjudged, which the measure treats by
            its rule. Metrics of the booster's own take these documents for grade 0.
        eval_qid : array-like of shape (n_validation_documents,), optional
            Query id of each of these rows, where neither eval_X nor eval_y holds them.
        eval_sample_weight : array-like of shape (n_validation_documents,), optional
            Weight of each of these rows.
        **fit_params : object
            Handed to the fit of the estimator, in a Pipeline to that of its last step. Arrays with
            an entry per row are reordered with the rows: ``init_score`` and ``position`` (which
            LGBMRanker itself does not take) of LightGBM, ``base_margin`` of XGBoost, ``baseline``,
            ``subgroup_id`` and ``group_weight`` of CatBoost, arrays and lists of any other
            estimator. Numbers of rows, such as CatBoost's
            ``pairs``, and initial scores of the rows of eval_X are refused.
            ``init_model`` and ``xgb_model`` may be a fitted QueryRanker.
            ``eval_metric`` may be a mapping of names to measures to record on the validation
            queries, as in ``{"xgap": "xGAP@10", "ndcg": "nDCG@10"}``: loggers such as MLflow refuse
            the strings of measures as names. The ranker's own measure is recorded in any case,
            under its string unless the mapping has it.

        Returns
        -------
        QueryRanker
            The fitted ranker.

        Raises
        ------
        TypeError
            If ``init_model`` or ``xgb_model`` is of a type from which its library cannot continue.
        ValueError
            If query ids are missing, group sizes are given in their place, pandas objects hold the
            same row labels in different orders, a grade is negative or a training grade NaN,
            queries cannot be held out as asked, rows to train on have initial scores and eval_X is
            given, ``eval_metric`` names measures and there are no validation queries, the estimator
            would stop early on its own, or a fit parameter holds numbers of rows. If the
            predictions for the validation rows have another value of the measure than was recorded
            in training.

        Warns
        -----
        QueryIdsWarning
            If the query ids are the sizes of the queries, row by row, or row numbers.
        IdColumnWarning
            If predictions change with a feature that equals the query ids.
        ConstantValueWarning
            If no training query has two grades, the measure has one value for every ranking of the
            validation queries, or the fitted estimator gives all documents of a query one score.
        CutQueriesWarning
            If training or validation queries lack rows or have rows twice, as `query_target`,
            `query_series` or `query_ids` has counted them.
        QueryLeakWarning
            If validation queries are training queries, or the ``cv`` of the estimator cuts queries.
        """
        check_estimator(self.estimator)
        refuse_positions_beside_ids(self.estimator, fit_params, X)
        booster = booster_of(self.estimator)
        evaluation = None
        eval_rows = RowArguments(eval_X, eval_y, eval_qid, eval_sample_weight)
        if any(column is not None for column in eval_rows):
            evaluation = eval_rows
        watches = check_parameters(self, booster, evaluation, fit_params)
        check_stopping(self, booster)
        check_position(booster, final_step(self.estimator), fit_params)

        fitted_names = [name for name in vars(self) if name.endswith("_")]
        for name in fitted_names:  # of an earlier fit
            delattr(self, name)

        measures, fit_params = split_eval_metric(fit_params, watches=watches)
        arguments = RowArguments(X, y, qid, sample_weight)
        judgments, rows = self._lay_out(arguments, booster.per_row, fit_params)
        check_labels(judgments, is_watched=False)
        warn_if_ids_are_binned(X)
        warn_about_queries(judgments, "training rows")
        self.training_queries_ = QueryRecord.of(judgments)
        self.measure_ = _resolved(self.measure, judgments)
        warn_if_labels_are_equal(judgments.graded, judgments.indptr)

        train = rows
        validation = None
        if watches:
            train, validation = self._set_apart(judgments, rows, evaluation, measures)
        record = self._train(booster, train, validation, fit_params)
        if self.refit and record is not None:
            refit_on_all(self, booster, rows, record, fit_params)

        self._warn_about_model(judgments, rows)
        return self

    def _warn_about_model(self, judgments: Judgments, rows: QueryRows) -> None:
        """Warn where the fitted model uses what is no feature, or nothing."""
        predict = partial(predict_from, self.estimator_, start=None)
        warn_if_a_feature_holds_the_ids(predict, rows.X, judgments)
        warn_if_a_feature_holds_the_labels(predict, rows.X, rows.y)
        if has_two_grades(judgments.graded, judgments.indptr):
            warn_if_scores_are_equal(predict, rows, final_step(self.estimator_))

    def _train(
        self,
        booster: Booster,
        rows: QueryRows,
        validation: Validation | None,
        fit_params: dict[str, Any],
    ) -> tuple[Watched, Validation] | None:
        """Fit a clone of the estimator; keep and return what was recorded in training."""
        self.estimator_ = booster.clone(self.estimator)
        train_for(self.estimator_, self.measure_)
        record = fit_estimator(booster, self.estimator_, rows, validation, fit_params)

        if booster.start in rows.per_row:
            self.starts_from_ = booster.start
        if record is None or validation is None:
            return None

        watched, self.best_score_ = record
        self.evals_result_ = watched.evals_result
        self.evaluated_measures_ = dict(validation.named)
        if watched.best_iteration is not None:
            self.best_iteration_ = watched.best_iteration
        return watched, validation

    def _lay_out(
        self,
        arguments: RowArguments,
        names_per_row: frozenset[str] | None,
        fit_params: dict[str, Any],
        *,
        reset: bool = True,
    ) -> tuple[Judgments, QueryRows]:
        """Check the data; return judgments and rows by query."""
        X, y, qid, sample_weight = arguments
        features = _features_of(X)
        check_features(self, features, reset=reset)

        if self.grades is None:
            warn_if_words_are_in_alphabetical_order(y)
        y = replace_words("y", y, self.grades)
        columns = read_columns(
            y, qid, named=("y", "qid"), X=X, sample_weight=sample_weight, **fit_params
        )
        grades = grades_of(columns.labels, features)
        judgments = Judgments(columns.require_ids()._replace(labels=grades))

        weight = None
        if sample_weight is not None:
            weight = np.asarray(sample_weight)
        rows = QueryRows(
            X=features,
            y=grades,
            sizes=np.diff(judgments.indptr),
            weight=weight,
            ranks=np.argsort(queries_by_id(judgments)),
            per_row=params_per_row(names_per_row, fit_params, judgments.n_documents),
        )
        if judgments.row_order is not None:
            rows = rows.at(judgments.row_order, rows.sizes)
        return judgments, rows

    def _lay_out_evaluation_set(self, evaluation: RowArguments) -> QueryRows:
        """Lay out the queries to watch; their top grade may be higher than that of training."""
        try:
            judgments, rows = self._lay_out(evaluation, frozenset(), {}, reset=False)
        except ArgumentError as error:  # which names an argument of training
            name = error.name.removesuffix("_true")
            raise error.renamed(f"eval_{name}") from error
        except ValueError as error:
            raise ValueError(
                f"eval_X, eval_y, eval_qid or eval_sample_weight is refused: {error}"
            ) from error

        check_labels(judgments, is_watched=True)
        warn_about_queries(judgments, estimator=self)
        warn_if_cut_along(judgments)
        self.validation_queries_ = QueryRecord.of(judgments)
        self.measure_ = self._measure_for(judgments)
        return rows

    def _set_apart(
        self,
        judgments: Judgments,
        rows: QueryRows,
        evaluation: RowArguments | None,
        measures: NamedMeasures,
    ) -> tuple[QueryRows, Validation]:
        """Return the rows to train on, and those to watch with the measures to record on them.

        Where a measure leaves the scale's top grade open, it is that of the training labels or of
        the validation labels, as for the ranker's own measure.
        """
        if evaluation is None:
            rows, held_out = self._hold_out(judgments, rows)
        else:
            held_out = self._lay_out_evaluation_set(evaluation)

        top = max(judgments.top_grade, held_out.judgments.top_grade)
        are_fractional = held_out.judgments.has_fractional_grades
        resolved = resolve_all(dict(measures), top, are_fractional=are_fractional)
        recorded = measures_to_record(self.measure_, resolved)
        rounds = self.early_stopping_rounds
        validation = Validation(held_out, recorded, rounds, self.min_delta)
        self._warn_about_validation(judgments, rows, validation, evaluation is None)
        return rows, validation

    def _warn_about_validation(
        self,
        judgments: Judgments,
        rows: QueryRows,
        validation: Validation,
        was_drawn: bool,
    ) -> None:
        """Warn where watching tells nothing: no value can change, or features are others."""
        if not was_drawn:
            warn_if_features_are_transformed(rows.X, validation.rows.X)
        if has_two_grades(judgments.graded, judgments.indptr):
            warn_if_nothing_is_watched(
                self.measure_,
                validation.rows.judgments,
                judgments,
                was_drawn=was_drawn,
                stops=validation.rounds is not None,
            )

    def _hold_out(
        self, judgments: Judgments, rows: QueryRows
    ) -> tuple[QueryRows, QueryRows]:
        """Split the queries into training and validation."""
        n_queries = judgments.n_queries
        n_held_out = number_of_queries(
            "validation_fraction", self.validation_fraction or 0, n_queries
        )
        if not n_held_out:
            raise ValueError(
                f"validation_fraction needs at least 2 training queries, got {n_queries}: "
                "one is held out, one to train on."
            )

        if self.shuffle:
            queries = draw_queries(judgments, self.random_state)
            tells = tells_rankings_apart(self.measure_, judgments)
            queries = spread_telling_queries(queries, tells, n_held_out)
        else:
            queries = queries_by_time(judgments)[::-1]
        held_out = queries[:n_held_out]
        ids = judgments.qid[held_out]
        self.validation_queries_ = self.training_queries_.of_ids(ids)
        return rows.take(queries[n_held_out:]), rows.take(held_out)

    def _measure_for(self, judgments: Judgments) -> Measure:
        """Return the fitted measure, with a longer scale if it was fixed by lower grades."""
        unfitted = measure(self.measure)
        max_grade = getattr(self.measure_, "max_grade", None)
        if not unfitted.is_open or max_grade is None:
            return self.measure_
        if judgments.top_grade <= max_grade:
            return self.measure_
        return unfitted.resolve(judgments.top_of_scale)

    def predict(self, X: Any, **initial_scores: ArrayLike) -> NDArray[np.float64]:
        """Score documents; within a query, the higher the score, the better the document.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Features; a column ``"qid"`` is dropped.
        **initial_scores : array-like of shape (n_documents,)
            Initial scores of these rows, if the model was fitted with some, under the same name:
            ``init_score`` of LightGBM, ``base_margin`` of XGBoost, ``baseline`` of CatBoost.

        Returns
        -------
        ndarray of shape (n_documents,)
            The scores, which need no query ids.

        Raises
        ------
        TypeError
            If the estimator has no initial scores of that name.
        ValueError
            If there is not one initial score for each row.

        Warns
        -----
        MissingInitialScoresWarning
            If the ranker was fitted with initial scores and gets none.
        """
        if not hasattr(self, "estimator_"):
            # scikit-learn asks after many tags in here.
            check_is_fitted(self, "estimator_")

        features = _features_of(X)
        check_features(self, features, reset=False)
        start = check_initial_scores(self, X, initial_scores)
        return predict_from(self.estimator_, features, start)

    def score(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the mean of the measure over the queries.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
            Features.
        y : array-like of shape (n_documents,)
            Grades, or what `query_target` makes; NaN = unjudged.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, or what `query_ids` makes of them.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        float
            The mean of ``measure_``, with the opposite sign where lower is better.

        Warns
        -----
        QueryLeakWarning
            If the ranker was trained on these queries, unless one of scikit-learn's tools scores
            the training rows.
        QueryIdsWarning
            If the query ids are row numbers.
        CutQueriesWarning
            If queries lack rows or have rows twice, as `query_target`, `query_series` or
            `query_ids` has counted them.
        GradeScaleWarning
            If a grade lies above the top grade that the measure took from the training labels; the
            value is then that of the measure with the higher top grade.
        """
        scores = self.predict(X)
        try:
            y = replace_words("y", y, self.grades)
            columns = read_columns(
                y, qid, named=("y", "qid"), X=X, sample_weight=sample_weight
            )
            judgments = Judgments(columns.require_ids())
        except ValueError as error:
            return refusal_of(error)

        warn_about_queries(judgments, estimator=self)
        warn_if_other_parts_were_scored(judgments)
        resolved = self._measure_for(judgments)
        if resolved != self.measure_:
            warn_once(
                f"{measure(self.measure)} took its top grade from the training rows, and the "
                f"scored rows hold a higher one: they are scored by {resolved}, not by "
                f"{self.measure_}, so that values differ between folds. Name the top grade: "
                f"measure={resolved!r}.",
                GradeScaleWarning,
            )
        warn_if_nothing_is_scored([resolved], judgments)
        mean = resolved(judgments.rank(scores))
        return mean if resolved.greater_is_better else -mean

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file in the format of its library.

        The file holds the iterations that `predict` uses, and the libraries and the converters of
        their formats read it: text for LightGBM (``lightgbm.Booster(model_file=path)``), JSON or,
        with the suffix ``.ubj``, binary JSON for XGBoost (``XGBRanker.load_model``), and for
        CatBoost ``cbm`` (``CatBoostRanker.load_model``) or by the suffix ``.json``, ``.onnx``,
        ``.pmml``, ``.mlmodel``, ``.cpp`` or ``.py``. It also
        holds the string of `measure_`: in the line ``measure: ...`` of LightGBM's text, as
        ``booster.attr("measure")`` of XGBoost and ``get_metadata()["measure"]`` of CatBoost.

        Converters such as onnxmltools refuse a LightGBM model that was trained with
        `skgraded.lightgbm.objective`, because it names no objective that they know. The file names
        ``"lambdarank"``, or ``"regression"`` for LGBMRegressor, whose scores are such sums of
        leaves, too.

        Parameters
        ----------
        path : str or path-like
            The file to write. What it holds is overwritten.

        Raises
        ------
        TypeError
            If the estimator is of a library without a file format, such as scikit-learn.
        ValueError
            If the estimator is a Pipeline with transformers, which the file could not hold, or the
            suffix of the file says a format that the library does not write.
        FileNotFoundError
            If there is no such folder.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import lightgbm
        >>> from skgraded import QueryRanker
        >>> from skgraded.datasets import make_ranking
        >>> from skgraded.lightgbm import objective
        >>> X, y, qid = make_ranking(n_queries=20, docs_per_query=20, random_state=0)
        >>> estimator = lightgbm.LGBMRanker(objective=objective("nDCG"), n_jobs=1, verbose=-1)
        >>> ranker = QueryRanker(estimator, measure="nDCG@10").fit(X, y, qid=qid)
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "model.txt")
        ...     ranker.export(path)
        ...     again = lightgbm.Booster(model_file=path)
        >>> again.dump_model()["objective"]
        'lambdarank'
        >>> bool((again.predict(X) == ranker.predict(X)).all())
        True
        """
        check_is_fitted(self, "estimator_")
        export_model(self.estimator_, path, str(self.measure_))

    @property
    def feature_importances_(self) -> NDArray[Any]:
        """The importances of the features, where the fitted estimator has them."""
        check_is_fitted(self, "estimator_")
        return booster_of(self.estimator_).importances(final_step(self.estimator_))

    @property
    def booster_(self) -> Any:
        """The trained model of LightGBM or XGBoost, as their own functions take it."""
        check_is_fitted(self, "estimator_")
        return booster_of(self.estimator_).trained_model(final_step(self.estimator_))

    def __sklearn_clone__(self) -> Self:
        template = copy.copy(self)
        template.estimator = None
        cloned: Self = BaseEstimator.__sklearn_clone__(template)
        cloned.estimator = booster_of(self.estimator).clone(self.estimator)
        return cloned

    # Predictions are numbers: ensembles and inspection take a regressor, and nothing else.
    # Read by scikit-learn < 1.6, as are the tags of `_more_tags`.
    _estimator_type = "regressor"

    def _more_tags(self) -> dict[str, bool]:
        return {"requires_y": True, "requires_positive_y": True}

    def __sklearn_tags__(self) -> Any:
        # Called by scikit-learn >= 1.6, which has get_tags.
        from sklearn.utils import RegressorTags, get_tags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def _resolved(spec: str | Measure, judgments: Judgments) -> Measure:
    """Return the measure, with the top grade of the training labels where it leaves that open."""
    unresolved = measure(spec)
    warn_of_continuous_scale(
        [unresolved],
        judgments.top_grade,
        are_fractional=judgments.has_fractional_grades,
    )
    if not unresolved.is_open:
        return unresolved
    return unresolved.resolve(judgments.top_of_scale)


def _features_of(X: Any) -> Any:
    """Return X without query ids."""
    # Rows can be taken from CSR alone of the sparse formats; CatBoost refuses sparse arrays.
    return csr_matrix(X) if hasattr(X, "tocsr") else without_query_ids(X)
