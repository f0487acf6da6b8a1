"""Show how much a document changes a measure at every rank, and the effect of undiscovered ones
================================================================================================

These are the analyses of Kishida (2005), for any measure and any run.
"""

from study_collection import collection, parser

from skgraded import trec
from skgraded.studies import change_by_discovery, sensitivity

arguments = parser(__doc__).parse_args()
qrels, runs = collection(arguments)
run = next(iter(runs.values())) if isinstance(runs, dict) else runs[0]
rankings = trec.rank(qrels, run)
measures = [
    "AP",
    "xGAP(g=[0.1,0.9])",
    "QMeasure",
    "nDCG",
    "RBP",
    "ERR(max_grade=2)",
    "P@10",
]

# %%
# A document becomes relevant, and the recall base stays the same.
found = sensitivity(measures, rankings)
print(found, "\n")

# %%
# A relevant document is discovered, so that the recall base grows and values may fall.
found = sensitivity(measures, rankings, pool="grows", max_rank=1000)
print(found, "\n")

# %%
# Kishida's Table 1: a relevant document is discovered at rank 101.
for n_relevant in (10, 50, 100):
    changes = change_by_discovery([0.1, 0.3, 0.5], n_relevant, 101)
    print(f"R = {n_relevant:<4}", "  ".join(f"{change:+.5f}" for change in changes))
