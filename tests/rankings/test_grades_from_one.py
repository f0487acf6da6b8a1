"""Grades that start at 1: a binary measure finds every document relevant, and says so."""

import io
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from skgraded import (
    AP,
    Judgments,
    QueryRanker,
    chunks,
    compare,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    measure,
    query_series,
    query_target,
    trec,
)
from skgraded.cli import main
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import tie_report

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(30), 6)
X = RNG.normal(size=(len(QID), 3))
S = X[:, 0]
RATINGS = RNG.integers(1, 6, len(QID))
ALL = "rel makes all documents relevant: got 1 in .*, and the lowest grade is 1, "


def nested(values):
    return {
        f"q{query}": {
            f"d{row}": float(values[row]) for row in np.flatnonzero(query == QID)
        }
        for query in range(30)
    }


def polars_series(values):
    return pytest.importorskip("polars").Series(values)


def arrow_array(values):
    return pytest.importorskip("pyarrow").array(values)


def in_parquet(labels, folder):
    pytest.importorskip("pyarrow")
    path = folder / "rows.parquet"
    pd.DataFrame({"label": labels, "score": S, "qid": QID}).to_parquet(path)
    return path


DOORS = {
    "a call": lambda y, _: AP()(y, S, qid=QID),
    "per query": lambda y, _: measure("RR@10").per_query(y, S, qid=QID),
    "evaluate": lambda y, _: evaluate(["P@3", "nDCG"], y, S, qid=QID),
    "pandas": lambda y, _: evaluate("R@5", pd.Series(y), pd.Series(S), qid=QID),
    "polars": lambda y, _: evaluate("AP", polars_series(y), S, qid=polars_series(QID)),
    "arrow": lambda y, _: evaluate("AP", arrow_array(y), S, qid=arrow_array(QID)),
    "lists": lambda y, _: evaluate(
        "Success@1", y.tolist(), S.tolist(), qid=QID.tolist()
    ),
    "text": lambda y, _: evaluate("AP", y.astype(str), S, qid=QID),
    "query_target": lambda y, _: AP()(query_target(y, QID), S),
    "query_series": lambda y, _: AP()(query_series(y, QID), S),
    "Judgments": lambda y, _: evaluate("AP", Judgments(y, qid=QID), S),
    "systems": lambda y, _: evaluate("AP", y, {"a": S, "b": -S}, qid=QID),
    "no ids": lambda y, _: AP()(y, S),
    "fractions": lambda y, _: evaluate("AP", np.where(y > 3, y - 0.25, y), S, qid=QID),
    "tie_report": lambda y, _: tie_report(["AP"], y, S, qid=QID),
    "chunks": lambda y, folder: chunks.evaluate("AP", in_parquet(y, folder)),
    "trec.evaluate": lambda y, _: trec.evaluate("AP", nested(y), nested(S)),
    "trec.rank": lambda y, _: evaluate("AP", trec.rank(nested(y), nested(S))),
    "scorer": lambda y, _: make_ranking_scorer("AP")(Ridge().fit(X, y), X, y, qid=QID),
    "compare": lambda y, _: compare(
        {"a": Ridge().fit(X, y), "b": Ridge().fit(X, -y)}, X, y, qid=QID, measures="AP"
    ),
    "cross_validate_queries": lambda y, _: cross_validate_queries(
        Ridge(), X, y, qid=QID, measures="AP", cv=3
    ),
    "condensed": lambda y, _: evaluate("AP(unjudged=condense)", y, S, qid=QID),
}


@pytest.mark.parametrize("door", DOORS)
def test_ratings_from_one_are_told(door, tmp_path):
    warnings.simplefilter("ignore")  # other warnings than those of scales
    warnings.simplefilter("always", GradeScaleWarning)
    with pytest.warns(GradeScaleWarning, match=ALL + ".*y_true - 1, or .*rel=4"):
        DOORS[door](RATINGS, tmp_path)
    for right in (RATINGS - 1, np.minimum(RATINGS - 1, 1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", GradeScaleWarning)
            DOORS[door](right, tmp_path)


@pytest.mark.filterwarnings("always")
def test_the_command_line_tells_it(tmp_path):
    rows = [
        f"{t} 0 {d} {g:g}\n" for t, ds in nested(RATINGS).items() for d, g in ds.items()
    ]
    (tmp_path / "qrels").write_text("".join(rows), encoding="utf-8")
    trec.write_run(trec.read_run(nested(S)), tmp_path / "run")
    errors = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(errors):
        assert (
            main(
                ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "AP"]
            )
            == 0
        )
    assert "makes all documents relevant" in errors.getvalue()


@pytest.mark.parametrize("top", [1, 2])
def test_qrels_that_hold_relevant_documents_alone_are_right(top):
    rng = np.random.default_rng(top)
    qrels = {
        f"q{i}": {f"d{j}": int(rng.integers(1, top + 1)) for j in range(4)}
        for i in range(20)
    }
    run = {f"q{i}": {f"d{j}": float(rng.random()) for j in range(9)} for i in range(20)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trec.evaluate(["AP", "RR@10", "nDCG@10", "R@100"], qrels, run)


def test_what_tells_ratings_apart_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AP(rel=4)(RATINGS, S, qid=QID)
        evaluate(["nDCG@10", "DCG", "QMeasure"], RATINGS, S, qid=QID)
        AP()([1, 2], [0.9, 0.8])
        QueryRanker(Ridge(), measure="nDCG@10").fit(X, RATINGS, qid=QID)
        AP()(np.where(RATINGS == 1, np.nan, np.minimum(RATINGS, 2)), S, qid=QID)


def test_all_labels_alike():
    with pytest.warns(GradeScaleWarning, match="seem to be left out"):
        AP()(np.ones(len(QID)), S, qid=QID)
