"""Other tools, run on the same rankings: for every name of theirs the largest difference from ours.

``python tests/peers.py`` prints the differences as a table, for the tools that are installed.
"""

import importlib.util
import re
import shutil
import sys
import warnings
from typing import NamedTuple

import numpy as np

from skgraded import trec
from skgraded.conventions import CONVENTIONS, TOOLS, measure_as

CUTOFFS = (1, 3, 10, 100)
TOP_GRADE = 4


class Topics(NamedTuple):
    """Judgments and a run: lists lack judged documents, and hold unjudged ones.

    Attributes
    ----------
    qrels, run : dict of str to dict of str to number
        Grades and scores by topic and document. All scores differ and are positive.
    """

    qrels: dict
    run: dict

    def without_empty(self):
        """Topics with a relevant document, and with one that is judged not relevant."""
        return self.of(lambda grades: max(grades) > 0 and min(grades) == 0)

    def retrieved(self):
        """Only the judged documents that are in the lists, and no others."""
        qrels = {
            topic: {each: grades[each] for each in self.run[topic] if each in grades}
            for topic, grades in self.qrels.items()
        }
        run = {
            topic: {each: score for each, score in scores.items() if each in qrels[topic]}
            for topic, scores in self.run.items()
        }
        return Topics(qrels, run)

    def binary(self):
        """Grades of 1 or above as 1."""
        qrels = {
            topic: {each: min(grade, 1) for each, grade in grades.items()}
            for topic, grades in self.qrels.items()
        }
        return self._replace(qrels=qrels)

    def of(self, wanted):
        """Topics whose grades are wanted."""
        kept = [topic for topic, grades in self.qrels.items() if wanted(list(grades.values()))]
        return Topics(*({topic: each[topic] for topic in kept} for each in self))


def random_topics(seed=0, n_topics=40):
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for number in range(n_topics):
        top = 0 if number % 8 == 7 else TOP_GRADE
        judged, listed = (rng.choice(60, size, replace=False) for size in rng.integers(2, 45, 2))
        # At least one judged document is listed, and one of grade 0 is judged.
        judged, grades = np.append(judged, [98, 99]), rng.integers(0, top + 1, len(judged) + 2)
        grades[-1] = 0
        listed = rng.permutation(np.append(listed, [98, 99]))
        scores = (rng.permutation(len(listed)) + 1) / 4
        topic = str(101 + number)  # gdeval takes numbers alone
        qrels[topic] = {f"d{d:02d}": int(g) for d, g in zip(judged, grades, strict=True)}
        run[topic] = {f"d{d:02d}": float(s) for d, s in zip(listed, scores, strict=True)}
    return Topics(qrels, run)


class Compared(NamedTuple):
    """One name of a tool, and how far its values are from ours.

    Attributes
    ----------
    tool, theirs, ours : str
        The tool, its name, and the string of our measure.
    n_values : int
        Number of topics.
    largest : float
        The largest difference.
    tolerance : float
        What may remain, because the tool rounds.
    """

    tool: str
    theirs: str
    ours: str
    n_values: int
    largest: float
    tolerance: float


def names_of(tool, cutoffs=CUTOFFS):
    """The tool's names, with every cut-off."""
    table = TOOLS[tool].like or tool
    return [
        each.theirs.replace("{k}", str(k))
        for each in CONVENTIONS
        if each.tool == table
        for k in (cutoffs if "{k}" in each.theirs else cutoffs[:1])
    ]


def by_pytrec_eval(name, topics):
    import pytrec_eval

    families = "map_cut|ndcg_cut|P|recall|success|relative_P|iprec_at_recall|Rprec_mult"
    family = re.sub(f"^({families})_.*", r"\1", name)
    asked = f"{family}.{name.rpartition('_')[2]}" if family != name else name
    evaluator = pytrec_eval.RelevanceEvaluator(topics.qrels, {asked})
    values = {topic: found[name] for topic, found in evaluator.evaluate(topics.run).items()}
    return {t: np.exp(v) for t, v in values.items()} if name.startswith("gm_") else values


def by_ir_measures(name, topics):
    import ir_measures

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
        values[topic] = float(found)
    return values


BY_TOOL = {
    "pytrec_eval": by_pytrec_eval,
    "ir_measures": by_ir_measures,
    "ranx": by_ranx,
    "torchmetrics": by_torchmetrics,
}


def topics_for(tool, name, topics):
    """The topics for which the page of conventions claims the tool's number."""
    kind = re.split(r"[@(]", name)[0]
    if tool == "torchmetrics":
        topics = topics.retrieved()
        if kind != "RetrievalNormalizedDCG":
            topics = topics.binary()
        return topics.without_empty() if kind in ("RetrievalFallOut", "RetrievalAUROC") else topics
    if kind == "Accuracy":
        return topics.retrieved().without_empty()
    if kind.startswith("rbp."):
        return topics.binary()
    if (tool, kind) == ("ranx", "bpref"):
        return topics.without_empty()
    with_relevant = kind in ("utility", "num_ret", "num_nonrel_judged_ret", "NumRet")
    return topics.without_empty() if with_relevant else topics


def tolerance_of(tool, name):
    if tool == "torchmetrics":
        return 2e-6  # single precision
    if by_gdeval(tool, name):
        return 6e-6  # it prints five decimals
    return 1e-12


def by_gdeval(tool, name):
    """Whether ir_measures leaves the name to gdeval, which is a Perl script."""
    return tool == "ir_measures" and (name.startswith("ERR") or "exp-log2" in name)


def compare(tool, topics):
    """Compare every name of a tool's table; yield the differences one by one."""
    for name in names_of(tool):
        if by_gdeval(tool, name) and shutil.which("perl") is None:
            continue
        chosen = topics_for(tool, name, topics)
        theirs = BY_TOOL[tool](name, chosen)
        ours = measure_as(tool, name).resolve(TOP_GRADE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = trec.evaluate(ours, chosen.qrels, chosen.run)
        values = dict(zip(scores.qid.tolist(), scores.values[0, :, 0], strict=True))
        if name.startswith("gm_"):
            values = {topic: max(value, 1e-5) for topic, value in values.items()}
        if name == "Rndcg":  # the note of the convention
            values = {t: v for t, v in values.items() if not is_one_longer(chosen, t)}
        differences = [abs(value - theirs[topic]) for topic, value in values.items()]
        yield Compared(
            tool, name, str(ours), len(values), max(differences), tolerance_of(tool, name)
        )


def is_one_longer(topics, topic):
    n_relevant = sum(grade > 0 for grade in topics.qrels[topic].values())
    return len(topics.run[topic]) == n_relevant + 1 > 1


def installed(tool):
    needed = {"torchmetrics": ("torch", "torchmetrics"), "ir_measures": ("ir_measures", "cwl")}
    return all(map(importlib.util.find_spec, needed.get(tool, (tool,))))


def as_markdown(tools=tuple(BY_TOOL)):
    """Write the table: largest difference over all cut-offs of a name, and on how many values."""
    lines = ["| tool | theirs | ours | values | largest difference |", "|---|---|---|---|---|"]
    topics = random_topics()
    for tool in tools:
        if not installed(tool):
            lines.append(f"| {tool} | | | | not installed |")
            continue
        found = {}
        for each in compare(tool, topics):
            family = re.sub(r"(@|_|top_k=)(1|3|10|100)(?=$|[,)])", r"\1k", each.theirs)
            found.setdefault(family, []).append(each)
        for family, of_family in found.items():
            n_values = sum(each.n_values for each in of_family)
            largest = max(each.largest for each in of_family)
            ours = of_family[0].ours
            ours = re.sub(r"@1$", "@k", ours) if len(of_family) > 1 else ours
            lines.append(f"| {tool} | `{family}` | `{ours}` | {n_values} | {largest:.1e} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_markdown(tuple(sys.argv[1:]) or tuple(BY_TOOL)))
