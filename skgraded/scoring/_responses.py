"""Scores of documents from any estimator: its predictions, or a classifier's expected grade."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

__all__ = ["ResponseMethod", "check_response_method", "scores_of"]

FloatArray = NDArray[np.float64]
ResponseMethod = Literal["auto", "predict", "predict_proba", "decision_function"]


def check_response_method(value: str) -> None:
    """Raise where a response method is none."""
    known = get_args(ResponseMethod)
    if value not in known:
        names = ", ".join(repr(each) for each in known)
        raise ValueError(f"response_method must be one of {names}, got {value!r}.")


def scores_of(estimator: Any, X: Any, response_method: ResponseMethod = "auto") -> FloatArray:
    """Score documents; the higher, the better.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array-like of shape (n_documents, n_features)
        Features.
    response_method : {"auto", "predict", "predict_proba", "decision_function"}
        ``predict`` gives the scores themselves. ``predict_proba`` gives P(grade), and the score is
        the expected grade, the sum over grades of P(grade) times grade. ``decision_function`` gives
        a margin, which is the score where there are two grades; where there are more, the expected
        grade is taken with P = softmax of the margins. ``auto`` takes the first of predict_proba
        and decision_function that a classifier has, and predict of everything else.

    Returns
    -------
    ndarray of shape (n_documents,)
        The scores.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skgraded.scoring import scores_of
    >>> X, grades = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 2, 2]
    >>> classifier = LogisticRegression().fit(X, grades)
    >>> scores_of(classifier, X).round(2)  # expected grades
    array([0.38, 0.76, 1.24, 1.62])
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
    scores: FloatArray = (probabilities * grades.astype(np.float64)).sum(axis=1)
    return scores
