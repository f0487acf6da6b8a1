"""Show how robust measures are to missing judgments
====================================================

Pools are reduced by stratified sampling (Buckley and Voorhees 2004), by simple random sampling
(Yilmaz and Aslam 2006), and by depth.
"""

from study_collection import collection, parser, save

from skgraded import trec
from skgraded.studies import above_first_quartile, incompleteness, topic_facts

arguments = parser(__doc__).parse_args()
qrels, runs = collection(arguments)
facts = topic_facts(qrels)
topics = {"all": facts.n_relevant > 0, "few": facts.few(2, 2.0)}
kept = above_first_quartile(trec.evaluate("AP", qrels, runs))
graded = [f"{name}(g=[0.1,0.9])" for name in ("GAP", "xGAP", "eGAP")]
n_repeats = 10 if arguments.full else 2

# %%
# The measures of Ferrante, Ferro and Maistro (2014): how much does the order of systems change?
found = incompleteness(
    ["AP", *graded, "nDCG", "RBP", "Bpref"],
    qrels,
    runs,
    topics=topics,
    systems=kept,
    n_repeats=n_repeats,
    rates=None if arguments.full else [100, 50, 20, 5],
)
for name in topics:
    print(found.to_text(topics=name), "\n")
    save(found.plot(topics=name), arguments, f"incompleteness_{name}")

# %%
# Compare lists that are condensed to judged documents with the original lists.
condensed = [
    f"{name}(unjudged=condense)"
    if "(" not in name
    else f"{name[:-1]},unjudged=condense)"
    for name in ("AP", graded[0], "QMeasure", "nDCG")
]
found = incompleteness(
    ["AP", "QMeasure", "nDCG", *condensed, "RprefRelative2", "Bpref"],
    qrels,
    runs,
    systems=kept,
    n_repeats=n_repeats,
    rates=[100, 90, 70, 50, 30, 10] if arguments.full else [100, 10],
)
print(found, "\n")
print(found.to_text("score"), "\n")
save(found.plot(), arguments, "incompleteness_condensed")
save(found.plot(statistic="score"), arguments, "incompleteness_condensed_score")

# %%
# Estimates of AP from a random sample of the pool.
found = incompleteness(
    ["infAP", "Bpref", "BprefTen", "AP", "AP(unjudged=condense)"],
    qrels,
    runs,
    method="random",
    n_repeats=n_repeats,
    rates=None if arguments.full else [100, 30, 10],
)
for statistic in ("target_kendall", "target_pearson", "target_rmse"):
    print(found.to_text(statistic), "\n")
    save(found.plot(statistic=statistic), arguments, f"estimates_{statistic}")

# %%
# Shallow pools: only the first few documents of the runs are judged.
found = incompleteness(
    ["AP", *graded, "nDCG", "Bpref", condensed[2]],
    qrels,
    runs,
    method="depth",
    systems=kept,
)
print(found)
save(found.plot(), arguments, "incompleteness_depth")
