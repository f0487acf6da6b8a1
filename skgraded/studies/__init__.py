"""Studies of measures on your own runs: which of them agree, are robust, and separate systems."""

from skgraded.studies._agreement import agreement_of_assessors
from skgraded.studies._all_lists import AllLists, score_all_lists
from skgraded.studies._discriminative_power import (
    DiscriminativePower,
    discriminative_power,
)
from skgraded.studies._incompleteness import (
    Incompleteness,
    IncompletenessStatistic,
    incompleteness,
)
from skgraded.studies._judgment_variation import (
    JudgmentVariation,
    compare_assessors,
    simulate_judgments,
)
from skgraded.studies._measure_correlation import (
    Correlation,
    Statistic,
    correlate,
    kendall_tau,
    pearson,
    rms_error,
    tau_ap,
)
from skgraded.studies._pool_samples import PoolReduction, Sampling, reduce_pool
from skgraded.studies._sensitivity import (
    DocumentChange,
    PoolChange,
    Sensitivity,
    change_by_discovery,
    sensitivity,
)
from skgraded.studies._threshold_sweep import (
    SweepStatistic,
    ThresholdSweep,
    sweep_thresholds,
    threshold_grid,
    threshold_measures,
)
from skgraded.studies._topic_facts import (
    TopicFacts,
    above_first_quartile,
    best_systems,
    topic_facts,
)

__all__ = [
    "AllLists",
    "Correlation",
    "DiscriminativePower",
    "DocumentChange",
    "Incompleteness",
    "IncompletenessStatistic",
    "JudgmentVariation",
    "PoolChange",
    "PoolReduction",
    "Sampling",
    "Sensitivity",
    "Statistic",
    "SweepStatistic",
    "ThresholdSweep",
    "TopicFacts",
    "above_first_quartile",
    "agreement_of_assessors",
    "best_systems",
    "change_by_discovery",
    "compare_assessors",
    "correlate",
    "discriminative_power",
    "incompleteness",
    "kendall_tau",
    "pearson",
    "reduce_pool",
    "rms_error",
    "score_all_lists",
    "sensitivity",
    "simulate_judgments",
    "sweep_thresholds",
    "tau_ap",
    "threshold_grid",
    "threshold_measures",
    "topic_facts",
]
