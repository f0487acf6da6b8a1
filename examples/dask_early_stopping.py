"""Train LightGBM on two Dask workers, stop early by xGAP over both, and evaluate on the cluster
================================================================================================

Without `global_evaluation`, every worker would stop by the value of its own queries, and the
training would fail.
"""

# %%
import dask.array as da
import dask.dataframe as dd
import lightgbm as lgb
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from skgraded import evaluate, query_train_test_split
from skgraded.dask import (
    evaluate as evaluate_on_dask,
    global_evaluation,
    make_ranking_scorer,
)
from skgraded.datasets import make_ranking

MEASURE = "xGAP(g=[0.1,0.2,0.3,0.4])@10"


def in_partitions(X, y, qid, queries):
    """Cut data into partitions of whole queries, as LightGBM requires."""
    group = np.unique(qid, return_counts=True)[1]
    rows = tuple(int(part.sum()) for part in np.split(group, np.cumsum(queries)[:-1]))
    return (
        da.from_array(X, chunks=(rows, X.shape[1])),
        da.from_array(y, chunks=(rows,)),
        da.from_array(group, chunks=(queries,)),
        da.from_array(qid, chunks=(rows,)),
    )


def main():
    data = make_ranking(n_queries=280, random_state=0)
    X, X_valid, y, y_valid, qid, qid_valid = query_train_test_split(
        *data[:2], qid=data[2], test_size=80
    )
    X, y, group, _ = in_partitions(X, y, qid, (60, 140))
    valid = in_partitions(X_valid, y_valid, qid_valid, (20, 60))
    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
    with cluster, Client(cluster) as client:
        ranker = lgb.DaskLGBMRanker(
            client=client, n_estimators=300, num_leaves=15, metric="None", verbose=-1
        )
        ranker.fit(
            X,
            y,
            group=group,
            eval_X=valid[0],  # before LightGBM 4.7: eval_set=[valid[:2]]
            eval_y=valid[1],
            eval_group=[valid[2]],
            callbacks=[
                global_evaluation(MEASURE, "nDCG@10"),
                lgb.early_stopping(20, first_metric_only=True, verbose=False),
            ],
        )
        print(
            f"stopped at {ranker.best_iteration_}: {dict(ranker.best_score_['valid_0'])}"
        )

        scorer = make_ranking_scorer([MEASURE, "nDCG@10"])
        on_dask = scorer(ranker, *valid[:2], qid=valid[3])  # rows remain on the workers

        scores = ranker.booster_.predict(X_valid)
        in_memory = evaluate([MEASURE, "nDCG@10"], y_valid, scores, qid=qid_valid)
        print(in_memory)
        print("the same bits:", on_dask == in_memory.mean())

        rows = pd.DataFrame({"qid": qid_valid, "label": y_valid, "score": scores})
        ddf = dd.from_pandas(
            rows, npartitions=4
        )  # may cut queries: evaluate shuffles the rows
        again = evaluate_on_dask([MEASURE, "nDCG@10"], ddf)
        print("the same bits:", again.mean() == in_memory.mean())


# %%
if __name__ == "__main__":  # the workers are separate processes that import this file
    main()
