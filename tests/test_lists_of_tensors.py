"""Numbers that are tensors of one element, one by one in lists and dicts."""

import numpy as np
import pytest

from skgraded import nDCG, trec

Y, SCORE = [0, 1, 2], [0.5, 0.25, 1.0]  # exact in 8 bits


class Stubborn:
    """What NumPy sees of a tensor of one number that has a gradient; it stands in for torch."""

    ndim = 0

    def __init__(self, value, dtype):
        self.value, self.dtype = value, dtype

    def __array__(self, dtype=None, copy=None):
        raise self.dtype

    def detach(self):
        return self

    def cpu(self):
        return np.float32(self.value)


def torch(value, **options):
    return pytest.importorskip("torch").tensor(value, **options)


KINDS = {
    "plain": torch,
    "bfloat16": lambda each: torch(each).bfloat16(),
    "with gradient": lambda each: torch(each, requires_grad=True),
    "both": lambda each: torch(each, requires_grad=True).bfloat16(),
    "short float": lambda each: pytest.importorskip("ml_dtypes").bfloat16(each),
    "RuntimeError": lambda each: Stubborn(each, RuntimeError("Can't call numpy()")),
    "TypeError": lambda each: Stubborn(each, TypeError("BFloat16")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_tensors_are_read(kind):
    listed, grades = ([KINDS[kind](float(each)) for each in row] for row in (SCORE, Y))
    assert nDCG()(Y, listed) == nDCG()(grades, tuple(listed)) == nDCG()(Y, SCORE)
    qrels = {"q": dict(zip("abc", Y, strict=True))}
    run, plain = ({"q": dict(zip("abc", each, strict=True))} for each in (listed, SCORE))
    expected = trec.evaluate("nDCG", qrels, plain).values
    np.testing.assert_array_equal(trec.evaluate("nDCG", qrels, run).values, expected)


def test_lists_that_nothing_can_read_are_refused_as_before():
    class Other:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        nDCG()(Y, [Other(), Other(), Other()])
