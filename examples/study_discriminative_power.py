"""Show how well measures tell systems apart
============================================

Discriminative power (Sakai 2006) is the share of the pairs of systems that differ significantly.
"""

import time

from study_collection import collection, parser

from skgraded import trec
from skgraded.studies import discriminative_power, reduce_pool

arguments = parser(__doc__).parse_args()
qrels, runs = collection(arguments)
graded = [f"{name}(g=[0.1,0.9])" for name in ("GAP", "xGAP", "eGAP")]
condensed = [f"{name}(unjudged=condense)" for name in ("AP", "QMeasure", "nDCG")]
measures = [
    "AP",
    *graded,
    "QMeasure",
    "nDCG",
    "nDCG@10",
    "RBP",
    "Bpref",
    "P@10",
    "RPrecision",
]
measures += ["ERR", "RR", "RprefRelative2", *condensed]
scores = trec.evaluate(measures, qrels, runs)

# %%
for test in ("bootstrap", "t", "tukey"):
    start = time.perf_counter()
    found = discriminative_power(scores, test=test)
    print(f"{found}\n{time.perf_counter() - start:.1f} s\n")

# %%
# Repeat with a tenth of the judgments, which condensed lists tolerate better (Sakai 2007, Fig. 3).
names = ["AP", "nDCG", "QMeasure", *condensed, "Bpref"]
print(f"\n% of the judgments   {'  '.join(names)}")
for rate in (100, 50, 10) if arguments.full else (100, 10):
    reduced = trec.evaluate(names, reduce_pool(qrels, rate), runs)
    power = discriminative_power(reduced).power
    shares = [
        f"{share:>{len(name)}.1%}" for name, share in zip(names, power, strict=True)
    ]
    print(f"{rate:>18}   {'  '.join(shares)}")
