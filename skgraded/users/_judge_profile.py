"""For which users a judge's labels mislead: its bias in AP at every threshold of the users."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._params import choice, fraction, integer
from skgraded._stats.bands import SHARE_OF_BOUNDS, Moments, critical_beside_bounds, moments_of
from skgraded._stats.judged import note_on_unlike, regression_of
from skgraded._stats.paired import paired_differences
from skgraded._stats.rare import FEWEST_DIFFERENCES
from skgraded._text import count, first_few
from skgraded._writers import LongResult, Table
from skgraded.exceptions import UnlikeQueriesWarning
from skgraded.measures import AP, ap_by_threshold
from skgraded.results import Judged, Scores, judged_scores
from skgraded.users._pair_profile import PairProfile

__all__ = ["JudgeProfile", "judge_profile"]

FloatArray = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgeProfile(LongResult):
    """Bias of a judge for all users at once.

    A row is a system, or a difference of two systems. `to_frame` has one row per system and
    threshold, with the columns name, threshold, human, judge, estimate, bias, low and high.

    Attributes
    ----------
    names : tuple of str
        What each row is: a system, or ``"a - b"``.
    measure : AP
        AP at threshold 1, which shows the cut-off and the rules for ties and unjudged documents.
    human : ndarray of shape (n_rows, n_grades)
        Mean AP at the thresholds 1..c by the human labels alone.
    judge : ndarray of shape (n_rows, n_grades)
        The same by the judge's labels of all queries.
    estimate : ndarray of shape (n_rows, n_grades)
        The same of all queries as humans would label them, estimated from both.
    bias : tuple of PairProfile
        For each row, by how much the judge is too high: ``at(g)`` has the bias and its interval for
        one population of users, ``differences`` and ``intervals`` those at each threshold, and
        ``shares`` the shares of the users for whom the judge is too high or too low.
    n_human, n_judged : int
        Number of queries with human labels, and with the judge's.
    confidence : float
        Confidence of the intervals, which hold jointly for all users and rows.
    remarks : tuple of str
        What the numbers do not show, in sentences.
    """

    names: tuple[str, ...]
    measure: AP
    human: FloatArray
    judge: FloatArray
    estimate: FloatArray
    bias: tuple[PairProfile, ...]
    n_human: int
    n_judged: int
    confidence: float
    remarks: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> PairProfile:
        """Return the bias of one row."""
        return self.bias[self.names.index(choice("name", name, self.names))]

    @property
    def conclusion(self) -> str:
        """For which users the judge misleads, in a sentence for each row."""
        return "\n".join(map(_sentence, self.names, self.bias))

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not show, in sentences."""
        return self.remarks

    def _columns(self) -> dict[str, Any]:
        n_rows, n_grades = self.human.shape
        intervals = np.concatenate([each.intervals for each in self.bias])
        return {
            "name": [name for name in self.names for _ in range(n_grades)],
            "threshold": list(range(1, n_grades + 1)) * n_rows,
            "human": self.human.ravel(),
            "judge": self.judge.ravel(),
            "estimate": self.estimate.ravel(),
            "bias": np.concatenate([each.differences for each in self.bias]),
            "low": intervals[:, 0],
            "high": intervals[:, 1],
        }

    def _facts(self) -> dict[str, Any]:
        return {
            "measure": str(self.measure),
            "n_human": self.n_human,
            "n_judged": self.n_judged,
            "confidence": self.confidence,
            "conclusions": self.conclusion.splitlines(),
        }

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        shown = range(len(self.names))[:n_rows]
        tables = [self._table_of(row) for row in shown]
        notes = [_sentence(self.names[row], self.bias[row]) for row in shown]
        if len(shown) < len(self.names):
            notes.append(f"{len(self.names)} rows, the first {len(shown)} shown.")
        notes.append(
            f"Bias is that of the judge over {count(self.n_human, 'query', 'queries')} with human "
            f"labels; judge and estimate are means over {self.n_judged:,}. Users with threshold k "
            "accept grade k or better (rel=k), and g_k is their share. Intervals hold jointly for "
            "all users."
        )
        return [*tables[:-1], tables[-1]._replace(notes=[*notes, *self.remarks])]

    def _table_of(self, row: int) -> Table:
        pair = self.bias[row]
        columns = [
            (heading, [f"{each:.4f}" for each in values[row]])
            for heading, values in (
                ("human", self.human),
                ("judge", self.judge),
                ("estimate", self.estimate),
            )
        ]
        columns += [
            ("judge's bias", [f"{each:+.4f}" for each in pair.differences]),
            (
                f"{100.0 * self.confidence:g}% interval",
                [f"[{low:+.4f}, {high:+.4f}]" for low, high in pair.intervals],
            ),
        ]
        thresholds = (f"rel={each}" for each in range(1, len(pair.differences) + 1))
        return Table([self.names[row], *thresholds], columns)


def _sentence(name: str, pair: PairProfile) -> str:
    told = [
        f"too {way} {users}"
        for way, sign in (("high", 1), ("low", -1))
        if (users := pair.users_in_words(sign))
    ]
    if not told:
        whom = "any user" if len(pair.differences) > 1 else "users with threshold 1"
        return f"{name}: no bias of the judge is established for {whom}."
    return f"{name}: the judge is {'; '.join(told)}."


def judge_profile(
    human: Scores,
    judge: Any,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = 0,
) -> JudgeProfile:
    r"""Tell for which users the labels of a judge mislead.

    `eGAP` is linear in g, the shares of users with the thresholds 1..c, and so is the bias of a
    judge in it:

    .. math:: bias(g) = \sum_{k=1}^{c} g_k\, (AP_k^{judge} - AP_k^{human}).

    So the biases of `AP` at the thresholds answer for all users at once.

    Parameters
    ----------
    human : Scores
        Values by human labels of one system or several: AP at every threshold, as
        ``[AP(rel=k) for k in range(1, c + 1)]`` or `profile_measures` score them.
    judge : Scores, mapping of str to Scores, or list of either
        Values of the same systems by the same measures, by the labels of a judge, for these queries
        and more. Of a list, the judges' mean is taken.
    baseline : str, optional
        The system that the others are compared with; by default each system is looked at by itself.
        A judge that is equally too high for all systems misleads in no comparison.
    confidence : float, default=0.95
        Probability that all intervals hold jointly, for all users and rows.
    n_resamples : int, default=2000
        Resamples of the queries from which the intervals come.
    random_state : int, Generator or None, default=0
        Seed of the resamples; None draws others in every call.

    Returns
    -------
    JudgeProfile
        Bias for all users with joint intervals, and a sentence of conclusion for each system.

    Raises
    ------
    TypeError
        If the human scores are not a `Scores`, or the judge's are neither that nor a mapping.
    ValueError
        If AP is missing at a threshold or was scored in several ways; if the judge's scores do not
        go with the human ones; if queries have weights that vary; or if an argument is not as
        described.

    Warns
    -----
    UnlikeQueriesWarning
        If the judge's values of the queries with human labels differ from those of the others.

    See Also
    --------
    skgraded.compare : Differences from few human labels and a judge's many, with ``judge=``.
    threshold_profile : For which users one system is better than another.

    Notes
    -----
    The bias is the mean difference over the queries with human labels, whose intervals are those of
    `threshold_profile`. Where the labels lead to other values in fewer than 10 queries, these do
    not tell how the bias varies, and only a bound holds: that of Stringer for the mean size of the
    differences [1]_. It is the upper end of Clopper and Pearson's interval for the share of such
    queries, if their values are as far apart as can be, and else lower, by the sizes that are seen.
    With few events it has no proof, but no counterexample either [2]_. If there are such bounds,
    they take a fifth of the probability to miss, and the other intervals the rest. The section "For
    which users a judge misleads" of the page on calibration tells how often all hold, and how wide
    they are. The estimates are those of `skgraded.comparison.estimate_means`, threshold by
    threshold.

    References
    ----------
    .. [1] K. W. Stringer (1963), "Practical Aspects of Statistical Sampling in Auditing",
       Proceedings of the Business and Economic Statistics Section, American Statistical
       Association.
    .. [2] P. J. Bickel (1992), "Inference and Auditing: The Stringer Bound", International
       Statistical Review 60(2).

    Examples
    --------
    A judge that mistakes one document in three of grade 1 for one of grade 2:

    >>> import numpy as np
    >>> from skgraded import AP, evaluate
    >>> from skgraded.users import judge_profile
    >>> rng = np.random.default_rng(0)
    >>> y, qid = rng.choice(3, p=[0.6, 0.3, 0.1], size=12_000), np.repeat(np.arange(600), 20)
    >>> by_judge = np.where((y == 1) & (rng.random(len(y)) < 1 / 3), 2, y)
    >>> run, few = {"run": (y > 0) + rng.normal(size=len(y))}, qid < 80
    >>> measures = [AP(rel=1), AP(rel=2)]
    >>> human = evaluate(measures, y[few], {"run": run["run"][few]}, qid=qid[few])
    >>> found = judge_profile(human, evaluate(measures, by_judge, run, qid=qid))
    >>> print(found.conclusion)
    run: the judge is too high for users with g_1 below 0.66.
    """
    if not isinstance(human, Scores):
        raise TypeError(f"human must be Scores, got {type(human).__name__}.")
    fraction("confidence", confidence)
    integer("n_resamples", n_resamples, 1)
    measure, picked = _thresholds_of(human)
    judged = judged_scores(judge, picked)
    judged.refuse_weights()
    rows = _rows(judged, baseline)
    unlike = note_on_unlike(rows.names, picked.measures, rows.by_judge, judged.places)
    if unlike:
        warnings.warn(unlike, UnlikeQueriesWarning, stacklevel=2)
    largest, rng = 1.0 if baseline is None else 2.0, np.random.default_rng(random_state)
    moments = [moments_of(each) for each in rows.apart]
    bounds = _bounds_of_few(rows.apart, largest, confidence)
    critical = critical_beside_bounds(moments, bounds, confidence, n_resamples, rng)
    remarks = (unlike, _note_on_few(rows.names, bounds))
    return JudgeProfile(
        names=rows.names,
        measure=measure,
        human=rows.labels.mean(axis=1),
        judge=rows.by_judge.mean(axis=1),
        estimate=_estimates(rows, judged.places),
        bias=tuple(
            _bias(name, each, bound, critical, largest)
            for name, each, bound in zip(rows.names, moments, bounds, strict=True)
        ),
        n_human=rows.labels.shape[1],
        n_judged=rows.by_judge.shape[1],
        confidence=confidence,
        remarks=tuple(filter(None, remarks)),
    )


def _thresholds_of(human: Scores) -> tuple[AP, Scores]:
    """Return AP at threshold 1, and the scores by AP at the thresholds 1..c."""
    groups = ap_by_threshold(human.measures)
    if len(groups) != 1:
        kinds = first_few(list(map(str, groups))) or "none"
        raise ValueError(
            "human must be scored by AP at every threshold, in one way, such as "
            f"[AP(rel=k) for k in range(1, c + 1)]; got {kinds}."
        )
    ((measure, by_threshold),) = groups.items()
    missing = sorted({*range(1, max(by_threshold))} - by_threshold.keys())
    if missing:
        raise ValueError(
            f"human must be scored by AP at every threshold up to {max(by_threshold)}, and lacks "
            f"rel={missing[0]}."
        )
    return measure, human[[by_threshold[rel] for rel in sorted(by_threshold)]]


class _Rows(NamedTuple):
    """Names, and values of shape (n_rows, n_queries, n_grades).

    ``apart`` is the judge's value less the human one, of the queries with both. Where they are the
    same but for rounding, it is 0.
    """

    names: tuple[str, ...]
    labels: FloatArray
    by_judge: FloatArray
    apart: FloatArray


def _rows(judged: Judged, baseline: str | None) -> _Rows:
    """Return the rows of the systems, or of their differences to a baseline."""
    systems = judged.human.systems or ("mean",)
    labels, by_judge = judged.human_values, judged.values
    apart = paired_differences(by_judge[:, judged.places], labels)
    if baseline is None:
        return _Rows(systems, labels, by_judge, apart)
    base = systems.index(choice("baseline", baseline, systems))
    others = [place for place in range(len(systems)) if place != base]
    if not others:
        raise ValueError(f"baseline needs another system beside it, got {baseline!r} alone.")
    names = tuple(f"{systems[place]} - {baseline}" for place in others)
    values = (paired_differences(each[others], each[[base]]) for each in (labels, by_judge, apart))
    return _Rows(names, *values)


def _estimates(rows: _Rows, places: NDArray[np.int64]) -> FloatArray:
    """Return the means of all queries as humans would label them, shape (n_rows, n_grades)."""
    lines = [
        regression_of(rows.labels[..., grade], rows.by_judge[..., grade], places)
        for grade in range(rows.labels.shape[2])
    ]
    return np.stack([line.mean for line in lines], axis=1)


def _bounds_of_few(apart: FloatArray, largest: float, confidence: float) -> FloatArray:
    """Bound the biases to which few queries contribute, shape (n_rows, n_grades); the others are 0.

    A bias is at most the mean size of the differences, of shape (n_rows, n_queries, n_grades), and
    none of these is beyond the largest that there can be.
    """
    sizes = np.abs(apart) / largest
    few = (sizes > 0.0).sum(axis=1) < FEWEST_DIFFERENCES
    level = SHARE_OF_BOUNDS * (1.0 - confidence) / max(few.sum(), 1)
    bounds = np.zeros(few.shape)
    for row, grade in np.argwhere(few):
        bounds[row, grade] = largest * _stringer(sizes[row, :, grade], level)
    return bounds


def _stringer(sizes: FloatArray, level: float) -> float:
    """Bound the mean of values from 0 to 1 of which most are 0, from above, by Stringer.

    The upper ends of Clopper and Pearson's intervals for 0, 1, 2, ... events are as far apart as
    one more event counts; here it counts by its size, the largest sizes first.
    """
    from scipy.stats import beta

    ordered = -np.sort(-sizes[sizes > 0.0])
    n_events = np.arange(len(ordered) + 1)
    n_others = len(sizes) - n_events
    ends = np.where(n_others > 0, beta.isf(level, n_events + 1, np.maximum(n_others, 1)), 1.0)
    return float(ends[0] + np.diff(ends) @ ordered)


def _note_on_few(names: tuple[str, ...], bounds: FloatArray) -> str:
    few = [f"{names[row]} (rel={grade + 1})" for row, grade in np.argwhere(bounds)]
    if not few:
        return ""
    return (
        f"The labels lead to other values in fewer than {FEWEST_DIFFERENCES} queries for "
        f"{first_few(few)}: intervals there say only that such queries are few."
    )


def _bias(
    name: str, moments: Moments, bounds: FloatArray, critical: float, largest: float
) -> PairProfile:
    """Return the bias of a row as a profile over the users."""
    varies = bounds == 0.0
    nothing = np.zeros(0)
    return PairProfile(
        ranker=f"{name} by the judge",
        baseline=f"{name} by humans",
        differences=moments.means,
        covariance=moments.covariance * np.outer(varies, varies),
        critical=critical,
        users=np.zeros((0, len(moments.means))),
        xgap_differences=nothing,
        xgap_errors=nothing,
        xgap_critical=0.0,
        bounds=bounds,
        largest=largest,
    )
