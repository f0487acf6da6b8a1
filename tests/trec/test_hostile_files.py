"""Small files that would fill the memory, ids and numbers that programs read differently."""

import bz2
import gzip
import io
import lzma
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skgraded import trec
from skgraded.datasets import load_letor

MEGABYTE = 1_000_000
BLOCK, TIMES = 8 * MEGABYTE, 16  # 128 MB of text in all
ROOM = 110 * MEGABYTE  # of address space, beyond that of the imported package

# Reads files as qrels, runs or LETOR, with no more memory than ROOM, and prints the errors.
READER = """
import resource, sys
from skgraded import trec
from skgraded.datasets import load_letor
import sklearn.datasets, zstandard
room, *pairs = sys.argv[1:]
trec.read_qrels({"q": {"d": 1}})
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(room), used + int(room)))
for pair in pairs:
    kind, _, path = pair.partition(":")
    read = {"qrels": trec.read_qrels, "run": trec.read_run, "letor": load_letor}[kind]
    try:
        print("read", read(path))
    except ValueError as error:
        print("refused", error)
"""

pytestmark = pytest.mark.filterwarnings("error")


def read_in_little_room(pairs):
    """What is printed for (kind, path) pairs, a line for each, all read by one process."""
    pytest.importorskip("resource")
    pytest.importorskip("zstandard")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            READER,
            str(ROOM),
            *(f"{kind}:{path}" for kind, path in pairs),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def packed(suffix, byte):
    """A file of 128 MB of a repeated byte, in some kilobytes."""
    if (
        suffix == ".zst"
    ):  # one frame of blocks that repeat a byte: 4 bytes for 128 KiB of text
        size = 1 << 17
        header = (
            b"\x28\xb5\x2f\xfd" + b"\x00" + b"\x38"
        )  # a window of 128 KiB, no checksum
        blocks = [
            (size << 3 | 1 << 1 | last).to_bytes(3, "little") + byte for last in (0, 1)
        ]
        return header + blocks[0] * (BLOCK * TIMES // size - 1) + blocks[1]
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
    return pack(byte * BLOCK) * TIMES


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_small_files_of_much_text_take_no_memory(tmp_path):
    told = {}  # what is printed, by the kind of a file and its path
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        zeros, line, blank = (
            tmp_path / f"{name}{suffix}" for name in ("zeros", "line", "blank")
        )
        for path, byte in ((zeros, b"\0"), (line, b"x"), (blank, b"\n")):
            path.write_bytes(packed(suffix, byte))
        for kind in ("qrels", "run"):
            told[kind, zeros] = f"refused {zeros}, line 1: the file must be a text file"
        told["letor", zeros] = (
            f"refused {zeros}:1: a line must be plain ASCII text, got b'"
        )
        told["qrels", line] = (
            f"refused {line}, line 1: a line must have at most 1,000,000 bytes"
        )
        told["qrels", blank] = "no line found; a line has 4 columns"
        if suffix != ".zst":  # which load_letor does not read
            told["letor", line] = (
                f"refused {line}:1: a line must have at most 10,000,000 bytes"
            )
            told["letor", blank] = "must hold at least one document"
    told |= {
        (kind, "/dev/zero"): "refused /dev/zero" for kind in ("qrels", "run", "letor")
    }
    rest = "".join(f"{number} 0 d 1\n" for number in range(1000))
    for name, length in {"long": MEGABYTE - 10, "too long": 10 * MEGABYTE}.items():
        (tmp_path / name).write_text("t" * length + " 0 d 1\n" + rest)
    told["qrels", tmp_path / "long"] = (
        "1001 documents, 1001 topics"  # none of them is lengthened
    )
    told["qrels", tmp_path / "too long"] = "at most 1,000,000 bytes"
    for found, part in zip(read_in_little_room(told), told.values(), strict=True):
        assert part in found


def test_the_longest_line_is_read_and_a_longer_one_refused():
    long = "t" * (MEGABYTE - len(" 0 d 1"))
    assert trec.read_qrels(io.BytesIO(f"{long} 0 d 1\n".encode())).n_topics == 1
    for end in ("", "\n"):
        text = f"q 0 d 1\n{long}t 0 d 1{end}"
        with pytest.raises(
            ValueError, match=r"line 2: a line must have at most 1,000,000 bytes"
        ):
            trec.read_qrels(io.BytesIO(text.encode()))


def test_a_line_of_features_may_be_long_but_not_endless(tmp_path):
    path = tmp_path / "train.txt"
    features = " ".join(f"{number}:1" for number in range(1, 200_001))
    path.write_text(f"1 qid:1 {features}\n\n # c\n0 qid:1 7:2 # c\n")
    X, y, qid = load_letor(path)
    assert (X.shape, y.tolist(), qid.tolist()) == ((2, 200_000), [1, 0], [1, 1])
    path.write_text("1 qid:1 1:1\n0 qid:1 1:1 #" + "x" * 11 * MEGABYTE)
    with pytest.raises(
        ValueError, match=r"train\.txt:2: a line must have at most 10,000,000"
    ):
        load_letor(path)


def test_zero_bytes_are_refused_wherever_they_stand(tmp_path):
    path, line = tmp_path / "train.txt", "1 qid:1 1:0.5\n"
    path.write_text(line * 200_000 + "0 qid:1 1:1 # \0\n" + line)
    with pytest.raises(ValueError, match=r"train\.txt:200001: .* plain ASCII text"):
        load_letor(path)


def test_a_tiny_xz_file_does_not_ask_for_gigabytes():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}]
    data = bytearray(lzma.compress(b"q 0 d 1\n", filters=filters))
    assert trec.read_qrels(io.BytesIO(bytes(data))).n_topics == 1
    data[16] = 40  # the size of the dictionary: 4 GB
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    with pytest.raises(
        ValueError, match=r"xz file is damaged or cut short \(Memory usage limit"
    ):
        trec.read_qrels(io.BytesIO(bytes(data)))


def test_topics_that_differ_by_a_zero_byte_do_not_collapse():
    with pytest.raises(
        ValueError, match=r"line 2: the file must be a text file, got 'q1"
    ):
        trec.read_run(io.BytesIO(b"q1 Q0 a 1 1 t\nq1\0 Q0 a 1 1 t\n"))
    columns = {"qid": ["q1", "q1\0"], "docno": ["a", "a"], "score": [1.0, 1.0]}
    for given, told in (
        (
            {"q1": {"a": 1.0}, "q1\0": {"a": 1.0}},
            "key 1: the topic must be text without zero byt",
        ),
        ({"q": {"d\0": 1}}, r"topic 'q', document 'd\\x00': .* without zero bytes"),
        (columns, "row 1: qid must be text without zero bytes"),
        ({"\ud800": {"d": 1.0}}, r"lone surrogates, got '\\ud800'"),
    ):
        with pytest.raises(ValueError, match=told):
            trec.read_run(given)


def test_bytes_and_the_text_of_their_escapes_stay_different(tmp_path):
    lines = [b"\xff 0 d\xfe 1\n", b"\\xff 0 d 2\n"]
    qrels = trec.read_qrels(io.BytesIO(b"".join(lines)))
    assert [len(each) for each in qrels.topics] == [1, 4]
    assert qrels.to_dict() == {"\udcff": {"d\udcfe": 1}, "\\xff": {"d": 2}}
    assert trec.evaluate("AP", qrels, qrels.to_dict()).qid.tolist() == [
        "\udcff",
        "\\xff",
    ]
    trec.write_run(qrels.to_dict(), tmp_path / "again")
    again = (tmp_path / "again").read_bytes().splitlines()
    assert [line.split()[::2][:2] for line in again] == [
        [b"\xff", b"d\xfe"],
        [b"\\xff", b"d"],
    ]


COMMA = """
import io, locale, sys
import numpy as np
from skgraded import trec
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
numbers = ["+1.5", "1e-320", "0.1e-310", "1.5", "-2.25e3", "123456789.123456789", "1e-400"]
lines = "".join(f"q Q0 d{i} 1 {number} t\\n" for i, number in enumerate(numbers))
read = trec.read_run(io.BytesIO(lines.encode())).scores.tolist()
assert read == list(map(float, numbers)), read
try:
    trec.read_run(io.BytesIO(b"q Q0 d 1 +1,5 t"))
except ValueError as error:
    print(error)
"""


def test_the_decimal_point_does_not_depend_on_the_locale(tmp_path):
    if shutil.which("localedef") is None:
        pytest.skip("no localedef to make a locale with a decimal comma")
    command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("localedef cannot make the locale")
    done = subprocess.run(
        [sys.executable, "-c", COMMA],
        env={**os.environ, "LOCPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "must be a number, got '+1,5'" in done.stdout


def test_equal_topics_in_rows_that_stand_apart_are_one():
    rows = {
        "qid": ["b", "a", "b", 1, 1.0],
        "docno": list("vwxyz"),
        "score": np.arange(5.0),
    }
    run = trec.read_run(pd.DataFrame(rows))
    assert run.to_dict() == {
        "b": {"v": 0, "x": 2},
        "a": {"w": 1},
        "1": {"y": 3, "z": 4},
    }
