"""Ranking kernels: arrays in, arrays out, no checks."""

from collections.abc import Iterable, Sequence
import enum
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

def schedule_queries(
    indptr: NDArray[numpy.int64],
) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
    """Query numbers in the order in which rank sorts fastest."""

def longest_query(indptr: NDArray[numpy.int64]) -> int:
    """Documents of the longest query; 0 if there is none."""

def rank(
    scores: NDArray[numpy.float64],
    indptr: NDArray[numpy.int64],
    schedule: NDArray[numpy.int64],
    n_threads: int,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
]:
    """Order by score, best first, and which ranks tie with the one before."""

def cumulate(
    values: NDArray[numpy.float64], indptr: NDArray[numpy.int64]
) -> NDArray[numpy.float64]:
    """Prefix sums that start anew with every query."""

def walk(
    gain: NDArray[numpy.float64],
    go_on: NDArray[numpy.float64],
    indptr: NDArray[numpy.int64],
    found: NDArray[numpy.float64],
    read: NDArray[numpy.float64],
    left: NDArray[numpy.float64],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Expected gain, ranks read and probability to go on below the last rank, by query.
    """

def reciprocals(values: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """1 / x, and 0 where x is not above 0."""

def pair_part(
    base: NDArray[numpy.float64],
    factor: NDArray[numpy.float64],
    column: NDArray[numpy.int32],
    moments: NDArray[numpy.float64],
    n_queries: int,
) -> NDArray[numpy.float64]:
    """
    Sum of K times moments, by query; K[q, a, b] is base[a, b] times factor[q, column[a, b]].
    """

def pair_sums(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    ragged: bool,
    borders: NDArray[numpy.int64],
    f: NDArray[numpy.float64],
    h: NDArray[numpy.float64],
    u: NDArray[numpy.float64],
    w: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Weighted sums of K[a, b] = f(min(a, b)) h(b) + u(a) w(b) over pairs of ranks, by query.

    The levels of query q are borders[q] .. borders[q + 1] - 1, and 0; f[0] is 0. A product
    that K lacks is two empty arrays.
    """

def prefix_values(
    constant: NDArray[numpy.float64],
    scale: NDArray[numpy.float64],
    gain: NDArray[numpy.float64],
    base: NDArray[numpy.float64],
    factor: NDArray[numpy.float64],
    column: NDArray[numpy.int32],
    moments: NDArray[numpy.float64],
    best: NDArray[numpy.float64],
    relevant: NDArray[numpy.uint8],
    empty: float,
) -> NDArray[numpy.float64]:
    """
    Values of a measure of the prefix form, by query; a part that it lacks is an empty array.
    """

def relative_values(
    values: NDArray[numpy.float64], best: NDArray[numpy.float64]
) -> NDArray[numpy.float64]:
    """
    Values divided by those of the ideal ranking, by query; 0 where these are not above 0.
    """

def sum_exactly(
    values: NDArray[numpy.float64], weights: NDArray[numpy.float64]
) -> tuple[bytes, bytes, int]:
    """
    Sum of values times weights, and of weights, in whole numbers of 2^-1074, as bytes.

    nan is left out; the third number is how many values are infinite. No weights are weights of 1.
    """

def exact_means(
    columns: list[list[NDArray[numpy.float64]]], weights: NDArray[numpy.float64]
) -> list[float]:
    """
    The mean of each column, rounded once; the terms are those of `sum_exactly`.

    A column consists of arrays that follow one another. Its mean is nan where the weights add
    up to 0, and inf where a value with a weight is infinite.
    """

def copy_scores(
    scores: NDArray[numpy.float64],
) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], int]:
    """A copy, and the place of the first score that is not finite, or -1."""

def place_scores(
    scores: NDArray[numpy.float64], places: NDArray[numpy.int64]
) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], int]:
    """
    A copy with the score of row i at places[i], and the first row that is not finite.

    The row is -1 where all are finite.
    """

def same_bytes(one: numpy.typing.NDArray[Any], other: numpy.typing.NDArray[Any]) -> bool:
    """Whether two arrays are of one type and hold the same bytes."""

@overload
def read_byte_grades(
    labels: NDArray[numpy.float32],
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    bool,
    bool,
]: ...
@overload
def read_byte_grades(
    labels: NDArray[numpy.float64],
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    bool,
    bool,
]: ...
@overload
def read_byte_grades(
    labels: NDArray[numpy.int64],
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    bool,
    bool,
]: ...
@overload
def read_byte_grades(
    labels: NDArray[numpy.int32],
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    bool,
    bool,
]: ...
@overload
def read_byte_grades(
    labels: NDArray[numpy.uint8],
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    bool,
    bool,
]:
    """
    Grades that occur, level of each label, whether any is nan, and whether all could be read.

    Without the latter, where labels are not integers from 0 to 253 or nan, the others have no
    meaning.
    """

def list_best_first(
    counts: NDArray[numpy.int64], n_levels: int
) -> tuple[
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    Annotated[NDArray[numpy.uint8], dict(writable=False)],
    Annotated[NDArray[numpy.int64], dict(writable=False)],
]:
    """
    Levels of every query, the best first, from their counts, no ties, and the borders.
    """

def count_marked(
    counts: NDArray[numpy.int64], marked: NDArray[numpy.uint8]
) -> NDArray[numpy.int64]:
    """
    Documents whose level is marked, by query; `counts` holds those of every level.
    """

def expected_shares(
    counts: NDArray[numpy.int64],
    g: NDArray[numpy.float64],
    level: NDArray[numpy.int32],
    factor: NDArray[numpy.float64],
) -> NDArray[numpy.float64]:
    """
    Factor times the sum of g / (recall base) over the thresholds up to a level, by query.

    `counts` holds the judged documents by query and level; `level[k - 1]` is the lowest level
    whose grade reaches the threshold k.
    """

def own_expected_shares(
    G: NDArray[numpy.float64],
    enlargement: float,
    pool: NDArray[numpy.int32],
    pool_indptr: NDArray[numpy.int64],
    borders: NDArray[numpy.int64],
    divided: bool,
) -> NDArray[numpy.float64]:
    """
    Sum of steps of G / (recall base) up to a level, by the levels of all queries.

    G is enlarged; with `divided`, the sums are divided by it as it is.
    """

def first_fall(f: NDArray[numpy.float64], borders: NDArray[numpy.int64]) -> int:
    """
    The first level at which f falls within a query, or -1; f begins with 0.
    """

def own_levels(
    grades: NDArray[numpy.float64], order: NDArray[numpy.int32], indptr: NDArray[numpy.int64]
) -> tuple[
    int,
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.int64], dict(writable=False)],
    Annotated[NDArray[numpy.int32], dict(writable=False)],
    Annotated[NDArray[numpy.int32], dict(writable=False)],
    Annotated[NDArray[numpy.int64], dict(writable=False)],
]:
    """
    Levels of each query's own grades, from the order of its documents, best grade first.

    Their number, grades and borders, the level of every document, and levels and borders of
    the pools of judged documents. A grade of -1 or -2 marks the unjudged. There is more room for
    grades than there are levels.
    """

def own_levels_with_pools(
    grades: NDArray[numpy.float64],
    order: NDArray[numpy.int32],
    indptr: NDArray[numpy.int64],
    pool_grades: NDArray[numpy.float64],
    pool_indptr: NDArray[numpy.int64],
) -> tuple[
    int,
    Annotated[NDArray[numpy.float64], dict(writable=False)],
    Annotated[NDArray[numpy.int64], dict(writable=False)],
    Annotated[NDArray[numpy.int32], dict(writable=False)],
    Annotated[NDArray[numpy.int32], dict(writable=False)],
]:
    """
    The same where the pools are given, best grade first: all but their borders.
    """

def have_other_grades(
    grades: NDArray[numpy.float64], indptr: NDArray[numpy.int64], top: float
) -> NDArray[numpy.uint8]:
    """Whether a query has other grades than whole ones up to `top`."""

def at_grades(
    grades: NDArray[numpy.float64], by_whole_grade: NDArray[numpy.float64]
) -> NDArray[numpy.float64]:
    """Numbers of the grades 0, 1, ..., with straight lines between them."""

@overload
def read_grades(
    labels: NDArray[numpy.float32],
) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], float, bool, bool, bool]: ...
@overload
def read_grades(
    labels: NDArray[numpy.float64],
) -> tuple[Annotated[NDArray[numpy.float64], dict(writable=False)], float, bool, bool, bool]:
    """
    A copy with -1 for nan, the highest grade, and whether any is nan, any is fractional, and all
    are grades.

    Grades are 0, or at least 2.2e-308, and at most 2**53.
    """

def distinct_grades(
    labels: NDArray[numpy.float64],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.int32]]:
    """
    The distinct labels and 0, ascending, and the place of each label among them.

    Labels must be finite and at least 0.
    """

@overload
def gather_levels(
    level: NDArray[numpy.uint8],
    order: NDArray[numpy.int32],
    indptr: NDArray[numpy.int64],
    n_threads: int,
) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]: ...
@overload
def gather_levels(
    level: NDArray[numpy.int32],
    order: NDArray[numpy.int32],
    indptr: NDArray[numpy.int64],
    n_threads: int,
) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
    """Grade levels in rank order."""

@overload
def count_levels(
    level: NDArray[numpy.uint8], indptr: NDArray[numpy.int64], n_levels: int
) -> Annotated[NDArray[numpy.int64], dict(writable=False)]: ...
@overload
def count_levels(
    level: NDArray[numpy.int32], indptr: NDArray[numpy.int64], n_levels: int
) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
    """Documents of each level, by query."""

@overload
def count_marked_documents(
    level: NDArray[numpy.uint8], indptr: NDArray[numpy.int64], marked: NDArray[numpy.uint8]
) -> NDArray[numpy.int64]: ...
@overload
def count_marked_documents(
    level: NDArray[numpy.int32], indptr: NDArray[numpy.int64], marked: NDArray[numpy.uint8]
) -> NDArray[numpy.int64]:
    """Documents whose level is marked, by query."""

@overload
def sort_within_ties(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    descending: bool,
    n_threads: int,
) -> NDArray[numpy.uint8]: ...
@overload
def sort_within_ties(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    descending: bool,
    n_threads: int,
) -> NDArray[numpy.int32]:
    """Levels by rank, sorted inside every tied block."""

@overload
def discounted_gain(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    discount: NDArray[numpy.float64],
    ragged: bool,
    gain: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def discounted_gain(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    discount: NDArray[numpy.float64],
    ragged: bool,
    gain: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """Sum of discount times gain over the ranks up to the cutoff, by query."""

@overload
def pair_moments(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    ragged: bool,
    n_levels: int,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def pair_moments(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    ragged: bool,
    n_levels: int,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """M[q, a, b]: weighted pairs of level a at or above level b, by query."""

@overload
def cascade(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    stop: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def cascade(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    stop: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Expected weight of the rank where a user stops who reads from the top, by query.
    """

@overload
def meet_ranks(
    level_by_rank: NDArray[numpy.uint8],
    first: NDArray[numpy.int64],
    n_above: int,
    found_above: NDArray[numpy.float64],
    read: NDArray[numpy.int64],
    gain: NDArray[numpy.float64],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]: ...
@overload
def meet_ranks(
    level_by_rank: NDArray[numpy.int32],
    first: NDArray[numpy.int64],
    n_above: int,
    found_above: NDArray[numpy.float64],
    read: NDArray[numpy.int64],
    gain: NDArray[numpy.float64],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Rank, gain and cumulated gain of the documents that readers meet next.

    They have read `n_above` ranks, where they found `found_above`, and go on at `first`.
    """

@overload
def blended_cascade(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    stop: NDArray[numpy.float64],
    worth: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def blended_cascade(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    stop: NDArray[numpy.float64],
    worth: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Expected weight of the rank where a user stops, times the worths down to it, by query.
    """

@overload
def preferences(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    relevant: NDArray[numpy.uint8],
    most: NDArray[numpy.float64],
    divisor: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def preferences(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    relevant: NDArray[numpy.uint8],
    most: NDArray[numpy.float64],
    divisor: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Sum over relevant documents of 1 - min(most, non-relevant above) / divisor, by query.
    """

def inferred_precisions(
    code_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    relevant: NDArray[numpy.uint8],
    epsilon: float,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Sum of the inferred precisions at the relevant documents, by query.

    The code 0 is outside the pool, 1 is unsampled, and the sampled levels start at 2.
    """

@overload
def discounted_preferences(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    relevant: NDArray[numpy.uint8],
    worth: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def discounted_preferences(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    relevant: NDArray[numpy.uint8],
    worth: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Sum over relevant documents of worth[non-relevant documents above], by query.
    """

@overload
def missed_gain(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    gain: NDArray[numpy.float64],
    ideal: NDArray[numpy.float64],
    rate: NDArray[numpy.float64],
    weight: NDArray[numpy.float64],
    begin: NDArray[numpy.int64],
    reach: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def missed_gain(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    gain: NDArray[numpy.float64],
    ideal: NDArray[numpy.float64],
    rate: NDArray[numpy.float64],
    weight: NDArray[numpy.float64],
    begin: NDArray[numpy.int64],
    reach: NDArray[numpy.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Sum of the gains, each over log2(2 + ideal gain - gain, both down to its rank), by query.

    With `expected`, the levels of tied documents must stand best first.
    """

@overload
def overlaps(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    pool_by_rank: NDArray[numpy.uint8],
    pool_indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    depth: NDArray[numpy.int64],
    n_levels: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def overlaps(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    pool_by_rank: NDArray[numpy.int32],
    pool_indptr: NDArray[numpy.int64],
    weight: NDArray[numpy.float64],
    depth: NDArray[numpy.int64],
    n_levels: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Weighted sum over depths of the documents shared with the ideal ranking, by query.
    """

@overload
def preferred_ranks(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    share: NDArray[numpy.float64],
    blended: NDArray[numpy.float64],
    mean: bool,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def preferred_ranks(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    share: NDArray[numpy.float64],
    blended: NDArray[numpy.float64],
    mean: bool,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Blended ratio at the preferred rank, or the mean of those down to it, by query.

    With `expected`, the levels of tied documents must stand best first.
    """

@overload
def relevant_dcg(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    discount: NDArray[numpy.float64],
    gain: NDArray[numpy.float64],
    inverse: NDArray[numpy.float64],
    inverse_at_end: NDArray[numpy.float64],
    n_relevant: NDArray[numpy.int64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def relevant_dcg(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    discount: NDArray[numpy.float64],
    gain: NDArray[numpy.float64],
    inverse: NDArray[numpy.float64],
    inverse_at_end: NDArray[numpy.float64],
    n_relevant: NDArray[numpy.int64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> NDArray[numpy.float64]:
    """Sum over relevant documents of DCG times `inverse`, by query."""

@overload
def wanted_gain(
    level_by_rank: NDArray[numpy.uint8],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    gain: NDArray[numpy.float64],
    wanted: float,
    last: NDArray[numpy.float64],
    n_threads: int,
) -> NDArray[numpy.float64]: ...
@overload
def wanted_gain(
    level_by_rank: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    gain: NDArray[numpy.float64],
    wanted: float,
    last: NDArray[numpy.float64],
    n_threads: int,
) -> NDArray[numpy.float64]:
    """
    Expected mean gain down to the rank where `wanted` is found or to `last`, by query.

    The levels of tied documents must stand best first. NaN where too many sums of tied
    gains are below `wanted`.
    """

class SwapPrices:
    """
    Arrays from which the price of a swap of two documents is computed.

    The discount d and the position weight p, with one weight per document where they are ragged,
    else one per rank; the gain v by level, empty without gains; K as base, columns and numbers of
    columns, or as its factors f, h, u and w by level; f and h may have a row by query.
    The factors of the gains and of the pairs are by query. What K lacks is empty.
    """

    def __init__(
        self,
        *,
        discount: NDArray[numpy.float64],
        discount_ragged: bool,
        gain: NDArray[numpy.float64],
        gain_factor: NDArray[numpy.float64],
        position: NDArray[numpy.float64],
        position_ragged: bool,
        pair_base: NDArray[numpy.float64],
        pair_columns: NDArray[numpy.float64],
        pair_column: NDArray[numpy.int32],
        f: NDArray[numpy.float64],
        h: NDArray[numpy.float64],
        u: NDArray[numpy.float64],
        w: NDArray[numpy.float64],
        pair_factor: NDArray[numpy.float64],
        cutoff: int,
    ) -> None: ...

class TieOrder(enum.Enum):
    """How tied documents are ordered while a model is trained."""

    row_order = 0

    expected = 1

    pessimistic = 2

    optimistic = 3

class LambdaOptions:
    """The arguments of LambdaMART that are numbers."""

    def __init__(self, *, truncation: int, ties: TieOrder, norm: bool, sigmoid: float) -> None: ...

class NoiseKind(enum.Enum):
    """Distribution of the noise."""

    gumbel = 0

    logistic = 1

class Noise:
    """Noise that is added to scores, in every draw another."""

    def __init__(self, *, kind: NoiseKind, scale: float, n_draws: int, seed: int) -> None: ...

@overload
def lambdas(
    *,
    level: NDArray[numpy.uint8],
    order: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    scores: NDArray[numpy.float64],
    indptr: NDArray[numpy.int64],
    n_levels: int,
    prices: Sequence[SwapPrices],
    options: LambdaOptions,
    n_threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...
@overload
def lambdas(
    *,
    level: NDArray[numpy.int32],
    order: NDArray[numpy.int32],
    tied: NDArray[numpy.uint8],
    scores: NDArray[numpy.float64],
    indptr: NDArray[numpy.int64],
    n_levels: int,
    prices: Sequence[SwapPrices],
    options: LambdaOptions,
    n_threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """First and second derivatives of LambdaMART's cost, by document."""

@overload
def noisy_lambdas(
    *,
    level: NDArray[numpy.uint8],
    scores: NDArray[numpy.float64],
    indptr: NDArray[numpy.int64],
    schedule: NDArray[numpy.int64],
    grades: NDArray[numpy.float64],
    prices: Sequence[SwapPrices],
    options: LambdaOptions,
    noise: Noise,
    n_threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...
@overload
def noisy_lambdas(
    *,
    level: NDArray[numpy.int32],
    scores: NDArray[numpy.float64],
    indptr: NDArray[numpy.int64],
    schedule: NDArray[numpy.int64],
    grades: NDArray[numpy.float64],
    prices: Sequence[SwapPrices],
    options: LambdaOptions,
    noise: Noise,
    n_threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    The means of these derivatives over draws of noise that is added to the scores.
    """

@overload
def number_words(
    ids: NDArray[numpy.int64], seed: int, most: int
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], bool]: ...
@overload
def number_words(
    ids: NDArray[numpy.int32], seed: int, most: int
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], bool]:
    """
    Query number of each row, first row of each query, and whether the rows are grouped.

    Of no use where there are more than `most` queries.
    """

def number_bytes(
    ids: NDArray[numpy.uint8], width: int, seed: int
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], bool]:
    """The same as `number_words`, for ids that are `width` bytes each."""

def number_text(
    offsets: NDArray[numpy.int64], text: NDArray[numpy.uint8], seed: int
) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64], bool]:
    """The same as `number_words`, for text from one offset up to the next."""

def group_rows(
    query_of_row: NDArray[numpy.int32], n_queries: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """Extents of the queries, and their rows in order."""

def place_rows(
    query_of_row: NDArray[numpy.int32], n_queries: int
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Extents of the queries, and the place of every row among those of all queries.
    """

@overload
def put_in_places(
    values: NDArray[numpy.uint8], places: NDArray[numpy.int64]
) -> NDArray[numpy.uint8]: ...
@overload
def put_in_places(
    values: NDArray[numpy.int32], places: NDArray[numpy.int64]
) -> NDArray[numpy.int32]: ...
@overload
def put_in_places(
    values: NDArray[numpy.float64], places: NDArray[numpy.int64]
) -> NDArray[numpy.float64]:
    """An array with values[i] at places[i]."""

class Resamples:
    """Some resamples: the units that were drawn for each, and their sizes."""

    def __init__(self, drawn: NDArray[numpy.int32], sizes: NDArray[numpy.float64]) -> None: ...

def count_beyond(
    resamples: Iterable[Resamples],
    residuals: NDArray[numpy.float64],
    ratios: NDArray[numpy.float64],
) -> NDArray[numpy.int64]:
    """
    Resamples in which the mean over its standard error is at least that of the row.
    """

def largest_ratios(
    resamples: Iterable[Resamples],
    residuals: NDArray[numpy.float64],
    errors: NDArray[numpy.float64],
) -> NDArray[numpy.float64]:
    """The largest of these ratios of any row, by resample."""

def ratio_tails(
    resamples: Iterable[Resamples],
    residuals: NDArray[numpy.float64],
    ratios: NDArray[numpy.float64],
    reach: float,
    wanted: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Resamples in the smaller tail of each row, and the sizes of the wanted-th outermost
    ratios below and above 0, which are 0 up to the reach.
    """

def shuffled_ranges(
    values: NDArray[numpy.float64], n_systems: int, seed: int, n_resamples: int
) -> NDArray[numpy.float64]:
    """
    Range of the systems' sums, after the values of every topic are shuffled.
    """

def bootstrap_pairs(
    pairs: NDArray[numpy.int64],
    observed: NDArray[numpy.float64],
    means: NDArray[numpy.float64],
    squares: NDArray[numpy.float64],
    n_resamples: int,
    wanted: int,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
    """
    Resamples of each pair that are beyond the observed t, and the difference it requires.
    """

def count_swaps(
    one: NDArray[numpy.float64],
    other: NDArray[numpy.float64],
    n_systems: int,
    edges: NDArray[numpy.float64],
    width: float,
    rounding: float,
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """
    Pairs of systems by the size of their difference, and those in opposite orders.
    """

def read_trec_lines(
    text: bytes, is_run: bool, with_ranks: bool, final: bool, key: tuple[int, int]
) -> tuple[
    NDArray[numpy.int64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    NDArray[numpy.int64],
    NDArray[numpy.uint8],
    NDArray[numpy.float64],
    NDArray[numpy.int32],
    NDArray[numpy.int64],
    bytes,
    int,
    int,
    tuple[int, int, int],
]:
    """Columns of the lines of a run or of qrels."""

def find_duplicates(
    document_end: NDArray[numpy.int64],
    document: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    key: tuple[int, int],
) -> NDArray[numpy.int64]:
    """Pairs of documents of one query with the same id, the later one first."""

def index_documents(
    document_end: NDArray[numpy.int64],
    document: NDArray[numpy.uint8],
    indptr: NDArray[numpy.int64],
    key: tuple[int, int],
) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]:
    """
    Hash table of the document ids of every query: slots and their borders.
    """

def look_up_documents(
    document_end: NDArray[numpy.int64],
    document: NDArray[numpy.uint8],
    start: NDArray[numpy.int64],
    indptr: NDArray[numpy.int64],
    known_end: NDArray[numpy.int64],
    known: NDArray[numpy.uint8],
    slots: NDArray[numpy.uint64],
    slot_indptr: NDArray[numpy.int64],
    key: tuple[int, int],
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """Documents that are in a hash table, and their numbers there."""

def order_documents(
    scores: NDArray[numpy.float64],
    document_end: NDArray[numpy.int64],
    document: NDArray[numpy.uint8],
    start: NDArray[numpy.int64],
    indptr: NDArray[numpy.int64],
    single_precision: bool,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.uint8]]:
    """
    Order by score, then by document id, both descending, and the ties of scores.
    """

def take_documents(
    document_end: NDArray[numpy.int64], document: NDArray[numpy.uint8], rows: NDArray[numpy.int64]
) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint8]]:
    """Document ids at some rows."""
