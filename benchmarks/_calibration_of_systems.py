"""How often comparisons of all pairs of many systems find a difference where there is none."""

import itertools
import time

import numpy as np
from _calibration_of_pairs import (
    LEVEL,
    MEASURES,
    REAL,
    pairs_of,
    percent,
    scores_of,
    values_of,
)

from skgraded import compare
from skgraded._intervals.estimate import means

SYSTEMS, MORE = (24, 60, 143), (40, 100)
TOPICS = (30, 50, 100, 200)

FEWEST_DIFFERENCES = 10  # fewer do not tell how rare and how large they are


def families_of(n_systems, rng, n_drawn=5):
    """Return families of pairs by their names: all of some systems, or all with a baseline."""
    pairs, families = np.column_stack(np.triu_indices(n_systems, 1)), {}
    for size in sorted(SYSTEMS + MORE):
        drawn = (rng.permutation(n_systems)[:size] for _ in range(n_drawn))
        families[f"{size}, all pairs"] = [
            np.isin(pairs, each).all(axis=1) for each in drawn
        ]
    baselines = rng.permutation(n_systems)[:n_drawn]
    families["143, a baseline"] = [(pairs == each).any(axis=1) for each in baselines]
    return families


def family_errors(values, n_queries, n_replications, rng):
    """Return shares of errors by family: of all pairs, and of those that differ enough.

    Differences less their means make zeros differ all alike: an error of the simulation, if few
    queries differ and none of them is drawn.
    """
    of_pairs, families = pairs_of(values), families_of(len(values), rng)
    centred, differs = of_pairs - of_pairs.mean(axis=0), of_pairs != 0.0
    found = {name: [] for name in families}
    for _ in range(n_replications):
        queries = rng.integers(len(of_pairs), size=n_queries)
        p_values = means(centred[queries]).p_value()
        counted = differs[queries].sum(axis=0) >= FEWEST_DIFFERENCES
        for name, each in families.items():
            wrong = [family & (p_values < LEVEL / family.sum()) for family in each]
            found[name] += [
                (of_all.any(), (of_all & counted).any()) for of_all in wrong
            ]
    return {name: np.mean(each, axis=0) for name, each in found.items()}


def family_rows(n_replications):
    """Errors in percent: of all pairs, and of those that differ in at least ten queries."""
    shares = {}
    for name, (place, measure), n in itertools.product(
        REAL, enumerate(MEASURES), TOPICS
    ):
        rng = np.random.default_rng([n, place, len(name)])
        errors = family_errors(values_of(name)[..., place], n, n_replications, rng)
        for family, told in errors.items():
            shares.setdefault((family, name, measure), []).append(told)
    for (family, name, measure), told in shares.items():
        if name == "TREC-COVID" and not family.startswith(tuple(map(str, MORE))):
            cells = (" / ".join(map(percent, each)) for each in told)
            yield [measure.partition("(")[0], family, *cells]
    for family in dict.fromkeys(each for each, *_ in shares):
        told = [each for (of_family, *_), each in shares.items() if of_family == family]
        yield ["median of 12", family, *map(percent, np.median(told, axis=0)[:, 1])]


def found_rows():
    """Pairs found by `correction="holm"`, their median width, and seconds of `compare`."""
    for place, measure in enumerate(MEASURES):
        row = [measure.partition("(")[0]]
        for size in SYSTEMS:
            scores, start = (
                scores_of(values_of("TREC-COVID")[:size, :, place]),
                time.process_time(),
            )
            found = compare(scores, correction="holm")
            seconds, width = (
                time.process_time() - start,
                np.median(np.ptp(found.interval, axis=2)),
            )
            n_found, n_pairs = int(found.significant.sum()), len(found.pairs)
            row.append(f"{n_found:,} of {n_pairs:,}, {width:.3f}, {seconds:.2f} s")
        yield row
