"""A training whose worker is lost while LightGBM sets up its network, on real processes."""

import os
import signal
import time

import pytest

pytest.importorskip("distributed", reason="dask is not installed")

import dask
import distributed
import lightgbm as lgb
import numpy as np
from dask import array as da
from test_dask import start

from skgraded import dask as on_dask
from skgraded.datasets import make_ranking
from skgraded.exceptions import WorkerLostError

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:lightgbm"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
]
X, Y, QID = make_ranking(n_queries=40, docs_per_query=20, random_state=0)


class DieBeforeTheNetwork:
    """Callback that kills a worker's process when it arrives there, before LightGBM has begun."""

    order = 99

    def __init__(self, process):
        self.process = process

    def __call__(self, env):
        pass

    def __setstate__(self, state):
        self.__dict__.update(state)
        if os.getpid() == self.process:
            os.kill(os.getpid(), signal.SIGKILL)


def fit(client, callbacks, **params):
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])

    def placed(values):
        blocks = zip(workers, np.split(values, len(workers)), strict=True)
        futures = [
            client.submit(np.copy, block, workers=[worker], allow_other_workers=True, pure=False)
            for worker, block in blocks
        ]
        size = (len(values) // len(workers), *values.shape[1:])
        arrays = [da.from_delayed(dask.delayed(each), size, values.dtype) for each in futures]
        return da.concatenate(arrays)

    ranker = lgb.DaskLGBMRanker(
        client=client, n_estimators=5, num_leaves=4, verbose=-1, time_out=1, **params
    )
    group = np.full(40, 20)
    return ranker.fit(placed(X), placed(Y), group=placed(group), callbacks=callbacks)


@pytest.mark.slow
def test_a_worker_lost_before_the_first_iteration_ends_the_training_in_time():
    with start(2) as cluster, distributed.Client(cluster) as client:
        lost = min(client.scheduler_info()["workers"])
        process = client.run(os.getpid)[lost]
        begin = time.monotonic()
        with (
            pytest.raises(WorkerLostError, match=rf"^Worker {lost} left .* within 3 s"),
            on_dask.watchdog(timeout=3, client=client),
        ):
            fit(client, [DieBeforeTheNetwork(process)])
        assert 3 < time.monotonic() - begin < 40


@pytest.mark.slow
def test_a_training_that_loses_nobody_is_left_alone():
    with start(2) as cluster, distributed.Client(cluster) as client:
        other = client.submit(time.sleep, 60, pure=False)
        with on_dask.watchdog(timeout=0.1, client=client):
            model = fit(client, [])
        assert model.n_estimators_ == 5
        assert other.status == "pending"  # a task from before is not ours to cancel
        with (
            pytest.raises(ZeroDivisionError),
            on_dask.watchdog(timeout=0.1),
        ):
            client.submit(lambda: 1 / 0).result()


def test_a_time_is_needed():
    with (
        pytest.raises(ValueError, match=r"timeout must be .* 0"),
        on_dask.watchdog(timeout=0, client=None),
    ):
        pass
