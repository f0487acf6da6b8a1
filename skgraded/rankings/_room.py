"""How much of what can be computed again is kept."""

from __future__ import annotations

__all__ = ["Room"]


class Room:
    """Bytes left to keep what may be asked for again: some, and as many as the data take."""

    def __init__(self, n_documents: int) -> None:
        self.left = 2**27 + 32 * n_documents

    def takes(self, n_bytes: int) -> bool:
        if n_bytes > self.left:
            return False
        self.left -= n_bytes
        return True
