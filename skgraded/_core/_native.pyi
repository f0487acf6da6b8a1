"""Ranking kernels: arrays in, arrays out, no checks."""

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

# Grade levels are bytes where the scale has at most 254 of them, 0 included: the two numbers behind
# the highest level mark documents that were not judged and not sampled.
_Level = TypeVar("_Level", np.uint8, np.int32)
_Value = TypeVar("_Value", np.uint8, np.int32, np.float64)

_Doubles: TypeAlias = npt.NDArray[np.float64]

# d and whether it is ragged, v and its factor, p and whether it is ragged, and K: base, columns,
# column numbers and factor.
_Prices: TypeAlias = tuple[
    _Doubles,
    bool,
    _Doubles,
    _Doubles,
    _Doubles,
    bool,
    _Doubles,
    _Doubles,
    npt.NDArray[np.int32],
    _Doubles,
]
# Cut-off, truncation, order of ties, norm and sigmoid.
_LambdaOptions: TypeAlias = tuple[int, int, int, bool, float]

def schedule_queries(indptr: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Query numbers in the order in which rank sorts fastest."""

def longest_query(indptr: npt.NDArray[np.int64]) -> int:
    """Documents of the longest query; 0 if there is none."""

def rank(
    scores: npt.NDArray[np.float64],
    indptr: npt.NDArray[np.int64],
    schedule: npt.NDArray[np.int64],
    n_threads: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Order by score, best first, and which ranks tie with the one before."""

def gather_levels(
    level: npt.NDArray[_Level],
    order: npt.NDArray[np.int32],
    indptr: npt.NDArray[np.int64],
    n_threads: int,
) -> npt.NDArray[_Level]:
    """Grade levels in rank order."""

def count_levels(
    level: npt.NDArray[_Level], indptr: npt.NDArray[np.int64], n_levels: int
) -> npt.NDArray[np.int64]:
    """Documents of each level, by query."""

def sort_within_ties(
    level_by_rank: npt.NDArray[_Level],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    descending: bool,
    n_threads: int,
) -> npt.NDArray[_Level]:
    """Levels by rank, sorted inside every tied block."""

def discounted_gain(
    level_by_rank: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    discount: npt.NDArray[np.float64],
    ragged: bool,
    gain: npt.NDArray[np.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> npt.NDArray[np.float64]:
    """Sum of discount times gain over the ranks up to the cutoff, by query."""

def pair_moments(
    level_by_rank: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64],
    ragged: bool,
    n_levels: int,
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> npt.NDArray[np.float64]:
    """M[q, a, b]: weighted pairs of level a at or above level b, by query."""

def read_byte_grades(
    labels: npt.NDArray[Any],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], bool]:
    """Read labels as bytes, which of them occur, and whether all are grades 0 to 253 or nan.

    nan is read as 255. Labels are float32, float64, int64, int32 or uint8.
    """

def count_marked(
    counts: npt.NDArray[np.int64], marked: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int64]:
    """Documents whose level is marked, by query; ``counts`` holds those of every level, flat."""

def expected_shares(
    counts: npt.NDArray[np.int64],
    g: npt.NDArray[np.float64],
    level: npt.NDArray[np.int32],
    factor: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Factor times the sum of g / (recall base) over the thresholds up to a level, by query.

    ``counts`` holds the judged documents by query and level, flat; ``level[k - 1]`` is the lowest
    level whose grade reaches the threshold k.
    """

def list_best_first(
    counts: npt.NDArray[np.int64], n_levels: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Levels of every query, the best first, from their counts, and the borders of queries."""

def cumulate(
    values: npt.NDArray[np.float64], indptr: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Prefix sums that start anew with every query."""

def reciprocals(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 / x, and 0 where x is not above 0."""

def pair_part(
    base: npt.NDArray[np.float64],
    factor: npt.NDArray[np.float64],
    column: npt.NDArray[np.int32],
    moments: npt.NDArray[np.float64],
    n_queries: int,
) -> npt.NDArray[np.float64]:
    """Sum of K times moments, by query; K[q, a, b] is base[a, b] times factor[q, column[a, b]]."""

def prefix_values(
    constant: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
    gain: npt.NDArray[np.float64],
    base: npt.NDArray[np.float64],
    factor: npt.NDArray[np.float64],
    column: npt.NDArray[np.int32],
    moments: npt.NDArray[np.float64],
    best: npt.NDArray[np.float64],
    relevant: npt.NDArray[np.uint8],
    empty: float,
) -> npt.NDArray[np.float64]:
    """Values of a measure of the prefix form, by query; a part that it lacks is an empty array."""

def sum_exactly(
    values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[bytes, bytes, int]:
    """Sum values times weights, and weights, in whole numbers of 2^-1074, as bytes.

    nan is left out; the third number is how many values are infinite. No weights are weights of 1.
    """

def exact_means(
    columns: list[list[npt.NDArray[np.float64]]], weights: npt.NDArray[np.float64]
) -> list[float]:
    """Return the mean of each column, rounded once; the terms are those of `sum_exactly`.

    A column consists of arrays that follow one another. Its mean is nan where the weights add up to
    0, and inf where a value with a weight is infinite.
    """

def copy_scores(scores: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], int]:
    """Return a copy, and the place of the first score that is not finite, or -1."""

def place_scores(
    scores: npt.NDArray[np.float64], places: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], int]:
    """Return a copy with the score of row i at places[i], and the first row that is not finite.

    The row is -1 where all are finite.
    """

def same_bytes(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Whether two arrays are of one type and hold the same bytes."""

def cascade(
    level_by_rank: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64],
    stop: npt.NDArray[np.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> npt.NDArray[np.float64]:
    """Return the expected weight of the rank where a user stops, by query."""

def preferences(
    level_by_rank: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    relevant: npt.NDArray[np.uint8],
    most: npt.NDArray[np.float64],
    divisor: npt.NDArray[np.float64],
    cutoff: int,
    expected: bool,
    n_threads: int,
) -> npt.NDArray[np.float64]:
    """Sum over relevant documents of 1 - min(most, non-relevant above) / divisor, by query."""

def lambdas(
    *,
    level: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    order: npt.NDArray[np.int32],
    tied: npt.NDArray[np.uint8],
    scores: npt.NDArray[np.float64],
    indptr: npt.NDArray[np.int64],
    n_levels: int,
    prices: _Prices,
    options: _LambdaOptions,
    n_threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """First and second derivatives of LambdaMART's cost, by document."""

def noisy_lambdas(
    *,
    level: npt.NDArray[np.uint8] | npt.NDArray[np.int32],
    scores: npt.NDArray[np.float64],
    indptr: npt.NDArray[np.int64],
    schedule: npt.NDArray[np.int64],
    grades: npt.NDArray[np.float64],
    prices: _Prices,
    options: _LambdaOptions,
    noise: tuple[int, float, int, int],
    n_threads: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Their means over draws of noise that is added to the scores."""

def read_trec_lines(
    text: bytes, is_run: bool, with_ranks: bool, final: bool, key: tuple[int, int]
) -> tuple[
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    npt.NDArray[np.uint8],
    npt.NDArray[np.float64],
    npt.NDArray[np.int32],
    npt.NDArray[np.int64],
    bytes,
    int,
    int,
    tuple[int, int, int],
]:
    """Columns of the lines of a run or of qrels."""

def find_duplicates(
    document_end: npt.NDArray[np.int64],
    document: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    key: tuple[int, int],
) -> npt.NDArray[np.int64]:
    """Pairs of documents of one query with the same id, the later one first."""

def index_documents(
    document_end: npt.NDArray[np.int64],
    document: npt.NDArray[np.uint8],
    indptr: npt.NDArray[np.int64],
    key: tuple[int, int],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Hash table of the document ids of every query: slots and their borders."""

def look_up_documents(
    document_end: npt.NDArray[np.int64],
    document: npt.NDArray[np.uint8],
    start: npt.NDArray[np.int64],
    indptr: npt.NDArray[np.int64],
    known_end: npt.NDArray[np.int64],
    known: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.uint64],
    slot_indptr: npt.NDArray[np.int64],
    key: tuple[int, int],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find the documents that are in a hash table, and their numbers there."""

def order_documents(
    scores: npt.NDArray[np.float64],
    document_end: npt.NDArray[np.int64],
    document: npt.NDArray[np.uint8],
    start: npt.NDArray[np.int64],
    indptr: npt.NDArray[np.int64],
    single_precision: bool,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """Order by score, then by document id, both descending, and the ties of scores."""

def take_documents(
    document_end: npt.NDArray[np.int64],
    document: npt.NDArray[np.uint8],
    rows: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Document ids at some rows."""

def number_words(
    ids: npt.NDArray[np.int64] | npt.NDArray[np.int32], seed: int, most: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], bool]:
    """Query number of each row, first row of each query, and whether the rows are grouped.

    Of no use where there are more than `most` queries.
    """

def number_bytes(
    ids: npt.NDArray[np.uint8], width: int, seed: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], bool]:
    """Give the same for ids that are `width` bytes each."""

def number_text(
    offsets: npt.NDArray[np.int64], text: npt.NDArray[np.uint8], seed: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], bool]:
    """Give the same for text from one offset up to the next."""

def group_rows(
    query_of_row: npt.NDArray[np.int32], n_queries: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Extents of the queries, and their rows in order."""

def place_rows(
    query_of_row: npt.NDArray[np.int32], n_queries: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Extents of the queries, and the place of every row among those of all queries."""

def put_in_places(
    values: npt.NDArray[_Value], places: npt.NDArray[np.int64]
) -> npt.NDArray[_Value]:
    """Return an array with values[i] at places[i]; of uint8, int32 or float64."""

def shuffled_ranges(
    values: npt.NDArray[np.float64], n_systems: int, seed: int, n_resamples: int
) -> npt.NDArray[np.float64]:
    """Range of the systems' sums, after the values of every topic are shuffled."""

def bootstrap_pairs(
    pairs: npt.NDArray[np.int64],
    observed: npt.NDArray[np.float64],
    means: npt.NDArray[np.float64],
    squares: npt.NDArray[np.float64],
    n_resamples: int,
    wanted: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Resamples of each pair that are beyond the observed t, and the difference it requires."""

def count_swaps(
    one: npt.NDArray[np.float64],
    other: npt.NDArray[np.float64],
    n_systems: int,
    edges: npt.NDArray[np.float64],
    width: float,
    rounding: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of systems by the size of their difference, and those in opposite orders."""
