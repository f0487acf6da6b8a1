"""Measure how often each interval, p-value and decision of the library errs, and how wide it is.

Every row is a simulation in which the truth is known. Texts are in the page, and its tables here:

    python benchmarks/calibration.py [--quick] [--samples N] [--only WORD] [--page PAGE]

Tables are printed, and replaced in a page that is given, docs/calibration_tables.md. Real sets are
in SKGRADED_DATA.
"""

import argparse
import time
from pathlib import Path

from _calibration_of_g import BAND_QUERIES, band_rows, g_rows
from _calibration_of_judges_and_repeats import (
    REPEATS,
    component_rows,
    judge_rows,
    leak_rows,
)
from _calibration_of_pairs import (
    EXPECTED,
    LOOKS,
    N_CLUSTERS,
    QUERIES,
    QUERIES_WITH_WEIGHTS,
    between_rows,
    cluster_rows,
    distance_from_compare,
    edge_rows,
    interval_rows,
    look_rows,
    method_rows,
    plan_rows,
    weight_rows,
)
from _calibration_of_systems import (
    QUERIES_OF_CANDIDATES,
    SYSTEMS,
    TOPICS,
    candidate_rows,
    family_rows,
    found_rows,
)

# Title of a section: the head of its table, and the rows from the number of samples.
SECTIONS = {
    "Intervals of one pair: methods": (["method", *QUERIES], method_rows),
    "Intervals of one pair: worst=1": (
        ["differences", *QUERIES],
        lambda n: interval_rows(n, "worst=1"),
    ),
    "Intervals of one pair: by default": (
        ["differences", *QUERIES],
        lambda n: interval_rows(n, "default"),
    ),
    "A margin, and rare catastrophes": (["differences", *QUERIES], edge_rows),
    "A margin between the sizes": (
        ["rate", *(f"n x rate = {number:g}" for number in EXPECTED)],
        between_rows,
    ),
    "Plans": (
        [
            "differences",
            *(
                f"worst={worst}: {what}"
                for worst in ("1", "0.5")
                for what in ("queries", "decides", "t")
            ),
        ],
        lambda n: plan_rows(n // 2),
    ),
    "Many candidates": (
        ["candidates", *(f"{n} queries" for n in QUERIES_OF_CANDIDATES)],
        lambda n: candidate_rows(n // 8),
    ),
    "Many systems: errors": (
        ["measure", "systems", *(f"{n} queries" for n in TOPICS)],
        lambda n: family_rows(max(n // 80, 1)),
    ),
    "Many systems: what is found": (
        ["measure", *(f"{n} runs" for n in SYSTEMS)],
        lambda n: found_rows(),
    ),
    "Looks": (
        ["differences", *(f"{len(numbers)} looks" for numbers in LOOKS)],
        look_rows,
    ),
    "Weights": (
        ["weights; differences", *(f"{n} queries" for n in QUERIES_WITH_WEIGHTS)],
        lambda n: weight_rows(n // 2),
    ),
    "Clusters": (
        ["sizes; differences", *(f"{n} clusters" for n in N_CLUSTERS)],
        lambda n: cluster_rows(n // 2),
    ),
    "Few human labels, a judge's of many": (
        [
            "differences, judge",
            *(f"{n}, {of} these" for n in (15, 30, 100) for of in ("like", "of")),
        ],
        lambda n: judge_rows(n // 2),
    ),
    "A judge that saw human labels": (
        ["human", "none", "in 5 folds", "half", "all"],
        lambda n: leak_rows(n // 2),
    ),
    "Repeated cross-validations": (
        ["components", *(f"{n} repeats" if n > 1 else "1 repeat" for n in REPEATS)],
        lambda n: component_rows(n // 2),
    ),
    "g from feedback and from a log": (
        ["from", "g_1 to g_4 held", "warned"],
        lambda n: g_rows(n // 20),
    ),
    "For which users: joint bands": (
        ["differences", *(f"{n} queries" for n in BAND_QUERIES)],
        lambda n: band_rows(n // 8),
    ),
}
QUICK = 200


def with_table(page, title, lines):
    """Replace the table in a section of the page."""
    before, mark, rest = page.partition(f"## {title}\n")
    section, *others = rest.split("\n## ", 1)
    old = section.splitlines()
    places = [place for place, line in enumerate(old) if line.startswith("|")]
    section = "\n".join([*old[: places[0]], *lines, *old[places[-1] + 1 :], ""])
    return before + mark + "\n## ".join([section, *others])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK} samples, in a minute"
    )
    parser.add_argument("--only", default="", help="sections whose title contains this")
    parser.add_argument("--page", type=Path, help="the page whose tables are replaced")
    options = parser.parse_args()
    n_samples = QUICK if options.quick else options.samples
    print(
        f"compare of 1,000 systems is {distance_from_compare():.1g} off the columns at most"
    )
    for title, (head, rows) in SECTIONS.items():
        if options.only not in title:
            continue
        start = time.process_time()
        table = [head, ["---"] * len(head), *rows(n_samples)]
        lines = ["| " + " | ".join(map(str, line)) + " |" for line in table]
        print(
            f"\n{title}, {time.process_time() - start:.0f} s",
            *lines,
            sep="\n",
            flush=True,
        )
        if options.page:
            page = with_table(options.page.read_text(encoding="utf-8"), title, lines)
            options.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
