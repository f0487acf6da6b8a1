"""Timing for noisy machines: contestants run in turns, and medians and ratios are reported."""

import statistics
import time


def alternate(contestants, repeats, clock=time.perf_counter):
    """Run the contestants in turns; return the seconds of all runs by contestant."""
    seconds = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return seconds


def print_table(seconds, against):
    """Print the median times, and the median over the turns of the ratio to one contestant."""
    width = max(map(len, seconds))
    print(f"{'':{width}}  median ms      min      max   ratio")
    for name, runs in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(runs, seconds[against], strict=True))
        times = "".join(f" {1e3 * f(runs):>8.1f}" for f in (statistics.median, min, max))
        print(f"{name:{width}}  {times}  {ratio:>6.2f}")
