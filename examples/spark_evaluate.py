"""Score rows in Spark with a LightGBM model, and evaluate them on the cluster
==============================================================================

Spark needs Java. This example uses local mode; on a cluster, only the session differs. A pandas UDF
computes the column of scores here, but a ranker that runs in Spark can also provide it.
"""

# %%
import os
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import lightgbm as lgb
import numpy as np
import pandas as pd
from pyspark.sql import SparkSession, functions as fn

from skgraded import query_train_test_split
from skgraded.datasets import make_ranking
from skgraded.spark import evaluate

session = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)

# %%
X, y, qid = make_ranking(n_queries=200, random_state=0)
X, X_test, y, y_test, qid, qid_test = query_train_test_split(
    X, y, qid=qid, test_size=100
)
ranker = lgb.LGBMRanker(n_estimators=50, verbose=-1, n_jobs=1)
ranker.fit(X, y, group=np.unique(qid, return_counts=True)[1])

frame = pd.DataFrame(X_test).add_prefix("x").assign(label=y_test, qid=qid_test)
rows = session.createDataFrame(frame)


# %%
@fn.pandas_udf("double")
def predict(features: pd.DataFrame) -> pd.Series:
    return pd.Series(ranker.predict(features.to_numpy()))


names = [name for name in rows.columns if name.startswith("x")]
scored = rows.withColumn("score", predict(fn.struct(*names)))

measures = ["xGAP(g=[0.1,0.2,0.3,0.4])@10", "nDCG@10"]
print(evaluate(measures, scored))
session.stop()
