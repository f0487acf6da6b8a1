"""Bias of the estimates of g, and coverage of their 95 % intervals, on simulated users.

Feedback: ten documents a session, placed by a ranker that prefers higher grades; a user draws a
threshold from the true g and examines rank n with probability 1/n. "sure" users are satisfied by
every examined document that reaches their threshold and by no other; "noisy" ones by 30 % of those
and by 2 % of the others. Position is corrected with the propensities 1/n, or ignored.

Logs: users who read as the model of `thresholds_from_log` says, with propensities that nobody gave,
and users who do not. "queries": 30 sessions share a query and its taste, which is drawn from a
Dirichlet distribution with mean g and weight 10; "users": 5 sessions share a user and so a
threshold; "heavy": the same by Zipf's law. The table tells bias, standard deviation and coverage,
and in how many logs a `UserModelWarning` was issued. Coverage ends with its Monte-Carlo error: two
standard errors of a coverage of 95 %.

    python benchmarks/recovery_of_g.py [--share S] [--only WORD] [--speed]

The share multiplies the numbers of replications; the word selects rows of the table. The table of
speed has no others beside it.
"""

import argparse
import time
import warnings
from functools import partial

import numpy as np

from skgraded.exceptions import SkgradedWarning, UserModelWarning
from skgraded.users import thresholds_from_feedback, thresholds_from_log

TRUE_G = {"(.1 .2 .3 .4)": (0.1, 0.2, 0.3, 0.4), "(0 .5 0 .5)": (0.0, 0.5, 0.0, 0.5)}
GRADE_SHARES = (0.5, 0.2, 0.15, 0.1, 0.05)
REPLICATIONS = {300: 400, 3_000: 200, 30_000: 60}


def feedback(rng, g, n_sessions, *, hit=1.0, miss=0.0, n_documents=10):
    """Return grade, whether satisfied, propensity and session of the shown documents."""
    grades = rng.choice(
        len(GRADE_SHARES), size=(n_sessions, n_documents), p=GRADE_SHARES
    )
    order = np.argsort(-(grades + 2 * rng.standard_normal(grades.shape)), axis=1)
    grades = np.take_along_axis(grades, order, axis=1)
    propensity = np.broadcast_to(1 / np.arange(1, n_documents + 1), grades.shape)
    threshold = rng.choice(np.arange(1, len(g) + 1), size=(n_sessions, 1), p=g)
    chance = propensity * np.where(grades >= threshold, hit, miss)
    session = np.repeat(np.arange(n_sessions), n_documents)
    satisfied = rng.random(grades.shape) < chance
    return grades.ravel(), satisfied.ravel(), propensity.ravel(), session


def from_feedback(n, corrected, **users):
    def estimate(rng, g):
        grade, satisfied, propensity, session = feedback(rng, g, n, **users)
        chances = propensity if corrected else None
        return thresholds_from_feedback(
            grade, satisfied, propensity=chances, cluster=session
        )

    return estimate


def contestants():
    """Yield the name, the number of units and the estimate of every row of the table."""
    for users, options in {"sure": {}, "noisy": {"hit": 0.3, "miss": 0.02}}.items():
        for corrected in (True, False):
            name = (
                f"feedback, {users}, position {'corrected' if corrected else 'ignored'}"
            )
            for n in REPLICATIONS:
                yield name, n, from_feedback(n, corrected, **options)


def lists(rng, g, n, shared=None):
    """Return grades, thresholds, and queries and users as far as sessions share them."""
    by, _, law = shared.partition(", ") if isinstance(shared, str) else ("", "", "")
    n_lists = max(20, n // 30) if by == "queries" else n
    grade = rng.choice(len(GRADE_SHARES), size=(n_lists, 10), p=GRADE_SHARES)
    order = np.argsort(-(grade + 2 * rng.standard_normal(grade.shape)), axis=1)
    grade = np.take_along_axis(grade, order, axis=1)
    n_clusters = {"queries": n_lists, "users": n // 5}.get(by, n)
    mass = np.arange(1.0, n_clusters + 1) ** -(law == "heavy")
    cluster = rng.choice(n_clusters, size=n, p=mass / mass.sum())
    if by == "queries":
        taste = rng.dirichlet(10 * np.array(g) + 1e-9, size=n_lists)[cluster]
        threshold = 1 + (rng.random((n, 1)) > taste.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return grade[cluster], threshold[:, None], {"qid": cluster}
    threshold = rng.choice(np.arange(1, len(g) + 1), size=n_clusters, p=g)
    if by == "users":
        return grade, threshold[cluster][:, None], {"user": cluster}
    return grade, threshold[:, None], {}


def by_position(rng, grade, threshold, *, slope=1.0, hit=0.6, miss=0.03):
    examined = rng.random(grade.shape) < np.arange(1.0, 11) ** -slope
    return examined & (
        rng.random(grade.shape) < np.where(grade >= threshold, hit, miss)
    )


def by_cascade(rng, grade, threshold, *, goes_on=0.8, hit=0.3, miss=0.0, stops=1.0):
    liked = rng.random(grade.shape) < np.where(grade >= threshold, hit, miss)
    leaves = (liked & (rng.random(grade.shape) < stops)) | (
        rng.random(grade.shape) >= goes_on
    )
    left_before = np.cumsum(leaves, axis=1) - leaves > 0
    return liked & ~left_before


def by_one_choice(rng, grade, threshold, *, hit=1.0):
    examined = rng.random(grade.shape) < 1 / np.arange(1, 11)
    worth = np.where(
        examined & (grade >= threshold), 10 * grade - np.arange(10) / 10, -1
    )
    buys = rng.random((len(grade), 1)) < hit
    return buys & (worth == worth.max(axis=1, keepdims=True)) & (worth >= 0)


def trusting(rng, grade, threshold):
    lured = rng.random(grade.shape) < 0.4 / np.arange(1, 11)
    examined = rng.random(grade.shape) < 1 / np.arange(1, 11)
    return examined & ((grade >= threshold) | lured)


def deeper(rng, grade, threshold):
    slope = 1.75 - 0.3 * threshold
    return (grade >= threshold) & (rng.random(grade.shape) < np.arange(1, 11) ** -slope)


def by_degrees(rng, grade, threshold):
    chance = np.where(
        grade >= threshold, 0.4 + 0.2 * (grade - threshold), 0
    ) / np.arange(1, 11)
    return rng.random(grade.shape) < chance


def easy_convert(rng, grade, threshold):
    return by_position(rng, grade, threshold, hit=1.1 - 0.25 * threshold, miss=0)


# Name: the users; what sessions share
LOGS = {
    "log, position": (by_position, None),
    "log, position, sure": (lambda *a: by_position(*a, hit=1, miss=0), None),
    "log, position, rank^-.5": (lambda *a: by_position(*a, slope=0.5), None),
    "log, position, rank^-1.5": (lambda *a: by_position(*a, slope=1.5), None),
    "log, position, queries": (by_position, "queries"),
    "log, position, users": (by_position, "users"),
    "log, position, users, heavy": (by_position, "users, heavy"),
    "log, position, queries, heavy": (by_position, "queries, heavy"),
    "log, cascade": (by_cascade, None),
    "log, cascade, sure": (lambda *a: by_cascade(*a, goes_on=1.0, hit=1.0), None),
    "log, cascade, several": (lambda *a: by_cascade(*a, miss=0.02, stops=0.6), None),
    "log, cascade, queries": (by_cascade, "queries"),
    "log, cascade, users": (by_cascade, "users"),
    "log, cascade, users, heavy": (by_cascade, "users, heavy"),
    "log, one": (by_one_choice, None),
    "log, one, half buys": (lambda *a: by_one_choice(*a, hit=0.5), None),
    "log, one, queries": (by_one_choice, "queries"),
    "log, one, half buys, queries": (lambda *a: by_one_choice(*a, hit=0.5), "queries"),
    "log, one, users": (by_one_choice, "users"),
    "log, none: trust in rank": (trusting, None),
    "log, none: demanding go deeper": (deeper, None),
    "log, none: satisfied by degrees": (by_degrees, None),
    "log, none: judged if clicked": (by_position, "judged"),
    "log, none: 5 % of grades off": (by_position, 0.05),
    "log, none: 10 % of grades off": (by_position, 0.1),
    "log, none: 20 % of grades off": (by_position, 0.2),
    "log, none: 30 % of grades off": (by_position, 0.3),
    "log, none: easy users convert": (easy_convert, None),
}


def judged_again(rng, grade, clicked, shared):
    """Return the grades that the log holds: of clicked rows, or with errors of the assessor."""
    if shared == "judged":
        return np.where(
            rng.random(grade.shape) < np.where(clicked, 0.9, 0.2), grade, np.nan
        )
    if isinstance(shared, float):  # the share of judgments that are off by one
        step = rng.choice([-1, 1], size=grade.shape)
        step[grade == 0], step[grade == len(GRADE_SHARES) - 1] = 1, -1
        return grade + step * (rng.random(grade.shape) < shared)
    return grade


def from_log(n, users, shared):
    def estimate(rng, g):
        grade, threshold, clusters = lists(rng, g, n, shared)
        clicked = users(rng, grade, threshold)
        return thresholds_from_log(
            judged_again(rng, grade, clicked, shared).ravel(),
            clicked.ravel(),
            session=np.repeat(np.arange(n), 10),
            position=np.tile(np.arange(1, 11), n),
            **{name: np.repeat(each, 10) for name, each in clusters.items()},
        )

    return estimate


def log_row(estimate, g, n_replications):
    """Return a line on logs: bias, deviation, coverage and warnings."""
    rng, found, n_warned = np.random.default_rng(0), [], 0
    for _ in range(n_replications):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append(estimate(rng, g))
        n_warned += any(issubclass(each.category, UserModelWarning) for each in caught)
    estimates = np.array([each.g for each in found])
    low, high = np.moveaxis([each.interval for each in found], 2, 0)
    covered = ((low <= np.add(g, 1e-9)) & (np.subtract(g, 1e-9) <= high)).mean(axis=0)
    error = 200 * np.sqrt(0.95 * 0.05 / n_replications)
    told = [" ".join(f"{v:+.3f}" for v in estimates.mean(axis=0) - g)]
    told.append(" ".join(f"{v:.3f}" for v in estimates.std(axis=0)))
    told.append(" ".join(f"{100 * v:5.1f}" for v in covered) + f" +-{error:.1f}")
    return "  ".join([*told, f"warned {100 * n_warned / n_replications:3.0f} %"])


def row(estimate, g, n_replications):
    """Return mean, standard deviation, coverage and width, by threshold."""
    rng = np.random.default_rng(0)
    found = [estimate(rng, g) for _ in range(n_replications)]
    estimates = np.array([each.g for each in found])
    low, high = np.moveaxis([each.interval for each in found], 2, 0)
    covered = (low <= np.add(g, 1e-9)) & (np.subtract(g, 1e-9) <= high)
    return (
        estimates.mean(0) - g,
        estimates.std(0),
        covered.mean(0),
        (high - low).mean(0),
    )


def speed():
    """Print times of one call: the least of three, in milliseconds."""
    rng, g = np.random.default_rng(0), TRUE_G["(.1 .2 .3 .4)"]
    for n in (10_000, 100_000):
        grade, satisfied, propensity, session = feedback(rng, g, n)
        shown = {"grade": grade, "satisfied": satisfied, "propensity": propensity}
        print_time("feedback, rows", 10 * n, partial(thresholds_from_feedback, **shown))
        shown["cluster"] = session
        print_time(
            "feedback, sessions", 10 * n, partial(thresholds_from_feedback, **shown)
        )
        for name in ("position", "cascade", "one"):
            grade, threshold, clusters = lists(rng, g, n, "queries")
            log = {
                "grade": grade.ravel(),
                "clicked": LOGS[f"log, {name}"][0](rng, grade, threshold).ravel(),
                "session": session,
                "position": np.tile(np.arange(1, 11), n),
                "qid": np.repeat(clusters["qid"], 10),
            }
            for reader in (name, "auto"):
                call = partial(thresholds_from_log, **log, reader=reader)
                print_time(f"log, {name}, reader={reader}", 10 * n, call)


def print_time(name, n_rows, call):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    print(f"{name:32} {n_rows:9,} rows {1000 * min(times):7.0f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the replications")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--speed", action="store_true", help="print times alone")
    share, only = (parsed := parser.parse_args()).share, parsed.only
    warnings.simplefilter(
        "ignore", SkgradedWarning
    )  # few noisy sessions may leave grades alike
    if parsed.speed:
        speed()
        return
    for name_of_g, g in TRUE_G.items():
        print(f"\ntrue g {name_of_g}; bias, SD and coverage of thresholds 1 to 4")
        for name, n, estimate in contestants():
            if only not in name:
                continue
            start = time.process_time()
            n_replications = max(2, int(share * REPLICATIONS[n]))
            bias, deviation, covered, _ = row(estimate, g, n_replications)
            told = [
                " ".join(f"{v:+.3f}" for v in bias),
                " ".join(f"{v:.3f}" for v in deviation),
            ]
            told.append(" ".join(f"{100 * v:5.1f}" for v in covered))
            seconds = time.process_time() - start
            print(
                f"{name:37} {n:6,} x {n_replications:3} {'  '.join(told)} {seconds:4.0f} s",
                flush=True,
            )
    g = TRUE_G["(.1 .2 .3 .4)"]
    for name, (users, shared) in LOGS.items():
        for n in (3_000, 30_000):
            if only in name:
                estimate = from_log(n, users, shared)
                n_replications = max(2, int(share * REPLICATIONS[n]))
                line = log_row(estimate, g, n_replications)
                print(f"{name:32} {n:6,} x {n_replications:3} {line}", flush=True)


if __name__ == "__main__":
    main()
