"""Hypothesis strategies for graded relevance data of several queries."""

from functools import cache
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

MAX_GRADES = st.integers(1, 6)

# Few values, so that ties abound; -0.0 ties with 0.0, and 1 + 2^-40 differs from 1 in the low bits
# of the score only.
SCORES = (-3.5, -1.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 1.0 + 2.0**-40, 7.25, 1e300)


class Data(NamedTuple):
    """Rows of several queries in any order."""

    y_true: np.ndarray  # (n_rows,) float64, NaN = unjudged
    y_score: np.ndarray  # (n_rows,) float64
    qid: np.ndarray  # (n_rows,) int64 or str
    max_grade: int  # top of the scale, not always present


# To draw takes most of the time of a test: labels and scores are drawn from a seed, and strategies
# that many examples need are made once, since Hypothesis checks each when it first draws from it.
SEEDS = st.integers(0, 2**32 - 1)


def labels(max_grade, n_documents, unjudged=True):
    """Labels 0..max_grade of one query, with 0 and NaN more frequent; now and then only these."""

    def drawn(seed):
        rng = np.random.default_rng(seed)
        scale = np.arange(1.0 + (max_grade if rng.integers(8) > 0 else 0))
        choices = [scale, 0 * scale, np.nan * scale] if unjudged else [scale, 0 * scale]
        return rng.choice(np.concatenate(choices), n_documents).tolist()

    return SEEDS.map(drawn)


def small_tied_scores(n_documents):
    """Scores whose tied blocks have at most four documents."""

    def drawn(seed):
        rng = np.random.default_rng(seed)
        distinct = rng.permutation([score for score in SCORES if str(score) != "-0.0"])
        scores = np.repeat(distinct, rng.integers(1, 5, len(distinct)))[:n_documents]
        scores[(scores == 0.0) & (rng.random(len(scores)) < 0.5)] = -0.0
        return rng.permutation(scores).tolist()

    return SEEDS.map(drawn)


def few_scores(n_documents):
    """Scores from a short list, tied blocks of any size."""
    return SEEDS.map(
        lambda seed: np.random.default_rng(seed).choice(SCORES, n_documents).tolist()
    )


def distinct_scores(n_documents):
    """Scores without a tie."""
    return SEEDS.map(
        lambda seed: (
            0.25 * np.random.default_rng(seed).permutation(n_documents) - 3
        ).tolist()
    )


@st.composite
def query_ids(draw, n_queries):
    """Give distinct ids of all queries: integers, also negative and large ones, or strings."""
    return draw(_distinct_ids(draw(_KINDS_OF_IDS), n_queries))


_INTEGERS = st.integers(-(2**40), 2**40)
_TEXTS = st.text("abcZ019-_", min_size=1, max_size=5)
_KINDS_OF_IDS = st.sampled_from([_INTEGERS, _TEXTS])


@cache
def _distinct_ids(kind, n):
    return st.lists(kind, min_size=n, max_size=n, unique=True)


@st.composite
def _data(draw, *, n_queries, n_documents, scores, unjudged, shuffle):
    max_grade = draw(MAX_GRADES)
    ids = draw(query_ids(draw(n_queries)))
    rows = []
    for query in ids:
        size = draw(n_documents)
        query_scores = draw(scores(size))
        query_labels = draw(labels(max_grade, size, unjudged))
        rows += zip(query_labels, query_scores, [query] * size, strict=True)
    if shuffle:
        rows = [
            rows[place]
            for place in np.random.default_rng(draw(SEEDS)).permutation(len(rows))
        ]
    y_true, y_score, qid = zip(*rows, strict=True)
    return Data(
        np.array(y_true, float), np.array(y_score, float), np.array(qid), max_grade
    )


def small_data():
    """Few documents a query and small tied blocks: a query has at most 48 orders of tied ones."""
    return _data(
        n_queries=st.integers(1, 3),
        n_documents=st.integers(1, 6),
        scores=small_tied_scores,
        unjudged=True,
        shuffle=True,
    )


def long_data(max_queries=4, unjudged=True, shuffle=True, ties=True):
    """Longer lists with tied blocks of any size, or none: not for enumerating orders."""
    return _data(
        n_queries=st.integers(1, max_queries),
        n_documents=st.integers(1, 40),
        scores=few_scores if ties else distinct_scores,
        unjudged=unjudged,
        shuffle=shuffle,
    )


def g_vectors(max_grade):
    """Threshold distributions: any, with zero entries, and all mass on one grade."""
    weights = st.lists(
        st.integers(0, 5), min_size=max_grade, max_size=max_grade
    ).filter(any)
    one_grade = st.integers(1, max_grade).map(
        lambda top: [int(grade == top) for grade in range(1, max_grade + 1)]
    )
    return (weights | one_grade).map(lambda w: tuple(each / sum(w) for each in w))


def gains(max_grade):
    """Gain: by name, or an increasing tuple for grades 1..max_grade that may start at 0."""
    steps = st.lists(
        st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.5]),
        min_size=max_grade,
        max_size=max_grade,
    ).filter(any)
    tuples = steps.map(lambda step: tuple(float(x) for x in np.cumsum(step)))
    return st.one_of(st.sampled_from(["linear", "exp2"]), tuples)


@cache
def cutoffs(max_documents=8):
    """No cut-off, or one inside, at or beyond the end of the list."""
    return st.one_of(st.none(), st.integers(1, max_documents))


def row_weights(n_rows):
    """Weights of the rows, some zero but not all."""
    weight = st.sampled_from([0.0, 0.25, 1.0, 1.5, 3.0])
    return st.lists(weight, min_size=n_rows, max_size=n_rows).filter(any).map(np.array)


@st.composite
def list_and_pool(draw, max_grade, max_documents=8, max_unretrieved=4):
    """Draw a list in rank order (None = unjudged), now and then empty, and its pool."""
    grade = st.integers(0, max_grade)
    ranked = draw(st.lists(st.one_of(grade, st.none()), max_size=max_documents))
    unretrieved = draw(st.lists(grade, max_size=max_unretrieved))
    return ranked, [r for r in ranked if r is not None] + unretrieved


def partly_unsampled(ranked, unsampled=-1):
    """Turn some of a list's unjudged documents into ones of the pool that were not sampled."""
    kinds = [
        st.sampled_from([None, unsampled]) if r is None else st.just(r) for r in ranked
    ]
    return st.tuples(*kinds).map(list)
