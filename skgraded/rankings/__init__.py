"""Judgments and rankings: the one place where input is validated and laid out by query."""

from skgraded.rankings._judgments import (
    Judgments,
    Positions,
    RankedList,
    Rankings,
    Ties,
    Unjudged,
)

__all__ = ["Judgments", "Positions", "RankedList", "Rankings", "Ties", "Unjudged"]
