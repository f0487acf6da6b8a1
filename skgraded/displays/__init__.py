"""Displays in the manner of scikit-learn, which need matplotlib."""

from skgraded.displays._training import TrainingDisplay

__all__ = ["TrainingDisplay"]
