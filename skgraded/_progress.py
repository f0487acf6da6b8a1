"""A progress bar, which is only drawn on terminals."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Self, TextIO

__all__ = ["ProgressBar"]

_WIDTH = 30


class ProgressBar:
    """Progress bar that counts steps and shows the elapsed and the remaining time.

    Parameters
    ----------
    total : int
        Number of steps.
    label : str
        Name of the task.
    stream : text stream, optional
        Stream to draw on, standard error by default. Nothing is drawn unless it is a terminal.
    """

    def __init__(self, total: int, label: str, stream: TextIO | None = None) -> None:
        self.total = total
        self.label = label
        self.stream = sys.stderr if stream is None else stream
        self.done = 0
        self._start = time.monotonic()
        # Several threads may call step.
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._draw()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.stream.isatty():
            self.stream.write("\n")

    def step(self, n_steps: int = 1) -> None:
        """Count steps as done.

        Parameters
        ----------
        n_steps : int, default=1
            Number of steps.
        """
        with self._lock:
            self.done = min(self.total, self.done + n_steps)
            self._draw()

    def _draw(self) -> None:
        if not self.stream.isatty():
            return
        filled = _WIDTH * self.done // max(1, self.total)
        passed = time.monotonic() - self._start
        left = f", {passed * (self.total - self.done) / self.done:.0f} s left" if self.done else ""
        bar = "#" * filled + "." * (_WIDTH - filled)
        line = f"\r{self.label} [{bar}] {self.done}/{self.total} ({passed:.0f} s{left})"
        self.stream.write(f"{line}\x1b[K")  # the escape sequence clears the rest of a longer line
        self.stream.flush()
