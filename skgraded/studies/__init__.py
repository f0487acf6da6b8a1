"""Studies of measures on your own runs: which of them agree, are robust, and separate systems."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from skgraded.studies._all_lists import AllLists, score_all_lists
from skgraded.studies._correlation_coefficients import kendall_tau, pearson, rms_error, tau_ap
from skgraded.studies._discriminative_power import (
    DiscriminativePower,
    discriminative_power,
)
from skgraded.studies._incompleteness import (
    Incompleteness,
    IncompletenessStatistic,
    PoolReduction,
    incompleteness,
)
from skgraded.studies._judgment_variation import (
    JudgmentVariation,
    compare_assessors,
    compare_qrels,
    simulate_judgments,
)
from skgraded.studies._measure_correlation import Correlation, Statistic, correlate
from skgraded.studies._pool_samples import Sampling, reduce_pool
from skgraded.studies._power_over_topics import PowerOverTopics, power_over_topics
from skgraded.studies._repeated_power import RepeatedPower, power_over_samples
from skgraded.studies._sensitivity import (
    DocumentChange,
    PoolChange,
    Sensitivity,
    change_by_discovery,
    sensitivity,
)
from skgraded.studies._swap_rates import SwapRates, swap_rates
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

if TYPE_CHECKING:
    from skgraded.studies._choose import choose_by_search, choose_by_stopping
    from skgraded.studies._model_choice import ModelChoice

__all__ = [
    "AllLists",
    "Correlation",
    "DiscriminativePower",
    "DocumentChange",
    "Incompleteness",
    "IncompletenessStatistic",
    "JudgmentVariation",
    "ModelChoice",
    "PoolChange",
    "PoolReduction",
    "PowerOverTopics",
    "RepeatedPower",
    "Sampling",
    "Sensitivity",
    "Statistic",
    "SwapRates",
    "SweepStatistic",
    "ThresholdSweep",
    "TopicFacts",
    "above_first_quartile",
    "best_systems",
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
    "power_over_samples",
    "power_over_topics",
    "reduce_pool",
    "rms_error",
    "score_all_lists",
    "sensitivity",
    "simulate_judgments",
    "swap_rates",
    "sweep_thresholds",
    "tau_ap",
    "threshold_grid",
    "threshold_measures",
    "topic_facts",
]

# These names are imported on first use: they need scikit-learn, which takes half a second.
_MODULE_OF = {
    "ModelChoice": "_model_choice",
    "choose_by_search": "_choose",
    "choose_by_stopping": "_choose",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"skgraded.studies.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
