"""User models: for which users one ranker is better than another."""

from skgraded.users._pair_profile import BreakEven, PairProfile, UserDifference, UserShares
from skgraded.users._profile import ThresholdProfile, threshold_profile
from skgraded.users._profile_sources import profile_measures

__all__ = [
    "BreakEven",
    "PairProfile",
    "ThresholdProfile",
    "UserDifference",
    "UserShares",
    "profile_measures",
    "threshold_profile",
]
