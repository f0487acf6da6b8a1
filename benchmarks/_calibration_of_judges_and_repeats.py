"""How often intervals hold with a judge of many queries, and of repeated cross-validations."""

import numpy as np
from _calibration_of_pairs import LEVEL, bounds_by_default, tails_and_width

from skgraded._intervals.regression import regression
from skgraded._intervals.repeats import over_repeats

N_JUDGED = 500
DRAWN = {
    "normal": lambda rng, size: 0.15 * rng.normal(size=size),
    "skewed": lambda rng, size: 0.15 * (rng.exponential(size=size) - 1.0),
}
JUDGES = {
    "good": lambda values, noise: values + 0.5 * noise,
    "useless": lambda values, noise: noise,
    "overrates": lambda values, noise: 0.1 + 1.5 * values + noise,
    "saturated": lambda values, noise: np.minimum(values, 0.08) + 0.3 * noise,
}


def judge_rows(n_columns):
    """Tails and width over more queries like these and over these, by kind of judge."""
    for kind, draw in DRAWN.items():
        for judge, judged_as in JUDGES.items():
            row = [f"{kind}, {judge}"]
            for n_human in (15, 30, 100):
                rng = np.random.default_rng([n_human, len(judge), len(kind)])
                values = draw(rng, (N_JUDGED, n_columns))
                judged = judged_as(values, 0.15 * rng.normal(size=values.shape))
                human, places = values[:n_human], np.arange(n_human)
                for of_these in (False, True):
                    truth = values.mean(axis=0) if of_these else 0.0
                    found = regression(
                        human,
                        judged,
                        places,
                        of_these=of_these,
                        bounds=bounds_by_default(human),
                    )
                    error = (found.estimate.value - truth).std()
                    row.append(
                        tails_and_width(
                            found.estimate.interval(1 - LEVEL), truth, error
                        )
                    )
            yield row


def leak_rows(n_columns, off=0.1):
    """Judge too highly, but repeat the human labels that were seen."""
    for n_human in (30, 100):
        row, seen = (
            [n_human],
            {"none": 0, "in 5 folds": 0, "half": n_human // 2, "all": n_human},
        )
        for kind, n_seen in seen.items():
            rng = np.random.default_rng([n_human, len(kind)])
            values = DRAWN["skewed"](rng, (N_JUDGED, n_columns))
            judged = off + 0.5 * values + 0.075 * rng.normal(size=values.shape)
            judged[:n_seen] = values[:n_seen]
            if kind == "in 5 folds":
                by_fold = rng.normal(0.0, 0.05, (5, n_columns))
                judged[:n_human] += by_fold[np.arange(n_human) % 5]
                judged[n_human:] += by_fold.mean(axis=0)
            found = regression(
                values[:n_human],
                judged,
                np.arange(n_human),
                bounds=bounds_by_default(values[:n_human]),
            ).estimate
            error = values.std() / np.sqrt(n_human)  # that of the human labels alone
            row.append(tails_and_width(found.interval(1 - LEVEL), 0.0, error))
        yield row


REPEATS = (1, 2, 5, 10)
# Standard deviations of the effects of queries, of trained models, and of the rest.
COMPONENTS = {
    "noise": (0.0, 0.0, 0.1),
    "queries and noise": (0.1, 0.0, 0.1),
    "models vary": (0.05, 0.03, 0.1),
    "models vary, hardly queries": (0.02, 0.06, 0.05),
}


def component_rows(n_columns, n_designs=4):
    for label, (of_query, of_model, rest) in COMPONENTS.items():
        for n_queries, n_folds in ((30, 3), (100, 5)):
            row = [f"{label}, {n_queries} queries, {n_folds} folds"]
            for n_repeats in REPEATS:
                rng, ends = (
                    np.random.default_rng([n_queries, n_repeats, len(label)]),
                    [],
                )
                for _ in range(n_designs):
                    queries = np.tile(np.arange(n_queries), (n_repeats, 1))
                    folds = rng.permuted(queries, axis=1) % n_folds
                    models = (n_columns // n_designs, n_repeats, n_folds)
                    rows = rng.normal(0.0, of_model, models)[
                        :, np.arange(n_repeats)[:, None], folds
                    ]
                    rows += rng.normal(0.0, of_query, (len(rows), 1, n_queries))
                    rows += rng.normal(0.0, rest, rows.shape)
                    by_query, found = over_repeats(rows, folds)
                    found.bounds = bounds_by_default(by_query)
                    ends.append(found.interval(1 - LEVEL))
                by_repeat = of_model**2 / n_folds + rest**2 / n_queries
                error = np.sqrt(of_query**2 / n_queries + by_repeat / n_repeats)
                row.append(tails_and_width(np.concatenate(ends), 0.0, error))
            yield row
