"""Pages of the measures: one for each family, with formula, worked example and picture."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from reference_pages import described, heading, write

from skgraded._support.pictures import Curve, draw_curves, headline, plain
from skgraded.measures import catalogue

# The families in the order of their pages, by module, and their titles.
FAMILIES = {
    "average_precision": "Average precision, GAP, xGAP and eGAP, and blended ratios",
    "ndcg": "Cumulated gain, and what else compares a list with the ideal one",
    "cascade": "Users who stop reading: cascades, reciprocal rank, rank-biased precision",
    "precision_recall": "Precision, recall and their kin",
    "bpref": "Incomplete judgments: bpref, rpref and inferred average precision",
}
N_DOCUMENTS, TOP_GRADE, CUT = 20, 4, 10
ABOUT = (
    "Formula, worked example and picture of every measure. The pictures show the value of a list "
    f"of {N_DOCUMENTS} documents, one of which is relevant, against the rank of that document, "
    f"with the measure's default parameters and grades up to {TOP_GRADE}. Where the value of a "
    f"whole list does not depend on the rank, the list is cut at {CUT}."
)


def write_measure_pages(folder):
    """Write a page and the pictures of each family, and the index of all."""
    folder.mkdir(exist_ok=True)
    for family, title in FAMILIES.items():
        sections = [
            _section(name, kind, folder)
            for name, kind in catalogue().items()
            if kind.__module__.endswith(f".{family}")
        ]
        write(folder / f"{family}.rst", "\n\n".join([heading(title), *sections]) + "\n")
    listed = "\n".join(f"   {family}" for family in FAMILIES)
    index = f"{heading('Measures')}\n\n{ABOUT}\n\n.. toctree::\n   :maxdepth: 2\n\n{listed}\n"
    write(folder / "index.rst", index)


def _section(name, kind, folder):
    picture = folder / f"{name}.svg"
    cut = _draw(name, kind, picture)
    told = f"{name}{cut} against the rank of the one relevant document"
    image = f".. image:: {picture.name}\n   :alt: {told}\n   :width: 600"
    return f"{described(f'skgraded.measures.{name}')}\n\n{image}"


def _draw(name, kind, path):
    """Draw the value against the rank, a curve for each grade; return the cut-off."""
    values, cut = _values(kind)
    ranks = np.arange(1.0, N_DOCUMENTS + 1)
    if np.ptp(values, axis=0).max() == 0:
        curves = [Curve("", ranks, values[0], look=0)]
    else:
        curves = [
            Curve(f"grade {n + 1}", ranks, row, look=n) for n, row in enumerate(values)
        ]
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure = Figure(figsize=(6.0, 2.9), layout="constrained")
        ax = figure.add_subplot()
        draw_curves(ax, curves)
        ax.set_xticks([1, 5, 10, 15, 20])
        ax.set_ylim(
            min(0.0, 1.08 * float(values.min())), max(1.08 * float(values.max()), 0.05)
        )
        ax.set(xlabel="rank of the one relevant document", ylabel=f"{name}{cut}")
        plain(ax)
        top = values[-1]
        said = ", ".join(f"{top[rank - 1]:.3g} at rank {rank}" for rank in (1, 2, 10))
        grade = (
            f"A document of grade {TOP_GRADE}"
            if len(curves) > 1
            else "One relevant document"
        )
        headline(ax, f"{grade} is worth {said}.")
        figure.savefig(path, metadata={"Date": None})
    return cut


def _values(kind):
    """Return the values by grade and rank, and the cut-off that they have, as in ``"@10"``."""
    measure = kind()
    measure = measure.resolve(TOP_GRADE) if measure.is_open else measure
    values = _of_lists(measure)
    if np.ptp(values, axis=1).max() == 0 and "k" not in kind._refuses:
        measure = kind(k=CUT)
        measure = measure.resolve(TOP_GRADE) if measure.is_open else measure
        return _of_lists(measure), f"@{CUT}"
    return values, ""


def _of_lists(measure):
    lists = [
        np.where(np.arange(N_DOCUMENTS) == place, grade, 0)
        for grade in range(1, TOP_GRADE + 1)
        for place in range(N_DOCUMENTS)
    ]
    qid = np.repeat(np.arange(len(lists)), N_DOCUMENTS)
    scores = np.tile(np.linspace(1.0, 0.05, N_DOCUMENTS), len(lists))
    found = measure.per_query(np.concatenate(lists), scores, qid=qid)
    return found.values.reshape(TOP_GRADE, N_DOCUMENTS)
