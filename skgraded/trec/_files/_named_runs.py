"""The forms in which users pass several runs, and the names of the runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skgraded.trec._files._columns import has_columns_of, is_table
from skgraded.trec._files._nested import is_one_run_by_topic
from skgraded.trec._files._runs import Run
from skgraded.trec._files._sources import is_source

__all__ = ["named_runs", "unique_names"]

# Attributes of data sets of ir_datasets, streams of Arrow batches and runs of ranx.
_ONE_RUN = ("scoreddocs_iter", "read_all", "to_dict")


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """List the runs that a user passed, with the names that were given to them.

    Parameters
    ----------
    runs : run, iterable of runs, or mapping of names to them
        A run is anything that `read_run` reads. A dict of dicts is one run, and so is an iterable
        of records.

    Returns
    -------
    list of (str or None, object)
        Name of each run, or None, and the run.

    Raises
    ------
    ValueError
        If there is no run.

    Examples
    --------
    >>> from skgraded.trec import named_runs
    >>> named_runs(["runs/bm25.txt", "runs/dense.txt"])
    [(None, 'runs/bm25.txt'), (None, 'runs/dense.txt')]
    >>> [name for name, _ in named_runs({"bm25": "runs/1.txt", "dense": "runs/2.txt"})]
    ['bm25', 'dense']
    """
    if _is_one_run(runs):
        return [(None, runs)]
    if isinstance(runs, Mapping):
        named: list[tuple[str | None, Any]] = [(str(name), run) for name, run in runs.items()]
    else:
        listed = list(runs)
        are_records = bool(listed) and _is_record(listed[0])
        named = [(None, listed)] if are_records else [(None, run) for run in listed]
    if not named:
        raise ValueError("runs must hold at least one run, got none.")
    return named


def _is_one_run(runs: Any) -> bool:
    if isinstance(runs, Mapping):
        return is_one_run_by_topic(runs)
    if isinstance(runs, Run) or is_source(runs) or is_table(runs):
        return True
    return any(hasattr(runs, name) for name in _ONE_RUN) or not isinstance(runs, Iterable)


def _is_record(each: Any) -> bool:
    if isinstance(each, Mapping):
        return has_columns_of(each)
    return not is_table(each) and (hasattr(each, "query_id") or hasattr(each, "qid"))


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the systems; a name that occurs several times is numbered."""
    times, seen = Counter(names), Counter[str]()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}#{seen[name]}" if times[name] > 1 else name)
    return tuple(unique)
