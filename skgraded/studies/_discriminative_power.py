"""Discriminative power: for how many pairs of systems a measure shows a significant difference."""

from __future__ import annotations

import dataclasses
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
        is_significant = self.p_values < self.level
        return is_significant.sum(axis=1)

    @property
    def power(self) -> FloatArray:
        """Share of the pairs with a significant difference, for each measure."""
        n_pairs = len(self.pairs)
        return self.n_significant / n_pairs

    @property
    def difference_required(self) -> FloatArray:
        """Difference of means that is significant for every pair: the maximum of ``required``.

        Shape (n_measures,).
        """
        return self.required.max(axis=1)

    def _fields(self) -> list[Field]:
        n_measures = len(self.measures)
        measures = [name for name in self.measures for _ in self.pairs]
        first_numbers, second_numbers = self.pairs.T
        first = [self.systems[number] for number in first_numbers]
        second = [self.systems[number] for number in second_numbers]

        p_values = self.p_values.ravel()
        return [
            Field("measure", measures),
            Field("first", first * n_measures),
            Field("second", second * n_measures),
            Field("difference", self.differences.ravel()),
            Field("p_value", p_values),
            Field("significant", p_values < self.level),
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
        most_power_first = np.argsort(-self.power, kind="stable")
        measures = [self.measures[number] for number in most_power_first]
        n_significant = self.n_significant[most_power_first]
        required = self.difference_required[most_power_first]
        fields = [
            Field("measure", measures, "measure"),
            Field("n", n_significant, "significant", f"{{}}/{len(self.pairs)}"),
            Field("power", self.power[most_power_first], "power", "{:.1%}"),
            Field("required", required, "diff. required", "{:.3f}"),
        ]

        # Measures without a value on some topics have fewer of them.
        n_topics = f"{min(self.n_topics)}"
        if len(set(self.n_topics)) > 1:
            n_topics = f"{n_topics} to {max(self.n_topics)}"
        sentence = (
            f"{self._tests()}, p < {self.level:g}; {len(self.systems)} systems; "
            f"{n_topics} topics."
        )
        return Table(fields, [sentence], widest_label=44)

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
    study_scores = scored_systems(scores, n_topics=2)
    systems = study_scores.systems or ()
    _check_options(test, confidence, n_resamples)

    # The same topics are drawn for all measures.
    seed = np.random.default_rng(random_state).integers(2**63)
    first, second = np.triu_indices(len(systems), 1)
    pairs = np.column_stack([first, second])
    level = level_of(confidence)

    p_values = []
    differences = []
    required = []
    n_topics = []
    with ProgressBar(len(study_scores.measures), "measures") as bar:
        for name in study_scores:
            values = complete_topics(study_scores, name)
            rng = np.random.default_rng(seed)
            p_values_of_pairs, required_by_pairs = TESTS[test].p_values_and_required(
                values, pairs, level, n_resamples, rng
            )
            p_values.append(p_values_of_pairs)
            required.append(required_by_pairs)
            paired = paired_differences(values[first], values[second])
            differences.append(paired.mean(axis=1))
            n_topics.append(values.shape[1])
            bar.step()

    return DiscriminativePower(
        measures=study_scores.measures,
        systems=systems,
        pairs=pairs,
        test=test,
        confidence=confidence,
        n_resamples=n_resamples,
        n_topics=tuple(n_topics),
        p_values=np.stack(p_values),
        differences=np.stack(differences),
        required=np.stack(required),
    )


def _check_options(test: str, confidence: float, n_resamples: int) -> None:
    """Refuse an unknown test, a confidence out of range, and too few resamples for its level."""
    choice("test", test, TESTS)
    level = level_of(fraction("confidence", confidence))
    integer("n_resamples", n_resamples, 1)
    if TESTS[test].resamples and n_resamples * level < 1.0:
        raise ValueError(
            f"n_resamples must be at least {1.0 / level:g}, got {n_resamples!r}: with fewer, no "
            f"difference can be significant at {level:g}."
        )
