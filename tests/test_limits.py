"""Input that would fill the memory, take for ever or lose digits is refused."""

import contextlib
import time
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest

from skgraded import AP, RR, catalogue, measure
from skgraded.measures import ADM, PairPart
from skgraded.rankings import as_rankings

# These tests call measures whose scale is open on purpose, and long lists of one query.
pytestmark = [
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.GradeScaleWarning"),
    pytest.mark.filterwarnings("ignore::skgraded.exceptions.QueryIdsWarning"),
]


@pytest.mark.parametrize("name", ["GAP", "xGAP", "eGAP", "eGAP(g=linear)"])
def test_a_scale_up_to_a_billion_is_refused_before_memory_is_taken(name):
    tracemalloc.start()
    with pytest.raises(ValueError, match="must hold grades up to 10000"):
        measure(name)([0, 1_000_000_000], [1, 2])
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "name", [n for n, kind in catalogue().items() if n not in ("ADM", "infAP")]
)
def test_as_many_grades_as_documents_are_scored_or_refused(name):
    y_true = np.arange(20_000)
    tracemalloc.start()
    with contextlib.suppress(ValueError):
        measure(name)(y_true, -y_true)
    assert tracemalloc.get_traced_memory()[1] < 500_000_000
    tracemalloc.stop()


class FullMatrix(AP):
    """A measure whose matrix K says nothing about its factors."""

    shares_levels = True

    def _pair_part(self, judgments):
        return PairPart(np.ones, np.zeros((1, judgments.n_levels, judgments.n_levels)))


def test_a_full_matrix_of_many_grades_is_refused_by_name():
    with pytest.raises(ValueError, match=r"at most 5,000 different grades for FullM.* got 5,001"):
        FullMatrix()(np.arange(5001), np.arange(5001))


@pytest.mark.parametrize("spec", ["nDCG" + " " * 5000 + "!", "nDCG" + " " * 50_000 + "@10"])
def test_blanks_are_refused_in_no_time(spec):
    started = time.process_time()
    with pytest.raises(ValueError, match=r"written Name\(field|at most 10000 char"):
        measure(spec)
    assert time.process_time() - started < 5.0  # it took minutes


@pytest.mark.parametrize(
    "scores",
    [[2**53 - 1, 1, 2**53 - 1], [Decimal("0.1"), Decimal(0), Decimal("0.1")], [1, 0.5, 1]],
)
def test_equal_numbers_of_any_type_tie(scores):
    assert RR()([0, 0, 1], scores) == 0.75


def test_rankings_own_their_scores():
    y_true, y_score = [2, 1, 0], np.array([1.0, 0.75, 0.5])
    rankings = as_rankings(y_true, y_score)
    before = ADM(max_grade=2)(rankings)
    y_score[:] = [0.1, 0.2, 0.3]
    assert ADM(max_grade=2)(rankings) == before == 0.75
    with pytest.raises(ValueError, match="read-only"):
        rankings.scores[0] = 0.0
