"""`Judgments` and `Rankings`: labels by query, and documents ranked by scores.

A data set is read in two steps, because model training repeats only the second:

- `Judgments` holds everything that depends only on the labels: the rows of every query, the grades,
  the pool and the ideal ranking. It is computed once per data set.
- `Rankings` adds scores. It sorts once, for all measures, cut-offs and tie rules.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skgraded import _core
from skgraded._guards import (
    warn_about_scored_queries,
    warn_if_ids_are_forgotten,
    warn_if_swapped,
)
from skgraded._sealed import all_sealed, require, require_column, require_permutation, sealed
from skgraded._support.arguments import threads
from skgraded.rankings._columns import CheckedColumns, read_columns, require_rows_of
from skgraded.rankings._labels import Labels
from skgraded.rankings._levels import mean_by_query, read_labels
from skgraded.rankings._numbers import check_group_sizes, numeric_labels, own_scores
from skgraded.rankings._own_scales import ScalePart
from skgraded.rankings._queries import place_groups, place_rows
from skgraded.rankings._ranked_list import RankedList, Ties, Unjudged

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# All arrays of a call together take less than so many bytes a row. glibc takes blocks from the
# second number on from the system, and keeps freed ones of up to 32 MiB.
_BYTES_A_ROW, _FEWEST_BYTES_OF_A_BLOCK, _MOST_BYTES_KEPT = 64, 2**17, 2**25 - 2**13


def _keep_freed_memory(n_rows: int) -> None:
    """Let later calls take the memory that earlier ones have freed.

    glibc gives freed memory back to the system from twice the size of the largest block that was
    freed before. The arrays of a call are freed together, so that the next would spend up to half
    of its time on pages that the system clears anew. This block is not written to.
    """
    n_bytes = _BYTES_A_ROW * n_rows
    if n_bytes > _FEWEST_BYTES_OF_A_BLOCK:
        np.empty(min(n_bytes, _MOST_BYTES_KEPT), dtype=np.uint8)


class Judgments(Labels):
    """Graded labels by query, read once: the fast way to score many vectors of scores.

    Labels and query ids are checked and grouped here, and everything that depends on them alone is
    computed once: pools, ideal rankings, the constants of each measure. Whatever takes grades and
    scores also takes `Judgments` and scores, as in ``nDCG(k=10)(judgments, y_score)`` and
    ``evaluate(measures, judgments, y_score)``. A call then checks, sorts and scores, with the same
    bits as one with arrays. Scores are in the row order of the labels.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,)
        Grades: 0 is judged not relevant, NaN is unjudged. Or what `query_target` or
        `query_series` makes of them.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, of any type, in any order, or what `query_ids` makes of them.
        Without ids all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.

    Attributes
    ----------
    qid : ndarray of shape (n_queries,)
        Query ids, in order of first appearance.
    indptr : ndarray of shape (n_queries + 1,), int64
        ``indptr[q]:indptr[q + 1]`` are the positions of the documents of query q.
    grades : ndarray of shape (n_levels,), float64
        The distinct grades, ascending; ``grades[0]`` is 0.
    levels : ndarray of shape (n_documents,), uint8 or int32
        Level of the document at every position; ``n_levels`` or above marks unjudged ones.
    weights : ndarray of shape (n_queries,), float64, or None
        Weight of each query in a mean.
    sizes : ndarray of shape (n_queries,), int64, or None
        Number of rows that each query has in its data set, where the target or the ids say so.
    row_labels : mapping of str to Index
        Row labels of the arguments that were pandas objects. The row labels of scores must not
        contradict them.
    pool : RankedList
        The judged documents of each query, best grade first. In retrieval, the pool also holds
        judged documents that the run did not retrieve.

    Raises
    ------
    ValueError
        If an array is invalid, or pandas objects or ids in several places contradict each other.

    Warns
    -----
    QueryIdsWarning
        If the query ids look like group sizes.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them.

    See Also
    --------
    Rankings : Documents ranked by one vector of scores.

    Examples
    --------
    >>> from skgraded import Judgments, evaluate, nDCG
    >>> judgments = Judgments([2, 0, 1, 0], qid=["a", "a", "b", "b"])
    >>> nDCG(k=10)(judgments, [4, 3, 2, 1]), nDCG(k=10)(judgments, [3, 4, 2, 1])
    (1.0, 0.8154648767857288)
    >>> evaluate(["AP", "nDCG@10"], judgments, [3, 4, 2, 1]).mean()
    {'AP': 0.75, 'nDCG@10': 0.8154648767857288}
    """

    sizes: IntArray | None = None
    row_labels: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        y_true: ArrayLike,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        columns = read_columns(y_true, qid, sample_weight=sample_weight)
        self._read(columns, sample_weight)
        if columns.ids is not None:
            warn_about_scored_queries(self)

    @classmethod
    def of_columns(
        cls, columns: CheckedColumns, sample_weight: ArrayLike | None = None
    ) -> Judgments:
        """Lay out columns that `read_columns` has compared with each other.

        Parameters
        ----------
        columns : CheckedColumns
            Grades and queries.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row.

        Returns
        -------
        Judgments
            The labels by query.
        """
        judgments = cls.__new__(cls)
        judgments._read(columns, sample_weight)
        return judgments

    def _read(
        self,
        columns: CheckedColumns,
        sample_weight: ArrayLike | None,
        group: ArrayLike | None = None,
    ) -> None:
        labels = numeric_labels(columns.labels)
        _keep_freed_memory(len(labels))
        if group is None:
            ids, indptr, places = place_rows(columns.ids, len(labels))
        else:
            ids, indptr, places = place_groups(group, len(labels))
        read = read_labels(labels)
        weights = None
        if sample_weight is not None:
            weights = mean_by_query(sample_weight, indptr, places)
        self._set_up(
            qid=ids,
            indptr=indptr,
            places=places,
            labels=read.in_layout(places),
            weights=weights,
        )
        if columns.sizes is not None:
            starts, order = indptr[:-1], self.row_order
            self.sizes = columns.sizes[starts if order is None else order[starts]]
        if columns.row_labels:
            self.row_labels = columns.row_labels

    @classmethod
    def from_groups(
        cls,
        y_true: ArrayLike,
        group: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Judgments:
        """Lay out labels by query, from the number of consecutive rows of each query.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,)
            Grades: 0 is judged not relevant, NaN is unjudged.
        group : array-like of shape (n_queries,)
            Number of rows of each query, as in LightGBM.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; the weight of a query is the mean over its rows.

        Returns
        -------
        Judgments
            The labels by query; query ids are 0, 1, ...
        """
        columns = read_columns(y_true, sample_weight=sample_weight)
        if columns.ids is not None:  # they must be those of the groups
            sizes = check_group_sizes(group, len(numeric_labels(columns.labels)))
            ids = np.repeat(np.arange(len(sizes)), sizes)
            return cls(y_true, qid=ids, sample_weight=sample_weight)
        judgments = cls.__new__(cls)
        judgments._read(columns, sample_weight, group)
        return judgments

    def __getstate__(self) -> dict[str, Any]:
        row_labels = dict(self.row_labels)
        return {**super().__getstate__(), "sizes": self.sizes, "row_labels": row_labels}

    def __setstate__(self, state: dict[str, Any]) -> None:
        sizes, row_labels = state.pop("sizes"), state.pop("row_labels")
        super().__setstate__(state)
        require(isinstance(row_labels, dict), "row_labels must be a dict")
        if row_labels:
            self.row_labels = row_labels
        if sizes is not None:
            require_column("sizes", sizes, (np.int64,), self.n_queries)
            self.sizes = sizes

    @property
    def ideal(self) -> IdealRanking:
        """The ideal ranking: all judged documents, best grade first."""
        return IdealRanking(self)

    def rank(self, y_score: ArrayLike, n_threads: int | None = None) -> Rankings:
        """Rank these documents by a vector of scores, highest first.

        Parameters
        ----------
        y_score : array-like of shape (n_documents,)
            One finite score per row, in the row order of the labels.
        n_threads : int, optional
            Number of threads, which does not change the results. None is one thread, and -1 one per
            processor.

        Returns
        -------
        Rankings
            The ranked documents.

        Raises
        ------
        ValueError
            If a score is invalid, or `y_score` holds row labels in another order or ids of other
            queries.
        """
        if type(y_score) is not np.ndarray:  # which tells nothing of its rows
            columns = read_columns(None, y_score=y_score)
            if columns.row_labels or columns.ids is not None:
                self._require_rows_of(columns)
        return self._rank(y_score, n_threads)

    def _rank(self, y_score: ArrayLike, n_threads: int | None) -> Rankings:
        n_threads = 1 if n_threads is None else threads(n_threads)
        scores = own_scores(y_score, self._places, self.n_documents)
        order, tied = _core.rank(scores, self.indptr, self.schedule, n_threads)
        return Rankings(self, order, tied, n_threads, scores)

    def require_rows_of(self, **scores: Any) -> None:
        """Raise if scores tell that their rows are not those of these labels.

        Parameters
        ----------
        **scores : array-like with n_documents rows
            Scores by name, or data frames of them.

        Raises
        ------
        ValueError
            If they hold row labels in another order, or ids of other queries.
        """
        self._require_rows_of(read_columns(None, **scores))

    def _require_rows_of(self, scores: CheckedColumns) -> None:
        ids = np.repeat(self.qid, np.diff(self.indptr))
        ids = ids if self._places is None else ids[self._places]
        require_rows_of("the Judgments", self.row_labels, ids, scores)

    def lay_out_scores(self, y_score: ArrayLike) -> FloatArray:
        """Copy scores into the order of the positions, and check them.

        Parameters
        ----------
        y_score : array-like of shape (n_documents,)
            One finite score per row, in the row order of the labels.

        Returns
        -------
        ndarray of shape (n_documents,), float64
            Score of the document at every position.
        """
        return own_scores(y_score, self._places, self.n_documents)


class Rankings:
    """Documents of many queries, ranked by score.

    The constructor checks nothing, and takes arrays that nobody can write to, as kernels return
    them; use `from_arrays` or `from_trec`.

    Attributes
    ----------
    judgments : Judgments
        The labels by query.
    order : ndarray of shape (n_documents,), int32
        ``order[indptr[q] + n - 1]`` is the position, within query q, of the document at rank n.
        Tied documents keep the order of their rows.
    tied : ndarray of shape (n_documents,), uint8
        1 where the score equals that of the document one rank above.
    scores : ndarray of shape (n_documents,), float64, or None
        Copy of the scores, by position; None if only the ranking is known, as for TREC runs.
    sums : dict of RankSum to ndarray
        Sums over the ranks that measures have computed, and share.
    """

    order: NDArray[np.int32]
    tied: NDArray[np.uint8]
    scores: FloatArray | None

    def __init__(
        self,
        judgments: Judgments,
        order: NDArray[np.int32],
        tied: NDArray[np.uint8],
        n_threads: int = 1,
        scores: FloatArray | None = None,
    ) -> None:
        self.judgments = judgments
        self.order, self.tied, self.scores = order, tied, scores
        self.n_threads = n_threads
        self.sums: dict[Hashable, FloatArray] = {}
        self._lists: dict[tuple[Ties, Unjudged], RankedList] = {}
        self._by_scale: tuple[tuple[IntArray, Rankings], ...] | None = None

    @classmethod
    def from_arrays(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_threads: int | None = None,
    ) -> Rankings:
        """Rank documents by score within their queries.

        Parameters
        ----------
        y_true : array-like of shape (n_documents,)
            Grades: 0 is judged not relevant, NaN is unjudged. The pool of a query consists of its
            own judged rows. Or what `query_target` or `query_series` makes of them.
        y_score : array-like of shape (n_documents,)
            Finite scores; the document with the highest score ranks first.
        qid : array-like of shape (n_documents,), optional
            Query id of each row, of any type, in any order, or what `query_ids` makes of them.
            Without ids all rows form one query.
        sample_weight : array-like of shape (n_documents,), optional
            Weight of each row; the weight of a query is the mean over its rows.
        n_threads : int, optional
            Number of threads, which does not change the results. None is one thread, and -1 one per
            processor.

        Returns
        -------
        Rankings
            The ranked documents, which all measures can score.

        Raises
        ------
        ValueError
            If lengths differ, the input is empty or not one-dimensional, a score is not finite, a
            grade is negative, or pandas objects or ids in several places contradict each other.

        Warns
        -----
        QueryIdsWarning
            If there are no query ids and more than 1,000 rows, or scikit-learn's scorer asks; or if
            the query ids look like group sizes.
        CutQueriesWarning
            If queries lack rows or have rows twice, as `query_target`, `query_series` or
            `query_ids` has counted them.
        SwappedArgumentsWarning
            If the grades look like scores, and the scores like grades.

        Examples
        --------
        >>> from skgraded import Rankings, evaluate
        >>> rankings = Rankings.from_arrays([2, 0, 1, 0], [4, 3, 2, 1], qid=["a", "a", "b", "b"])
        >>> evaluate(["AP", "nDCG@10"], rankings).mean()
        {'AP': 1.0, 'nDCG@10': 1.0}
        """
        columns = read_columns(y_true, qid, y_score=y_score, sample_weight=sample_weight)
        judgments = Judgments.of_columns(columns, sample_weight)
        if columns.ids is not None:
            warn_about_scored_queries(judgments)
        rankings = judgments._rank(y_score, n_threads)
        if judgments.has_fractional_grades:
            warn_if_swapped(judgments.graded, rankings.scores)
        if columns.ids is None:
            warn_if_ids_are_forgotten(judgments.n_documents)
        return rankings

    @classmethod
    def from_trec(cls, qrels: Any, run: Any, **options: Any) -> Rankings:
        """Rank the documents of a TREC run; the same as `skgraded.trec.rank`.

        Parameters
        ----------
        qrels : Qrels, path, file object, dict of dicts, DataFrame or iterable
            The judgments, or anything that `skgraded.trec.read_qrels` reads.
        run : Run, path, file object, dict of dicts, DataFrame or iterable
            The retrieved documents, or anything that `skgraded.trec.read_run` reads.
        **options : keyword arguments of `skgraded.trec.rank`
            Options for the order of the documents, missing topics, negative grades and threads.

        Returns
        -------
        Rankings
            The ranked documents, with the topics in the order of the qrels.

        Examples
        --------
        >>> from skgraded import AP, Rankings
        >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
        >>> rankings = Rankings.from_trec(qrels, {"q1": {"d1": 3.0, "d9": 2.0}})
        >>> AP()(rankings)  # the run did not retrieve d3, which is relevant
        0.5
        """
        from skgraded.trec import rank

        return rank(qrels, run, **options)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.judgments, self.order, self.tied, self.n_threads, self.scores

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Check arrays that come out of a pickle, and take them."""
        judgments, order, tied, n_threads, scores = state
        require(isinstance(judgments, Judgments), "judgments must be Judgments")
        n_documents = judgments.n_documents
        require_column("order", order, (np.int32,), n_documents, below=n_documents)
        lengths = np.diff(judgments.indptr)
        require((order < np.repeat(lengths, lengths)).all(), "order must stay within the queries")
        require_permutation("order", order + np.repeat(judgments.indptr[:-1], lengths))
        RankedList(judgments.levels, tied, judgments.indptr).require_ties()
        require(isinstance(n_threads, int), "n_threads must be an integer")
        if scores is not None:
            require_column("scores", scores, (np.float64,), n_documents)
            require(np.isfinite(scores).all(), "scores must be finite")
        order, tied, scores = all_sealed(order, tied, scores)
        Rankings.__init__(self, judgments, order, tied, n_threads, scores)

    def __repr__(self) -> str:
        judgments = self.judgments
        return f"<Rankings of {judgments.n_documents} documents in {judgments.n_queries} queries>"

    def ranked(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        """Return the levels in rank order under the rules for ties and unjudged documents.

        ``"expected"`` and ``"row_order"`` both keep tied documents in row order. For
        ``"expected"``, the kernels then read the ``tied`` flags.

        Parameters
        ----------
        ties, unjudged : str
            Rules for tied and for unjudged documents.

        Returns
        -------
        RankedList
            The lists.
        """
        rule: Ties = "row_order" if ties == "expected" else ties
        found = self._lists.get((rule, unjudged))
        if found is not None:
            return found
        judgments, n_levels = self.judgments, self.judgments.n_levels
        levels = _core.gather_levels(judgments.levels, self.order, judgments.indptr, self.n_threads)
        ranked = RankedList(levels, self.tied, judgments.indptr)
        if judgments.has_unjudged:
            if unjudged == "condense":
                ranked = ranked.below_level(n_levels).sealed()
            else:
                ranked = ranked._replace(levels=levels * (levels < n_levels)).sealed()
        if rule != "row_order":
            by_grade = _core.sort_within_ties(*ranked, rule == "optimistic", self.n_threads)
            ranked = ranked._replace(levels=by_grade).sealed()
        self._lists[rule, unjudged] = ranked
        return ranked

    def ranked_by_grade(self, ties: Ties, unjudged: Unjudged) -> RankedList:
        """Return the lists of `ranked`, with tied documents best first for ``"expected"``.

        Kernels that add up rounded numbers over tied documents read them in this order, so that no
        bit of a mean over their orders depends on the order of the rows.

        Parameters
        ----------
        ties, unjudged : str
            Rules for tied and for unjudged documents.

        Returns
        -------
        RankedList
            The lists.
        """
        return self.ranked("optimistic" if ties == "expected" else ties, unjudged)

    @property
    def by_scale(self) -> tuple[tuple[IntArray, Rankings], ...]:
        """The numbers of the queries, and the rankings, of every part of ``judgments.by_scale``."""
        if self._by_scale is None:
            self._by_scale = tuple(
                (part.queries, self._part(part)) for part in self.judgments.by_scale
            )
        return self._by_scale

    def _part(self, part: ScalePart) -> Rankings:
        order, tied = all_sealed(part.select(self.order), part.select(self.tied))
        scores = None if self.scores is None else sealed(part.select(self.scores))
        return Rankings(part.judgments, order, tied, self.n_threads, scores)

    def of_queries(self, queries: slice) -> Rankings:
        """Select consecutive queries.

        Parameters
        ----------
        queries : slice
            The numbers of the queries.

        Returns
        -------
        Rankings
            The rankings of these queries.
        """
        first, last = self.judgments.indptr[queries.start], self.judgments.indptr[queries.stop]
        return Rankings(
            self.judgments.of_queries(queries),
            self.order[first:last],
            self.tied[first:last],
            self.n_threads,
            None if self.scores is None else self.scores[first:last],
        )


class IdealRanking:
    """The judged documents of each query, best grade first, as measures read a ranking.

    It has no order of documents, since the pool may hold some that the lists lack. The rules for
    ties and unjudged documents do not change it.

    Attributes
    ----------
    judgments : Judgments
        The labels by query.
    sums : dict of RankSum to ndarray
        Sums over the ranks that measures have computed, and share.
    n_threads, scores : int, None
        As in `Rankings`.
    """

    n_threads = 1
    scores = None

    def __init__(self, judgments: Judgments) -> None:
        self.judgments = judgments
        self.sums: dict[Hashable, FloatArray] = {}

    def ranked(self, *rules: str) -> RankedList:
        """Return the pool, whatever the rules for ties and unjudged documents.

        Parameters
        ----------
        *rules : str
            The rules.

        Returns
        -------
        RankedList
            The lists.
        """
        return self.judgments.pool

    ranked_by_grade = ranked

    @property
    def by_scale(self) -> tuple[tuple[IntArray, IdealRanking], ...]:
        """The numbers of the queries, and their ideal ranking, of every part by scale."""
        return tuple((part.queries, part.judgments.ideal) for part in self.judgments.by_scale)

    def of_queries(self, queries: slice) -> IdealRanking:
        """Select consecutive queries.

        Parameters
        ----------
        queries : slice
            The numbers of the queries.

        Returns
        -------
        IdealRanking
            The ideal ranking of these queries.
        """
        return self.judgments.of_queries(queries).ideal


Ranked = Rankings | IdealRanking  # what a measure scores


def as_rankings(
    y_true: ArrayLike | Judgments | Rankings,
    y_score: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_threads: int | None = None,
) -> Rankings:
    """Rank documents given as arrays, or return a `Rankings` unchanged.

    Parameters
    ----------
    y_true : array-like of shape (n_documents,), Judgments or Rankings
        Grades: 0 is judged not relevant, NaN is unjudged. Or `Judgments`, without `qid` and
        `sample_weight`, or a `Rankings`, without `y_score`, either.
    y_score : array-like of shape (n_documents,)
        Scores; the document with the highest score ranks first.
    qid : array-like of shape (n_documents,), optional
        Query id of each row, or what `query_ids` makes of them. Without it they are read from
        `y_true`, where that is made by `query_target` or is a Series with an index level ``"qid"``;
        else all rows form one query.
    sample_weight : array-like of shape (n_documents,), optional
        Weight of each row; the weight of a query is the mean over its rows.
    n_threads : int, optional
        Number of threads, which does not change the results. None is one thread, and -1 one per
        processor.

    Returns
    -------
    Rankings
        The ranked documents.

    Raises
    ------
    TypeError
        If `y_score` is missing, or other arguments are passed together with a `Rankings`.
    ValueError
        If two pandas objects have the same index in different orders, or ids in two places
        contradict each other.

    Warns
    -----
    QueryIdsWarning
        If there are no query ids and more than 1,000 rows, or scikit-learn's scorer asks; or if the
        query ids look like group sizes.
    CutQueriesWarning
        If queries lack rows or have rows twice, as `query_target`, `query_series` or `query_ids`
        has counted them.
    SwappedArgumentsWarning
        If the grades look like scores, and the scores like grades.

    Examples
    --------
    >>> from skgraded.rankings import as_rankings
    >>> as_rankings([1, 0], [0.5, 0.7])
    <Rankings of 2 documents in 1 queries>
    """
    if isinstance(y_true, Rankings):
        if any(given is not None for given in (y_score, qid, sample_weight)):
            raise TypeError("y_score, qid and sample_weight must be None with a Rankings.")
        return y_true
    if y_score is None:
        raise TypeError("y_score is missing: pass y_true and y_score, or a Rankings.")
    if isinstance(y_true, Judgments):
        if qid is not None or sample_weight is not None:
            raise TypeError("qid and sample_weight must be None with Judgments, which hold them.")
        return y_true.rank(y_score, n_threads)
    return Rankings.from_arrays(y_true, y_score, qid, sample_weight, n_threads)
