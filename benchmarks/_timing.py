"""Timing for noisy machines: contestants run in turns, and medians and ratios are reported."""

import time

import numpy as np

# Threads of OpenMP spin on for some milliseconds after their call, at the cost of the next one.
PAUSE = 0.03


def alternate(contestants, repeats, clock=time.perf_counter, calls=1):
    """Run the contestants in turns, each after a pause; return the seconds a call by contestant."""
    seconds = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            time.sleep(PAUSE)
            start = clock()
            for _ in range(calls):
                run()
            seconds[name].append((clock() - start) / calls)
    return {name: np.array(each) for name, each in seconds.items()}


def processor_times(contestants, repeats, calls=1):
    """Return the processor times of every contestant after a first call, in seconds."""
    for run in contestants.values():
        run()
    return alternate(contestants, repeats, time.process_time, calls)


def spread(values, form=".4g"):
    """Return the median and the quartiles as text."""
    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    return f"{median:{form}} ({low:{form}} to {high:{form}})"


def share_of_ties(scores, sizes):
    """Return the share of neighbours in the rankings that have the same score."""
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((scores, query))
    is_same = (np.diff(scores[order]) == 0) & (np.diff(query[order]) == 0)
    return is_same.sum() / (len(scores) - len(sizes))


def print_table(seconds, against):
    """Print times and, over the turns, ratios to one contestant: medians and quartiles."""
    width = max(map(len, seconds))
    print(f"{'':{width}}  {'ms':28}ratio")
    for name, runs in seconds.items():
        ratio = spread(runs / seconds[against], ".2f")
        print(f"{name:{width}}  {spread(1e3 * runs, '.1f'):28}{ratio}")
