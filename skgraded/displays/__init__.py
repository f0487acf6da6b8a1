"""Pictures, in scikit-learn's manner; they need matplotlib."""

from skgraded.displays._training import TrainingDisplay

__all__ = ["TrainingDisplay"]
