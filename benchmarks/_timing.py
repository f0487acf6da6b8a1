"""Timing for noisy machines: contestants run in turns, and medians and ratios are reported."""

import statistics
import time


def alternate(contestants, repeats, clock=time.perf_counter, calls=1):
    """Run the contestants in turns; return the seconds a call of all runs by contestant.

    In processor time, a contestant begins after the threads of the one before have come to rest:
    those of OpenMP spin for some milliseconds.
    """
    seconds = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            if clock is time.process_time:
                time.sleep(0.02)
            start = clock()
            for _ in range(calls):
                run()
            seconds[name].append((clock() - start) / calls)
    return seconds


def medians(contestants, repeats, calls=1):
    """Return the median processor time of every contestant after a first call, in seconds."""
    for run in contestants.values():
        run()
    seconds = alternate(contestants, repeats, time.process_time, calls)
    return {name: statistics.median(runs) for name, runs in seconds.items()}


def print_table(seconds, against):
    """Print the median times, and the median over the turns of the ratio to one contestant."""
    width = max(map(len, seconds))
    print(f"{'':{width}}  median ms      min      max   ratio")
    for name, runs in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(runs, seconds[against], strict=True))
        times = "".join(f" {1e3 * f(runs):>8.1f}" for f in (statistics.median, min, max))
        print(f"{name:{width}}  {times}  {ratio:>6.2f}")
