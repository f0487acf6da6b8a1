"""What an estimate from a log says: the result, and notes on what the log cannot tell."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded.users._log_estimates import Choice, Estimate, draws_of, sessions_for
from skgraded.users._log_input import Log
from skgraded.users._log_result import LogThresholds
from skgraded.users._reader_fit import cluster_covariance, lean_of
from skgraded.users._reader_test import goodness_of_fit
from skgraded.users._resampling import covariance_of, interval_of, leaning, spread_steps
from skgraded.users._sessions import Sessions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_VAGUE = 0.2  # standard error of a probability that the log hardly tells


class Options(NamedTuple):
    """Options of the intervals."""

    confidence: float
    n_resamples: int
    random: np.random.Generator


def result_of(
    chosen: Choice, log: Log, part: Sessions, estimate: Estimate, options: Options
) -> LogThresholds:
    """Return one reader's result of the log or a segment, without rivals, segments and notes."""
    draws = draws_of(estimate, part, options.n_resamples, options.random)
    lean = lean_of(estimate.moves, part.clusters)
    ends = interval_of(leaning(draws, estimate.g, lean), estimate.g, options.confidence)
    g, interval = spread_steps(estimate.g, ends, log.lengths)
    return LogThresholds(
        g=g,
        interval=interval,
        confidence=options.confidence,
        covariance=covariance_of(draws, log.lengths),
        reader=chosen.reader,
        parameters=_parameters(estimate, sessions_for(chosen.reader, part)[0]),
        rank=part.rank,
        log_likelihood=chosen.mean,
        behind=chosen.behind,
        excluded=chosen.excluded,
        p_value=_p_value(chosen.reader, estimate, part, options),
        n_sessions=len(part),
        rivals={},
        segments={},
        segments_p_value=float("nan"),
        notes=(),
        **_table_of(chosen.reader, estimate, part, log),
        **_counts(part, log),
    )


def joined(results: dict[str, LogThresholds], reader: str) -> LogThresholds:
    """Return the result of one reader, with intervals that span those of all.

    The covariance is the mean over the readers of the squares around this reader's g.
    """
    found, n = results[reader], len(results)
    if n == 1:
        return found
    intervals = np.array([each.interval for each in results.values()])
    apart = np.array([each.g - found.g for each in results.values()])
    within = sum(each.covariance for each in results.values())
    return dataclasses.replace(
        found,
        interval=np.column_stack([intervals[:, :, 0].min(axis=0), intervals[:, :, 1].max(axis=0)]),
        covariance=(within + apart.T @ apart) / n,
        rivals={name: each for name, each in results.items() if name != reader},
    )


def _p_value(reader: str, estimate: Estimate, sessions: Sessions, options: Options) -> float:
    if estimate.fit is None:
        return float("nan")
    part, _ = sessions_for(reader, sessions)
    return goodness_of_fit(estimate.fit, part, options.n_resamples, options.random)


def _table_of(reader: str, estimate: Estimate, sessions: Sessions, log: Log) -> dict[str, Any]:
    """Return shown rows, and observed and fitted shares of clicks, by grade and position."""
    part, _ = sessions_for(reader, sessions)
    known, expected = part.known.copy(), None
    if reader == "first_rank":
        known[:, 1:] = False
    if estimate.fit is not None:
        expected, _ = estimate.fit.reader.expected(estimate.fit.weights, estimate.fit.others)
    shown, observed, fitted = _by_cell(part, known, expected, log)
    return {
        "propensity": _examined(estimate, part),
        "shown": shown,
        "observed": observed,
        "fitted": fitted,
        "n_left_out": int(sessions.known.sum() - known.sum()),
        "n_clicks": int((part.clicked & known).sum()),
    }


def _counts(sessions: Sessions, log: Log) -> dict[str, Any]:
    whole = sessions is log.sessions
    clusters = {
        name: len(np.unique(each))
        for name, each in zip(log.clusters, sessions.clusters, strict=True)
    }
    return {
        "n_rows": log.n_rows if whole else int(sessions.known.sum()),
        "n_unjudged": log.n_unjudged if whole else 0,
        "clusters": clusters or {"session": len(sessions)},
    }


def _parameters(estimate: Estimate, part: Sessions) -> dict[str, tuple[float, float]]:
    if estimate.fit is None:
        return {}
    fit = estimate.fit
    n = fit.reader.n_classes
    variance = cluster_covariance(fit.moves, part.clusters).diagonal()
    errors = np.sqrt(np.where(variance > 0, variance, np.nan))
    values = zip(fit.others.tolist(), errors[n:].tolist(), strict=True)
    named = dict(zip(fit.reader.names, values, strict=True))
    if fit.reader.n_without:
        named["takes_any"] = (float(fit.weights[0]), float(errors[0]))
    return named


def _examined(estimate: Estimate, part: Sessions) -> FloatArray:
    """Return the probability of examination by position, relative to the first."""
    fit = estimate.fit
    if fit is None:
        return np.full(len(part.rank), np.nan)
    shares = fit.reader.examined(fit.weights, fit.others)
    n = part.known.sum(axis=0)
    mean = np.where(part.known, shares, 0.0).sum(axis=0) / np.where(n > 0, n, np.nan)
    relative: FloatArray = mean / mean[0]
    return relative


def _by_cell(
    part: Sessions, known: NDArray[np.bool_], expected: FloatArray | None, log: Log
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return shown rows, and observed and fitted shares of clicks, by grade and position."""
    n_ranks, n_grades = len(part.rank), int(log.shown[-1]) + 1
    rows, columns = np.nonzero(known)
    cell = log.shown[part.level[rows, columns]] * n_ranks + columns
    size = n_grades * n_ranks

    def sums(values: NDArray[Any] | None) -> NDArray[Any]:
        weights = None if values is None else values[rows, columns].astype(np.float64)
        return np.bincount(cell, weights, size).reshape(n_grades, n_ranks)

    shown = sums(None)
    n = np.where(shown > 0, shown, np.nan)
    fitted = np.full(shown.shape, np.nan) if expected is None else sums(expected) / n
    return shown.astype(np.int64), sums(part.clicked) / n, fitted


def notes_on(found: LogThresholds, estimate: Estimate, log: Log) -> tuple[str, ...]:
    """Return what the log cannot tell."""
    told = []
    if not log.clusters:
        told.append("Without user= and query=, every session counts as independent.")
    if found.rivals:
        others = " and ".join(
            f'"{name}", by which g is {", ".join(f"{each:.3f}" for each in rival.g)}'
            for name, rival in found.rivals.items()
        )
        all_of_them = "both" if len(found.rivals) == 1 else "all of them"
        told.append(
            f'The log does not tell the reader "{found.reader}" from {others}: every interval '
            f"spans those by {all_of_them}."
        )
    part, _ = sessions_for(found.reader, log.sessions)
    vague = [
        name
        for name, (_, error) in _parameters(estimate, part).items()
        if error > _VAGUE and not name.startswith("examined_")
    ]
    if vague:
        told.append(
            f"The log hardly tells {' and '.join(vague)}, as is so with one click a session: what "
            "looks like going on may be satisfaction, and the other way around."
        )
    n_several = int((part.clicked.sum(axis=1) > 1).sum())
    told.append(
        "Users with low thresholds who click more readily look like more of such users; only "
        f"sessions with several clicks, {n_several} here, tell them apart."
    )
    return tuple(told)
