"""Scores of documents from any estimator: its predictions, or a classifier's expected grade."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from skgraded._guards import warn_if_a_column_is_learned
from skgraded.rankings import features_for, id_columns

FloatArray = NDArray[np.float64]
ResponseMethod = Literal["auto", "predict", "predict_proba", "decision_function"]


def scores_of(estimator: Any, X: Any, response_method: ResponseMethod = "auto") -> FloatArray:
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
    responses = np.asarray(getattr(estimator, response_method)(X))
    if response_method == "predict":
        one_column = responses.ndim == 2 and responses.shape[1] == 1  # noqa: PLR2004
        return responses[:, 0] if one_column else responses
    if response_method == "decision_function":
        if responses.ndim == 1:
            return responses
        responses = softmax(responses, axis=1)
    return _expected_grade(responses, estimator.classes_)


def scores_of_rows(estimator: Any, X: Any, response_method: ResponseMethod = "auto") -> FloatArray:
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
    if hasattr(estimator, "classes_"):  # a fitted classifier, perhaps at the end of a Pipeline
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
    return (probabilities * grades.astype(np.float64)).sum(axis=1)
