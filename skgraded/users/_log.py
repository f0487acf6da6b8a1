"""Estimation of g from a log of clicks or purchases on ranked lists."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skgraded._guards import warn_once
from skgraded._params import choice, integer_or_none
from skgraded._text import count
from skgraded.exceptions import UserModelWarning
from skgraded.rankings import read_columns
from skgraded.users._log_estimates import (
    Choice,
    Estimate,
    choose_reader,
    difference_of_segments,
    estimate_by,
    estimate_by_first_rank,
    mean_difference,
    why_not,
)
from skgraded.users._log_input import Log, checked_log, warn_if_lists_repeat
from skgraded.users._log_report import Options, joined, notes_on, result_of
from skgraded.users._log_result import LogThresholds
from skgraded.users._reader_fit import (
    n_clusters_of,
)
from skgraded.users._readers import READERS
from skgraded.users._resampling import (
    check_options,
    warn_if_few,
)
from skgraded.users._sessions import Sessions

_MISFIT = 0.02  # p-value below which a warning is issued
_CLEARLY = 2.0  # standard errors


def thresholds_from_log(
    grade: ArrayLike,
    clicked: ArrayLike,
    *,
    session: ArrayLike,
    position: ArrayLike,
    user: ArrayLike | None = None,
    query: ArrayLike | None = None,
    propensity: ArrayLike | None = None,
    by: ArrayLike | None = None,
    reader: str = "auto",
    max_grade: int | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int = 0,
) -> LogThresholds:
    r"""Estimate g from clicks or purchases on ranked lists, with a model of how users read.

    A user has a threshold K with P(K = k) = g_k, which nobody sees, and holds it during a session.
    The likelihood of a session is the mixture

    .. math::

        P(\text{clicks}) = \sum_k g_k \, P(\text{clicks} \mid K = k)

    where the probability on the right is that of one of three readers:

    - ``"position"`` examines rank n with a probability :math:`x_n`, independently of all else, and
      clicks what is examined and reaches the threshold. A document below the threshold is clicked
      `below` times as often. Grades are known, so that :math:`x_n` is estimated with g.
    - ``"cascade"`` reads from the top [1]_ [2]_: clicks a document that reaches the threshold with
      probability `satisfied`, one below with `below` times that; stops after a click with
      probability `stops`, where 1 is the strict cascade; and else goes on to the next with
      probability `goes_on`.
    - ``"one"`` examines like the first, and chooses one document, the best that was seen, if it
      reaches the threshold, with probability `satisfied`. This is how people buy.

    Parameters
    ----------
    grade : array-like of shape (n_rows,)
        Grade of each document that was shown in a session; NaN where nobody judged it. Such holes
        are counted and never taken for grade 0. If `grade` is made by `query_series` or
        `query_target`, its ids are the queries.
    clicked : array-like of shape (n_rows,)
        Whether the document was clicked, or purchased: True, False, 1 or 0.
    session : array-like of shape (n_rows,)
        Session of each row: one list that one user saw.
    position : array-like of shape (n_rows,)
        Rank of each row in its session, an integer from 1 on.
    user, query : array-like of shape (n_rows,), optional
        User and query of each session. Thresholds belong to users, and documents to queries, so
        that sessions with the same user or query are not independent: the intervals are over these
        clusters, both ways [3]_ if both are given. Without them, each session counts as
        independent, and the intervals are too short where users or queries recur.
    propensity : array-like of shape (n_rows,), optional
        Probability that each row was examined, up to a common factor, in (0, 1], from an
        experiment. None estimates it by rank. The reader "cascade" does not use it.
    by : array-like of shape (n_rows,), optional
        Segment of each session, such as device or country: the chosen reader is also fitted to each
        segment, and a test tells whether segments differ.
    reader : {"auto", "position", "cascade", "one", "first_rank"}, default="auto"
        The model. "auto" takes the one that predicts sessions of held-out clusters best. Where
        another one is behind by less than two standard errors, and no third one is clearly ahead of
        it, the log does not tell the two apart: the better one that passes the test of fit is
        taken, and the intervals span those by both.
        "first_rank" uses the documents at position 1 alone and needs no model of who looks where:
        a check of the others, though not for users who choose one document among several.
    max_grade : int, optional
        Top grade of the scale; None takes it from `grade`.
    confidence : float, default=0.95
        Confidence of each interval by itself.
    n_resamples : int, default=1000
        Number of draws for the intervals and for the test of fit.
    random_state : int, default=0
        Seed of the draws and of the halves on which readers are compared.

    Returns
    -------
    LogThresholds
        The distribution, its intervals, the reader and its fit.

    Raises
    ------
    ValueError
        If an array is invalid, a session has two users, queries or segments, or a position twice,
        only one grade or no document of the top grade is shown, nobody clicks, or the reader cannot
        explain the log: "position" without a `propensity` where grades and positions are no
        connected table, "one" where a session has several clicks.

    Warns
    -----
    UserModelWarning
        If the test of fit says that the reader does not explain the log, or if clicked documents
        were judged far more often than others. The warning says in which direction g is off, if
        the log shows it.
    MissingClustersWarning
        If sessions share lists and no `query` is given.
    IndistinctGradesWarning
        If a grade between 0 and the top is never shown, so that its neighbours share what is known.
    FewFeedbackWarning
        If there are fewer than 20 clusters.

    See Also
    --------
    thresholds_from_feedback : The same where users said which of the documents satisfied them.
    log_columns : The columns from a table of the log and one of judgments.

    Notes
    -----
    **What a log hardly tells.** If users with low thresholds click more readily than others, the
    table of clicks by grade and rank is the same as with another g: the distribution of thresholds
    among users weighted by how readily they click. Only sessions with several clicks tell the two
    apart. With one click a session, or a strict cascade, the log hardly tells apart going on and
    satisfaction, either; standard errors of the parameters show this.

    **Holes.** "position" leaves out rows without a grade, "cascade" also the rows below the first
    of them in a session, and "one" every session that has one. None of these biases g, if rows
    were not judged because of their clicks.

    **Intervals.** The covariance of the estimate is the sandwich [4]_: sums of the scores over
    clusters between inverse informations. Draws from Student's distribution with it give the
    intervals, as score intervals: the variance grows with g as its skewness says, so that they
    reach farther from 0 than towards it.

    **Test of fit.** Two tests share the error rate by Bonferroni's rule. The first is of clicks by
    grade and rank, sessions with a click, and pairs of clicks in a session by their grades, less
    what the reader expects. The second is a score test [5]_ of whether each grade above the
    threshold adds to the log odds of a click; "one" has no such test, because with one choice that
    is another g. Covariances are over clusters and take the estimated parameters into account. A
    large log shows small errors of a model: see the plot for how large they are.

    References
    ----------
    .. [1] N. Craswell, O. Zoeter, M. Taylor, B. Ramsey (2008), "An Experimental Comparison of
       Click Position-Bias Models", WSDM.
    .. [2] O. Chapelle, Y. Zhang (2009), "A Dynamic Bayesian Network Click Model for Web Search
       Ranking", WWW.
    .. [3] A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), "Robust Inference with Multiway
       Clustering", Journal of Business & Economic Statistics 29(2).
    .. [4] H. White (1982), "Maximum Likelihood Estimation of Misspecified Models", Econometrica
       50(1).
    .. [5] C. R. Rao (1948), "Large Sample Tests of Statistical Hypotheses Concerning Several
       Parameters with Applications to Problems of Estimation", Mathematical Proceedings of the
       Cambridge Philosophical Society 44(1).

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded import xGAP
    >>> from skgraded.users import thresholds_from_log
    >>> rng = np.random.default_rng(0)
    >>> grade, threshold = rng.choice(3, size=(3000, 8)), rng.choice([1, 2], (3000, 1), p=[.2, .8])
    >>> liked = (grade >= threshold) & (rng.random((3000, 8)) < .4)
    >>> goes_on = np.cumprod(rng.random((3000, 8)) < .9, axis=1) > 0
    >>> clicked = liked & goes_on & (liked.cumsum(axis=1) == 1)    # and then they stop
    >>> session, position = np.repeat(np.arange(3000), 8), np.tile(np.arange(1, 9), 3000)
    >>> found = thresholds_from_log(
    ...     grade.ravel(), clicked.ravel(), session=session, position=position
    ... )
    >>> found.reader, found.g.round(2)
    ('cascade', array([0.18, 0.82]))
    >>> found.measure(xGAP, k=10, digits=2)
    xGAP(g=(0.18, 0.82), k=10)
    """
    reader = choice("reader", reader, ("auto", *READERS, "first_rank"))
    top = integer_or_none("max_grade", max_grade, 1, "the highest grade")
    options = Options(*check_options(confidence, n_resamples, random_state))
    rows: dict[str, Any] = {"clicked": clicked, "session": session, "position": position}
    rows |= {"user": user, "propensity": propensity, "by": by}
    columns = read_columns(grade, query, named=("grade", "query"), **rows)
    log = checked_log(columns, rows, top)
    warn_if_lists_repeat(log)
    chosen = _choose(reader, log.sessions, options.random)
    estimates = {each: estimate_by(each, log.sessions) for each in chosen.candidates}
    results = _results(chosen, log, log.sessions, estimates, options)
    chosen = chosen._replace(reader=_first_that_fits(results))
    found, estimate = joined(results, chosen.reader), estimates[chosen.reader]
    _warn_if_misfit(found, estimate, log)
    warn_if_few(n_clusters_of(log.sessions), next(iter(log.clusters), "session"), "clusters")
    segments, p_value = _by_segment(chosen, log, options)
    return dataclasses.replace(
        found,
        segments=segments,
        segments_p_value=p_value,
        notes=notes_on(found, estimate, log),
    )


def _first_that_fits(results: dict[str, LogThresholds]) -> str:
    """Return the first reader that passes the test of fit, or the first one if none does.

    One that could not be tested, p = nan, passes nothing.
    """
    return next(
        (name for name, each in results.items() if each.p_value >= _MISFIT), next(iter(results))
    )


def _results(
    chosen: Choice, log: Log, part: Sessions, estimates: dict[str, Estimate], options: Options
) -> dict[str, LogThresholds]:
    """Return the result of every reader."""
    return {
        name: result_of(chosen._replace(reader=name), log, part, estimate, options)
        for name, estimate in estimates.items()
    }


def _choose(reader: str, sessions: Sessions, random: np.random.Generator) -> Choice:
    """Return the reader that was asked for or is best, and why others cannot explain the log."""
    if reader == "first_rank":
        return Choice(reader, {}, {}, {})
    asked = list(READERS) if reader == "auto" else [reader]
    excluded = {each: why for each in asked if (why := why_not(each, sessions))}
    left = [each for each in asked if each not in excluded]
    if not left:
        told = "; ".join(f"reader={each!r}: {why}" for each, why in excluded.items())
        raise ValueError(f"No reader can explain the log. {told}.")
    if reader != "auto":
        return Choice(reader, {}, {}, {})
    return choose_reader(left, sessions, random)._replace(excluded=excluded)


def _by_segment(
    chosen: Choice, log: Log, options: Options
) -> tuple[dict[str, LogThresholds], float]:
    """Fit the reader to every segment, and test whether all have one g."""
    if log.segment is None:
        return {}, float("nan")
    by_chosen, found = [], {}
    for at, name in enumerate(log.segment_names):
        part = log.sessions.take(log.segment == at)
        _require_all_grades(name, part)
        readers = [each for each in chosen.candidates[1:] if not why_not(each, part)]
        estimates = {each: estimate_by(each, part) for each in (chosen.reader, *readers)}
        by_chosen.append(estimates[chosen.reader])
        results = _results(chosen, log, part, estimates, options)
        found[name] = joined(results, chosen.reader)
    return found, difference_of_segments(by_chosen, log.segment, log.sessions)


def _require_all_grades(name: str, part: Sessions) -> None:
    shown = np.bincount(part.level[part.known], minlength=part.n_levels + 1)
    if not shown[1:].all() or not part.clicked.any():
        raise ValueError(
            f"by must name segments in which every grade is shown and something is clicked, got "
            f"segment {name!r} with {count(int(part.clicked.sum()), 'click')} and "
            f"{shown.tolist()} rows by grade. Leave it out, or join it with another."
        )


def _warn_if_misfit(found: LogThresholds, estimate: Estimate, log: Log) -> None:
    if log.judged_because_clicked:
        warn_once(log.judged_because_clicked, UserModelWarning)
        return  # the first position, which would tell the direction, is off itself
    if not found.p_value < _MISFIT:
        return
    warn_once(
        f"clicked should be as the reader {found.reader!r} expects, got clicks by grade and "
        "position, pairs of clicks, or better grades above the threshold that satisfy more or less "
        f"often, by more than chance explains (p = {found.p_value:.2g}). "
        f"{_direction(found.reader, estimate, log)} Do not rely on this g and its intervals. The "
        "plot of the result shows how large the differences by grade and position are, and not the "
        "others.",
        UserModelWarning,
    )


def _direction(reader: str, estimate: Estimate, log: Log) -> str:
    """Say whether g is too demanding, by the estimate from the first rank alone."""
    if reader == "one":
        return "In which direction g is off, the log does not show."
    try:
        check = estimate_by_first_rank(log.sessions)
    except ValueError:
        return "In which direction g is off, the first position does not show."
    difference, error = mean_difference(estimate, check, log.sessions)
    if abs(difference) < _CLEARLY * error:
        return (
            "The first position alone, where it matters least who looks how far, gives about the "
            "same mean threshold. Both are off alike if better grades satisfy more often, or if "
            "users with low thresholds click more readily."
        )
    mean = float(log.shown[1:] @ estimate.g)
    word = "demanding" if difference > 0 else "easy"
    return (
        f"g is too {word} by the first position alone, where it matters least who looks how far: "
        f"the mean threshold is {mean:.2f} here and {float(log.shown[1:] @ check.g):.2f} there."
    )
