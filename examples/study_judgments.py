"""Compare the variation between assessors with the variation between topics
============================================================================

The first part is the simulation of Kishida (2005), Table 2. The second part uses graded judgments
of several assessors.
"""

import numpy as np
from study_collection import parser

from skgraded.datasets import make_ranking
from skgraded.studies import compare_assessors, simulate_judgments

parser(__doc__).parse_args()
rng = np.random.default_rng(0)

# %%
# 50 topics of 10 documents; a document is relevant to an assessor with probability theta or
# 1 - theta.
topic, score = np.repeat(np.arange(50), 10), np.tile(-np.arange(10.0), 50)
for theta in (0.9, 0.5):
    probabilities = rng.choice([theta, 1.0 - theta], size=500)
    found = simulate_judgments("AP", probabilities, score, qid=topic, random_state=rng)
    print(f"theta = {theta}\n{found}\n")

# %%
# Five assessors are one grade too strict or too lenient for 20 % of the documents.
X, grades, qid = make_ranking(n_queries=80, docs_per_query=40, random_state=0)
slips = rng.choice([-1, 0, 1], p=[0.1, 0.8, 0.1], size=(len(grades), 5))
assessments = np.clip(grades[:, None] + slips, 0, 4)
system = grades + 2.0 * rng.normal(size=len(grades))
measures = [
    "AP",
    "GAP",
    "xGAP",
    "eGAP",
    "nDCG",
    "nDCG@10",
    "QMeasure",
    "ERR",
    "RR",
    "P@10",
]
found = compare_assessors(measures, assessments, system, qid=qid)
print(found)
