"""The page "Common mistakes": each causes its error or warning, and what it says to write does not.

The page holds the code. Here stand words of the messages, which the page leaves out.
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
MISTAKES = re.findall(
    r"- \*\*(.+?)\*\*, `(.+?)`: (?:`(\w+)`|an error)\. Write `(.+)`\.\n", TEXT
)
# Code that needs LightGBM
BOOSTING = ("lgbm", "LGBM")

WORDS = {  # of the messages, by the first words of the mistake
    # query ids
    "Query ids are forgotten where": "so that all 1200 rows are scored as one query",
    "Query ids are forgotten in": "Query ids are missing. Give one id per row in any of these ways",
    "Group sizes as for": "group is worked out from the query ids: leave it out",
    "Grades and ids": "y holds 60 numbers whose rows stand together, as those of query ids",
    "The name of a column": "qid must be one-dimensional, .* got type str",
    "Row numbers": "qid is another number in each of 1200 rows, as row numbers and scores are",
    "Group sizes instead": "60 numbers that add up to the number of rows and look like group sizes",
    "The size of the queries": "looks like the number of rows of each query, repeated for each row",
    "Query ids as the third": "qid must be given by name, got a third positional argument: qid=",
    "Rows were moved": r"qid and the ids in y_true contradict .* put row 20 \(29 and 1\) together",
    "Rows of queries are left": "The scored rows hold parts of queries: 60 of 60, such as 0 with 5",
    # grades and scores
    "The measures come last": r"must come first, got them as y_score: evaluate\('nDCG@10', y_true",
    "Labels and scores are swapped, and a": "must hold grades >= 0, .* y_true comes first, and",
    "Labels and scores are swapped, and no": "and y_score whole numbers from 0 to 4: they look exc",
    "A row for each query": r"y_true must be one-dimensional, .* got shape \(2, 3\)",
    "Dicts of dicts": "got type dict. Pass columns .* skgraded.trec.evaluate scores dicts of dicts",
    "Negative grades": "got -1 in row 1. .* Use 0 for .*, and NaN for unjudged documents",
    "Scores without a value": "y_score must be finite, got nan in row 1. .* drop these rows, or",
    "Words instead": "y must be numeric, got 'good' in row 0. Say which .* grades={'good': .}",
    # measures
    "A cut-off": r"The fields of nDCG are keyword-only, such as nDCG\(k=10\)",
    "A typing error": "nDCG has no field 'gian', .* its fields are k, ties, .* Did you mean 'gain'",
    "The entries of g": r"g must sum to 1, got \[10, 20, 30, 40\], which sums to 100.0. Divide",
    "An entry of g": "g has an entry for each of the grades 1..5 .* of the 60 queries .* is 4",
    "The scale is left": "A call with arrays got xGAP without max_grade",
    # scikit-learn
    "Folds by groups": r"are missing. .* passes groups=... to the splitter alone, and not to fit",
    "Folds of rows": r"The training rows hold parts of queries: .* by cv=QueryKFold\(5\)",
    "A target of query_target": "Cannot cast array data from dtype",
    "A ranker is judged": "was trained on 60 of the 60 queries that it is judged on",
    "A model is compared": "This QueryRanker instance is not fitted yet",
    "Scores are compared": "rankers must be fitted models, results of .*, got ndarray for 'a'",
    "Values by other labels": r"'b' and 'a' were scored by other grades in \d+ of 60 queries",
    "The class of an estimator": r"estimator must be a ranker, .*, such as LGBMRanker",
    "A parameter of the": "Invalid parameter 'alpha' for estimator QueryRanker",
    "Several measures": "A measure must be a Measure or a string, got .'nDCG@10', 'AP'",
    # LightGBM
    "The group sizes of": "val_group cannot be None",
    "Early stopping without": "needs a validation set: pass eval_set and eval_group",
    "Early stopping of a": "early_stopping_rounds needs validation_fraction, .* or eval_X",
    "A name that boosters": "must not be one that boosters give .*, got 'ndcg@5' in eval_metric",
    "A measure instead": "Self-defined eval function should have 2, 3 or 4 arguments, got 5",
    "A measure of queries": r"The query sizes are missing \(group=None\)",
    # files
    "The run comes": "run.txt, line 1: a line has 4 columns, .* This looks like a run",
    "Dicts of the run": "and runs whole numbers from 0 to 2: they look exchanged. qrels",
    "A ranked list": "Records must be dicts, got 'd3'. A list of ids must stand below its topic",
    "Columns are missing": "three.txt, line 1: a line has 4 columns, .* got 3: 'q0 d1 2'",
}

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
    exec(setup.replace("docs_per_query=20", "docs_per_query=20, random_state=0"), known)
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


@pytest.mark.parametrize(("mistake", "wrong", "kind", "right"), MISTAKES)
def test_a_mistake_is_explained(mistake, wrong, kind, right, names):
    known = names | (
        names_of_lightgbm() if any(each in wrong for each in BOOSTING) else {}
    )
    (words,) = (each for start, each in WORDS.items() if mistake.startswith(start))
    found, message = caused(wrong, known)
    assert found == kind
    assert re.search(words, " ".join(message.split())), message
    assert caused(right, known) == ("", "")


@pytest.mark.skipif(not TEXT, reason="the pages of the site are not here")
def test_every_line_of_the_page_is_tried():
    lines, _, _ = TEXT.partition("## What no warning catches")
    assert len(MISTAKES) == lines.count("\n- ") == len(WORDS)
