"""Exchange between the workers of one training: each brings a part and gets the parts of all."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

from distributed import Client, SchedulerPlugin, get_worker
from distributed.utils import sync

from skgraded.exceptions import WorkerLostError

_HANDLER = "skgraded_share"
_MOST_TRAININGS = 1000
_MARGIN = 10.0  # seconds beyond the timeout, for the messages to the scheduler and back


def open_exchange(client: Client) -> None:
    """Set up the exchange on the scheduler, unless it is there.

    Parameters
    ----------
    client : distributed.Client
        The client.
    """
    client.register_plugin(_Exchange())


class _Round:
    """Parts of one round, by worker."""

    def __init__(self) -> None:
        self.parts: dict[str, bytes] = {}
        self.is_over = asyncio.Event()
        self.lost: str | None = None
        self.n_left = 0


class _Exchange(SchedulerPlugin):  # type: ignore[misc]
    """Rounds in which all workers of a training share their parts.

    A part is kept as long as the call that brought it waits, so that a training that failed leaves
    nothing behind.
    """

    name = "skgraded-exchange"
    idempotent = True

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, int], _Round] = {}
        self._peers: dict[str, frozenset[str]] = {}

    async def start(self, scheduler: Any) -> None:
        scheduler.handlers[_HANDLER] = self.share

    async def share(
        self, *, training: str, number: int, who: str, part: bytes, n_workers: int, timeout: float
    ) -> dict[str, Any]:
        """Bring a part, wait for those of all others and take them."""
        key = training, number
        current = self._rounds.setdefault(key, _Round())
        current.parts[who] = part
        if len(current.parts) == n_workers:
            self._peers[training] = frozenset(current.parts)
            if len(self._peers) > _MOST_TRAININGS:  # nothing tells that a training is over
                del self._peers[next(iter(self._peers))]
            current.is_over.set()
        try:
            await asyncio.wait_for(current.is_over.wait(), timeout)
        except TimeoutError:
            pass
        finally:
            current.n_left += 1
            if current.n_left == len(current.parts):
                self._rounds.pop(key, None)
        return {"parts": current.parts, "lost": current.lost}

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
        """End the rounds that wait for a worker that has left the cluster."""
        for (training, _number), current in self._rounds.items():
            if worker in self._peers.get(training, ()) and worker not in current.parts:
                current.lost = worker
                current.is_over.set()


def _this_worker() -> Any:
    try:
        return get_worker()
    except ValueError as error:
        raise ValueError(
            "global_evaluation works on Dask workers alone, as in DaskLGBMRanker.fit, got a "
            "training outside of them: use skgraded.lightgbm.eval_metric."
        ) from error


class Meeting:
    """One worker's side of the exchange.

    Parameters
    ----------
    params : dict
        LightGBM's parameters, as ``DaskLGBMRanker`` sets them on each worker.
    timeout : float
        Seconds to wait for the other workers.
    """

    def __init__(self, params: dict[str, Any], timeout: float) -> None:
        self._worker = _this_worker()
        self.who: str = self._worker.address
        self._n_workers = int(params.get("num_machines", 1))
        # LightGBM draws ports for each training, which therefore identify it.
        self._training = str(params.get("machines", self.who))
        self._timeout = timeout

    def share(self, number: int, part: Any) -> dict[str, Any]:
        """Bring a part to a round, and take those of all workers.

        Parameters
        ----------
        number : int
            Number of the round in the training.
        part : object
            The part of this worker.

        Returns
        -------
        dict of str to object
            Part of each worker, by address.

        Raises
        ------
        WorkerLostError
            If a worker is gone or late.
        """
        if self._n_workers == 1:
            return {self.who: part}
        answer = self._ask(
            training=self._training,
            number=number,
            who=self.who,
            part=pickle.dumps(part),
            n_workers=self._n_workers,
            timeout=self._timeout,
        )
        self._require_all(answer, number)
        return {who: pickle.loads(each) for who, each in answer["parts"].items()}

    def _ask(self, **message: Any) -> dict[str, Any]:
        call = getattr(self._worker.scheduler, _HANDLER)
        try:
            wait = self._timeout + _MARGIN
            answer: dict[str, Any] = sync(self._worker.loop, call, **message, callback_timeout=wait)
        except (OSError, TimeoutError) as error:
            raise WorkerLostError(
                "The scheduler, which passes the workers' values on after each iteration, does not "
                "answer."
            ) from error
        return answer

    def _require_all(self, answer: dict[str, Any], number: int) -> None:
        if answer["lost"]:
            raise WorkerLostError(
                f"Worker {answer['lost']} left the cluster before it had evaluated iteration "
                f"{number}: its rows are missing. Fit again."
            )
        n_missing = self._n_workers - len(answer["parts"])
        if n_missing:
            raise WorkerLostError(
                f"{n_missing} of {self._n_workers} workers did not send their evaluation of "
                f"iteration {number} within {self._timeout:g} s. If they are only slow, pass a "
                "longer timeout to global_evaluation."
            )
