"""One word for one thing: parameters of public functions against the glossary of CONTRIBUTING."""

import importlib.util
import inspect
import re
from pathlib import Path

CONTRIBUTING = Path(__file__).resolve().parents[1] / "CONTRIBUTING.md"
MODULES = ["", ".chunks", ".comparison", ".conventions", ".datasets", ".displays", ".lightgbm"]
MODULES += [".measures", ".model_selection", ".rankings", ".results", ".scoring", ".studies"]
MODULES += [".trec", ".users"]
EXTRAS = {".catboost": "catboost", ".dask": "dask", ".spark": "pyspark", ".xgboost": "xgboost"}


def glossary():
    """The words of the table, each with those that it stands in place of."""
    text = CONTRIBUTING.read_text(encoding="utf-8").partition("## Words")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    return {
        word: set(re.findall(r"`(\w+)`", row[2]))
        for row in rows
        if len(row) == 3
        for word in re.findall(r"`(\w+)`", row[0])
    }


def public_parameters():
    """Where a public function or method takes each parameter."""
    found = {}
    for suffix in MODULES + [name for name, needed in EXTRAS.items() if is_there(needed)]:
        module = importlib.import_module(f"skgraded{suffix}")
        for name in getattr(module, "__all__", None) or dir(module):
            each = getattr(module, name)
            if name.startswith("_") or not getattr(each, "__module__", "").startswith("skgraded"):
                continue
            for place, function in [(name, each), *methods(name, each)]:
                for parameter in parameters(function):
                    found.setdefault(parameter, set()).add(f"skgraded{suffix}.{place}")
    return found


def is_there(name):
    return importlib.util.find_spec(name) is not None


def methods(name, kind):
    return [
        (f"{name}.{method}", getattr(kind, method))
        for method, function in (vars(kind).items() if inspect.isclass(kind) else ())
        if not method.startswith("_") and callable(getattr(function, "__func__", function))
    ]


def parameters(function):
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()


def test_public_signatures_use_the_words_of_the_glossary():
    words, found = glossary(), public_parameters()
    assert {"skgraded.evaluate", "skgraded.QueryRanker.fit"} <= found["qid"]
    assert 20 <= len(words) <= 40
    others = {other: word for word, instead_of in words.items() for other in instead_of}
    assert {name: (others[name], found[name]) for name in others.keys() & found.keys()} == {}
    assert sorted(words.keys() - found.keys()) == []  # rows that say nothing
