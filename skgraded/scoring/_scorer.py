"""Ranking measures as scikit-learn scorers, and the scores that they read off predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax
from sklearn.utils.metadata_routing import MetadataRequest

from skgraded._guards import (
    refusal_of,
    warn_about_queries,
    warn_if_a_column_is_learned,
    warn_if_other_parts_were_scored,
    warn_if_training_cuts_queries,
)
from skgraded._support.arguments import choice, closest
from skgraded._support.array_types import FloatArray
from skgraded._support.keywords import suggests_keywords
from skgraded.measures import (
    Measure,
    Measures,
    evaluate,
    measures_by_name,
    resolve_all,
    warn_if_grades_are_inferred,
    warn_if_nothing_is_scored,
)
from skgraded.rankings import (
    Judgments,
    Rankings,
    features_for,
    id_columns,
    read_columns,
)
from skgraded.results import Means, Scores

ResponseMethod = Literal["auto", "predict", "predict_proba", "decision_function"]


def scores_of(
    estimator: Any, X: Any, response_method: ResponseMethod = "auto"
) -> FloatArray:
    """Score documents by an estimator; the higher the score, the better the document.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array-like of shape (n_documents, n_features)
        Features.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        ``"predict"`` takes the predictions as the scores. ``"predict_proba"`` takes a classifier's
        expected grade, the sum over grades of P(grade) times grade. ``"decision_function"`` takes
        the margin where there are two grades; where there are more, it takes the expected grade
        with P = softmax of the margins. ``"auto"`` takes ``predict_proba`` of a classifier,
        ``decision_function`` of one without probabilities, and ``predict`` of any other estimator.

    Returns
    -------
    ndarray of shape (n_documents,)
        The scores.

    Raises
    ------
    ValueError
        If a classifier's classes are not grades.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded.scoring import scores_of
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> scores_of(Ridge().fit(X, y), X).shape
    (2,)
    """
    if response_method == "auto":
        response_method = _best_method(estimator)
    respond = getattr(estimator, response_method)
    responses = np.asarray(respond(X))

    if response_method == "predict":
        if responses.ndim == 2 and responses.shape[1] == 1:  # noqa: PLR2004
            return responses[:, 0]
        return responses

    if response_method == "decision_function":
        if responses.ndim == 1:
            return responses
        responses = softmax(responses, axis=1)
    return _expected_grade(responses, estimator.classes_)


def scores_of_rows(
    estimator: Any, X: Any, response_method: ResponseMethod = "auto"
) -> FloatArray:
    """Score documents by an estimator, where X may have a column of query ids.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array-like of shape (n_documents, n_features)
        Features; a column ``"qid"`` that the estimator was not fitted on is left out.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        As in `scores_of`.

    Returns
    -------
    ndarray of shape (n_documents,)
        The scores.

    Warns
    -----
    IdColumnWarning
        If the scores change with the ids.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded.scoring import scores_of_rows
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> scores_of_rows(Ridge().fit(X, y), X).shape
    (2,)
    """
    features = features_for(estimator, X)
    predict = partial(scores_of, estimator, response_method=response_method)
    for name in id_columns(features):
        warn_if_a_column_is_learned(predict, features, name)
    return predict(features)


def _best_method(estimator: Any) -> ResponseMethod:
    # A fitted classifier, perhaps at the end of a Pipeline, has classes.
    if hasattr(estimator, "classes_"):
        if hasattr(estimator, "predict_proba"):
            return "predict_proba"
        if hasattr(estimator, "decision_function"):
            return "decision_function"
    return "predict"


def _expected_grade(probabilities: FloatArray, classes: Any) -> FloatArray:
    grades = np.asarray(classes)
    if grades.dtype.kind not in "biuf" or probabilities.shape[1:] != grades.shape:
        raise ValueError(
            "The estimator must give one column per grade to take the expected grade, got the "
            f"shape {probabilities.shape} for the classes {grades.tolist()}."
        )

    # Not a dot product: the bits of a row's sum must not depend on the other rows.
    products = probabilities * grades.astype(np.float64)
    return products.sum(axis=1)


@dataclass(frozen=True)
class RankingScorer:
    """A scorer that finds the query ids by itself, as made by `make_ranking_scorer`.

    A scorer of `sklearn.metrics.make_scorer` receives no ids while metadata routing is off, and
    needs ``set_score_request`` while it is on. This one reads ids from y or X, or requests them.

    Attributes
    ----------
    measures : tuple of (str, Measure)
        Name and measure of every value.
    is_single : bool
        Whether a call returns one number, or a dict of them.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        Where the scores of the documents come from.
    """

    measures: tuple[tuple[str, Measure], ...]
    is_single: bool
    response_method: ResponseMethod = "auto"
    _requests: dict[str, Any] = field(
        default_factory=lambda: {"qid": True, "sample_weight": True},
        init=False,
        repr=False,
        compare=False,
    )

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float | dict[str, float]:
        """Return the mean of each measure over the queries; the greater, the better.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : array-like of shape (n_documents, n_features)
            Features.
        y : array-like of shape (n_documents,)
            Grades, or what `query_target` or `query_series` makes of them.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, or what `query_ids` makes of them, where neither y nor X holds it.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        float or dict of str to float
            The mean of the one measure, or the means by name. A measure of which less is better has
            the opposite sign.
        """
        try:
            judgments = _judge(X, y, qid, sample_weight)
        except ValueError as error:
            return refusal_of(error)

        rankings = self._rank(estimator, X, judgments)
        if not self.is_single:
            measures = self._resolved_measures(judgments)
            return self._signed_means(evaluate(measures, rankings))

        _, measure = self.measures[0]
        measure = measure.resolve(judgments.top_of_scale)
        return _signed_mean(measure, measure(rankings))

    def per_query(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Scores:
        """Return the values of the measures query by query, without a change of sign.

        Parameters
        ----------
        estimator : estimator
            Fitted.
        X : array-like of shape (n_documents, n_features)
            Features.
        y : array-like of shape (n_documents,)
            Grades, or what `query_target` or `query_series` makes of them.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, or what `query_ids` makes of them, where neither y nor X holds it.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; a query weighs the mean of its rows.

        Returns
        -------
        Scores
            The values.
        """
        judgments = _judge(X, y, qid, sample_weight)
        measures = self._resolved_measures(judgments)
        rankings = self._rank(estimator, X, judgments)
        return evaluate(measures, rankings)

    def _rank(self, estimator: Any, X: Any, judgments: Judgments) -> Rankings:
        warn_about_queries(judgments, estimator=estimator)
        warn_if_other_parts_were_scored(judgments)
        warn_if_training_cuts_queries(estimator)
        measures = self._resolved_measures(judgments).values()
        warn_if_nothing_is_scored(measures, judgments)
        return judgments.rank(scores_of_rows(estimator, X, self.response_method))

    @property
    def _named(self) -> dict[str, Measure]:
        """The measures by name, without the ``neg_`` of a changed sign."""
        return {
            str(measure) if name == _signed_name(measure) else name: measure
            for name, measure in self.measures
        }

    def _resolved_measures(self, judgments: Judgments) -> dict[str, Measure]:
        """Return the measures on the scale of the labels; `make_ranking_scorer` has warned."""
        return resolve_all(self._named, judgments.top_grade, are_fractional=False)

    def _signed_means(self, scores: Scores | Means) -> float | dict[str, float]:
        """Return the means, with the opposite sign where less is better."""
        means = scores.mean().values()
        signed_means = {
            name: _signed_mean(measure, mean)
            for (name, measure), mean in zip(self.measures, means, strict=True)
        }

        if self.is_single:
            name, _ = self.measures[0]
            return signed_means[name]
        return signed_means

    def get_metadata_routing(self) -> MetadataRequest:
        """Ask scikit-learn for the query ids and weights, where metadata routing is on.

        Returns
        -------
        MetadataRequest
            A request for ``qid`` and ``sample_weight``, or what `set_score_request` has set.
        """
        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Ask for other metadata than the query ids and weights, as scikit-learn's scorers do.

        Parameters
        ----------
        **requests : bool, str or None
            For ``qid`` and ``sample_weight``: True asks for it, False does not, None makes it an
            error to pass it, and a string is the name under which it is passed.

        Returns
        -------
        RankingScorer
            The scorer itself.

        Raises
        ------
        TypeError
            If there is no metadata of a name.
        """
        for name in sorted(requests.keys() - self._requests.keys()):
            raise TypeError(
                "set_score_request takes qid and sample_weight, which a scorer of rankings uses, "
                f"got {name}.{closest(name, self._requests)}"
            )
        self._requests.update(requests)
        return self

    def _accept_sample_weight(self) -> bool:
        # scikit-learn asks this of every scorer in a dict of scorers while routing is off.
        return True

    def __repr__(self) -> str:
        strings = {name: str(measure) for name, measure in self.measures}
        arguments = repr(strings)
        if self.is_single:
            _, measure = self.measures[0]
            arguments = repr(str(measure))

        if self.response_method != "auto":
            arguments += f", response_method={self.response_method!r}"
        return f"make_ranking_scorer({arguments})"


def _judge(
    X: Any, y: Any, qid: ArrayLike | None, sample_weight: ArrayLike | None
) -> Judgments:
    names = ("y", "qid")
    columns = read_columns(y, qid, named=names, X=X, sample_weight=sample_weight)
    columns_with_ids = columns.require_ids()
    return Judgments(columns_with_ids)


@suggests_keywords
def make_ranking_scorer(
    measures: Measures, *, response_method: ResponseMethod = "auto"
) -> RankingScorer:
    """Make a scikit-learn scorer from one measure or several.

    Use it as ``scoring=`` in `GridSearchCV`, `cross_validate` and similar tools, with any estimator
    that scores documents. It finds the query ids by itself: in the metadata ``qid`` where
    routing is on, in `query_target` or `query_series`, in a column or index level ``"qid"``; no
    ``set_score_request`` is needed. Several measures cost one ``predict`` and one sort.

    Parameters
    ----------
    measures : str, Measure, list or dict of them
        One measure makes a scorer that returns a number. Several make one that returns a dict,
        for multi-metric evaluation with ``refit="..."``: by the measures' strings, or by the keys
        of the dict.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}, default="auto"
        Where the scores of the documents come from. ``"predict"``: the predictions.
        ``"predict_proba"``: the expected grade of a classifier whose classes are the grades, the
        sum over grades of P(grade) times grade. ``"decision_function"``: the margin where there are
        two grades, else the expected grade with P = softmax of the margins. ``"auto"``:
        ``predict_proba`` of a classifier, ``decision_function`` of one without probabilities,
        ``predict`` of any other estimator.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, qid=None, sample_weight=None)``, a number or dict of them; and
        ``scorer.per_query``, with the same arguments, the `Scores` query by query.

    Raises
    ------
    ValueError
        If no measure is given, or a measure or response_method is unknown.

    Warns
    -----
    GradeScaleWarning
        If a measure has g by name but no ``max_grade``: g would change with the grades of the fold.
    QueryLeakWarning
        In a call, if a `QueryRanker` was trained on scored queries.
    CutQueriesWarning
        In a call, if scored queries lack rows or have rows twice, as `query_target`,
        `query_series` or `query_ids` has counted them.
    QueryIdsWarning
        In a call, if the query ids are the sizes of the queries, row by row.
    IdColumnWarning
        In a call, if predictions change with a column ``"qid"`` of X.
    ConstantValueWarning
        In a call, if all measures have one value for every ranking of the queries.

    See Also
    --------
    QueryRanker : Its ``score`` is its measure, so that ``scoring`` can be left out.
    cross_validate_queries : Cross-validation that keeps the values of all queries.

    Notes
    -----
    scikit-learn takes the greatest score for the best. The scorer therefore returns a measure of
    which less is better with the opposite sign, and in a dict under the name ``"neg_..."`` unless
    you name it; ``per_query`` leaves the sign as it is.

    A measure itself can be given as ``scoring=nDCG(k=10)``: called with an estimator, it does what
    ``make_ranking_scorer(nDCG(k=10))`` does.

    Data that cannot be scored, such as rows without query ids, end a search with an error, whatever
    its ``error_score``: scikit-learn would otherwise rank candidates that all have the score nan.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skgraded import make_ranking_scorer
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=20, random_state=0)
    >>> ridge = Ridge().fit(X, y)
    >>> scorer = make_ranking_scorer("nDCG@10")
    >>> scorer
    make_ranking_scorer('nDCG@10')
    >>> value = scorer(ridge, X, y, qid=qid)
    >>> both = make_ranking_scorer({"ndcg": "nDCG@10", "xgap": "xGAP(max_grade=4)"})
    >>> both(ridge, X, y, qid=qid)["ndcg"] == value
    True
    >>> scorer.per_query(ridge, X, y, qid=qid).n_queries
    20
    """
    by_name = measures_by_name(measures)
    if not isinstance(measures, Mapping):
        by_name = {_signed_name(measure): measure for measure in by_name.values()}

    choice("response_method", response_method, get_args(ResponseMethod))
    warn_if_grades_are_inferred(by_name.values(), "make_ranking_scorer")

    return RankingScorer(
        measures=tuple(by_name.items()),
        is_single=isinstance(measures, str | Measure),
        response_method=response_method,
    )


def _signed_mean(measure: Measure, mean: float) -> float:
    """Return a mean with the opposite sign where less is better."""
    if measure.greater_is_better:
        return mean
    return -mean


def _signed_name(measure: Measure) -> str:
    """Return a measure's name, with scikit-learn's ``neg_`` where less is better."""
    if measure.greater_is_better:
        return str(measure)
    return f"neg_{measure}"
