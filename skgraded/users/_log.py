"""Estimation of g from a log of clicks or purchases on ranked lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded._guards import warn_once
from skgraded._intervals.estimate import Estimate
from skgraded._support.arguments import choice, fraction, integer_or_none
from skgraded._support.array_types import IntArray
from skgraded.exceptions import MissingClustersWarning, UserModelWarning
from skgraded.rankings import read_columns
from skgraded.users._chooser import why_not_one
from skgraded.users._departures import departures_of
from skgraded.users._feedback_columns import warn_if_few
from skgraded.users._fit import Fit, maximise
from skgraded.users._sessions import Log, Sessions, lay_out, number_equal_rows
from skgraded.users._shares import Shares, departures_in_words, spread

_READERS = ("auto", "position", "cascade", "one")
_MISFIT = 0.02  # p-value below which a warning is issued
_FEW_CLICKS = 50
_MUCH_MORE_OFTEN = 3.0  # odds
_REPEATED = 5.0  # times as often as chance explains


def thresholds_from_log(
    grade: ArrayLike,
    clicked: ArrayLike,
    *,
    session: ArrayLike | None = None,
    position: ArrayLike | None = None,
    user: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    propensity: ArrayLike | None = None,
    reader: str = "auto",
    max_grade: int | None = None,
    confidence: float = 0.95,
) -> Shares:
    r"""Estimate g from clicks or purchases on ranked lists, with a model of how users read.

    In a session a user has a threshold K with P(K = k) = g_k, which nobody sees. Who gets to
    rank n clicks a document there that reaches the threshold with probability
    :math:`x_n`, one below it `below` times as often; goes on to the next rank with probability
    `goes_on`, or `goes_on` (1 - `stops`) after a click. All parameters are estimated together, by

    .. math::

        P(\text{clicks}) = \sum_k g_k \, P(\text{clicks} \mid K = k)

    The examination model by position [1]_ is the case goes_on = 1, stops = 0, and the cascade [1]_
    [2]_ the one with the same x at all ranks. Where no session has two clicks, users who choose the
    best document that they saw are tried, too, and taken if their Schwarz criterion is better.

    Parameters
    ----------
    grade : array-like of shape (n_rows,)
        Grade of each document that was shown, or what `query_series` or `query_target` makes; NaN
        where nobody judged it.
    clicked : array-like of shape (n_rows,)
        Whether it was clicked, or purchased: True, False, 1 or 0.
    session : array-like of shape (n_rows,)
        Session of each row: one list that one user saw.
    position : array-like of shape (n_rows,)
        Rank of each row in its session, an integer from 1 on.
    user, qid : array-like of shape (n_rows,), optional
        User and query id of each session: the clusters of the intervals [3]_, which without them
        are too short where users or queries recur.
    propensity : array-like of shape (n_rows,), optional
        Probability that each row was examined, up to a factor. None estimates x by rank.
    reader : {"auto", "position", "cascade", "one"}, default="auto"
        What is free: all; x alone; one x for all ranks; or one document is chosen.
    max_grade : int, optional
        Top grade of the scale; None takes it from `grade`.
    confidence : float, default=0.95
        Confidence of each interval.

    Returns
    -------
    Shares
        The distribution with its intervals, how users read, and what departs from that.

    Raises
    ------
    ValueError
        If an array is missing or invalid, a session has two users or queries or a position twice,
        one grade alone or no document of the top grade is shown, nobody clicks, rows without clicks
        are missing, or `reader` is "one" and a session has several clicks or a row without a grade.

    Warns
    -----
    UserModelWarning
        If clicks depart from the reader by score tests, or mostly clicked documents were judged.
    MissingClustersWarning
        If sessions share lists and no `qid` is given.
    GradeScaleWarning
        If a grade between 0 and the top is never shown.
    FewFeedbackWarning
        If there are fewer than 20 clusters.

    References
    ----------
    .. [1] N. Craswell, O. Zoeter, M. Taylor, B. Ramsey (2008), "An Experimental Comparison of
       Click Position-Bias Models", WSDM.
    .. [2] O. Chapelle, Y. Zhang (2009), "A Dynamic Bayesian Network Click Model for Web Search
       Ranking", WWW.
    .. [3] A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), "Robust Inference with Multiway
       Clustering", Journal of Business & Economic Statistics 29(2).

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import xGAP
    >>> from skgraded.users import thresholds_from_log
    >>> rng = np.random.default_rng(0)
    >>> grade, threshold = rng.choice(3, size=(3000, 8)), rng.choice([1, 2], (3000, 1), p=[.2, .8])
    >>> liked = (grade >= threshold) & (rng.random((3000, 8)) < .4)
    >>> goes_on = np.cumprod(rng.random((3000, 8)) < .9, axis=1) > 0
    >>> clicked = liked & goes_on & (liked.cumsum(axis=1) == 1)
    >>> session, rank = np.repeat(np.arange(3000), 8), np.tile(np.arange(1, 9), 3000)
    >>> found = thresholds_from_log(grade.ravel(), clicked.ravel(), session=session, position=rank)
    >>> found.measure(xGAP, k=10, digits=2)
    xGAP(g=(0.19, 0.81), k=10)
    """
    if session is None or position is None:
        raise ValueError(
            "session and position are missing: pass **log_columns(log, judgments)."
        )
    reader = choice("reader", reader, _READERS)
    confidence = fraction("confidence", confidence)
    top = integer_or_none("max_grade", max_grade, 1, "the highest grade")
    rows: dict[str, Any] = {
        "clicked": clicked,
        "session": session,
        "position": position,
        "user": user,
        "propensity": propensity,
    }
    columns = read_columns(grade, qid, named=("grade", "qid"), **rows)
    log = lay_out(columns, rows, top)
    if columns.ids is None:
        _warn_if_lists_repeat(log.sessions)

    fit = _fit_reader(log.sessions, reader)
    shares = _shares_of(fit, log, confidence)
    _warn_of_the_model(shares, log)
    for name, n_clusters in shares.clusters.items():
        warn_if_few(n_clusters, name)
    return shares


def _fit_reader(sessions: Sessions, reader: str) -> Fit:
    """Fit the reader; where users may choose one document, take that model if it fits better."""
    why_not = why_not_one(sessions)
    if reader == "one" and why_not:
        raise ValueError(f"reader='one' needs {why_not}.")
    fit = maximise(sessions, reader)
    if reader != "auto" or why_not:
        return fit

    # A cascade of few parameters may explain the log as well.
    fit_of_one = maximise(sessions, "one")
    fit_of_cascade = maximise(sessions, "cascade")
    if fit_of_one.criterion > max(fit.criterion, fit_of_cascade.criterion):
        return fit_of_one
    return fit


def _shares_of(fit: Fit, log: Log, confidence: float) -> Shares:
    """Return g, its intervals and what departs from the reader."""
    reader = fit.reader
    n_classes = reader.n_classes
    estimate = _estimate(fit)
    g = estimate.value[:n_classes]
    interval = estimate.interval(confidence)[:n_classes]
    covariance = estimate.covariance[:n_classes, :n_classes]

    # Parameters at a bound have no error.
    values = estimate.value[n_classes:].tolist()
    errors = estimate.error[n_classes:]
    errors = np.where(errors > 0, errors, np.nan).tolist()
    values_and_errors = zip(values, errors, strict=True)
    parameters = dict(zip(reader.names, values_and_errors, strict=True))
    departures, p_value = departures_of(fit)

    n_grades = len(log.n_shown)
    is_judged = ~np.isnan(log.grades)
    grade = log.grades[is_judged].astype(np.int64)
    propensity = log.propensity[is_judged]
    n_examined = np.bincount(grade, propensity, n_grades).astype(np.float64)
    clicked_grade = grade[log.clicked[is_judged]]
    n_satisfied = np.bincount(clicked_grade, minlength=n_grades)
    n_thresholds = np.diff(log.shown_grades)
    return Shares(
        **spread(g, interval, covariance, n_thresholds),
        confidence=confidence,
        n_shown=log.n_shown,
        n_examined=n_examined,
        n_satisfied=n_satisfied,
        n_unjudged=len(log.grades) - len(grade),
        clusters=log.n_clusters,
        reader=reader.name,
        parameters=parameters,
        departures=departures,
        p_value=p_value,
    )


def _estimate(fit: Fit) -> Estimate:
    """Return the estimate of the parameters, where shares g = w / sum of w stand for weights w."""
    n_classes = fit.reader.n_classes
    theta = fit.theta.copy()
    moves = fit.moves.copy()
    g = theta[:n_classes]
    total = g.sum()
    g /= total

    # dg = (dw - g d(sum of w)) / sum of w
    moves_of_weights = moves[:, :n_classes]
    moves_of_total = moves_of_weights.sum(axis=1, keepdims=True)
    moves_at_same_g = g * moves_of_total
    moves_of_g = moves_of_weights - moves_at_same_g
    moves[:, :n_classes] = moves_of_g / total
    clusters = fit.reader.sessions.clusters
    return Estimate(theta, moves, clusters=clusters)


def _warn_of_the_model(shares: Shares, log: Log) -> None:
    """Warn if grades are missing because of clicks, or else if clicks depart from the reader."""
    complaint = _judged_because_clicked(log)
    if complaint:
        warn_once(complaint, UserModelWarning)
    elif shares.p_value < _MISFIT:
        warn_once(
            "clicked departs from how users are taken to read by more than chance explains (p = "
            f"{shares.p_value:.2g}): {departures_in_words(shares.departures, 2)}. Do not rely on "
            "this g and its intervals.",
            UserModelWarning,
        )


def _judged_because_clicked(log: Log) -> str:
    """Say so where clicked rows are judged far more often than others at the same position.

    The odds are Mantel's and Haenszel's (1959), over positions.
    """
    is_judged = ~np.isnan(log.grades)
    if is_judged.all():
        return ""

    # Rows by whether they were clicked, whether they were judged, and position.
    n_positions = log.position.max() + 1
    counts = np.zeros((2, 2, n_positions))
    clicked = log.clicked.astype(int)
    has_grade = is_judged.astype(int)
    place = (clicked, has_grade, log.position)
    np.add.at(counts, place, 1.0)
    unclicked, clicks = counts

    n_rows = counts.sum(axis=(0, 1))
    n_rows = np.maximum(n_rows, 1.0)
    concordant_pairs = clicks[1] * unclicked[0]
    discordant_pairs = clicks[0] * unclicked[1]
    concordant = (concordant_pairs / n_rows).sum()
    discordant = (discordant_pairs / n_rows).sum()
    is_as_often = concordant <= _MUCH_MORE_OFTEN * discordant
    n_clicked = clicks.sum()
    if is_as_often or n_clicked < _FEW_CLICKS:
        return ""

    n_others = max(unclicked.sum(), 1.0)
    share_of_others = unclicked[1].sum() / n_others
    share_of_clicked = clicks[1].sum() / max(n_clicked, 1.0)
    return (
        "grade should not be missing because a document was not clicked, got grades in "
        f"{share_of_clicked:.0%} of the clicked rows and {share_of_others:.0%} of the others, "
        "which differ at the same positions. If documents were judged because they were clicked, "
        "g is too easy: it gives too much to low grades. Judge a sample of the shown documents."
    )


def _warn_if_lists_repeat(sessions: Sessions) -> None:
    """Warn where lists of grades are the same in several sessions, as those of one query are."""
    n = len(sessions.level)
    sizes = np.bincount(number_equal_rows([sessions.level]))  # of groups of equal lists
    n_repeated = sizes[sizes > 1].sum()

    # The share of the pairs of sessions that are equal, and what it were if ranks were independent.
    n_pairs = max(n * (n - 1.0), 1.0)
    n_equal_pairs = (sizes * (sizes - 1.0)).sum()
    equal_share = n_equal_pairs / n_pairs
    chances = [_chance_of_equality(levels) for levels in sessions.level.T]
    by_chance = np.prod(chances)
    if equal_share > _REPEATED * by_chance and n_repeated > n / 4:
        warn_once(
            f"qid should be given where sessions share lists, got {n_repeated} of {n} "
            "sessions with the grades of another one, far more than by chance. Tastes differ "
            "between queries, so that intervals over sessions are too short.",
            MissingClustersWarning,
        )


def _chance_of_equality(levels: IntArray) -> float:
    """Return the probability that two sessions have the same level at a rank."""
    _, n_sessions = np.unique(levels, return_counts=True)
    shares = n_sessions / len(levels)
    return float((shares**2).sum())
