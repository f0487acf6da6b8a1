"""Several Dask collections of the same rows as one DataFrame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from skgraded.engines import as_array

_ALIKE = "The collections must have blocks of the same rows"


def blocks_of(name: str, collection: Any, n_dimensions: int = 1) -> list[Any]:
    """Return the blocks or partitions of a collection, not computed; each holds whole rows."""
    if not hasattr(collection, "to_delayed") or getattr(collection, "ndim", 0) != n_dimensions:
        kinds = {1: "Dask array of one dimension or Series", 2: "Dask array of rows or DataFrame"}
        raise TypeError(f"{name} must be a {kinds[n_dimensions]}, got {type(collection).__name__}.")
    if n_dimensions > 1 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    return np.ravel(collection.to_delayed()).tolist()


def side_by_side(blocks: Mapping[str, list[Any]], dtypes: Mapping[str, Any]) -> Any:
    """Put collections side by side as the columns of a DataFrame.

    Parameters
    ----------
    blocks : mapping of str to list of delayed
        Blocks of each column, by its name.
    dtypes : mapping of str to dtype
        Type of each column.

    Returns
    -------
    dask DataFrame
        The columns.
    """
    if len({len(each) for each in blocks.values()}) > 1:
        raise ValueError(f"{_ALIKE}, got {_said(blocks)} blocks: rechunk them alike.")
    meta = pd.DataFrame({name: pd.Series(dtype=dtypes[name]) for name in blocks})
    join = dask.delayed(_joined)
    parts = [join(list(blocks), *each) for each in zip(*blocks.values(), strict=True)]
    return dd.from_delayed(parts, meta=meta, verify_meta=False)


def _said(named: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {len(each)}" for name, each in named.items())


def _joined(names: list[str], *blocks: Any) -> pd.DataFrame:
    named = {name: as_array(each) for name, each in zip(names, blocks, strict=True)}
    if len({len(each) for each in named.values()}) > 1:
        raise ValueError(f"{_ALIKE}, got a block with {_said(named)} rows.")
    return pd.DataFrame(named)
