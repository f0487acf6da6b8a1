"""Judgments, runs and differences, made up; what a call warns of, and what a process imports."""

import subprocess
import sys
import warnings

import numpy as np

from skgraded.exceptions import SkgradedWarning


def collection(n_topics, n_documents, n_runs, seed=0):
    """Grades 0 to 2 by topic and document, and scores of better and better runs."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"t{topic}": {
            f"d{n}": int(rng.choice(3, p=[0.6, 0.3, 0.1])) for n in range(n_documents)
        }
        for topic in range(n_topics)
    }
    runs = {
        f"run{number}": {
            topic: {
                document: grade * number / 3 + rng.normal()
                for document, grade in row.items()
            }
            for topic, row in qrels.items()
        }
        for number in range(n_runs)
    }
    return qrels, runs


def rarely_lost(rng, shape):
    """A few queries lose much, others win a little."""
    u = rng.random(shape)
    won = np.where(u < 0.38, 0.15 * rng.beta(1, 3, shape), 0.0)
    return np.where(u < 0.08, -rng.beta(1, 2, shape), won)


def warnings_of(use):
    """Kinds of our warnings that a call causes, every single one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        use()
    return [
        each.category for each in caught if issubclass(each.category, SkgradedWarning)
    ]


def write_qrels(nested, path):
    """Write grades by topic and document as TREC's lines."""
    lines = (
        f"{t} 0 {d} {grade:.17g}\n"
        for t, row in nested.items()
        for d, grade in row.items()
    )
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.writelines(lines)


def modules_after(statement):
    """Names of the modules that a fresh process holds after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())
