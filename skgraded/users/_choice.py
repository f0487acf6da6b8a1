"""Which candidate for users g: the choice of a general measure, unless candidates trade users."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skgraded._support.array_types import BoolArray, FloatArray
from skgraded.measures import Measure, eGAP
from skgraded.results import Scores, column_of
from skgraded.users._threshold_scores import names_by_threshold

_FEWEST = 3  # candidates, and queries: with fewer nothing is left over to estimate from
# The covariance of true means is drawn to one factor, as if by so many more candidates.
_PRIOR_CANDIDATES = 10.0
_LEAST_RELIABILITY = 0.02
# Weight of a candidate's own error against that of all together.
_WEIGHT_OF_OWN_ERROR = 0.5
# Of the errors, so that measures that agree in every query can be told apart.
_RIDGE = 1e-3
_TINY = 1e-14


class Choice(NamedTuple):
    """A candidate for users g.

    Attributes
    ----------
    candidate : str
        The candidate to take.
    general_candidate : str
        The candidate that is best by the general measure.
    reason : str
        Why, in a sentence.
    """

    candidate: str
    general_candidate: str
    reason: str


def choose(scores: Scores, g: ArrayLike, *, by: str | Measure = "nDCG@10") -> Choice:
    r"""Choose the candidate for users whose thresholds are distributed by g.

    Among usual candidates the best one by nDCG is the best for all users, and a measure for g alone
    chooses no better. Where candidates trade one kind of user for another, g pays. So the choice is
    that of the general measure, unless a prediction from all measures and all candidates expects
    clearly more from another candidate.

    Parameters
    ----------
    scores : Scores
        At least three candidates on the same queries, by the general measure and by AP at each
        threshold 1..c, AP(rel=1), AP(rel=2) and so on, with one cut-off. A cross-validation gives
        each query its mean over the repeats.
    g : array-like of shape (n_grades,)
        Probability of each threshold 1..c; it sums to 1.
    by : str or Measure, default="nDCG@10"
        The general measure. Its cut-off may be another one, and less may be better.

    Returns
    -------
    Choice
        The candidate, the best one by the general measure, and the reason.

    Raises
    ------
    KeyError
        If the scores lack the general measure.
    ValueError
        If the scores lack AP at a threshold, hold fewer than three candidates or queries with
        values, or g does not fit the thresholds.

    See Also
    --------
    skgraded.Blend : Half eGAP(g) and half nDCG as one measure, to select and stop by.
    threshold_profile : For which users one candidate is better than another.

    Notes
    -----
    The means of a candidate by the k measures are m = u + e: u, what is sought, has the covariance
    T between candidates, and e the covariance W / n within, from the candidate's departures from
    each query's mean over the candidates. The best linear prediction of the mean for g [1]_ is
    :math:`w^T T (T + W / n)^{-1} m`, with the weights w of eGAP(g), which is the mean of AP over
    the thresholds by g. T is estimated by moments without its negative parts, and drawn to one
    factor [2]_, as if by ten more candidates. Another candidate is taken if its prediction is above
    that of the general choice by more than the standard deviation that the prediction leaves.

    In a study of four real data sets and three made ones this rule was worse than nDCG@10 in none
    of 195 cells of users, numbers of queries and data sets. Where candidates trade users it won 76
    to 101 % of what eGAP(g) wins. Candidates should be of one kind: leave out broken ones.

    References
    ----------
    .. [1] G. Robinson (1991), "That BLUP is a Good Thing: The Estimation of Random Effects",
       Statistical Science 6(1).
    .. [2] B. Efron, C. Morris (1972), "Empirical Bayes on Vector Observations",
       Biometrika 59(2).

    Examples
    --------
    >>> from skgraded import AP, evaluate, nDCG
    >>> from skgraded.datasets import make_ranking
    >>> from skgraded.users import choose
    >>> X, y, qid = make_ranking(n_queries=200, docs_per_query=20, random_state=0)
    >>> candidates = {f"feature {at}": X[:, at] for at in range(8)}
    >>> thresholds = [AP(rel=rel, k=10) for rel in (1, 2, 3, 4)]
    >>> scores = evaluate([nDCG(k=10), *thresholds], y, candidates, qid=qid)
    >>> choose(scores, [0.4, 0.3, 0.2, 0.1]).reason
    "nDCG@10's choice: by these queries no candidate is clearly better for g."
    """
    systems = scores.systems or ("",)
    threshold_measures, _ = names_by_threshold(scores.measures)
    probabilities = np.asarray(g, dtype=np.float64).tolist()
    g_of_users = eGAP(g=tuple(probabilities)).g
    if len(g_of_users) != len(threshold_measures):
        raise ValueError(
            f"g must have a probability for each of the {len(threshold_measures)} thresholds that "
            f"were scored, got {len(g_of_users)}."
        )

    general = scores.measures[column_of(scores.measures, by)]
    values, has_value = _values(scores, [*threshold_measures, general])
    if min(values.shape[:2]) < _FEWEST:
        raise ValueError(
            f"scores must hold at least {_FEWEST} candidates and queries on which all have values, "
            f"got {len(systems)} and {values.shape[1]}."
        )
    query_weights = scores.weights
    if query_weights is None:
        query_weights = np.ones(len(scores.qid))
    query_weights = query_weights[has_value]
    query_shares = query_weights / query_weights.sum()

    # Two candidates: the best one by the general measure, and the one with the best prediction.
    general_means = query_shares @ values[..., -1].T
    general_choice = int(general_means.argmax())
    target = np.array([*g_of_users, 0.0])
    prediction, error = predicted_means(values, target, query_shares)
    best = int(prediction.argmax())

    general_candidate = systems[general_choice]
    expected_gain = prediction[best] - prediction[general_choice]
    if expected_gain <= error[best]:
        reason = f"{general}'s choice: by these queries no candidate is clearly better for g."
        return Choice(general_candidate, general_candidate, reason)
    reason = (
        f"These candidates seem to trade users: for g, {systems[best]} is expected to be better "
        f"than {general_candidate}, the choice of {general}."
    )
    return Choice(systems[best], general_candidate, reason)


def _values(scores: Scores, measures: list[str]) -> tuple[FloatArray, BoolArray]:
    """Return the candidates' values by measures, the last of which is the general one.

    They have the shape (n_candidates, n_queries, n_measures), for the queries that the second array
    marks; more is better.
    """
    columns = [scores.measures.index(measure) for measure in measures]
    cube = scores.over_repeats().cube
    cube_of_mean = cube[:, 0]
    values = cube_of_mean[..., columns]
    direction = scores.directions[columns[-1]]
    values[..., -1] *= direction

    # As in eGAP, a threshold that no document reaches counts 0 where lower ones have a value.
    first_and_general = values[..., [0, -1]]
    is_nan = np.isnan(first_and_general)
    has_value = ~np.any(is_nan, axis=(0, 2))
    known_values = np.nan_to_num(values[:, has_value])
    return known_values, has_value


def predicted_means(
    values: FloatArray, target: FloatArray, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Predict ``values @ target`` on new queries by the best linear prediction.

    Parameters
    ----------
    values : ndarray of shape (n_candidates, n_queries, n_measures)
        Values of all candidates on the same queries.
    target : ndarray of shape (n_measures,)
        Weights of the measures; those of weight 0 only help to predict.
    shares : ndarray of shape (n_queries,)
        Weights of the queries, which sum to 1.

    Returns
    -------
    mean, error : ndarray of shape (n_candidates,)
        The predictions, and the standard deviation that each leaves.
    """
    n_candidates, n_queries, _ = values.shape
    means = shares @ values
    mean_of_all = means.mean(axis=0)
    deviations = means - mean_of_all

    # By how much each query moves the mean of each candidate, from its departure from the query's
    # mean over the candidates.
    query_means = values.mean(axis=0)
    departures = values - query_means - deviations[:, None]
    correction = (n_queries / (n_queries - 1.0)) ** 0.5
    corrected_shares = shares * correction
    moves = departures * corrected_shares[:, None]

    # The covariance W / n of the errors e, half of each candidate and half of all together.
    own_within = np.swapaxes(moves, 1, 2) @ moves
    sum_within = own_within.sum(axis=0)
    within = sum_within / (n_candidates - 1.0)
    variances = within.diagonal() + _TINY
    within += _RIDGE * np.diag(variances)
    own_part = _WEIGHT_OF_OWN_ERROR * own_within
    common_part = (1.0 - _WEIGHT_OF_OWN_ERROR) * within
    error_covariance = own_part + common_part

    # w' T (T + W / n)^-1 (m - mean of all), and what it leaves of the variance w' T w.
    between = _between(deviations, within, moves)
    covariance = between @ target
    covariances = np.tile(covariance, (n_candidates, 1))
    total_covariance = between + error_covariance
    solution = np.linalg.solve(total_covariance, covariances[..., None])
    weights = solution[..., 0]
    weighted_deviations = weights * deviations
    predicted_deviations = weighted_deviations.sum(axis=1)
    prediction = mean_of_all @ target + predicted_deviations
    variance_left = target @ covariance - weights @ covariance
    variance = np.maximum(variance_left, 0.0)
    return prediction, np.sqrt(variance)


def _between(
    deviations: FloatArray, within: FloatArray, moves: FloatArray
) -> FloatArray:
    """Return the covariance T of true means, without negative parts and drawn to one factor."""
    n_candidates = len(deviations)
    squares = deviations.T @ deviations
    total = squares / (n_candidates - 1.0)

    # T = total - within, of which the negative parts are left out where within is the identity.
    root = np.linalg.cholesky(within)
    inverse = np.linalg.inv(root)
    scaled_total = inverse @ total @ inverse.T
    sizes, axes = np.linalg.eigh(scaled_total)
    positive_sizes = np.maximum(sizes - 1.0, 0.0)
    axes = root @ axes
    scaled_axes = axes * positive_sizes
    positive = scaled_axes @ axes.T

    # Candidates that err together are worth fewer.
    scaled_moves = moves @ inverse.T
    errors = scaled_moves.reshape(n_candidates, -1)
    products = errors @ errors.T
    squared_trace = np.trace(products) ** 2
    sum_of_squares = (products**2).sum()
    n_independent = float(squared_trace / sum_of_squares)
    n_effective = max(n_independent, 2.0)

    # One factor gives all measures the mean reliability, and a correlation of 1.
    variance = within.diagonal()
    reliabilities = (total - within).diagonal() / variance
    mean_reliability = float(reliabilities.mean())
    reliability = max(mean_reliability, _LEAST_RELIABILITY)
    deviation = np.sqrt(variance)
    factor = reliability * np.outer(deviation, deviation)

    weighted_factor = _PRIOR_CANDIDATES * factor
    weighted_sum = n_effective * positive + weighted_factor
    return weighted_sum / (n_effective + _PRIOR_CANDIDATES)
