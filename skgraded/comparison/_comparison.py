"""`Comparison`, the result of a comparison of systems."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skgraded._stats.corrections import level_of
from skgraded._stats.rare import FEWEST_DIFFERENCES, largest_difference, most_differing
from skgraded._text import count, first_few
from skgraded._writers import LongResult, Report, Table
from skgraded.comparison._best import Best, best_of
from skgraded.comparison._judged_estimates import JudgedEstimates, notes_on_judge
from skgraded.comparison._margin import (
    QueriesNeeded,
    decisions_of,
    effects_of,
    needed_by_own_effects,
    needed_for,
    notes_on_undecided,
    status_of,
)
from skgraded.comparison._pictures import draw_comparison
from skgraded.comparison._room import Room, room_of
from skgraded.comparison._tables import tables_for_papers, tables_of
from skgraded.exceptions import FewDifferencesWarning, UnknownQueriesWarning
from skgraded.results import OfMeasures, column_of, unit_in_words

__all__ = ["Comparison", "warn_of_few_differences"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# With fewer queries that hold the top grade, a note says so.
_FEW_TOP_QUERIES = 20
# Where less than a quarter differ, so many are few: the largest ones are likely to be missing.
_FEWEST_OF_MANY, _FEW_SHARE = 20, 0.25
_ONE_TRAINING = (
    "One cross-validation: intervals hold for the models that were trained in it. In simulations "
    "they covered the mean of new splits and trainings in 90 to 95 % for trained learners, and in "
    "39 to 89 % where models vary much; cross_validate_queries(..., n_repeats=5) includes these."
)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(OfMeasures, LongResult):
    """Differences between systems, with intervals, effect sizes and p-values.

    Systems, and with them the signs of the differences, are in the order in which they were given.
    Printed tables and pictures list the best one first. `to_frame` has one row per measure and pair
    of systems, with the columns measure, system, other, difference, low, high, effect_size, one for
    the p-values of each test, significant, and queries_needed: how many queries would decide a
    difference as large as the one seen, at the margin, or else at the level over the number of
    tests where p-values are corrected.

    Attributes
    ----------
    systems : tuple of str
        Names of the systems.
    measures : tuple of str
        Names of the measures.
    directions : tuple of int
        For each measure, 1 if more is better and -1 if less is better.
    qid : ndarray of shape (n_queries,)
        The queries for which every system has a value, by one of the measures at least.
    values : ndarray of shape (n_systems, n_queries, n_measures)
        The values, means over the repeats where there are several; nan where the measure leaves a
        query out.
    means : ndarray of shape (n_systems, n_measures)
        Mean of each system over the queries.
    pairs : ndarray of shape (n_pairs, 2), int64
        Places of the two systems of each pair in ``systems``.
    difference : ndarray of shape (n_pairs, n_measures)
        Mean difference: the first system of the pair minus the second, which is the baseline, or
        without one the system that was given earlier.
    interval : ndarray of shape (n_pairs, n_measures, 2)
        Ends of its confidence interval. Only those of max-t, the default where there are many
        pairs, are corrected for the number of differences.
    standard_error : ndarray of shape (n_pairs, n_measures)
        Standard error of the mean difference.
    effect_size : ndarray of shape (n_pairs, n_measures)
        Mean difference divided by the standard deviation of the differences (Cohen's d), or by that
        of the residuals of systems and queries if the first test is Tukey's.
    p_value : dict of str to ndarray of shape (n_pairs, n_measures)
        Corrected two-sided p-values, by the name of the test.
    tests : tuple of str
        Names of the tests. The first one decides what is significant.
    correction : str
        Correction of the p-values of each test for their number.
    confidence : float
        Confidence of the intervals; 1 - confidence is the level of significance.
    n_resamples : int
        Number of resamples of the tests that draw some.
    n_tests : int
        Number of p-values of a test that share the correction.
    baseline : str or None
        The system that all others are compared with, if not all pairs are compared.
    n_queries : tuple of int
        For each measure, the number of queries that were compared.
    n_left_out : tuple of int
        For each measure, the number of queries without a value for some system.
    n_differing : ndarray of shape (n_pairs, n_measures), int64
        Number of queries, or of clusters, in which the two systems differ.
    log_variance_error : ndarray of shape (n_pairs, n_measures)
        Standard error of the logarithm of the variance of the differences (Bonett 2006); nan for
        fewer than five queries, or clusters, and for systems that do not differ.
    margin : float or None
        By how much a system may fall behind the baseline; None if it was not asked.
    n_clusters : tuple of int or None
        For each measure, the number of clusters of queries; None if every query is by itself.
    clusters : ndarray of shape (n_queries,), int64, or None
        Number of each query's cluster; None if every query is by itself.
    n_repeats : int
        Number of times that each query was tested.
    n_in_part : int
        Number of queries that some of the repeats did not test.
    n_top : int or None
        Number of queries with a document of the highest grade of all labels, if that is known.
    is_one_training : bool
        Whether systems were trained in one cross-validation, so that the intervals leave out how
        much another split and training would change.
    remarks : tuple of str
        What is to be said of the choice of tests, in sentences.
    repeats : ndarray of shape (n_systems, n_repeats, n_queries, n_measures) or None
        The values by repeat, nan where it did not test a query; None of one repeat.
    folds : ndarray of shape (n_repeats, n_queries), int64, or None
        The split that tested a query in a repeat, if there are several.
    judge : JudgedEstimates or None
        With a judge, how each difference is estimated, the judge's bias, and how many queries with
        human labels it is worth.
    judged_means : JudgedEstimates or None
        With a judge, the same of the mean of each system.
    sorted_by : str or None
        The measure by which printed tables list the systems; None is that of each table.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    directions: tuple[int, ...]
    qid: NDArray[Any]
    values: FloatArray
    means: FloatArray
    pairs: IntArray
    difference: FloatArray
    interval: FloatArray
    standard_error: FloatArray
    effect_size: FloatArray
    p_value: dict[str, FloatArray]
    tests: tuple[str, ...]
    correction: str
    confidence: float
    n_resamples: int
    n_tests: int
    baseline: str | None
    n_queries: tuple[int, ...]
    n_left_out: tuple[int, ...]
    n_differing: IntArray
    log_variance_error: FloatArray
    margin: float | None
    n_clusters: tuple[int, ...] | None
    clusters: IntArray | None
    n_repeats: int
    n_in_part: int
    n_top: int | None
    is_one_training: bool
    remarks: tuple[str, ...] = ()
    repeats: FloatArray | None = None
    folds: IntArray | None = None
    judge: JudgedEstimates | None = None
    judged_means: JudgedEstimates | None = None
    sorted_by: str | None = None

    def __getitem__(self, name: Any) -> Comparison:
        """Pick one measure by its name, or several by a list; p-values stay as corrected."""
        names = name if isinstance(name, list | tuple) else [name]
        columns = [column_of(self.measures, each) for each in names]
        arrays = ["means", "difference", "interval", "standard_error", "effect_size"]
        arrays += ["n_differing", "log_variance_error"]
        by_measure = ("measures", "directions", "n_queries", "n_left_out")
        picked: dict[str, Any] = {field: getattr(self, field)[:, columns] for field in arrays}
        for field in by_measure:
            picked[field] = tuple(getattr(self, field)[column] for column in columns)
        if self.n_clusters is not None:
            picked["n_clusters"] = tuple(self.n_clusters[column] for column in columns)
        for field in ("judge", "judged_means"):
            estimates = getattr(self, field)
            picked[field] = None if estimates is None else estimates[names]
        picked["values"] = self.values[:, :, columns]
        picked["repeats"] = None if self.repeats is None else self.repeats[..., columns]
        picked["sorted_by"] = self.sorted_by if self.sorted_by in picked["measures"] else None
        picked["p_value"] = {test: found[:, columns] for test, found in self.p_value.items()}
        return dataclasses.replace(self, **picked)

    def sort(self, measure: Any) -> Comparison:
        """Print all tables with the best systems by one measure first.

        Parameters
        ----------
        measure : str or Measure
            A measure of the comparison.

        Returns
        -------
        Comparison
            The same comparison, printed in this order.

        Raises
        ------
        KeyError
            If the comparison lacks the measure.
        """
        return dataclasses.replace(self, sorted_by=self[measure].measures[0])

    @property
    def level(self) -> float:
        """Level of significance: 1 - confidence."""
        return level_of(self.confidence)

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Whether a difference is significant by the first test, shape (n_pairs, n_measures)."""
        return self.p_value[self.tests[0]] < self.level

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not show, in sentences."""
        notes = [*self.remarks, *notes_on_judge(self.judge, self.judged_means)]
        notes += [_ONE_TRAINING] if self.is_one_training else []
        for n_left_out in sorted({*self.n_left_out} - {0}):
            names = [
                name
                for name, number in zip(self.measures, self.n_left_out, strict=True)
                if number == n_left_out
            ]
            of = "" if len(names) == len(self.measures) else f" of {first_few(names)}"
            queries = count(n_left_out, "query", "queries")
            notes.append(f"{queries} without a value{of} for some system left out.")
        if self.n_in_part:
            queries = count(self.n_in_part, "query", "queries")
            notes.append(f"{queries} not tested in every repeat.")
        notes += [*self._notes_on_few_differences(), *notes_on_undecided(self)]
        if self.n_top is not None and self.n_top < min(_FEW_TOP_QUERIES, len(self.qid)):
            queries = count(self.n_top, "query", "queries")
            notes.append(f"Only {queries} with a document of the top grade, few to judge by.")
        return tuple(note for note in notes if note)

    def _notes_on_few_differences(self) -> list[str]:
        """Say which differences rest on few queries, or on none; nothing if none does."""
        notes = (self._note_on_few(), self._note_on_none(), self._note_on_alike())
        return [note for note in notes if note]

    def _note_on_few(self) -> str:
        is_of_many = self.n_differing < _FEW_SHARE * self._n_units
        is_of_many &= self.n_differing >= FEWEST_DIFFERENCES
        fewest = np.where(is_of_many, _FEWEST_OF_MANY, FEWEST_DIFFERENCES)
        few = np.argwhere((self.n_differing > 0) & (self.n_differing < fewest))
        if not len(few):
            return ""
        first = tuple(few[0])
        rare = " of so many" if is_of_many[first] else ""
        return (
            f"{self._told_pair(few)} differs from 0 in {self._told_units(self.n_differing[first])} "
            f"by {self.measures[first[1]]}{_and_others(len(few))}. Fewer than "
            f"{fewest[first]}{rare} do not show how rare and large differences are: p-values err "
            "more often than they say, and intervals where differences vary in size."
        )

    def _note_on_none(self) -> str:
        none = np.argwhere(self.n_differing == 0)
        if not len(none):
            return ""
        n, column = int(self._n_units[tuple(none[0])]), none[0][1]
        share = most_differing(np.array([0]), n, self.level)[0]
        most = largest_difference(self.values[..., column])
        units = unit_in_words(self.n_clusters is not None)[1]
        of_them = "" if self.n_clusters is None else " query of them"
        return (
            f"{self._told_pair(none)} is 0 in all {self._told_units(n)} by {self.measures[column]}"
            f"{_and_others(len(none))}. That shows no more than that at most {100.0 * share:.2g} % "
            f"of all {units} differ: the interval is as wide as if so many did, each{of_them} by "
            f"{most:.4g}."
        )

    def _note_on_alike(self) -> str:
        alike = np.argwhere((self.standard_error == 0.0) & (self.n_differing > 0))
        if not len(alike):
            return ""
        first, units = tuple(alike[0]), unit_in_words(self.n_clusters is not None)[1]
        return (
            f"{self._told_pair(alike)} is the same in all {self._told_units(self._n_units[first])} "
            f"by {self.measures[first[1]]}{_and_others(len(alike))}. That does not show that it is "
            f"in others: the interval is as wide as if as many {units} differed as these allow, "
            "but p-values take them all to be alike."
        )

    @property
    def _n_units(self) -> NDArray[np.int64]:
        return np.broadcast_to(self.n_clusters or self.n_queries, self.n_differing.shape)

    def _told_pair(self, places: NDArray[np.int64]) -> str:
        one, other = (self.systems[each] for each in self.pairs[places[0][0]])
        return f"{one} - {other}"

    def _told_units(self, number: int) -> str:
        return count(int(number), *unit_in_words(self.n_clusters is not None))

    @property
    def decisions(self) -> NDArray[np.str_]:
        """Whether each difference stays within the margin, shape (n_pairs, n_measures).

        It ``"holds"`` if the whole interval is above minus the margin (in the direction in which
        the measure is better), ``"fails"`` if the whole interval is below, and is ``"undecided"``
        otherwise.
        """
        self._check_margin()
        return decisions_of(self)

    @property
    def status(self) -> int:
        """The worst of all decisions: 0 if all hold, 1 if any fails, or else 3."""
        self._check_margin()
        return status_of(self)

    def _refuse_judge(self, method: str) -> None:
        if self.judge is not None:
            raise ValueError(
                f"{method} uses the human labels alone, without the judge's: call it on a "
                "comparison without judge=."
            )

    def _check_margin(self) -> None:
        if self.margin is None:
            raise ValueError("Decisions need a margin: compare(..., margin=0.01, baseline=...).")

    def queries_needed(
        self, effect: float | None = None, power: float = 0.8, confidence: float | None = None
    ) -> QueriesNeeded:
        r"""Return how many queries would show a difference of a size that you name.

        Parameters
        ----------
        effect : float, optional
            The mean difference to be shown, above 0. With a margin it is by default how far the
            difference that was seen lies from minus the margin.
        power : float, default=0.8
            Probability that a two-sided t test shows it.
        confidence : float, optional
            1 less the level of the test, and confidence of the interval; by default that of the
            comparison. For n tests with Holm's correction, 1 - 0.05 / n is on the safe side.

        Returns
        -------
        QueriesNeeded
            ``n_queries`` with the ends ``low`` and ``high`` of its interval, each of shape
            (n_pairs, n_measures). They are nan for systems that differ in fewer than 10 queries,
            which say too little about how much differences vary.

        Raises
        ------
        ValueError
            If an argument is not as described, or if there is neither an effect nor a margin.

        Warns
        -----
        UnknownQueriesWarning
            If two systems differ in fewer than 10 queries, or clusters.

        Notes
        -----
        With the level :math:`\alpha`, 1 less the confidence, the number is

        .. math:: (t_{1-\alpha/2} + t_{power})^2 s^2 / effect^2 + z_{1-\alpha/2}^2 / 2,

        rounded up, where t are quantiles of Student's t with one degree of freedom less than there
        are queries, or clusters, and s is the observed standard deviation of the differences: the
        standard error times the square root of the number of queries. The quantiles allow for
        the error of s [1]_, and the second term for the degrees of freedom of the test to come
        [2]_. The interval is that of Bonett for a variance [3]_.

        With clusters, the number is that of queries, in clusters as large as those compared. With
        a judge, it is that of queries with human labels, if those of the judge grow with them.

        Pilots of 30 queries with skewed differences do not show their variance, so that too few
        queries are asked for; the section "The number of queries that show a difference" of the
        page on calibration has the power that is reached.

        References
        ----------
        .. [1] S. Julious, R. Owen (2006), "Sample Size Calculations for Clinical Studies Allowing
           for Uncertainty about the Variance", Pharmaceutical Statistics 5(1).
        .. [2] W. Guenther (1981), "Sample Size Formulas for Normal Theory T Tests", The American
           Statistician 35(4).
        .. [3] D. Bonett (2006), "Approximate Confidence Interval for Standard Deviation of
           Nonnormal Distributions", Computational Statistics & Data Analysis 50(3).

        Examples
        --------
        >>> from skgraded import compare, evaluate
        >>> from skgraded.datasets import make_ranking
        >>> X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
        >>> scores = evaluate("AP", y, {"first": X[:, 0], "second": X[:, 1]}, qid=qid)
        >>> needed = compare(scores).queries_needed(effect=0.02)
        >>> [each.item() for each in needed]
        [531.0, 349.0, 864.0]
        """
        needed = needed_for(self, effects_of(self, effect), power, confidence)
        few = np.argwhere(self.n_differing < FEWEST_DIFFERENCES)
        if len(few):
            pair, column = few[0]
            one, other = (self.systems[each] for each in self.pairs[pair])
            differing = self._told_units(int(self.n_differing[pair, column]))
            warnings.warn(
                f"{one} - {other} differs from 0 in {differing} by {self.measures[column]}"
                f"{_and_others(len(few))}, fewer than {FEWEST_DIFFERENCES}: how many queries "
                "show a difference cannot be told, and is nan.",
                UnknownQueriesWarning,
                stacklevel=2,
            )
        return needed

    def best(
        self,
        g: Any = None,
        *,
        n_resamples: int = 10_000,
        random_state: int | np.random.Generator | None = 0,
    ) -> Best:
        r"""Tell how probable it is that each system is the best one for your users.

        The comparison must hold AP at every threshold, ``AP(rel=1)`` to ``AP(rel=c)``: eGAP is
        linear in g, so that these answer for all users of grades that are whole numbers. Users of
        grades between these have thresholds between them, too, which are left out.

        Parameters
        ----------
        g : array-like of shape (n_grades,), estimate, persona, several of these, or None
            The users: probabilities of the thresholds 1..c; an estimate, such as that of
            `skgraded.users.thresholds_from_log`, whose uncertainty counts; `personas`, or a
            mapping of names to any of these. None is all g, each as likely as any other. Personas
            and measures have a depth, for which AP must have the same cut-off; else it is that of
            AP.
        n_resamples : int, default=10000
            Number of resamples of the queries, and of g where it is not known.
        random_state : int, Generator or None, default=0
            Seed of the resamples; None draws others in every call.

        Returns
        -------
        Best
            The probabilities, and whether the lead of the first of many systems may be chance.

        Raises
        ------
        ValueError
            If AP at a threshold is missing, with the call that makes it, if AP has several cut-offs
            and g no depth, if g is not as described, or if the comparison has a judge.

        See Also
        --------
        Comparison.room : Whether choosing by g wins anything.
        skgraded.users.threshold_profile : For which users one of two systems is better.

        Notes
        -----
        In every resample the means of all systems are the observed ones plus those of queries that
        are drawn with replacement, less the observed ones, times :math:`\sqrt{n / \chi^2_{n-1}}`,
        which makes Student's t of a normal distribution, for n queries, or clusters of them. The
        system with the highest :math:`\sum_k g_k AP_k` is the best there. Over several repeats of a
        cross-validation the means also have effects of the models, drawn with the component of the
        folds as in `compare`, and the queries' part is widened by its allowance for training data
        that folds share. Models of one cross-validation are taken as given, and a note says so.

        The observed differences between the means are regressed: what systems are worth is normal
        with a standard deviation :math:`\tau` of density proportional to :math:`1 / \sqrt{\tau^2 +
        \sigma^2}` beforehand, where :math:`\sigma` is the noise of a mean (after [1]_, where it is
        flat). Of two systems the probability is then below 1 less half the p-value of the t test:
        of equal ones it is .95 or more in 4 %, not in 10 %. Without this, the first one of many
        systems that hardly differ is given twice its probability; with it, probabilities are right
        about as often as they say, see the page "Calibration". The order of the systems is that of
        their means.

        Of more than ten systems, the lead of the first one over the median one is held against
        that of the first of as many equal systems, whose noise is that of the resamples with its
        correlations (order statistics [2]_). A note says whether it is larger, and by how much the
        first mean is too high because it was picked as the highest: by as much as it is shrunk.

        References
        ----------
        .. [1] A. Gelman (2006), "Prior Distributions for Variance Parameters in Hierarchical
           Models", Bayesian Analysis 1(3).
        .. [2] Y. McLatchie, A. Vehtari (2024), "Efficient Estimation and Correction of
           Selection-Induced Bias with Order Statistics", Statistics and Computing 34.

        Examples
        --------
        >>> from skgraded import AP, compare, evaluate
        >>> from skgraded.datasets import make_ranking
        >>> X, y, qid = make_ranking(n_queries=200, docs_per_query=20, random_state=0)
        >>> scores = {f"feature {at}": X[:, at] for at in (1, 2, 3, 5)}
        >>> found = compare(evaluate([AP(rel=rel) for rel in range(1, 5)], y, scores, qid=qid))
        >>> found.best({"browsers": [1, 0, 0, 0], "demanding": [0.1, 0.2, 0.3, 0.4]})
        system     browsers  demanding
        feature 5     0.730      0.330
        feature 2     0.212      0.297
        feature 3     0.033      0.152
        feature 1     0.025      0.221
        Probability of being the best by eGAP for browsers, demanding, over 200 queries.
        """
        self._refuse_judge("best")
        return best_of(self, g, n_resamples, random_state)

    def room(
        self,
        g: Any,
        baseline: str = "nDCG@10",
        *,
        margin: float = 0.01,
        confidence: float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> Room:
        """Tell whether choosing a system by your users' measure wins over choosing by a baseline.

        Both measures choose a system on one half of the queries; eGAP(g) scores both on the other
        half. That some system is far ahead on the queries at hand, or that measures disagree, is no
        evidence that the choice matters. The systems may be any candidates, such as the rounds of a
        boosted model. The comparison must hold the baseline, and AP at every threshold,
        ``AP(rel=1)`` to ``AP(rel=c)``.

        Parameters
        ----------
        g : array-like of shape (n_grades,), estimate, persona, or several of these
            The users, as in `best`, but for None.
        baseline : str, default="nDCG@10"
            The measure that you would choose by otherwise.
        margin : float, default=0.01
            Gains in eGAP below it do not matter to you.
        confidence : float, optional
            Confidence of the intervals; by default that of the comparison.
        random_state : int, Generator or None, default=0
            Seed of the halves; None draws others in every call.

        Returns
        -------
        Room
            Gain, interval and verdict by user: "use g" if the interval lies above 0; "no room" if
            it lies below the margin, so that you may choose by either measure; "undecided"
            otherwise. "No room" does not say that systems are alike: both measures may choose the
            same one because it is far ahead.

        Raises
        ------
        ValueError
            If there are fewer than 20 queries, or clusters, AP at a threshold is missing, with the
            call that makes it, or has several cut-offs and g no depth, the comparison has a judge,
            or an argument is not as described.
        KeyError
            If the comparison lacks the baseline.

        See Also
        --------
        Comparison.best : Which system is the best one.

        Notes
        -----
        The gain is the mean over 50 halvings, each both ways. It holds for choices on half as many
        queries as there are. Halves of the same queries depend on each other, and choices jump, so
        that the error is that of the delete-half jackknife [1]_: the spread of the same gain within
        100 random halves of the queries. Clusters are halved as wholes. The uncertainty of an
        estimated g adds to it. Over several repeats of a cross-validation, the models of the
        systems that are chosen add two parts, which `compare` describes: the component of the
        folds, and an allowance for training data that folds share. Models of one cross-validation
        are taken as given, and a note says so.

        In simulations the intervals covered 94 to 98 % where there was room, at 1.0 to 1.2 times
        the width that the true spread needs, and 96 to 100 % at 1.0 to 1.3 times where there was
        none; see the page "Calibration". Systems that are equal have the widest ones: any of them
        may be chosen, so that the gain hangs on queries that choose and queries that judge
        together, which the jackknife counts up to twice. It is then at most 1.41 times too wide.

        Where fewer than 20 queries have documents of a grade that a quarter of the users or more
        ask for, a note proposes a `Blend` of eGAP and the baseline, if there may be room and
        choosing by it wins more than choosing by eGAP. The number of these queries alone is no
        reason for it: where systems differ in what the rare grade asks for, the blend may choose
        worse ones by far, however few the queries are.

        References
        ----------
        .. [1] J. Shao, C. F. J. Wu (1989), "A General Theory for Jackknife Variance Estimation",
           Annals of Statistics 17(3).

        Examples
        --------
        >>> from skgraded import AP, compare, evaluate, nDCG
        >>> from skgraded.datasets import make_ranking
        >>> X, y, qid = make_ranking(n_queries=200, docs_per_query=20, random_state=0)
        >>> scores = {f"feature {at}": X[:, at] for at in range(8)}
        >>> measures = [*(AP(rel=rel) for rel in range(1, 5)), nDCG(k=10)]
        >>> compare(evaluate(measures, y, scores, qid=qid)).room([0.4, 0.3, 0.2, 0.1])
        users     gain        95% interval  verdict
        g      -0.0002  [-0.0041, +0.0036]  no room
        Gain in eGAP of choosing among 8 systems by eGAP(g) instead of nDCG@10: on one
          half of 200 queries, scored on the other.
        no room: it wins less than 0.01. Choose by either measure: which of the two does
          not matter.
        """
        self._refuse_judge("room")
        chosen = self.confidence if confidence is None else confidence
        return room_of(
            self, g, baseline, margin=margin, confidence=chosen, random_state=random_state
        )

    def _columns(self) -> dict[str, Any]:
        column, pair = (each.ravel() for each in np.indices(self.difference.T.shape))
        systems = np.array(self.systems, dtype=object)
        return {
            "measure": np.array(self.measures, dtype=object)[column],
            "system": systems[self.pairs[pair, 0]],
            "other": systems[self.pairs[pair, 1]],
            "difference": self.difference[pair, column],
            "low": self.interval[pair, column, 0],
            "high": self.interval[pair, column, 1],
            "effect_size": self.effect_size[pair, column],
            **{test: found[pair, column] for test, found in self.p_value.items()},
            "significant": self.significant[pair, column],
            "queries_needed": needed_by_own_effects(self)[1].n_queries[pair, column],
            **({} if self.margin is None else {"decision": self.decisions[pair, column]}),
        }

    def _facts(self) -> dict[str, Any]:
        means = {
            system: dict(zip(self.measures, row, strict=True))
            for system, row in zip(self.systems, self.means.tolist(), strict=True)
        }
        facts = {name: value for name, value in super()._facts().items() if name != "remarks"}
        decided = {} if self.margin is None else {"margin": self.margin, "status": self.status}
        return {**facts, **decided, "means": means}

    def _tables(self, n_rows: int | None = None) -> list[Table]:
        return tables_of(self, n_rows)

    def _report(self) -> Report:
        return super()._report()._replace(for_papers=tables_for_papers(self))

    def _repr_html_(self) -> str:
        tables = tables_of(self, self._rows_shown, widest=None)
        return "\n".join(table.to_html() for table in tables)

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences with their intervals, or where they are many, who beats whom.

        All pairs of more than six systems are drawn as a matrix, and the means of more than 20.

        Parameters
        ----------
        ax : matplotlib Axes or array of them, optional
            Where to draw, one for each measure; a new figure by default.

        Returns
        -------
        matplotlib Axes or ndarray of them
            The axes; an array if there are several measures.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        return draw_comparison(self, ax)


def warn_of_few_differences(found: Comparison) -> None:
    """Warn if a difference rests on few queries, or on none."""
    notes = found._notes_on_few_differences()
    if notes:
        warnings.warn(" ".join(notes), FewDifferencesWarning, stacklevel=3)


def _and_others(n: int) -> str:
    return f", and {count(n - 1, 'other difference')} like it" if n > 1 else ""
