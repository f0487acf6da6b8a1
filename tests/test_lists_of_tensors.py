"""Numbers that are tensors of one element, one by one in lists and dicts."""

import numpy as np
import pytest

from skgraded import nDCG, trec

Y, SCORE = [0, 1, 2], [0.5, 0.25, 1.0]  # exact in 8 bits


def kinds():
    torch = pytest.importorskip("torch")
    return {
        "bfloat16": lambda each: torch.tensor(each).bfloat16(),
        "with gradient": lambda each: torch.tensor(each, requires_grad=True),
        "both": lambda each: torch.tensor(each, dtype=torch.bfloat16, requires_grad=True),
        "plain": torch.tensor,
    }


@pytest.mark.parametrize("name", ["bfloat16", "with gradient", "both", "plain"])
def test_lists_of_tensors_are_read(name):
    tensor = kinds()[name]
    listed = [tensor(each) for each in SCORE]
    assert nDCG()(Y, listed) == nDCG()(Y, SCORE)
    assert nDCG()([tensor(float(each)) for each in Y], tuple(listed)) == nDCG()(Y, SCORE)
    run = {"q": dict(zip("abc", listed, strict=True))}
    qrels = {"q": dict(zip("abc", Y, strict=True))}
    plain = {"q": dict(zip("abc", SCORE, strict=True))}
    np.testing.assert_array_equal(
        trec.evaluate("nDCG", qrels, run).values, trec.evaluate("nDCG", qrels, plain).values
    )


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


@pytest.mark.parametrize("error", [RuntimeError("Can't call numpy()"), TypeError("BFloat16")])
def test_lists_of_what_numpy_cannot_read_are_detached(error):
    assert nDCG()(Y, [Stubborn(each, error) for each in SCORE]) == nDCG()(Y, SCORE)


def test_lists_of_short_floats_are_read():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    listed = [ml_dtypes.bfloat16(each) for each in SCORE]
    assert nDCG()(Y, listed) == nDCG()(Y, SCORE)
    run = {"q": dict(zip("abc", listed, strict=True))}
    assert trec.evaluate("RR", {"q": {"c": 1}}, run).values.item() == 1.0


def test_lists_that_nothing_can_read_are_refused_as_before():
    class Other:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        nDCG()(Y, [Other(), Other(), Other()])
