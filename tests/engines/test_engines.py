"""Evaluation of Dask and Spark DataFrames: what both promise, and what Spark alone needs."""

import os
import shutil
import sys
from collections.abc import Callable
from operator import methodcaller
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRegressor
from test_chunks import ALL, SOME, in_memory, make_frame

import skgraded
from skgraded import Scores, evaluate
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning
from skgraded.results import Means

try:
    from pyspark.errors import PythonException
    from pyspark.sql import SparkSession, functions as fn

    from skgraded import spark as on_spark
except ImportError:
    SparkSession = None

# What Dask and Spark say about themselves, pandas, their sockets and threads.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
}


@pytest.fixture(scope="module")
def session():
    if SparkSession is None or (
        shutil.which("java") is None and "JAVA_HOME" not in os.environ
    ):
        pytest.skip("Spark, or Java, which it needs, is not installed")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("skgraded tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    running = builder.getOrCreate()
    running.sparkContext.setLogLevel("OFF")
    yield running
    running.stop()


class Engine(NamedTuple):
    """A module of skgraded, and how its data are made, of a frame and a number of partitions."""

    module: ModuleType
    make: Callable[[pd.DataFrame, int], Any]
    filter: Callable[[Any, str], Any]
    to_pandas: Callable[
        [Any], pd.DataFrame
    ]  # in the engine's order, which decides between ties
    sort: Callable[
        [np.ndarray], np.ndarray
    ]  # from ids to the places of the values in order
    failure: type[Exception]  # an error on a worker

    def evaluate(self, *given, **options):
        return self.module.evaluate(*given, **options)


@pytest.fixture(scope="module")
def dask_engine():
    dask = pytest.importorskip("dask", reason="dask is not installed")
    dd = pytest.importorskip("dask.dataframe")
    from skgraded import dask as on_dask

    def make(frame, n_partitions):
        return dd.from_pandas(frame, npartitions=n_partitions, sort=False)

    def as_they_are(ids):
        return np.arange(len(ids))

    with dask.config.set(scheduler="threads", num_workers=2):
        yield Engine(
            on_dask,
            make,
            dd.DataFrame.query,
            dd.DataFrame.compute,
            as_they_are,
            ValueError,
        )


@pytest.fixture(scope="module")
def spark_engine(session):
    def make(frame, n_partitions):
        return session.createDataFrame(frame).repartition(n_partitions).cache()

    def where(data, rule):
        return data.where(rule)

    return Engine(
        on_spark, make, where, methodcaller("toPandas"), np.argsort, PythonException
    )


@pytest.fixture(
    params=["dask_engine", pytest.param("spark_engine", marks=pytest.mark.slow)]
)
def engine(request):
    return request.getfixturevalue(request.param)


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
@pytest.mark.parametrize(("n_partitions", "text"), [(1, False), (5, True)])
def test_all_measures_on_rows_in_any_order(engine, n_partitions, text):
    data = engine.make(make_frame(n_queries=40, text=text), n_partitions)
    rows = engine.to_pandas(data)
    whole = in_memory(ALL, rows)
    means = engine.evaluate(ALL, data, weight="weight")
    parted = engine.evaluate(ALL, data, weight="weight", per_query=True)
    assert (type(means), type(parted)) == (Means, Scores)
    assert means.mean() == parted.mean() == whole.mean()  # to the last bit
    assert means.n_empty == whole.n_empty
    assert (means.n_queries, means.n_documents) == (whole.n_queries, len(rows))
    order = engine.sort(whole.qid)
    for name in ("qid", "values", "weights", "fingerprints"):
        np.testing.assert_array_equal(
            getattr(parted, name), getattr(whole, name)[order]
        )


def test_the_top_grade_is_that_of_all_partitions_rounded_up(engine):
    frame = make_frame(unjudged=False).eval("label = label * 0.55 + 0.03")
    data = engine.make(
        frame.sort_values("label"), 4
    )  # the last partition has the top grade
    named = ["xGAP(max_grade=3)", "eGAP(max_grade=3)", "RBP(gain=linear,max_grade=3)"]
    expected = in_memory(named, engine.to_pandas(data), None).mean()
    with pytest.warns(GradeScaleWarning, match="rounded up: 3, of") as told:
        found = engine.evaluate(["xGAP", "eGAP", "RBP(gain=linear)"], data).mean()
    assert list(found.values()) == list(expected.values())
    assert sum(issubclass(each.category, GradeScaleWarning) for each in told) == 1


@pytest.mark.parametrize("text", [False, True])
def test_a_broken_promise_names_the_query(engine, text):
    frame = make_frame(shuffle=False, largest=20, text=text)
    data = engine.make(frame.sample(frac=1, random_state=0), 2)
    with pytest.raises(
        ValueError,
        match=r"query '?q?\d+'? is in partitions 0 and 1\. Leave whole_queries",
    ):
        engine.evaluate("AP", data, whole_queries=True)


def test_one_column_in_two_roles_and_a_measure_twice(engine):
    data = engine.make(make_frame().fillna({"label": 0}).drop(columns="weight"), 3)
    whole = in_memory(SOME, engine.to_pandas(data), "label")
    found = engine.evaluate([*SOME, *SOME], data, weight="label")
    assert found.measures == tuple(SOME)
    assert found.mean() == whole.mean()


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (
            "label > 0",
            {"score": "p"},
            "^score must name a column of the DataFrame, got 'p'; there",
        ),
        ("label > 0", {"weight": "w"}, "^weight must name a column"),
        (
            "label > 0",
            {"whole_queries": "no"},
            "^whole_queries must be True or False, got 'n",
        ),
        ("label > 9", {}, "^data must hold at least one row"),
        ("label < 0", {}, "y_true.*-1"),
    ],
)
def test_errors_say_what_is_wrong(engine, rows, options, words):
    frame = pd.concat([make_frame(unjudged=False), make_frame().assign(label=-1.0)])
    data = engine.filter(engine.make(frame, 2), rows)
    with pytest.raises((ValueError, engine.failure), match=words):
        engine.evaluate("AP", data, **options)


def test_data_of_another_kind_are_refused(engine):
    words = r"^data must be a (Spark|Dask) DataFrame, got .*(Pass|pass) rows in memory"
    with pytest.raises(TypeError, match=words):
        engine.evaluate("xGAP", make_frame())


# --- Spark alone ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_promise_of_whole_queries_that_holds(session):
    frame = make_frame(shuffle=False)
    data = session.createDataFrame(frame).repartitionByRange(4, "qid").cache()
    kept = on_spark.evaluate(SOME, data, whole_queries=True)
    assert kept.mean() == in_memory(SOME, frame, None).mean()


@pytest.mark.slow
@pytest.mark.parametrize("text", [False, True])
def test_a_broken_promise_on_rows_that_spark_has_not_kept(session, text):
    # Spark makes one partition of these rows where it reads the ids alone.
    frame = pd.DataFrame(
        {"qid": [1, 2, 1, 2, 1, 2], "label": [2, 0, 0, 1, 1, 1], "score": 1.0}
    )
    if text:
        frame["qid"] = frame.qid.map("q{}".format)
    with pytest.raises(
        ValueError, match=r"query '?q?1'? is in partitions 0 and 1\. Leave"
    ):
        on_spark.evaluate("AP", session.createDataFrame(frame), whole_queries=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["float", "decimal(10,2)", "date", "timestamp", "binary"]
)
def test_query_ids_of_any_type(session, kind):
    ids = {
        "binary": "cast(cast(id % 9 as string) as binary) qid",
        "date": "date_add(date'2020-01-01', cast(id % 9 as int)) qid",
    }.get(kind, f"cast(id % 9 as {kind}) qid")
    rows = session.range(40).selectExpr(ids, "id % 4 label", "id % 7 score")
    assert (
        on_spark.evaluate(
            "AP", rows.repartition(3, "qid"), whole_queries=True
        ).n_queries
        == 9
    )
    parted = on_spark.evaluate("AP", rows, per_query=True)
    assert parted.qid.tolist() == sorted(
        row.qid for row in rows.select("qid").collect()[:9]
    )
    with pytest.raises(ValueError, match=r"^No query may be in two partitions"):
        on_spark.evaluate("AP", rows, whole_queries=True)


@pytest.mark.slow
@pytest.mark.parametrize("odd", ["a.b", "q`d", "row"])
@pytest.mark.parametrize("role", ["label", "score", "qid", "weight"])
def test_columns_of_any_name(session, role, odd):
    frame = make_frame()
    names = {
        each: odd if each == role else each
        for each in ["label", "score", "qid", "weight"]
    }
    data = session.createDataFrame(frame.rename(columns={role: odd})).coalesce(1)
    whole = in_memory("AP", frame)
    scored = on_spark.evaluate("AP", data, **names, whole_queries=True)
    assert scored.mean() == whole.mean()


@pytest.mark.slow
def test_ids_that_a_collation_takes_for_one_are_two_queries(session):
    if session.version < "4":
        pytest.skip("This Spark has no collations")
    frame = make_frame()
    frame["qid"] = [f"{'Qq'[each % 2]}{each // 2}" for each in frame.qid]
    data = session.createDataFrame(frame).withColumn(
        "qid", fn.expr("qid collate UTF8_LCASE")
    )
    assert on_spark.evaluate(SOME, data).mean() == in_memory(SOME, frame, None).mean()
    with pytest.raises(ValueError, match=r"^No query may be in two partitions"):
        on_spark.evaluate("AP", data.repartition(3), whole_queries=True)


@pytest.mark.slow
def test_scores_of_a_model_in_a_pandas_udf(session):
    X, y, qid = make_ranking(30, docs_per_query=(1, 20), random_state=0)
    model = LGBMRegressor(
        n_estimators=5, min_child_samples=1, verbose=-1, n_jobs=1
    ).fit(X, y)
    frame = pd.DataFrame(X).add_prefix("x").assign(label=y, qid=qid)

    @fn.pandas_udf("double")
    def predict(features: pd.DataFrame) -> pd.Series:
        return pd.Series(model.predict(features.to_numpy()))

    rows = session.createDataFrame(frame).repartition(3)
    names = [name for name in rows.columns if name.startswith("x")]
    scored = rows.withColumn("score", predict(fn.struct(*names)))
    alone = evaluate(SOME, y, model.predict(X), qid=qid)
    assert on_spark.evaluate(SOME, scored).mean() == alone.mean()


@pytest.mark.slow
def test_workers_of_another_version_do_not_score(session, monkeypatch):
    data = session.createDataFrame(make_frame()).repartition(2).cache()
    monkeypatch.setattr(
        skgraded, "__version__", "9.0"
    )  # here, and not in Spark's workers
    mixed = r"must have the same version .* began with 9\.0, and here is 0\.\S+\. .* everywhere\."
    with pytest.raises(PythonException, match=mixed):
        on_spark.evaluate("AP", data)


NESTED = {
    "array of structs": lambda: fn.array(fn.struct("qid")),
    "array": lambda: fn.array("qid"),
    "struct": lambda: fn.struct("qid", "label"),
    "map": lambda: fn.create_map("qid", "label"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NESTED)
def test_ids_of_several_values_are_refused_before_spark_starts(session, kind):
    data = session.createDataFrame(make_frame()).withColumn("nested", NESTED[kind]())
    with pytest.raises(ValueError, match=r"^qid must name .*'nested' of the type \w+<"):
        on_spark.evaluate("AP", data, qid="nested")


@pytest.mark.slow
def test_ids_of_several_values_can_be_made_one(session):
    frame = make_frame()
    data = session.createDataFrame(frame).withColumn("id", fn.to_json(fn.struct("qid")))
    assert (
        on_spark.evaluate("AP", data, qid="id").mean()
        == in_memory("AP", frame, None).mean()
    )
