"""Every extra declares what the files import that it is for.

``python tests/project/test_extras.py`` prints the extras. With the name of one it imports all
of this, for which nothing else needs to be installed.
"""

import ast
import re
import sys
import tomllib
from importlib import import_module
from itertools import chain
from pathlib import Path

import skgraded

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(skgraded.__file__).parent
FILES = {  # of each extra: those that work where no other extra is installed
    "plot": ["_support/pictures.py", "displays/*.py", "cli/_outputs.py"],
    "pandas": ["trec/_qrels_and_runs.py"],
    "xgboost": ["xgboost.py"],
    "catboost": ["catboost.py"],
    "optuna": ["examples/optuna_search.py"],
    "parquet": ["chunks.py", "_engines/rows.py", "trec/_readers.py"],
    "dask": ["dask/*.py", "_engines/rows.py"],
    "spark": ["spark.py", "_engines/rows.py"],
    "trec": ["trec/_sources.py"],
    "demo": ["cli/_demo.py"],
    "completion": ["cli/_parser.py"],
}
ASKED_FOR = {
    "spark": {"pandas"}
}  # by pyspark 3.5 in mapInArrow, beside what the files import
OTHER_NAMES = {"scikit_learn": "sklearn"}


def declared(project, extra=None):
    """Names to import of the dependencies, and of an extra with those that it names."""
    found = set()
    for line in (
        project["optional-dependencies"][extra] if extra else project["dependencies"]
    ):
        name = re.match(r"[\w-]+", line)[0].replace("-", "_")
        if name == "skgraded":
            extras = re.search(r"\[(.*)\]", line)[1].split(",")
            found = found.union(*(declared(project, each) for each in extras))
        else:
            found.add(OTHER_NAMES.get(name, name))
    return found


def imports_at_run_time(tree):
    """Import statements, but for those for the sake of types alone."""
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    for_types = [node for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING"]
    left_out = {id(inner) for block in for_types for inner in ast.walk(block)}
    nodes = [
        node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return [node for node in nodes if id(node) not in left_out]


def statements(path):
    """Statements by which a file imports other projects, by the name of the project."""
    found = {}
    for node in imports_at_run_time(ast.parse(path.read_text(encoding="utf-8"))):
        module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        name = module.partition(".")[0]
        if name not in sys.stdlib_module_names | {"skgraded"}:
            found.setdefault(name, []).append(ast.unparse(node))
    return found


def undeclared(paths, names):
    """What files import without these names, by the file."""
    missing = {path.name: statements(path).keys() - names for path in paths}
    return {name: each for name, each in missing.items() if each}


def files_of(extra):
    return [
        path
        for each in FILES[extra]
        for top in (PACKAGE, ROOT)
        for path in top.glob(each)
    ]


def read_project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]


def test_extras_declare_what_their_files_import():
    project = read_project()
    always, of_extras = (
        declared(project),
        {each: declared(project, each) for each in FILES},
    )
    assert of_extras.keys() == project["optional-dependencies"].keys() - {
        "test",
        "docs",
        "lint",
    }
    found = {
        each: undeclared(files_of(each), always | of_extras[each]) for each in FILES
    }
    assert not any(found.values()), found
    assert all(of_extras[each] >= names for each, names in ASKED_FOR.items())
    names = always.union(*of_extras.values())
    assert undeclared(PACKAGE.rglob("*.py"), names) == {}


def test_an_import_that_is_not_declared_is_found(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(
        "import os\nif TYPE_CHECKING:\n    import d\ndef f():\n    from b.c import e\n"
    )
    extras = {"x": ["b-c; sys_platform == 'linux'"], "y": ["skgraded[x]", "b"]}
    project = {"dependencies": ["scikit-learn>=1"], "optional-dependencies": extras}
    assert declared(project) == {"sklearn"}
    assert undeclared([path], declared(project, "x")) == {"a.py": {"b"}}
    assert undeclared([path], declared(project, "y")) == {}


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.stdout.write("\n".join(FILES) + "\n")
    for extra in sys.argv[1:]:
        modules = declared(read_project(), extra)
        for file in files_of(extra):
            if file.is_relative_to(PACKAGE):
                modules.add(
                    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
                )
            for statement in chain.from_iterable(statements(file).values()):
                exec(statement)
        for module in modules:
            import_module(module)
