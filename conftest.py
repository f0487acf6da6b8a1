"""Doctests of what an engine is about are collected where the engine is installed."""

import gc
from importlib.util import find_spec

import pytest

collect_ignore = [
    path
    for path, engine in {
        "skgraded/dask": "dask",
        "skgraded/spark.py": "pyspark",
    }.items()
    if find_spec(engine) is None
]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among the many objects that collection makes, which all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def same_catalogue():
    """Forget the measures that a test or an example registers."""
    from skgraded.measures import _catalogue

    _catalogue.catalogue()  # which imports the classes
    tables = (
        _catalogue._registered,
        _catalogue._by_folded_name,
        _catalogue.LESS_IS_BETTER,
    )
    before = [each.copy() for each in tables]
    yield
    for table, entries in zip(tables, before, strict=True):
        if table != entries:
            table.clear()
            table.update(entries)
            _catalogue._measure_of_string.cache_clear()
