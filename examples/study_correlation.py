"""Show for which g the measures GAP, xGAP and eGAP order systems differently from AP
=====================================================================================

The study repeats Tables 2 and 3 of Ferrante, Ferro and Maistro (2014) on your own runs. It uses the
runs above the first quartile of mean AP, on all topics and on the topics with few highly relevant
documents.
"""

from study_collection import collection, parser, save

from skgraded import trec
from skgraded.studies import (
    above_first_quartile,
    correlate,
    sweep_thresholds,
    threshold_grid,
    threshold_measures,
    topic_facts,
)

words = parser(__doc__)
words.add_argument(
    "--ratio", type=float, default=2.0, help="few: R(1) >= ratio * R(2) > 0"
)
arguments = words.parse_args()
qrels, runs = collection(arguments)
facts = topic_facts(qrels)
print(facts, "\n")

# %%
# A single evaluation covers all g, because these measures share the sort and the pair moments.
grid = threshold_grid(int(facts.grades[-1]), 10 if arguments.full else 4)
others = ["AP", "nDCG", "RBP", "Bpref"]
scores = trec.evaluate([*threshold_measures(grid), *others], qrels, runs)
topics = {"all": facts.n_relevant > 0, "few": facts.few(2, arguments.ratio)}
kept = above_first_quartile(scores)
sweep = sweep_thresholds(scores, topics=topics, systems=kept)
print(sweep, "\n")
save(sweep.plot(), arguments, "correlation_over_g")
save(sweep.plot(against="nDCG"), arguments, "correlation_over_g_ndcg")

# %%
# All pairs of measures for g = (0.1, 0.9), also by tau_AP, which gives more weight to the top.
graded = [f"{name}(g=[0.1,0.9])" for name in ("GAP", "xGAP", "eGAP")]
pairs = trec.evaluate(
    ["AP", *graded, "nDCG", "RBP", "Bpref", "QMeasure", "P@10"], qrels, runs
)
found = correlate(pairs, topics=topics, systems=kept)
print(found, "\n")
print(found.to_text("tau_ap"))
save(found.plot(), arguments, "correlation_pairs")
