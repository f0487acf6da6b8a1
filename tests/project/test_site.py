"""The tools that build and check the site."""

import importlib
import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.skipif(
    not DOCS.is_dir(), reason="the pages of the site are not here"
)


def tool(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        spec.loader.exec_module(module)
    return module


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="guide/a.html#there">x</a> <a href="guide/a.html#gone">x</a>'
        '<a href="https://example.org/nothing">x</a> <a href="#">x</a> <img src="no.png">'
    )
    (tmp_path / "guide" / "a.html").write_text(
        '<h1 id="there">x</h1> <a href="../index.html">x</a> <a href="b.html">x</a>'
    )
    n_pages, n_links, broken = tool("check_links").broken_links(tmp_path)
    assert (n_pages, n_links) == (2, 7)
    assert sorted((str(page), link) for page, link in broken) == [
        ("guide/a.html", "b.html"),
        ("index.html", "guide/a.html#gone"),
        ("index.html", "no.png"),
    ]


def test_every_measure_has_a_family_with_a_title():
    from skgraded.measures import catalogue

    modules = {kind.__module__.rpartition(".")[2] for kind in catalogue().values()}
    assert modules == tool("measure_pages").FAMILIES.keys()


def test_the_page_of_other_tools_numbers_has_every_name():
    from skgraded.conventions import CONVENTIONS, TOOLS

    page = tool("conventions_page").conventions_page()
    assert all(f"| `{row.example}` | `" in page for row in CONVENTIONS)
    assert all(f"## {name}\n" in page for name in TOOLS)


def test_every_public_module_has_a_page():
    import skgraded

    folder = Path(skgraded.__file__).parent
    found = {"skgraded"} | {
        f"skgraded.{path.stem}"
        for path in folder.iterdir()
        if not path.name.startswith("_") and (path.suffix == ".py" or path.is_dir())
    }
    inner = {"skgraded.cli", "skgraded.comparison"}  # which users call through others
    assert found - inner == tool("reference_pages").MODULES.keys()


def test_the_reference_by_task_names_what_exists():
    for names in tool("reference_pages").TASKS.values():
        for name in names:
            module, _, attribute = name.rpartition(".")
            if module not in ("skgraded.xgboost", "skgraded.catboost"):  # extras
                assert callable(getattr(importlib.import_module(module), attribute)), (
                    name
                )


def test_every_result_with_intervals_has_a_line_on_the_page_of_error_rates():
    """Also of p-values and probabilities; what a result shares with others has no line."""
    words = ("interval", "p_value", "probability")
    found = set()
    for name in (
        "skgraded",
        "skgraded.users",
        "skgraded.studies",
        "skgraded.comparison",
    ):
        module = importlib.import_module(name)
        for each in map(module.__getattribute__, module.__all__):
            fields = {*dir(each), *getattr(each, "__dataclass_fields__", ())}
            public = " ".join(field for field in fields if not field.startswith("_"))
            if isinstance(each, type) and any(word in public for word in words):
                found.add(each)
    found -= {base for each in found for base in each.__mro__[1:]}
    assert found
    page = (DOCS / "calibration.md").read_text(encoding="utf-8")
    lines = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for line in lines for name in line.split("`")[1::2]}
    assert {each.__name__ for each in found} <= named
