"""Waits of those who train: the derivatives of objectives."""

from functools import partial

import numpy as np
from _timing import processor_times
from _waits import Times, Wait
from gradients import lightgbms_iteration

from skgraded.lightgbm import objective

SHAPES = (
    (5, 4, 0.5),
    (10, 4, 0.5),
    (120, 30, 0.3),
    (120, 4, 0.3),
)  # documents, top grade, target


def rows_of(size, top):
    rng = np.random.default_rng(0)
    sizes = np.full(600_000 // size, size, np.int32)
    share = 0.5 ** np.arange(top + 1) if top < 10 else np.ones(top + 1)
    grades = rng.choice(top + 1, sizes.sum(), p=share / share.sum()).astype(np.float32)
    return grades, 0.7 * grades + rng.standard_normal(len(grades)), sizes


def gradients(measure, size, top, options):
    """One call of the objective against an iteration of lambdarank less one of regression."""
    rows, ours = rows_of(size, top), objective(measure)
    found = processor_times(
        {
            "lambdarank": lightgbms_iteration("lambdarank", rows, 1),
            "regression": lightgbms_iteration("regression", rows, 1),
            "ours": lambda: ours(*rows[:2], None, rows[2]),
        },
        options.repeats,
    )
    return Times(found["ours"], found["lambdarank"] - found["regression"])


WAITS = [
    Wait(
        f"grad-{name}-{size}" + ("" if top == 4 else f"-c{top}"),
        f"gradients of {measure}, {size} documents",
        target,
        "",
        "lambdarank's share",
        partial(gradients, measure, size, top),
    )
    for size, top, target in SHAPES
    for name, measure in (
        ("ndcg", "nDCG(gain=linear)"),
        ("xgap", f"xGAP(max_grade={top})"),
    )
]
