"""Judgment variation: the variance of measures between topics and between assessors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any
from warnings import catch_warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import warn_about_queries
from skgraded._support.arguments import integer
from skgraded._support.array_types import FloatArray
from skgraded._support.progress import ProgressBar
from skgraded._support.results_base import Field, Result
from skgraded._support.sealed import all_sealed
from skgraded.measures import (
    Measure,
    Measures,
    evaluate as evaluate_rankings,
    measures_by_name,
    resolve_all,
)
from skgraded.rankings import Judgments, Rankings, read_columns, without_query_ids
from skgraded.results import by_name
from skgraded.studies._scored_systems import known_mean

_Draw = Callable[[int, int], FloatArray]

# Documents that are scored at the same time, over all repeated judgments.
_DOCUMENTS_AT_A_TIME = 2_000_000
_SUM_TOLERANCE = 1e-9
_FEWEST = 2  # judgments that have a variance


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class JudgmentVariation(Result):
    """Values of measures under repeated judgments of the same topics.

    `to_frame` has one row per measure, with the columns measure, mean, between, within, total,
    observed, share_within and standard_error, the square root of Equation 24.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures; of several systems, ``"system: measure"``.
    qid : ndarray of shape (n_queries,)
        Query ids.
    values : ndarray of shape (n_repeats, n_queries, n_measures)
        v_ha, the value of topic h under the a-th judgments; nan = left out.
    """

    measures: tuple[str, ...]
    qid: NDArray[Any]
    values: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean mu over queries and judgments, shape (n_measures,)."""
        means = known_mean(self.values, 0)
        return known_mean(means, 0)

    @property
    def between(self) -> FloatArray:
        """Variance sigma_mu^2 of the topics' means mu_h over the judgments, shape (n_measures,).

        It is nan if there is only one topic.
        """
        means = known_mean(self.values, 0)
        return _variance(means, 0)

    @property
    def within(self) -> FloatArray:
        """Variance sigma_d^2 by judgments: the mean of the topics' sigma_h^2, (n_measures,)."""
        variances = _variance(self.values, 0)
        return known_mean(variances, 0)

    @property
    def observed(self) -> FloatArray:
        """Variance between topics under one set of judgments, averaged over the judgments.

        Shape (n_measures,). An experiment with one set of judgments sees only this variance, which
        is close to ``between + within``.
        """
        variances = _variance(self.values, 1)
        return known_mean(variances, 0)

    @property
    def variance_of_mean(self) -> FloatArray:
        """Variance of the mean over L topics, (sigma_d^2 + sigma_mu^2) / L: Equation 24."""
        total = self.within + self.between
        return total / len(self.qid)

    @property
    def share_within(self) -> FloatArray:
        """Share of the variance that is due to judgments, shape (n_measures,)."""
        total = self.within + self.between
        is_positive = total > 0
        divisor = np.where(is_positive, total, 1.0)
        return np.where(is_positive, self.within / divisor, 0.0)

    _widest_label = 44

    def _fields(self) -> list[Field]:
        rounded = "{:.5f}"
        total = self.between + self.within
        standard_error = np.sqrt(self.variance_of_mean)
        return [
            Field("measure", self.measures, "measure"),
            Field("mean", self.mean, "mean", rounded),
            Field("between", self.between, "between", rounded),
            Field("within", self.within, "within", rounded),
            Field("total", total, "total", rounded),
            Field("observed", self.observed, "observed", rounded),
            Field("share_within", self.share_within, "share within", rounded),
            Field("standard_error", standard_error),
        ]

    def _sentences(self) -> list[str]:
        return [
            f"Variance of a topic's value between topics and within them, by {len(self.values)} "
            f"judgments of each of {len(self.qid)} topics."
        ]


def _variance(values: FloatArray, axis: int) -> FloatArray:
    """Return the sample variance of the values that are not nan; nan if there are under two."""
    with catch_warnings(action="ignore", category=RuntimeWarning):
        return np.nanvar(values, axis=axis, ddof=1)


def simulate_judgments(
    measures: Measures,
    probabilities: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    *,
    qid: ArrayLike | None = None,
    n_repeats: int = 1000,
    random_state: int | np.random.Generator | None = 0,
) -> JudgmentVariation:
    """Draw judgments of the same documents many times, from their probabilities of relevance.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    probabilities : array-like of shape (n_documents,) or (n_documents, n_grades)
        Probability that an assessor judges the document relevant; or the probabilities of the
        grades 0, 1, ..., which must sum to 1.
    y_score : array-like of shape (n_documents,), or mapping of str to them
        Scores; the highest one comes first. Or the scores of several systems by name, as a mapping
        or a DataFrame, under the same judgments.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows are one query.
    n_repeats : int, default=1000
        Number M of repeated judgments, at least 2.
    random_state : int or Generator or None, default=0
        Seed of the judgments; with None they differ from call to call.

    Returns
    -------
    JudgmentVariation
        The values, and their variance between topics and within them.

    Raises
    ------
    ValueError
        If the probabilities or the number of repeats are not as described.

    See Also
    --------
    compare_assessors : The same with judgments of several assessors.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       Section 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import simulate_judgments
    >>> probabilities = np.random.default_rng(0).choice([0.1, 0.9], size=500)
    >>> topic, score = np.repeat(np.arange(50), 10), np.tile(-np.arange(10.0), 50)
    >>> found = simulate_judgments("AP", probabilities, score, qid=topic)
    >>> bool(0.01 < found.within[0] < 0.02)
    True
    """
    cumulated = _cumulated(probabilities)
    rng = np.random.default_rng(random_state)
    integer("n_repeats", n_repeats, _FEWEST)

    def draw(start: int, n_judgments: int) -> FloatArray:
        shape = (n_judgments, len(cumulated), 1)
        exceeds = rng.random(shape) >= cumulated
        grades = exceeds.sum(axis=-1)
        return np.asarray(grades, dtype=np.float64)

    _, n_grades = cumulated.shape
    named_measures = measures_by_name(measures)
    resolved_measures = resolve_all(named_measures, n_grades, are_fractional=False)
    return _repeat(
        resolved_measures, draw, n_repeats, y_score, qid, probabilities=probabilities
    )


def _cumulated(probabilities: ArrayLike) -> FloatArray:
    """Return P(grade <= k) for all grades k but the last, shape (n_documents, n_grades - 1)."""
    values = np.asarray(probabilities, dtype=np.float64)
    if values.ndim not in (1, 2) or not values.size:
        raise ValueError(
            "probabilities must have shape (n_documents,) or (n_documents, n_grades), got "
            f"{values.shape}."
        )
    is_probability = (values >= 0) & (values <= 1)
    wrong = values[~is_probability]
    if len(wrong):
        raise ValueError(f"probabilities must be from 0 to 1, got {wrong[0]:g}.")
    if values.ndim == 1:
        return (1.0 - values)[:, None]

    sums = values.sum(axis=1)
    errors = np.abs(sums - 1.0)
    row = int(errors.argmax())
    if errors[row] > _SUM_TOLERANCE:
        raise ValueError(
            f"probabilities must sum to 1 in each row, got {sums[row]:g} in row {row}."
        )
    cumulated = values.cumsum(axis=1)
    return cumulated[:, :-1]


def compare_assessors(
    measures: Measures,
    assessments: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    *,
    qid: ArrayLike | None = None,
) -> JudgmentVariation:
    """Score the same ranking by the judgments of several assessors.

    Parameters
    ----------
    measures : str, Measure, sequence of them, or mapping of str to them
        The measures, perhaps with names of their own.
    assessments : array-like of shape (n_documents, n_assessors)
        Grades by each assessor; NaN = the assessor did not judge the document.
    y_score : array-like of shape (n_documents,), or mapping of str to them
        Scores; the highest one comes first. Or the scores of several systems by name, as a mapping
        or a DataFrame, under the same judgments.
    qid : array-like of shape (n_documents,), optional
        Query id of each row. Without it all rows are one query.

    Returns
    -------
    JudgmentVariation
        The values, and their variance between topics and within them.

    Raises
    ------
    ValueError
        If there are fewer than two assessors.

    See Also
    --------
    simulate_judgments : The same with probabilities of relevance.
    agreement_of_assessors : Cohen's kappa of the assessors, without measures.

    References
    ----------
    .. [1] K. Kishida (2005), "Property of Average Precision and its Generalization",
       Section 3.3.

    Examples
    --------
    >>> from skgraded.studies import compare_assessors
    >>> assessments = [[1, 1], [0, 1], [1, 0], [0, 0]]
    >>> compare_assessors("P@1", assessments, [2, 1, 2, 1], qid=[1, 1, 2, 2]).values[..., 0]
    array([[1., 1.],
           [1., 0.]])
    """
    grades = np.asarray(assessments, dtype=np.float64)
    if grades.ndim != 2 or grades.shape[1] < _FEWEST:  # noqa: PLR2004 - documents by assessors
        raise ValueError(
            "assessments must have shape (n_documents, n_assessors) with at least 2 assessors, got "
            f"{grades.shape}."
        )
    top_grade = np.nanmax(grades, initial=0.0)
    is_fractional = grades % 1 > 0
    are_fractional = bool(is_fractional.any())
    named_measures = measures_by_name(measures)
    resolved_measures = resolve_all(
        named_measures, top_grade, are_fractional=are_fractional
    )

    def draw(start: int, n_judgments: int) -> FloatArray:
        end = start + n_judgments
        return grades.T[start:end]

    _, n_assessors = grades.shape
    return _repeat(
        resolved_measures, draw, n_assessors, y_score, qid, assessments=assessments
    )


def _repeat(
    measures: dict[str, Measure],
    draw: _Draw,
    n_repeats: int,
    y_score: Any,
    qid: Any,
    **judgments: Any,
) -> JudgmentVariation:
    """Score one ranking under many judgments, as many at the same time as memory allows.

    ``draw(start, n)`` returns the grades of n judgments, shape (n, n_documents).
    """
    scores_of_systems = _scores_by_name(y_score)
    unjudged = _unjudged(y_score, scores_of_systems, qid, judgments)
    all_rankings = list(map(unjudged.rank, scores_of_systems.values()))

    batch_size = max(1, _DOCUMENTS_AT_A_TIME // unjudged.n_documents)
    n_measures = len(measures)
    values = []
    with ProgressBar(n_repeats, "judgments") as bar:
        for start in range(0, n_repeats, batch_size):
            n_judgments = min(batch_size, n_repeats - start)
            grades = draw(start, n_judgments)
            values_of_systems = []
            for rankings in all_rankings:
                rejudged = _rejudged(rankings, grades)
                scores = evaluate_rankings(measures, rejudged)
                cube = scores.values.reshape(n_judgments, -1, n_measures)
                values_of_systems.append(cube)
            values.append(np.concatenate(values_of_systems, axis=2))
            bar.step(n_judgments)

    names = []
    for system in scores_of_systems:
        prefix = f"{system}: " if system else ""
        names += [prefix + name for name in measures]
    all_values = np.concatenate(values)
    return JudgmentVariation(tuple(names), unjudged.qid, all_values)


def _unjudged(
    y_score: Any, scores_of_systems: dict[str, Any], qid: Any, judgments: dict[str, Any]
) -> Judgments:
    """Return the queries, without grades, whose columns fit those of judgments and scores."""
    (judgments_by_row,) = judgments.values()
    n_documents = np.shape(judgments_by_row)[0]
    score_columns = {"y_score": y_score}
    if not hasattr(y_score, "columns"):
        score_columns = {
            f"y_score[{name!r}]" if name else "y_score": scores
            for name, scores in scores_of_systems.items()
        }
    no_grades = np.zeros(n_documents)
    columns = read_columns(no_grades, qid, **judgments, **score_columns)

    unjudged = Judgments(columns)
    if columns.ids is not None:
        warn_about_queries(unjudged)
    return unjudged


def _scores_by_name(y_score: Any) -> dict[str, Any]:
    """Return scores by the names of systems; those of a single one have none."""
    if hasattr(y_score, "columns"):
        names = without_query_ids(y_score).columns
        columns = {name: y_score[name] for name in names}
        return by_name(columns)
    if isinstance(y_score, Mapping):
        return by_name(y_score)
    return {"": y_score}


def _rejudged(rankings: Rankings, grades: FloatArray) -> Rankings:
    """Return rankings of all queries under the first judgments, then under the next, and so on."""
    judgments = rankings.judgments
    n_judgments = len(grades)
    if judgments.row_order is not None:
        grades = grades[:, judgments.row_order]

    sizes = np.diff(judgments.indptr)
    sizes = np.tile(sizes, n_judgments)
    rejudged = Judgments.from_groups(grades.ravel(), sizes)
    order = np.tile(rankings.order, n_judgments)
    tied = np.tile(rankings.tied, n_judgments)
    order, tied = all_sealed(order, tied)
    return Rankings(rejudged, order, tied)
