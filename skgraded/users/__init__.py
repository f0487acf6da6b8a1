"""User models: choosing g, the distribution of the users' thresholds, and what it decides."""

from skgraded._support.named_users import personas
from skgraded.users._choice import Choice, choose
from skgraded.users._feedback import thresholds_from_feedback
from skgraded.users._feedback_columns import log_columns
from skgraded.users._log import thresholds_from_log
from skgraded.users._pair_profile import PairProfile, UserDifference, UserShares
from skgraded.users._profile import ThresholdProfile, threshold_profile
from skgraded.users._shares import Shares

__all__ = [
    "Choice",
    "PairProfile",
    "Shares",
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
