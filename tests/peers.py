"""Other tools, run on the same rankings: every name of theirs, and what became of it."""

import importlib.util
import inspect
import itertools
import re
import shutil
import warnings
from typing import NamedTuple

import numpy as np

from skgraded import trec
from skgraded.conventions import conventions_of, measure_as

TOP_GRADE = 4
# Numbers that stand in the place of those in a name of the table.
NUMBERS = {
    "k": ("1", "3", "10", "100"),
    "recall": tuple(f"{tenths / 10:.2f}" for tenths in range(11)),
    "multiple": tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11)),
    "p": (".50", ".80", ".90", ".95"),
    "beta": ("1", "4"),
    "weights": ("1,-1,0,0", "2,-1,0,0"),
    "recalls": (".25,.5,.75", ".1,.9"),
}

# --- Rankings ------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """Ragged queries with ties, some of them with nothing relevant."""

    y_true: np.ndarray
    y_score: np.ndarray
    qid: np.ndarray
    sizes: np.ndarray


def random_queries(seed, n_queries=60, longest=40, n_grades=5, n_scores=12):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest, n_queries)
    qid = np.repeat(np.arange(n_queries), sizes)
    y_true = rng.integers(0, n_grades, len(qid)) * (rng.random(n_queries) > 0.15)[qid]
    return Rows(y_true, rng.integers(0, n_scores, len(qid)) / 4.0, qid, sizes)


class Topics(NamedTuple):
    """Judgments and a run by topic: lists lack judged documents, and hold unjudged ones.

    All scores differ and are positive.
    """

    qrels: dict
    run: dict

    def of(self, wanted):
        """Topics whose grades are wanted."""
        kept = [
            topic
            for topic, grades in self.qrels.items()
            if wanted(list(grades.values()))
        ]
        return Topics(*({topic: each[topic] for topic in kept} for each in self))

    def without_empty(self):
        """Topics with a relevant document, and with one that is judged not relevant."""
        return self.of(lambda grades: max(grades) > 0 and min(grades) == 0)

    def retrieved(self):
        """Only the judged documents that are in the lists, and no others."""
        judged = {t: {d: self.qrels[t][d] for d in run if d in self.qrels[t]}
                  for t, run in self.run.items()}  # fmt: skip
        run = {t: {d: self.run[t][d] for d in grades} for t, grades in judged.items()}
        return Topics(judged, run)

    def binary(self):
        """Grades of 1 or above as 1."""
        return self._replace(
            qrels={
                t: {d: min(g, 1) for d, g in grades.items()}
                for t, grades in self.qrels.items()
            }
        )


def random_topics(seed=0, n_topics=40):
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(n_topics):
        top = 0 if number % 8 == 7 else TOP_GRADE
        judged, listed = (
            rng.choice(60, size, replace=False) for size in rng.integers(2, 45, 2)
        )
        # At least one judged document is listed, and one of grade 0 is judged.
        judged, grades = (
            np.append(judged, [98, 99]),
            rng.integers(0, top + 1, len(judged) + 2),
        )
        grades[-1] = 0
        listed = rng.permutation(np.append(listed, [98, 99]))
        scores = (rng.permutation(len(listed)) + 1) / 4
        topic = str(101 + number)  # gdeval takes numbers alone
        qrels[topic] = {
            f"d{d:02d}": int(g) for d, g in zip(judged, grades, strict=True)
        }
        run[topic] = {
            f"d{d:02d}": float(s) for d, s in zip(listed, scores, strict=True)
        }
    return Topics(qrels, run)


# --- What the tools compute: one number for all rows, or one for each query ----------------------


def by_lightgbm(name, rows, **params):
    """Evaluate scores that do not come from a model: they are the data set's starting scores."""
    import lightgbm

    metric, _, k = name.partition("@")
    data = lightgbm.Dataset(
        np.zeros((len(rows.qid), 1)), rows.y_true, group=rows.sizes, init_score=rows.y_score,
        params={"feature_pre_filter": False, "verbose": -1},
    )  # fmt: skip
    options = {
        "objective": "lambdarank",
        "metric": metric,
        "eval_at": [int(k)],
        "verbose": -1,
    }
    booster = lightgbm.Booster(
        {**options, "min_data_in_leaf": 1, "num_threads": 1, **params}, data
    )
    return {"all": booster.eval_train()[0][2]}


def by_xgboost(name, rows, **params):
    import xgboost

    data = xgboost.DMatrix(
        np.zeros((len(rows.qid), 1)), label=rows.y_true, base_margin=rows.y_score
    )
    data.set_group(rows.sizes)
    options = {
        "objective": "rank:pairwise",
        "eval_metric": [name],
        "base_score": 0.0,
        "nthread": 1,
    }
    printed = xgboost.Booster({**options, **params}, [data]).eval(data)
    return {"all": float(printed.rpartition(":")[2])}


def by_catboost(name, rows):
    from catboost.utils import eval_metric

    labels = rows.y_true.astype(float)
    return {"all": eval_metric(labels, rows.y_score, name, group_id=rows.qid)[0]}


def by_sklearn(name, rows):
    import sklearn.metrics

    function, _, k = name.rstrip(")").partition("(k=")
    call, options = getattr(sklearn.metrics, function), {"k": int(k)} if k else {}
    is_matrix = function not in ("average_precision_score", "roc_auc_score")
    found = {}
    for query in np.unique(rows.qid):
        y, s = (each[rows.qid == query] for each in rows[:2])
        if function == "label_ranking_average_precision_score" or (
            len(y) > 1 if is_matrix else len(set(y)) > 1
        ):  # its notes
            found[query] = (
                call(y[None], s[None], **options) if is_matrix else call(y, s)
            )
    return found


def by_pytrec_eval(name, topics):
    import pytrec_eval

    asked = re.sub(r"_([\d.]+)$", r".\1", name)
    found = pytrec_eval.RelevanceEvaluator(topics.qrels, {asked}).evaluate(topics.run)
    values = {
        topic: value for topic, of_topic in found.items() for value in of_topic.values()
    }
    return (
        {t: np.exp(v) for t, v in values.items()} if name.startswith("gm_") else values
    )


def by_ir_measures(name, topics):
    import ir_measures

    asked = name
    if isinstance(name, str):
        kind, _, cutoff = name.partition("@")
        if kind.startswith(("BPM", "INS", "NERR", "SDCG")):
            kind += f"(max_rel={TOP_GRADE})"
        asked = ir_measures.parse_measure(f"{kind}@{cutoff}" if cutoff else kind)
    found = ir_measures.iter_calc([asked], topics.qrels, topics.run)
    return {each.query_id: each.value for each in found}


def by_ranx(name, topics):
    import ranx

    run = ranx.Run(topics.run)
    ranx.evaluate(ranx.Qrels(topics.qrels), run, [name])
    return dict(run.scores[name])


def by_torchmetrics(name, topics):
    import torch
    import torchmetrics.retrieval

    kind, _, words = name.rstrip(")").partition("(")
    pairs = [each.split("=") for each in words.split(",") if each]
    options = {key: True if value == "True" else int(value) for key, value in pairs}
    values = {}
    for topic, scores in topics.run.items():
        grades = [topics.qrels[topic][each] for each in scores]
        metric = getattr(torchmetrics.retrieval, kind)(**options)
        found = metric(torch.tensor(list(scores.values())), torch.tensor(grades),
                       indexes=torch.zeros(len(grades), dtype=torch.long))  # fmt: skip
        values[topic] = (
            found if isinstance(found, tuple) else float(found)
        )  # curves are tuples
    return values


# --- The names that the tools themselves list ----------------------------------------------------


def names_of_catboost():
    """Every name of CatBoost's own list, with every value of its parameters, or none."""
    from catboost import metrics

    samples = {
        "top": ("3", "-1"), "type": ("Base", "Exp", "Classic", "Ranking"), "border": ("0.5", "1"),
        "denominator": ("LogPosition", "Position"), "decay": ("0.5",),
    }  # fmt: skip
    names = []
    for name, kind in vars(metrics).items():
        if not isinstance(kind, type) or kind is metrics.BuiltinMetric:
            continue
        if not issubclass(kind, metrics.BuiltinMetric):
            continue
        known = [each for each in kind.params_with_defaults() if each in samples]
        for chosen in itertools.product(*(("", *samples[each]) for each in known)):
            words = [f"{p}={v}" for p, v in zip(known, chosen, strict=True) if v]
            names.append(":".join(filter(None, [name, ";".join(words)])))
    return names


# A value of every parameter that ir_measures' measures have, beside the default.
PARAMETERS = {
    "cutoff": 3, "rel": 2, "judged_only": True, "dcg": "exp-log2", "relative": True, "beta": 2.0,
    "gains": {1: 2, 2: 3, 3: 7, 4: 9}, "p": 0.5, "T": 2.0, "normalize": False, "recall": 0.3,
    "alpha": 0.3, "min_rel": 1,
}  # fmt: skip


def measures_of_ir_measures():
    """Every measure of its registry, by its own list of parameters, with and without each."""
    import ir_measures

    found = {}
    for name, kind in ir_measures.measures.registry.items():
        known = dict(kind.SUPPORTED_PARAMS)
        scale = {"max_rel": 4} if known.pop("max_rel", None) else {}
        assert known.keys() <= PARAMETERS.keys(), name
        for chosen in itertools.product((False, True), repeat=len(known)):
            params = {
                p: PARAMETERS[p]
                for p, is_set in zip(known, chosen, strict=True)
                if is_set
            }
            each = kind(**scale, **params)
            found[str(each)] = each
    return list(found.values())


def names_of_pytrec_eval():
    """The names of all values that it computes."""
    import pytrec_eval

    topics = random_topics(n_topics=1)
    evaluator = pytrec_eval.RelevanceEvaluator(
        topics.qrels, pytrec_eval.supported_measures
    )
    (values,) = evaluator.evaluate(topics.run).values()
    return sorted(values)


def names_of_ranx():
    """Every metric of its own switch, with and without a cut-off and a lowest relevant grade."""
    import ranx.metrics

    names = re.findall(
        r'metric == "([^"]+)"', inspect.getsource(ranx.metrics.metric_switch)
    )
    numbers = {"rbp": ("", ".07", ".5", ".85", ".95", "@80")}
    return [
        f"{name}{number}{level}"
        for name in names
        for number in numbers.get(name, ("", "@0", "@3"))
        for level in ("", "-l1", "-l2")
    ]


# What sklearn.metrics holds in its module of rankings, and draws or integrates.
CURVES_OF_SKLEARN = {
    "auc", "det_curve", "precision_recall_curve", "roc_curve", "metric_at_thresholds",
    "confusion_matrix_at_thresholds",
}  # fmt: skip


def names_of_sklearn():
    """Every ranking metric that is a number."""
    import sklearn.metrics

    module = "sklearn.metrics._ranking"
    found = {
        n
        for n, f in vars(sklearn.metrics).items()
        if getattr(f, "__module__", "") == module
    }
    return sorted(found - CURVES_OF_SKLEARN)


def names_of_torchmetrics():
    """Every class of its own list, with and without a cut-off, and with options that it takes."""
    import torchmetrics.retrieval

    names = []
    for name in torchmetrics.retrieval.__all__:
        options = inspect.signature(getattr(torchmetrics.retrieval, name)).parameters
        names.append(name)
        if "top_k" in options:
            names.append(f"{name}(top_k=3)")
        if "adaptive_k" in options:
            names.append(f"{name}(top_k=3,adaptive_k=True)")
    return names


class Peer(NamedTuple):
    """How a tool computes a name, on which rankings, and the names that it lists itself, if any.

    The last field is what may remain between its numbers and ours, because the tool rounds.
    """

    compute: object
    make: object
    names: object = list
    tolerance: float = 1e-9


PEERS = {
    "lightgbm": Peer(by_lightgbm, random_queries),
    "xgboost": Peer(by_xgboost, random_queries),
    "catboost": Peer(by_catboost, random_queries, names_of_catboost),
    "sklearn": Peer(by_sklearn, random_queries, names_of_sklearn),
    "pytrec_eval": Peer(by_pytrec_eval, random_topics, names_of_pytrec_eval, 1e-12),
    "ir_measures": Peer(by_ir_measures, random_topics, measures_of_ir_measures, 1e-12),
    "ranx": Peer(by_ranx, random_topics, names_of_ranx, 1e-12),
    # in single precision
    "torchmetrics": Peer(by_torchmetrics, random_topics, names_of_torchmetrics, 2e-6),
}
LISTED = [
    tool for tool, peer in PEERS.items() if peer.names is not list and tool != "sklearn"
]


def installed(tool):
    needed = {
        "torchmetrics": ("torch", "torchmetrics"),
        "ir_measures": ("ir_measures", "cwl"),
    }
    return all(map(importlib.util.find_spec, needed.get(tool, (tool,))))


def names_of_table(tool):
    """The names in our table, with several numbers where they hold one."""
    names = []
    for each in conventions_of(tool):
        field = next(
            (field for field in NUMBERS if f"{{{field}}}" in each.theirs), None
        )
        if tool == "pytrec_eval" and field in ("weights", "recalls"):
            continue  # it takes none of these parameters; the sample outputs of trec_eval have them
        names += [each.theirs.format(**{field: n}) for n in NUMBERS.get(field, "x")]
    return names


# --- What became of the names --------------------------------------------------------------------


def rankings_for(tool, name, rankings):
    """The rankings for which the rules and notes of the table claim the tool's number."""
    kind = re.split(r"[@(:]", name)[0]
    if isinstance(rankings, Rows):
        is_sklearn = tool == "sklearn" and kind not in ("ndcg_score", "dcg_score")
        if is_sklearn and kind != "roc_auc_score":  # without ties
            order = np.random.default_rng(0).permutation(len(rankings.qid))
            rankings = rankings._replace(y_score=order.astype(float))
        is_binary = is_sklearn or (
            tool == "xgboost" and kind.startswith(("map", "pre"))
        )
        return (
            rankings._replace(y_true=np.minimum(rankings.y_true, 1))
            if is_binary
            else rankings
        )
    if tool == "torchmetrics":
        rankings = rankings.retrieved()
        if kind != "RetrievalNormalizedDCG":
            rankings = rankings.binary()
        of_both = kind in ("RetrievalFallOut", "RetrievalAUROC")
        return rankings.without_empty() if of_both else rankings
    if kind == "Accuracy":
        rankings = rankings.retrieved().without_empty()
        return rankings.of(lambda grades: max(grades) >= PARAMETERS["rel"])
    if tool == "ranx" and kind.startswith("rbp"):
        return rankings.binary()
    if tool == "ranx" and kind.startswith("bpref"):
        rankings = rankings.without_empty()
        return rankings.of(lambda grades: max(grades) >= PARAMETERS["rel"])
    of_relevant = ("utility", "num_ret", "num_nonrel_judged_ret", "NumRet")
    return rankings.without_empty() if kind.startswith(of_relevant) else rankings


def ours_on(measure, name, rankings):
    """Our values by query, and their mean under the name "all"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(rankings, Rows):
            scores = measure.per_query(
                rankings.y_true, rankings.y_score, qid=rankings.qid
            )
            return {
                "all": float(scores),
                **dict(zip(scores.qid, scores.values, strict=True)),
            }
        scores = trec.evaluate(measure, rankings.qrels, rankings.run)
    values = dict(
        zip(scores.qid.tolist(), scores.values[0, :, 0].tolist(), strict=True)
    )
    if name.startswith("gm_"):
        return {topic: max(value, 1e-5) for topic, value in values.items()}
    if name == "Rndcg":  # the note of the convention
        return {
            t: value for t, value in values.items() if not is_one_longer(rankings, t)
        }
    return values


def is_one_longer(topics, topic):
    n_relevant = sum(grade > 0 for grade in topics.qrels[topic].values())
    return len(topics.run[topic]) == n_relevant + 1 > 1


class Found(NamedTuple):
    """What became of a name: "equal", "differs", "refused with a reason" or "no value there".

    With it the reason why it was refused, or the number of values and their largest difference.
    """

    name: str
    outcome: str
    reason: str = ""
    n_values: int = 0
    largest: float = 0.0


# What a tool raises of a name that it lists, but does not compute.
ERRORS = (AssertionError, ValueError, RuntimeError, ZeroDivisionError, TypeError)


def ask(tool, asked, rankings):
    """Ask us for a name, and the tool, unless we refuse it: some crash on names of their own."""
    name = str(asked)
    chosen = rankings_for(tool, name, rankings)
    try:
        measure = measure_as(tool, asked)
    except ValueError as error:
        return Found(name, "refused with a reason", str(error))
    try:
        theirs = PEERS[tool].compute(asked, chosen)
    except Exception as error:
        if not isinstance(error, ERRORS) and type(error).__name__ != "CatBoostError":
            raise
        return Found(name, "no value there")
    ours = ours_on(measure.resolve(TOP_GRADE), name, chosen)
    differences = [
        abs(ours[query] - value) for query, value in theirs.items() if query in ours
    ]
    by_gdeval = tool == "ir_measures" and (name.startswith("ERR") or "exp-log2" in name)
    tolerance = 6e-6 if by_gdeval else PEERS[tool].tolerance  # it prints five decimals
    largest = max(differences, default=np.nan)
    outcome = "equal" if largest <= tolerance else "differs"  # so does nan
    return Found(name, outcome, "", len(differences), largest)


def walk(tool, names, seed):
    """Ask the tool and us for many names."""
    rankings = PEERS[tool].make(seed)
    needs_perl = tool == "ir_measures" and shutil.which("perl") is None
    return [
        ask(tool, each, rankings)
        for each in names
        if not (needs_perl and (str(each).startswith("ERR") or "exp-log2" in str(each)))
    ]
