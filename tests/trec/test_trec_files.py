"""Qrels and runs: read from files and from Python, refused where they are not as they must be."""

import bz2
import gc
import gzip
import io
import lzma
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from skgraded import trec
from skgraded.trec import _sources
from skgraded.trec._documents import draw_key

RUN = "q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 1e-3 tag\nq2 Q0 d1 1 -2 tag\n"
NESTED_RUN = {"q1": {"d1": 3.5, "d2": 0.001}, "q2": {"d1": -2.0}}
QRELS = "q1 0 d1 2\nq1 0 d9 0\nq2 0 d1 -1\n"
NESTED_QRELS = {"q1": {"d1": 2, "d9": 0}, "q2": {"d1": -1}}


def compress_zstd(data):
    return (
        pytest.importorskip("zstandard")
        .ZstdCompressor(write_checksum=True)
        .compress(data)
    )


PACKED = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": compress_zstd,
}


@pytest.fixture
def written(tmp_path):
    """Write text or bytes into a file, and return its path."""

    def write(content, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_a_run_is_read(written):
    run = trec.read_run(written(RUN, "bm25.run"))
    assert run.to_dict() == NESTED_RUN
    assert (run.name, run.tag) == ("bm25.run", "tag")
    assert run.ranks.tolist() == [1, 2, 1]
    assert "3 documents, 2 topics" in repr(run)


def test_qrels_are_read(written):
    qrels = trec.read_qrels(written(QRELS))
    assert qrels.to_dict() == NESTED_QRELS
    assert "1 of grade -1, 1 of grade 0, 1 of grade 2" in repr(qrels)
    words = trec.read_qrels(written("q1 0 E E \t\r\nq1 0 I I"), grades={"E": 2, "I": 0})
    assert words.to_dict() == {"q1": {"E": 2, "I": 0}}


@pytest.mark.parametrize("suffix", PACKED)
def test_compression_is_told_by_the_content_and_not_by_the_name(written, suffix):
    packed = PACKED[suffix](RUN.encode())
    assert trec.read_run(written(packed, f"a.run{suffix}")).name == "a.run"
    assert trec.read_run(written(packed, "plain.txt")).to_dict() == NESTED_RUN
    assert trec.read_run(written(RUN, f"not packed{suffix}")).to_dict() == NESTED_RUN


@pytest.mark.parametrize("suffix", PACKED)
def test_long_packed_files_of_several_streams_are_read(suffix):
    lines = [
        f"q{n // 50}\tQ0\td{n}\t{n}\t{1 / (n + 3)}\tt\n".encode() for n in range(60_000)
    ]
    padding = b"\0" * 8 if suffix in (".gz", ".xz") else b""
    parts = [
        PACKED[suffix](b"".join(part)) for part in (lines[:20_000], lines[20_000:])
    ]
    run = trec.read_run(io.BytesIO(padding.join([*parts, b""])))
    assert run.scores.tolist() == [1 / (n + 3) for n in range(60_000)]
    assert list(run.documents) == [f"d{n}" for n in range(60_000)]


def test_zstd_files_may_begin_with_a_frame_to_skip(tmp_path):
    skipped = b"\x5e\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    (tmp_path / "qrels").write_bytes(skipped + compress_zstd(b"q1 0 d1 2\n") + skipped)
    assert trec.read_qrels(tmp_path / "qrels").to_dict() == {"q1": {"d1": 2}}


@pytest.mark.parametrize("suffix", PACKED)
def test_a_packed_file_is_refused_wherever_it_is_cut(written, suffix):
    packed = PACKED[suffix](RUN.encode() * 20)
    for whole in (b"", packed):
        for end in range(6, len(packed)):
            with pytest.raises(ValueError, match="damaged or cut short"):
                trec.read_run(io.BytesIO(whole + packed[:end]))


@pytest.mark.parametrize("suffix", PACKED)
def test_a_spoilt_packed_file_is_refused(written, suffix):
    packed = bytearray(PACKED[suffix](RUN.encode() * 50))
    packed[-8 if suffix == ".gz" else len(packed) // 2] ^= 0xFF  # of gzip, the checksum
    with pytest.raises(
        ValueError, match=r"bad\.run.*: this \w+ file is damaged or cut short"
    ):
        trec.read_run(written(bytes(packed), f"bad.run{suffix}"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(RUN.replace(" ", "\t"), id="tabs"),
        pytest.param(RUN.replace(" ", " \t  "), id="mixed blanks"),
        pytest.param(RUN.replace("\n", "\r\n"), id="Windows"),
        pytest.param("\ufeff" + RUN, id="byte-order mark"),
        pytest.param(RUN.rstrip("\n"), id="no last line end"),
        pytest.param(
            "# made by x\n\n" + RUN.replace("\n", "\n\n") + "  \n", id="comments"
        ),
        pytest.param(
            "".join(f"  {line}  \n" for line in RUN.splitlines()), id="indented"
        ),
        pytest.param(RUN.replace("tag", "t" * 90), id="long lines"),
        pytest.param(RUN.replace("tag", "a tag of words"), id="a tag of words"),
        pytest.param(
            RUN.replace("tag", "Q0 3 of Q0 in 1 or 2 words\t\r"), id="a strange tag"
        ),
        pytest.param(RUN.replace("\n", " \r\r\n"), id="doubled carriage returns"),
    ],
)
def test_white_space_does_not_matter(written, text):
    assert trec.read_run(written(text)).to_dict() == NESTED_RUN


@pytest.mark.parametrize("chunk", [1, 7, 20, 64, 1000])
def test_a_file_is_read_in_chunks_of_any_size(written, chunk, monkeypatch):
    monkeypatch.setattr(_sources, "_CHUNK", chunk)
    text = "".join(
        f"q{i % 7} Q0 doc{i} {i} {100 - i} {'t' * (i % 60)}x\n" for i in range(100)
    )
    path, packed = written(text), written(gzip.compress(text.encode()), "packed")
    expected = {
        f"q{t}": {f"doc{i}": 100.0 - i for i in range(t, 100, 7)} for t in range(7)
    }
    assert trec.read_run(path).to_dict() == expected
    assert trec.read_run(packed).to_dict() == expected


def test_topics_may_come_in_pieces(written):
    lines = RUN.splitlines()
    run = trec.read_run(written("\n".join([lines[0], lines[2], lines[1]])))
    assert run.to_dict() == NESTED_RUN
    assert run.topics.tolist() == ["q1", "q2"]


@pytest.mark.parametrize("topic", ["é", "日本", "a/b,c;d", "x" * 300, "0012", "-1"])
def test_odd_characters_are_kept(written, topic):
    run = trec.read_run(written(f"{topic} Q0 {topic}#1 1 2 {topic}"))
    assert run.to_dict() == {topic: {f"{topic}#1": 2.0}}
    assert run.tag == topic


@given(
    value=st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.decimals(allow_nan=False, allow_infinity=False, places=6),
        st.integers(-(10**25), 10**25),
    )
)
def test_numbers_are_read_to_the_last_bit(value):
    text = io.BytesIO(f"q Q0 d 1 {value} t".encode())
    assert trec.read_run(text).scores[0] == float(str(value))


def test_odd_spellings_of_numbers_are_read():
    numbers = ["+1", "1.", ".5", "-.5", "1E3", "1e-400", "007", "-0"]
    text = "".join(f"q{number} Q0 d 1 {number} t\n" for number in numbers)
    assert trec.read_run(io.StringIO(text)).scores.tolist() == list(map(float, numbers))


BAD_RUNS = {
    "five columns": (
        "q1 Q0 d1 1 3.5 t\nq1 Q0 d2 2 1.0\n",
        "line 2: a line has 6 columns.*got 5",
    ),
    "a word for a score": (
        "q1 Q0 d1 1 high t\n",
        "line 1: the score must be a number, got 'high'",
    ),
    **{
        number: (
            f"q1 Q0 d1 1 {number} t\n",
            "line 1: the score must be a number, got '",
        )
        for number in [
            "0x10",
            "1.2.3",
            ".",
            "-",
            "+-1",
            "-+1",
            "++1",
            "1e+-1",
            "1e",
            "1,5",
        ]
    },
    "nan": ("# c\n\nq1 Q0 d1 1 NaN t\n", "line 3: the score must be finite, got 'NaN'"),
    "infinity": ("q1 Q0 d1 1 -inf t\n", "line 1: the score must be finite, got '-inf'"),
    "too large": (
        "q1 Q0 d1 1 1e999 t\n",
        "line 1: the score must be finite, got '1e999'",
    ),
    "old Macintosh": (
        RUN.replace("\n", "\r"),
        r"line 1: a line must end in .*got a lone \\r in",
    ),
    "a comment and \\r": (
        "# c\r" + RUN,
        r"line 1: a line must end in .* in '# c\\rq1 Q0",
    ),
    "a lost line end": (
        RUN[:-1] + RUN,
        "line 3: .* one record, got two without a line end .* 'tagq1 Q0 d1 1 3.5 ",
    ),
    "a lost line end after a blank": (
        RUN[:-1] + " " + RUN,
        "line 3: .* 'q1 Q0 d1 1 3.5 tag'",
    ),
    "a lost line end after words": (
        RUN[:-1] + " of words" + RUN,
        "line 3: .* 'wordsq1 Q0 d1",
    ),
    "empty": ("", "no line found; a line has 6 columns"),
    "comments alone": ("# nothing\n\n", "no line found"),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "the file must be a text file"),
    "UTF-16": (
        "q1 Q0 d1 1 1 t".encode("utf-16"),
        "UTF-16 text; save the file as UTF-8",
    ),
    "packed UTF-16": (
        bz2.compress("q1".encode("utf-16")),
        "UTF-16 text; save the file as UTF-8",
    ),
    "a long line": ("x" * 500 + "\n", r"got 1: 'x{59}\.\.\.\."),
}


@pytest.mark.parametrize(("content", "message"), BAD_RUNS.values(), ids=BAD_RUNS)
def test_a_bad_run_is_refused_with_path_line_rule_and_value(written, content, message):
    with pytest.raises(ValueError, match=message) as caught:
        trec.read_run(written(content, "bad.run"))
    assert "bad.run" in str(caught.value)


def test_a_bad_grade_is_refused(written):
    told = (
        r"q\.txt, line 2: the grade must be a number, got 'yes'\. .*--grades yes=\? on"
    )
    with pytest.raises(ValueError, match=told):
        trec.read_qrels(written("q1 0 d1 1\nq1 0 d2 yes\n", "q.txt"))
    with pytest.raises(
        ValueError, match=r"line 2: a grade must be at most 2\*\*53, got 1e\+21"
    ):
        trec.read_qrels(written(f"q1 0 d1 1\nq1 0 d2 1{'0' * 21}\n"))
    with pytest.raises(
        ValueError, match=r"a line has 4 columns, 'topic iteration .*got 6"
    ):
        trec.read_qrels(written(RUN))


def test_lines_are_counted_over_chunks(written, monkeypatch):
    monkeypatch.setattr(_sources, "_CHUNK", 30)
    with pytest.raises(ValueError, match="line 12: the score must be a number"):
        trec.read_run(
            written(
                "# c\n"
                + "".join(f"q Q0 d{i} 1 1 t\n" for i in range(10))
                + "q Q0 x 1 y t"
            )
        )


def test_the_best_of_repeated_documents_counts(written):
    path = written(
        "\n" + RUN + "q1 Q0 d1 3 0.5 tag\nq2 Q0 d1 4 9 tag\nq2 Q0 d3 5 1 tag\n"
    )
    run = trec.read_run(path)
    assert run.to_dict() == {"q1": NESTED_RUN["q1"], "q2": {"d1": 9.0, "d3": 1.0}}
    assert run.n_duplicates == 2
    told = "line 5: .*once in a topic, got 'd1' of topic 'q1' again, first in line 2"
    with pytest.raises(ValueError, match=told):
        trec.read_run(path, strict=True)
    with pytest.raises(ValueError, match=r"row 1: .*first in row 0"):
        trec.read_run(
            {"qid": ["q", "q"], "docno": ["d", "d"], "score": [1, 2]}, strict=True
        )


def test_conflicting_grades_are_refused_and_equal_ones_count_once(written):
    qrels = trec.read_qrels(written(QRELS + "q1 0 d1 2\n"))
    assert (qrels.to_dict(), qrels.n_duplicates) == (NESTED_QRELS, 1)
    text = "\n\n# c\nq 0 a 1\n\nq 0 b 1\nq 0 c 1\n#\n\n#\nq 0 a 2\n"  # skipped lines are counted
    told = "line 11: document 'a' of topic 'q' must have one grade, got 2 here and 1 in line 4"
    with pytest.raises(ValueError, match=told):
        trec.read_qrels(written(text))


def test_a_file_that_is_closed_after_an_error_is_let_go_of_without_a_word(monkeypatch):
    unraised = []
    monkeypatch.setattr(sys, "unraisablehook", unraised.append)
    with (
        pytest.raises(ValueError, match="line 2"),
        io.BytesIO(b"t Q0 d 1 .5 x\nbad\n") as run,
    ):
        trec.read_run(run)
    gc.collect()
    assert unraised == []


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_ids_are_refused(missing):
    columns = {
        "query_id": ["a", "b", "c"],
        "docno": ["d", "e", "f"],
        "score": [1.0, 2.0, 3.0],
    }
    for column in ("query_id", "docno"):
        spoilt = {**columns, column: [*columns[column][:2], missing]}
        with pytest.raises(ValueError, match=f"^row 2: {column} is missing"):
            trec.read_run(pd.DataFrame(spoilt))
    with pytest.raises(ValueError, match=r"document .*: document is missing"):
        trec.read_run({"q": {missing: 1.0}})
    with pytest.raises(ValueError, match="key 0: the topic is missing"):
        trec.read_run({missing: {"d": 1.0}})


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.float32])
def test_whole_floats_are_the_integers_that_they_were_before_a_join(dtype):
    ids = np.array([1, 2], dtype=dtype)
    frame = pd.DataFrame({"query_id": ids, "doc_id": ids, "score": [1.0, 2.0]})
    assert trec.read_run(frame).to_dict() == {"1": {"1": 1.0}, "2": {"2": 2.0}}
    numbers = {1.0: {2.0: 3.0, 2.5: np.float32(0.5)}, 5: {}, 3: {4: 1}}
    assert trec.read_run(numbers).to_dict() == {
        "1": {"2": 3.0, "2.5": 0.5},
        "3": {"4": 1.0},
    }


def test_ranks_of_tables_are_numbers_and_minus_one_where_they_are_no_ranks():
    ranks = [2**40, 1.5, float("nan"), float("inf"), -3, 2, "3"]
    columns = {
        "qid": ["q"] * 7,
        "docno": list("abcdefg"),
        "score": np.ones(7),
        "rank": ranks,
    }
    run = trec.read_run(columns)
    assert run.ranks.tolist() == [-1, -1, -1, -1, -1, 2, 3]
    with pytest.raises(
        ValueError, match="row 6: the rank must be a number, got 'first'"
    ):
        trec.read_run({**columns, "rank": [*ranks[:6], "first"]})


@pytest.mark.parametrize("pack", [bytes, *PACKED.values()])
def test_a_file_object_stays_open(pack):
    file = io.BytesIO(pack(RUN.encode()))
    assert trec.read_run(file).to_dict() == NESTED_RUN
    gc.collect()
    file.seek(0)
    assert trec.read_run(file).to_dict() == NESTED_RUN


@pytest.mark.parametrize("name", ["a.run", "a.run.gz", "a.run.xz", "a.run.bz2"])
def test_what_is_written_reads_the_same(tmp_path, name):
    path = tmp_path / name
    scores = {
        "q1": {f"d{i}": float(np.float64(1) / (i + 3)) for i in range(20)},
        "q2": {"é": 1e300},
    }
    trec.write_run(scores, path, tag="x")
    again = trec.read_run(path)
    assert again.to_dict() == scores
    assert (again.tag, again.ranks.tolist()[:3]) == ("x", [1, 2, 3])


def test_a_run_is_written_in_its_order():
    run = trec.read_run(io.BytesIO(b"q Q0 a 2 1 t\nq Q0 c 1 1 t\nq Q0 b 3 5 t\n"))
    for order, documents in {"trec_eval": "bca", "rank": "cab", "file": "acb"}.items():
        text = io.StringIO()
        trec.write_run(run, text, order=order)
        assert (
            "".join(line.split()[2] for line in text.getvalue().splitlines())
            == documents
        )


@pytest.mark.parametrize(
    ("topic", "document", "tag", "message"),
    [
        ("q1", "good doc", "x", "a document must be one word, got 'good doc'"),
        ("q1", "", "x", "a document must be one word, got ''"),
        ("q1", "d\r", "x", r"a document must be one word, got 'd\\r'"),
        ("a\tb", "d", "x", r"a topic must be one word, got 'a\\tb'"),
        ("", "d", "x", "a topic must be one word, got ''"),
        ("#", "d", "x", "a topic must not be '#', with which comments begin"),
        ("q1", "d", "", "tag must be one word"),
        ("q1", "d", " x", "tag must be one word"),
    ],
)
def test_words_that_would_read_back_as_others_are_not_written(
    tmp_path, topic, document, tag, message
):
    with pytest.raises(ValueError, match=message):
        trec.write_run(
            {"q0": {"d": 1}, topic: {document: 9}}, tmp_path / "out", tag=tag
        )
    assert not (tmp_path / "out").exists()


def test_ids_with_white_space_that_parts_no_columns_are_written(tmp_path):
    scores = {"q\u00a01": {"d#\u20031": 9.0}}
    trec.write_run(scores, tmp_path / "out", tag="x")
    assert trec.read_run(tmp_path / "out").to_dict() == scores


def test_a_long_file_is_not_held_twice(tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "long.run"
    n = 300_000
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.writelines(
            f"{i // 1000} Q0 document-{i:024} {i} {n - i} {'t' * 200}\n"
            for i in range(n)
        )
    code = (
        "import resource, sys; from skgraded import trec\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); run = trec.read_run(sys.argv[1]); print(peak() - before, len(run.scores))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    kilobytes, n_read = map(int, done.stdout.split())
    text_kilobytes = n * 260 // 1024
    assert n_read == n
    assert kilobytes < text_kilobytes  # the text alone is 76 MB, its columns are 17 MB


def test_letor_data_and_a_score_file_make_a_run(written):
    features = written("2 qid:7 1:0.5\n0 qid:7 1:0.1\n1 qid:9 1:1\n", "test.txt")
    qrels, run = trec.read_letor(
        features, written("0.1\n0.9 # c\n\n3", "scores.txt"), name="model"
    )
    assert qrels.to_dict() == {"7": {"0": 2, "1": 0}, "9": {"2": 1}}
    assert (run.name, run.to_dict()) == (
        "model",
        {"7": {"0": 0.1, "1": 0.9}, "9": {"2": 3.0}},
    )
    with pytest.raises(ValueError, match=r"one score per line of the features \(3\)"):
        trec.read_letor(features, [1.0, 2.0])
    for score in ("x", "1_0", "nan", "1e999"):
        told = (
            rf"scores\.txt, line 2: a file of scores must have one number per line, "
            rf"got '{score}'"
        )
        with pytest.raises(ValueError, match=told):
            trec.read_letor(features, written(f"1\n{score}\n3\n", "scores.txt"))


def test_every_table_has_a_hash_of_its_own_so_that_no_ids_are_made_to_collide():
    keys = [word for _ in range(50) for word in draw_key()]
    assert len(set(keys)) == 100
    assert max(keys) < 2**64
    assert max(keys) > 2**60


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("~/none.run", "expanduser"),
        ("none/*.run", r"glob\.glob"),
        ("none.run", "No such"),
    ],
)
def test_a_path_that_a_shell_would_replace_is_told(path, told):
    with pytest.raises(FileNotFoundError, match=told):
        trec.read_run(path)
