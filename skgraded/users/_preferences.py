"""Estimation of g from users' preferences between two rankings of a query."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards import warn_once
from skgraded._text import count
from skgraded._writers import Table
from skgraded.exceptions import IndistinctGradesWarning
from skgraded.rankings import CheckedColumns, as_ids, numeric, read_columns
from skgraded.users._ap_differences import APDifferences
from skgraded.users._estimate import ThresholdEstimate
from skgraded.users._judge_thresholds import JudgeThresholds
from skgraded.users._preference_fit import Comparisons, FreeFit, fit_weights, free_fit
from skgraded.users._preference_test import (
    Wanted,
    WantedByAll,
    WantedByOwn,
    misfits,
    warn_if_misfit,
)
from skgraded.users._reader_fit import Fit, cluster_covariance, lean_of, maximise, sums_by
from skgraded.users._resampling import (
    check_options,
    covariance_of,
    grades_in_words,
    interval_of,
    leaning,
    require,
    require_length,
    spread_steps,
    student_draws,
    unit_numbers,
    warn_if_few,
)

__all__ = [
    "PreferenceThresholds",
    "thresholds_from_preferences",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MATRIX = 2  # dimensions
_LEAST_SCALE = 1e-6
_SHARPEST = 1 - 1e-8  # nearly 1, which stands for judges who never err
_FLAT = 1e-4  # of the log likelihood, which steps do not tell from nothing


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
    covariance : ndarray of shape (max_grade, max_grade)
        Covariance of the estimated probabilities.
    scale : float
        The log odds of a preference for a difference of 1 in eGAP (beta). With judges it is
        infinite where each of them follows a threshold without exception.
    ties : float
        Prevalence of ties (nu); 0 without ties.
    agreement : float
        Share of the preferences other than ties in which the ranking with the higher eGAP was
        preferred.
    n_preferences, n_ties, n_queries : int
        Numbers of preferences, of ties among them, and of queries.
    n_judges : int
        Number of judges with a threshold each; 0 where `judge` was not given.
    misfits : dict of str to float
        P-values of tests of fit, corrected for their number, by what preferences may follow beside
        the model: "sign", which ranking is better at each threshold; "shared", all thresholds
        alike, where `judge` was given; and what `APDifferences.others` holds.
    """

    scale: float
    ties: float
    agreement: float
    n_preferences: int
    n_ties: int
    n_queries: int
    n_judges: int = 0
    misfits: dict[str, float] = dataclasses.field(default_factory=dict)

    def _table(self) -> Table:
        intervals = [f"{low:.3f} to {high:.3f}" for low, high in self.interval]
        columns = [
            ("g", [f"{each:.3f}" for each in self.g]),
            (f"{100 * self.confidence:g} % interval", intervals),
        ]
        labels = ["threshold", *map(str, range(1, self.max_grade + 1))]
        queries = count(self.n_queries, "query", "queries")
        judges = f"; {count(self.n_judges, 'judge')} with a threshold each"
        told = [
            f"g from {count(self.n_preferences, 'preference')} on {queries}"
            f"{judges if self.n_judges else ', which were resampled'}; "
            f"{count(self.n_ties, 'tie')}.",
            f"eGAP with this g agrees with {self.agreement:.0%} of the others; scale "
            f"{self.scale:.3g}.",
            self._indistinct_in_words(),
        ]
        if np.isinf(self.scale):
            told.append("Each judge follows a threshold without exception, so that scale is inf.")
        if self.misfits:
            told.append(f"Test of fit: p = {min(self.misfits.values()):.2g}.")
        return Table(labels, columns, told)


def thresholds_from_preferences(
    preference: ArrayLike,
    differences: ArrayLike | APDifferences,
    *,
    qid: ArrayLike | None = None,
    judge: ArrayLike | None = None,
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

    This fits judges who weigh all thresholds by g. Where each judge has a threshold K of their own,
    with P(K = k) = g_k, the likelihood of all preferences of a judge is the mixture

    .. math::

        \sum_{k=1}^{c} g_k \prod_i P(\text{preference } i \mid m_i), \qquad
        m_i = \beta\, (AP_k(A_i) - AP_k(B_i))

    It is used where `judge` names the judge of each preference. The larger :math:`\beta`, the more
    sharply they judge, and the more the g of the two likelihoods differ.

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
        it, and without an index level ``"qid"`` of `preference`, there is one preference for each
        query of `differences`, in their order.
    judge : array-like of shape (n_preferences,), optional
        The judge of each preference, who has one threshold for all of them. Users who are asked
        once are judges of one preference each, such as ``range(n_preferences)``.
    confidence : float, default=0.95
        Confidence of each interval by itself.
    n_resamples : int, default=1000
        Number of bootstrap samples of queries, or of draws with the covariance over judges.
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
        threshold, the preferences agree with no g, or, without `judge`, they agree with some g
        without exception, so that the likelihood has no maximum.

    Warns
    -----
    FewFeedbackWarning
        If there are fewer than 20 queries, or judges.
    UserModelWarning
        If a test of fit finds that preferences follow something else, too, which the warning names:
        whether rankings differ at a threshold, rather than by how much; the first ranks; nDCG; RR.
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
    queries without the constraint g >= 0, after one Newton step towards the sample. With `judge`,
    they are quantiles of draws from Student's distribution with the sandwich covariance of g over
    judges [4]_, as score intervals: the variance grows with g as its skewness says. Given the
    differences and the thresholds, preferences are independent.

    **Test of fit.** Rao's score tests [5]_ of columns that are added to the difference m, by their
    sums over queries; with `judge` by their sums over judges, which vary as those of 50 draws of
    all preferences from the fit. Columns of other measures come from `ap_differences`; where
    `differences` is an array, they are not tested. The section "g from preferences" of the page on
    calibration has the shares of fits that are warned of.

    References
    ----------
    .. [1] R. R. Davidson (1970), "On Extending the Bradley-Terry Model to Accommodate Ties in
       Paired Comparison Experiments", Journal of the American Statistical Association.
    .. [2] K. Zhou, H. Zha, Y. Chang, G.-R. Xue (2014), "Learning the Gain Values and Discount
       Factors of Discounted Cumulative Gains", IEEE Transactions on Knowledge and Data
       Engineering 26(2).
    .. [3] T. Sakai, Z. Zeng (2021), "Retrieval Evaluation Measures that Agree with Users' SERP
       Preferences", ACM Transactions on Information Systems.
    .. [4] H. White (1982), "Maximum Likelihood Estimation of Misspecified Models", Econometrica
       50(1).
    .. [5] C. R. Rao (1948), "Large Sample Tests of Statistical Hypotheses concerning Several
       Parameters", Mathematical Proceedings of the Cambridge Philosophical Society 44(1).

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
    Test of fit: p = 0.39.
    """
    confidence, n_resamples, random = check_options(confidence, n_resamples, random_state)
    columns = read_columns(
        preference, qid, named=("preference", "qid"), differences=differences, judge=judge
    )
    told, others = _checked(columns, differences)
    lengths = _distinct_thresholds(told.differences)
    distinct = told._replace(differences=told.differences[:, np.cumsum(lengths) - 1])
    others["sign"] = np.sign(distinct.differences)
    if judge is None:
        found = _all_alike(distinct, n_resamples, random)
    else:
        others["shared"] = distinct.differences
        found = _of_judges(distinct, judge, n_resamples, random)
    warn_if_misfit(misfitting := misfits(found.wanted, others), of_judges=judge is not None)
    ends = interval_of(found.leaning, found.steps, confidence)
    g, interval = spread_steps(found.steps, ends, lengths)
    return PreferenceThresholds(
        g=g,
        interval=interval,
        confidence=confidence,
        covariance=covariance_of(found.draws, lengths),
        scale=found.scale,
        ties=found.ties,
        agreement=_agreement(told, g),
        n_preferences=len(told.preference),
        n_ties=told.n_ties,
        n_queries=told.n_queries,
        n_judges=found.n_judges,
        misfits=misfitting,
    )


def _agreement(told: Comparisons, g: FloatArray) -> float:
    """Return the share of preferences for the ranking with the higher eGAP, ties left out."""
    is_decided = told.preference != 0
    signs = np.sign(told.differences @ g)[is_decided]
    return float((signs == told.preference[is_decided]).mean())


class _Found(NamedTuple):
    """What a likelihood tells: g, draws around it and for its intervals, and what is left."""

    steps: FloatArray
    draws: FloatArray
    leaning: FloatArray
    scale: float
    ties: float
    wanted: Wanted
    n_judges: int = 0


def _all_alike(told: Comparisons, n_resamples: int, random: np.random.Generator) -> _Found:
    """Fit judges who weigh all thresholds alike, and resample queries."""
    fitted = fit_weights(told, at_least=0.0)
    weights = fitted[:-1]
    total = float(weights.sum())
    if total <= 0:
        _raise_no_agreement()
    _refuse_perfect_agreement(weights / total, told)
    warn_if_few(told.n_queries, "preference", "queries")
    free = free_fit(told)
    draws = _resample(told, free, n_resamples, random)
    return _Found(
        weights / total,
        draws,
        draws,
        total,
        float(np.exp(fitted[-1])) if told.n_ties else 0.0,
        WantedByAll(free, told.query),
    )


def _of_judges(
    told: Comparisons, judge: ArrayLike, n_resamples: int, random: np.random.Generator
) -> _Found:
    """Fit judges who each have a threshold of their own, and draw with the covariance over them."""
    of_row = unit_numbers("judge", judge, len(told.preference), "preference")
    warn_if_few(int(of_row.max()) + 1, "judge", "judges")
    model = JudgeThresholds(told, of_row)
    fit = maximise(model)
    scale = np.inf if _never_err(model, fit) else model.scale(fit.others)
    if scale <= _LEAST_SCALE:
        _raise_no_agreement()
    n, n_judges = model.n_classes, len(fit.scores)
    moves = fit.moves[:, :n]  # of sum 0, since the likelihood takes shares of weights
    draws = student_draws(
        fit.weights, cluster_covariance(moves, ()), n_judges - 1, n_resamples, random
    )
    return _Found(
        fit.weights,
        draws,
        leaning(draws, fit.weights, lean_of(moves, ())),
        scale,
        model.ties(fit.others),
        WantedByOwn(model, fit, random),
        n_judges,
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


def _checked(
    columns: CheckedColumns, differences: Any
) -> tuple[Comparisons, dict[str, FloatArray]]:
    """Return the preferences with their differences, and with differences in other measures."""
    values = _outcomes(columns.labels)
    query = (
        np.arange(len(values))
        if columns.ids is None
        else unit_numbers("qid", columns.ids, len(values), "preference")
    )
    if isinstance(differences, APDifferences):
        at = _queries_of(columns, differences)
        rows = differences.values[at]
        others = {name: each[at] for name, each in differences.others.items()}
    else:
        rows, others = _checked_rows(differences), {}
    require_length("differences", len(rows), len(values), "preference")
    return Comparisons(values, rows, query), others


def _refuse_names_of_rankings(preference: Any) -> None:
    """Raise where the preferred ranking is named, and say how names become numbers."""
    given = np.asarray(preference)
    are_objects = given.dtype.kind in "OU"
    names = [each for each in given.ravel() if isinstance(each, str)] if are_objects else []
    if names:
        first, *others = dict.fromkeys(names)
        second = others[0] if others else "other"
        raise ValueError(
            "preference must be 1 where the first ranking was preferred, -1 where it was the "
            f"second, and 0 for a tie, got {str(first)!r}. If that is the first ranking's name: "
            f"[{{{str(first)!r}: 1, {str(second)!r}: -1}}.get(each, 0) for each in preference]."
        )


def _outcomes(preference: Any) -> FloatArray:
    _refuse_names_of_rankings(preference)
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


def _queries_of(columns: CheckedColumns, differences: APDifferences) -> Any:
    """Return the rows of the differences that each preference is about."""
    if columns.ids is None:
        _refuse_other_queries(columns, differences)
        return slice(None)
    row_of = {query: row for row, query in enumerate(differences.qid.tolist())}
    wanted = as_ids(columns.ids).tolist()
    unknown = next((query for query in wanted if query not in row_of), None)
    if unknown is not None:
        raise ValueError(f"qid must hold queries of differences, got {unknown!r}.")
    return [row_of[query] for query in wanted]


def _checked_rows(differences: Any) -> FloatArray:
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


def _raise_no_agreement() -> NoReturn:
    raise ValueError(
        "preference must agree with the difference of AP at some threshold more often than not, "
        "got preferences that no g explains better than chance. Check that 1 stands for the "
        "ranking that is first in differences."
    )


def _refuse_perfect_agreement(g: FloatArray, told: Comparisons) -> None:
    """Raise if g explains all preferences, so that the scale has no largest likelihood."""
    margins = told.preference * (told.differences @ g)
    is_decided = told.preference != 0
    if (margins[is_decided] > 0).all() and not told.differences[~is_decided].any():
        shown = ", ".join(f"{each:.2f}" for each in g)
        raise ValueError(
            f"preference must contradict every g at least once, got {is_decided.sum()} preferences "
            f"that g = ({shown}) explains without exception, and others with it. Collect more."
        )


def _never_err(model: JudgeThresholds, fit: Fit) -> bool:
    """Tell whether thresholds of the judges explain all preferences, so that no scale is too large.

    Unlike that of judges who weigh all thresholds alike, g still has a largest likelihood.
    """
    at_most = np.append(_SHARPEST, fit.others[1:])
    return bool(model.likelihood(fit.weights, at_most).logs.sum() > fit.logs.sum() - _FLAT)


def _resample(
    told: Comparisons, free: FreeFit, n_resamples: int, random: np.random.Generator
) -> FloatArray:
    """Return g in bootstrap samples of queries, not constrained, by one Newton step for each."""
    weights, n_queries = free.weights, told.n_queries
    of_query = sums_by(told.query, free.moves[:, : len(weights)])
    drawn = np.empty((n_resamples, len(weights)))
    for at in range(n_resamples):
        counts = np.bincount(random.integers(n_queries, size=n_queries), minlength=n_queries)
        drawn[at] = weights + (counts - 1) @ of_query
    total = drawn.sum(axis=1, keepdims=True)
    draws: FloatArray = drawn / np.where(total > 0, total, np.nan)
    return draws
