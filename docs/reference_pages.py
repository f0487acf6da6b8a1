"""Pages of the API reference, made from what the public modules export."""

import importlib
import inspect

# The order of the pages; every public module of the package is one.
MODULES = {
    "skgraded": "What users import first",
    "skgraded.measures": "Measures",
    "skgraded.results": "Results",
    "skgraded.model_selection": "Model selection",
    "skgraded.scoring": "Scorers",
    "skgraded.lightgbm": "LightGBM",
    "skgraded.xgboost": "XGBoost",
    "skgraded.catboost": "CatBoost",
    "skgraded.trec": "TREC runs and qrels",
    "skgraded.users": "User models and g",
    "skgraded.studies": "Studies of measures",
    "skgraded.displays": "Displays",
    "skgraded.datasets": "Data sets",
    "skgraded.conventions": "Other tools' numbers",
    "skgraded.rankings": "Judgments, rankings and query ids",
    "skgraded.chunks": "More rows than fit into memory",
    "skgraded.dask": "Dask",
    "skgraded.spark": "Spark",
    "skgraded.engines": "What chunks, Dask and Spark share",
    "skgraded.exceptions": "Warnings and errors",
}


def write_reference_pages(folder):
    """Write one page for each public module, and the index of all."""
    folder.mkdir(exist_ok=True)
    shown: set[int] = set()
    for name, title in MODULES.items():
        module = importlib.import_module(name)
        own = [each for each in module.__all__ if _is_new(getattr(module, each), shown)]
        _write(folder / f"{name}.rst", _page(name, title, module, own))
    listed = "\n".join(f"   {name}" for name in MODULES)
    _write(
        folder / "index.rst",
        f"{_heading('API reference')}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n",
    )


def _is_new(thing, shown):
    """Whether no earlier page documents the object; constants have no pages."""
    if not callable(thing) or id(thing) in shown:
        return False
    shown.add(id(thing))
    return True


def _page(name, title, module, names):
    listed = "\n".join(f"   {each}" for each in names)
    return (
        f"{_heading(title)}\n\n.. module:: {name}\n\n{inspect.getdoc(module)}\n\n"
        f".. currentmodule:: {name}\n\n.. autosummary::\n   :toctree: generated\n\n{listed}\n"
    )


def _heading(text):
    return f"{text}\n{'=' * len(text)}"


def _write(path, text):
    """Leave a file alone that has the text, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
