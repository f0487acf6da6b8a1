"""Types of arrays, by what their entries are."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
HashArray = NDArray[np.uint64]
IntArray = NDArray[np.int64]
