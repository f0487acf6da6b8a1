"""Every door at which measures meet labels says that it read the top of the scale off them."""

import io
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from samples import warnings_of, write_qrels
from sklearn.linear_model import Ridge

from skgraded import (
    Judgments,
    QueryRanker,
    chunks,
    compare,
    cross_validate_queries,
    evaluate,
    make_ranking_scorer,
    measure,
    trec,
    xGAP,
)
from skgraded.cli import main
from skgraded.exceptions import GradeScaleWarning
from skgraded.measures import bounds, tie_report
from skgraded.rankings import as_rankings
from skgraded.studies import compare_assessors, incompleteness

QID = np.repeat(np.arange(12), 6)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(len(QID), 3))
WHOLE = RNG.integers(0, 5, len(QID)).astype(float)
CONTINUOUS = WHOLE * 0.55 + 0.03


def as_nested(values):
    return {
        f"q{query}": {
            f"d{row}": float(values[row]) for row in np.flatnonzero(query == QID)
        }
        for query in range(12)
    }


def ranked(labels):
    return as_rankings(labels, X[:, 0], QID)


def parquet(labels, folder):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    path = folder / "rows.parquet"
    pd.DataFrame({"label": labels, "score": X[:, 0], "qid": QID}).to_parquet(path)
    return path


def written(labels, folder):
    """Write qrels and two runs, and return their paths."""
    files = [folder / name for name in ("qrels.txt", "a", "b")]
    write_qrels(as_nested(labels), files[0])
    for number, path in enumerate(files[1:]):
        trec.write_run(trec.read_run(as_nested(X[:, number])), path)
    return list(map(str, files))


def in_shell(command, labels, folder):
    """Return whether the command warns, as a warning itself, since it writes to standard error."""
    told = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(told):
        assert main([command, *written(labels, folder), "-m", "xGAP"]) == 0
    if (
        "warning: A call with continuous labels got xGAP without max_grade"
        in told.getvalue()
    ):
        warnings.warn("on the command line", GradeScaleWarning, stacklevel=2)


def models(labels):
    return {"a": Ridge().fit(X, labels), "b": Ridge(100).fit(X, labels)}


# Doors that are silent about whole grades, because their data are complete, as a collection is.
SILENT_ABOUT_WHOLE_GRADES = {
    "Rankings": lambda y, _: evaluate("xGAP", ranked(y)),
    "Rankings of systems": lambda y, _: evaluate(
        "xGAP", {"a": ranked(y), "b": ranked(y)}
    ),
    "called with Rankings": lambda y, _: xGAP()(ranked(y)),
    "per_query of Rankings": lambda y, _: xGAP().per_query(ranked(y)),
    "tie_report of Rankings": lambda y, _: tie_report(["xGAP", "AP"], ranked(y)),
    "bounds": lambda y, _: bounds(measure("ERR"), y, X[:, 0], qid=QID),
    "trec.evaluate": lambda y, _: trec.evaluate(
        "xGAP", as_nested(y), as_nested(X[:, 0])
    ),
    "skgraded evaluate": lambda y, folder: in_shell("evaluate", y, folder),
    "skgraded compare": lambda y, folder: in_shell("compare", y, folder),
    "chunks": lambda y, folder: chunks.evaluate("xGAP", parquet(y, folder)),
    "chunks.iter_scores": lambda y, folder: list(
        chunks.iter_scores("xGAP", parquet(y, folder), block_rows=12)
    ),
    "cross_validate_queries": lambda y, _: cross_validate_queries(
        Ridge(), X, y, qid=QID, measures="xGAP", cv=3
    ),
    "compare of models": lambda y, _: compare(
        models(y), X, y, qid=QID, measures="xGAP"
    ),
    "QueryRanker": lambda y, _: QueryRanker(Ridge(), measure="xGAP").fit(X, y, qid=QID),
    "compare_assessors": lambda y, _: compare_assessors(
        "xGAP", np.stack([y, y], axis=1), X[:, 0], qid=QID
    ),
    "incompleteness": lambda y, _: incompleteness(
        "xGAP",
        as_nested(y),
        {"a": as_nested(X[:, 0]), "b": as_nested(X[:, 1])},
        rates=[0.5],
        n_repeats=2,
    ),
}

# Doors that also warn of whole grades, because parts of the data may lack the top grade.
ALWAYS_WARNING = {
    "arrays": lambda y, _: evaluate("xGAP", y, X[:, 0], qid=QID),
    "arrays of systems": lambda y, _: evaluate(
        "xGAP", y, {"a": X[:, 0], "b": X[:, 1]}, qid=QID
    ),
    "called with arrays": lambda y, _: xGAP()(y, X[:, 0], qid=QID),
    "Judgments": lambda y, _: evaluate("xGAP", Judgments(y, qid=QID), X[:, 0]),
    "scorer": lambda y, _: make_ranking_scorer("xGAP")(
        Ridge().fit(X, y), X, y, qid=QID
    ),
    "scorer of several": lambda y, _: make_ranking_scorer(["xGAP", "AP"])(
        Ridge().fit(X, y), X, y, qid=QID
    ),
    "tie_report": lambda y, _: tie_report(["xGAP", "AP"], y, X[:, 0], qid=QID),
}


@pytest.mark.parametrize("door", [*SILENT_ABOUT_WHOLE_GRADES, *ALWAYS_WARNING])
def test_labels_that_set_the_scale_are_warned_of_once(door, tmp_path):
    call = (SILENT_ABOUT_WHOLE_GRADES | ALWAYS_WARNING)[door]
    for labels, n_warnings in ((CONTINUOUS, 1), (WHOLE, door in ALWAYS_WARNING)):
        found = warnings_of(lambda labels=labels: call(labels, tmp_path))
        assert found.count(GradeScaleWarning) == n_warnings


def test_studies_round_the_top_of_continuous_labels_up():
    y, s = CONTINUOUS, X[:, 0]
    scale = measure("xGAP(max_grade=3)")
    alone = scale.per_query(y, s, qid=QID).values
    with pytest.warns(GradeScaleWarning, match=r"rounded up: 3, of 2\.23"):
        judged = compare_assessors("xGAP", np.stack([y, y], axis=1), s, qid=QID)
    np.testing.assert_array_equal(judged.values[0, :, 0], alone)


def test_thresholds_of_users_are_not_told_apart_by_continuous_labels(tmp_path, capsys):
    assert main(["compare", *written(CONTINUOUS, tmp_path), "--profile"]) == 2
    told = capsys.readouterr().err
    assert (
        "qrels.txt: grades must be integers for --profile, which compares them with"
        in told
    )
    assert "got 0.03" in told or "got 0.58" in told or "got 1.13" in told
