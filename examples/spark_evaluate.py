"""Evaluate a Spark DataFrame that holds the scores of any model.

Spark needs Java. Here it runs in local mode; on a cluster only the session differs.
"""

# %%
import os
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pandas as pd
from pyspark.sql import SparkSession

from skgraded.datasets import make_ranking
from skgraded.spark import evaluate, per_query

session = (
    SparkSession.builder.master("local[2]")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)

# %%
X, y, qid = make_ranking(n_queries=100, random_state=0)
rows = session.createDataFrame(pd.DataFrame({"qid": qid, "label": y, "score": X[:, 0]}))
measures = ["xGAP(g=[0.1,0.2,0.3,0.4])@10", "nDCG@10"]
print(evaluate(measures, rows))

# %%
# Values query by query stay on the cluster: join them with what is known about the queries.
per_query(measures, rows).orderBy("nDCG@10").show(5)
session.stop()
