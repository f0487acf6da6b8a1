"""Evaluation of Dask collections, and early stopping of LightGBM over several workers."""

import inspect
import os
import signal
import time
from contextlib import contextmanager
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from test_chunks import SOME, assert_same, in_memory, make_frame, make_rows

from skgraded import AP, evaluate, make_ranking_scorer
from skgraded.datasets import make_ranking
from skgraded.exceptions import WorkerLostError
from skgraded.results import Means

dask = pytest.importorskip("dask", reason="dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")
pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
lgb = pytest.importorskip("lightgbm")

import skgraded  # noqa: E402
import skgraded.dask as on_dask  # noqa: E402
import skgraded.lightgbm  # noqa: E402

MEASURE = "xGAP(g=[0.1,0.2,0.3,0.4])@10"
# What Dask, its shuffle and LightGBM say about themselves.
pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning:lightgbm"),
    pytest.mark.filterwarnings("ignore::UserWarning:distributed"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def _threads():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


@contextmanager
def workers(n_workers, processes=True):
    """Start workers that listen on loopback only; return a client of theirs.

    They steal no work: an idle worker would now and then take the rows of a busy one, and LightGBM
    would train on that worker alone.
    """
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        distributed.LocalCluster(
            n_workers=n_workers,
            processes=processes,
            threads_per_worker=1,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(n_workers)
        yield client


@pytest.fixture(scope="module")
def client():
    with workers(2) as connected:
        yield connected


@pytest.mark.parametrize("ties", ["expected", "row_order", "pessimistic", "optimistic"])
def test_a_shuffle_keeps_the_order_of_tied_rows(ties):
    frame = make_frame()
    names = [f"AP(ties={ties})", f"nDCG(ties={ties})@3"]
    ddf = dd.from_pandas(frame, npartitions=5, sort=False)
    assert_same(
        on_dask.evaluate(names, ddf, weight="weight", per_query=True),
        in_memory(names, frame),
    )


def test_whole_queries_need_no_shuffle():
    frame = make_frame(shuffle=False)
    starts = np.flatnonzero(np.diff(frame.qid)) + 1
    bounds = [
        0,
        starts[5],
        starts[5],
        starts[20],
        len(frame),
    ]  # one partition without rows
    pieces = [frame.iloc[a:b] for a, b in pairwise(bounds)]
    ddf = dd.from_delayed(
        [dask.delayed(piece) for piece in pieces], meta=frame.iloc[:0]
    )
    parted = on_dask.evaluate(
        SOME, ddf, weight="weight", whole_queries=True, per_query=True
    )
    assert_same(parted, in_memory(SOME, frame))


def test_known_divisions_need_no_shuffle(monkeypatch):
    frame = make_frame(shuffle=False)
    ddf = dd.from_pandas(frame.set_index("qid"), npartitions=4)
    monkeypatch.setattr(type(ddf), "shuffle", None)
    assert ddf.known_divisions
    assert_same(
        on_dask.evaluate(SOME, ddf, weight="weight", per_query=True),
        in_memory(SOME, frame),
    )


def test_arrays_side_by_side():
    frame = make_frame()
    arrays = {name: da.from_array(frame[name].to_numpy(), chunks=37) for name in frame}
    columns = [dd.from_dask_array(each, columns=name) for name, each in arrays.items()]
    data = dd.concat(columns, axis=1)
    found = on_dask.evaluate(SOME, data, weight="weight", per_query=True)
    assert_same(found, in_memory(SOME, frame))


def test_values_and_means_are_of_the_same_scores():
    """Rows that Dask computes anew for each use, with other scores each time."""

    def drawn(part):
        return part.assign(score=np.random.default_rng().random(len(part)))

    frame = make_frame()
    ddf = dd.from_pandas(frame, npartitions=2, sort=False).map_partitions(
        drawn, meta=frame
    )
    found = on_dask.evaluate("AP", ddf, per_query=True)
    assert float(found) == pytest.approx(found.values.mean())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (da.ones(3), r"^data must be a Dask .*got Array"),
        (
            (da.ones(3), da.ones(3)),
            r"^data must be a Dask .*got tuple\. Put Dask arrays side by",
        ),
    ],
)
def test_arrays_are_put_side_by_side_first(data, words):
    with pytest.raises(TypeError, match=words):
        on_dask.evaluate("AP", data)


SCORED = [MEASURE, "nDCG@10", "RankedHalfLife"]


def in_blocks(array, lengths):
    return da.from_array(array, chunks=(tuple(lengths), *array.shape[1:]))


@pytest.fixture(scope="module")
def queries():
    """Rows of whole queries in three partitions, the second of them without rows."""
    X, y, qid = make_ranking(40, docs_per_query=12, random_state=0)
    lengths = [int((qid < 15).sum()), 0, int((qid >= 15).sum())]
    local = {"X": X, "y": y, "qid": qid, "sample_weight": 1.0 + qid % 3}
    return local, {name: in_blocks(array, lengths) for name, array in local.items()}


def pick(columns, *names):
    return {name: columns[name] for name in names}


@pytest.mark.parametrize("names", [("qid",), ("qid", "sample_weight")])
def test_a_scorer_gives_the_bits_of_the_local_one(queries, names):
    local, far = queries
    model = Ridge().fit(local["X"], local["y"])
    score = (
        model.predict
    )  # with the bits of a block, which a product of the whole may not have
    blocks = [
        score(local["X"][each]) for each in (local["qid"] < 15, local["qid"] >= 15)
    ]
    weight = local["sample_weight"] if "sample_weight" in names else None
    whole = evaluate(
        SCORED,
        local["y"],
        np.concatenate(blocks),
        qid=local["qid"],
        sample_weight=weight,
    )
    assert_same(
        on_dask.make_ranking_scorer(SCORED).per_query(
            model, far["X"].rechunk({1: 2}), far["y"], **pick(far, *names)
        ),
        whole,
    )
    means = on_dask.make_ranking_scorer(SCORED)(
        model, far["X"], far["y"], **pick(far, *names)
    )
    assert means == {
        MEASURE: float(whole[MEASURE]),
        "nDCG@10": float(whole["nDCG@10"]),
        "neg_RankedHalfLife": -float(whole["RankedHalfLife"]),
    }


class Counted:
    """A model that knows how often it was asked."""

    def __init__(self):
        self.n_calls = 0

    def predict(self, X):
        self.n_calls += 1
        return X[:, 0]


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
@pytest.mark.filterwarnings("ignore:Running on a single-machine scheduler:UserWarning")
def test_a_scorer_predicts_once_for_measures_of_an_open_scale(queries):
    local, far = queries
    model, scorer = Counted(), on_dask.make_ranking_scorer("CG")
    # in this process, where the model counts, also where another test's cluster runs
    with dask.config.set(
        {"scheduler": "synchronous", "dataframe.shuffle.method": "tasks"}
    ):
        scorer(model, far["X"], far["y"], qid=far["qid"], whole_queries=True)
        assert model.n_calls == 2  # blocks with rows
        with pytest.warns(skgraded.exceptions.GradeScaleWarning):
            scorer = on_dask.make_ranking_scorer("xGAP")
        value = scorer(model, far["X"], far["y"], qid=far["qid"])
    assert model.n_calls == 4
    assert value == float(
        evaluate("xGAP", local["y"], local["X"][:, 0], qid=local["qid"])
    )


def test_a_scorer_takes_data_frames_and_classifiers(queries):
    local, _ = queries
    frame = pd.DataFrame(local["X"]).add_prefix("x").assign(**pick(local, "y", "qid"))
    frame = frame.sample(frac=1, random_state=0)
    features = [name for name in frame if name.startswith("x")]
    model = LogisticRegression(max_iter=1000).fit(frame[features], frame.y)
    far = dd.from_pandas(frame, npartitions=3, sort=False)
    scorer = on_dask.make_ranking_scorer("nDCG@10")
    alone = make_ranking_scorer("nDCG@10")(
        model, frame[features], frame.y, qid=frame.qid
    )
    value = scorer(model, far[features], far.y, qid=far.qid)
    assert value == pytest.approx(alone, abs=1e-12)
    assert (
        scorer(model, far[[*features, "qid"]], far.y) == value
    )  # the model was fitted without


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qid": None}, "^qid must hold a query id for each row, got None"),
        ({"y": [480]}, r"same rows, got y: 1, qid: 3, score: 3 blocks"),
        (
            {"y": [100, 200, 180]},
            r"same rows, got a block with y: \d+, qid: \d+, score",
        ),
    ],
)
def test_a_scorer_says_what_is_wrong(queries, change, message):
    local, far = queries
    rows = pick(far, "X", "y", "qid")
    for name, lengths in change.items():
        rows[name] = (
            None if lengths is None else in_blocks(local[name][: sum(lengths)], lengths)
        )
    model = Ridge().fit(local["X"], local["y"])
    with pytest.raises(ValueError, match=message):
        on_dask.make_ranking_scorer("AP")(model, **rows)


def placed(client, block, worker):
    """Make a block of a Dask array on a worker; another could make it too if that one is lost."""
    made = client.submit(
        np.copy, block, workers=[worker], allow_other_workers=True, pure=False
    )
    return da.from_delayed(dask.delayed(made), block.shape, block.dtype)


class Data:
    """Ranking data in partitions of whole queries, of uneven sizes."""

    def __init__(self, queries, seed, steps=None):
        X, self.y, qid = make_ranking(
            sum(queries), docs_per_query=30, random_state=seed
        )
        self.X = X if steps is None else np.clip(np.round(X * steps), -4, 4)
        self.qid = qid
        self.group = np.bincount(qid)
        self.weight = (1.0 + qid % 3) / 2
        self.queries = np.cumsum(queries)[:-1]

    def place(self, client):
        """Send each partition to the next worker; LightGBM trains where the rows are."""
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        rows = np.cumsum(self.group)[self.queries - 1]
        columns = {
            "X": rows,
            "y": rows,
            "weight": rows,
            "qid": rows,
            "group": self.queries,
        }
        return {
            name: da.concatenate(
                [
                    placed(client, block, workers[number % len(workers)])
                    for number, block in enumerate(
                        np.split(getattr(self, name), places)
                    )
                ]
            )
            for name, places in columns.items()
        }

    def evaluate(self, measures, scores, weight=None):
        return evaluate(measures, self.y, scores, qid=self.qid, sample_weight=weight)


HAS_EVAL_X = (
    "eval_X" in inspect.signature(lgb.DaskLGBMRanker.fit).parameters
)  # since 4.7


def as_arguments(sets, form):
    if not sets:
        return {}
    if form == "eval_set":
        return {"eval_set": [(each["X"], each["y"]) for each in sets]}
    return {f"eval_{name}": tuple(each[name] for each in sets) for name in ("X", "y")}


def fit(
    client,
    train,
    valid,
    callbacks,
    *,
    weighted=False,
    n_estimators=60,
    metric="None",
    form="eval_X" if HAS_EVAL_X else "eval_set",
    **options,
):
    ranker = lgb.DaskLGBMRanker(
        client=client,
        n_estimators=n_estimators,
        num_leaves=7,
        metric=metric,
        verbose=-1,
        time_out=1,
        random_state=0,
    )
    train, sets = train.place(client), [each.place(client) for each in valid]
    return ranker.fit(
        train["X"],
        train["y"],
        group=train["group"],
        **as_arguments(sets, form),
        eval_group=[each["group"] for each in sets] or None,
        eval_sample_weight=[each["weight"] for each in sets] if weighted else None,
        callbacks=callbacks,
        **options,
    )


class KeepModel:
    """Callback that saves all trees: a fitted model only has those up to the best iteration."""

    def __init__(self, path, n_workers):
        self.path, self.n_workers, self.order = str(path), n_workers, 6

    def __call__(self, env):
        assert env.params["num_machines"] == self.n_workers
        ports = [int(each.split(":")[1]) for each in env.params["machines"].split(",")]
        if env.params["local_listen_port"] == min(ports):
            env.model.save_model(self.path, num_iteration=-1)


FEW, MANY = 10, 60  # queries to watch on each of two workers


def some_data():
    """Rows to train on and rows to watch."""
    return Data([60, 140], 0), Data([FEW, MANY], 1)


@pytest.mark.slow
def test_workers_stop_early_as_one_machine(tmp_path):
    train, valid = Data([20, 80, 30, 70], 0), Data([5, 40, 3, 30], 1)
    path = tmp_path / "model.txt"
    with workers(4, processes=False) as client:
        callbacks = [
            on_dask.global_evaluation(MEASURE, "nDCG@10", client=client),
            lgb.early_stopping(5, first_metric_only=True, verbose=False),
            KeepModel(path, 4),
        ]
        model = fit(client, train, [valid], callbacks, weighted=True)
    history = model.evals_result_["valid_0"]
    trees = lgb.Booster(model_file=path)
    alone = [
        valid.evaluate(
            [MEASURE, "nDCG@10"],
            trees.predict(valid.X, num_iteration=n + 1),
            valid.weight,
        ).mean()
        for n in range(trees.num_trees())
    ]
    assert 5 < len(alone) < 60
    for name in (MEASURE, "nDCG@10"):
        assert list(history[name]) == [each[name] for each in alone]  # to the last bit
    best = int(np.argmax([each[MEASURE] for each in alone])) + 1
    assert model.best_iteration_ == best
    assert len(alone) == best + 5
    assert model.best_score_["valid_0"][MEASURE] == alone[best - 1][MEASURE]


@pytest.mark.slow
def test_a_scorer_of_models_that_were_trained_on_the_cluster(client):
    train, valid = some_data()
    model, rows = fit(client, train, [], None, n_estimators=5), valid.place(client)
    scorer = on_dask.make_ranking_scorer([MEASURE, "nDCG@10"])
    options = {
        "qid": rows["qid"],
        "sample_weight": rows["weight"],
        "whole_queries": True,
    }
    far = scorer.per_query(model, rows["X"], rows["y"], **options)
    alone = valid.evaluate(
        [MEASURE, "nDCG@10"], model.booster_.predict(valid.X), valid.weight
    )
    assert_same(far, alone)
    assert scorer(model.to_local(), rows["X"], rows["y"], **options) == alone.mean()


@pytest.mark.slow
def test_a_scorer_of_xgboost_on_the_cluster(client):
    xgboost = pytest.importorskip("xgboost.dask", reason="xgboost is not installed")
    train, valid = some_data()
    far, rows = train.place(client), valid.place(client)
    ranker = xgboost.DaskXGBRegressor(n_estimators=5, max_depth=3)
    ranker.client = client
    ranker.fit(far["X"], far["y"])
    value = on_dask.make_ranking_scorer("nDCG@10")(
        ranker, rows["X"], rows["y"], qid=rows["qid"]
    )
    predicted = ranker.predict(rows["X"]).compute()
    assert value == float(valid.evaluate("nDCG@10", predicted))


@pytest.mark.slow
@pytest.mark.parametrize("trained", [[60, 60], [60]], ids=["two workers", "one of two"])
def test_a_worker_without_rows_to_evaluate_stops_with_the_others(client, trained):
    train, valid = Data(trained, 0), Data([40], 1)
    stop = lgb.early_stopping(5, first_metric_only=True, verbose=False)
    model = fit(
        client,
        train,
        [valid],
        [on_dask.global_evaluation(MEASURE, client=client), stop],
    )
    history = model.evals_result_["valid_0"][MEASURE]
    assert model.best_iteration_ == np.argmax(history) + 1
    assert max(history) == float(
        valid.evaluate(MEASURE, model.booster_.predict(valid.X))
    )


class Strike:
    """Callback that does something to one worker, such as to kill its process."""

    order = 4

    def __init__(self, address, strike):
        self.address, self.strike = address, strike

    def __call__(self, env):
        if env.iteration == 3 and distributed.get_worker().address == self.address:
            self.strike()


def die():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_is_killed_ends_the_training():
    train, valid = some_data()
    with workers(2) as client:
        killed = min(client.scheduler_info()["workers"])
        together = on_dask.global_evaluation(MEASURE, client=client)
        # Not after the timeout, which has another message.
        with pytest.raises(
            WorkerLostError, match=rf"^Worker {killed} left .* iteration 4:"
        ):
            fit(client, train, [valid], [together, Strike(killed, die)])


def die_once(part, marker):
    """Return a partition, but kill the process at the first call."""
    if not marker.exists():
        marker.touch()
        die()
    return part


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_value(tmp_path):
    frame = make_frame(shuffle=False)
    starts = np.flatnonzero(np.diff(frame.qid)) + 1
    bounds = [0, starts[10], starts[20], starts[30], len(frame)]
    pieces = [dask.delayed(frame.iloc[a:b]) for a, b in pairwise(bounds)]
    pieces[2] = dask.delayed(die_once)(pieces[2], tmp_path / "marker")
    data = dd.from_delayed(pieces, meta=frame.iloc[:0])
    with workers(2):
        found = on_dask.evaluate(SOME, data, weight="weight", per_query=True)
    assert (tmp_path / "marker").exists()
    assert_same(found, in_memory(SOME, frame))


@pytest.mark.slow
def test_waits_are_bounded(client):
    train, valid = some_data()
    late = min(client.scheduler_info()["workers"])
    together = on_dask.global_evaluation(MEASURE, client=client, timeout=1)
    with pytest.raises(WorkerLostError, match=r"^1 of 2 workers .* 4 within 1 s\. If"):
        fit(client, train, [valid], [together, Strike(late, partial(time.sleep, 3))])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("metric", r"^LightGBM evaluates ndcg@1.*metric=\"None\".*on worker tcp"),
        ("no set", r"^global_evaluation needs an evaluation set"),
        (
            "no mean",
            r"^nDCG\(empty=nan\) has no value on valid_0: none of its 70 queries",
        ),
        ("labels", r"^y_true .*-1.* \(on worker tcp"),
    ],
)
def test_errors_come_from_all_workers_at_once(client, case, message):
    train, valid = some_data()
    if case == "no mean":
        valid.y = np.zeros_like(valid.y)
    if case == "labels":
        valid.y = valid.y.copy()
        valid.y[-1] = -1
    together = on_dask.global_evaluation("nDCG(empty=nan)", client=client)
    metric = "ndcg" if case == "metric" else "None"
    with pytest.raises(ValueError, match=message):
        fit(
            client,
            train,
            [] if case == "no set" else [valid],
            [together],
            metric=metric,
        )


class _FailsOnFewQueries(AP):
    """A measure with an error of its own on one of the workers."""

    def _score(self, rankings):
        if len(rankings.judgments.qid) < MANY:
            raise TypeError("no such luck")
        return super()._score(rankings)


@pytest.mark.slow
def test_errors_of_any_kind_end_all_workers_at_once(client):
    train, valid = some_data()
    together = on_dask.global_evaluation(
        _FailsOnFewQueries(), client=client, timeout=30
    )
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match=r"^TypeError: no such luck \(on worker tcp"):
        fit(client, train, [valid], [together])
    fit(
        client,
        train,
        [valid],
        [on_dask.global_evaluation("AP", client=client)],
        n_estimators=2,
    )
    assert time.monotonic() - begin < 25


def set_version(version):
    skgraded.__version__ = version


@pytest.fixture
def upgraded(client):
    """Address of a worker that has another version of skgraded than the client and the others."""
    worker = max(client.scheduler_info()["workers"])
    client.run(set_version, "9.0", workers=[worker])
    yield worker
    client.run(set_version, skgraded.__version__)


MIXED = r"must have the same version .* began with 0\.\S+, and here is 9\.0\. .* everywhere\."


def test_a_worker_of_another_version_does_not_score(client, upgraded):
    frame = make_frame(n_queries=40)
    data = dd.from_pandas(frame.set_index("qid").sort_index(), npartitions=4)
    with pytest.raises(RuntimeError, match=MIXED):
        on_dask.evaluate("AP", data.persist(workers=[upgraded]))
    client.run(set_version, skgraded.__version__)
    assert isinstance(on_dask.evaluate("AP", data), Means)


@pytest.mark.slow
def test_a_worker_of_another_version_ends_the_training_of_all(client, upgraded):
    train, valid = some_data()
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match=rf"{MIXED} \(on worker {upgraded}\)"):
        fit(client, train, [valid], [on_dask.global_evaluation("AP", client=client)])
    assert time.monotonic() - begin < 30


@pytest.mark.slow
def test_several_evaluation_sets_by_name(client):
    train, valid = some_data()
    small = Data([9], 5)  # in one partition: one of the workers has none of it
    together = on_dask.global_evaluation(MEASURE, client=client)
    with pytest.raises(
        ValueError, match=r"^A worker has no rows of one of the evaluation sets"
    ):
        fit(client, train, [small, valid], [together], n_estimators=3)
    for form in ("eval_X", "eval_set")[not HAS_EVAL_X :]:
        options = {"eval_names": ["small", "large"], "n_estimators": 3, "form": form}
        model = fit(client, train, [small, valid], [together], **options)
        assert sorted(model.evals_result_) == ["large", "small"]
        for name, data in {"small": small, "large": valid}.items():
            alone = float(data.evaluate(MEASURE, model.booster_.predict(data.X)))
            assert model.evals_result_[name][MEASURE][-1] == alone


@pytest.mark.slow
@pytest.mark.parametrize("noise", [None, "gumbel"])
def test_an_objective_trains_what_one_machine_trains(client, noise):
    """Queries are whole on each worker, so that gradients are those of one machine.

    Features have few values, so that all workers cut them into the same bins.
    """
    train = Data([60, 140], 0, steps=2)
    objective = skgraded.lightgbm.objective(MEASURE, noise=noise)
    options = {
        "n_estimators": 8,
        "num_leaves": 7,
        "verbose": -1,
        "objective": objective,
    }
    far = lgb.DaskLGBMRanker(client=client, time_out=1, tree_learner="data", **options)
    placed = train.place(client)
    far.fit(placed["X"], placed["y"], group=placed["group"])
    near = lgb.LGBMRanker(n_jobs=1, **options).fit(train.X, train.y, group=train.group)
    scores = [each.booster_.predict(train.X) for each in (far, near)]
    np.testing.assert_allclose(*scores, rtol=1e-6)


@pytest.mark.parametrize(
    ("measures", "options", "words"),
    [
        ((), {}, "needs at least one measure, got none"),
        (("AP",), {"timeout": 0}, r"^timeout must be a finite number > 0, got 0\.$"),
        (("AP",), {"n_threads": True}, r"^n_threads must be .*got True\.$"),
    ],
)
def test_arguments_of_the_callback(measures, options, words):
    with pytest.raises(ValueError, match=words):
        on_dask.global_evaluation(*measures, **options)


def words_frame(n_partitions=3):
    y_true, y_score, qid, _ = make_rows()
    words = pd.CategoricalDtype(["no", "fair", "good", "fine", "best"], ordered=True)
    codes = np.where(np.isnan(y_true), -1, y_true).astype(int)
    labels = pd.Categorical.from_codes(codes, dtype=words)
    rows = pd.DataFrame({"label": labels, "score": y_score, "qid": qid})
    return (y_true, y_score, qid), dd.from_pandas(rows, npartitions=n_partitions)


@pytest.mark.parametrize("n_partitions", [1, 3])
@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
def test_ordered_categories_are_grades(n_partitions):
    (y_true, y_score, qid), data = words_frame(n_partitions)
    measures = [MEASURE, "xGAP"]
    found = on_dask.evaluate(measures, data, whole_queries=n_partitions == 1)
    assert found.mean() == evaluate(measures, y_true, y_score, qid=qid).mean()


def test_unknown_categories_that_are_numbers_are_grades():
    y_true, y_score, qid, _ = make_rows()
    rows = pd.DataFrame({"label": pd.Categorical(y_true), "score": y_score, "qid": qid})
    known = dd.from_pandas(rows, npartitions=3)
    found = on_dask.evaluate(
        MEASURE, known.assign(label=known["label"].cat.as_unknown())
    )
    assert found.mean() == evaluate(MEASURE, y_true, y_score, qid=qid).mean()


def test_categories_that_partitions_may_read_in_other_ways_are_refused():
    _, data = words_frame()
    unknown = data.assign(label=data["label"].cat.as_unknown())
    with pytest.raises(ValueError, match="got none in the data as Dask"):
        on_dask.evaluate(MEASURE, unknown)
    other = ["best", "fine", "good", "fair", "no"]
    lying = data["label"].map_partitions(
        lambda part: part.cat.reorder_categories(other, ordered=True),
        meta=data["label"]._meta,
    )
    with pytest.raises(
        ValueError, match=r"\['no', .* as Dask describes them and \['best', 'fine'"
    ):
        on_dask.evaluate(MEASURE, data.assign(label=lying))
