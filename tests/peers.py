"""Other tools, run on the same rankings: for every name of theirs the largest difference from ours.

``python tests/peers.py`` prints the differences as a table, for the tools that are installed;
``--write`` counts in CONTRIBUTING.md what became of all names that these tools accept.
"""

import collections
import importlib.metadata
import importlib.util
import inspect
import itertools
import re
import shutil
import sys
import warnings
from pathlib import Path
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
        values[topic] = found if isinstance(found, tuple) else float(found)  # curves are tuples
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
            params = {p: PARAMETERS[p] for p, is_set in zip(known, chosen, strict=True) if is_set}
            each = kind(**scale, **params)
            found[str(each)] = each
    return list(found.values())


def names_of_pytrec_eval():
    """The names of all values that it computes."""
    import pytrec_eval

    topics = random_topics(n_topics=1)
    evaluator = pytrec_eval.RelevanceEvaluator(topics.qrels, pytrec_eval.supported_measures)
    (values,) = evaluator.evaluate(topics.run).values()
    return sorted(values)


def names_of_ranx():
    """Every metric of its own switch, with and without a cut-off and a lowest relevant grade."""
    import ranx.metrics

    names = re.findall(r'metric == "([^"]+)"', inspect.getsource(ranx.metrics.metric_switch))
    numbers = {"rbp": ("", ".07", ".5", ".85", ".95", "@80")}
    return [
        f"{name}{number}{level}"
        for name in names
        for number in numbers.get(name, ("", "@0", "@3"))
        for level in ("", "-l1", "-l2")
    ]


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


def by_catboost(name, topics):
    """The mean, under the name "all"."""
    from catboost.utils import eval_metric

    labels, scores, qid = rows_of(topics)
    (value,) = eval_metric(labels.astype(float), scores, name, group_id=qid)
    return {"all": value}


def rows_of(topics):
    """The judged documents of the lists, as labels, scores and query ids."""
    rows = [
        (topics.qrels[topic][document], score, int(topic))
        for topic, scores in topics.retrieved().run.items()
        for document, score in scores.items()
    ]
    return tuple(map(np.array, zip(*rows, strict=True)))


# The names of each tool, and how it computes one.
WALKED = {
    "catboost": (names_of_catboost, by_catboost),
    "ir_measures": (measures_of_ir_measures, by_ir_measures),
    "pytrec_eval": (names_of_pytrec_eval, by_pytrec_eval),
    "ranx": (names_of_ranx, by_ranx),
    "torchmetrics": (names_of_torchmetrics, by_torchmetrics),
}
OUTCOMES = ("equal", "refused with a reason", "no value there")
REASONS = (
    "No measure of skgraded has|The gain of grade 0 is 0|no ranking measure|without a persistence"
)


class Walked(NamedTuple):
    """What became of a name: one of OUTCOMES, or "differs"; and the reason where it is refused."""

    name: str
    outcome: str
    reason: str = ""


def walk(tool):
    """Ask the tool and us for every name of its own list."""
    names, by_tool = WALKED[tool]
    topics = random_topics(2)
    found = []
    for asked in names():
        name = str(asked)
        chosen = topics_of_walk(tool, name, topics)
        try:
            theirs = by_tool(asked, chosen)
        except (*ERRORS, *errors_of(tool)):
            found.append(Walked(name, "no value there"))
            continue
        try:
            ours = measure_as(tool, asked)
        except ValueError as error:
            found.append(Walked(name, "refused with a reason", str(error)))
            continue
        values = values_of(ours.resolve(TOP_GRADE), tool, name, chosen)
        tolerance = max(tolerance_of(tool, name), 1e-9 if tool == "catboost" else 0.0)
        is_near = all(abs(value - theirs[topic]) <= tolerance for topic, value in values.items())
        found.append(Walked(name, "equal" if is_near and values else "differs"))
    return found


ERRORS = (AssertionError, ValueError, RuntimeError, ZeroDivisionError)


def errors_of(tool):
    if tool != "catboost":
        return ()
    from catboost import CatBoostError

    return (CatBoostError,)


def topics_of_walk(tool, name, topics):
    """The topics for which the page of conventions claims the tool's number."""
    chosen = topics_for(tool, name, topics)
    if name.startswith("Accuracy"):  # its notes, with the highest threshold
        chosen = chosen.of(lambda grades: max(grades) >= PARAMETERS["rel"])
    if (tool, name[:5]) == ("ranx", "bpref"):
        chosen = chosen.of(lambda grades: max(grades) >= PARAMETERS["rel"])
    if (tool, name[:3]) == ("ranx", "rbp"):
        chosen = topics.binary()
    return chosen


def values_of(ours, tool, name, topics):
    """Our values by topic, or the mean of all rows for CatBoost."""
    if tool == "catboost":
        labels, scores, qid = rows_of(topics)
        return {"all": ours(labels, scores, qid=qid)}
    scores = trec.evaluate(ours, topics.qrels, topics.run)
    values = dict(zip(scores.qid.tolist(), scores.values[0, :, 0].tolist(), strict=True))
    if name.startswith("gm_"):
        return {topic: max(value, 1e-5) for topic, value in values.items()}
    if name == "Rndcg":  # the note of the convention
        return {t: v for t, v in values.items() if not is_one_longer(topics, t)}
    return values


def version_of(tool):
    package = {"pytrec_eval": "pytrec_eval-terrier"}.get(tool, tool)
    return importlib.metadata.version(package)


def counts_of(walked):
    return collections.Counter(each.outcome for each in walked)


def row_of(tool, walked):
    counts = counts_of(walked)
    return [tool, version_of(tool), str(len(walked)), *(str(counts[each]) for each in OUTCOMES)]


PAGE = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
HEAD = f"| tool | version | names | {' | '.join(OUTCOMES)} |\n|---|---|---|---|---|---|\n"


def rows_of_page():
    """The rows of the table in the page, as lists of cells."""
    lines = PAGE.read_text().partition(HEAD)[2].splitlines()
    table = itertools.takewhile(lambda line: line.startswith("|"), lines)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def write_page():
    """Walk the installed tools, and put their rows into the page; others keep theirs."""
    rows = {row[0]: row for row in rows_of_page()}
    before, head, after = PAGE.read_text().partition(HEAD)
    rest = after.splitlines(keepends=True)[len(rows) :]
    rows.update((tool, row_of(tool, walk(tool))) for tool in WALKED if installed(tool))
    table = "".join(f"| {' | '.join(rows[tool])} |\n" for tool in sorted(rows))
    PAGE.write_text(f"{before}{head}{table}{''.join(rest)}")


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


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    warnings.simplefilter("ignore")
    write_page()
elif __name__ == "__main__":
    sys.stdout.write(as_markdown(tuple(sys.argv[1:]) or tuple(BY_TOOL)))
