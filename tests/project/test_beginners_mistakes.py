"""The page "Common mistakes": each causes its error or warning, and what it says to write does not.

The page holds the code, and the first sentences of the messages.
"""

import io
import re
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import pytest

from skgraded._support.arguments import ArgumentError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "mistakes.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
# What was done, by which code or command line, what it causes, and what to write
MISTAKES = [
    # Which code or command line, what to write, what it causes, and the start of its message
    (title, wrong, right, kind, message.removesuffix(" ..."))
    for title, wrong, right, kind, message in re.findall(
        r"^\| (.+?): `(.+?)` \| `(.+?)` \| (?:(\w+): )?`(.+)` \|$", TEXT, re.MULTILINE
    )
]
# Code that needs LightGBM
BOOSTING = ("lgbm", "LGBM", "eval_metric")
# Other libraries write these messages, in words of their version.
OF_OTHERS = (
    "A target of query_target",
    "A model is compared before",
    "The group sizes of the validation set",
    "A measure instead of an evaluation",
)

QRELS = {f"q{i}": {"d1": 2, "d2": 2, "d3": 0} for i in range(8)}
RUN = {f"q{i}": {"d1": i + 0.25, "d2": 1.5, "d3": 0.75} for i in range(8)}


def write(name, layout, nested):
    rows = [(topic, *each) for topic, row in nested.items() for each in row.items()]
    Path(name).write_text(
        "".join(layout.format(*row) for row in rows), encoding="utf-8"
    )


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Names that the code of a mistake uses, in a folder that holds its files."""
    monkeypatch.chdir(tmp_path)
    write("qrels.txt", "{} 0 {} {}\n", QRELS)
    write("three.txt", "{} {} {}\n", QRELS)
    write("run.txt", "{} Q0 {} 1 {} tag\n", RUN)
    setup = TEXT.split("```")[1].removeprefix("python")
    known = {}
    exec(setup, known)
    return known | {"qrels": QRELS, "run": RUN}


def names_of_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    from skgraded.lightgbm import early_stopping, eval_metric

    known = {"early_stopping": early_stopping, "eval_metric": eval_metric}
    known["lgbm"] = lightgbm.LGBMRanker(n_estimators=3, n_jobs=1, verbose=-1)
    return known | {"LGBMRegressor": partial(lightgbm.LGBMRegressor, n_jobs=1)}


def caused(code, known):
    """Run code, and return the kind and the words of its first error, or else first warning."""
    if code.startswith("$ "):
        return "", errors_of_command(code.removeprefix("$ skgraded ").split())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Newer versions of LightGBM have other names for it; older ones know no others.
        warnings.filterwarnings("ignore", "The argument 'eval_set' is deprecated")
        try:
            eval(code, known)
        except Exception as error:
            kind = ValueError if isinstance(error, ArgumentError) else type(error)
            return kind.__name__, str(error)
    return (caught[0].category.__name__, str(caught[0].message)) if caught else ("", "")


def errors_of_command(arguments):
    from skgraded.cli import main

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
        main(arguments)
    return errors.getvalue()


@pytest.mark.parametrize("mistake", MISTAKES, ids=[row[0] for row in MISTAKES])
def test_a_mistake_is_explained(mistake, names):
    title, wrong, right, kind, start = mistake
    known = dict(names)
    if any(word in wrong + right for word in BOOSTING):
        known |= names_of_lightgbm()
    found, message = caused(wrong, known)
    assert found == kind
    if not title.startswith(OF_OTHERS):
        told = " ".join(message.split()).removeprefix("skgraded evaluate: ")
        assert told.startswith(start)
    assert caused(right, known) == ("", "")


@pytest.mark.skipif(not TEXT, reason="the pages of the site are not here")
def test_every_row_of_the_page_is_tried():
    table, _, _ = TEXT.partition("## What no warning catches")
    n_headings = table.count("| what is written |")
    assert len(MISTAKES) == table.count("\n| ") - n_headings
    assert len({wrong for _, wrong, *_ in MISTAKES}) == len(MISTAKES) > 60


ONE_GRADE = "{t: {d: 1 for d in ds} for t, ds in qrels.items()}"
SILENT = {
    "`make_scorer(nDCG(k=10))`": "make_scorer(nDCG(k=10))(Ridge().fit(X, y), X[:900], y[:900])",
    "RFECV without": "RFECV(Ridge(), cv=3).fit(X[:200], y[:200])",
    "`learning_curve`": "learning_curve(Ridge(), X, y, groups=qid, cv=GroupKFold(3))",
    "Two data sets numbered": (
        "ranker.fit(X[:800], y[:800], qid=qid[:800])"
        ".score(X, y, qid=np.repeat(np.arange(60), 20))"
    ),
    '`trec.evaluate("map", ...)`': 'trec.evaluate("map", qrels, run)',
    "Probabilities exchanged": "nDCG(k=10)(1 / (1 + np.exp(-s)), (y > 1) * 1.0, qid=qid)",
    "Qrels of relevant documents alone": f'trec.evaluate("AP", {ONE_GRADE}, run)',
    "A run that meets fewer": 'trec.evaluate("AP", {"q": {"d1": 1}}, {"q": {"x7": 1.0}})',
    "Whole-number ids that lost": (
        "nDCG(k=10)(y, s, qid=(qid + 2**54).astype(float).astype(str))"
    ),
}


@pytest.mark.skipif(not TEXT, reason="the pages of the site are not here")
@pytest.mark.parametrize("start", SILENT)
def test_what_no_warning_catches_is_silent(start, names):
    _, _, silent = TEXT.partition("## What no warning catches")
    assert f"- **{start}" in silent
    from sklearn.feature_selection import RFECV
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import learning_curve

    tools = {
        "RFECV": RFECV,
        "make_scorer": make_scorer,
        "learning_curve": learning_curve,
    }
    assert caused(SILENT[start], names | tools) == ("", "")
