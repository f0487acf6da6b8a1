"""Scores that are tensors or short floats, as arrays or one by one in lists and dicts."""

import numpy as np
import pytest

from skgraded import nDCG, trec

Y, SCORE = [0, 1, 2], [0.5, 0.25, 1.0]  # exact in 8 bits


class TensorLike:
    """What torch does: numbers behind `detach` and `cpu`, and an error for NumPy."""

    def __init__(self, values, dtype="torch.float32", is_plain=False):
        self.values, self.dtype, self.is_plain = np.asarray(values), dtype, is_plain

    def detach(self):
        return TensorLike(self.values, self.dtype, self.dtype == "torch.float32")

    def cpu(self):
        return self

    def float(self):
        return TensorLike(self.values, "torch.float32", is_plain=True)

    def __array__(self, dtype=None, copy=None):
        if not self.is_plain:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values


@pytest.mark.parametrize("dtype", ["torch.float32", "torch.bfloat16", "torch.float8_e4m3fn"])
def test_tensors_are_read_without_their_gradients(dtype):
    value = nDCG()(Y, SCORE)
    assert nDCG()(Y, TensorLike(SCORE, dtype)) == value
    assert nDCG()(TensorLike(Y, dtype), TensorLike(SCORE, dtype)) == value


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn"])
def test_short_floats_are_read_as_they_are(name):
    kind = np.float16 if name == "float16" else getattr(pytest.importorskip("ml_dtypes"), name)
    assert nDCG()(np.array(Y).astype(kind), np.array(SCORE).astype(kind)) == nDCG()(Y, SCORE)


def test_records_are_still_no_scores():
    with pytest.raises(ValueError, match="y_score must be numeric"):
        nDCG()(Y, np.zeros(3, dtype=[("score", float)]))


# One by one


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
