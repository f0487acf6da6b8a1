"""Measures have the same bits on every machine, but for those that hold a logarithm or a power.

`measure_bits.txt` records the SHA-256 of each measure's values on fixed data. Neither the vector
instructions that the kernels find, nor compilers, nor versions of the dependencies may change it;
`bash .ci/native module` runs this file on a module without vector instructions. Where the values
of a measure change on purpose, write the table anew, from the root of the repository:

    python tests/measures/test_measure_bits.py --write
"""

import hashlib
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from skgraded import Judgments, catalogue
from skgraded.datasets import make_ranking

TABLE = Path(__file__).parents[1] / "measure_bits.txt"
TOP = 4

# Their values hold a logarithm, a power or an exponential of NumPy's or the C library's, which do
# not promise its last bit: NumPy computes it with AVX-512 in one way and without in another.
NOT_RECORDED = {
    "AveragedNDCG", "BinG", "Compat", "DCG", "ERR", "G", "NDCGRel", "NERR10", "NormalizedPrecision",
    "RNDCG", "RankBiasedNCU", "SDCG", "iRBU", "nDCG",
}  # fmt: skip


@cache
def rows():
    """Labels of three kinds, scores of two, and query ids; all but the grades are exact."""
    _, grades, qid = make_ranking(40, docs_per_query=(1, 150), random_state=0)
    random, n = np.random.RandomState(0), len(grades)
    labels = {
        "grades": grades.astype(float),
        "unjudged": np.where(random.randint(10, size=n) == 0, np.nan, grades),
        "continuous": np.minimum(grades + random.randint(8, size=n) / 8, TOP),
    }
    scores = {
        "tied": random.randint(24, size=n) / 32,
        "distinct": random.permutation(n) / 2**16,
    }
    return labels, scores, qid


@cache
def rankings():
    labels, scores, qid = rows()
    return [
        Judgments(y, qid=qid).rank(s) for y in labels.values() for s in scores.values()
    ]


def with_and_without_cutoff(kind):
    yield kind()
    with suppress(ValueError):  # a measure without ranks has no cut-off
        yield kind(k=10)


def digest(*arrays):
    data = b"".join(
        np.ascontiguousarray(each, dtype="<f8").tobytes() for each in arrays
    )
    return hashlib.sha256(data).hexdigest()


def digest_of(name):
    measures = [
        each.resolve(TOP) for each in with_and_without_cutoff(catalogue()[name])
    ]
    return digest(*(m.per_query(each).values for m in measures for each in rankings()))


def digest_of_data():
    labels, scores, qid = rows()
    return digest(*labels.values(), *scores.values(), qid)


def recorded():
    return dict(line.split() for line in TABLE.read_text("utf-8").splitlines())


NAMES = sorted(set(catalogue()) - NOT_RECORDED)


def test_every_measure_is_recorded_or_named():
    assert sorted(recorded()) == sorted([*NAMES, "data"])
    assert set(catalogue()) >= NOT_RECORDED


def test_the_data_are_the_same():
    assert digest_of_data() == recorded()["data"]


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_has_its_bits(name):
    assert digest_of(name) == recorded()[name]


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    lines = {"data": digest_of_data(), **{name: digest_of(name) for name in NAMES}}
    TABLE.write_text(
        "".join(f"{name} {value}\n" for name, value in lines.items()), "utf-8"
    )
