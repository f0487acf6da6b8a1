"""A progress bar, drawn on terminals only."""

from __future__ import annotations

import sys
import threading
import time
from typing import Self, TextIO

_WIDTH = 30


class ProgressBar:
    """Bar that fills up as steps are counted, with the time passed and the time left.

    Parameters
    ----------
    total : int
        Number of steps.
    label : str
        Name of the work.
    stream : text stream, optional
        The stream to draw on; standard error by default. Nothing is drawn if it is not a terminal.
    delay : float, default=0.0
        Seconds before the bar is drawn, so that short work draws none.
    """

    def __init__(
        self,
        total: int,
        label: str,
        stream: TextIO | None = None,
        *,
        delay: float = 0.0,
    ) -> None:
        self.total = total
        self.label = label
        self.delay = delay
        self.stream = sys.stderr if stream is None else stream

        self.done = 0
        self._start = time.monotonic()
        # A process can be started without standard error; Python then has None.
        self._is_terminal = self.stream is not None and self.stream.isatty()
        self._is_drawn = False
        # Steps may be counted from several threads.
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._draw()
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_drawn:
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
        seconds = time.monotonic() - self._start
        if not self._is_terminal or seconds < self.delay:
            return
        self._is_drawn = True

        times = f"{seconds:.0f} s"
        if self.done:
            seconds_left = seconds * (self.total - self.done) / self.done
            times += f", {seconds_left:.0f} s left"

        n_filled = _WIDTH * self.done // max(1, self.total)
        bar = "#" * n_filled + "." * (_WIDTH - n_filled)
        line = f"\r{self.label} [{bar}] {self.done}/{self.total} ({times})"
        self.stream.write(f"{line}\x1b[K")  # clears the rest of a longer line
        self.stream.flush()
