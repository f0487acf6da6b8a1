"""Pages of the API reference, made from what the public modules export."""

import importlib
import inspect

from measure_pages import FAMILIES

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
    shown: set[int] = set()
    for name, title in MODULES.items():
        module = importlib.import_module(name)
        own = [each for each in module.__all__ if _is_new(getattr(module, each), shown)]
        _write(folder / f"{name}.rst", _page(name, title, module, own))
    _write(folder / "index.rst", _index())


def _index():
    tasks = [
        f"{_heading(task, '-')}\n\n{_table(f'~{each}' for each in names)}"
        for task, names in TASKS.items()
    ]
    listed = "\n".join(f"   {name}" for name in MODULES)
    modules = f"{_heading('By module', '-')}\n\n.. toctree::\n   :maxdepth: 1\n\n{listed}\n"
    return "\n\n".join([_heading("API reference"), *tasks, modules])


def _is_new(thing, shown):
    """Whether no earlier page documents the object; constants have no pages."""
    if not callable(thing) or id(thing) in shown:
        return False
    shown.add(id(thing))
    return True


def _page(name, title, module, names):
    tables = [
        (f"{_heading(group, '-')}\n\n" if group else "") + _table(listed, toctree=True)
        for group, listed in _groups(module, names).items()
    ]
    return "\n\n".join(
        [
            f"{_heading(title)}\n\n.. module:: {name}",
            inspect.getdoc(module),
            f".. currentmodule:: {name}",
            *tables,
            "",
        ]
    )


def _groups(module, names):
    """Return the names by the family of their measures, after those that are no measures."""
    groups: dict[str, list[str]] = {"": []}
    groups.update((title, []) for title in FAMILIES.values())
    for name in names:
        family = getattr(module, name).__module__.rpartition(".")[2]
        groups[FAMILIES.get(family, "")].append(name)
    return {group: listed for group, listed in groups.items() if listed}


def _table(names, *, toctree=False):
    options = "   :toctree: generated\n" if toctree else ""
    return f".. autosummary::\n{options}\n" + "\n".join(f"   {each}" for each in names)


def _heading(text, line="="):
    return f"{text}\n{line * len(text)}"


def _write(path, text):
    """Leave a file alone that has the text, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
