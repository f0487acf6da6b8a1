"""Studies of measures: which to trust, on anyone's runs."""

from skgraded.studies._correlation_coefficients import kendall_tau, pearson, rms_error, tau_ap
from skgraded.studies._discriminative_power import DiscriminativePower, discriminative_power
from skgraded.studies._incompleteness import Incompleteness, incompleteness
from skgraded.studies._judgment_variation import (
    JudgmentVariation,
    compare_assessors,
    compare_qrels,
    simulate_judgments,
)
from skgraded.studies._measure_correlation import Correlation, correlate
from skgraded.studies._model_choice import ModelChoice, choose_by_search, choose_by_stopping
from skgraded.studies._pool_samples import reduce_pool
from skgraded.studies._sensitivity import Sensitivity, change_by_discovery, sensitivity
from skgraded.studies._swap_rates import SwapRates, swap_rates
from skgraded.studies._threshold_sweep import (
    ThresholdSweep,
    sweep_thresholds,
    threshold_grid,
    threshold_measures,
)
from skgraded.studies._topic_facts import TopicFacts, above_first_quartile, topic_facts

__all__ = [
    "Correlation",
    "DiscriminativePower",
    "Incompleteness",
    "JudgmentVariation",
    "ModelChoice",
    "Sensitivity",
    "SwapRates",
    "ThresholdSweep",
    "TopicFacts",
    "above_first_quartile",
    "change_by_discovery",
    "choose_by_search",
    "choose_by_stopping",
    "compare_assessors",
    "compare_qrels",
    "correlate",
    "discriminative_power",
    "incompleteness",
    "kendall_tau",
    "pearson",
    "reduce_pool",
    "rms_error",
    "sensitivity",
    "simulate_judgments",
    "swap_rates",
    "sweep_thresholds",
    "tau_ap",
    "threshold_grid",
    "threshold_measures",
    "topic_facts",
]
