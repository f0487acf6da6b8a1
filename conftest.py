"""Doctests of what an engine is about are collected where the engine is installed."""

from importlib.util import find_spec

collect_ignore = [
    path
    for path, engine in {"skgraded/dask": "dask", "skgraded/spark.py": "pyspark"}.items()
    if find_spec(engine) is None
]
