"""Labels, queries and weights of a data set of XGBoost's.

XGBoost's own getters describe every array by JSON and make a class to read it, which takes longer
than scoring some short lists. The functions of its library that they called before give an address,
and are there for other languages; where they are missing, the getters are called.
"""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import xgboost
from numpy.typing import NDArray

from skgraded._sealed import all_sealed
from skgraded.boosting._judged_sets import DataSet

_NO_QUERIES = (
    "The data set does not say which rows make up a query: make the DMatrix with qid=... "
    "(ascending) or group=... (sizes)."
)


class _Columns(NamedTuple):
    """What `read_data_set` returns, and the bytes that it was made of."""

    content: tuple[bytes, ...]
    labels: NDArray[np.float32]
    weight: NDArray[np.float32] | None
    sizes: NDArray[np.int64]


_known: WeakKeyDictionary[xgboost.DMatrix, _Columns] = WeakKeyDictionary()


def read_data_set(data: xgboost.DMatrix) -> DataSet:
    """Read what a measure needs; raise where the data set has no queries.

    As long as a data set holds the same bytes, which a training asks in every iteration, the arrays
    are the same, too.
    """
    content = _content(data)
    known = _known.get(data)
    if known is None or known.content != content:
        known = _known[data] = _columns(content)
    return DataSet(known.labels, known.weight, known.sizes, data, is_sealed=True)


def _columns(content: tuple[bytes, ...]) -> _Columns:
    starts = np.frombuffer(content[0], np.uint32).astype(np.int64)
    label, weight = (np.frombuffer(each, np.float32) for each in content[1:])
    sizes: NDArray[np.int64] = np.diff(starts)
    if len(sizes) == 0:
        raise ValueError(_NO_QUERIES)
    if len(label) > starts[-1]:
        raise ValueError(
            "The label of a DMatrix must have one column for a measure of rankings, got "
            f"{len(label) // starts[-1]}. Give one grade to each row."
        )
    if len(weight) == len(sizes):
        weight = np.repeat(weight, sizes)
    return _Columns(content, *all_sealed(label, weight if len(weight) else None, sizes))


def _content(data: xgboost.DMatrix) -> tuple[bytes, ...]:
    """Return the first rows of all queries, the labels and the weights, as bytes."""
    try:
        handle, library = data.handle, xgboost.core._LIB
        integers, floats = library.XGDMatrixGetUIntInfo, library.XGDMatrixGetFloatInfo
    except AttributeError:
        return _content_by_getters(data)
    length, address, found = ctypes.c_uint64(), ctypes.c_void_p(), []
    to = byref(length), byref(address)
    for read, name in ((integers, b"group_ptr"), (floats, b"label"), (floats, b"weight")):
        if read(handle, name, *to):
            return _content_by_getters(data)
        found.append(ctypes.string_at(address, 4 * length.value) if length.value else b"")
    return tuple(found)


def _content_by_getters(data: xgboost.DMatrix) -> tuple[bytes, ...]:
    starts, label, weight = (
        data.get_uint_info("group_ptr"),
        data.get_float_info("label"),
        data.get_float_info("weight"),
    )
    return starts.tobytes(), label.tobytes(), weight.tobytes()
