"""User models: choosing g, the distribution of the users' thresholds, and what it decides."""

from skgraded.users._estimate import ThresholdEstimate
from skgraded.users._feedback import FeedbackThresholds, thresholds_from_feedback
from skgraded.users._personas import Persona, Personas, personas
from skgraded.users._preferences import (
    APDifferences,
    PreferenceThresholds,
    ap_differences,
    thresholds_from_preferences,
)

__all__ = [
    "APDifferences",
    "FeedbackThresholds",
    "Persona",
    "Personas",
    "PreferenceThresholds",
    "ThresholdEstimate",
    "ap_differences",
    "personas",
    "thresholds_from_feedback",
    "thresholds_from_preferences",
]
