"""Ids that a type merges are refused; ids of several parts, and of every type, name queries."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from skgraded import (
    Judgments,
    QueryKFold,
    QueryRanker,
    chunks,
    evaluate,
    make_ranking_scorer,
    nDCG,
    query_ids,
    query_series,
    query_target,
)
from skgraded.datasets import make_ranking

X, y, qid = make_ranking(n_queries=60, docs_per_query=20, random_state=0)
S = X[:, 0]
LARGE = qid + 2**54 + 1
PARTS = [(int(query) // 2, int(query) % 2) for query in qid]


def polars_series(values, kind):
    polars = pytest.importorskip("polars")
    return polars.Series(values, dtype=getattr(polars, kind))


MERGED = {
    "doubles": lambda: LARGE.astype(float),
    "a list of doubles": lambda: LARGE.astype(float).tolist(),
    "single precision": lambda: (qid + 2**24).astype("f4"),
    "half precision": lambda: (qid + 2048).astype("f2"),
    "negative": lambda: -LARGE.astype(float),
    "objects": lambda: LARGE.astype(float).astype(object),
    "Series": lambda: pd.Series(LARGE.astype(float)),
    "nullable": lambda: pd.array(LARGE.astype(float), dtype="Float64"),
    "categories": lambda: pd.Categorical(LARGE.astype(float)),
    "polars": lambda: polars_series(LARGE.astype(float).tolist(), "Float64"),
    "arrow": lambda: pytest.importorskip("pyarrow").array(LARGE.astype(float)),
}
DOORS = {
    "call": lambda ids: nDCG()(y, S, qid=ids),
    "evaluate": lambda ids: evaluate("AP", y, {"a": S}, qid=ids),
    "Judgments": lambda ids: Judgments(y, qid=ids),
    "query_target": lambda ids: query_target(y, ids),
    "query_series": lambda ids: query_series(y, ids),
    "query_ids": query_ids,
    "fit": lambda ids: QueryRanker(Ridge(), measure="nDCG").fit(X, y, qid=ids),
    "folds": lambda ids: list(QueryKFold(3).split(X, y, groups=ids)),
    "scorer": lambda ids: make_ranking_scorer("AP")(Ridge().fit(X, y), X, y, qid=ids),
    "chunks": lambda ids: chunks.evaluate("AP", [(y, S, ids)]),
}


@pytest.mark.parametrize("kind", MERGED)
@pytest.mark.parametrize("door", DOORS)
def test_ids_that_a_type_merges_are_refused(door, kind):
    with pytest.raises(ValueError, match=r"must hold ids that their type tells apart"):
        DOORS[door](MERGED[kind]())


@pytest.mark.parametrize(
    "ids", [PARTS, pd.MultiIndex.from_tuples(PARTS)], ids=["tuples", "levels"]
)
@pytest.mark.parametrize("door", [door for door in DOORS if door != "chunks"])
def test_ids_of_several_parts(door, ids):
    DOORS[door](ids)


@pytest.mark.parametrize("kind", ["Int128", "Int64", "UInt32", "Float32"])
def test_numbers_of_polars(kind):
    if not hasattr(pytest.importorskip("polars"), kind):
        pytest.skip("an older polars")
    expected = nDCG()(y, S, qid=qid)
    assert nDCG()(y, S, qid=polars_series(qid.tolist(), kind)) == expected
    assert nDCG()(query_series(y, polars_series(qid.tolist(), kind)), S) == expected


def test_half_precision():
    expected = nDCG()(y, S, qid=qid)
    assert nDCG()(query_series(y, qid.astype("f2")), S) == expected


@pytest.mark.parametrize(
    "door", ["call", "evaluate", "Judgments", "query_target", "query_ids"]
)
def test_ids_in_two_columns_say_how_they_become_one(door):
    for ids in (np.stack([qid, qid], axis=1), pd.DataFrame({"user": qid, "day": qid})):
        with pytest.raises(
            ValueError, match=r"one id per row.*list\(zip\(first, second\)\)"
        ):
            DOORS[door](ids)


@pytest.mark.parametrize(
    "columns",
    [
        pd.DataFrame({"f0": S, "label": y}),
        {"label": y, "score": S},
        [0, 1, 2],
        np.asarray(y),
    ],
    ids=["frame", "mapping", "list", "array"],
)
def test_measures_come_first(columns):
    with pytest.raises(
        TypeError, match=r"must come first.*evaluate\('nDCG@10', y_true"
    ):
        evaluate(columns, "nDCG@10")


def test_weights_that_are_all_zero_have_a_note():
    scores = evaluate("AP", y, S, qid=qid, sample_weight=np.zeros(len(y)))
    assert "No query has a weight above 0" in str(scores)
