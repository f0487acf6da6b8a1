"""Evaluate data that do not fit into memory: a stream of chunks, and a Parquet file
====================================================================================

Only one block of rows is in memory at a time. The means equal those of all rows at once, to the
last bit.
"""

# %%
import tempfile
from pathlib import Path

import numpy as np

from skgraded import chunks, evaluate
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=300, random_state=0)
score = X[:, 0]  # stands in for a model's scores
measures = ["xGAP(g=[0.1,0.2,0.3,0.4])@10", "nDCG@10"]

# %%
# Chunks may cut queries: a query that may continue in the next chunk waits for it.
stream = (
    (y[start:][:1000], score[start:][:1000], qid[start:][:1000])
    for start in range(0, len(y), 1000)
)
scores = chunks.evaluate(measures, stream)
print(scores)
print("the same bits:", scores.mean() == evaluate(measures, y, score, qid=qid).mean())

# %%
# A Parquet file or a folder of them. iter_scores yields the values of the queries block by block.
try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    print("Parquet needs pyarrow")
else:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scored.parquet"
        pq.write_table(pa.table({"qid": qid, "label": y, "score": score}), file)
        print(chunks.evaluate("nDCG@10", file))
        worst = min(
            (part.values.min(), part.qid[np.argmin(part.values)])
            for part in chunks.iter_scores("nDCG@10", file, block_rows=2000)
        )
        print(f"worst query: {worst[1]}, nDCG@10 {worst[0]:.3f}")

# %%
# Rows that are not grouped by query raise an error.
try:
    chunks.evaluate("AP", [(y[::-1], score[::-1], qid[::-1])])
except ValueError as error:
    print(error)
