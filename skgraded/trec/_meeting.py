"""Whether the documents of a run are those of the qrels: ids that do not meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from skgraded._guards import warn_once
from skgraded._support.array_types import BoolArray, IntArray
from skgraded._support.text import first_few
from skgraded.exceptions import QueryIdsWarning
from skgraded.trec._extents import indptr_of, starts_by_row
from skgraded.trec._qrels_and_runs import Qrels, Run

_FIRST = 10  # ranks at which runs are mostly judged
_FEWEST = 0.02  # share of the judged documents that could stand there
# So many judged documents could have been retrieved before a run without any is no chance: a
# collection may have one judged document a topic, which a list misses.
_ENOUGH_TO_REFUSE = 10
_ENOUGH_TO_WARN = 50
_EXAMPLES = 3
_TELLING = 4  # characters; shorter ids may be alike by chance
_LOOKED_AT = 10_000  # ids of either side that are compared


def doubt_of(
    qrels: Qrels,
    run: Run,
    is_judged: BoolArray,
    order: NDArray[np.int32],
    indptr: IntArray,
) -> str:
    """Say what is doubtful about the documents of a run; raise where they cannot be right.

    Parameters
    ----------
    qrels : Qrels
        The judgments.
    run : Run
        The run.
    is_judged : ndarray of shape (n_documents,), bool
        Whether the qrels have each retrieved document, by topic of the qrels.
    order : ndarray of shape (n_documents,)
        The ranking, as in `Rankings`.
    indptr : ndarray of shape (n_topics + 1,), int64
        Extents of the topics of the qrels among the retrieved documents.

    Returns
    -------
    str
        The warning; empty where there is none.

    Raises
    ------
    ValueError
        If no retrieved document of any topic is judged, and that is no chance.
    """
    n_judged = np.count_nonzero(is_judged)
    if n_judged > _FEWEST * len(is_judged):  # as mostly, whatever the ranks
        return ""

    n_retrieved = np.diff(indptr)
    n_known = np.diff(qrels.indptr)
    if n_judged == 0:
        guess = _guess(qrels, run)
        n_possible = int(np.minimum(n_retrieved, n_known).sum())
        if guess or n_possible >= _ENOUGH_TO_REFUSE:
            raise ValueError(
                f"{run.name} and {qrels.name} must have documents in common, got none in any "
                f"topic: {_examples(qrels, run)}.{guess}"
            )
        return ""

    # How many of the first documents are judged, and how many could be.
    n_first = np.minimum(n_retrieved, _FIRST)
    n_possible = int(np.minimum(n_first, n_known).sum())
    first_indptr = indptr_of(n_first)
    rank = np.arange(first_indptr[-1]) - starts_by_row(first_indptr)
    start = np.repeat(indptr[:-1], n_first)
    n_found = np.count_nonzero(is_judged[start + order[start + rank]])
    if n_possible < _ENOUGH_TO_WARN or n_found >= _FEWEST * n_possible:
        return ""
    return (
        f"{run.name} and {qrels.name} hardly have documents in common: {n_found} of the first "
        f"{_FIRST} of each topic are judged, of {n_possible} that could be, so that values say "
        f"little. Are the ids those of another collection? {_examples(qrels, run)}."
    )


def warn_of_doubt(doubts: Iterable[str]) -> None:
    """Warn of what `doubt_of` has said about runs, once."""
    doubtful = [doubt for doubt in doubts if doubt]
    if doubtful:
        n_more = len(doubtful) - 1
        others = f" So it is with {n_more} more of the runs." if n_more else ""
        warn_once(doubtful[0] + others, QueryIdsWarning)


def _examples(qrels: Qrels, run: Run) -> str:
    ids_in_run = first_few([repr(name) for name in islice(run.documents, _EXAMPLES)])
    ids_in_qrels = first_few(
        [repr(name) for name in islice(qrels.documents, _EXAMPLES)]
    )
    return f"{ids_in_run} in the run and {ids_in_qrels} in the qrels"


def _guess(qrels: Qrels, run: Run) -> str:
    """Guess why no id of a run is in the qrels; empty where none of the guesses fits."""
    ids_in_qrels = set(islice(qrels.documents, _LOOKED_AT))
    ids_in_run = set(islice(run.documents, _LOOKED_AT))
    if ids_in_run & ids_in_qrels:  # of other topics
        return ""
    ids_in_run = {name for name in ids_in_run if len(name) >= _TELLING}
    ids_in_qrels = {name for name in ids_in_qrels if len(name) >= _TELLING}
    for reason, simplify in _GUESSES.items():
        simple_in_qrels = set(map(simplify, ids_in_qrels))
        if any(simplify(name) in simple_in_qrels for name in ids_in_run):
            return f" {reason}"
    return ""


_GUESSES: Mapping[str, Callable[[str], str]] = {
    "Leading zeros look lost: read the ids as text, as in pd.read_csv(..., dtype=str).": (
        lambda name: name.lstrip("0") if name.isdecimal() else name
    ),
    "The ids look like floats on one side, such as 7.0: read them as text.": (
        lambda name: name.removesuffix(".0")
    ),
    "The ids differ in capitals or spaces.": lambda name: name.strip().lower(),
}
