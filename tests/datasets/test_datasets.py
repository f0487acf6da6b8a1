"""Made-up ranking data and the reader of learning-to-rank files."""

import bz2
import gzip
import io
import lzma
import os
import re
from threading import Thread

import lightgbm as lgb
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score

from skgraded.datasets import load_letor, make_ranking

COMPRESSORS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def mean_ndcg(y, y_score, qid):
    return np.mean(
        [ndcg_score([y[qid == q]], [y_score[qid == q]], k=10) for q in np.unique(qid)]
    )


def made_of(n_queries, n_features, informative, **options):
    """Data of so many informative features, and of others that are noise unless options say so."""
    others = dict.fromkeys(("n_integer", "n_redundant", "n_query_features"), 0)
    given = {
        "n_features": n_features,
        "n_informative": informative,
        **others,
        **options,
    }
    return make_ranking(n_queries, noise=0.0, random_state=0, **given)


class TestMakeRanking:
    def test_shapes_types_and_layout(self):
        X, y, qid = make_ranking(n_queries=30, random_state=0)
        assert X.shape == (len(y), 20)
        assert (X.dtype, y.dtype, qid.dtype) == (np.float64, np.int64, np.int64)
        assert np.isfinite(X).all()
        assert (np.diff(qid) >= 0).all()
        np.testing.assert_array_equal(np.unique(qid), np.arange(30))

    def test_same_seed_same_data(self):
        first = make_ranking(n_queries=10, random_state=3)
        again = make_ranking(n_queries=10, random_state=np.random.RandomState(3))
        assert all(map(np.array_equal, first, again))
        assert len(make_ranking(n_queries=10, random_state=4)[1]) != len(first[1])

    def test_query_sizes_fill_their_bounds_and_lean_to_the_low_end(self):
        sizes = np.bincount(
            make_ranking(n_queries=3000, docs_per_query=(2, 9), random_state=0)[2]
        )
        assert (sizes.min(), sizes.max()) == (2, 9)
        assert np.median(sizes) < (2 + 9) / 2
        assert sizes.mean() == pytest.approx(2 + 0.29 * (9 - 2), abs=0.5)

    @pytest.mark.parametrize("size", [7, np.int64(7), (7, 7), [7, 7]])
    def test_one_size_for_all(self, size):
        qid = make_ranking(n_queries=4, docs_per_query=size, random_state=0)[2]
        np.testing.assert_array_equal(qid, np.repeat(np.arange(4), 7))

    @given(
        shares=st.lists(st.integers(0, 9), min_size=2, max_size=7).filter(any),
        n_queries=st.integers(1, 8),
        docs=st.integers(1, 30),
    )
    def test_grade_shares_hold_to_within_a_document(self, shares, n_queries, docs):
        shares = np.array(shares) / sum(shares)
        X, y, _ = make_ranking(
            n_queries, docs_per_query=docs, grade_shares=shares, random_state=0
        )
        assert np.isfinite(X).all()  # also of one document
        counts = np.bincount(y, minlength=len(shares))
        assert len(counts) == len(shares)
        assert np.abs(counts - shares * len(y)).max() <= 1
        assert not counts[shares == 0].any()

    def test_columns_are_in_the_documented_order(self):
        X, _, qid = made_of(400, 9, 4, n_integer=2, n_redundant=1, n_query_features=2)
        first = np.r_[0, np.flatnonzero(np.diff(qid)) + 1]
        is_integer = (np.floor(X) == X).all(axis=0)
        is_constant = (X[first][qid] == X).all(axis=0)
        np.testing.assert_array_equal(is_integer, [0, 0, 1, 1, 0, 0, 0, 0, 0])
        np.testing.assert_array_equal(is_constant, [0, 0, 0, 0, 0, 1, 1, 0, 0])
        counts = X[:, 2:4]
        assert counts.min() == 0
        assert 3 < counts.max() < 100
        explained = Ridge().fit(np.c_[X[:, :2], np.log1p(counts)], X[:, 4])
        r2 = explained.score(np.c_[X[:, :2], np.log1p(counts)], X[:, 4])
        assert r2 == pytest.approx(
            1 / 1.25, abs=0.03
        )  # unit variance plus noise of 0.5
        assert np.abs(np.corrcoef(X[:, :5].T, X[:, 7:].T)[:5, 5:]).max() < 0.05

    def test_queries_differ_in_more_than_their_features(self):
        X, y, qid = made_of(100, 1, 1, docs_per_query=50)

        def changes(rows):
            return np.count_nonzero(np.diff(y[rows][np.argsort(X[rows, 0])]))

        within = [changes(np.flatnonzero(qid == q)) for q in range(100)]
        # Within a query the grade is a function of the feature that turns twice at most.
        assert max(within) <= 3 * 4
        assert changes(np.arange(len(y))) > 500

    def test_query_features_say_how_much_the_others_matter(self):
        X, y, _ = make_ranking(n_queries=200, noise=0.0, random_state=0)
        products = (X[:, :8, np.newaxis] * X[:, np.newaxis, 12:14]).reshape(len(X), -1)
        both = np.hstack([X, products])
        assert (
            Ridge().fit(both, y).score(both, y) > Ridge().fit(X, y).score(X, y) + 0.03
        )

    @pytest.mark.parametrize("seed", [0, 1])
    def test_boosting_learns_what_a_line_cannot_and_not_all(self, seed):
        X, y, qid = make_ranking(n_queries=300, random_state=seed)
        train, test = qid < 200, qid >= 200
        data = lgb.Dataset(X[train], y[train], group=np.bincount(qid[train]))
        params = {
            "objective": "lambdarank",
            "num_threads": 1,
            "verbosity": -1,
            "seed": 0,
        }
        booster = lgb.train(params, data, num_boost_round=60)
        line = Ridge().fit(X[train], y[train])
        chance = np.random.RandomState(0).random_sample(test.sum())
        scores = (chance, line.predict(X[test]), booster.predict(X[test]))
        at_random, linear, boosted = (mean_ndcg(y[test], s, qid[test]) for s in scores)
        assert at_random + 0.1 < linear
        assert linear + 0.03 < boosted < 0.9


SHARES = "a number >= 0 for each of at least two grades, which sum to 1, got "
PAIR = "docs_per_query must be an integer or a pair (low, high), got "
REFUSED = [  # arguments, and the end of what is told; {} is the value
    ("n_queries", (0, 2.0, True), "n_queries must be an integer >= 1, got {}."),
    ("docs_per_query", (0,), "docs_per_query must be an integer >= 1, got 0."),
    ("docs_per_query", ((0, 5),), "docs_per_query[0] must be an integer >= 1, got 0."),
    ("docs_per_query", ((9, 5),), "docs_per_query[1] must be an integer >= 9, got 5."),
    ("docs_per_query", ((1, 2, 3), 2.5, "ab", (1, 2.5), True), PAIR + "{}."),
    ("n_features", (0,), "n_features must be an integer >= 1, got 0."),
    ("n_features", (13,), "n_query_features = 8 + 4 + 2 = 14, got 13."),
    ("n_informative", (0,), "n_informative must be an integer >= 1, got 0."),
    ("n_integer", (-1,), "n_integer must be an integer >= 0, got -1."),
    ("n_integer", (9,), "n_integer must be <= n_informative=8"),
    ("n_redundant", (-1,), "n_redundant must be an integer >= 0, got -1."),
    ("n_query_features", (-1,), "n_query_features must be an integer >= 0, got -1."),
    (
        "grade_shares",
        ((1.0,), 0.5, [[0.5, 0.5]], (1.5, -0.5), (0.5, 0.4)),
        SHARES + "{}.",
    ),
    ("grade_shares", ((np.nan, 1.0), ("a", "b")), SHARES + "{}."),
    ("grade_shares", (((0.5,), 0.5),), SHARES),
    (
        "noise",
        (-0.5, np.inf, np.nan, "much", True),
        "noise must be a finite number >= 0, got {}.",
    ),
]


@pytest.mark.parametrize(("name", "values", "told"), REFUSED)
def test_make_ranking_refuses(name, values, told):
    for value in values:
        with pytest.raises(ValueError, match=re.escape(told.format(repr(value)))):
            make_ranking(**{name: value})


@pytest.fixture
def write(tmp_path):
    """Function that writes a file into a fresh folder and returns its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


LETOR = "2 qid:10 1:0.5 3:1 #docid = a_1\n0 qid:10 2:-0.25\n1 qid:7 1:1e2\n"
LIGHTGBM = "2 1:0.5 3:1\n0 2:-0.25\n1 1:1e2\n"
FEATURES = [[0.5, 0, 1], [0, -0.25, 0], [100, 0, 0]]


def refused(path, message, **kwargs):
    """Expect a ValueError with exactly this message; return the error."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as caught:
        load_letor(path, **kwargs)
    return caught.value


NAN = np.nan
# By what a file shows: its lines, options, and the features, labels and ids that it holds.
READ = {
    "ids": (LETOR, {}, FEATURES, [2, 0, 1], [10, 10, 7]),
    "blank lines, comments and ends of Windows": (
        "# head\r\n\r\n" + LETOR.replace("\n", "\r\n\r\n  # x\r\n").rstrip(),
        {}, FEATURES, [2, 0, 1], [10, 10, 7],
    ),
    "queries that are not adjacent": (
        "1 qid:2 1:1\n0 qid:1 1:1\n0 qid:2 1:3\n", {}, [[1], [1], [3]], [1, 0, 0], [2, 1, 2]
    ),
    "extreme ids": (
        f"1 qid:{2**63 - 1} 1:1\n0 qid:{-(2**63)} 1:1\n",
        {}, [[1], [1]], [1, 0], [2**63 - 1, -(2**63)],
    ),
    "fractional labels": ("0.5 qid:1 1:1\n2 qid:1 1:1\n", {}, [[1], [1]], [0.5, 2.0], [1, 1]),
    "an unjudged document": ("nan qid:1 1:1\n2 qid:1 1:1\n", {}, [[1], [1]], [NAN, 2.0], [1, 1]),
    "integers written as floats": (
        "1.0 qid:1 1:1\n-0 qid:1 1:1\n2e0 qid:1 1:1\n", {}, [[1]] * 3, [1, 0, 2], [1] * 3
    ),
    "a label beyond integers": ("1e300 qid:1 1:1\n", {}, [[1]], [1e300], [1]),
    "a document without features": ("1 qid:1\n0 qid:1 2:1\n", {}, [[0, 0], [0, 1]], [1, 0], [1, 1]),
    "more columns": ("1 qid:1 2:1\n", {"n_features": 4}, [[0, 1, 0, 0]], [1], [1]),
    "columns from 0": ("1 qid:1 0:5 2:7\n", {"zero_based": True}, [[5, 0, 7]], [1], [1]),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_lines_are_read(write, name):
    content, options, features, labels, ids = READ[name]
    X, y, qid = load_letor(str(write("train.txt", content)), **options)
    np.testing.assert_array_equal(X.toarray(), features)
    np.testing.assert_array_equal(y, labels)
    np.testing.assert_array_equal(qid, ids)
    assert X.format == "csr"
    assert X.indices.dtype == X.indptr.dtype == np.int32  # estimators take no others
    exact = not any(isinstance(each, float) for each in labels)
    assert (X.dtype, y.dtype, qid.dtype) == (
        float,
        np.int64 if exact else float,
        np.int64,
    )
    qid[:] = 0  # not a view of a buffer that forbids it


@pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("float32")])
def test_explicit_zeros_nan_and_single_precision(write, dtype):
    X = load_letor(write("a", "1 qid:1 1:0 2:nan 3:0.1\n"), dtype=dtype)[0]
    assert (X.nnz, X.dtype) == (3, np.float32)
    np.testing.assert_array_equal(X.toarray(), np.float32([[0, np.nan, 0.1]]))


class TestSidecar:
    def test_group_sizes(self, write):
        write("train.query", "2\r\n\n1")
        X, y, qid = load_letor(write("train", "# head\n\n" + LIGHTGBM))
        np.testing.assert_array_equal(X.toarray(), FEATURES)
        assert (y.tolist(), qid.tolist()) == ([2, 0, 1], [0, 0, 1])
        assert qid.dtype == np.int64

    @pytest.mark.parametrize("ending", COMPRESSORS)
    @pytest.mark.parametrize("kept", [True, False])
    def test_beside_a_compressed_file(self, write, ending, kept):
        if kept:  # the longer name comes first
            write("train.query", "nonsense\n")
        write(f"train{ending}.query" if kept else "train.query", "1\n2\n")
        qid = load_letor(
            write("train" + ending, COMPRESSORS[ending](LIGHTGBM.encode()))
        )[2]
        assert qid.tolist() == [0, 1, 1]

    def test_query_ids_in_the_lines_come_first(self, write):
        write("train.query", "nonsense\n")
        assert load_letor(write("train", LETOR))[2].tolist() == [10, 10, 7]

    def test_missing(self, write):
        write("train.query", "3\n")  # other endings are part of the name
        path = write("train.txt", LIGHTGBM)
        refused(
            path,
            f"{path}: the lines have no query ids, and there is no file of group sizes; either "
            "write qid:<id> after the label of every line, or put the number of documents of each "
            f"query, one number per line, into {path}.query.",
        )

    @pytest.mark.parametrize("sizes", ["2\n", "2\n2\n", ""])
    def test_sum(self, write, sizes):
        sidecar, path = write("train.query", sizes), write("train", "\n" + LIGHTGBM)
        got = sum(map(int, sizes.split()))
        refused(
            path,
            f"{sidecar}: the group sizes must add up to the number of documents, "
            f"got a sum of {got} for 3 documents in {path}.",
        )

    @pytest.mark.parametrize("entry", ["0", "-1", "1.0", "x", "1 1", "9" * 5000])
    def test_entry(self, write, entry):
        sidecar = write("train.query", f"2\n\n{entry}\n")
        shown = f"'{entry}'" if len(entry) < 9 else "'" + "9" * 40 + "'..."
        message = f"{sidecar}:3: a group size must be a positive integer, got {shown}."
        refused(write("train", LIGHTGBM), message)


class TestSeveralFiles:
    def test_rows_are_joined_and_the_widest_file_says_the_width(self, write):
        paths = [
            write("a", "1 qid:1 2:1\n"),
            write("b", LETOR),
            write("c", "0 qid:2\n"),
        ]
        X, y, qid = load_letor(paths)
        expected = np.vstack([[0, 1, 0], FEATURES, [0, 0, 0]])
        np.testing.assert_array_equal(X.toarray(), expected)
        assert X.format == "csr"
        assert X.indices.dtype == np.int32
        assert (y.tolist(), qid.tolist()) == ([1, 2, 0, 1, 0], [1, 10, 10, 7, 2])

    def test_groups_are_numbered_on(self, write):
        write("a.query", "2\n1\n")
        write("b.query", "1\n2\n")
        qid = load_letor([write("a", LIGHTGBM), write("b", LIGHTGBM)])[2]
        assert qid.tolist() == [0, 0, 1, 2, 3, 3]

    def test_ids_and_groups_do_not_mix(self, write):
        write("b.query", "3\n")
        a, b = write("a", LETOR), write("b", LIGHTGBM)
        refused(
            [b, a],
            "path_or_paths must be files that all have query ids in their lines or all have none, "
            f"got {a} with and {b} without; read them in separate calls.",
        )

    def test_n_features_holds_for_each(self, write):
        a, b = write("a", "1 qid:1 1:1\n"), write("b", LETOR)
        assert load_letor([a, b], n_features=4)[0].shape == (4, 4)
        message = f"{b}: feature indices must be <= 2 (n_features=2), got 3."
        refused([a, b], message, n_features=2)

    def test_an_empty_one_is_named(self, write):
        a, b = write("a", LETOR), write("b", "# nothing\n\n")
        refused(
            [a, b], f"{b}: the file must hold at least one document, got no data line."
        )


RULE = (
    "a line must hold a label (a number >= 0 or nan), qid:<64-bit integer> (in all lines or in "
    "none)"
)
SHOWN = "and index:value with indices that ascend from 1, got "
BAD_WORDS = {  # by the line in which they stand
    **{f"{word} qid:1 1:1": word for word in ("x", "1_0", "1:1")},
    "qid:1 1:1": "qid:1",
    **{
        f"1 {word} 1:1": word
        for word in ("qid:x", "qid:1.5", "qid:", "qid7", "qid:1_0")
    },
    f"1 qid:{2**63} 1:1": f"qid:{2**63}",
    "1 qid:1 qid:2 1:1": "qid:2",
    "1 qid:1 1:1 a:1": "a:1",
    "1 qid:1 1 : 1": "1",
    **{
        f"1 qid:1 {word}": word
        for word in (
            "7",
            "1.5:1",
            ":1",
            "1_0:1",
            "1:x",
            "1:",
            "1:1:1",
            "1:1_0",
            "-3:1",
            "1:NULLS",
        )
    },
    f"1 qid:1 {2**31}:1": f"{2**31}:1",
    "1 qid:1 2:1 1:1": "1:1",
    "1 qid:1 2:1 2:1": "2:1",
}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        *((line, f"{RULE}, {SHOWN}'{word}'.") for line, word in BAD_WORDS.items()),
        ("y" * 50 + " qid:1", f"{RULE}, {SHOWN}'" + "y" * 40 + "'...."),
        (
            "1 1:1",
            f"{RULE}, {SHOWN}none right after the label, and one in every line before.",
        ),
        (
            "1 qid:1 0:1",
            f"{RULE}, {SHOWN}'0:1'. If the file counts from 0, pass zero_based=True.",
        ),
        (
            "1 qid:1 1:NULL",
            f"{RULE}, {SHOWN}'1:NULL'. Write nan for a value that is missing.",
        ),
        *(
            (
                f"{label} qid:1 1:1",
                f"a label must be finite and >= 0, or nan, got {label}; write 0",
            )
            for label in ("inf", "-inf", "-1")
        ),
        (
            "1 qid:1 1:inf",
            "a feature value must be finite (as float64) or nan, got 1:inf.",
        ),
        (
            "1 qid:1 1:-1e999",
            "a feature value must be finite (as float64) or nan, got 1:-inf.",
        ),
        ("1 qid:1 1:\0", "a line must be plain ASCII text, got b'1 qid:1 1:\\x00'"),
        ("1 qid:1 1:½", "a line must be plain ASCII text, got b'1 qid:1 1:\\xc2\\xbd'"),
    ],
)
def test_a_bad_line_is_named(write, line, message):
    path = write("train", f"# head\n1 qid:9 1:1\n\n{line}\n3 qid:4 1:inf\n")
    with pytest.raises(ValueError, match="^" + re.escape(f"{path}:4: {message}")):
        load_letor(path)


def test_a_pipe_is_read_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes with names")
    os.mkfifo(tmp_path / "pipe")
    lines = b"\xef\xbb\xbf1 qid:1 1:1\n1 qid:1 1:inf\n"  # with a byte-order mark
    Thread(target=(tmp_path / "pipe").write_bytes, args=[lines], daemon=True).start()
    with pytest.raises(ValueError, match=r"pipe:2: a feature value must be finite"):
        load_letor(tmp_path / "pipe")


# By what is wrong: lines, options and the message after the name of the file.
FAULTS = {
    "a query id in the second line only": (
        "1 1:1\n1 qid:3 1:1\n", {}, f":2: {RULE}, {SHOWN}'qid:3' after lines without one."
    ),
    "a query id after the features": ("1 1:1 qid:3\n", {}, f":1: {RULE}, {SHOWN}'qid:3'."),
    "an index beyond the last": (
        "1 qid:1 6:1\n1 qid:1 7:1\n1 qid:1 1:inf\n-1 qid:1 1:1\n", {"n_features": 6},
        ": feature indices must be <= 6 (n_features=6), got 7.",
    ),
    "a value beyond float32": (
        "1 qid:1 1:1\n1 qid:1 1:1e39\n", {"dtype": np.float32},
        ":2: a feature value must be finite (as float32) or nan, got 1:inf.",
    ),
    "an index below 0": (
        "1 qid:1 -1:1\n", {"zero_based": True}, f":1: {RULE}, {SHOWN.replace('1', '0')}'-1:1'."
    ),
    "an index from 0 beyond the last": (
        "1 qid:1 3:1\n", {"zero_based": True, "n_features": 3},
        ": feature indices must be <= 2 (n_features=3), got 3.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named_with_their_place(write, name):
    content, options, message = FAULTS[name]
    path = write("train", content)
    refused(path, f"{path}{message}", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *[({"n_features": each}, "n_features must be an integer >= 1, or None for the largest "
           f"index in the files, got {each!r}.") for each in (0, 2.0, True)],
        ({"zero_based": 0}, "zero_based must be True or False, got 0."),
        *[({"dtype": each}, f"dtype must be np.float64 or np.float32, got {each!r}.")
          for each in (int, np.float16, "text")],
    ],
)  # fmt: skip
def test_options_are_checked(write, options, message):
    refused(write("a", LETOR), message, **options)


def test_paths_are_checked(write, tmp_path):
    for paths in ([], ()):
        refused(paths, f"path_or_paths must name at least one file, got {paths}.")
    for paths in (None, 3, b"a", [None], {"a"}, io.BytesIO()):
        with pytest.raises(
            TypeError, match="must be a path or a sequence of paths, got "
        ):
            load_letor(paths)
    with pytest.raises(OSError, match=re.escape(str(tmp_path))):
        load_letor(tmp_path)
    bad, missing = write("a", "nonsense\n"), tmp_path / "b"
    with pytest.raises(FileNotFoundError, match=re.escape(str(missing))):
        load_letor([bad, missing])  # all are looked for first


@pytest.mark.parametrize("ending", ["", *COMPRESSORS])
def test_a_file_without_documents(write, ending):
    for content in (b"", b"\n \n", b"# nothing\n"):
        path = write("train" + ending, COMPRESSORS.get(ending, bytes)(content))
        refused(
            path, f"{path}: the file must hold at least one document, got no data line."
        )


@pytest.mark.parametrize("ending", COMPRESSORS)
def test_a_packed_file_is_damaged_or_of_another_kind(write, ending):
    numbers = np.random.RandomState(0).random_sample(20_000)
    whole = COMPRESSORS[ending]("".join(f"1 qid:1 1:{n}\n" for n in numbers).encode())
    spoilt = bytearray(whole)
    spoilt[30:40] = b"\xff" * 10
    for content in (whole[: len(whole) // 2], bytes(spoilt)):
        path = write("train" + ending, content)
        with pytest.raises(
            ValueError, match=rf"^{re.escape(str(path))}: .* cut off, damaged"
        ):
            load_letor(path)
    path = write("train" + ending, LETOR)
    told = f"{path}: cannot be decompressed beyond line 0; the file is cut off, damaged or not a "
    with pytest.raises(ValueError, match=f"^{re.escape(told)}{ending} file"):
        load_letor(path)
    path = write("train", whole)
    with pytest.raises(
        ValueError, match=r":1: a line must be plain .* recognised by the end"
    ):
        load_letor(path)


VALUES = st.sampled_from([0.0, 0.0, 0.5, -1.25, 3.0, 1e-3, 1e300])


@st.composite
def datasets(draw):
    """Features, grades and query ids of a few documents; queries in any order of rows."""
    n_rows, n_columns = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    rows = st.lists(VALUES, min_size=n_columns, max_size=n_columns)
    X = np.array(draw(st.lists(rows, min_size=n_rows, max_size=n_rows)))
    column = {"min_size": n_rows, "max_size": n_rows}
    y = np.array(draw(st.lists(st.integers(0, 4), **column)))
    qid = np.array(draw(st.lists(st.integers(-3, 10**12), **column)))
    return X, y, qid


@given(
    data=datasets(),
    zero_based=st.booleans(),
    ending=st.sampled_from(["", ".gz", ".bz2", ".xz"]),
)
def test_reads_back_what_scikit_learn_writes(
    tmp_path_factory, data, zero_based, ending
):
    X, y, qid = data
    file = io.BytesIO()
    dump_svmlight_file(
        sparse.csr_matrix(X),
        y,
        file,
        query_id=qid,
        zero_based=zero_based,
        comment="a_b",
    )
    path = tmp_path_factory.mktemp("round") / f"train{ending}"
    path.write_bytes(COMPRESSORS.get(ending, bytes)(file.getvalue()))
    X_read, y_read, qid_read = load_letor(
        path, n_features=X.shape[1], zero_based=zero_based
    )
    np.testing.assert_array_equal(X_read.toarray(), X)
    np.testing.assert_array_equal(y_read, y)
    np.testing.assert_array_equal(qid_read, qid)


def test_lightgbm_example(data_dir):
    path = data_dir / "lightgbm-lambdarank" / "rank.test"
    X, y, qid = load_letor(path, n_features=300)
    X_theirs, y_theirs = load_svmlight_file(path, n_features=300, zero_based=False)
    assert (X_theirs != X).nnz == 0
    np.testing.assert_array_equal(y, y_theirs)
    assert y.dtype == np.int64
    sizes = np.bincount(qid)
    assert (len(y), len(sizes), sizes.max()) == (768, 50, 24)
    assert (np.diff(qid) >= 0).all()
    np.testing.assert_array_equal(sizes, np.loadtxt(f"{path}.query", dtype=int))
