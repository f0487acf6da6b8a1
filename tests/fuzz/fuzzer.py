"""Give hostile files, arrays and measure strings to the package, for a time.

    python tests/fuzz/fuzzer.py [--seconds S] [--seed N]

Whatever is given, the package may succeed or raise a ValueError, TypeError or OSError whose message
names the file and the line, or the argument. Results are printed, pickled and asked for their
ideal, which must succeed. Anything else ends the run with status 1: another
exception, a message that names no place, a warning of another library, or a case that takes more
than ten seconds. A crash ends it by itself. The number of the last case is printed; the same seed
gives the same cases, and --first N starts at case N.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import lzma
import pickle
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from skgraded import catalogue, evaluate, measure, trec
from skgraded.datasets import load_letor
from skgraded.exceptions import SkgradedWarning
from skgraded.results import Scores

LONGEST_CASE = 10  # seconds
PIECES = [
    *[
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"#",
        b":",
        b",",
        b"-",
        b"+",
        b".",
        b"_",
        b"\xff",
    ],
    *[
        b"nan",
        b"inf",
        b"1e999",
        b"1e-999",
        b"0x1",
        b"+-1",
        b"99999999999999999999",
        b"qid:",
        b"Q0",
    ],
    *["é".encode(), b"\xef\xbb\xbf", b"\xff\xfe", b"\\xff", b"2147483648:1"],
    *[b"x" * 5000, b"1" * 400],
]
LINES = {
    "qrels": [
        b"q1 0 a 1\n",
        b"q1 0 b 0\n",
        b"q2 0 a -1\n",
        b"q2 0 c 2.5\n",
        b"# comment\n",
        b"\n",
    ],
    "run": [b"q1 Q0 a 1 2.5 t\n", b"q1 Q0 b 2 1 t\n", b"q2 Q0 c 1 -1e3 t u\n", b"\n"],
    "letor": [
        b"1 qid:1 1:0.5 3:1 # c\n",
        b"0 qid:1 2:1\n",
        b"2 qid:2 1:nan\n",
        b"# c\n",
        b"\n",
    ],
}
PACK: list[Callable[[bytes], bytes]] = [
    bytes,
    gzip.compress,
    bz2.compress,
    lzma.compress,
]
TYPES = ["U3", "S3", "M8[s]", "O", ">i4", "c16"]
SUFFIXES = ["", ".gz", ".bz2", ".xz", ".zst"]
# Words of which one stands in every message about an argument.
ARGUMENTS = [
    "y_true",
    "y_score",
    "qid",
    "measure",
    "Measure",
    "scores",
    "labels",
    "Field",
    "field",
]
ARGUMENTS += ["must", "needs", "rows", "can be given only once"]


class Fault(Exception):  # noqa: N818 - a fault of the package, not of the fuzzer
    """What the package did and must not do."""


def packers() -> list[Callable[[bytes], bytes]]:
    with contextlib.suppress(ImportError):
        import zstandard

        return [*PACK, zstandard.ZstdCompressor(write_checksum=True).compress]
    return PACK


def spoilt(rng: random.Random, text: bytes) -> bytes:
    """Change a text at some places: pieces put in, bytes taken out, parts repeated."""
    data = bytearray(text)
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            data[at:at] = rng.choice(PIECES)
        elif kind == 1:
            del data[at : at + rng.choice([1, 3, 20])]
        elif kind == 2:
            data[at : at + 1] = bytes([rng.randrange(256)])
        else:
            data[at:at] = data[: rng.randrange(1, 200)]
    return bytes(data)


def fuzz_file(rng: random.Random, folder: Path) -> None:
    kind = rng.choice(list(LINES))
    text = spoilt(rng, b"".join(rng.choices(LINES[kind], k=rng.choice([0, 1, 4, 60]))))
    pack = rng.choice(packers())
    packed = pack(text) + (pack(text) if rng.random() < 0.1 else b"")
    if rng.random() < 0.3:
        packed = spoilt(rng, packed)
    path = folder / f"some.{kind}{rng.choice(SUFFIXES)}"
    path.write_bytes(packed)
    try:
        with expected_errors([f"some.{kind}"]):
            if kind == "qrels":
                run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
                show(trec.evaluate(["AP", "nDCG@3"], path, run))
            elif kind == "run":
                qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
                order = rng.choice(["score", "rank"])
                show(trec.evaluate(["AP", "Bpref"], qrels, path, order=order))
            else:
                load_letor(path)
    finally:
        path.unlink()


def show(scores: Scores) -> None:
    """Print a result, pickle it, and ask it for its ideal."""
    try:
        assert str(pickle.loads(pickle.dumps(scores))) == str(scores)
        scores.ideal(), repr(scores), scores._repr_html_()
    except Exception as error:
        raise Fault(f"a result cannot be shown: {error!r}") from error


def some_grades(rng: random.Random, n: int) -> list[float]:
    """Grades of a few queries are between whole ones or above 31, those of the others are whole."""
    odd = rng.choice([[], [0.5, 40, 1e9], [2.25], [31, 32]])
    return [
        rng.choice(odd) if odd and rng.random() < 0.1 else rng.randrange(32)
        for _ in range(n)
    ]


def some_array(rng: random.Random, n: int) -> Any:
    draws = np.random.default_rng(rng.randrange(2**32))
    kind = rng.randrange(12)
    arrays: list[Callable[[], Any]] = [
        lambda: draws.integers(0, 4, n),
        lambda: draws.integers(-3, 4, n),
        lambda: draws.random(n),
        lambda: draws.normal(size=n).astype(rng.choice([np.float32, np.float16])),
        lambda: np.where(
            draws.random(n) < 0.3, rng.choice([np.nan, np.inf, -np.inf]), 1.0
        ),
        lambda: draws.integers(0, 2, n).astype(bool),
        lambda: draws.integers(-(2**62), 2**62, n),
        lambda: draws.integers(0, 3, (n, rng.choice([1, 2]))),
        lambda: [
            rng.choice([0, 1, None, "a", 2.5, b"x", "q\0", "q"]) for _ in range(n)
        ],
        lambda: draws.integers(0, 5, n).astype(rng.choice(TYPES)),
        lambda: rng.choice([None, 3, "text", {}, object(), [], [[]], np.zeros((0, 3))]),
        lambda: draws.integers(0, 5, 2 * n)[::2] * rng.choice([1, 10**6, -1]),
    ]
    return arrays[kind]()


def fuzz_arrays(rng: random.Random, folder: Path) -> None:
    del folder
    n = rng.choice([0, 1, 2, 7, 50, 5000])
    y_true = some_array(rng, n) if rng.random() < 0.6 else some_grades(rng, n)
    y_score = (
        some_array(rng, n) if rng.random() < 0.6 else [rng.random() for _ in range(n)]
    )
    qid = rng.choice([None, some_array(rng, n), [each // 3 for each in range(n)]])
    names = rng.sample(sorted(catalogue()), 3)
    with expected_errors(ARGUMENTS):
        show(
            evaluate(names, y_true, y_score, qid=qid, n_threads=rng.choice([1, 2, -1]))
        )


def fuzz_strings(rng: random.Random, folder: Path) -> None:
    del folder
    tokens = [
        *catalogue(),
        "(",
        ")",
        "[",
        "]",
        "@",
        "=",
        ",",
        "k",
        "g",
        "ties",
        "10",
        "-",
        "1e9",
    ]
    tokens += [
        "nan",
        "'x'",
        "None",
        "linear",
        " ",
        "\n",
        "{",
        "**",
        "lambda:0",
        "é",
        "\0",
    ]
    tokens.append("@" * 40)
    spec = "".join(rng.choices(tokens, k=rng.choice([1, 3, 6, 200])))
    if rng.random() < 0.5:
        name = rng.choice(sorted(catalogue()))
        spec = f"{name}(k={rng.choice(tokens)},{rng.choice(tokens)}={rng.choice(tokens)}){spec[:3]}"
    with expected_errors(ARGUMENTS):
        measure(spec)([1, 0, 2], [3, 2, 1])


@contextlib.contextmanager
def expected_errors(places: list[str]) -> Iterator[None]:
    """Let the errors pass that a caller can use: of three kinds, with a place in the message."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", module="skgraded")
            warnings.simplefilter("ignore", SkgradedWarning)
            yield
    except (ValueError, TypeError, OSError) as error:
        if not any(place in str(error) for place in places):
            raise Fault(f"the message names no place: {error!r}") from error
    except Fault:
        raise
    except (Exception, RecursionError) as error:
        raise Fault(f"{type(error).__name__} must not be raised: {error}") from error


def stop(*_: Any) -> None:
    raise Fault(f"a case takes more than {LONGEST_CASE} seconds")


def run(seconds: float, seed: int, first: int = 0) -> int:
    """Run cases for a time; return their number."""
    kinds = [fuzz_file, fuzz_file, fuzz_arrays, fuzz_strings]
    has_alarm = hasattr(signal, "setitimer")
    if has_alarm:
        signal.signal(signal.SIGALRM, stop)
    end, case = time.monotonic() + seconds, first
    with tempfile.TemporaryDirectory(prefix="skgraded-fuzz-") as folder:
        while time.monotonic() < end:
            rng = random.Random(f"{seed} {case}")
            if has_alarm:
                signal.setitimer(signal.ITIMER_REAL, LONGEST_CASE)
            try:
                rng.choice(kinds)(rng, Path(folder))
            except Fault as fault:
                raise SystemExit(f"case {case} of seed {seed}: {fault}") from fault
            finally:
                if has_alarm:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            case += 1
    return case - first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    number = run(options.seconds, options.seed, options.first)
    sys.stdout.write(f"{number} cases of seed {options.seed} without a fault\n")


if __name__ == "__main__":
    main()
