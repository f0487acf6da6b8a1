"""Judgments and runs, made up and as files, and the warnings of a call."""

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
