"""One row of the table of waits: what a user waits for, the target, and how it is timed."""

from typing import Any, NamedTuple

import numpy as np
from _timing import spread

UNITS = {"us": 1e6, "ms": 1e3, "ns": 1e9}


class Times(NamedTuple):
    """Seconds of all turns, of ours and perhaps of a peer, and the share of ties of the data."""

    ours: Any
    theirs: Any = None
    tied: float | None = None


class Wait(NamedTuple):
    """A row. `run` takes the options and returns `Times`, or why it was not timed.

    Without a unit, the target is a share of the peer's time. In bytes, and as a power of the number
    of documents (n^), `run` returns what is printed.
    """

    name: str
    work: str
    target: float
    unit: str
    peer: str
    run: object

    def line(self, options):
        """Time the row and return it as text: medians, with quartiles in brackets."""
        found = self.run(options)
        if isinstance(found, str):
            return as_row((self.name, self.work, found, "", "", "", self.peer, ""))
        ours = np.asarray(found.ours)
        theirs = (
            "" if found.theirs is None else f", {1e3 * np.median(found.theirs):.4g} ms"
        )
        if self.unit:
            measured, form = UNITS.get(self.unit, 1) * ours, ".3g"
            time, unit = "", f" {self.unit}"
        else:
            measured, form = ours / found.theirs, ".2f"
            time, unit = f"{1e3 * np.median(ours):.4g} ms", " x"
        is_met = "yes" if np.median(measured) <= self.target else "no"
        tied = "" if found.tied is None else f"{found.tied:.0%}"
        target = f"{self.target:g}{unit}"
        cells = (
            self.name,
            self.work,
            spread(measured, form) + unit,
            target,
            is_met,
            time,
        )
        return as_row((*cells, self.peer + theirs, tied))


WIDTHS = (17, 54, 27, 10, 3, 9, 38, 4)
TITLES = ("row", "work", "measured", "must reach", "met", "time", "peer", "ties")


def as_row(cells):
    return "| " + " | ".join(map(str.ljust, cells, WIDTHS)) + " |"


HEAD = as_row(TITLES) + "\n" + as_row(["-" * width for width in WIDTHS])
