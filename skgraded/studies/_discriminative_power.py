"""Discriminative power: for how many pairs of systems a measure shows a significant difference."""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np

from skgraded._intervals.paired import N_RESAMPLES, TESTS, level_of, paired_differences
from skgraded._support.arguments import choice, fraction, integer
from skgraded._support.array_types import FloatArray, IntArray
from skgraded._support.progress import ProgressBar
from skgraded._support.results_base import Field, Result, Table
from skgraded.studies._scored_systems import complete_topics, scored_systems


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DiscriminativePower(Result):
    """Significance of the differences of all pairs of systems, for several measures.

    `to_frame` has one row per measure and pair of systems, with the columns measure, first, second,
    difference, p_value, significant and required.

    Attributes
    ----------
    measures : tuple of str
        Names of the measures.
    systems : tuple of str
        Names of the systems.
    pairs : ndarray of shape (n_pairs, 2), int64
        Numbers of the two systems of each pair.
    test : str
        The test.
    confidence : float
        1 less the level of significance.
    n_resamples : int
        Number of resamples B.
    n_topics : tuple of int
        Number of topics on which all systems have a value, for each measure.
    p_values : ndarray of shape (n_measures, n_pairs)
        Achieved significance levels; in ascending order, a row is the ASL curve of its measure.
    differences : ndarray of shape (n_measures, n_pairs)
        Mean of the first system minus that of the second.
    required : ndarray of shape (n_measures, n_pairs)
        Difference that the pair needs to be significant.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: IntArray
    test: str
    confidence: float
    n_resamples: int
    n_topics: tuple[int, ...]
    p_values: FloatArray
    differences: FloatArray
    required: FloatArray

    @property
    def level(self) -> float:
        """Level of significance: 1 - confidence."""
        return level_of(self.confidence)

    @property
    def n_significant(self) -> IntArray:
        """Number of pairs with a p-value below the level, for each measure."""
        number: IntArray = (self.p_values < self.level).sum(axis=1)
        return number

    @property
    def power(self) -> FloatArray:
        """Share of the pairs with a significant difference, for each measure."""
        return self.n_significant / len(self.pairs)

    @property
    def difference_required(self) -> FloatArray:
        """Difference of means that is significant for every pair: the maximum of ``required``.

        Shape (n_measures,).
        """
        largest: FloatArray = self.required.max(axis=1)
        return largest

    def _fields(self) -> list[Field]:
        pairs = [(self.systems[one], self.systems[other]) for one, other in self.pairs]
        rows = ((name, *pair) for name, pair in product(self.measures, pairs))
        measures, first, second = zip(*rows, strict=True)
        return [
            Field("measure", measures),
            Field("first", first),
            Field("second", second),
            Field("difference", self.differences.ravel()),
            Field("p_value", self.p_values.ravel()),
            Field("significant", self.p_values.ravel() < self.level),
            Field("required", self.required.ravel()),
        ]

    def to_text(self) -> str:
        """Draw a table in Sakai's form, the most discriminative measure first.

        Returns
        -------
        str
            The lines.
        """
        return self._table().to_text()

    def _table(self) -> Table:
        order = np.argsort(-self.power, kind="stable")
        fields = [
            Field("measure", [self.measures[each] for each in order], "measure"),
            Field(
                "n", self.n_significant[order], "significant", f"{{}}/{len(self.pairs)}"
            ),
            Field("power", self.power[order], "power", "{:.1%}"),
            Field(
                "required", self.difference_required[order], "diff. required", "{:.3f}"
            ),
        ]
        topics = sorted(set(self.n_topics))
        told = (
            f"{self._tests()}, p < {self.level:g}; {len(self.systems)} systems; "
            f"{' to '.join(map(str, topics[:: max(1, len(topics) - 1)]))} topics."
        )
        return Table(fields, [told], widest_label=44)

    def _tests(self) -> str:
        """Name the test, and the number of its resamples."""
        test = TESTS[self.test]
        resamples = f", {self.n_resamples:,} resamples" if test.resamples else ""
        return f"{test.title[0].upper()}{test.title[1:]}{resamples}"


def discriminative_power(
    scores: Any,
    *,
    test: str = "bootstrap",
    confidence: float = 0.95,
    n_resamples: int = N_RESAMPLES,
    random_state: int | np.random.Generator | None = 0,
) -> DiscriminativePower:
    """Test the difference of every pair of systems, and count the significant ones.

    Parameters
    ----------
    scores : Scores or mapping
        Scored runs, from `skgraded.trec.evaluate`; or what `skgraded.results.side_by_side` takes: a
        mapping of systems to `Scores` of the same queries, or of measures to arrays of shape
        (n_systems, n_topics).
    test : {"bootstrap", "t", "tukey", "randomization", "wilcoxon"}, default="bootstrap"
        One of the tests of `skgraded.compare`. Studies of measures use the paired bootstrap test
        of the studentised mean difference [1]_ most, and the randomised Tukey HSD test [3]_, which
        corrects for all comparisons.
    confidence : float, default=0.95
        1 less the level of significance.
    n_resamples : int, default=10000
        Number B of resamples, for tests that draw some. The same topics are drawn for all measures.
    random_state : int or Generator or None, default=0
        Seed of the resamples; with None they differ from call to call.

    Returns
    -------
    DiscriminativePower
        Significance levels, the share of significant pairs, and the difference required.

    Raises
    ------
    ValueError
        If there are fewer than two systems or fewer than two topics on which all systems have a
        value, or an option is not as described.

    Notes
    -----
    The difference that a pair requires depends on the test. With the bootstrap it is the mean
    difference of the resample whose studentised difference is the ``(1 - confidence) B``-th
    largest [1]_; with the t test it is the critical value of t times the standard error; with the
    others it is the smallest significant difference that was observed, the same for all pairs.
    Significance levels count the observed difference as one of the resampled ones,
    (b + 1) / (B + 1), so that none is 0.

    References
    ----------
    .. [1] T. Sakai (2006),
       "Evaluating Evaluation Metrics based on the Bootstrap".
    .. [2] T. Sakai (2007), "Alternatives to Bpref",
       Section 7.
    .. [3] B. Carterette (2012), "Multiple Testing in Statistical Analysis of Systems-Based
       Information Retrieval Experiments".

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.studies import discriminative_power
    >>> topic = np.random.default_rng(0).random((3, 40))
    >>> steady = 0.1 * topic + np.array([[0.0], [0.1], [0.2]])
    >>> discriminative_power({"steady": steady, "noisy": topic}, test="t")
    measure  significant   power  diff. required
    steady           3/3  100.0%           0.015
    noisy            0/3    0.0%           0.151
    Student's paired t test, p < 0.05; 3 systems; 40 topics.
    """
    taken = scored_systems(scores, n_topics=2)
    systems = taken.systems or ()
    _check_options(test, confidence, n_resamples)
    seed = np.random.default_rng(random_state).integers(2**63)
    pairs = np.column_stack(np.triu_indices(len(systems), 1))
    level = level_of(confidence)
    tested = []
    differences = []
    n_topics = []
    with ProgressBar(len(taken.measures), "measures") as bar:
        for name in taken:
            values = complete_topics(taken, name)
            rng = np.random.default_rng(seed)
            tested.append(
                TESTS[test].p_values_and_required(
                    values, pairs, level, n_resamples, rng
                )
            )
            differences.append(paired_differences(*values[pairs.T]).mean(axis=1))
            n_topics.append(values.shape[1])
            bar.step()
    p_values, required = map(np.stack, zip(*tested, strict=True))
    return DiscriminativePower(
        measures=taken.measures,
        systems=systems,
        pairs=pairs,
        test=test,
        confidence=confidence,
        n_resamples=n_resamples,
        n_topics=tuple(n_topics),
        p_values=p_values,
        differences=np.stack(differences),
        required=required,
    )


def _check_options(test: str, confidence: float, n_resamples: int) -> None:
    """Refuse an unknown test, a confidence out of range, and too few resamples for its level."""
    tested = TESTS[choice("test", test, TESTS)]
    level = level_of(fraction("confidence", confidence))
    integer("n_resamples", n_resamples, 1)
    if tested.resamples and n_resamples * level < 1.0:
        raise ValueError(
            f"n_resamples must be at least {1.0 / level:g}, got {n_resamples!r}: with fewer, no "
            f"difference can be significant at {level:g}."
        )
