"""How often intervals, p-values, decisions and plans of one pair of systems err."""

from functools import cache

import numpy as np
from _calibration_generators import (
    MADE_UP,
    OF_0_AND_1,
    REAL,
    catastrophes,
    first_hits,
    generators,
    one_sided,
    population_of,
)
from _calibration_peers import bootstrap_intervals, students_t
from scipy import stats

from skgraded import compare
from skgraded._intervals.estimate import means
from skgraded._intervals.looks import levels_of_looks
from skgraded._intervals.tail import Tail
from skgraded.results import Scores

LEVEL = 0.05
TAIL = LEVEL / 2
NORMAL = stats.norm.isf(TAIL)
# How far the true mean is, in standard errors, from what t excludes in 80 % of normal samples.
DISTANCE = NORMAL + stats.norm.isf(0.2)
BOUNDS = (-1.0, 1.0)
QUERIES = (10, 20, 30, 50, 100, 150, 200, 300, 500)
N_RESAMPLES = 1000
# Tails above this share are looked at again, with ten times as many samples.
SUSPECT = 0.034
METHODS = {
    "worst=1": "`compare`, worst=1, as with a margin",
    "default": "`compare`, by default",
    "t": "Student's t",
    "bootstrap-t": "bootstrap-t",
    "BCa": "BCa",
}


def percent(shares):
    return f"{100 * np.mean(shares):.1f}"


def tails_and_width(interval, truth, error):
    """Tell both tails in percent, and half the width over 1.96 true errors."""
    low, high = interval.T
    width = ((high - low) / (2 * NORMAL * error)).mean()
    return f"{percent(truth < low)} / {percent(truth > high)} / {width:.2f}"


def intervals(rows, bounds=BOUNDS, times=1.0):
    return means(rows, bounds=bounds).tail(times).interval(1 - LEVEL)


def bounds_by_default(rows, *, of_0_and_1=False):
    """Return half of the range, and all of it where more was seen or values are 0 and 1."""
    largest = np.abs(rows).max(axis=0)
    is_beyond = (largest > 0.5) | of_0_and_1
    worst = np.where(is_beyond, 1.0, 0.5)
    return -worst, worst


def told_by(interval, truth, error):
    """Return both tails, the width, and the power where t has some 80 %."""
    low, high = interval.T
    excludes = low > truth - DISTANCE * error
    width = ((high - low) / (2 * NORMAL * error)).mean()
    return (truth < low).mean(), (truth > high).mean(), width, excludes.mean()


@cache
def simulated(n_columns):
    """Return what is told by generator, number of queries and method; and how p-values agree."""
    told = {}
    n_agreeing = n_asked = 0
    for name, columns in generators().items():
        for n_queries in QUERIES:
            rng = np.random.default_rng([n_queries, 7])
            rows, truth, deviation = columns(rng, n_queries, n_columns)
            error = deviation / np.sqrt(n_queries)
            by_default = bounds_by_default(rows, of_0_and_1=name in OF_0_AND_1)
            tail = means(rows, bounds=BOUNDS).tail()
            found = {
                "worst=1": tail.interval(1 - LEVEL),
                "default": intervals(rows, by_default),
                "t": students_t(rows),
            }
            n_resamples = min(N_RESAMPLES, max(n_columns, 200))
            found["bootstrap-t"], found["BCa"] = bootstrap_intervals(
                rows, n_resamples, rng
            )
            for method, interval in found.items():
                told[name, n_queries, method] = told_by(interval, truth, error)

            low, high = found["worst=1"].T
            is_outside = (truth < low) | (truth > high)
            n_agreeing += ((tail.p_value(truth) < LEVEL) == is_outside).sum()
            n_asked += n_columns
            for method in ("worst=1", "default"):
                if max(told[name, n_queries, method][:2]) > SUSPECT:
                    told[name, n_queries, method] = told_again(
                        name, n_queries, method, n_columns
                    )
    return told, n_agreeing, n_asked


def told_again(name, n_queries, method, n_columns, n_times=10):
    """Tell the same of ten times as many samples."""
    columns = generators()[name]
    parts = []
    for part in range(n_times):
        rng = np.random.default_rng([n_queries, 7, part])
        rows, truth, deviation = columns(rng, n_queries, n_columns)
        bounds = BOUNDS
        if method == "default":
            bounds = bounds_by_default(rows, of_0_and_1=name in OF_0_AND_1)
        error = deviation / np.sqrt(n_queries)
        parts.append(told_by(intervals(rows, bounds), truth, error))
    return tuple(np.mean(parts, axis=0))


def method_rows(n_columns):
    """Sum up all generators, by method and number of queries."""
    told, n_agreeing, n_asked = simulated(n_columns)
    yield [
        "p-values agree",
        f"{n_agreeing:,} of {n_asked:,}",
        *[""] * (len(QUERIES) - 1),
    ]
    for method, title in METHODS.items():
        rows = {
            "generators with a tail > 4 %": [],
            "largest tail; of the real ones": [],
            "median width, of the real ones": [],
            "power, of the real ones": [],
        }
        for n_queries in QUERIES:
            of_all = np.array(
                [told[name, n_queries, method] for name in (*MADE_UP, *REAL)]
            )
            largest = of_all[:, :2].max(axis=1)
            of_real = of_all[len(MADE_UP) :]
            cells = (
                f"{(largest > 0.04).sum()}",
                f"{100 * largest.max():.1f}; {100 * of_real[:, :2].max():.1f}",
                f"{np.median(of_real[:, 2]):.2f}",
                f"{100 * of_real[:, 3].mean():.0f}",
            )
            for cells_of_row, cell in zip(rows.values(), cells, strict=True):
                cells_of_row.append(cell)
        for what, cells_of_row in rows.items():
            yield [f"{title}: {what}", *cells_of_row]


def interval_rows(n_columns, method):
    """Tell both tails and the width by generator."""
    told, *_ = simulated(n_columns)
    for name in (*MADE_UP, *REAL):
        row = [name]
        for n_queries in QUERIES:
            lower, upper, width, _ = told[name, n_queries, method]
            row.append(f"{100 * lower:.1f} / {100 * upper:.1f} / {width:.2f}")
        yield row


# A system whose true difference is exactly minus the margin; some queries lose everything.

RATES = (0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08)
EXPECTED = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
MARGIN = 0.01


def false_passes(n_queries, n_columns, share, spread, worst=1.0):
    """Return how often `margin=` passes a system at the margin, by the machine and by t."""
    rng = np.random.default_rng([n_queries, int(1000 * share)])
    shape = n_queries, n_columns
    rows = catastrophes(rng, shape, share, spread=spread, mean=-MARGIN)
    rows = np.clip(rows, -1.0, 1.0)
    largest = np.maximum(np.abs(rows).max(axis=0), worst)
    passes = intervals(rows, (-largest, largest))[:, 0] > -MARGIN
    return passes, students_t(rows)[:, 0] > -MARGIN


def edge_rows(n_columns):
    """Tell false passes by rate and number of queries, of the machine and of t."""
    for spread in (0.02, 0.05):
        for share in RATES:
            row = [f"{100 * share:g} % lose everything, spread {spread:g}"]
            for n_queries in QUERIES:
                both = false_passes(n_queries, n_columns, share, spread)
                row.append(" / ".join(map(percent, both)))
            yield row


def between_rows(n_columns):
    """Tell false passes by n x rate: with worst=1, with a worst of 0.5 that is broken, and by t."""
    for share in RATES:
        row = [f"{100 * share:g} %"]
        for expected in EXPECTED:
            n_queries = round(expected / share)
            both = np.hstack(
                [
                    false_passes(n_queries, n_columns, share, spread)
                    for spread in (0.02, 0.05)
                ]
            )
            broken = false_passes(n_queries, n_columns, share, 0.02, worst=0.5)[0]
            row.append(" / ".join(map(percent, (both[0], broken, both[1]))))
        yield row


# Plans: the number of queries by pilots of 100, and how often that many decide.


def plan_cells():
    """Return what is drawn, the margin, and the true difference, by the name of the row."""
    cells = {}
    for spread, margin in (
        (0.1, 0.02),
        (0.05, 0.02),
        (0.05, 0.01),
        (0.03, 0.01),
        (0.2, 0.05),
    ):
        cells[f"normal, SD {spread:g}, margin {margin:g}"] = (
            lambda rng, shape, spread=spread: spread * rng.normal(size=shape),
            margin,
            0.0,
        )
    for margin in (0.02, 0.01):
        cells[f"25 % move, SD 0.1, margin {margin:g}"] = (
            lambda rng, shape: (
                (rng.random(shape) < 0.25) * 0.1 * rng.normal(size=shape)
            ),
            margin,
            0.0,
        )
    cells["P@1, 15 % win, 15 % lose, margin 0.05"] = (
        lambda rng, shape: first_hits(rng, shape, 0.15, 0.15),
        0.05,
        0.0,
    )
    cells["skewed losses, margin 0.02"] = (
        lambda rng, shape: 0.1 * (0.5 - rng.gamma(0.5, 1.0, shape)),
        0.02,
        0.0,
    )
    cells["better: normal, SD 0.1, effect 0.02"] = (
        lambda rng, shape: 0.02 + 0.1 * rng.normal(size=shape),
        0.0,
        0.02,
    )
    cells["better: a fifth gains, none loses, effect 0.03"] = (
        lambda rng, shape: one_sided(rng, shape, 0.2),
        0.0,
        0.0296,
    )
    for name in [name for name in REAL if "seeds, nDCG@10" in name]:
        differences = population_of(name)
        for margin in (0.01, 0.02, 0.03):
            cells[f"{name}, margin {margin:g}"] = (
                # Either sign is as likely, so that the truth is 0.
                lambda rng, shape, differences=differences: (
                    rng.choice(differences, size=shape) * rng.choice([-1.0, 1.0], shape)
                ),
                margin,
                0.0,
            )
    return cells


def plan_rows(n_columns, n_pilots=60):
    for label, (draw, margin, truth) in plan_cells().items():
        row = [label]
        for worst in (1.0, 0.5):

            def tail_of(rows, worst=worst):
                largest = np.maximum(worst, np.abs(rows).max(axis=0))
                return means(rows, bounds=(-largest, largest)).tail()

            pilots = np.clip(draw(np.random.default_rng(1), (100, n_pilots)), -1, 1)
            truths = np.full(n_pilots, truth)
            bounds = np.full(n_pilots, -margin)
            ratios = tail_of(pilots).units_needed(truths, bounds, TAIL, 0.8)
            needed = int(np.ceil(100 * np.median(ratios)))
            shape = needed, n_columns
            rows = np.clip(draw(np.random.default_rng([needed, 3]), shape), -1, 1)
            decides = tail_of(rows).interval(1 - LEVEL)[:, 0] > -margin
            by_t = students_t(rows)[:, 0] > -margin
            row += [f"{needed:,}", percent(decides), percent(by_t)]
        yield row


# Looks at a growing number of queries.

LOOKS = ((100, 300, 600), tuple(range(50, 501, 50)))


def look_rows(n_columns):
    drawn = {
        "normal": (lambda rng, shape: 0.12 * rng.normal(size=shape), 0.0),
        "P@1": (lambda rng, shape: first_hits(rng, shape, 0.15, 0.15), 0.0),
        "1 % lose everything": (lambda rng, shape: catastrophes(rng, shape, 0.01), 0.0),
    }
    for label, (draw, truth) in drawn.items():
        row = [label]
        for numbers in LOOKS:
            rows = np.clip(
                draw(np.random.default_rng(3), (numbers[-1], n_columns)), -1, 1
            )
            beyond = {"low": [], "high": [], "unplanned": [], "t": []}
            levels = levels_of_looks(numbers, LEVEL)
            for n_queries, level in zip(numbers, levels, strict=True):
                seen = rows[:n_queries]
                low, high = intervals(seen, times=LEVEL / level).T
                beyond["low"].append(low > truth)
                beyond["high"].append(high < truth)
                beyond["unplanned"].append(intervals(seen)[:, 0] > truth)
                beyond["t"].append(students_t(seen)[:, 0] > truth)
            shares = [percent(np.any(each, axis=0)) for each in beyond.values()]
            row.append(" / ".join(shares))
        yield row


# Weights of queries, and clusters of them, which are drawn with the queries.


def stacked(estimates):
    """Put the tails of estimates of one value each side by side."""
    tails = [estimate.tail() for estimate in estimates]
    fields = (
        np.concatenate(field) if isinstance(field[0], np.ndarray) else field[0]
        for field in zip(*tails, strict=True)
    )
    return Tail(*fields)


WEIGHTS = {
    "lognormal": lambda rng, size: rng.lognormal(0.0, 1.0, size),
    "10 % have 20 times as much": lambda rng, size: np.where(
        rng.random(size) < 0.1, 20.0, 1.0
    ),
    "strata 1, 3, 10": lambda rng, size: rng.choice([1.0, 3.0, 10.0], size=size),
}
WEIGHTED = {
    "normal": lambda rng, w: 0.1 * rng.normal(size=w.shape),
    "heavy ones lose 0.1": lambda rng, w: (
        np.where(w > np.median(w), -0.1, 0.05) + 0.05 * rng.normal(size=w.shape)
    ),
    "a fifth gains": lambda rng, w: one_sided(rng, w.shape, 0.2),
    "5 % lose 0.6": lambda rng, w: catastrophes(
        rng, w.shape, 0.05, loss=0.6, spread=0.03
    ),
    "2 % lose everything": lambda rng, w: catastrophes(rng, w.shape, 0.02),
}
QUERIES_WITH_WEIGHTS = (30, 50, 100, 300)


def weight_rows(n_samples):
    for label, weigh in WEIGHTS.items():
        for kind, draw in WEIGHTED.items():
            rng = np.random.default_rng(1)
            weights = weigh(rng, 1_000_000)
            differences = np.clip(draw(rng, weights), -1.0, 1.0)
            truth = np.average(differences, weights=weights)
            row = [f"{label}; {kind}"]
            for n_queries in QUERIES_WITH_WEIGHTS:
                rng = np.random.default_rng([n_queries, 2])
                estimates = []
                all_rows = np.empty((n_queries, n_samples))
                for sample in range(n_samples):
                    weights = weigh(rng, n_queries)
                    rows = np.clip(draw(rng, weights), -1.0, 1.0)
                    all_rows[:, sample] = rows
                    estimates.append(
                        means(rows[:, None], weights=weights, bounds=BOUNDS)
                    )
                tail = stacked(estimates)
                error = tail.value.std()
                told = tails_and_width(tail.interval(1 - LEVEL), truth, error)
                low, high = intervals(all_rows).T
                row.append(f"{told} / {percent((low > truth) | (high < truth))}")
            yield row


N_CLUSTERS = (20, 50, 100)
SIZES = {
    "equal": lambda rng, n: np.full(n, 4),
    "Zipf's law": lambda rng, n: np.minimum(rng.zipf(1.8, n), 40),
}
# Differences of rows by the cluster of each, and the sizes of the clusters.
CLUSTERED = {
    "normal": lambda rng, of_row, sizes: 0.1 * rng.normal(size=len(sizes))[of_row],
    "skewed": lambda rng, of_row, sizes: (
        0.1 * (rng.exponential(size=len(sizes)) - 1.0)[of_row]
    ),
    "heavy ones lose 0.1": lambda rng, of_row, sizes: np.where(
        sizes[of_row] > np.median(sizes), -0.1, 0.05
    ),
    "5 % of clusters lose 0.6": lambda rng, of_row, sizes: catastrophes(
        rng, len(sizes), 0.05, loss=0.6, spread=0.03
    )[of_row],
    "2 % of clusters lose everything": lambda rng, of_row, sizes: catastrophes(
        rng, len(sizes), 0.02
    )[of_row],
}


def rows_in_clusters(rng, n_clusters, size, kind):
    """Draw rows that share the effects of their clusters, and the cluster of each row."""
    sizes = SIZES[size](rng, n_clusters)
    of_row = np.repeat(np.arange(n_clusters), sizes)
    rows = CLUSTERED[kind](rng, of_row, sizes) + 0.1 * rng.normal(size=len(of_row))
    return np.clip(rows, -1.0, 1.0), of_row


def cluster_rows(n_samples):
    for size in SIZES:
        for kind in CLUSTERED:
            if size == "equal" and kind.startswith("heavy"):
                continue
            rows, _ = rows_in_clusters(np.random.default_rng(1), 300_000, size, kind)
            truth = rows.mean()
            row = [f"{size}; {kind}"]
            for n_clusters in N_CLUSTERS:
                rng = np.random.default_rng([n_clusters, 5])
                estimates = []
                for _ in range(n_samples):
                    rows, of_row = rows_in_clusters(rng, n_clusters, size, kind)
                    estimates.append(
                        means(rows[:, None], clusters=(of_row,), bounds=BOUNDS)
                    )
                tail = stacked(estimates)
                error = tail.value.std()
                row.append(tails_and_width(tail.interval(1 - LEVEL), truth, error))
            yield row


def scores_of(values):
    """Return scores of systems by one measure, from values of shape (n_systems, n_queries)."""
    return Scores(
        measures=("value",),
        qid=np.arange(values.shape[1]),
        values=np.ascontiguousarray(values[:, :, None]),
        directions=(1,),
        systems=tuple(f"system {i}" for i in range(len(values))),
    )


def distance_from_compare(n_systems=1000, n_queries=30):
    """Return how far the numbers are from those of `compare` of so many systems and a baseline."""
    rng = np.random.default_rng(8)
    rows = np.clip(
        MADE_UP["8 % lose, 30 % win a little"](rng, (n_queries, n_systems)), -1, 1
    )
    values = np.vstack([np.full(n_queries, 0.5), 0.5 + rows.T / 2])
    result = compare(scores_of(values), baseline="system 0", correction="none", worst=1)
    tail = means((values[1:] - values[0]).T, bounds=BOUNDS).tail()
    apart = np.abs(result.interval[:, 0] - tail.interval(1 - LEVEL)).max()
    return max(apart, np.abs(result.p_value["score"][:, 0] - tail.p_value()).max())
