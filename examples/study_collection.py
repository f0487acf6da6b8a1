"""The test collection of the study_*.py examples: small synthetic data, or real runs.

All study_*.py take the same options:

    python examples/study_correlation.py                          synthetic, takes seconds
    python examples/study_correlation.py --full                   TREC-COVID round 1, 143 runs
    python examples/study_correlation.py --qrels Q --runs R...     your own runs
    ... --plots FOLDER                                            save plots in the folder

``--full`` looks for the folder trec-covid-round1 in $SKGRADED_DATA.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import numpy as np

from skgraded import trec


def made_up(
    n_topics: int = 16, n_systems: int = 14
) -> tuple[trec.Qrels, dict[str, trec.Run]]:
    """Make systems of random quality, and topics with few highly relevant documents."""
    rng = np.random.default_rng(0)
    qrels: dict[str, dict[str, int]] = {}
    for topic in range(n_topics):
        top = 0.02 if topic % 2 else 0.1
        grades = rng.choice(3, size=120, p=[0.8 - top, 0.2, top])
        qrels[f"t{topic}"] = {
            f"d{number}": int(grade) for number, grade in enumerate(grades)
        }
        qrels[f"t{topic}"]["d0"] = 2
    runs = {}
    for system in range(n_systems):
        # Some systems find relevant documents, others only the highly relevant ones.
        lenient, strict = rng.uniform(0.2, 1.6, size=2)
        scores = {
            topic: {
                document: lenient * (grade > 0) + strict * (grade > 1) + rng.normal()
                for document, grade in judged.items()
            }
            for topic, judged in qrels.items()
        }
        runs[f"system {system}"] = trec.read_run(scores)
    return trec.read_qrels(qrels), runs


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return the parser of the options that all examples take."""
    words = argparse.ArgumentParser(description=description)
    words.add_argument(
        "--full", action="store_true", help="TREC-COVID round 1, 143 runs"
    )
    words.add_argument("--qrels", type=Path, help="your judgments")
    words.add_argument("--runs", type=Path, nargs="+", help="your runs")
    words.add_argument("--plots", type=Path, help="folder for the plots")
    return words


def collection(arguments: argparse.Namespace):
    """Return qrels and runs."""
    if arguments.qrels is not None:
        return trec.read_qrels(arguments.qrels), arguments.runs
    if not arguments.full:
        return made_up()
    folder = (
        Path(os.environ.get("SKGRADED_DATA", "../shared/data")) / "trec-covid-round1"
    )
    if not folder.is_dir():
        sys.exit(
            f"--full needs $SKGRADED_DATA/trec-covid-round1, but {folder} does not exist."
        )
    qrels = trec.read_qrels(folder / "qrels.covid-round1.txt")
    return qrels, sorted((folder / "runs").iterdir())


def save(ax, arguments: argparse.Namespace, name: str) -> None:
    """Save a plot if --plots is given."""
    if arguments.plots is None:
        return
    arguments.plots.mkdir(parents=True, exist_ok=True)
    ax.figure.savefig(arguments.plots / f"{name}.png", dpi=110)
    print(f"Saved {arguments.plots / name}.png")
