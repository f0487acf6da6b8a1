"""Imports point down the layers, and `import skgraded` stays light."""

import ast
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

import skgraded

PACKAGE = Path(skgraded.__file__).parent
ROOT = "skgraded"

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def read_layers(text):
    """Rows of the table of layers, top first: names between bars, up to two spaces."""
    table = text.partition("## Layers")[2].split("```")[1]
    return tuple(
        tuple(line.partition("   ")[0].strip().split(" | ")) for line in table.strip().splitlines()
    )


# Top first. A module or package imports only from the rows below its own, never from its row.
LAYERS = read_layers(CONTRIBUTING.read_text(encoding="utf-8"))
DEPTH = {name: depth for depth, names in enumerate(LAYERS) for name in names}
# An arrow that points up on purpose; CONTRIBUTING says why.
DOORS = {("rankings", "trec")}


def unit(path, package):
    """Name of the module or package directly under skgraded that a file belongs to."""
    first = path.relative_to(package).parts[0].removesuffix(".py")
    return ROOT if first == "__init__" else first


def imported_modules(node, units):
    """Dotted names that an import statement asks for; those of other statements are none."""
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom(module=module, level=0) if module == ROOT:
            return [f"{ROOT}.{alias.name}" if alias.name in units else ROOT for alias in node.names]
        case ast.ImportFrom(module=module, level=0):
            return [module]
        case ast.ImportFrom():
            raise AssertionError(f"line {node.lineno}: imports must be absolute")
    return []


def imported_units(path, units):
    """Units of skgraded that a file imports, wherever in the file it does so."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = chain.from_iterable(imported_modules(node, units) for node in nodes)
    parts = [name.split(".") for name in names]
    return {part[1] if len(part) > 1 else ROOT for part in parts if part[0] == ROOT}


def arrows(package):
    """(importing unit, imported unit) pairs between different units of the package."""
    units = {unit(path, package) for path in package.rglob("*.py")}
    return {
        (source, target)
        for path in package.rglob("*.py")
        for source in [unit(path, package)]
        for target in imported_units(path, units)
        if target != source and (source, target) not in DOORS
    }


def upward(package):
    return [
        f"{source} imports {target}"
        for source, target in sorted(arrows(package))
        if DEPTH[source] >= DEPTH[target]
    ]


def test_every_module_has_a_layer():
    units = {unit(path, PACKAGE) for path in PACKAGE.rglob("*.py")}
    assert sorted(units - DEPTH.keys()) == []


def test_no_arrow_points_up():
    assert upward(PACKAGE) == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("import skgraded.measures", ["rankings imports measures"]),
        ("from skgraded.measures._measure import Measure", ["rankings imports measures"]),
        ("from skgraded import measures", ["rankings imports measures"]),
        ("from skgraded import xGAP", ["rankings imports skgraded"]),
        ("import skgraded", ["rankings imports skgraded"]),
        ("def later():\n    import skgraded.cli", ["rankings imports cli"]),
        ("from skgraded import _core", []),
        ("import numpy", []),
    ],
)
def test_the_reader_sees_an_arrow_that_points_up(tmp_path, statement, found):
    (tmp_path / "measures").mkdir()
    (tmp_path / "measures" / "__init__.py").touch()
    for name in ("__init__", "_core", "cli"):
        (tmp_path / f"{name}.py").touch()
    (tmp_path / "rankings.py").write_text(statement, encoding="utf-8")
    assert upward(tmp_path) == found


def test_neighbours_do_not_import_each_other(tmp_path):
    (tmp_path / "scoring.py").write_text("import skgraded.lightgbm", encoding="utf-8")
    (tmp_path / "lightgbm.py").touch()
    assert upward(tmp_path) == ["scoring imports lightgbm"]


def modules_after(statement):
    """Names of the modules that a fresh process holds after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_leaves_the_heavy_libraries_alone():
    heavy = {"lightgbm", "xgboost", "catboost", "optuna"}
    frames = {"pandas", "polars", "matplotlib"}
    modules = modules_after("import skgraded")
    assert sorted(modules & (heavy | frames | {"sklearn.model_selection"})) == []


def test_no_public_name_imports_an_optional_library():
    modules = modules_after("from skgraded import *")
    assert sorted(modules & {"xgboost", "catboost", "optuna", "polars", "matplotlib"}) == []
