"""Timing that survives a noisy machine: contestants take turns, medians and ratios count."""

import statistics
import time


def alternate(contestants, repeats):
    """Run the contestants in turn; return every one's seconds, run by run."""
    seconds = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def print_table(seconds, against):
    """Print medians, and the median of the ratios to one contestant, turn by turn."""
    width = max(map(len, seconds))
    print(f"{'':{width}}  median ms      min      max   ratio")
    for name, runs in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(runs, seconds[against], strict=True))
        times = "".join(f" {1e3 * f(runs):>8.1f}" for f in (statistics.median, min, max))
        print(f"{name:{width}}  {times}  {ratio:>6.2f}")
