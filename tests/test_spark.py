"""Evaluation of Spark DataFrames, on a local Spark that the tests start and stop."""

import os
import shutil
import sys

import numpy as np
import pytest
from lightgbm import LGBMRegressor
from test_chunks import ALL, SOME, in_memory, make_frame

import skgraded
from skgraded import Scores, evaluate
from skgraded.datasets import make_ranking
from skgraded.exceptions import GradeScaleWarning

pytest.importorskip("pyspark", reason="pyspark is not installed")
pd = pytest.importorskip("pandas")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

from pyspark.errors import PythonException  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as fn  # noqa: E402

from skgraded import spark as on_spark  # noqa: E402

# What Spark says about pandas, its own sockets and threads.
pytestmark = [
    pytest.mark.slow,
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
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("skgraded tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    running = builder.getOrCreate()
    running.sparkContext.setLogLevel("OFF")
    yield running
    running.stop()


@pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning")
@pytest.mark.parametrize(("n_partitions", "text"), [(1, False), (3, True), (8, False)])
def test_all_measures_on_rows_in_any_order(session, n_partitions, text):
    data = session.createDataFrame(make_frame(text=text)).repartition(n_partitions).cache()
    rows = data.toPandas()  # in Spark's order, which decides between tied documents
    whole = in_memory(ALL, rows)
    means = on_spark.evaluate(ALL, data, weight="weight")
    assert means.mean() == whole.mean()  # to the last bit
    assert means.n_empty == whole.n_empty
    assert (means.n_queries, means.n_documents) == (whole.n_queries, len(rows))
    parted = on_spark.evaluate(ALL, data, weight="weight", per_query=True)
    assert type(parted) is Scores
    assert parted.mean() == whole.mean()
    by_id = np.argsort(whole.qid)
    assert list(parted.qid) == list(whole.qid[by_id])
    np.testing.assert_array_equal(parted.values, whole.values[by_id])
    np.testing.assert_array_equal(parted.weights, whole.weights[by_id])
    np.testing.assert_array_equal(parted.fingerprints, whole.fingerprints[by_id])


def test_the_top_grade_is_that_of_all_partitions_rounded_up(session):
    frame = make_frame().eval("label = label * 0.55 + 0.03")
    data = session.createDataFrame(frame).repartition(3)
    named = in_memory(["xGAP(max_grade=3)", "RBP(gain=linear,max_grade=3)"], frame, None)
    with pytest.warns(GradeScaleWarning, match="rounded up: 3, of") as told:
        found = on_spark.evaluate(["xGAP", "RBP(gain=linear)"], data).mean()
    assert list(found.values()) == list(named.mean().values())
    assert sum(issubclass(each.category, GradeScaleWarning) for each in told) == 1


def test_the_promise_of_whole_queries(session):
    frame = make_frame(shuffle=False)
    data = session.createDataFrame(frame).repartitionByRange(4, "qid").cache()
    kept = on_spark.evaluate(SOME, data, whole_queries=True)
    assert kept.mean() == in_memory(SOME, frame, None).mean()
    cut = session.createDataFrame(frame).repartition(4).cache()
    with pytest.raises(
        ValueError, match=r"query \d+ is in partitions 0 and 1\. Leave whole_queries"
    ):
        on_spark.evaluate("AP", cut, whole_queries=True)


@pytest.mark.parametrize("text", [False, True])
def test_a_broken_promise_on_rows_that_spark_has_not_kept(session, text):
    # Spark makes one partition of these rows where it reads the ids alone.
    frame = pd.DataFrame({"qid": [1, 2, 1, 2, 1, 2], "label": [2, 0, 0, 1, 1, 1], "score": 1.0})
    if text:
        frame["qid"] = frame.qid.map("q{}".format)
    with pytest.raises(ValueError, match=r"query '?q?1'? is in partitions 0 and 1\. Leave"):
        on_spark.evaluate("AP", session.createDataFrame(frame), whole_queries=True)


@pytest.fixture
def small_parts(session):
    option = "spark.sql.adaptive.coalescePartitions.minPartitionSize"
    yield lambda size: session.conf.set(option, size)
    session.conf.unset(option)


def test_a_broken_promise_on_an_aggregate(session, small_parts):
    # Spark joins small partitions: more of them, the fewer columns it reads.
    rows = session.range(3000).repartition(2).selectExpr("id % 30 qid", "id doc", "id % 4 label")
    grades = fn.max("label").alias("label"), fn.avg(fn.col("doc") % 7).alias("score")
    data = rows.groupBy("qid", "doc").agg(*grades)
    found = set()
    for size in ["1kb", "8kb", "12kb", "16kb", "20kb", "24kb"]:
        small_parts(size)
        try:
            found.add(on_spark.evaluate("AP", data, whole_queries=True).n_queries)
        except ValueError as error:
            found.add(str(error).partition(",")[0])
    assert "No query may be in two partitions" in found
    assert found <= {"No query may be in two partitions", 30}


@pytest.mark.parametrize(
    "kind", ["smallint", "float", "decimal(10,2)", "date", "timestamp", "binary", "string"]
)
def test_query_ids_of_any_type(session, kind):
    ids = {
        "binary": "cast(cast(id % 9 as string) as binary) qid",
        "date": "date_add(date'2020-01-01', cast(id % 9 as int)) qid",
    }.get(kind, f"cast(id % 9 as {kind}) qid")
    rows = session.range(40).selectExpr(ids, "id % 4 label", "id % 7 score")
    assert on_spark.evaluate("AP", rows.repartition(3, "qid"), whole_queries=True).n_queries == 9
    parted = on_spark.evaluate("AP", rows, per_query=True)
    assert parted.qid.tolist() == sorted(row.qid for row in rows.select("qid").collect()[:9])
    with pytest.raises(ValueError, match=r"^No query may be in two partitions"):
        on_spark.evaluate("AP", rows, whole_queries=True)


@pytest.mark.parametrize("odd", ["a.b", "q`d", "row"])
@pytest.mark.parametrize("role", ["label", "score", "qid", "weight"])
def test_columns_of_any_name(session, role, odd):
    frame = make_frame()
    names = {each: odd if each == role else each for each in ["label", "score", "qid", "weight"]}
    data = session.createDataFrame(frame.rename(columns={role: odd})).coalesce(1)
    whole = in_memory("AP", frame)
    scored = on_spark.evaluate("AP", data, **names, whole_queries=True)
    assert scored.mean() == whole.mean()


def test_one_column_in_two_roles(session):
    frame = make_frame().fillna({"label": 0})
    data = session.createDataFrame(frame.drop(columns="weight"))
    whole = evaluate(SOME, frame.label, frame.score, qid=frame.qid, sample_weight=frame.label)
    assert on_spark.evaluate(SOME, data, weight="label").mean() == whole.mean()


def test_ids_that_a_collation_takes_for_one_are_two_queries(session):
    if session.version < "4":
        pytest.skip("This Spark has no collations")
    frame = make_frame()
    frame["qid"] = [f"{'Qq'[each % 2]}{each // 2}" for each in frame.qid]
    data = session.createDataFrame(frame).withColumn("qid", fn.expr("qid collate UTF8_LCASE"))
    assert on_spark.evaluate(SOME, data).mean() == in_memory(SOME, frame, None).mean()
    with pytest.raises(ValueError, match=r"^No query may be in two partitions"):
        on_spark.evaluate("AP", data.repartition(3), whole_queries=True)


def test_scores_of_a_model_in_a_pandas_udf(session):
    X, y, qid = make_ranking(30, docs_per_query=(1, 20), random_state=0)
    model = LGBMRegressor(n_estimators=5, min_child_samples=1, verbose=-1, n_jobs=1).fit(X, y)
    frame = pd.DataFrame(X).add_prefix("x").assign(label=y, qid=qid)

    @fn.pandas_udf("double")
    def predict(features: pd.DataFrame) -> pd.Series:
        return pd.Series(model.predict(features.to_numpy()))

    rows = session.createDataFrame(frame).repartition(3)
    names = [name for name in rows.columns if name.startswith("x")]
    scored = rows.withColumn("score", predict(fn.struct(*names)))
    alone = evaluate(SOME, y, model.predict(X), qid=qid)
    assert on_spark.evaluate(SOME, scored).mean() == alone.mean()


def test_errors_say_what_is_wrong(session):
    frame = make_frame()
    data = session.createDataFrame(frame)
    with pytest.raises(
        ValueError, match=r"^score must name a column of the DataFrame, got 'p'; there"
    ):
        on_spark.evaluate("AP", data, score="p")
    with pytest.raises(ValueError, match=r"^data must hold at least one row"):
        on_spark.evaluate("AP", data.where("qid < 0"))
    with pytest.raises(PythonException, match=r"y_true.*-1"):
        on_spark.evaluate("AP", data.replace(0.0, -1.0, "label"))


def test_workers_of_another_version_do_not_score(session, monkeypatch):
    data = session.createDataFrame(make_frame()).repartition(2).cache()
    monkeypatch.setattr(skgraded, "__version__", "9.0")  # here, and not in Spark's workers
    mixed = r"must have the same version .* began with 9\.0, and here is 0\.\S+\. .* everywhere\."
    with pytest.raises(PythonException, match=mixed):
        on_spark.evaluate("AP", data)


def test_data_that_are_not_of_spark_are_refused():
    with pytest.raises(
        TypeError, match=r"^data must be a Spark DataFrame, got DataFrame of pandas\. Pass rows in"
    ):
        on_spark.evaluate("xGAP", make_frame())


def test_equal_measures_count_once(session):
    data = session.createDataFrame(make_frame())
    assert on_spark.evaluate(["AP", "AP"], data, per_query=True).measures == ("AP",)


NESTED = {
    "array of structs": lambda: fn.array(fn.struct("qid")),
    "array": lambda: fn.array("qid"),
    "struct": lambda: fn.struct("qid", "label"),
    "map": lambda: fn.create_map("qid", "label"),
}


@pytest.mark.parametrize("kind", NESTED)
def test_ids_of_several_values_are_refused_before_spark_starts(session, kind):
    data = session.createDataFrame(make_frame()).withColumn("nested", NESTED[kind]())
    with pytest.raises(ValueError, match=r"^qid must name .*'nested' of the type \w+<"):
        on_spark.evaluate("AP", data, qid="nested")


def test_ids_of_several_values_can_be_made_one(session):
    frame = make_frame()
    data = session.createDataFrame(frame).withColumn("id", fn.to_json(fn.struct("qid")))
    assert on_spark.evaluate("AP", data, qid="id").mean() == in_memory("AP", frame, None).mean()
