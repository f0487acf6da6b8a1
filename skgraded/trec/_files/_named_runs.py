"""Several runs at once: what stands for them, what they are called, in how many threads."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skgraded.rankings._checks import check_threads
from skgraded.trec._files._runs import Run
from skgraded.trec._files._sources import is_source

__all__ = ["named_runs", "threads_of", "unique_names"]


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """List what users pass for runs, each with its name if it was given one.

    Parameters
    ----------
    runs : run, iterable of runs, or mapping of names to them
        A run is anything that `read_run` reads: a dict of dicts is one run, and so is an iterable
        of records.

    Returns
    -------
    list of (str or None, object)
        Names and runs.

    Raises
    ------
    ValueError
        If there is none.
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
    if isinstance(runs, Run) or is_source(runs) or hasattr(runs, "columns"):
        return True
    if isinstance(runs, Mapping):
        return _is_nested(runs)
    return hasattr(runs, "scoreddocs_iter") or not isinstance(runs, Iterable)


def _is_nested(runs: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one run, topic by topic, and not runs by name."""
    documents = next(iter(runs.values()), None)
    return isinstance(documents, Mapping) and not any(
        isinstance(each, Mapping) for each in documents.values()
    )


def _is_record(each: Any) -> bool:
    is_frame = hasattr(each, "columns")
    return not is_frame and (hasattr(each, "query_id") or hasattr(each, "qid"))


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of the systems; those that several have get a number."""
    times, seen = Counter(names), Counter[str]()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}#{seen[name]}" if times[name] > 1 else name)
    return tuple(unique)


def threads_of(n_threads: int | None) -> int:
    """Return a number of threads, None being as many as this process may use processors."""
    if n_threads is not None:
        return check_threads(n_threads)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
