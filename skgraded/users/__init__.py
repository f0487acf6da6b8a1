"""User models: choosing g, the distribution of the users' thresholds, and what it decides."""

from skgraded.users._ap_differences import APDifferences, ap_differences
from skgraded.users._estimate import ThresholdEstimate
from skgraded.users._feedback import FeedbackThresholds, thresholds_from_feedback
from skgraded.users._judge_profile import JudgeProfile, judge_profile
from skgraded.users._log import thresholds_from_log
from skgraded.users._log_columns import log_columns
from skgraded.users._log_result import LogThresholds
from skgraded.users._pair_profile import BreakEven, PairProfile, UserDifference, UserShares
from skgraded.users._personas import Persona, Personas, personas
from skgraded.users._preferences import PreferenceThresholds, thresholds_from_preferences
from skgraded.users._profile import ThresholdProfile, threshold_profile
from skgraded.users._profile_sources import profile_measures

__all__ = [
    "APDifferences",
    "BreakEven",
    "FeedbackThresholds",
    "JudgeProfile",
    "LogThresholds",
    "PairProfile",
    "Persona",
    "Personas",
    "PreferenceThresholds",
    "ThresholdEstimate",
    "ThresholdProfile",
    "UserDifference",
    "UserShares",
    "ap_differences",
    "judge_profile",
    "log_columns",
    "personas",
    "profile_measures",
    "threshold_profile",
    "thresholds_from_feedback",
    "thresholds_from_log",
    "thresholds_from_preferences",
]
