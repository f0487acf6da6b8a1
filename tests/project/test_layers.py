"""Imports point down the layers, and `import skgraded` stays light."""

import ast
from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest
import reading
from samples import modules_after
from test_extras import imports_at_run_time

import skgraded

PACKAGE = Path(skgraded.__file__).parent
ROOT = "skgraded"

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def read_layers(text):
    """Rows of the table of layers, top first: names between bars, up to two spaces."""
    table = text.partition("## Layers")[2].split("```")[1]
    return tuple(
        tuple(line.partition("   ")[0].strip().split(" | "))
        for line in table.strip().splitlines()
    )


# Top first. A module or package imports only from the rows below its own, never from its row.
LAYERS = read_layers(CONTRIBUTING.read_text(encoding="utf-8"))
DEPTH = {name: depth for depth, names in enumerate(LAYERS) for name in names}
# Arrows that do not point down on purpose; CONTRIBUTING says why.
DOORS = {("measures", "scoring"), ("__main__", "cli"), ("cli", "skgraded")}


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
            return [
                f"{ROOT}.{alias.name}" if alias.name in units else ROOT
                for alias in node.names
            ]
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


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def private_imports(package):
    """Imports of another package's private modules or names, but for those of the row below."""
    units = {unit(path, package) for path in package.rglob("*.py")}
    found = []
    for path in sorted(package.rglob("*.py")):
        source = unit(path, package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in imported_modules(node, units):
                target, *inside = module.split(".")[1:] or [ROOT]
                names = [] if getattr(node, "module", ROOT) == ROOT else node.names
                is_other = module.split(".")[0] == ROOT and target not in (
                    source,
                    ROOT,
                    "_core",
                )
                hidden = any(
                    map(is_private, [*inside, *(alias.name for alias in names)])
                )
                if is_other and hidden and DEPTH[target] != DEPTH[source] + 1:
                    found.append(f"{path.relative_to(package)} imports {module}")
    return found


def files_imported_by(path, package):
    """Files of the package that a file imports when it runs."""
    names = set()
    for node in imports_at_run_time(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom():
                names |= {
                    node.module,
                    *(f"{node.module}.{alias.name}" for alias in node.names),
                }
    places = [
        package.joinpath(*name.split(".")[1:])
        for name in names
        if name.startswith(ROOT)
    ]
    files = {place.with_suffix(".py") for place in places if place != package}
    return {each for each in files if each.is_file()}


def circles(package):
    """Files that import themselves, by way of others."""
    reach = {path: files_imported_by(path, package) for path in package.rglob("*.py")}
    for middle in list(reach):
        for path, reached in reach.items():
            if middle in reached:
                reach[path] = reached | reach[middle]
    return sorted(
        str(path.relative_to(package)) for path in reach if path in reach[path]
    )


def long_pieces(package, most_lines=430, most_lines_of_a_function=45):
    """Modules and functions of too many code lines, which blank lines and comments are not."""
    too_long = []
    for path in sorted(package.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        name = path.relative_to(package)
        code_lines = reading.code_lines(source)
        if len(code_lines) > most_lines:
            too_long.append(f"{name}: {len(code_lines)} lines")

        for node in ast.walk(ast.parse(source)):
            if isinstance(node, reading.FUNCTIONS):
                span = range(node.lineno, node.end_lineno + 1)
                n_lines = len(code_lines.intersection(span))
                if n_lines > most_lines_of_a_function:
                    too_long.append(f"{name}: {node.name}: {n_lines} lines")
    return too_long


def test_one_module_reads_the_call_stack():
    readers = {"_getframe", "f_locals", "f_globals", "f_back", "currentframe"}
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in readers
    }
    assert found == {"_guards/_stack.py"}


def test_the_package_keeps_the_rules():
    units = {unit(path, PACKAGE) for path in PACKAGE.rglob("*.py")}
    assert sorted(units - DEPTH.keys()) == []
    assert upward(PACKAGE) == []
    assert private_imports(PACKAGE) == []
    assert circles(PACKAGE) == []
    assert long_pieces(PACKAGE) == []


BROKEN = {  # every rule, by a package that breaks it
    "_core.py": "",
    "cli.py": "from skgraded.measures import _name",
    "lightgbm.py": "",
    "measures/a.py": "from skgraded.measures import b",
    "measures/b.py": "def later():\n    import skgraded.measures.c",
    "measures/c.py": "from skgraded.measures.a import name",
    "measures/d.py": "import skgraded.measures.a",
    "measures/e.py": "if TYPE_CHECKING:\n    import skgraded.measures._base",
    "measures/_base.py": "import skgraded.measures.e",
    "rankings.py": "def later():\n    from skgraded import measures, _core",
    "results.py": "from skgraded import xGAP",
    "scoring.py": "import skgraded.lightgbm, numpy",
    "studies.py": "from skgraded.measures._base import Measure",
    "trec.py": "from skgraded.measures._base import Measure",
    "users.py": 'def f():\n    """Long.\n\n    Text.\n    """\n    x = y = 2\n',
}


def test_what_breaks_a_rule_is_found(tmp_path):
    (tmp_path / "measures").mkdir()
    for name, source in BROKEN.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    assert upward(tmp_path) == [
        "rankings imports measures",
        "results imports skgraded",
        "scoring imports lightgbm",
    ]
    assert private_imports(tmp_path) == [
        "cli.py imports skgraded.measures",
        "studies.py imports skgraded.measures._base",
    ]
    assert circles(tmp_path) == ["measures/a.py", "measures/b.py", "measures/c.py"]
    assert long_pieces(tmp_path, 2, 2) == []
    assert long_pieces(tmp_path, 1, 1)[-2:] == [
        "users.py: 2 lines",
        "users.py: f: 2 lines",
    ]


@pytest.mark.parametrize(
    "words", [["--version"], ["--help"], ["evaluate", "qrels", "run"]]
)
def test_common_commands_import_no_more_than_they_need(words, tmp_path, monkeypatch):
    """Half a second of SciPy is longer than the work."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    Path("run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    command = f"import sys\nsys.argv[1:] = {words}\nfrom skgraded.__main__ import run\n"
    ended = "try: run()\nexcept SystemExit as end: assert not end.code, end\n"
    modules = modules_after(command + ended)
    slow = {
        "scipy",
        "pandas",
        "polars",
        "pyarrow",
        "lightgbm",
        "sklearn",
        "joblib",
        "matplotlib",
    }
    ours = {
        f"skgraded.{name}" for name in ("users", "studies", "comparison", "conventions")
    }
    assert sorted(modules & (slow | ours)) == []
    assert ("skgraded.measures" in modules) == (words[0] == "evaluate")


def test_a_measure_imports_neither_results_nor_tables():
    modules = modules_after("import skgraded\nskgraded.xGAP()([1, 2], [3, 4])")
    ours = {name.partition(".")[2] for name in modules if name.startswith("skgraded.")}
    late = {
        "_support.writers",
        "measures._evaluate",
        "measures._ranges",
        "results._scores",
        "trec",
    }
    assert sorted(ours & late) == []


LAZY = sorted(
    path for path in PACKAGE.rglob("__init__.py") if "on_first_use" in path.read_text()
)


@pytest.mark.parametrize("path", LAZY, ids=[path.parent.name for path in LAZY])
def test_a_package_imports_the_same_names_for_types_and_on_first_use(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (for_types,) = (node for node in tree.body if isinstance(node, ast.If))
    homes = {alias.name: each.module for each in for_types.body for alias in each.names}
    package = ".".join((ROOT, *path.parent.relative_to(PACKAGE).parts))
    loaded = import_module(package)
    assert {
        name: getattr(import_module(home), name) for name, home in homes.items()
    } == {name: getattr(loaded, name) for name in homes}
    assert set(homes) <= set(loaded.__all__)


def test_every_public_name_and_module_is_found():
    code = "import skgraded as s\nfor each in dir(s): getattr(s, each)"
    assert "skgraded.scoring" in modules_after(code)
    assert set(skgraded.__all__) <= set(dir(skgraded))
    with pytest.raises(AttributeError, match="has no attribute 'xgap'"):
        skgraded.xgap  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "not_needed"),
    [
        ("import skgraded", {"numpy"}),
        (
            "import skgraded\nskgraded.measures.AP, skgraded.trec, skgraded.RR",
            {"scipy", "sklearn", "pandas"},
        ),
        (
            "from skgraded import *",
            {"xgboost", "catboost", "optuna", "polars", "matplotlib"},
        ),
    ],
)
def test_imports_are_no_more_than_what_is_used(statement, not_needed):
    assert sorted(modules_after(statement) & not_needed) == []
