"""Labels, queries and weights of a data set of XGBoost's.

XGBoost's own getters describe every array by JSON and make a class to read it, which takes longer
than scoring some short lists. The functions of its library that they called before give an address,
and are there for other languages; where they are missing, the getters are called.
"""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any, Literal

import numpy as np
import xgboost
from numpy.typing import NDArray

from skgraded.boosting._judged_sets import DataSet

__all__ = ["read_data_set"]

_TYPES = {"Float": np.float32, "UInt": np.uint32}

_NO_QUERIES = (
    "The data set does not say which rows make up a query: make the DMatrix with qid=... "
    "(ascending) or group=... (sizes)."
)


def read_data_set(data: xgboost.DMatrix) -> DataSet:
    """Read what a measure needs; raise where the data set has no queries."""
    starts = _values(data, "UInt", "group_ptr").astype(np.int64)
    sizes: NDArray[np.int64] = np.diff(starts)
    if len(sizes) == 0:
        raise ValueError(_NO_QUERIES)
    label = _values(data, "Float", "label")
    if len(label) > starts[-1]:
        raise ValueError(
            "The label of a DMatrix must have one column for a measure of rankings, got "
            f"{len(label) // starts[-1]}. Give one grade to each row."
        )
    weight = _values(data, "Float", "weight")
    if len(weight) == len(sizes):
        weight = np.repeat(weight, sizes)
    # These are new arrays in every call, so that only the data set can be the owner.
    return DataSet(label, weight if len(weight) else None, sizes, owner=data)


def _values(data: xgboost.DMatrix, kind: Literal["Float", "UInt"], name: str) -> NDArray[Any]:
    """Return a copy of the values of that name."""
    read = getattr(getattr(xgboost.core, "_LIB", None), f"XGDMatrixGet{kind}Info", None)
    handle, length, address = getattr(data, "handle", None), ctypes.c_uint64(), ctypes.c_void_p()
    if read is None or handle is None or read(handle, name.encode(), byref(length), byref(address)):
        values: NDArray[Any] = getattr(data, f"get_{kind.lower()}_info")(name)
        return values
    size = 4 * length.value
    return np.frombuffer(ctypes.string_at(address, size) if size else b"", _TYPES[kind])
