"""Paired tests over queries, for many pairs of systems at once, and corrections for their number.

A new test is a function and its entry in `TESTS`, and a new correction one in `CORRECTIONS`:
comparisons, studies and the command line read the tables. Studies call all the functions. For
``"score"`` and ``"t"``, comparisons call the `Estimate` of their intervals instead, which also
knows of repeats and judges; so these two tests are changed there.

Differences are a finite array of shape (n_pairs, n_topics). Every test returns one two-sided
p-value per pair, which is 1 for a pair without any difference. A topic is a query. Where queries
come in clusters, the differences are sums over each cluster, and sizes of shape (n_clusters,) say
how many queries each has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from skgraded._intervals.draws import (
    all_swaps_fit,
    bootstrapped,
    randomization_test,
    tukey_test,
)
from skgraded._intervals.estimate import Estimate, means, sums_by_cluster

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


def t_test(differences: FloatArray, clusters: IntArray | None = None) -> FloatArray:
    """Student's t test of the mean difference."""
    return _estimated(differences, clusters).p_value(skewed=False)


def _t_test_with_required(
    values: FloatArray, pairs: IntArray, level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the t test's p-values, and the critical value of t times the standard errors."""
    differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
    critical = -float(stdtrit(values.shape[1] - 1, level / 2.0))
    errors = differences.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return t_test(differences), critical * errors


def score_test(differences: FloatArray, clusters: IntArray | None = None) -> FloatArray:
    """Test the mean difference by the larger of two tails: t, and t to the second order."""
    return _estimated(differences, clusters).p_value()


def _estimated(differences: FloatArray, clusters: IntArray | None) -> Estimate:
    return means(
        np.ascontiguousarray(differences.T), clusters=() if clusters is None else (clusters,)
    )


def wilcoxon_test(differences: FloatArray, sizes: FloatArray | float = 1.0) -> FloatArray:
    """Wilcoxon's signed-rank test of topics or of clusters' means; those of 0 are left out."""
    from scipy.stats import wilcoxon

    p_values = np.ones(len(differences))
    for pair, row in enumerate(differences / sizes):
        differing = row[row != 0.0]
        if len(differing):
            # Sizes that rounding alone tells apart, such as 0.3 - 0.2 and 0.1, have one rank.
            shares = np.round(differing / np.abs(differing).max(), _DIGITS_OF_RANKS)
            p_values[pair] = wilcoxon(shares).pvalue
    return p_values


def sign_test(differences: FloatArray, sizes: FloatArray | None = None) -> FloatArray:
    """Sign test of topics or of clusters; those without a difference are left out."""
    from scipy.stats import binom

    n_won, n_lost = (differences > 0.0).sum(axis=1), (differences < 0.0).sum(axis=1)
    one_side = binom.cdf(np.minimum(n_won, n_lost), n_won + n_lost, 0.5)
    p_values: FloatArray = np.minimum(2.0 * one_side, 1.0)
    return p_values


def bootstrap_test(
    differences: FloatArray,
    n_resamples: int,
    rng: np.random.Generator,
    sizes: FloatArray | None = None,
) -> FloatArray:
    """Paired bootstrap test of the studentised mean difference (Sakai 2006, Efron 1993)."""
    return bootstrapped(differences, sizes, n_resamples, rng)[0]


def _bootstrap_with_required(
    values: FloatArray, pairs: IntArray, level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the bootstrap test's p-values and the difference that each pair requires."""
    differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
    return bootstrapped(differences, None, n_resamples, rng, level)


def _no_bound(n_units: int, n_resamples: int) -> float:
    return 0.0


def _smallest_of_resamples(n_units: int, n_resamples: int) -> float:
    return 1.0 / (n_resamples + 1)


def _smallest_of_signs(n_units: int, n_resamples: int = 0) -> float:
    return float(2.0 * 0.5**n_units)  # all queries for the one system, or all for the other


def _smallest_of_swaps(n_units: int, n_resamples: int) -> float:
    if not all_swaps_fit(n_units, n_resamples):
        return _smallest_of_resamples(n_units, n_resamples)
    return _smallest_of_signs(n_units)


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
        the number of resamples and their generator. The last argument is the sizes of the clusters.
    smallest : callable
        Returns the smallest p-value that a number of queries or clusters and one of resamples can
        give, or 0 if it is not bounded.
    resamples : bool
        Whether it draws resamples.
    takes_systems : bool
        Whether its function takes the values of all systems and returns a matrix of p-values, so
        that it corrects for the number of pairs itself.
    takes_clusters : bool
        Whether its function takes the differences of queries and their clusters.
    required : callable or None
        Returns p-values and the mean difference that each pair needs to be significant, where there
        is a formula for it.
    """

    name: str
    title: str
    heading: str
    hypothesis: str
    function: Callable[..., FloatArray]
    smallest: Callable[[int, int], float] = _no_bound
    resamples: bool = False
    takes_systems: bool = False
    takes_clusters: bool = False
    required: Callable[..., tuple[FloatArray, FloatArray]] | None = None

    def p_values(
        self,
        values: FloatArray,
        pairs: IntArray,
        n_resamples: int,
        rng: np.random.Generator,
        clusters: NDArray[Any] | None = None,
    ) -> FloatArray:
        """Test pairs of systems by their values, (n_systems, n_queries)."""
        resampling: tuple[Any, ...] = (n_resamples, rng) if self.resamples else ()
        if self.takes_systems:
            sums, _ = sums_by_cluster(values, clusters)
            return self.function(sums, *resampling)[pairs[:, 0], pairs[:, 1]]
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]])
        if self.takes_clusters:
            return self.function(differences, clusters)
        sums, sizes = sums_by_cluster(differences, clusters)
        return self.function(sums, *resampling, sizes=sizes)

    def p_values_and_required(
        self,
        values: FloatArray,
        pairs: IntArray,
        level: float,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, FloatArray]:
        """Test pairs of systems, and return the mean differences that they need at a level, too.

        Without a formula this is the smallest difference observed that is significant, and nan if
        none is.
        """
        if self.required is not None:
            return self.required(values, pairs, level, n_resamples, rng)
        p_values = self.p_values(values, pairs, n_resamples, rng)
        differences = paired_differences(values[pairs[:, 0]], values[pairs[:, 1]]).mean(axis=1)
        significant = np.abs(differences[p_values < level])
        least = significant.min() if len(significant) else np.nan
        return p_values, np.full(len(pairs), least)


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
            takes_clusters=True,
        ),
        PairedTest(
            name="t",
            title="Student's paired t test",
            heading="t",
            hypothesis="the mean difference is 0",
            function=t_test,
            takes_clusters=True,
            required=_t_test_with_required,
        ),
        PairedTest(
            name="randomization",
            title="Fisher's randomisation test",
            heading="Fisher",
            hypothesis="the two systems can be swapped in any query, so that differences are "
            "symmetric around a mean of 0",
            function=randomization_test,
            smallest=_smallest_of_swaps,
            resamples=True,
        ),
        PairedTest(
            name="bootstrap",
            title="paired bootstrap test",
            heading="bootstrap",
            hypothesis="the mean difference is 0, by the size of its ratio to the standard error",
            function=bootstrap_test,
            smallest=_smallest_of_resamples,
            resamples=True,
            required=_bootstrap_with_required,
        ),
        PairedTest(
            name="wilcoxon",
            title="Wilcoxon's signed-rank test",
            heading="Wilcoxon",
            hypothesis="differences lie symmetrically around 0, queries without any left out",
            function=wilcoxon_test,
        ),
        PairedTest(
            name="sign",
            title="sign test",
            heading="sign",
            hypothesis="as many queries favour the one system as the other",
            function=sign_test,
            smallest=_smallest_of_signs,
        ),
        PairedTest(
            name="tukey",
            title="randomised Tukey HSD test",
            heading="Tukey",
            hypothesis="all systems can be shuffled in any query, so that they vary equally "
            "(corrects for all pairs itself)",
            function=tukey_test,
            smallest=_smallest_of_resamples,
            resamples=True,
            takes_systems=True,
        ),
    )
}
# The test that comparisons take unless others are named.
DEFAULT_TEST = TESTS["score"]


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
