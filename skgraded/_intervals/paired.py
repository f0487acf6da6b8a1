"""Paired tests over queries, for many pairs of systems at once, and corrections for their number.

A new test is a function and its entry in `TESTS`, and a new correction one in `CORRECTIONS`:
comparisons, studies and the command line read the tables. Studies call all the functions. For
``"score"`` and ``"t"``, comparisons call the `Estimate` of their intervals instead, which also
knows of clusters, repeats and judges; so these two tests are changed there.

Differences are a finite array of shape (n_pairs, n_topics). Every test returns one two-sided
p-value per pair, which is 1 for a pair without any difference. A topic is a query.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skgraded._intervals.draws import bootstrap_test, randomization_test, tukey_test
from skgraded._intervals.estimate import means

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Resamples of every test that draws some, unless the user says more.
N_RESAMPLES = 10_000
# Values of a measure differ by less where the same numbers are added up in another order.
_ROUNDING_OF_VALUES = 1e-14
_DIGITS_OF_RANKS = 12


def paired_differences(values: FloatArray, other_values: FloatArray) -> FloatArray:
    """Subtract values topic by topic; differences as small as rounding errors become 0.

    The values of equal rankings may be added up in different orders, and the tests use signs and
    spreads, for which even the smallest differences count.
    """
    differences: FloatArray = values - other_values
    rounding = _ROUNDING_OF_VALUES * np.maximum(np.abs(values), np.abs(other_values))
    differences[np.abs(differences) <= rounding] = 0.0
    return differences


def effect_size(differences: FloatArray) -> FloatArray:
    """Mean difference in standard deviations of the differences (Cohen's d), 0 without any."""
    mean, spread = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    with np.errstate(divide="ignore"):  # the same difference in every topic
        sizes: FloatArray = np.divide(mean, spread, out=np.zeros_like(mean), where=mean != 0.0)
    return sizes


def t_test(differences: FloatArray) -> FloatArray:
    """Student's t test of the mean difference."""
    return means(np.ascontiguousarray(differences.T)).p_value(skewed=False)


def score_test(differences: FloatArray) -> FloatArray:
    """Test the mean difference by the larger of two tails: t, and t to the second order."""
    return means(np.ascontiguousarray(differences.T)).p_value()


def wilcoxon_test(differences: FloatArray) -> FloatArray:
    """Wilcoxon's signed-rank test of topics; those without a difference are left out."""
    from scipy.stats import wilcoxon

    p_values = np.ones(len(differences))
    for pair, row in enumerate(differences):
        differing = row[row != 0.0]
        if len(differing):
            # Sizes that rounding alone tells apart, such as 0.3 - 0.2 and 0.1, have one rank.
            shares = np.round(differing / np.abs(differing).max(), _DIGITS_OF_RANKS)
            p_values[pair] = wilcoxon(shares).pvalue
    return p_values


def sign_test(differences: FloatArray) -> FloatArray:
    """Sign test of topics; those without a difference are left out."""
    from scipy.stats import binom

    n_won, n_lost = (differences > 0.0).sum(axis=1), (differences < 0.0).sum(axis=1)
    one_side = binom.cdf(np.minimum(n_won, n_lost), n_won + n_lost, 0.5)
    p_values: FloatArray = np.minimum(2.0 * one_side, 1.0)
    return p_values


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairedTest:
    """A paired test over queries, as comparisons, studies and the command line know it.

    Attributes
    ----------
    name, title, heading : str
        Its name as an argument, in sentences, and above a column of p-values.
    hypothesis : str
        What it tests.
    function : callable
        Takes the differences of all pairs and returns their p-values. One that resamples also takes
        the number of resamples and their generator.
    resamples : bool
        Whether it draws resamples.
    takes_systems : bool
        Whether its function takes the values of all systems and returns a matrix of p-values, so
        that it corrects for the number of pairs itself.
    is_by_signs : bool
        Whether no p-value is below that of n topics that are all for the same system, 2 / 2^n.
    """

    name: str
    title: str
    heading: str
    hypothesis: str
    function: Callable[..., FloatArray]
    resamples: bool = False
    takes_systems: bool = False
    is_by_signs: bool = False

    def smallest(self, n_topics: int, n_resamples: int) -> float:
        """Return the smallest p-value that there can be; 0 if it is not bounded."""
        of_signs = 2.0 * 0.5**n_topics if self.is_by_signs else 0.0
        return max(of_signs, 1.0 / (n_resamples + 1) if self.resamples else 0.0)

    def p_values(
        self, values: FloatArray, pairs: IntArray, n_resamples: int, rng: np.random.Generator
    ) -> FloatArray:
        """Test pairs of systems by their values, (n_systems, n_topics)."""
        drawn = (n_resamples, rng) if self.resamples else ()
        if self.takes_systems:
            return self.function(values, *drawn)[pairs[:, 0], pairs[:, 1]]
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
        return self.function(differences, *drawn)


TESTS = {
    test.name: test
    for test in (
        PairedTest(
            name="score",
            title="second-order score test",
            heading="p-value",
            hypothesis="the mean difference is 0, by Student's t and its correction for skewness, "
            "whichever is larger",
            function=score_test,
        ),
        PairedTest(
            name="t",
            title="Student's paired t test",
            heading="t",
            hypothesis="the mean difference is 0",
            function=t_test,
        ),
        PairedTest(
            name="randomization",
            title="Fisher's randomisation test",
            heading="Fisher",
            hypothesis="the two systems can be swapped in any query, so that differences are "
            "symmetric around a mean of 0",
            function=randomization_test,
            resamples=True,
            is_by_signs=True,
        ),
        PairedTest(
            name="bootstrap",
            title="paired bootstrap test",
            heading="bootstrap",
            hypothesis="the mean difference is 0, by the size of its ratio to the standard error",
            function=bootstrap_test,
            resamples=True,
        ),
        PairedTest(
            name="wilcoxon",
            title="Wilcoxon's signed-rank test",
            heading="Wilcoxon",
            hypothesis="differences lie symmetrically around 0, queries without any left out",
            function=wilcoxon_test,
            is_by_signs=True,
        ),
        PairedTest(
            name="sign",
            title="sign test",
            heading="sign",
            hypothesis="as many queries favour the one system as the other",
            function=sign_test,
            is_by_signs=True,
        ),
        PairedTest(
            name="tukey",
            title="randomised Tukey HSD test",
            heading="Tukey",
            hypothesis="all systems can be shuffled in any query, so that they vary equally "
            "(corrects for all pairs itself)",
            function=tukey_test,
            resamples=True,
            takes_systems=True,
        ),
    )
}
class Correction(NamedTuple):
    """A correction of p-values for their number.

    Attributes
    ----------
    title : str
        Its name in sentences.
    function : callable
        Takes p-values of shape (n,) and returns the corrected ones.
    """

    title: str
    function: Callable[[FloatArray], FloatArray]


def holm(p_values: FloatArray) -> FloatArray:
    """Correct by Holm's step-down procedure, which bounds the chance of any false discovery."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    stepped = np.maximum.accumulate(p_values[order] * np.arange(n, 0, -1))
    corrected = np.empty(n)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Correct by Benjamini and Hochberg's procedure, which bounds the false discovery rate."""
    from scipy.stats import false_discovery_control

    corrected: FloatArray = false_discovery_control(p_values, method="bh")
    return corrected


CORRECTIONS = {
    "holm": Correction("Holm's correction", holm),
    "bh": Correction("Benjamini and Hochberg's correction", benjamini_hochberg),
    "none": Correction("without correction", np.asarray),
}


def level_of(confidence: float) -> float:
    """Return the level of significance, 1 - confidence, without the subtraction's rounding error.

    1 - .95 is larger than .05, so that a p-value of .05 would be significant at 95 %.
    """
    return round(1.0 - confidence, 12)
