"""Queries and their rows: how many are there, how many should be, and which a ranker has seen.

The rows of a query are counted, and their number is compared with the size of the query that
`query_target`, `query_series` or `query_ids` has put beside its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded._guards._stack import warn_once
from skgraded._support.arguments import first_true
from skgraded._support.array_types import BoolArray, HashArray, IntArray
from skgraded.exceptions import CutQueriesWarning, QueryIdsWarning, QueryLeakWarning

_LOWEST_64_BITS = 2**64 - 1
_LONG_FOR_ONE_QUERY = 1_000
_MANY_SINGLE_DOCUMENTS = 20
# A warning is shown only if a chance match is less likely than this.
_LOG_CHANCE = np.log(1e-6)
# Two data sets of one kind have lists of about the same lengths; the parts of a data set do not.
_ABOUT_AS_MANY = np.log(1.25)

# What is wrong with rows of queries, and what to do.
_PARTS = (
    "parts of queries",
    "Short lists are easier to rank, so that scores are too high. Folds of rows, a learning curve, "
    "permutation_importance with max_samples and a halving search cut queries, unless this has a "
    "resource such as 'estimator__n_estimators'. Split by whole queries, for example by "
    "cv=QueryKFold(5). If rows were left out on purpose, make the target or the ids from the rows "
    "that are left.",
)
_COPIES = (
    "more rows of queries than these have",
    "Either rows occur twice, as in a bootstrap sample, or two queries share an id. Give every "
    "query, and every copy of one, an id of its own, and make the target or the ids from all rows.",
)

# The versions of LightGBM's data sets that were looked at: once each, because the rows of a subset
# are a list.
_whole: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class Queries(Protocol):
    """Rows by query, as `Judgments` lays them out, and how many of them there should be.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids.
    indptr : ndarray of shape (n_queries + 1,), int64
        The rows that are there of query q number ``indptr[q + 1] - indptr[q]``.
    sizes : ndarray of shape (n_queries,), int64, or None
        Number of rows of each query in its data set, where the target or the ids say so.
    """

    qid: NDArray[Any]
    indptr: IntArray
    sizes: IntArray | None


@dataclass(frozen=True, eq=False)
class QueryRecord:
    """Queries by the hashes of their ids, with their numbers of rows.

    A fitted model carries this instead of the ids. The hashes are the same in every process, and
    the same for equal ids of different types, such as 7, 7.0 and a nullable 7. They are not secret:
    anyone who guesses an id can check whether it is in the record.

    Attributes
    ----------
    hashes : ndarray of shape (n_queries,), uint64
        Hash of each query's id, ascending.
    n_rows : ndarray of shape (n_queries,), unsigned int
        Number of rows of each query that were seen.
    """

    hashes: HashArray
    n_rows: NDArray[np.unsignedinteger[Any]]

    @classmethod
    def of(cls, queries: Queries) -> QueryRecord:
        """Record the queries of some rows.

        Parameters
        ----------
        queries : Queries
            The rows by query.

        Returns
        -------
        QueryRecord
            The record.
        """
        hashes = hash_ids(queries.qid)
        order = np.argsort(hashes)

        n_rows = np.diff(queries.indptr)
        smallest_type = np.min_scalar_type(n_rows.max())
        n_rows = n_rows.astype(smallest_type)
        return cls(hashes[order], n_rows[order])

    def of_ids(self, qid: NDArray[Any]) -> QueryRecord:
        """Take some of the queries.

        Parameters
        ----------
        qid : ndarray of shape (n_queries,)
            Their ids, each of which is in the record.

        Returns
        -------
        QueryRecord
            Their record.
        """
        hashes = hash_ids(qid)
        places = np.searchsorted(self.hashes, hashes)
        places.sort()
        return QueryRecord(self.hashes[places], self.n_rows[places])

    def __len__(self) -> int:
        return len(self.hashes)

    def contains(self, qid: ArrayLike) -> BoolArray:
        """Tell for each id whether its query is in the record.

        Parameters
        ----------
        qid : array-like of shape (n,)
            Query ids, such as those of the rows; or what `query_ids` makes of them.

        Returns
        -------
        ndarray of shape (n,), bool
            Whether the query is there.
        """
        # NumPy would turn a list of ids of several types into text.
        dtype: type | None = None
        if isinstance(qid, list | tuple):
            dtype = object

        ids = np.asarray(qid, dtype=dtype)
        if ids.dtype.names:
            ids = ids["qid"]
        hashes = hash_ids(ids)
        return np.isin(hashes, self.hashes)


def n_shared(query_of_row: IntArray, query_of_other_row: IntArray) -> int:
    """Count the queries that have rows in both of two sets, given the query of each row."""
    queries_of_both = np.intersect1d(query_of_row, query_of_other_row)
    return len(queries_of_both)


def hash_ids(ids: NDArray[Any]) -> HashArray:
    """Hash ids to 64 bits, the same in every process; integers never share a hash.

    Parameters
    ----------
    ids : ndarray of shape (n,)
        Ids of any type.

    Returns
    -------
    ndarray of shape (n,), uint64
        The hashes.
    """
    if ids.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            integers = ids.astype(np.int64)
        if np.array_equal(integers, ids):
            ids = integers

    if ids.dtype.kind in "biu":
        codes = ids.astype(np.uint64)
    else:
        objects = ids.tolist()
        code_by_id = {query_id: _code_of_id(query_id) for query_id in set(objects)}
        codes_of_rows = [code_by_id[query_id] for query_id in objects]
        codes = np.array(codes_of_rows, dtype=np.uint64)
    return _mix_bits(codes)


def _code_of_id(query_id: Any) -> int:
    """Return 64 bits that stand for one id; an integer of 64 bits stands for itself."""
    from hashlib import blake2b  # importing skgraded must stay quick

    is_number = isinstance(query_id, int | float | np.integer | np.floating)
    if is_number and query_id % 1 == 0:
        query_id = int(query_id)
        if -(2**63) <= query_id <= _LOWEST_64_BITS:
            return query_id & _LOWEST_64_BITS

    text = repr(query_id)
    if isinstance(query_id, str):
        text = f"str {query_id}"
    text_bytes = text.encode("utf-8", "surrogatepass")
    digest = blake2b(text_bytes, digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _mix_bits(codes: HashArray) -> HashArray:
    """Spread the bits by the finalizer of SplitMix64, which maps no two numbers to one."""
    bits = codes + np.uint64(0x9E3779B97F4A7C15)
    bits = _fold(bits, 30) * np.uint64(0xBF58476D1CE4E5B9)
    bits = _fold(bits, 27) * np.uint64(0x94D049BB133111EB)
    return _fold(bits, 31)


def _fold(bits: HashArray, n_places: int) -> HashArray:
    upper_bits = bits >> np.uint64(n_places)
    return bits ^ upper_bits


def warn_about_queries(
    queries: Queries, rows: str = "scored rows", estimator: Any = None
) -> None:
    """Warn of doubtful ids, and of queries that lack rows, repeat them or were trained on.

    Parameters
    ----------
    queries : Queries
        The rows by query.
    rows : str, default="scored rows"
        What to call the rows in the message.
    estimator : estimator, optional
        What scores them: a fitted `QueryRanker`, an estimator that wraps one, or any other, which
        tells nothing of the queries that it has seen.
    """
    _warn_if_ids_are_of_another_kind(queries)
    trained = _training_record(estimator)
    is_known = trained is not None and _warn_if_trained_on(trained, queries)

    if queries.sizes is not None and not is_known:
        _warn_of_sizes(queries.sizes, queries, rows)


def warn_if_splits_cut_queries(
    splits: Sequence[tuple[IntArray, IntArray]], query: IntArray, n_queries: int
) -> None:
    """Warn if a split trains and tests on rows of one query.

    Parameters
    ----------
    splits : sequence of (train, test)
        Row numbers of each split.
    query : ndarray of shape (n_rows,)
        Query number of each row.
    n_queries : int
        Number of queries.
    """
    n_cut = 0
    for train, test in splits:
        n_cut_here = n_shared(query[train], query[test])
        n_cut = max(n_cut, n_cut_here)

    if n_cut:
        warn_once(
            f"cv cuts queries: up to {n_cut} of {n_queries} have documents in both the training "
            "and the test rows of a split, so that values are too high. Split by whole queries, "
            "for example by cv=QueryKFold(5).",
            QueryLeakWarning,
        )


def _warn_if_trained_on(trained: QueryRecord, queries: Queries) -> bool:
    """Warn if a ranker was trained on scored queries, and tell whether it was.

    Files without ids are numbered from the start, so that their ids say nothing. They are taken for
    one data set if they have the same numbers, and all lists are as long, or lists are shorter or
    longer as those of the parts of one data set are; and if lists of equal numbers are as long, and
    lengths vary so much that this is no chance.
    """
    _, in_training, in_scoring = np.intersect1d(
        trained.hashes, hash_ids(queries.qid), assume_unique=True, return_indices=True
    )
    n_known = len(in_training)
    n_queries = len(queries.qid)

    # The numbers of rows of the queries that are in both.
    n_trained = trained.n_rows[in_training].astype(np.int64)
    n_scored = np.diff(queries.indptr)[in_scoring]
    are_same = np.array_equal(n_trained, n_scored)
    is_known = n_known > 0

    if is_known and _is_numbering(queries.qid):
        ratio = n_scored.sum() / n_trained.sum()
        are_parts = abs(np.log(ratio)) > _ABOUT_AS_MANY
        are_all = n_known == n_queries == len(trained)
        is_chance = _are_equal_by_chance(n_trained)
        is_known = (are_same and not is_chance) or (are_all and (are_same or are_parts))

    if is_known:
        warn_once(
            f"The ranker was trained on {n_known} of the {n_queries} queries that it is judged on, "
            "and ranks them better than new ones. Hold whole queries out, by cv=QueryKFold(5), "
            "query_train_test_split or cross_validate_queries. If these are other queries, give "
            "them ids of their own.",
            QueryLeakWarning,
            in_searches=not are_same,  # which score training rows only where they are asked to
        )
    return is_known


def _are_equal_by_chance(lengths: IntArray) -> bool:
    """Whether lists drawn from these would often be as long, one by one."""
    _, counts = np.unique(lengths, return_counts=True)

    shares = counts / len(lengths)
    chance_of_one = (shares**2).sum()
    log_chance = len(lengths) * np.log(chance_of_one)
    return bool(log_chance > _LOG_CHANCE)


def _is_numbering(qid: NDArray[Any]) -> bool:
    """Whether ids are 0..n-1 or 1..n."""
    if qid.dtype.kind not in "iu":
        return False
    first = qid.min()
    return first in {0, 1} and bool(np.ptp(qid) == len(qid) - 1)


def _training_record(estimator: Any) -> QueryRecord | None:
    """Find what a ranker remembers, also at the end of a Pipeline or inside a fitted search."""
    while estimator is not None:
        record = getattr(estimator, "training_queries_", None)
        if isinstance(record, QueryRecord):
            return record

        steps = getattr(estimator, "steps", None)
        last_step = steps[-1][1] if steps else None
        estimator = getattr(estimator, "best_estimator_", last_step)
    return None


def _warn_of_sizes(sizes: IntArray, queries: Queries, rows: str) -> None:
    """Warn where queries have fewer or more rows than they should."""
    n_rows = np.diff(queries.indptr)
    is_cut = bool((n_rows < sizes).any())
    is_wrong = n_rows > sizes
    if is_cut:
        is_wrong = n_rows < sizes
    query = first_true(is_wrong)
    if query is None:
        return

    (name,) = queries.qid[query : query + 1].tolist()
    mistake, advice = _PARTS if is_cut else _COPIES
    warn_once(
        f"The {rows} hold {mistake}: {is_wrong.sum()} of {len(is_wrong)}, such as {name!r} with "
        f"{n_rows[query]} rows of {sizes[query]}. {advice}",
        CutQueriesWarning,
    )


def refuse_cut_queries(data_set: Any) -> None:
    """Raise where a subset of a data set holds some rows of a query and lacks others.

    Where it does not, the getters of the data set return what was set last: ``set_field`` counts a
    new version, and leaves their copies as they were.

    LightGBM takes the fragments for queries. ``lightgbm.cv`` makes such subsets where the objective
    is callable, of which it does not know that it ranks.

    Parameters
    ----------
    data_set : lightgbm.Dataset
        The data set that is trained on or evaluated.

    Raises
    ------
    ValueError
        If a query is cut.
    """
    if _whole.get(data_set) == data_set.version:
        return
    subset = data_set
    while subset.used_indices is not None and subset.reference is not None:
        rows = subset.used_indices
        subset = subset.reference
        _require_whole(subset.get_group(), rows)

    # The getters read them anew.
    data_set.label = None
    data_set.weight = None
    data_set.group = None
    _whole[data_set] = data_set.version


def _require_whole(sizes: IntArray | None, rows: Sequence[int]) -> None:
    if sizes is None:
        return

    queries = np.arange(len(sizes))
    query_of_row = np.repeat(queries, sizes)
    n_rows = np.bincount(query_of_row[rows], minlength=len(sizes))
    is_cut = (n_rows > 0) & (n_rows < sizes)
    n_cut = is_cut.sum()

    if n_cut:
        raise ValueError(
            f"The data set is a subset that cuts queries: it holds parts of {n_cut} queries of "
            f"{len(sizes)}. lightgbm.cv cuts them where the objective is callable: pass it "
            "folds=skgraded.QueryKFold(5)."
        )


def warn_if_ids_are_forgotten(n_rows: int) -> None:
    """Warn where a call without ids has more rows than the list of one query."""
    if n_rows > _LONG_FOR_ONE_QUERY:
        warn_once(
            f"There are no query ids, so that all {n_rows} rows are scored as one query. Pass "
            "qid=, one id per row; in scikit-learn's tools use make_ranking_scorer, which finds "
            "the ids. If the rows are one query, say so by qid=np.zeros(len(y_true)).",
            QueryIdsWarning,
        )


def _warn_if_ids_are_of_another_kind(queries: Queries) -> None:
    """Warn where ids are row numbers or scores, or each id is the size of its query."""
    ids = queries.qid
    if queries.indptr[-1] == len(ids):  # each query has a single document
        if _name_rows(ids):
            warn_once(
                f"qid is another number in each of {len(ids)} rows, as row numbers and scores are, "
                "so that every query has a single document and any scores rank it equally. Give "
                "the rows of a query the same id.",
                QueryIdsWarning,
            )
        return

    may_be_sizes = ids.dtype.kind in "iu" and ids[0] >= 1
    if may_be_sizes and _are_sizes(ids, np.diff(queries.indptr)):
        warn_once(
            "qid looks like the number of rows of each query, repeated for each row: queries of "
            "the same size are taken for one. From group sizes, make ids by "
            "qid=np.repeat(np.arange(len(sizes)), sizes).",
            QueryIdsWarning,
        )


def _name_rows(ids: NDArray[Any]) -> bool:
    """Whether ids are 0, 1, 2 ..., 1, 2, 3 ... or fractions; others may be of single documents."""
    if len(ids) < _MANY_SINGLE_DOCUMENTS or ids.dtype.kind not in "iuf":
        return False

    is_fraction = ids != np.floor(ids)
    if is_fraction.any():
        return True

    starts_a_count = ids[0] in {0, 1}
    is_next = np.diff(ids) == 1
    return starts_a_count and bool(is_next.all())


def _are_sizes(ids: NDArray[Any], n_rows: IntArray) -> bool:
    """Whether queries of one size were taken for one, as each id divides its number of rows."""
    if len(ids) == 1:
        size = ids[0]
        length = n_rows[0]
        is_long = length > _LONG_FOR_ONE_QUERY
        return bool(is_long and 1 < size < length and length % size == 0)

    # In this order, as the first mostly tells.
    if ids.min() < 1:
        return False
    are_equal = n_rows == n_rows[0]
    if are_equal.all() or (n_rows % ids).any():
        return False

    # An id divides a number of rows by chance once in id times.
    log_chance = -np.log(ids).sum()
    return bool(log_chance <= _LOG_CHANCE)
