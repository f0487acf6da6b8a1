"""What beginners write by mistake, the message that they get, and what they should write.

Write the page of the user guide anew: ``python tests/test_beginners_mistakes.py --write``.
"""

import contextlib
import io
import re
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "mistakes.md"

IMPORTS = """
import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from skgraded import *
from skgraded import trec
from skgraded.datasets import make_ranking
"""


class Mistake(NamedTuple):
    """Code or a command line after ``$``; "..." in the message stands for any text."""

    name: str
    wrong: str
    message: str
    right: str


IDS, ARGUMENTS, MEASURES = "Query ids", "Grades and scores", "Measures"
RANKERS, BOOSTING, FILES = "scikit-learn", "LightGBM", "TREC files and the command line"
NO_IDS = (
    "ValueError: Query ids are missing. Give one id per row in any of these ways: [...] "
    "scikit-learn passes groups=... to the splitter alone, and not to fit and score. [...]"
)
MISTAKES = {
    IDS: [
        Mistake(
            "query ids are forgotten where a measure is called",
            'evaluate("nDCG@10", y, s)',
            "QueryIdsWarning: There are no query ids, so that all 1200 rows are scored as one "
            "query. [...]",
            'evaluate("nDCG@10", y, s, qid=qid)',
        ),
        Mistake(
            "query ids are forgotten in training",
            "ranker.fit(X, y)",
            NO_IDS,
            "ranker.fit(X, y, qid=qid)",
        ),
        Mistake(
            "group sizes as for LGBMRanker",
            "ranker.fit(X, y, group=sizes)",
            "ValueError: group is worked out from the query ids: leave it out of the fit "
            "parameters. [...]",
            "ranker.fit(X, y, qid=np.repeat(np.arange(len(sizes)), sizes))",
        ),
        Mistake(
            "grades and ids of a target are exchanged",
            "query_target(qid, y)",
            "SwappedArgumentsWarning: y holds 60 numbers whose rows stand together, as those of "
            "query ids, and qid only 5 numbers in mixed order: they look exchanged. [...]",
            "query_target(y, qid)",
        ),
        Mistake(
            "the name of a column instead of the column",
            'evaluate("nDCG@10", y, s, qid="query")',
            "ValueError: qid must be one-dimensional, with one entry per row, got type str. [...]",
            'evaluate("nDCG@10", y, s, qid=qid)',
        ),
        Mistake(
            "row numbers instead of query ids",
            'evaluate("nDCG@10", y, s, qid=np.arange(len(y)))',
            "QueryIdsWarning: qid is another number in each of 1200 rows, as row numbers and "
            "scores are, so that every query has a single document [...]",
            'evaluate("nDCG@10", y, s, qid=qid)',
        ),
        Mistake(
            "group sizes instead of ids",
            "ranker.fit(X, y, qid=sizes)",
            "ValueError: qid must hold one query id per row (1200), got 60 numbers that add up "
            "to the number of rows and look like group sizes. [...]",
            "ranker.fit(X, y, qid=np.repeat(np.arange(len(sizes)), sizes))",
        ),
        Mistake(
            "the size of the queries instead of their ids",
            'evaluate("nDCG@10", y, s, qid=np.full(len(y), 20))',
            "QueryIdsWarning: qid looks like the number of rows of each query, repeated for each"
            " row: queries of the same size are taken for one. [...]",
            'evaluate("nDCG@10", y, s, qid=np.repeat(np.arange(len(sizes)), sizes))',
        ),
        Mistake(
            "query ids as the third argument",
            "nDCG(k=10)(y, s, qid)",
            "TypeError: qid must be given by name, got a third positional argument: qid=...",
            "nDCG(k=10)(y, s, qid=qid)",
        ),
        Mistake(
            "rows were moved after their ids had been put into the target",
            "nDCG(k=10)(query_target(y, qid), s, qid=qid[::-1] // 2)",
            "ValueError: qid and the ids in y_true contradict each other: they put row 20 (29 "
            "and 1) together with other rows. [...]",
            "nDCG(k=10)(query_target(y, qid), s)",
        ),
        Mistake(
            "rows of queries are left out after they have been counted",
            "nDCG(k=10)(query_target(y, qid)[::4], s[::4])",
            "CutQueriesWarning: The scored rows hold parts of queries: 60 of 60, such as 0 with "
            "5 rows of 20. [...]",
            "nDCG(k=10)(query_target(y[::4], qid[::4]), s[::4])",
        ),
    ],
    ARGUMENTS: [
        Mistake(
            "the measures come last, as in ranx",
            'evaluate(y, s, "nDCG@10")',
            "TypeError: The measures must come first, got them as y_score: evaluate('nDCG@10', "
            "y_true, y_score, qid=qid).",
            'evaluate("nDCG@10", y, s, qid=qid)',
        ),
        Mistake(
            "labels and scores are swapped, and a score is negative",
            "AP()(s, y, qid=qid)",
            "ValueError: y_true must hold grades >= 0, got [...] in row [...]. y_true comes "
            "first, and then y_score. [...]",
            "AP()(y, s, qid=qid)",
        ),
        Mistake(
            "labels and scores are swapped, and no score is negative",
            "nDCG(k=10)(abs(s), y, qid=qid)",
            "SwappedArgumentsWarning: y_true holds fractional numbers, and y_score whole numbers"
            " from 0 to 4: they look exchanged. y_true comes first, and then y_score.",
            "nDCG(k=10)(y, abs(s), qid=qid)",
        ),
        Mistake(
            "a row for each query, as in sklearn.metrics.ndcg_score",
            "nDCG()([[2, 0, 1], [1, 0, 0]], [[3, 2, 1], [2, 1, 3]])",
            "ValueError: y_true must be one-dimensional, with one entry per row, got shape (2, "
            "3). [...]",
            "nDCG()(np.ravel([[2, 0, 1], [1, 0, 0]]), np.ravel([[3, 2, 1], [2, 1, 3]]), "
            "qid=np.repeat(np.arange(2), 3))",
        ),
        Mistake(
            "dicts of dicts, as in pytrec_eval",
            'evaluate("nDCG@10", qrels, run)',
            "ValueError: y_true must be one-dimensional, with one entry per row, got type dict. "
            "Pass columns themselves, with the queries one after the other and qid=, one id per "
            "row; skgraded.trec.evaluate scores dicts of dicts.",
            'trec.evaluate("nDCG@10", qrels, run)',
        ),
        Mistake(
            "negative grades",
            "nDCG(k=10)([2, -1, 0], [3, 2, 1])",
            "ValueError: y_true must hold grades >= 0, got -1 in row 1. [...] Use 0 for "
            "documents judged not relevant (or junk), and NaN for unjudged documents.",
            "nDCG(k=10)([2, np.nan, 0], [3, 2, 1])",
        ),
        Mistake(
            "scores without a value",
            "nDCG(k=10)([2, 1, 0], [3, np.nan, 1])",
            "ValueError: y_score must be finite, got nan in row 1. Scores without a value have "
            "no rank: drop these rows, or give them the lowest score.",
            "nDCG(k=10)([2, 1, 0], [3, 0, 1])",
        ),
        Mistake(
            "words instead of grades",
            'ranker.fit(X, ["good"] * len(y), qid=qid)',
            "ValueError: y must be numeric, got 'good' in row 0. Say which grade each word is, "
            "with your numbers: grades={'good': 0}, as evaluate, query_target, QueryRanker, [...]",
            "ranker.fit(X, query_target(['good'] * len(y), qid, grades={'good': 0}))",
        ),
    ],
    MEASURES: [
        Mistake(
            "a cut-off without its name",
            "nDCG(10)",
            "TypeError: The fields of nDCG are keyword-only, such as nDCG(k=10). [...]",
            "nDCG(k=10)",
        ),
        Mistake(
            "a typing error in a field",
            'measure("nDCG(gian=exp2)@10")',
            "ValueError: nDCG has no field 'gian', got 'nDCG(gian=exp2)@10'; its fields are k, "
            "ties, unjudged, empty, normalize, gain, discount, log_base. Did you mean 'gain'?",
            'measure("nDCG(gain=exp2)@10")',
        ),
        Mistake(
            "the entries of g do not sum to 1",
            "xGAP(g=[10, 20, 30, 40])",
            "ValueError: g must sum to 1, got [10, 20, 30, 40], which sums to 100.0. Divide [...]",
            "xGAP(g=[.1, .2, .3, .4])",
        ),
        Mistake(
            "an entry of g for grade 0",
            "xGAP(g=[0, .1, .2, .3, .4])(y, s, qid=qid)",
            "GradeScaleWarning: g has an entry for each of the grades 1..5 in "
            "xGAP(g=[0,0.1,0.2,0.3,0.4]), but the highest grade of the 60 queries in y_true is "
            "4. If its first entry, 0, is for grade 0, drop it: g begins with grade 1.",
            "xGAP(g=[.1, .2, .3, .4])(y, s, qid=qid)",
        ),
        Mistake(
            "the scale is left to the data",
            'evaluate("xGAP", y, s, qid=qid)',
            "GradeScaleWarning: A call with arrays got xGAP without max_grade. The top grade of "
            "the scale is then taken from each data set that is scored, so that the measure may "
            "differ between them. [...]",
            'evaluate("xGAP(max_grade=4)", y, s, qid=qid)',
        ),
    ],
    RANKERS: [
        Mistake(
            "folds by groups, and y without the ids",
            'cross_val_score(ranker, X, y, groups=qid, cv=GroupKFold(3), error_score="raise")',
            NO_IDS,
            "cross_val_score(ranker, X, query_target(y, qid), cv=QueryKFold(3))",
        ),
        Mistake(
            "folds of rows, not of queries",
            "cross_val_score(ranker, X, query_target(y, qid), cv=KFold(3, shuffle=True))",
            "CutQueriesWarning: The training rows hold parts of queries: [...] Split by whole "
            "queries, for example by cv=QueryKFold(5) [...]",
            "cross_val_score(ranker, X, query_target(y, qid), cv=QueryKFold(3))",
        ),
        Mistake(
            "a target of query_target for an estimator of scikit-learn",
            "Ridge().fit(X, query_target(y, qid))",
            "TypeError: Cannot cast array data from dtype([('grade', '<f8'), ('qid', '<i8'), "
            "('n_rows', '<i8')]) to dtype('float64') according to the rule 'unsafe'",
            "Ridge().fit(X, query_series(y, qid))",
        ),
        Mistake(
            "a ranker is judged on its training rows",
            "ranker.fit(X, y, qid=qid).score(X, y, qid=qid)",
            "QueryLeakWarning: The ranker was trained on 60 of the 60 queries that it is judged "
            "on, and ranks them better than new ones. [...]",
            "ranker.fit(X[:800], y[:800], qid=qid[:800]).score(X[800:], y[800:], qid=qid[800:])",
        ),
        Mistake(
            "a model is compared before it is fitted",
            'compare({"a": ranker, "b": Ridge()}, X, y, qid=qid)',
            "NotFittedError: This QueryRanker instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator.",
            'compare({"a": ranker.fit(X[:800], y[:800], qid=qid[:800]), "b": '
            "Ridge(alpha=1e6).fit(X[:800], y[:800])}, X[800:], y[800:], qid=qid[800:])",
        ),
        Mistake(
            "scores are compared instead of models",
            'compare({"a": s, "b": -s})',
            "TypeError: rankers must be fitted models, results of cross_validate_queries or of "
            "nDCG(k=10).per_query(y, scores, qid=qid), got ndarray for 'a'.",
            'compare({"a": AP().per_query(y, s, qid=qid), "b": AP().per_query(y, -s, qid=qid)})',
        ),
        Mistake(
            "values by other labels are compared",
            'compare({"a": AP().per_query(y, s, qid=qid), "b": AP().per_query(y[::-1], -s, '
            "qid=qid)})",
            "ValueError: Systems must be scored by the same judgments, but 'b' and 'a' were "
            "scored by other grades in [...] of 60 queries, [...] Score all systems by the "
            "labels of the same documents; [...]",
            'compare({"a": AP().per_query(y, s, qid=qid), "b": AP().per_query(y, -s, qid=qid)})',
        ),
        Mistake(
            "the class of an estimator instead of an object",
            'QueryRanker(Ridge, measure="nDCG@10").fit(X, y, qid=qid)',
            "TypeError: estimator must be a ranker, regressor, classifier or Pipeline, such as "
            "LGBMRanker(), got <class 'sklearn.linear_model._ridge.Ridge'>.",
            'QueryRanker(Ridge(), measure="nDCG@10").fit(X, y, qid=qid)',
        ),
        Mistake(
            "a parameter of the estimator in a grid of the ranker",
            'GridSearchCV(QueryRanker(Ridge(), measure="nDCG@10"), {"alpha": [1, 9]}, '
            "cv=QueryKFold(3)).fit(X, query_target(y, qid))",
            "ValueError: Invalid parameter 'alpha' for estimator QueryRanker([...]). [...]",
            'GridSearchCV(QueryRanker(Ridge(), measure="nDCG@10"), {"estimator__alpha": [1, 9]},'
            " cv=QueryKFold(3)).fit(X, query_target(y, qid))",
        ),
        Mistake(
            "several measures for a ranker",
            'QueryRanker(Ridge(), measure=["nDCG@10", "AP"]).fit(X, y, qid=qid)',
            "TypeError: A measure must be a Measure or a string, got ['nDCG@10', 'AP'].",
            'make_ranking_scorer(["nDCG@10", "AP"])(ranker.fit(X[:800], y[:800], qid=qid[:800]),'
            " X[800:], y[800:], qid=qid[800:])",
        ),
    ],
    BOOSTING: [
        Mistake(
            "the group sizes of the validation set are missing",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X, y)])",
            "ValueError: [...]val_group cannot be None [...]",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes])",
        ),
        Mistake(
            "early stopping without a validation set",
            'lgbm.fit(X, y, group=sizes, callbacks=[early_stopping("nDCG@10", 5)])',
            "ValueError: early_stopping('nDCG@10') needs a validation set: pass eval_set and "
            "eval_group to LGBMRanker.fit, or valid_sets to lightgbm.train.",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X[:400], y[:400])], eval_group=[sizes[:20]],"
            ' callbacks=[early_stopping("nDCG@10", 5)])',
        ),
        Mistake(
            "early stopping of a QueryRanker without validation queries",
            'QueryRanker(lgbm, measure="nDCG@10", early_stopping_rounds=5).fit(X, y, qid=qid)',
            "ValueError: early_stopping_rounds needs validation_fraction, the share of queries "
            "to stop on, or eval_X, such queries, got early_stopping_rounds=5 and "
            "validation_fraction=None.",
            'QueryRanker(lgbm, measure="nDCG@10", early_stopping_rounds=5, '
            "validation_fraction=0.25).fit(X, y, qid=qid)",
        ),
        Mistake(
            "a name that boosters give metrics of their own",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes], "
            'eval_metric=eval_metric({"ndcg@5": "nDCG@5"}))',
            "ValueError: The name of a measure must not be one that boosters give metrics of "
            "their own, got 'ndcg@5' in eval_metric: values of both would be recorded as one. "
            "[...]",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes], "
            'eval_metric=eval_metric({"ndcg_5": "nDCG@5"}))',
        ),
        Mistake(
            "a measure instead of an evaluation function, as of XGBoost and CatBoost, too",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes], "
            "eval_metric=nDCG(k=10))",
            "TypeError: Self-defined eval function should have 2, 3 or 4 arguments, got 5",
            "lgbm.fit(X, y, group=sizes, eval_set=[(X, y)], eval_group=[sizes], "
            'eval_metric=eval_metric("nDCG@10"))',
        ),
        Mistake(
            "a measure of queries for a regressor",
            "LGBMRegressor(n_estimators=3, verbose=-1).fit(X, y, eval_set=[(X, y)], "
            'eval_metric=eval_metric("nDCG@10"))',
            "ValueError: The query sizes are missing (group=None). LightGBM passes them only - "
            "if the data set has them: LGBMRanker.fit(..., group=..., eval_group=[...]) [...]",
            'QueryRanker(LGBMRegressor(n_estimators=3, verbose=-1), measure="nDCG@10", '
            "validation_fraction=0.2).fit(X, y, qid=qid)",
        ),
    ],
    FILES: [
        Mistake(
            "the run comes before the qrels",
            'trec.evaluate("nDCG@10", "run.txt", "qrels.txt")',
            "ValueError: run.txt, line 1: a line has 4 columns, 'topic iteration document "
            "grade', got 6: 'q0 Q0 d1 1 0.25 tag'. This looks like a run: [...]",
            'trec.evaluate("nDCG@10", "qrels.txt", "run.txt")',
        ),
        Mistake(
            "dicts of the run and of the qrels are swapped",
            'trec.evaluate("nDCG@10", run, qrels)',
            "SwappedArgumentsWarning: qrels holds fractional numbers, and runs whole numbers "
            "from 0 to 2: they look exchanged. qrels comes first, and then runs.",
            'trec.evaluate("nDCG@10", qrels, run)',
        ),
        Mistake(
            "a ranked list without its topic",
            'trec.evaluate("nDCG@10", qrels, [["d3", "d1"]])',
            "ValueError: Records must be dicts, got 'd3'. A list of ids must stand below its "
            "topic, {topic: ids}. [...]",
            'trec.evaluate("nDCG@10", qrels, {"q0": ["d3", "d1"]})',
        ),
        Mistake(
            "columns are missing",
            "$ skgraded evaluate three.txt run.txt",
            "skgraded evaluate: three.txt, line 1: a line has 4 columns, 'topic iteration "
            "document grade', got 3: 'q0 d1 2'. [...]",
            "$ skgraded evaluate qrels.txt run.txt",
        ),
    ],
}

QRELS = {f"q{i}": {"d1": 2, "d2": 2, "d3": 0} for i in range(8)}
RUN = {f"q{i}": {"d1": i + 0.25, "d2": 1.5, "d3": 0.75} for i in range(8)}


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Names that the code of a mistake uses, in a folder that holds its files."""
    monkeypatch.chdir(tmp_path)
    judged = [(t, d, grade) for t, rows in QRELS.items() for d, grade in rows.items()]
    found = [(t, d, score) for t, rows in RUN.items() for d, score in rows.items()]
    written(tmp_path / "qrels.txt", [f"{t} 0 {d} {grade}" for t, d, grade in judged])
    written(tmp_path / "three.txt", [f"{t} {d} {grade}" for t, d, grade in judged])
    written(tmp_path / "run.txt", [f"{t} Q0 {d} 1 {score} tag" for t, d, score in found])
    written(tmp_path / "other.txt", [f"{t} Q0 {d} 1 {-score} tag" for t, d, score in found])
    known = {"qrels": QRELS, "run": RUN}
    exec(IMPORTS, known)
    make, make_ranker = known["make_ranking"], known["QueryRanker"]
    X, y, qid = make(n_queries=60, docs_per_query=20, random_state=0)
    known |= {"X": X, "y": y, "qid": qid, "s": X[:, 0], "sizes": [20] * 60}
    return known | {"ranker": make_ranker(known["Ridge"](), measure="nDCG@10")}


@pytest.fixture
def boosting_names(names):
    lightgbm = pytest.importorskip("lightgbm")
    exec("from skgraded.lightgbm import early_stopping, eval_metric", names)
    ranker = lightgbm.LGBMRanker(n_estimators=3, n_jobs=1, verbose=-1)
    kinds = lightgbm.LGBMRanker, lightgbm.LGBMRegressor
    return names | {"lgbm": ranker} | {each.__name__: partial(each, n_jobs=1) for each in kinds}


def message_of(code, known):
    """Run code, and return the first error, or else the first warning, as Python shows it."""
    if code.startswith("$ "):
        return errors_of_command(code.removeprefix("$ skgraded ").split())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Newer versions of LightGBM have other names for it; older ones know no others.
        warnings.filterwarnings("ignore", "The argument 'eval_set' is deprecated")
        try:
            eval(code, known)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return f"{caught[0].category.__name__}: {caught[0].message}" if caught else ""


def errors_of_command(arguments):
    from skgraded.cli import main

    output, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
        contextlib.suppress(SystemExit),
    ):
        main(arguments)
    return errors.getvalue()


def pattern_of(message):
    parts = [re.escape(part.strip()) for part in message.split("[...]")]
    return r"\s?.*?\s?".join(parts)


@pytest.mark.parametrize(
    ("section", "mistake"), [(section, each) for section, all_ in MISTAKES.items() for each in all_]
)
def test_a_mistake_is_explained(section, mistake, names, request):
    known = request.getfixturevalue("boosting_names") if section == BOOSTING else names
    message = " ".join(message_of(mistake.wrong, known).split())
    assert re.fullmatch(pattern_of(mistake.message), message), message
    assert message_of(mistake.right, known) == ""


HEAD = """\
# Common mistakes

Each of these causes an error or a warning, whose message says what to do. The setup is

```python
{imports}

X, y, qid = make_ranking(n_queries=60, docs_per_query=20)
s, sizes, ranker = X[:, 0], [20] * 60, QueryRanker(Ridge(), measure="nDCG@10")
qrels = {{"q0": {{"d1": 2, "d2": 2, "d3": 0}}}}  # and other topics
run = {{"q0": {{"d1": 0.25, "d2": 1.5, "d3": 0.75}}}}
```
"""


def page():
    """Write all mistakes as a page of the user guide."""
    parts = [HEAD.format(imports=IMPORTS.strip())]
    for section, mistakes in MISTAKES.items():
        parts += [f"\n## {section}\n\n", *map(line_of, mistakes)]
    return "".join([*parts, "\n", written_by_hand()])


def written_by_hand():
    """Return the end of the page, which the mistakes above do not give."""
    _, heading, rest = PAGE.read_text(encoding="utf-8").partition("## What no warning catches")
    return heading + rest


def line_of(mistake):
    what = mistake.name[0].upper() + mistake.name[1:]
    kind = f"`{mistake.message.partition(':')[0]}`" if mistake.wrong[0] != "$" else "an error"
    return f"- **{what}**, `{mistake.wrong}`: {kind}. Write `{mistake.right}`.\n"


@pytest.mark.skipif(not PAGE.parent.is_dir(), reason="the pages of the site are not here")
def test_the_page_lists_all_mistakes():
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
