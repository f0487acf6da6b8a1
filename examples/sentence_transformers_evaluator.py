"""Evaluate embeddings on graded judgments while sentence-transformers trains them
=================================================================================

The evaluators of sentence-transformers tell relevant documents from others. This one takes grades,
here exact match, substitute and complement of a shopping query, and any measure. It runs as it
stands without sentence-transformers and without a network: the models below are small stand-ins
with the method ``encode``, and only the evaluator's protocol is used: a call with a model that
returns a dict of numbers, ``primary_metric`` and ``greater_is_better``. This script is run without
the library; with it, give ``evaluator=`` to ``SentenceTransformerTrainer`` and
``metric_for_best_model="eval_shop_xGAP"`` to its arguments.
"""

# %%
from itertools import product

import numpy as np

from skgraded import trec

try:
    from sentence_transformers.evaluation import SentenceEvaluator
except ImportError:
    SentenceEvaluator = object


class GradedEvaluator(SentenceEvaluator):
    """Rank the corpus for every query by cosine similarity, and score the lists by measures.

    ``queries`` and ``corpus`` map ids to texts, ``qrels`` is anything that `trec.read_qrels` reads,
    and ``measures`` maps names without brackets, which loggers like, to measures; the first is the
    primary one.
    """

    def __init__(self, queries, corpus, qrels, measures, *, name="", depth=100):
        super().__init__()
        self.queries, self.corpus, self.depth = queries, corpus, depth
        self.qrels = trec.read_qrels(qrels)
        self.measures = {
            f"{name}_{key}".lstrip("_"): each for key, each in measures.items()
        }
        self.primary_metric, self.greater_is_better = next(iter(self.measures)), True

    def __call__(self, model, output_path=None, epoch=-1, steps=-1):
        """Return the mean of each measure by its name."""
        return trec.evaluate(
            self.measures, self.qrels, {"model": self.run(model)}
        ).mean()["model"]

    def run(self, model):
        """Return the nearest documents of every query with their similarities."""
        query, document = (
            unit_length(model.encode(list(texts.values())))
            for texts in (self.queries, self.corpus)
        )
        ids, run = list(self.corpus), {}
        for topic, row in zip(self.queries, query @ document.T, strict=True):
            # All documents that are tied with the last are kept; their order would be arbitrary.
            last = np.sort(row)[-min(self.depth, len(row))]
            run[topic] = {
                ids[place]: row[place] for place in np.flatnonzero(row >= last)
            }
        return run


def unit_length(vectors):
    vectors = np.asarray(vectors, dtype=np.float64)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


# %%
# A shop: 90 % of shoppers want the kind and the colour that they asked for, 9 % another colour too.
KINDS = {"shoe": "sock", "lamp": "bulb", "cup": "spoon", "sock": "shoe", "bulb": "lamp"}
COLOURS = ("red", "green", "blue", "white")
corpus = {
    f"{c}-{k}-{s}": f"{c} {k} {s}"
    for c, k, s in product(COLOURS, KINDS, ("small", "large"))
}
queries = {f"q-{c}-{k}": f"{c} {k}" for c, k in product(COLOURS, KINDS)}


def judge(query, document):
    colour, kind = query.split()
    if kind in document.split():
        return "exact" if colour in document.split() else "substitute"
    return "complement" if KINDS[kind] in document.split() else "irrelevant"


grades = {"irrelevant": 0, "complement": 1, "substitute": 2, "exact": 3}
qrels = {q: {d: judge(queries[q], corpus[d]) for d in corpus} for q in queries}
evaluator = GradedEvaluator(
    queries,
    corpus,
    trec.read_qrels(qrels, grades=grades),
    {"xGAP": "xGAP(g=[0.01,0.09,0.9])@10", "nDCG": "nDCG(gain=[0.01,0.1,1])@10"},
    name="shop",
)


# %%
# Two stand-ins for checkpoints: one sees kinds alone, the other has learned colours as well. The
# first ties all products of a kind. Its values are means over all orders of the tied products, so
# that it gains nothing from the order of the corpus.
class Words:
    """A model that sees some words, each with a weight."""

    def __init__(self, weights):
        self.weights = weights

    def encode(self, texts):
        """Return a row of weights for each text."""
        bags = [text.split() for text in texts]
        return np.array(
            [[w * (word in bag) for word, w in self.weights.items()] for bag in bags]
        )


kinds = dict.fromkeys(KINDS, 1.0)
early, late = Words(kinds), Words(kinds | dict.fromkeys(COLOURS, 0.7))
for name, model in {"early": early, "late": late}.items():
    print(name, {key: round(value, 4) for key, value in evaluator(model).items()})
print("primary metric:", evaluator.primary_metric)

# %%
# For a comparison with intervals, keep ``evaluator.run(model)`` of both checkpoints and call
# ``skgraded.compare(trec.evaluate(measures, qrels, {"early": ..., "late": ...}))``.
