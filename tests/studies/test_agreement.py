"""Cohen's kappa of assessors against its definition, written out."""

import numpy as np
import pytest

from skgraded.studies import agreement_of_assessors


def kappa(first, second, scale, weights):
    """1 less the observed by the expected disagreement."""
    cost = {
        "nominal": lambda a, b: float(a != b),
        "linear": lambda a, b: abs(scale.index(a) - scale.index(b)),
        "quadratic": lambda a, b: (scale.index(a) - scale.index(b)) ** 2,
    }[weights]
    pairs = list(zip(first, second, strict=True))
    observed = sum(cost(a, b) for a, b in pairs) / len(pairs)
    expected = sum(cost(a, b) for a in first for b in second) / len(pairs) ** 2
    return 1 - observed / expected


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(4))
def test_kappa_is_its_definition(seed, weights):
    rng = np.random.default_rng(seed)
    grades = rng.integers(0, 4, (60, 3)).astype(float)
    grades[:, 1] = np.where(rng.random(60) < 0.6, grades[:, 0], grades[:, 1])
    grades[rng.random((60, 3)) < 0.2] = np.nan
    found = agreement_of_assessors(grades, weights=weights)
    scale = sorted(set(grades[~np.isnan(grades)].tolist()))
    for one in range(3):
        for other in range(3):
            both = grades[:, [one, other]]
            both = both[~np.isnan(both).any(axis=1)].tolist()
            expected = kappa(*zip(*both, strict=True), scale, weights)
            assert found[one, other] == pytest.approx(expected, abs=1e-12)


def test_a_pair_without_a_common_document_has_no_kappa():
    found = agreement_of_assessors([[1, np.nan], [np.nan, 0]])
    assert np.isnan(found[0, 1])
    assert np.isnan(agreement_of_assessors([[1, 1], [1, 1]])[0, 1])


@pytest.mark.parametrize(
    ("assessments", "options", "told"),
    [
        ([1, 0], {}, "at least 2 assessors"),
        ([[1, 0]], {"weights": "x"}, "weights must"),
    ],
)
def test_what_is_refused(assessments, options, told):
    with pytest.raises(ValueError, match=told):
        agreement_of_assessors(assessments, **options)
