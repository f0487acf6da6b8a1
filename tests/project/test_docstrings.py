"""Every public object has a docstring that numpydoc accepts."""

import importlib
import inspect
import pkgutil
import tomllib
from functools import cached_property
from pathlib import Path

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import get_validation_checks, validate

import skgraded
from skgraded.measures import Measure

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
SETTINGS = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"][
    "numpydoc_validation"
]
CHECKS = get_validation_checks(set(SETTINGS["checks"]))


def in_package(module_name):
    return module_name.partition(".")[0] == "skgraded"


def public_modules():
    """Map names to modules; None where the library that a module is about is not installed."""
    found = {"skgraded": skgraded}
    for name in (
        module.name for module in pkgutil.walk_packages(skgraded.__path__, "skgraded.")
    ):
        if "._" not in name:
            try:
                found[name] = importlib.import_module(name)
            except ModuleNotFoundError as error:
                if in_package(error.name):
                    raise
                found[name] = None
    return found


def is_ours(value):
    return in_package(getattr(value, "__module__", ""))


def function_behind(member):
    """Python function that a class attribute wraps; None where it wraps none."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, cached_property):
        member = member.func
    elif isinstance(member, classmethod | staticmethod):
        member = member.__func__
    return member if inspect.isfunction(member) else None


def overrides_a_documented_method(cls, name, function):
    """Whether the method has no docstring of its own, and that of a base class says it all."""
    if function.__doc__ is not None:
        return False
    bases = [base for base in cls.__mro__ if is_ours(base) and name in vars(base)]
    originals = [function_behind(vars(base)[name]) for base in bases]
    return any(original and original.__doc__ for original in originals)


def public_methods(cls):
    """Yield (attribute, function) of what a class and its bases in skgraded define."""
    members = {}
    for base in reversed(cls.__mro__):
        members.update(vars(base) if is_ours(base) else {})
    for name, member in sorted(members.items()):
        function = function_behind(member)
        if (
            function
            and is_ours(function)
            and (not name.startswith("_") or name == "__call__")
            and not overrides_a_documented_method(cls, name, function)
        ):
            yield name, function


def is_built_by_users(cls):
    """Whether users call the class; results and parts, which they are handed, list Attributes."""
    if issubclass(cls, Warning) or getattr(cls, "_is_protocol", False):
        return False
    sections = ClassDoc(cls, config={"show_class_members": False})
    return bool(sections["Parameters"]) or not sections["Attributes"]


def checks_of(value):
    if inspect.isclass(value) and not is_built_by_users(value):
        return CHECKS - {"EX01", "PR01"}
    if inspect.isclass(value) and issubclass(value, Measure):
        # Own fields stand before those of the base classes.
        return CHECKS - {"PR03"}
    return CHECKS


def public_objects():
    """Map every public object, once, to the name users know it by and whether it is a method."""
    found = {}
    for module_name, module in public_modules().items():
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not is_ours(value) or not (
                inspect.isclass(value) or inspect.isfunction(value)
            ):
                continue
            path = f"{module_name}.{name}"
            found.setdefault(value, (path, False))
            for attribute, function in (
                public_methods(value) if inspect.isclass(value) else ()
            ):
                found.setdefault(function, (f"{path}.{attribute}", True))
    return found


@pytest.mark.parametrize(
    ("name", "module"), public_modules().items(), ids=list(public_modules())
)
def test_a_public_module_lists_its_names(name, module):
    if module is None:
        pytest.skip(f"the library that {name} is about is not installed")
    assert sorted(set(module.__all__) - set(dir(module))) == []


OBJECTS = {name: (value, method) for value, (name, method) in public_objects().items()}


@pytest.mark.parametrize("name", OBJECTS)
def test_numpydoc_accepts_the_docstring(name):
    value, is_method = OBJECTS[name]
    checks = (
        CHECKS - {"EX01"} if is_method else checks_of(value)
    )  # its class's examples show it
    errors = [
        f"{code}: {text}" for code, text in validate(name)["errors"] if code in checks
    ]
    assert errors == []
