"""The page for users of other libraries: every right-hand side of its tables runs."""

import importlib.util
import re
import shlex
from pathlib import Path

import lightgbm
import numpy as np
import pytest
from sklearn.linear_model import Ridge

import skgraded
from skgraded import trec
from skgraded.cli import main
from skgraded.conventions import measure_as
from skgraded.datasets import make_ranking
from skgraded.lightgbm import early_stopping, eval_metric, objective

PAGE = Path(__file__).parents[2] / "docs" / "migration.md"
ROW = re.compile(r"^\| (.+) \| `([^`]+)` \|$", re.MULTILINE)
LIBRARIES = {"XGB": "xgboost", "CatBoost": "catboost"}

pytestmark = pytest.mark.skipif(
    not PAGE.is_file(), reason="the pages of the site are not here"
)


def rows():
    """Return the right-hand sides of all tables."""
    return (
        [code for _, code in ROW.findall(PAGE.read_text(encoding="utf-8"))]
        if PAGE.is_file()
        else []
    )


@pytest.fixture(scope="module")
def names():
    """What the page calls by name."""
    X, y, qid = make_ranking(n_queries=12, docs_per_query=12, random_state=0)
    sizes = np.bincount(qid)
    scores = X[:, 0]
    qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d4": 0}}
    run = {"q1": {"d1": 0.3, "d2": 0.9, "d3": 0.5}, "q2": {"d1": 0.1, "d4": 0.8}}
    other_run = {"q1": {"d1": 0.9, "d2": 0.1, "d3": 0.5}, "q2": {"d1": 0.1, "d4": 0.8}}
    params = {
        "objective": "lambdarank",
        "metric": "None",
        "verbose": -1,
        "num_threads": 1,
    }
    data = lightgbm.Dataset(X, y, group=sizes, free_raw_data=False)
    found = {name: getattr(skgraded, name) for name in skgraded.__all__}
    found.update(
        LGBMRanker=lightgbm.LGBMRanker, Ridge=Ridge, early_stopping=early_stopping
    )
    found.update(
        eval_metric=eval_metric, lightgbm=lightgbm, measure_as=measure_as, np=np
    )
    found.update(objective=objective, skgraded=skgraded, trec=trec)
    for module, name in (("xgboost", "XGBRanker"), ("catboost", "CatBoostRanker")):
        if importlib.util.find_spec(module):
            found[name] = getattr(importlib.import_module(module), name)
            importlib.import_module(
                f"skgraded.{module}"
            )  # skgraded imports it when asked
    return {**found, **locals()}


@pytest.mark.parametrize("code", rows())
def test_a_right_hand_side_runs(code, names, tmp_path, capsys):
    for start, library in LIBRARIES.items():
        if start in code or f".{library}." in code:
            pytest.importorskip(library)
    if not code.startswith("skgraded evaluate"):
        assert eval(code, dict(names)) is not None
        return
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 0.4 x\n")
    places = {name: str(tmp_path / name) for name in ("qrels", "run")}
    words = [places.get(word, word) for word in shlex.split(code)[1:]]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("P_10 ")


def test_every_row_is_found():
    lines = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    assert (
        len(rows())
        == len([line for line in lines if not line.endswith("| skgraded |")])
        > 30
    )
