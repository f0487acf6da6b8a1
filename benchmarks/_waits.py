"""One row of the table of waits: what a user waits for, the target, and how it is timed."""

from typing import NamedTuple

UNITS = {"us": 1e6, "ms": 1e3, "ns": 1e9}


class Wait(NamedTuple):
    """A row. `run` takes the options and returns our seconds and those of the peer, or None.

    Without a unit, the target is a share of the peer's time. In bytes, `run` returns bytes.
    """

    name: str
    work: str
    target: float
    unit: str
    peer: str
    run: object

    def line(self, options):
        """Time the row and return it as text."""
        ours, theirs = self.run(options)
        peer = f"{self.peer}, {1e3 * theirs:.4g} ms" if theirs else self.peer
        if self.unit:
            value = f"{UNITS.get(self.unit, 1) * ours:.4g} {self.unit}"
            target = f"{self.target:g} {self.unit}"
            is_met = UNITS.get(self.unit, 1) * ours <= self.target
        else:
            value, target = f"{ours / theirs:.2f} x", f"{self.target:g} x"
            is_met = ours <= self.target * theirs
        time = "" if self.unit else f"{1e3 * ours:.4g} ms"
        cells = (self.name, self.work, value, target, "yes" if is_met else "no", time, peer)
        return as_row(cells)


WIDTHS = (17, 51, 11, 10, 3, 9, 32)
TITLES = ("row", "work", "measured", "must reach", "met", "time", "peer")


def as_row(cells):
    return "| " + " | ".join(map(str.ljust, cells, WIDTHS)) + " |"


HEAD = as_row(TITLES) + "\n" + as_row(["-" * width for width in WIDTHS])
