"""A watchdog for trainings that a lost worker would let hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from distributed import Client, default_client

from skgraded._params import number
from skgraded.exceptions import WorkerLostError

__all__ = ["watchdog"]

_SECONDS_BETWEEN_LOOKS = 0.5
# A task may also wait for another one that was bound to the lost worker.
_NOT_STARTED = {"waiting", "no-worker"}


@contextmanager
def watchdog(*, timeout: float = 30.0, client: Client | None = None) -> Iterator[None]:
    """End a training on Dask that waits for a worker which is gone.

    LightGBM sets up a network between the workers before it trains. A worker that is lost meanwhile
    makes the fit wait forever: Dask waits for the worker, to which LightGBM has bound its task, and
    the other workers wait for its messages. Inside this block the client looks for such tasks twice
    a second, and cancels the training if one is still there `timeout` seconds later.

    Parameters
    ----------
    timeout : float, default=30.0
        Seconds to wait after a task has lost the only workers that it may run on. With a worker
        that comes back under its old address within that time, nothing happens.
    client : distributed.Client, optional
        The client; by default the current one.

    Yields
    ------
    None
        Nothing: the block may do what it likes.

    Raises
    ------
    ValueError
        If there is no client, or `timeout` is not positive.
    WorkerLostError
        At the end of the block, if the training was cancelled.

    See Also
    --------
    global_evaluation : Notices a worker that is lost later, while trees are built.

    Notes
    -----
    It cancels the tasks that this client has submitted since the block began and that are not
    finished. The other workers are then still inside LightGBM, which gives up after ``time_out``
    minutes, 120 by default: pass ``DaskLGBMRanker(time_out=2)``, or call ``client.restart()``
    before the next training.

    Examples
    --------
    >>> from skgraded.dask import watchdog
    >>> def fit(ranker, X, y, group):
    ...     with watchdog(timeout=60):
    ...         return ranker.fit(X, y, group=group)
    """
    seconds = number("timeout", timeout, above=0)
    look = _Lookout(default_client() if client is None else client, seconds)
    thread = threading.Thread(target=look.watch, name="skgraded-watchdog", daemon=True)
    thread.start()
    try:
        yield
    except CancelledError as error:  # also that of Dask, which is derived from it
        if look.lost is None:
            raise
        raise WorkerLostError(look.message) from error
    finally:
        look.is_over.set()
        thread.join()


class _Lookout:
    """The thread that looks for tasks whose workers are gone."""

    def __init__(self, client: Client, seconds: float) -> None:
        self.client = client
        self.seconds = seconds
        self.is_over = threading.Event()
        self.lost: list[str] | None = None
        self._known = set(client.futures)

    @property
    def message(self) -> str:
        return (
            f"Worker {', '.join(self.lost or [])} left during the training, which can only run "
            f"there, and did not come back within {self.seconds:g} s, so that the training was "
            "cancelled. Other workers may still wait for it inside LightGBM: call client.restart() "
            "before the next training."
        )

    def watch(self) -> None:
        """Look until the block is over, or cancel what would hang."""
        since: dict[str, float] = {}
        while not self.is_over.wait(_SECONDS_BETWEEN_LOOKS):
            stranded = self._look()
            now = time.monotonic()
            since = {key: since.get(key, now) for key in stranded}
            late = [key for key, begin in since.items() if now - begin >= self.seconds]
            if late and not self.is_over.is_set():
                self.lost = sorted({worker for key in late for worker in stranded[key]})
                self.client.cancel(self._unfinished(), force=True)
                return

    def _look(self) -> dict[str, list[str]]:
        keys = [each.key for each in self._unfinished()]
        if not keys:
            return {}
        found: dict[str, list[str]] = self.client.run_on_scheduler(_stranded, keys=keys)
        return found

    def _unfinished(self) -> list[Any]:
        from distributed import Future

        states = dict(self.client.futures)
        new = [key for key, state in states.items() if key not in self._known]
        pending = [key for key in new if states[key].status == "pending"]
        return [Future(key, self.client) for key in pending]


def _stranded(dask_scheduler: Any, keys: list[str]) -> dict[str, list[str]]:
    """Tasks that wait for workers which are gone, and the addresses of these."""
    found = {}
    for key in keys:
        task = dask_scheduler.tasks.get(key)
        if task is None or task.state not in _NOT_STARTED:
            continue
        if not task.worker_restrictions or task.loose_restrictions:
            continue
        if not task.worker_restrictions & dask_scheduler.workers.keys():
            found[key] = sorted(task.worker_restrictions)
    return found
