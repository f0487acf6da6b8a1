"""Estimation of g from users' preferences between two rankings of a query."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import lsq_linear
from scipy.special import logsumexp

from skgraded._guards import warn_once
from skgraded._params import integer_or_none
from skgraded._text import count
from skgraded._writers import Table
from skgraded.exceptions import IndistinctGradesWarning
from skgraded.measures import AP, evaluate
from skgraded.rankings import CheckedColumns, Rankings, as_ids, as_rankings, numeric, read_columns
from skgraded.users._estimate import ThresholdEstimate
from skgraded.users._resampling import (
    check_options,
    grades_in_words,
    interval_of,
    require,
    require_length,
    spread_steps,
    unit_numbers,
    warn_if_few,
)

__all__ = [
    "APDifferences",
    "PreferenceThresholds",
    "ap_differences",
    "thresholds_from_preferences",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RIDGE = 1e-8  # keeps weights finite that the preferences do not limit
_MATRIX = 2  # dimensions
_MOST_STEPS = 100
_SMALLEST_STEP = 1e-6
_CONVERGED = 1e-10


@dataclasses.dataclass(frozen=True, eq=False)
class APDifferences:
    """Differences of two rankings in average precision at each threshold, query by query.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids.
    values : ndarray of shape (n_queries, max_grade)
        AP of the first ranking less that of the second, with relevance from grade 1, 2, ... on.
    """

    qid: NDArray[Any]
    values: FloatArray

    def __repr__(self) -> str:
        n_queries, max_grade = self.values.shape
        return (
            f"<APDifferences of {count(n_queries, 'query', 'queries')}, thresholds 1..{max_grade}>"
        )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PreferenceThresholds(ThresholdEstimate):
    """A distribution g of the users' thresholds, estimated from preferences between rankings.

    Attributes
    ----------
    g : ndarray of shape (max_grade,)
        Probabilities of the thresholds 1..max_grade, which sum to 1.
    interval : ndarray of shape (max_grade, 2)
        Lower and upper end of the interval of each probability.
    confidence : float
        Confidence of each interval by itself.
    scale : float
        The log odds of a preference for a difference of 1 in eGAP (beta).
    ties : float
        Prevalence of ties (nu); 0 without ties.
    agreement : float
        Share of the preferences other than ties in which the ranking with the higher eGAP was
        preferred.
    n_preferences, n_ties, n_queries : int
        Numbers of preferences, of ties among them, and of queries, which were resampled.
    """

    scale: float
    ties: float
    agreement: float
    n_preferences: int
    n_ties: int
    n_queries: int

    def _table(self) -> Table:
        intervals = [f"{low:.3f} to {high:.3f}" for low, high in self.interval]
        columns = [
            ("g", [f"{each:.3f}" for each in self.g]),
            (f"{100 * self.confidence:g} % interval", intervals),
        ]
        labels = ["threshold", *map(str, range(1, self.max_grade + 1))]
        told = [
            f"g from {count(self.n_preferences, 'preference')} on "
            f"{count(self.n_queries, 'query', 'queries')}, which were resampled; "
            f"{count(self.n_ties, 'tie')}.",
            f"eGAP with this g agrees with {self.agreement:.0%} of the others; scale "
            f"{self.scale:.3g}.",
            self._indistinct_in_words(),
        ]
        return Table(labels, columns, told)


def ap_differences(
    y_true: ArrayLike | Rankings,
    score_a: ArrayLike | Rankings,
    score_b: ArrayLike | None = None,
    *,
    qid: ArrayLike | None = None,
    max_grade: int | None = None,
    k: int | None = None,
) -> APDifferences:
    """Compare two rankings of the same queries by average precision at each threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,) or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or the first `Rankings`; the second
        stands in the place of `score_a`.
    score_a, score_b : array-like of shape (n_documents,)
        Scores of the documents in the first and in the second ranking.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows form one query.
    max_grade : int, optional
        Top grade of the scale; None takes it from the data.
    k : int, optional
        Cut-off: only the first k ranks count, those that the users saw. None is the whole list.

    Returns
    -------
    APDifferences
        The differences, first ranking less second.

    Raises
    ------
    ValueError
        If an array is invalid, two `Rankings` are of different queries, or a grade exceeds
        `max_grade`.

    See Also
    --------
    thresholds_from_preferences : Estimates g from preferences between the two rankings.

    Examples
    --------
    >>> from skgraded.users import ap_differences
    >>> y_true, qid = [2, 1, 0, 2, 1, 0], [7, 7, 7, 8, 8, 8]
    >>> found = ap_differences(y_true, [3, 2, 1, 3, 2, 1], [2, 3, 1, 1, 2, 3], qid=qid)
    >>> found.values.round(3)
    array([[0.   , 0.5  ],
           [0.417, 0.667]])
    """
    top = integer_or_none("max_grade", max_grade, 1, "the highest grade")
    first, second = _two_rankings(y_true, score_a, score_b, qid)
    highest = max(first.judgments.top_grade, second.judgments.top_grade)
    if top is not None and highest > top:
        raise ValueError(f"y_true must not exceed max_grade={top}, got grade {highest:g}.")
    top = top or max(1, int(highest))
    differences = np.zeros((first.judgments.n_queries, top))
    for rankings, sign in ((first, 1.0), (second, -1.0)):
        levels = [AP(rel=t, k=k) for t in range(1, int(rankings.judgments.top_grade) + 1)]
        if levels:
            differences[:, : len(levels)] += sign * evaluate(levels, rankings).values
    return APDifferences(first.judgments.qid, differences)


def _two_rankings(
    y_true: Any, score_a: Any, score_b: Any, qid: ArrayLike | None
) -> tuple[Rankings, Rankings]:
    if not isinstance(y_true, Rankings):
        if score_b is None:
            raise TypeError(
                "score_b is missing: pass y_true, score_a and score_b, or two Rankings."
            )
        read_columns(y_true, qid, score_a=score_a, score_b=score_b)
        first = as_rankings(y_true, score_a, qid)
        return first, first.judgments.rank(score_b)
    if not isinstance(score_a, Rankings) or score_b is not None or qid is not None:
        raise TypeError(
            "With a Rankings as y_true, score_a must be a Rankings, and score_b and qid None."
        )
    if not np.array_equal(y_true.judgments.qid, score_a.judgments.qid):
        raise ValueError(
            "score_a must be a Rankings of the same queries in the same order as y_true, got "
            f"{score_a.judgments.n_queries} and {y_true.judgments.n_queries} queries with "
            "different ids."
        )
    return y_true, score_a


class _Comparisons(NamedTuple):
    """Preferences, the difference that each is about, and the number of its query."""

    preference: FloatArray
    differences: FloatArray
    query: IntArray

    @property
    def n_queries(self) -> int:
        return int(self.query.max()) + 1

    @property
    def n_ties(self) -> int:
        return int((self.preference == 0).sum())


def thresholds_from_preferences(
    preference: ArrayLike,
    differences: ArrayLike | APDifferences,
    *,
    qid: ArrayLike | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int = 0,
) -> PreferenceThresholds:
    r"""Estimate g from preferences between two rankings of the same query.

    .. math::

        P(A) : P(B) : P(\text{tie}) = e^{m/2} : e^{-m/2} : \nu, \qquad
        m = \beta \sum_{k=1}^{c} g_k\, (AP_k(A) - AP_k(B))

    where AP_k is the average precision with relevance from grade k on and c the top grade, so that
    m is the scale :math:`\beta` times the difference in `eGAP`. Without ties, this is a logistic
    regression without intercept, on the differences of AP at each threshold, with weights
    :math:`\beta g_k \ge 0`. Ties follow Davidson's model [1]_. The maximum of the likelihood is
    unique if the differences are linearly independent.

    Parameters
    ----------
    preference : array-like of shape (n_preferences,)
        1 where the first ranking was preferred, -1 where it was the second, and 0 for a tie. It
        comes from side-by-side judgments, or is the sign of the difference of clicks in
        interleaved rankings. Booleans, or 1 and 0 without any -1, are refused: their 0 may stand
        for the second ranking.
    differences : APDifferences or array-like of shape (n_preferences, max_grade)
        The result of `ap_differences`, or one row for each preference: AP of the first ranking
        less that of the second at the thresholds 1, 2, ....
    qid : array-like of shape (n_preferences,), optional
        Query id of each preference; preferences on the same query are resampled together. Without
        it, nor an index level ``"qid"`` of `preference`, the preferences are on the queries of
        `differences`, one on each, in their order.
    confidence : float, default=0.95
        Confidence of each interval by itself.
    n_resamples : int, default=1000
        Number of bootstrap samples of queries.
    random_state : int, default=0
        Seed of the samples.

    Returns
    -------
    PreferenceThresholds
        The distribution and its intervals.

    Raises
    ------
    ValueError
        If an array is invalid, all preferences are ties, no pair of rankings differs at some
        threshold, the preferences agree with no g, or they agree with some g without exception,
        so that the likelihood has no maximum.

    Warns
    -----
    FewFeedbackWarning
        If there are fewer than 20 queries.
    IndistinctGradesWarning
        If the differences at two thresholds are equal in all queries.

    See Also
    --------
    thresholds_from_feedback : The same from feedback on single documents.
    personas : Named distributions for use without data.

    Notes
    -----
    eGAP is not the only measure that can be tuned to preferences: Zhou et al. learn the gains and
    discounts of DCG from preferences between rankings [2]_. In the study of Sakai and Zeng, nDCG
    and `iRBU` agreed best with preferences between result pages [3]_. Compare the agreement of
    other measures with `agreement` of the result before you choose eGAP.

    The intervals lie between quantiles of the bootstrap distribution of the weights, each divided
    by their sum, cut to [0, 1]. The weights of a bootstrap sample are those of the fit to all
    queries without the constraint g >= 0, after one Newton step towards the sample.

    References
    ----------
    .. [1] R. R. Davidson (1970), "On Extending the Bradley-Terry Model to Accommodate Ties in
       Paired Comparison Experiments", Journal of the American Statistical Association.
    .. [2] K. Zhou, H. Zha, Y. Chang, G.-R. Xue (2014), "Learning the Gain Values and Discount
       Factors of Discounted Cumulative Gains", IEEE Transactions on Knowledge and Data
       Engineering 26(2).
    .. [3] T. Sakai, Z. Zeng (2021), "Retrieval Evaluation Measures that Agree with Users' SERP
       Preferences", ACM Transactions on Information Systems.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.users import ap_differences, thresholds_from_preferences
    >>> rng = np.random.default_rng(0)
    >>> qid, y_true = np.repeat(np.arange(2000), 12), rng.choice(3, size=24_000, p=[.6, .3, .1])
    >>> score_a, score_b = y_true + rng.normal(0, 2, size=(2, 24_000))
    >>> differences = ap_differences(y_true, score_a, score_b, qid=qid)
    >>> egap = differences.values @ [.2, .8]
    >>> preference = np.where(rng.random(2000) < 1 / (1 + np.exp(-10 * egap)), 1, -1)
    >>> thresholds_from_preferences(preference, differences)
    threshold      g   95 % interval
    1          0.204  0.158 to 0.252
    2          0.796  0.748 to 0.842
    g from 2000 preferences on 2000 queries, which were resampled; 0 ties.
    eGAP with this g agrees with 76% of the others; scale 9.86.
    """
    confidence, n_resamples, random = check_options(confidence, n_resamples, random_state)
    columns = read_columns(preference, qid, named=("preference", "qid"), differences=differences)
    told = _checked(columns, differences)
    lengths = _distinct_thresholds(told.differences)
    distinct = told._replace(differences=told.differences[:, np.cumsum(lengths) - 1])
    fitted = _fit(distinct, at_least=0.0)
    weights = fitted[: len(lengths)]
    steps = weights / _check_weights(weights, distinct)
    draws = _resample(distinct, n_resamples, random)
    g, interval = spread_steps(steps, interval_of(draws, steps, confidence), lengths)
    warn_if_few(told.n_queries, "preference", "queries")
    is_decided = told.preference != 0
    signs = np.sign(told.differences @ g)[is_decided]
    return PreferenceThresholds(
        g=g,
        interval=interval,
        confidence=confidence,
        scale=float(weights.sum()),
        ties=float(np.exp(fitted[-1])) if told.n_ties else 0.0,
        agreement=float((signs == told.preference[is_decided]).mean()),
        n_preferences=len(told.preference),
        n_ties=told.n_ties,
        n_queries=told.n_queries,
    )


def _refuse_other_queries(columns: CheckedColumns, differences: APDifferences) -> None:
    """Raise if preferences say by their index that they are not in the order of the queries."""
    index = columns.row_labels.get("preference")
    if index is None:
        return
    rows, queries = index.tolist(), differences.qid.tolist()
    if rows != queries and len(rows) == len(queries) and set(rows) == set(queries):
        raise ValueError(
            "preference must have its rows in the order of differences.qid without qid, got an "
            "index that holds the same ids in another order. Pass qid=preference.index if they "
            "are query ids, and an array if they are not."
        )


def _checked(columns: CheckedColumns, differences: Any) -> _Comparisons:
    values = _outcomes(columns.labels)
    query = (
        np.arange(len(values))
        if columns.ids is None
        else unit_numbers("qid", columns.ids, len(values), "preference")
    )
    rows = _rows_of(columns, differences)
    require_length("differences", len(rows), len(values), "preference")
    return _Comparisons(values, rows, query)


def _outcomes(preference: Any) -> FloatArray:
    values = numeric("preference", preference).astype(np.float64)
    require(np.isin(values, (-1.0, 0.0, 1.0)), values, "preference", "1, -1, or 0 for a tie")
    if not values.any():
        raise ValueError(
            f"preference must hold 1 or -1 in some row, got {len(values)} ties. Ties alone do not "
            "say which differences matter to users."
        )
    if values.min() == 0:
        raise ValueError(
            "preference must hold 1, -1, or 0 for a tie, got 1 and 0 (or booleans) alone, where 0 "
            "may stand for the second ranking: code that as -1. If these are ties, and the second "
            "ranking was never preferred, exchange the rankings of some rows: change the signs of "
            "their preference and differences."
        )
    return values


def _rows_of(columns: CheckedColumns, differences: Any) -> FloatArray:
    """Return the differences that each preference is about."""
    if isinstance(differences, APDifferences):
        if columns.ids is None:
            _refuse_other_queries(columns, differences)
            return differences.values
        row_of = {query: row for row, query in enumerate(differences.qid.tolist())}
        wanted = as_ids(columns.ids).tolist()
        unknown = next((query for query in wanted if query not in row_of), None)
        if unknown is not None:
            raise ValueError(f"qid must hold queries of differences, got {unknown!r}.")
        return differences.values[[row_of[query] for query in wanted]]
    rows = np.asarray(differences, dtype=np.float64)
    if rows.ndim != _MATRIX or 0 in rows.shape:
        raise ValueError(
            "differences must have one row per preference and one column per threshold, got shape "
            f"{rows.shape}."
        )
    if not (np.abs(rows) <= 1).all():
        row = int(np.flatnonzero(~(np.abs(rows) <= 1).all(axis=1))[0])
        raise ValueError(
            f"differences must hold differences of average precision, from -1 to 1, got "
            f"{rows[row].tolist()} in row {row}."
        )
    return rows


def _distinct_thresholds(differences: FloatArray) -> IntArray:
    """Count the neighbouring thresholds with equal differences; warn if they are several."""
    without = np.flatnonzero(~differences.any(axis=0)) + 1
    if len(without):
        raise ValueError(
            "differences must not be 0 in all rows at any threshold, got only zeros at threshold "
            f"{', '.join(map(str, without))}. Rankings that never differ in how they place the "
            "documents of these grades do not tell who wants them."
        )
    is_last = np.append((differences[:, 1:] != differences[:, :-1]).any(axis=0), True)
    lengths = np.diff(np.flatnonzero(is_last), prepend=-1)
    if len(lengths) < differences.shape[1]:
        ends = np.flatnonzero(is_last) + 1
        told = "; ".join(
            grades_in_words(np.arange(end - length + 1, end + 1))
            for end, length in zip(ends, lengths, strict=True)
            if length > 1
        )
        warn_once(
            "differences should differ between thresholds, got the same in all rows at the "
            f"thresholds of {told}. Their probability is known as a sum only and is split evenly.",
            IndistinctGradesWarning,
        )
    return lengths


def _logits(parameters: FloatArray, told: _Comparisons) -> tuple[FloatArray, FloatArray]:
    """Return the logits of A, B and a tie, and the log of the sum of their exponentials."""
    half = told.differences @ parameters[:-1] / 2
    tie = np.full_like(half, parameters[-1] if told.n_ties else -np.inf)
    logits = np.column_stack([half, -half, tie])
    return logits, logsumexp(logits, axis=1)


def _scores(parameters: FloatArray, told: _Comparisons) -> tuple[FloatArray, FloatArray]:
    """Return the gradient of every preference's log likelihood, and the probabilities."""
    logits, total = _logits(parameters, told)
    p: FloatArray = np.exp(logits - total[:, None])
    by_weight = told.differences * ((told.preference - p[:, 0] + p[:, 1]) / 2)[:, None]
    return np.column_stack([by_weight, (told.preference == 0) - p[:, 2]]), p


def _loss(parameters: FloatArray, told: _Comparisons) -> float:
    """Return the mean negative log likelihood, with a ridge that keeps parameters finite."""
    logits, total = _logits(parameters, told)
    outcome = np.select([told.preference > 0, told.preference < 0], [0, 1], default=2)
    chosen = logits[np.arange(len(outcome)), outcome]
    return float((total - chosen).mean() + _RIDGE * parameters @ parameters / 2)


def _information(p: FloatArray, told: _Comparisons) -> FloatArray:
    """Return the negative second derivatives of the log likelihood, summed, with the ridge."""
    n_weights = told.differences.shape[1]
    apart, tied = p[:, 0] - p[:, 1], p[:, 2]
    spread = (1 - tied - apart**2) / 4
    information = np.empty((n_weights + 1, n_weights + 1))
    information[:-1, :-1] = (told.differences * spread[:, None]).T @ told.differences
    information[-1, :-1] = information[:-1, -1] = -(apart * tied / 2) @ told.differences
    information[-1, -1] = (tied * (1 - tied)).sum()
    return information + len(p) * _RIDGE * np.eye(n_weights + 1)


def _fit(told: _Comparisons, at_least: float) -> FloatArray:
    """Maximise the likelihood over the weights beta g, which are bounded below, and log nu.

    Each step maximises the quadratic approximation within the bounds, and is halved until the
    likelihood, which is concave, rises.
    """
    n_weights = told.differences.shape[1]
    bounds = (np.append(np.full(n_weights, at_least), -np.inf), np.inf)
    parameters: FloatArray = np.append(np.ones(n_weights), 0.0)
    loss = _loss(parameters, told)
    for _ in range(_MOST_STEPS):
        scores, p = _scores(parameters, told)
        slope = scores.sum(axis=0) - len(p) * _RIDGE * parameters
        root = np.linalg.cholesky(_information(p, told))
        aim = root.T @ parameters + solve_triangular(root, slope, lower=True)
        step = lsq_linear(root.T, aim, bounds, method="bvls").x - parameters
        share = 1.0
        while (lower := _loss(parameters + share * step, told)) > loss and share > _SMALLEST_STEP:
            share /= 2
        if lower > loss:
            break
        parameters, loss = parameters + share * step, lower
        if np.abs(step).max() < _CONVERGED * max(1.0, np.abs(parameters).max()):
            break
    return parameters


def _check_weights(weights: FloatArray, told: _Comparisons) -> float:
    """Return the sum of the weights, the scale; it must be above 0 and finite."""
    total = float(weights.sum())
    if total <= 0:
        raise ValueError(
            "preference must agree with the difference of AP at some threshold more often than "
            "not, got preferences that no g explains better than chance. Check that 1 stands for "
            "the ranking that is first in differences."
        )
    margins = told.preference * (told.differences @ weights)
    is_decided = told.preference != 0
    if (margins[is_decided] > 0).all() and not told.differences[~is_decided].any():
        g = ", ".join(f"{each:.2f}" for each in weights / total)
        raise ValueError(
            f"preference must contradict every g at least once, got {is_decided.sum()} preferences "
            f"that g = ({g}) explains without exception, and others with it. Collect more."
        )
    return total


def _influence(told: _Comparisons) -> tuple[FloatArray, FloatArray]:
    """Return the weights without constraint, and by how much every preference moves them."""
    parameters = _fit(told, at_least=-np.inf)
    scores, p = _scores(parameters, told)
    n_weights = told.differences.shape[1]
    n_parameters = n_weights + bool(told.n_ties)
    information = _information(p, told)
    kept = slice(n_parameters)
    moves = np.linalg.solve(information[kept, kept], scores[:, kept].T).T.astype(np.float64)
    return parameters[:n_weights], moves[:, :n_weights]


def _resample(told: _Comparisons, n_resamples: int, random: np.random.Generator) -> FloatArray:
    """Return g in bootstrap samples of queries, not constrained, by one Newton step for each."""
    weights, moves = _influence(told)
    n_queries = told.n_queries
    of_query = np.column_stack(
        [np.bincount(told.query, weights=each, minlength=n_queries) for each in moves.T]
    )
    drawn = np.empty((n_resamples, len(weights)))
    for at in range(n_resamples):
        counts = np.bincount(random.integers(n_queries, size=n_queries), minlength=n_queries)
        drawn[at] = weights + (counts - 1) @ of_query
    total = drawn.sum(axis=1, keepdims=True)
    draws: FloatArray = drawn / np.where(total > 0, total, np.nan)
    return draws
