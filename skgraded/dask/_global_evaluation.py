"""Evaluation over all workers while LightGBM trains under Dask."""

from __future__ import annotations

import asyncio
import math
import pickle
import time
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from typing import Any, NamedTuple

import lightgbm
from distributed import Client, SchedulerPlugin, default_client, get_worker
from distributed.utils import sync

from skgraded._boosting import ChosenMeasure, NamedMeasures, as_argument, parse_named
from skgraded._engines.scan import require_version, version_here
from skgraded._support.arguments import ArgumentError, number, threads
from skgraded._support.array_types import FloatArray
from skgraded._support.keywords import suggests_keywords
from skgraded.exceptions import WorkerLostError
from skgraded.measures import (
    Measure,
    evaluate,
    resolve_all,
    warn_if_grades_are_inferred,
)
from skgraded.rankings import Judgments
from skgraded.results import Means

# LightGBM's callbacks that print, record and stop come later, and see the values of all workers.
_ORDER = 5
_HANDLER = "skgraded_share"
_LOOK_EVERY = 0.5  # seconds, for workers that have left the cluster
_MARGIN = 10.0  # seconds beyond the timeout, for the messages to the scheduler and back


@suggests_keywords
def global_evaluation(
    *measures: ChosenMeasure,
    client: Client | None = None,
    timeout: float = 60.0,
    n_threads: int | None = None,
) -> GlobalEvaluation:
    """Evaluate on the rows of all workers while ``DaskLGBMRanker`` trains.

    ``DaskLGBMRanker`` evaluates on each worker's own rows. The values differ, workers that stop
    early by them stop at different iterations, and the training breaks down with a socket error.
    With this callback every worker has the same values in every iteration: the means over the
    queries of all workers, equal to the last bit to those of one machine. LightGBM's own callbacks,
    such as ``early_stopping`` and ``log_evaluation``, then work as on one machine. Workers have
    copies of them: the history is in the model's ``evals_result_``, and the dict given to
    ``record_evaluation`` stays empty.

    Parameters
    ----------
    *measures : str, Measure, or mapping of str to them
        The measures, in the order in which LightGBM sees them; the keys of a mapping are the names
        under which they are reported.
    client : distributed.Client, optional
        The client; by default the current one.
    timeout : float, default=60.0
        Seconds that workers wait for each other's evaluation of an iteration. A worker that has
        left the cluster is noticed earlier.
    n_threads : int, optional
        Threads for sorting and scoring on each worker. None is one, -1 all its processors.

    Returns
    -------
    callback
        For ``fit(..., callbacks=[...])``.

    Raises
    ------
    ValueError
        If no measure is given or there is no client. In training: if LightGBM also has metrics of
        its own, there is no evaluation set, or a mean is undefined.
    WorkerLostError
        In training: if a worker is gone or late.

    Warns
    -----
    GradeScaleWarning
        If a measure has g by name but no ``max_grade``.

    See Also
    --------
    skgraded.lightgbm.eval_metric : The same on one machine.

    Notes
    -----
    Each query of an evaluation set must be in one partition, as LightGBM itself requires. Workers
    meet once after the first iteration, to agree on the scale of grades, and once in every
    iteration, when each sends about 300 bytes for each measure and evaluation set.
    A worker that is lost before that, while LightGBM sets up its network, is not noticed, and the
    fit waits forever: interrupt it, and call ``client.restart(wait_for_workers=False)``.
    Several evaluation sets need ``eval_names``, because LightGBM numbers the sets anew on a worker
    that has no rows of one of them.

    Examples
    --------
    >>> from lightgbm import DaskLGBMRanker, early_stopping
    >>> from skgraded.dask import global_evaluation
    >>> def fit(X, y, group, X_valid, y_valid, group_valid):
    ...     return DaskLGBMRanker(n_estimators=1000, metric="None").fit(
    ...         X, y, group=group,
    ...         eval_X=X_valid, eval_y=y_valid, eval_group=[group_valid],
    ...         callbacks=[
    ...             global_evaluation("xGAP(g=[0.1,0.9])@10", "nDCG@10"),
    ...             early_stopping(50, first_metric_only=True),
    ...         ],
    ...     )
    """
    timeout = number("timeout", timeout, above=0)
    by_name = parse_named(measures, "global_evaluation")
    warn_if_grades_are_inferred(
        [measure for _, measure in by_name], "global_evaluation"
    )
    # -1 counts the processors of each worker, not of this machine.
    threads(n_threads)

    if client is None:
        client = default_client()
    client.register_plugin(_Exchange())
    return GlobalEvaluation(by_name, timeout, n_threads)


class _Failure(NamedTuple):
    """An error of one worker, raised on all: if one stops alone, the others wait for it."""

    kind: str
    message: str

    def as_error(self, worker: str) -> Exception:
        """Return the error, which names the worker; it is of a kind that all workers know."""
        if self.kind == ValueError.__name__:
            return ValueError(f"{self.message} (on worker {worker})")
        return RuntimeError(f"{self.kind}: {self.message} (on worker {worker})")


class GlobalEvaluation:
    """Callback of LightGBM, made by `global_evaluation`.

    Parameters
    ----------
    named : tuple of (str, Measure)
        The measures with their names.
    timeout : float
        Seconds that workers wait for each other.
    n_threads : int or None
        Threads for sorting and scoring on each worker.
    version : str, optional
        The version of skgraded that made the callback; workers with another one refuse it.

    Examples
    --------
    >>> from skgraded import measure
    >>> from skgraded.dask import GlobalEvaluation
    >>> GlobalEvaluation((("AP", measure("AP")),), timeout=60.0, n_threads=1)
    global_evaluation('AP')
    """

    def __init__(
        self,
        named: NamedMeasures,
        timeout: float,
        n_threads: int | None,
        version: str | None = None,
    ) -> None:
        self.named = named
        self.timeout = timeout
        self.n_threads = n_threads
        self.version = version_here() if version is None else version
        self.order = _ORDER
        self.before_iteration = False
        # By the address of the worker: workers may share a process.
        self._here: dict[str, tuple[_Meeting, _SetsByName]] = {}

    def __reduce__(self) -> Any:
        arguments = (self.named, self.timeout, self.n_threads, self.version)
        return GlobalEvaluation, arguments

    def __repr__(self) -> str:
        arguments = [as_argument(name, measure) for name, measure in self.named]
        return f"global_evaluation({', '.join(arguments)})"

    def __call__(self, env: Any) -> None:
        """Evaluate after an iteration; LightGBM's later callbacks see the values.

        Parameters
        ----------
        env : lightgbm.callback.CallbackEnv
            The model in training, and the list that the values are put into.
        """
        try:
            env.evaluation_result_list.extend(self._values_over_all(env))
        except Exception:
            # LightGBM leaves its network open after an error; the next training would wait for it.
            env.model.free_network()
            raise

    def _values_over_all(self, env: Any) -> list[Any]:
        """Return the values on the rows of all workers, in LightGBM's form."""
        worker = _this_worker()
        if env.iteration == env.begin_iteration:
            meeting = _Meeting(worker, env.params, self.timeout)
            sets = self._agree_on_sets(env, meeting)
            self._here[worker.address] = (meeting, sets)

        meeting, sets = self._here[worker.address]
        means_by_worker = meeting.share(
            env.iteration + 1, lambda: self._local_means(env, sets)
        )
        return self._global_values(means_by_worker)

    def _agree_on_sets(self, env: Any, meeting: _Meeting) -> _SetsByName:
        """Judge the local rows by measures whose scale ends at the highest grade of all workers."""
        local_judgments: dict[str, Judgments] = {}

        def judge_local_sets() -> dict[str, float]:
            require_version(self.version)
            if env.evaluation_result_list:
                raise ValueError(_refusal_of_metrics(env.evaluation_result_list))

            model = env.model
            sets = zip(model.name_valid_sets, model.valid_sets, strict=True)
            for name, data_set in sets:
                local_judgments[name] = _judgments_of(data_set)
            return {name: local.top_grade for name, local in local_judgments.items()}

        tops_by_worker = meeting.share(0, judge_local_sets)
        _require_names(tops_by_worker)

        sets = {}
        for name, judgments in local_judgments.items():
            top = max(tops[name] for tops in tops_by_worker.values() if name in tops)
            measures = resolve_all(dict(self.named), top, are_fractional=False)
            sets[name] = _JudgedSet(judgments, measures)
        return sets

    def _local_means(self, env: Any, sets: _SetsByName) -> _MeansByName:
        """Score the rows of this worker, with the predictions that LightGBM has of them."""
        names = iter(sets)
        means_by_set = {}

        def score(y_score: FloatArray, _: Any) -> list[Any]:
            name = next(names)
            judgments, measures = sets[name]
            rankings = judgments.rank(y_score, threads(self.n_threads))
            scores = evaluate(measures, rankings)
            means_by_set[name] = Means.of(scores, judgments.n_documents)
            return []

        env.model.eval_valid(score)
        return means_by_set

    def _global_values(self, means_by_worker: dict[str, _MeansByName]) -> list[Any]:
        """Add up the means of the workers, set by set."""
        means_by_set: dict[str, list[Means]] = {}
        for worker in sorted(means_by_worker):
            for set_name, means in means_by_worker[worker].items():
                means_by_set.setdefault(set_name, []).append(means)

        values = []
        for set_name, means_of_set in means_by_set.items():
            means = reduce(Means.joined, means_of_set)
            for (name, measure), sums in zip(self.named, means.sums, strict=True):
                _require_mean(measure, sums.mean, set_name, means.n_queries)
                values.append(
                    _result(set_name, name, sums.mean, measure.greater_is_better)
                )
        return values


class _JudgedSet(NamedTuple):
    """A worker's rows of an evaluation set, and the measures of it."""

    judgments: Judgments
    measures: dict[str, Measure]


# By the names of the evaluation sets.
_SetsByName = dict[str, _JudgedSet]
_MeansByName = dict[str, Means]


def _judgments_of(data_set: Any) -> Judgments:
    """Read the labels of an evaluation set of LightGBM's."""
    group = data_set.get_group()
    if group is None:
        raise ValueError(
            "The query sizes of an evaluation set are missing: pass eval_group=[...]."
        )
    return Judgments.from_groups(data_set.get_label(), group, data_set.get_weight())


def _refusal_of_metrics(results: list[Any]) -> str:
    """Say why LightGBM must have no metrics beside ours, given the results of such metrics."""
    names = dict.fromkeys(str(result[1]) for result in results)
    return (
        f"LightGBM evaluates {', '.join(names)} on each worker's own rows, so that workers would "
        'stop early at different iterations: pass metric="None" to DaskLGBMRanker and no '
        "eval_metric to fit; global_evaluation takes the measures."
    )


def _require_names(tops_by_worker: dict[str, dict[str, float]]) -> None:
    """Raise if there is no evaluation set, or its name may differ between workers."""
    names_of_workers = {tuple(tops) for tops in tops_by_worker.values()}
    names = max(names_of_workers, key=len)
    if not names:
        raise ValueError(
            "global_evaluation needs an evaluation set: pass eval_X, eval_y, eval_group."
        )

    workers_differ = len(names_of_workers) > 1
    are_numbered = any(name.startswith("valid_") for name in names)
    if len(names) > 1 and workers_differ and are_numbered:
        raise ValueError(
            "A worker has no rows of one of the evaluation sets, and LightGBM numbers them anew "
            "there: pass eval_names=[...] to fit, or partitions of every set to each worker."
        )


def _require_mean(measure: Measure, mean: float, set_name: str, n_queries: int) -> None:
    """Raise if a mean is undefined: NaN would stop LightGBM's training early, without a message."""
    if math.isnan(mean):
        raise ValueError(
            f"{measure} has no value on {set_name}: none of its {n_queries} queries has anything "
            "relevant and a positive weight. Evaluate on queries with relevant documents, or set "
            "empty=0.0 in the measure."
        )


def _result(*values: Any) -> Any:
    """Return an entry of LightGBM's ``evaluation_result_list``."""
    # LightGBM 4.7 has a named tuple in place of a plain one.
    return getattr(lightgbm, "EvalResult", lambda *fields: fields)(*values)


class _Round:
    """Parts of one round, by worker."""

    def __init__(self) -> None:
        self.parts: dict[str, bytes] = {}
        self.is_full = asyncio.Event()


class _Exchange(SchedulerPlugin):  # type: ignore[misc]
    """Rounds in which all workers of a training share their parts.

    A round is kept as long as a call waits in it, so that a training that failed leaves nothing
    behind.
    """

    name = "skgraded-exchange"
    idempotent = True

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, int], _Round] = {}
        self._scheduler: Any = None

    async def start(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        scheduler.handlers[_HANDLER] = self.share

    async def share(
        self,
        *,
        training: str,
        number: int,
        who: str,
        part: bytes,
        n_workers: int,
        peers: list[str],
        timeout: float,
    ) -> dict[str, Any]:
        """Bring a part, wait for those of all others, and take them."""
        key = (training, number)
        current = self._rounds.setdefault(key, _Round())
        current.parts[who] = part
        if len(current.parts) == n_workers:
            current.is_full.set()

        end = time.monotonic() + timeout
        lost_worker = None
        try:
            while time.monotonic() < end:
                if current.is_full.is_set() or lost_worker is not None:
                    break
                with suppress(TimeoutError):
                    await asyncio.wait_for(
                        current.is_full.wait(), min(_LOOK_EVERY, timeout)
                    )
                lost_worker = self._find_lost(peers, current)
        finally:
            self._rounds.pop(key, None)
        return {"parts": current.parts, "lost": lost_worker}

    def _find_lost(self, peers: list[str], current: _Round) -> str | None:
        """Return a worker that has left the cluster before it brought its part, if there is one."""
        for worker in peers:
            if worker not in current.parts and worker not in self._scheduler.workers:
                return worker
        return None


def _this_worker() -> Any:
    """Return the worker of Dask that runs this code."""
    try:
        return get_worker()
    except ValueError as error:
        raise ValueError(
            "global_evaluation works on Dask workers alone, as in DaskLGBMRanker.fit, got a "
            "training outside of them: use skgraded.lightgbm.eval_metric."
        ) from error


class _Meeting:
    """One worker's side of the exchange.

    Parameters
    ----------
    worker : distributed.Worker
        The worker.
    params : dict
        LightGBM's parameters, as ``DaskLGBMRanker`` sets them on each worker.
    timeout : float
        Seconds to wait for the other workers.
    """

    def __init__(self, worker: Any, params: dict[str, Any], timeout: float) -> None:
        self._worker = worker
        self._n_workers = int(params.get("num_machines", 1))
        # LightGBM draws ports for each training, which therefore identify it.
        self._training = str(params.get("machines", worker.address))
        self._timeout = timeout

        # The addresses of all workers, which the first round tells.
        self._peers: list[str] = []

    def share(self, number: int, compute: Callable[[], Any]) -> dict[str, Any]:
        """Share the result of a computation, or raise on all workers the error of one of them.

        Parameters
        ----------
        number : int
            Number of the round in the training.
        compute : callable
            Returns the part of this worker.

        Returns
        -------
        dict of str to object
            Part of each worker, by address.

        Raises
        ------
        WorkerLostError
            If a worker is gone or late.
        """
        try:
            part = compute()
        except Exception as error:
            kind = ValueError if isinstance(error, ArgumentError) else type(error)
            part = _Failure(kind.__name__, str(error))

        parts = {self._worker.address: part}
        if self._n_workers > 1:
            parts = self._exchange(number, part)

        for worker in sorted(parts):
            failure = parts[worker]
            if isinstance(failure, _Failure):
                raise failure.as_error(worker)
        return parts

    def _exchange(self, number: int, part: Any) -> dict[str, Any]:
        """Send the part of this worker; return those of all workers, by address."""
        answer = self._ask(
            training=self._training,
            number=number,
            who=self._worker.address,
            part=pickle.dumps(part),
            n_workers=self._n_workers,
            peers=self._peers,
            timeout=self._timeout,
        )
        self._require_all_parts(answer, number)
        self._peers = list(answer["parts"])
        return {
            worker: pickle.loads(message) for worker, message in answer["parts"].items()
        }

    def _ask(self, **message: Any) -> dict[str, Any]:
        """Call `_Exchange.share` on the scheduler."""
        share = getattr(self._worker.scheduler, _HANDLER)
        try:
            answer: dict[str, Any] = sync(
                self._worker.loop,
                share,
                **message,
                callback_timeout=self._timeout + _MARGIN,
            )
        except (OSError, TimeoutError) as error:
            raise WorkerLostError(
                "The scheduler, which passes the workers' values on after each iteration, does not "
                "answer."
            ) from error
        return answer

    def _require_all_parts(self, answer: dict[str, Any], number: int) -> None:
        """Raise if a worker has not brought its part of a round."""
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
