"""Correct ways to evaluate, by every door, library and form of ids, labels and scores: silent."""

import io
import itertools
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest

from skgraded import (
    AP,
    Judgments,
    chunks,
    evaluate,
    nDCG,
    query_ids,
    query_series,
    query_target,
    trec,
)
from skgraded.cli import main
from skgraded.conventions import conventions_of, measure_as
from skgraded.rankings import as_rankings

RNG = np.random.default_rng(3)
QID = np.repeat(np.arange(25) + 100, 8)
Y = RNG.integers(0, 4, len(QID))
S = RNG.normal(size=len(QID))
MEASURES = ["nDCG@10", "AP", "RR@10", "P@5", "R@5", "eGAP(g=[.2,.3,.5])"]


def polars_frame(frame):
    return pytest.importorskip("polars").DataFrame(frame.to_dict("list"))


def polars_series(values):
    return pytest.importorskip("polars").Series(values)


def arrow_array(values):
    return pytest.importorskip("pyarrow").array(values)


def torch_tensor(values):
    return pytest.importorskip("torch").tensor(values)


LABELS = {
    "integers": Y,
    "small integers": Y.astype("i1"),
    "floats": Y.astype("f4"),
    "list": Y.tolist(),
    "text": Y.astype(str),
    "unjudged": np.where(np.arange(len(Y)) % 9 == 4, np.nan, Y),
    "binary": Y > 1,
    "fractions": Y * 0.5,
    "mean ratings": Y + RNG.integers(0, 4, len(Y)) / 4,
    "nullable": pd.array(Y, dtype="Int64"),
    "categories": pd.Categorical(
        np.take(["bad", "fair", "good", "perfect"], Y),
        categories=["bad", "fair", "good", "perfect"],
        ordered=True,
    ),
    "series": pd.Series(Y),
    "polars": lambda: polars_series(Y),
    "arrow": lambda: arrow_array(Y),
    "one relevant document a query": (np.arange(len(Y)) % 8 == 3).astype(int),
    "relevant documents in half of the queries": Y * (QID % 2),
    "half precision": Y.astype("f2"),
}
IDS = {
    "integers": QID,
    "large integers": QID + 2**60,
    "unsigned": QID.astype("u8") + 2**63,
    "floats": QID.astype(float),
    "single precision": QID.astype("f4"),
    "half precision": QID.astype("f2"),
    "text": np.char.add("q", QID.astype(str)),
    "leading zeros": np.char.zfill(QID.astype(str), 8),
    "list": QID.tolist(),
    "tuples": [(int(query) // 5, int(query) % 5) for query in QID],
    "levels": pd.MultiIndex.from_arrays([QID // 5, QID % 5]),
    "categories": pd.Categorical(QID),
    "series": pd.Series(QID),
    "nullable": pd.array(QID, dtype="Int64"),
    "dates": np.datetime64("2026-01-01") + QID,
    "sizes": query_ids(QID),
    "polars": lambda: polars_series(QID),
    "arrow": lambda: arrow_array(QID),
    "mixed": [int(q) if q % 2 else str(q) for q in QID],
}
SCORES = {
    "floats": S,
    "single precision": S.astype("f4"),
    "half precision": S.astype("f2"),
    "list": S.tolist(),
    "integers": np.arange(len(S)),
    "Borda counts": np.tile(np.arange(8.0), 25),
    "constant": np.zeros(len(S)),
    "yes and no": (S > 0).astype(float),
    "probabilities": 1 / (1 + np.exp(-S)),
    "negative": S - 100,
    "large floats": S * 1e30,
    "ranks below 0": -np.tile(np.arange(1, 9), 25),
    "series": pd.Series(S),
    "polars": lambda: polars_series(S),
    "arrow": lambda: arrow_array(S),
    "torch": lambda: torch_tensor(S),
    "nullable": pd.array(S, dtype="Float64"),
}
DOORS = {
    "call": lambda y, s, qid: nDCG(k=10)(y, s, qid=qid),
    "per query": lambda y, s, qid: AP().per_query(y, s, qid=qid),
    "evaluate": lambda y, s, qid: evaluate(MEASURES[:5], y, s, qid=qid),
    "Judgments": lambda y, s, qid: evaluate("AP", Judgments(y, qid=qid), s),
    "Rankings": lambda y, s, qid: evaluate("AP", as_rankings(y, s, qid)),
    "target": lambda y, s, qid: evaluate("AP", query_target(y, _ids(qid)), s),
    "systems": lambda y, s, qid: evaluate("AP", y, {"a": s, "b": s}, qid=qid),
}


def _ids(qid):
    return qid["qid"] if getattr(getattr(qid, "dtype", None), "names", None) else qid


def made(column):
    return column() if callable(column) else column


COLUMNS = [
    *((labels, "floats", "integers") for labels in LABELS),
    *(("integers", scores, "integers") for scores in SCORES),
    *(("integers", "floats", ids) for ids in IDS),
]
ARRAYS = list(itertools.product(DOORS, COLUMNS))


@pytest.mark.parametrize(("door", "columns"), ARRAYS, ids=str)
def test_arrays(door, columns):
    labels, scores, ids = columns
    arguments = made(LABELS[labels]), made(SCORES[scores]), made(IDS[ids])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DOORS[door](*arguments)


QRELS = {
    f"q{query}": {f"d{row}": int(Y[row]) for row in np.flatnonzero(query == QID)}
    for query in np.unique(QID)
}
RUN = {
    f"q{query}": {f"d{row}": float(S[row]) for row in np.flatnonzero(query == QID)}
    for query in np.unique(QID)
}
QRELS_FRAME = pd.DataFrame(
    [(t, d, g) for t, grades in QRELS.items() for d, g in grades.items()],
    columns=["query_id", "doc_id", "relevance"],
)
RUN_FRAME = pd.DataFrame(
    [(t, d, s) for t, scores in RUN.items() for d, s in scores.items()],
    columns=["query_id", "doc_id", "score"],
)
PART = {topic: RUN[topic] for topic in list(RUN)[:20]}
OTHERS = {
    topic: {**scores, **{f"new{i}": 9.0 - i for i in range(9)}}
    for topic, scores in RUN.items()
}
TREC = {
    "dicts": lambda: trec.evaluate(MEASURES, QRELS, RUN),
    "frames": lambda: trec.evaluate(MEASURES, QRELS_FRAME, RUN_FRAME),
    "polars": lambda: trec.evaluate(
        MEASURES, polars_frame(QRELS_FRAME), polars_frame(RUN_FRAME)
    ),
    "fewer topics": lambda: trec.evaluate(MEASURES, QRELS, PART, complete=False),
    "unjudged documents at the top": lambda: trec.evaluate(MEASURES, QRELS, OTHERS),
    "two runs": lambda: trec.evaluate(MEASURES, QRELS, {"a": RUN, "b": OTHERS}),
    "rank": lambda: evaluate(MEASURES, trec.rank(QRELS, RUN)),
    "by score": lambda: trec.rank(QRELS, RUN, order="score"),
    "lists of ids": lambda: trec.evaluate(
        "AP", QRELS, {topic: list(scores) for topic, scores in RUN.items()}
    ),
    "relevant documents alone": lambda: trec.evaluate(
        "RR@10", {t: {next(iter(ds)): 1} for t, ds in QRELS.items()}, RUN
    ),
    "numbers as ids": lambda: trec.evaluate(
        "AP",
        {i: {10 * i + j: j % 2 for j in range(5)} for i in range(9)},
        {i: {10 * i + j: j / 3 for j in range(7)} for i in range(9)},
    ),
    "empty list of one topic": lambda: trec.evaluate("AP", QRELS, PART),
}


@pytest.mark.parametrize("use", TREC)
def test_runs(use):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TREC[use]()


@pytest.mark.parametrize("tool", ["lightgbm", "catboost", "trec_eval"])
def test_names_of_tools(tool):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for row in conventions_of(tool):
            measure_as(tool, row.example)(Y, S, qid=QID)


@pytest.mark.filterwarnings("error")
def test_files(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"label": Y, "score": S, "qid": QID}).to_parquet(
        tmp_path / "rows.parquet"
    )
    chunks.evaluate(MEASURES, tmp_path / "rows.parquet")
    chunks.evaluate("AP", [(Y, S, QID)])
    lines = [f"{t} 0 {d} {g}\n" for t, ds in QRELS.items() for d, g in ds.items()]
    (tmp_path / "qrels").write_text("".join(lines), encoding="utf-8")
    trec.write_run(trec.read_run(RUN), tmp_path / "run")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    for words in (
        "-m AP",
        "-m nDCG@10 -m P@5",
        "--as trec_eval",
        "--as ir_measures -m AP@5",
    ):
        errors = io.StringIO()
        with redirect_stdout(io.StringIO()), redirect_stderr(errors):
            assert main(["evaluate", *files, *words.split()]) == 0
        assert "warning" not in errors.getvalue()


@pytest.mark.parametrize("column", ["floats", "list", "series", "polars", "arrow"])
def test_query_series(column):
    labels = {"floats": Y * 1.0, "list": Y.tolist(), "series": pd.Series(Y)}
    ids = made(IDS[column])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AP()(query_series(labels.get(column, Y), ids), S)


def test_there_are_many():
    assert len(ARRAYS) + len(TREC) >= 150
