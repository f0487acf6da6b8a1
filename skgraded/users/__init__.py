"""User models: choosing g, the distribution of the users' thresholds, and what it decides."""

from skgraded.users._choice import Choice, choose
from skgraded.users._estimate import ThresholdEstimate
from skgraded.users._feedback import FeedbackThresholds, thresholds_from_feedback
from skgraded.users._log import thresholds_from_log
from skgraded.users._log_columns import log_columns
from skgraded.users._log_result import LogThresholds
from skgraded.users._pair_profile import PairProfile, UserDifference, UserShares
from skgraded.users._personas import Persona, Personas, personas
from skgraded.users._profile import ThresholdProfile, threshold_profile

__all__ = [
    "Choice",
    "FeedbackThresholds",
    "LogThresholds",
    "PairProfile",
    "Persona",
    "Personas",
    "ThresholdEstimate",
    "ThresholdProfile",
    "UserDifference",
    "UserShares",
    "choose",
    "log_columns",
    "personas",
    "threshold_profile",
    "thresholds_from_feedback",
    "thresholds_from_log",
]
