"""Pages of the API reference, made from what the public modules export."""

import importlib
import inspect

from skgraded.measures import catalogue

# What people want to do, and what they call for it, most wanted first.
TASKS = {
    "Score rankings": [
        "skgraded.evaluate",
        "skgraded.measure",
        "skgraded.catalogue",
        "skgraded.Blend",
        "skgraded.Judgments",
        "skgraded.Rankings",
        "skgraded.Scores",
        "skgraded.conventions.measure_as",
    ],
    "Select a model": [
        "skgraded.QueryRanker",
        "skgraded.cross_validate_queries",
        "skgraded.QueryKFold",
        "skgraded.StratifiedQueryKFold",
        "skgraded.QueryShuffleSplit",
        "skgraded.QueryTimeSeriesSplit",
        "skgraded.query_train_test_split",
        "skgraded.make_ranking_scorer",
        "skgraded.query_target",
        "skgraded.query_series",
        "skgraded.query_ids",
    ],
    "Train, and stop training": [
        "skgraded.lightgbm.objective",
        "skgraded.lightgbm.eval_metric",
        "skgraded.lightgbm.early_stopping",
        "skgraded.xgboost.objective",
        "skgraded.xgboost.eval_metric",
        "skgraded.catboost.eval_metric",
        "skgraded.displays.TrainingDisplay",
    ],
    "Decide which is better, and for whom": [
        "skgraded.compare",
        "skgraded.Comparison",
        "skgraded.users.choose",
        "skgraded.users.threshold_profile",
        "skgraded.users.personas",
    ],
    "Learn g from users": [
        "skgraded.users.thresholds_from_log",
        "skgraded.users.log_columns",
        "skgraded.users.thresholds_from_feedback",
    ],
    "Evaluate TREC runs": [
        "skgraded.trec.evaluate",
        "skgraded.trec.read_qrels",
        "skgraded.trec.read_run",
        "skgraded.trec.write_run",
        "skgraded.trec.rank",
    ],
    "Write your own measure": [
        "skgraded.measures.PrefixMeasure",
        "skgraded.measures.CWL",
        "skgraded.measures.PrefixCWL",
        "skgraded.measures.Positions",
        "skgraded.measures.PairFactors",
        "skgraded.measures.register",
    ],
    "Study measures": [
        "skgraded.studies.correlate",
        "skgraded.studies.discriminative_power",
        "skgraded.studies.incompleteness",
        "skgraded.studies.sensitivity",
        "skgraded.studies.compare_assessors",
    ],
}

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
    "skgraded.exceptions": "Warnings and errors",
}


def write_reference_pages(folder):
    """Write one page for each public module, and the index of all."""
    folder.mkdir(exist_ok=True)
    homes = _homes()
    for name, title in MODULES.items():
        write(folder / f"{name}.rst", _page(name, title, homes))
    write(folder / "index.rst", _index())


def described(name):
    """Return the directive that shows the docstring of a class or function, by its full name."""
    module, _, attribute = name.rpartition(".")
    thing = getattr(importlib.import_module(module), attribute)
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
    else:
        kind = "function" if inspect.isfunction(thing) else "data"
    return f".. auto{kind}:: {name}"


def heading(text, line="="):
    """Return the heading of a page, or with another line that of a section."""
    return f"{text}\n{line * len(text)}"


def write(path, text):
    """Leave a file alone that has the text, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _homes():
    """Return the one name that each public object is shown by; measures are on other pages."""
    homes = {kind: f"skgraded.measures.{name}" for name, kind in catalogue().items()}
    for name in MODULES:
        for each, thing in _shown(name).items():
            homes.setdefault(thing, f"{name}.{each}")
    return homes


def _shown(name):
    """Return what a module exports by its names, without the constants."""
    module = importlib.import_module(name)
    exported = {each: getattr(module, each) for each in module.__all__}
    return {each: thing for each, thing in exported.items() if callable(thing)}


def _index():
    tasks = [
        f"{heading(task, '-')}\n\n{_table('skgraded', names)}"
        for task, names in TASKS.items()
    ]
    listed = "\n".join(f"   {name}" for name in MODULES)
    modules = (
        f"{heading('By module', '-')}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n"
    )
    return "\n\n".join(
        [heading("API reference"), ".. currentmodule:: skgraded", *tasks, modules]
    )


def _page(name, title, homes):
    shown = {homes[thing]: thing for thing in _shown(name).values()}
    elsewhere = catalogue().values()
    parts = [
        heading(title),
        f".. module:: {name}",
        inspect.getdoc(importlib.import_module(name)),
        _table(name, shown),
    ]
    for home, thing in shown.items():
        if home.rpartition(".")[0] == name and thing not in elsewhere:
            parts.append(described(home))
    return "\n\n".join(parts) + "\n"


def _table(module, names):
    """Return a table with the first sentence of each name, on a page of the module."""
    listed = "\n".join(f"   {name.removeprefix(f'{module}.')}" for name in names)
    return f".. autosummary::\n   :nosignatures:\n\n{listed}"
