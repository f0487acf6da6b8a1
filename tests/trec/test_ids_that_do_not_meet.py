"""Documents of a run that nobody judged: ids of another collection, or changed on the way."""

import io
import warnings
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pandas as pd
import pytest

from skgraded import evaluate, trec
from skgraded.cli import main
from skgraded.exceptions import QueryIdsWarning
from skgraded.studies import incompleteness

RNG = np.random.default_rng(0)
QRELS = {
    f"q{topic}": {f"0{100_000 + 100 * topic + doc}": int(doc % 3) for doc in range(20)}
    for topic in range(12)
}
RUN = {
    topic: {doc: float(RNG.random()) for doc in grades}
    for topic, grades in QRELS.items()
}


def renamed(rename, nested=None):
    return {
        topic: {rename(doc): value for doc, value in values.items()}
        for topic, values in (RUN if nested is None else nested).items()
    }


def as_frame(nested, value):
    rows = [(t, d, v) for t, values in nested.items() for d, v in values.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", value])


LOST = renamed(lambda doc: doc.lstrip("0"))
OTHER = renamed(lambda doc: f"clueweb-{doc}")


def polars_frame(nested):
    columns = as_frame(nested, "score").to_dict("list")
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_table(nested):
    return pytest.importorskip("pyarrow").Table.from_pandas(as_frame(nested, "score"))


@pytest.mark.parametrize(
    "call",
    [
        lambda run: trec.evaluate("AP", QRELS, run),
        lambda run: trec.evaluate("AP", QRELS, as_frame(run, "score")),
        lambda run: trec.evaluate("AP", QRELS, polars_frame(run)),
        lambda run: trec.evaluate("AP", QRELS, arrow_table(run)),
        lambda run: trec.evaluate("AP", QRELS, {"good": RUN, "bad": run}),
        lambda run: trec.evaluate("AP", QRELS, trec.read_run(run), complete=False),
        lambda run: trec.evaluate("AP", as_frame(QRELS, "relevance"), run),
        lambda run: evaluate("AP", trec.rank(QRELS, run)),
        lambda run: trec.rank(QRELS, run, order="file"),
        lambda run: incompleteness("AP", QRELS, {"a": RUN, "b": run}, rates=[0.5]),
    ],
)
@pytest.mark.parametrize("run", [LOST, OTHER], ids=["zeros", "collection"])
def test_a_run_without_a_judged_document_is_refused(call, run):
    with pytest.raises(ValueError, match="must have documents in common") as caught:
        call(run)
    told = str(caught.value)
    assert "'0100000', '0100001', '0100002' in the qrels" in told
    assert ("Leading zeros look lost" in told) == (run is LOST)


@pytest.mark.parametrize(
    ("rename", "guess"),
    [
        (lambda doc: f"{doc}.0", "look like floats"),
        (lambda doc: f" {doc}", "capitals or spaces"),
        (lambda doc: f"00{doc}", "Leading zeros"),
    ],
)
def test_guesses_are_told(rename, guess):
    with pytest.raises(ValueError, match=guess):
        trec.evaluate("AP", QRELS, renamed(rename))


def test_the_command_line_refuses_it(tmp_path):
    trec.write_run(trec.read_run(RUN), tmp_path / "good")
    trec.write_run(trec.read_run(LOST), tmp_path / "lost")
    lines = [f"{t} 0 {d} {g}\n" for t, ds in QRELS.items() for d, g in ds.items()]
    (tmp_path / "qrels").write_text("".join(lines), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("qrels", "good", "lost")]
    for command in ("evaluate", "compare"):
        errors = io.StringIO()
        with redirect_stdout(io.StringIO()), redirect_stderr(errors):
            assert main([command, *files, "-m", "AP"]) == 2
        assert "must have documents in common, got none" in errors.getvalue()


def test_hardly_any_judged_document_is_a_warning():
    run = {topic: dict(values) for topic, values in OTHER.items()}
    run["q0"]["0100000"] = 9.0
    for call in (
        lambda: trec.evaluate("AP", QRELS, {"good": RUN, "bad": run}),
        lambda: trec.rank(QRELS, run),
    ):
        with pytest.warns(QueryIdsWarning, match="1 of the first 10 of each topic"):
            call()


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ({"q": {"d1": 1}}, {"q": {"d2": 1.0}}),  # one relevant document, not found
        (
            {f"q{i}": {f"d{i}": 1} for i in range(9)},
            {f"q{i}": {f"e{i}{j}": float(j) for j in range(10)} for i in range(9)},
        ),
        (QRELS, {topic: values for topic, values in RUN.items() if topic < "q3"}),
        (
            {f"q{i}": {f"d{i}": 1} for i in range(200)},  # a tenth of them is found
            {
                f"q{i}": {f"d{i - (i % 10 > 0)}": -3.0, **{f"e{j}": -float(j) for j in range(9)}}
                for i in range(200)
            },
        ),
    ],
)  # fmt: skip
def test_a_poor_run_on_few_judgments_is_no_mistake(qrels, run):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trec.evaluate(["nDCG@10", "RR"], qrels, run)


@pytest.mark.parametrize("order", ["trec_eval", "score"])
@pytest.mark.parametrize(
    "run",
    [
        {"q": {"d1": 2**53 + 1, "d2": 2**53}},
        {"q": {"d1": -(2**60), "d2": 1}},
        as_frame({"q": {"d1": 2**62 + 1, "d2": 2**62}}, "score"),
        [("q", "d1", 2**53 + 1), ("q", "d2", 5)],
        io.BytesIO(b"q Q0 d1 1 9007199254740993 t\nq Q0 d2 2 9007199254740992 t\n"),
    ],
)
def test_integer_scores_that_doubles_merge_are_refused(run, order):
    if isinstance(run, io.BytesIO):
        run.seek(0)
    if isinstance(run, list):
        run = pd.DataFrame(run, columns=["query_id", "doc_id", "score"])
    with pytest.raises(ValueError, match=r"scores must be below 2\*\*53"):
        trec.rank({"q": {"d1": 1, "d2": 0}}, run, order=order)


def test_ranks_and_the_order_of_a_file_need_no_scores():
    run = {"q": {"d1": 2**53 + 1, "d2": 2**53}}
    trec.rank({"q": {"d1": 1, "d2": 0}}, run, order="file")
    trec.rank({"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 1e300, "d2": -1e300}})


@pytest.mark.parametrize("column", ["query_id", "doc_id"])
@pytest.mark.parametrize("kind", [float, np.float32])
def test_ids_beyond_the_precision_of_floats_are_refused(column, kind):
    frame = as_frame({1: {1: 2, 2: 0}, 2: {3: 1, 4: 0}}, "relevance")
    large = 2**54 if kind is float else 2**25
    frame[column] = (frame[column] + large).astype(kind)
    with pytest.raises(ValueError, match=f"{column} must tell ids apart"):
        trec.read_qrels(frame)


def test_grades_of_words_as_in_evaluate():
    qrels = {"q": {"d1": "E", "d2": "I"}}
    run = {"q": {"d1": 2.0, "d2": 1.0}}
    scores = trec.evaluate("nDCG", qrels, run, grades={"E": 3, "I": 0})
    assert float(scores.values.item()) == 1.0
