"""Learning-to-rank data, made up or read from files."""

from skgraded.datasets._letor import load_letor
from skgraded.datasets._make_ranking import make_ranking

__all__ = ["load_letor", "make_ranking"]
