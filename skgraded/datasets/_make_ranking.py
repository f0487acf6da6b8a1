"""Synthetic learning-to-rank data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from skgraded._support.arguments import ArgumentError, integer, is_integer, number
from skgraded._support.array_types import FloatArray, IntArray

# Beta(1.2, 3) has its weight at the low end (mean 0.29, median 0.25) and a long tail, like the
# query sizes of the public learning-to-rank sets.
_SIZE_LAW = (1.2, 3.0)
_QUERY_EFFECT = 0.5
_BESIDE_MAIN = 0.5  # the weight of interactions, and of the tastes of queries
_REDUNDANT_NOISE = 0.5
_FEWEST_GRADES = 2


def make_ranking(
    n_queries: int = 200,
    *,
    docs_per_query: int | tuple[int, int] = (5, 200),
    n_features: int = 20,
    n_informative: int = 8,
    n_integer: int = 3,
    n_redundant: int = 4,
    n_query_features: int = 2,
    grade_shares: ArrayLike = (0.52, 0.32, 0.13, 0.02, 0.01),
    noise: float = 1.0,
    random_state: int | RandomState | None = None,
) -> tuple[FloatArray, IntArray, IntArray]:
    r"""Make up queries of unequal size whose documents carry features and a relevance grade.

    A document's latent relevance is ``signal + query effect + noise``: the signal is a nonlinear
    function of the features, the query effect makes some queries rich in relevant documents and
    others poor. The latent values of all documents are cut into grades at the thresholds that
    give `grade_shares`.

    Parameters
    ----------
    n_queries : int, default=200
        Number of queries, >= 1.
    docs_per_query : int or tuple of two ints, default=(5, 200)
        Documents of each query. An integer is the number for all queries. From a pair ``(low,
        high)`` each query's number is drawn from low..high, both included, skewed towards `low`:
        the mean is about ``low + 0.29 * (high - low)``, which is 61 for the default.
    n_features : int, default=20
        Number of columns of `X`. Those that the next four arguments do not use are pure noise.
    n_informative : int, default=8
        Number of document features that the signal is made of, >= 1.
    n_integer : int, default=3
        Number of informative features that are small counts 0, 1, 2, ..., so that many documents of
        a query have the same value.
    n_redundant : int, default=4
        Number of noisy linear combinations of the informative features.
    n_query_features : int, default=2
        Number of features that are constant within a query, and say how much each informative
        feature matters there.
    grade_shares : array-like of shape (n_grades,), default=(0.52, 0.32, 0.13, 0.02, 0.01)
        Share of the documents that have grade 0, 1, 2, ..., over the whole data set; sums to 1. The
        default is close to the shares in MSLR-WEB30K [1]_.
    noise : float, default=1.0
        Standard deviation of the noise, in standard deviations of the signal, >= 0. With 0 the
        features (and the query effect) determine the grade.
    random_state : int, RandomState instance or None, default=None
        Source of the randomness; pass an integer for the same data at every call.

    Returns
    -------
    X : ndarray of shape (n_documents, n_features), float64
        Features. From the left: informative (the last `n_integer` of them counts), redundant, query
        features, noise.
    y : ndarray of shape (n_documents,), int64
        Grades, 0 = not relevant.
    qid : ndarray of shape (n_documents,), int64
        Query id of each row, 0..n_queries-1. The rows of a query are adjacent and the ids ascend,
        so ``np.bincount(qid)`` is LightGBM's ``group``.

    Raises
    ------
    ValueError
        If an argument is not of its kind or out of its range, if the informative, redundant and
        query features are more than `n_features`, or if `grade_shares` does not sum to 1.

    See Also
    --------
    load_letor : Read real data from files.
    sklearn.datasets.make_classification : Made-up data with classes instead of grades.

    Notes
    -----
    With :math:`z_j` the standardised informative features of a document (the logarithm of one plus
    the count where it is one) and :math:`t` the query features of its query, the signal is

    .. math::

        \sum_j w_j \tanh z_j
        + \tfrac12 \sum_j a_j z_j z_{j-1}
        + \tfrac12 \sum_j \tanh(t^\top v_j)\, z_j ,

    each of the three sums scaled to unit variance over all documents, and so their sum; the
    weights :math:`w, a, v` are drawn once per data set (:math:`z_0` is the last feature). The
    query effect has standard deviation 0.5 and is independent of the features.

    References
    ----------
    .. [1] Tao Qin and Tie-Yan Liu (2013). "Introducing LETOR 4.0 Datasets". arXiv:1306.2597.

    Examples
    --------
    >>> import numpy as np
    >>> from skgraded.datasets import make_ranking
    >>> X, y, qid = make_ranking(n_queries=50, docs_per_query=20, random_state=0)
    >>> X.shape
    (1000, 20)
    >>> np.bincount(y)  # documents of each grade
    array([520, 320, 130,  20,  10])
    >>> np.unique(X[:, 7])[:3]  # a count
    array([0., 1., 2.])
    """
    n_queries = integer("n_queries", n_queries, 1)
    low, high = _check_bounds(docs_per_query)
    n_noise = _check_columns(
        n_features, n_informative, n_integer, n_redundant, n_query_features
    )
    shares = _check_shares(grade_shares)
    noise = number("noise", noise, at_least=0)
    random = check_random_state(random_state)

    # The order of the draws decides what a seed gives.
    shares_of_range = random.beta(*_SIZE_LAW, size=n_queries)
    n_sizes = high - low + 1
    sizes = low + np.floor(n_sizes * shares_of_range).astype(np.int64)
    qid = np.repeat(np.arange(n_queries), sizes)
    informative = _informative(random, qid, n_queries, n_informative, n_integer)
    query_features = random.standard_normal((n_queries, n_query_features))

    standard = _standardised(informative, n_integer)
    latent = _signal(random, standard, query_features, qid)
    latent += _QUERY_EFFECT * random.standard_normal(n_queries)[qid]
    latent += noise * random.standard_normal(len(qid))

    redundant = _redundant(random, standard, n_redundant)
    irrelevant = random.standard_normal((len(qid), n_noise))
    X = np.hstack([informative, redundant, query_features[qid], irrelevant])
    return X, _grades(latent, shares), qid


def _informative(
    random: RandomState,
    qid: IntArray,
    n_queries: int,
    n_informative: int,
    n_integer: int,
) -> FloatArray:
    """Features that vary between the documents of a query and, less, between queries."""
    features = 0.9 * random.standard_normal((len(qid), n_informative))
    query_effects = random.standard_normal((n_queries, n_informative))
    features += 0.45 * query_effects[qid]
    counts = features[:, n_informative - n_integer :]
    np.floor(np.exp(counts), out=counts)
    return features


def _standardised(informative: FloatArray, n_integer: int) -> FloatArray:
    """Columns of mean 0 and variance 1, the counts on a log scale."""
    standard = informative.copy()
    counts = standard[:, standard.shape[1] - n_integer :]
    np.log1p(counts, out=counts)
    return _unit(standard)


def _unit(values: FloatArray) -> FloatArray:
    """Scale to mean 0 and variance 1 along the first axis; a constant column becomes 0."""
    centred = values - values.mean(axis=0)
    deviation = centred.std(axis=0)
    return centred / np.where(deviation > 0, deviation, 1.0)


def _signal(
    random: RandomState, standard: FloatArray, query_features: FloatArray, qid: IntArray
) -> FloatArray:
    """Nonlinear function of the informative and the query features, of unit variance."""
    n_informative = standard.shape[1]
    signs = random.choice([-1.0, 1.0], n_informative)
    main_weights = signs * random.uniform(0.5, 1.5, n_informative)
    main = np.tanh(standard) @ main_weights

    products_of_neighbours = standard * np.roll(standard, 1, axis=1)
    interaction = products_of_neighbours @ random.uniform(0.5, 1.5, n_informative)

    # What the informative features of a document are worth in its query.
    taste_weights = random.standard_normal((query_features.shape[1], n_informative))
    tastes = np.tanh(query_features @ taste_weights)
    taste = np.einsum("ij,ij->i", standard, tastes[qid])

    return _unit(
        _unit(main) + _BESIDE_MAIN * _unit(interaction) + _BESIDE_MAIN * _unit(taste)
    )


def _redundant(
    random: RandomState, standard: FloatArray, n_redundant: int
) -> FloatArray:
    """Noisy linear combinations of the informative features."""
    weights = random.standard_normal((standard.shape[1], n_redundant))
    combined = _unit(standard @ weights)
    return combined + _REDUNDANT_NOISE * random.standard_normal(combined.shape)


def _grades(latent: FloatArray, shares: FloatArray) -> IntArray:
    """Cut the latent relevance into grades that have the given shares."""
    n_documents = len(latent)
    cumulated_shares = np.cumsum(shares) / shares.sum()
    first_of_next = np.rint(cumulated_shares * n_documents)
    ascending_grades = np.searchsorted(
        first_of_next, np.arange(n_documents), side="right"
    )
    grades = np.empty(n_documents, dtype=np.int64)
    grades[np.argsort(latent, kind="stable")] = ascending_grades
    return grades


def _check_bounds(docs_per_query: Any) -> tuple[int, int]:
    """Return the least and the largest query size."""
    if is_integer(docs_per_query):
        size = integer("docs_per_query", docs_per_query, 1)
        return size, size

    is_pair = isinstance(docs_per_query, Sequence) and len(docs_per_query) == 2  # noqa: PLR2004
    if not is_pair or not all(map(is_integer, docs_per_query)):
        raise ArgumentError(
            "docs_per_query",
            f"must be an integer or a pair (low, high), got {docs_per_query!r}.",
        )
    low = integer("docs_per_query[0]", docs_per_query[0], 1)
    high = integer("docs_per_query[1]", docs_per_query[1], low)
    return low, high


def _check_columns(
    n_features: int,
    n_informative: int,
    n_integer: int,
    n_redundant: int,
    n_query_features: int,
) -> int:
    """Return the number of columns left for noise."""
    integer("n_informative", n_informative, 1)
    integer("n_redundant", n_redundant, 0)
    integer("n_query_features", n_query_features, 0)
    if integer("n_integer", n_integer, 0) > n_informative:
        raise ArgumentError(
            "n_integer",
            f"must be <= n_informative={n_informative}, as it counts the informative features "
            f"that are integers, got {n_integer}.",
        )

    n_used = n_informative + n_redundant + n_query_features
    if integer("n_features", n_features, 1) < n_used:
        raise ArgumentError(
            "n_features",
            "must be >= n_informative + n_redundant + n_query_features = "
            f"{n_informative} + {n_redundant} + {n_query_features} = {n_used}, got {n_features}.",
        )
    return n_features - n_used


def _check_shares(grade_shares: ArrayLike) -> FloatArray:
    try:
        shares = np.asarray(grade_shares, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.zeros(0)

    are_shares = shares.ndim == 1 and len(shares) >= _FEWEST_GRADES
    are_shares = are_shares and bool((shares >= 0).all())
    if not are_shares or not np.isclose(shares.sum(), 1.0):
        raise ArgumentError(
            "grade_shares",
            "must hold a number >= 0 for each of at least two grades, which sum to 1, got "
            f"{grade_shares!r}.",
        )
    return shares
