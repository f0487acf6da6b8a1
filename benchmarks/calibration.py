"""Measure how often each interval, p-value and decision of the library errs, and how wide it is.

Every row is a simulation in which the truth is known. Texts are in the page, and its tables here:

    python benchmarks/calibration.py [--samples N] [--only WORD] [--page docs/calibration_tables.md]

Tables are printed, and replaced in the page if it is given. Real sets are in SKGRADED_DATA.
"""

import argparse
import time
from pathlib import Path

from _calibration_of_g import band_rows, g_rows
from _calibration_of_judges_and_repeats import (
    REPEATS,
    component_rows,
    judge_rows,
    leak_rows,
)
from _calibration_of_pairs import (
    QUERIES,
    cluster_rows,
    distance_from_compare,
    one_split_rows,
)
from _calibration_of_systems import SYSTEMS, TOPICS, family_rows, found_rows

# Title of a section: the head of its table, and the rows from the number of samples.
SECTIONS = {
    "One split and a margin": (
        ["differences", *map(str, QUERIES), "p < 0.05", "passes", "fails"],
        one_split_rows,
    ),
    "Many systems: errors": (
        ["measure", "systems", *(f"{each} queries" for each in TOPICS)],
        lambda n: family_rows(n // 20),
    ),
    "Many systems: what is found": (
        ["measure", *(f"{each} runs" for each in SYSTEMS)],
        lambda n: found_rows(),
    ),
    "Clusters": (
        ["clusters", "sizes", "largest", "interval", "p < 0.05"],
        cluster_rows,
    ),
    "Few human labels, a judge's of many": (
        [
            "differences, judge",
            *(f"{n}, {of} these" for n in (15, 30, 100) for of in ("like", "of")),
        ],
        judge_rows,
    ),
    "A judge that saw human labels": (
        ["human", "none", "in 5 folds", "half", "all"],
        leak_rows,
    ),
    "Repeated cross-validations": (
        [
            "components",
            *(f"{each} repeats" if each > 1 else "1 repeat" for each in REPEATS),
        ],
        component_rows,
    ),
    "g from feedback and from a log": (
        ["from", "g_1 to g_4 held", "warned"],
        lambda n: g_rows(n // 10),
    ),
    "For which users: joint bands": (
        ["differences", *(f"{n} queries" for n in QUERIES)],
        lambda n: band_rows(n // 4),
    ),
}


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
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", default="", help="sections whose title contains this")
    parser.add_argument("--page", type=Path, help="the page whose tables are replaced")
    options = parser.parse_args()
    print(
        f"compare of 1,000 systems is {distance_from_compare():.1g} off the columns at most"
    )
    for title, (head, rows) in SECTIONS.items():
        if options.only not in title:
            continue
        start = time.process_time()
        table = [head, ["---"] * len(head), *rows(options.samples)]
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
