"""Measures of the blended ratio: two lists, with the values that NTCIREVAL prints for them."""

import pytest
from reference.blended_ratio import ORACLES, ebr, ncu, o_measure, p_measure, p_plus, rank_biased_ncu
from reference.cascade import reciprocal_rank

POOL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 0]
ONE = [0, 3, None, 2]
OTHER = [1, 3, None, 2, None, 1]


@pytest.mark.parametrize(
    ("name", "fields", "values"),
    [
        ("EBR", {"max_grade": 3}, (0.4333, 0.6154, 0.4479, 0.6344)),
        ("NCU", {}, (0.1281, 0.2355, None, None)),
        ("NCU", {"beta": 0}, (0.1316, 0.3246, None, None)),
        ("OMeasure", {}, (0.5, 0.5, None, None)),
        ("PMeasure", {}, (0.5, 0.75, None, None)),
        ("PPlus", {}, (0.5, 0.625, None, None)),
        ("RankBiasedNCU", {}, (0.1175, 0.2745, None, None)),
        ("RankBiasedNCU", {"beta": 0}, (0.1215, 0.3985, None, None)),
    ],
)
def test_values_that_ntcireval_prints(name, fields, values):
    cases = [(ranked, condense) for condense in (False, True) for ranked in (ONE, OTHER)]
    for (ranked, condense), value in zip(cases, values, strict=True):
        if value is not None:
            ours = ORACLES[name](ranked, POOL, condense=condense, **fields)
            assert float(ours) == pytest.approx(value, abs=5.01e-5)


def test_a_list_without_relevant_documents_and_a_pool_without_them():
    for of_list in (o_measure, p_measure, p_plus, rank_biased_ncu, ncu):
        assert of_list([0, 0], [1, 0, 0]) == 0
        assert of_list([0, 0]) == 0
        assert of_list([0, 0], empty=1) == 1
    assert ebr([0, 0], empty=1, max_grade=1) == 1


def test_without_gains_the_blended_ratio_is_precision():
    assert o_measure([0, 1, 2], beta=0) == reciprocal_rank([0, 1, 2])
    assert p_measure([0, 1, 2], beta=0) == pytest.approx(2 / 3)
    assert p_measure([0, 1, 2], beta=0, k=2) == pytest.approx(1 / 2)
